"""How nodes shared a crawl, measured on their journals: volumes, overlap, locality, balance, politeness, PageRank."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from lycosa.model.nodes import Node
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.scoring.graphs.parts import agreement
from lycosa.sharing.measures import (
    Balance,
    Locality,
    Politeness,
    Traffic,
    Volumes,
    all_together,
    balance,
    locality,
    overlap_coefficient,
    overlap_histogram,
    politeness,
)
from lycosa.store.history import History

MOST_PAGES: Final = 500_000
"""Of a larger collection the links are not gathered: those of so many take some gigabytes."""
SAMPLE: Final = 250
"""Links of each node whose ends are told apart by class: Chung and Clarke took 5 of each of 100 pages a class."""

POINTS: Final = 200
"""Of a curve."""

ClassOf = Callable[[Url, int], int | None]
"""The class of a page of the node at a place; None if it cannot be told."""


class NodeFigures(Record, frozen=True, kw_only=True):
    """How one node shared."""

    node: Node
    volumes: Volumes
    """Bytes of pages are those of their records, packed; of links those of the steps that brought them."""
    stay: float
    """Of the links from its pages to pages of the collection, the share that lead to its own; NaN without any."""
    topical: float
    """The same of the classes of pages, in a sample; NaN where there are no classes."""
    tau: float
    """Kendall's τ-b of PageRank among its pages against PageRank of all; NaN where that is not defined."""


class Figures(Record, frozen=True, kw_only=True):
    """How all nodes shared a crawl."""

    nodes: tuple[NodeFigures, ...]
    whole: Volumes
    histogram: tuple[int, ...]
    """How many URLs exactly 1, 2, … nodes fetched."""
    overlap: float
    """Pages fetched for each URL, at least 1."""
    stay: float
    """Of all links between pages of the collection, the share that stay at a node."""
    topical: float
    kept: Balance
    """Of the pages that nodes have."""
    fetched: Balance
    politeness: Politeness | None
    """None of a recorded web, where each node has a time of its own."""
    course: tuple[tuple[tuple[int, int], ...], ...]
    """Of each node: after how many pages of all how many were its own; some 200 points."""


def figures(
    nodes: Mapping[Node, History],
    parts: Mapping[Node, History],
    class_of: ClassOf | None,
    *,
    delay: int,
    live: bool,
) -> Figures:
    """From the whole journals of the nodes, and from them as if each had only what counts (`parts`). `delay` is what
    should lie between two requests to a host, in ms; `live` whether times are of the live web. Two passes over all
    links."""
    volumes = _volumes(nodes)
    graph = _Graph(list(parts.values()))
    stay, topical, taus = graph.stay(), graph.topical(class_of), graph.taus()
    histogram = overlap_histogram([_fetched(history) for history in nodes.values()], len(nodes))
    return Figures(
        nodes=tuple(
            NodeFigures(
                node=name,
                volumes=volumes[name],
                stay=stay.by_class[place],
                topical=topical.by_class[place],
                tau=taus[place],
            )
            for place, name in enumerate(nodes)
        ),
        whole=all_together(volumes.values()),
        histogram=tuple(histogram),
        overlap=overlap_coefficient(histogram),
        stay=stay.of_all,
        topical=topical.of_all,
        kept=balance([each.retained.pages + each.imported.pages for each in volumes.values()]),
        fetched=balance([each.downloaded.pages for each in volumes.values()]),
        politeness=_politeness(nodes.values(), delay) if live else None,
        course=_course(list(parts.values())),
    )


def _volumes(nodes: Mapping[Node, History]) -> dict[Node, Volumes]:
    """Of each node. What its links weigh is told by those who got them."""
    came = {name: history.exchanges.links_from() for name, history in nodes.items()}
    return {
        name: _of_node(
            history,
            came=sum((_links(*each) for each in came[name].values()), Traffic()),
            went=Traffic(
                urls=history.exchanges.links_sent(),
                bytes=sum(each[name][1] for each in came.values() if name in each),
            ),
        )
        for name, history in nodes.items()
    }


def _links(urls: int, size: int) -> Traffic:
    return Traffic(urls=urls, bytes=size)


