"""Who of the nodes of a shared crawl is to see to a URL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from lycosa.compose.parts import company_of
from lycosa.model.decoding import converted, from_json
from lycosa.model.errors import LycosaError
from lycosa.model.nodes import Housed, Members, Node, Share
from lycosa.model.url import Url
from lycosa.sharing.classes import Classes
from lycosa.sources.classes import read_classes
from lycosa.spec.tree import CrawlSpec
from lycosa.store.paths import SharedPaths

OwnerOf = Callable[[Url], Node | None]
"""Who is to see to a URL; None where that is not known before it was fetched."""


def members_of(paths: SharedPaths, begun: Iterable[Node]) -> Members:
    """The members as they are now; those that have begun where that is not written down."""
    try:
        return from_json(paths.members.read_bytes(), Members)
    except (OSError, msgspec.MsgspecError):
        return Members(epoch=1, names=tuple(begun))


def classes_of(spec: CrawlSpec) -> Classes | None:
    """By which pages are told apart; None where there are none, or they are not here."""
    if not spec.cluster.classes:
        return None
    try:
        return read_classes(Path(spec.cluster.classes))
    except LycosaError:
        return None


def owners(spec: CrawlSpec, members: Members, told: Iterable[Mapping[str, Any]]) -> OwnerOf:
    """By the partition, and by what nodes knew of territories that moved (`told`, as their checkpoints have it)."""
    try:
        company = company_of(spec, Share(node=members.names[0], members=members), life="")
    except LycosaError:  # its classes are not here
        return lambda url: None
    for each in told:
        company.note(converted(each.get("housed", ()), list[Housed]))
    return company.owner if company.partition.routes else lambda url: None
