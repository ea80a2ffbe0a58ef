"""Partitions as the light simulation has them: whose each URL and each page is, as columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.lab.sharing.ground import NONE, Ground
from lycosa.model.errors import InputError
from lycosa.model.nodes import Handling
from lycosa.model.records import Record
from lycosa.model.url import host_of

Ints = NDArray[np.integer[Any]]

FINDER = -1
"""Owner of a page that belongs to whoever fetched it."""


class Rules(Record, frozen=True, kw_only=True):
    """One way to share a web among `nodes` crawlers."""

    name: str
    nodes: int
    of_url: Ints | None = None
    """Who fetches each page; None: it is fetched by whoever finds it, each for itself."""
    of_page: Ints | None = None
    """Who owns each page once it is fetched; None: who fetched it. `FINDER` means that too."""
    handling: Handling = Handling.WHOLE
    focused: bool = False
    """Whether links come first that stand on pages that are likely of a class of the node."""
    owners: tuple[int, ...] = ()
    """The node of each class, where classes have one."""


KINDS = ("url", "host", "content", "topic", "topic:transfer=urls", "topic:order=focused", "majority")
"""`majority` is no partition that a crawler could have: it knows of each host of which class most of its pages are, and
gives the host to the node of that class. It shows what the best such partition could reach."""


def rules(name: str, ground: Ground, nodes: int, seed: int = 0, unclear: int = FINDER) -> Rules:
    """The rules of this name for a web. `unclear`: the node of pages without a class.

    Raises `InputError` for an unknown name.
    """
    if name not in KINDS:
        raise InputError(f"there are no rules {name!r}; there are {', '.join(KINDS)}")
    kind, _, option = name.partition(":")
    if kind == "url":
        return Rules(name=name, nodes=nodes, of_url=_hashed(ground.urls, nodes, f"url {seed}"))
    if kind == "host":
        return Rules(name=name, nodes=nodes, of_url=by_host(ground, nodes, seed))
    if kind == "content":
        of_url = _hashed(ground.urls, nodes, f"url {seed}")
        of_page = _hashed(ground.urls, nodes, f"content {seed}")
        return Rules(name=name, nodes=nodes, of_url=of_url, of_page=of_page, handling=Handling.COPY)
    owners = tuple(number % nodes for number in range(len(ground.names)))
    if kind == "majority":
        return Rules(name=name, nodes=nodes, of_url=_majority(ground, owners, nodes, seed), owners=owners)
    told = ground.classes >= 0
    of_page = np.where(told, np.asarray(owners)[np.where(told, ground.classes, 0)], unclear)
    handling = Handling.LINKS if option == "transfer=urls" else Handling.WHOLE
    focused = option == "order=focused"
    return Rules(
        name=name, nodes=nodes, of_page=of_page, handling=handling, focused=focused, owners=owners
    )


def by_host(ground: Ground, nodes: int, seed: int = 0) -> Ints:
    """The node of each page's host, by hash."""
    of_host: dict[int, int] = {}
    found = np.empty(len(ground), np.int32)
    for page, host in enumerate(ground.hosts.tolist()):
        if host not in of_host:
            of_host[host] = _hash(f"host {seed} {host_of(ground.urls[page])}") % nodes
        found[page] = of_host[host]
    return found


def by_content(ground: Ground, nodes: int, seed: int = 0) -> Ints:
    """The node of each page's content, by hash."""
    return _hashed(ground.urls, nodes, f"content {seed}")


def _majority(ground: Ground, owners: Sequence[int], nodes: int, seed: int) -> Ints:
    """A host without a page that has a class is hashed; of equal classes the first wins."""
    hosts = int(ground.hosts.max()) + 1
    counts = np.zeros((hosts, len(ground.names)), np.int64)
    told = (ground.classes != NONE) & ground.answers
    np.add.at(counts, (ground.hosts[told], ground.classes[told]), 1)
    of_class = np.asarray(owners)[counts.argmax(axis=1)][ground.hosts]
    return np.where(counts.any(axis=1)[ground.hosts], of_class, by_host(ground, nodes, seed)).astype(np.int32)


def _hashed(names: Sequence[str], nodes: int, salt: str) -> Ints:
    return np.array([_hash(f"{salt} {name}") % nodes for name in names], np.int32)


def _hash(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