def _of_node(history: History, came: Traffic, went: Traffic) -> Volumes:
    """Pages that came by a parcel were not downloaded here."""
    pages = {
        (is_sent, has_come): Traffic(pages=n, bytes=size)
        for is_sent, has_come, n, size in history.exchanges.pages()
    }
    retained, exported = (pages.get((is_sent, False), Traffic()) for is_sent in (False, True))
    return Volumes(
        downloaded=retained + exported,
        retained=retained,
        imported=pages.get((False, True), Traffic()) + came,
        exported=exported + went,
    )


def _course(parts: Sequence[History]) -> tuple[tuple[tuple[int, int], ...], ...]:
    """How the pages of each node became more."""
    times = [np.fromiter((point.at for point in part.series()), np.int64) for part in parts]
    pages = sum(each.size for each in times)
    if not pages:
        return ((),) * len(parts)
    of = np.repeat(np.arange(len(parts)), [each.size for each in times])
    order = of[np.argsort(np.concatenate(times), kind="stable")]
    after = np.unique(np.linspace(1, pages, min(POINTS, pages)).astype(np.int64)).tolist()
    grown = [np.cumsum(order == place) for place in range(len(parts))]
    return tuple(tuple((page, int(each[page - 1])) for page in after) for each in grown)


def _fetched(history: History) -> set[int]:
    """The URLs of the pages that a node fetched, hashed."""
    return {hash(url) for url in history.exchanges.fetched()}


class _Graph:
    """The links between the pages of a collection, and at which node each page is. None where it is too large."""

    def __init__(self, parts: Sequence[History]) -> None:
        self._nodes = len(parts)
        self._urls: list[Url] = []
        owner, sources, targets = array("q"), array("q"), array("q")
        if sum(part.harvest(0.0)[0] for part in parts) <= MOST_PAGES:
            for place, part in enumerate(parts):
                for _, url, _ in part.linked():
                    self._urls.append(url)
                    owner.append(place)
        numbers = {url: number for number, url in enumerate(self._urls)}
        for part in parts if numbers else ():
            for _, url, linked in part.linked():
                if (source := numbers.get(url)) is None:  # it came since
                    continue
                found = [number for target in linked if (number := numbers.get(target)) is not None]
                sources.extend([source] * len(found))
                targets.extend(found)
        self._owner = np.array(owner, np.int64)
        self._sources, self._targets = np.array(sources, np.int64), np.array(targets, np.int64)

    def stay(self) -> Locality:
        """Of the links from each node's pages, those that lead to its own."""
        return locality(self._owner[self._sources], self._owner[self._targets], self._nodes)

    def topical(self, class_of: ClassOf | None) -> Locality:
        """Of a sample of the links from each node's pages, those that lead to a page of the same class."""
        links, own = [0] * self._nodes, [0] * self._nodes
        known: dict[int, int | None] = {}

        def asked(ask: ClassOf, number: int) -> int | None:
            if number not in known:
                known[number] = ask(self._urls[number], int(self._owner[number]))
            return known[number]

        for place in range(self._nodes) if class_of is not None else ():
            theirs = np.flatnonzero(self._owner[self._sources] == place)
            spread = np.unique(np.linspace(0, theirs.size - 1, min(SAMPLE, theirs.size)).astype(np.int64))
            for link in theirs[spread].tolist():
                assert class_of is not None
                source, target = (asked(class_of, int(ends[link])) for ends in (self._sources, self._targets))
                if source is not None and target is not None:
                    links[place] += 1
                    own[place] += source == target
        return Locality(links=tuple(links), own=tuple(own))

    def taus(self) -> list[float]:
        """How well each node's PageRank agrees with that of all pages."""
        from scipy.sparse import csr_array

        size = (self._owner.size, self._owner.size)
        links = csr_array((np.ones(self._sources.size), (self._sources, self._targets)), shape=size)
        return list(agreement(links, [np.flatnonzero(self._owner == place) for place in range(self._nodes)]))


def _politeness(nodes: Iterable[History], delay: int) -> Politeness:
    asked: dict[str, array[int]] = {}
    for history in nodes:
        for host, at in history.exchanges.asked():
            asked.setdefault(host, array("q")).append(at)
    return politeness(asked, delay)
