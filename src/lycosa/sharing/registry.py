"""Names for partitions, and what can be said of each."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import signature

from lycosa.model import naming
from lycosa.model.errors import InputError
from lycosa.model.naming import Info, Kind, family_of, manual_of, name_of
from lycosa.model.nodes import Members
from lycosa.sharing.classes import Classes
from lycosa.sharing.division import GIVEN, Division

KIND = Kind(word="partition", base=Division, group="lycosa.partitions")

BUILT_IN: Mapping[str, str] = {
    "alike": "lycosa.sharing.by_likeness:ByLikeness",
    "content": "lycosa.sharing.by_hash:ByContent",
    "host": "lycosa.sharing.by_hash:ByHost",
    "topic": "lycosa.sharing.by_topic:ByTopic",
    "url": "lycosa.sharing.by_hash:ByUrl",
}

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "by a hash": ("host", "url", "content"),
    "by what pages say": ("topic", "alike"),
}
"""What the built-in partitions go by: each stands in one family."""


def partition_names() -> list[str]:
    """All registered names, sorted."""
    return KIND.names(BUILT_IN)


def partition_class(name: str) -> type[Division]:
    """The class registered under a name. Raises `InputError`, naming the closest name, if there is none."""
    return KIND.find(name, BUILT_IN, partition_names())


def partition(specification: str, members: Members, classes: Classes | None = None) -> Division:
    """Make a partition among members from `NAME` or `NAME:parameter=value,…`.

    Raises `InputError` for an unknown name or parameter, a value of the wrong type or out of range, and where classes
    are needed and not given, or too few for all nodes.

    >>> from lycosa.model.nodes import Node
    >>> partition("content:fetch=url", Members(epoch=1, names=(Node("n0"),))).name
    'content:fetch=url'
    """
    name, chosen = name_of(specification), specification.partition(":")[2]
    cls = partition_class(name)
    values = KIND.values(name, cls, chosen, GIVEN)
    if "classes" not in signature(cls).parameters:
        return cls(members, **values)
    if classes is None:
        raise InputError(f"partition {name!r} needs classes: give --classes FILE (see lycosa classes train)")
    if len(classes.names) < len(members.names):
        raise InputError(
            f"{len(classes.names)} classes are too few for {len(members.names)} nodes: "
            f"choose --nodes {len(classes.names)}, or another partition"
        )
    return cls(members, **{"classes": classes, **values})


def needs_classes(specification: str) -> bool:
    """Whether a partition tells pages apart by trained classes. Raises `InputError` for an unknown name."""
    return "classes" in signature(partition_class(name_of(specification))).parameters


def describe(name: str) -> Info:
    """What is known of a registered partition."""
    cls = partition_class(name)
    manual, summary = manual_of(cls)
    return Info(
        name=name,
        family=family_of(name, FAMILIES),
        summary=summary,
        parameters=naming.parameters_of(cls, GIVEN),
        reference=cls.reference,
        manual=manual,
    )
