"""Partitions as the light simulation has them: whose each URL and each page is, as columns of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.crawl.partition import Partition
from lycosa.lab.sharing.ground import NONE, Ground
from lycosa.model.nodes import Handling, Members, Node
from lycosa.model.records import Millis, Page, Record, Request
from lycosa.sharing.by_topic import ByTopic
from lycosa.sharing.registry import partition

Ints = NDArray[np.integer[Any]]

FINDER = -1
"""Owner of a page that belongs to whoever fetched it."""
HERE = Node("the finder")

MAJORITY = "majority"
"""No partition that a crawler could have: it knows of each host of which class most of its pages are, and gives the
host to the node of that class. It shows what a partition of hosts by classes could reach."""


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


class LabelClasses:
    """A class model that looks up what the ground says of a page's URL: it never errs, and needs no words."""

    def __init__(self, ground: Ground, unclear: int | None = None) -> None:
        """`unclear`: the class of pages that have none, by its place; None: they stay without."""
        self._ground, self._unclear = ground, unclear
        self.names, self.digest = ground.names, f"labels of {ground.name}, {unclear}"

    def of(self, page: Page) -> int | None:
        number = self._ground.graph.number(page.final_url)
        found = NONE if number is None else int(self._ground.classes[number])
        return self._unclear if found == NONE else found

    def posterior(self, page: Page) -> Sequence[float]:
        number = self._ground.graph.number(page.final_url)
        if number is not None and self._ground.posterior is not None:
            told: list[float] = self._ground.posterior[number].tolist()
            return told
        of = self.of(page)
        if of is None:
            return [1 / len(self.names)] * len(self.names)
        return [float(place == of) for place in range(len(self.names))]


def members(nodes: int, seed: int = 0) -> Members:
    """Nodes n0, n1 … For another seed they have other names, and with them other hosts."""
    return Members(
        epoch=1, names=tuple(Node(f"n{number}.{seed}" if seed else f"n{number}") for number in range(nodes))
    )


def rules(name: str, ground: Ground, nodes: int, seed: int = 0, unclear: int | None = None) -> Rules:
    """The rules of a partition, as `lycosa partitions` names it, for a web; or those of `MAJORITY`.

    `unclear`: the class of pages without one. Raises `InputError` for an unknown name, and for fewer classes than
    nodes where classes decide.
    """
    share = members(nodes, seed)
    if name == MAJORITY:
        return _majority(ground, share)
    return rules_of(partition(name, share, LabelClasses(ground, unclear)), ground, share)


def rules_of(told: Partition, ground: Ground, share: Members) -> Rules:
    """The answers of a partition for every page."""
    numbers = {node: number for number, node in enumerate(share.names)} | {HERE: FINDER}
    owners: tuple[int, ...] = ()
    if isinstance(told, ByTopic):
        owners = tuple(numbers[node] for node in told.owners)
    of_page = _column(ground, lambda page: numbers[told.of_page(_page(ground, page), HERE)])
    return Rules(
        name=told.name,
        nodes=len(share.names),
        of_url=_column(ground, lambda page: numbers[told.of_url(ground.urls[page])]) if told.routes else None,
        of_page=None if (of_page == FINDER).all() else of_page,
        handling=told.handling,
        focused=isinstance(told, ByTopic) and told.order == "focused",
        owners=owners,
    )


def _column(ground: Ground, of: Callable[[int], int]) -> Ints:
    return np.fromiter((of(page) for page in range(len(ground))), np.int32, len(ground))


def _page(ground: Ground, number: int) -> Page:
    """A page as far as partitions look at it."""
    url = ground.urls[number]
    return Page(
        request=Request(url=url, order=0),
        final_url=url,
        status=200,
        fetched_at=Millis(0),
        media_type="text/html",
        digest=f"sha1:{number}",
        title="",
        text="",
        links=(),
    )


def hashed(kind: str, ground: Ground, nodes: int, seed: int = 0) -> Ints:
    """The node of each page by the hash of its host or its content."""
    found = rules("host" if kind == "host" else "content", ground, nodes, seed)
    column = found.of_url if kind == "host" else found.of_page
    return np.zeros(len(ground), np.int32) if column is None else column


def _majority(ground: Ground, share: Members) -> Rules:
    """A host without a page that has a class is hashed; of equal classes the first wins."""
    nodes = len(share.names)
    owners = tuple(number % nodes for number in range(len(ground.names)))
    counts = np.zeros((int(ground.hosts.max()) + 1, len(ground.names)), np.int64)
    told = (ground.classes != NONE) & ground.answers
    np.add.at(counts, (ground.hosts[told], ground.classes[told]), 1)
    of_class = np.asarray(owners)[counts.argmax(axis=1)][ground.hosts]
    by_host = rules_of(partition("host", share), ground, share).of_url
    assert by_host is not None
    of_url = np.where((counts.sum(axis=1) > 0)[ground.hosts], of_class, by_host).astype(np.int32)
    return Rules(name=MAJORITY, nodes=nodes, of_url=of_url, owners=owners, handling=Handling.COPY)
