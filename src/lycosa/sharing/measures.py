"""What a shared crawl came to: volumes, overlap, topic locality, balance, politeness. Plain arithmetic.

After Chung and Clarke, "Topic-oriented collaborative crawling", CIKM 2002, section 6. How well a node's PageRank agrees
with that of the whole collection is told by `lycosa.scoring.graphs.parts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lycosa.model.errors import InputError
from lycosa.model.records import Record

Ints = NDArray[np.integer[Any]]
SECOND = 1_000


class Traffic(Record, frozen=True, kw_only=True, gc=False):
    """So much of something."""

    pages: int = 0
    urls: int = 0
    """Links that were sent without a page."""
    bytes: int = 0
    """Of pages: of their bodies. Of what is sent: of all of it."""

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(
            pages=self.pages + other.pages, urls=self.urls + other.urls, bytes=self.bytes + other.bytes
        )


class Volumes(Record, frozen=True, kw_only=True):
    """What one node downloaded, kept, got from others and sent to them.

    A page that was downloaded is retained or exported; the node's collection is what it retained and what it imported.
    """

    downloaded: Traffic = Traffic()
    retained: Traffic = Traffic()
    imported: Traffic = Traffic()
    exported: Traffic = Traffic()

    @property
    def export_ratio(self) -> float:
        """Pages exported for each that was downloaded, in [0, 1]; 0 if none was."""
        return self.exported.pages / self.downloaded.pages if self.downloaded.pages else 0.0

    @property
    def transfer_ratio(self) -> float:
        """Bytes that came in and went out for each that was downloaded; 0 if none was."""
        moved = self.imported.bytes + self.exported.bytes
        return moved / self.downloaded.bytes if self.downloaded.bytes else 0.0


def all_together(nodes: Iterable[Volumes]) -> Volumes:
    """The volumes of all nodes: what one exports another imports, so both are counted."""
    told = list(nodes)
    fields = ("downloaded", "retained", "imported", "exported")
    return Volumes(**{name: sum((getattr(each, name) for each in told), Traffic()) for name in fields})


# -- overlap -------------------------------------------------------------------------------------------------


def overlap_histogram(downloads: Iterable[Collection[Hashable]], nodes: int | None = None) -> list[int]:
    """How many URLs exactly 1, 2, … n nodes retrieved, from the URLs that each node did."""
    sets = [set(each) for each in downloads]
    times = Counter(url for each in sets for url in each)
    counted = Counter(times.values())
    return [counted[n] for n in range(1, (nodes or len(sets)) + 1)]


def overlap_coefficient(histogram: Sequence[int]) -> float:
    """Downloads for each URL that was retrieved, at least 1: Σ i · h(i) / Σ h(i), of URLs retrieved by i nodes.

    >>> overlap_coefficient([2, 1])
    1.3333333333333333
    """
    urls = sum(histogram)
    return sum(n * many for n, many in enumerate(histogram, 1)) / urls if urls else float("nan")


# -- topic locality ------------------------------------------------------------------------------------------


class Locality(Record, frozen=True, kw_only=True):
    """Of the links from the pages of each class, how many lead to a page of the same class."""

    links: tuple[int, ...]
    """By class, from its pages to any that is known."""
    own: tuple[int, ...]

    @property
    def by_class(self) -> tuple[float, ...]:
        """p_l of each class, NaN where it has no link."""
        return tuple(
            own / links if links else float("nan") for own, links in zip(self.own, self.links, strict=True)
        )

    @property
    def of_all(self) -> float:
        """p_l of all links together, NaN without any."""
        return sum(self.own) / sum(self.links) if sum(self.links) else float("nan")


def locality(sources: ArrayLike, targets: ArrayLike, classes: int) -> Locality:
    """From the class of the page where each link stands, and that of the page to which it leads; negative: of none that
    is known, and the link is not counted. With the owners of pages for classes: the share of links that stay."""
    source, target = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    known = (source >= 0) & (target >= 0)
    links = np.bincount(source[known], minlength=classes)
    own = np.bincount(source[known & (source == target)], minlength=classes)
    return Locality(links=tuple(links.tolist()), own=tuple(own.tolist()))


# -- balance -------------------------------------------------------------------------------------------------


class Balance(Record, frozen=True, kw_only=True, gc=False):
    """How evenly a load lies on the nodes."""

    most: float
    """The greatest load by the mean: 1 is even, n is one node with all."""
    gini: float
    """Gini's coefficient: 0 is even, 1 - 1/n is one node with all."""


def balance(loads: ArrayLike) -> Balance:
    """G = Σ_i (2 i - n - 1) x_i / (n Σ x), x ascending, i from 1. Raises `InputError` for no or negative loads.

    >>> balance([1, 1, 2])
    Balance(most=1.5, gini=0.16666666666666666)
    """
    given = np.sort(np.asarray(loads, dtype=np.float64))
    if not given.size or given[0] < 0:
        raise InputError("balance of no nodes, or of a load below 0: give a load of at least 0 for each node")
    total = float(given.sum())
    if not total:
        return Balance(most=1.0, gini=0.0)
    n = given.size
    weights = 2 * np.arange(1, n + 1) - n - 1
    return Balance(most=float(given[-1]) * n / total, gini=float(weights @ given) / (n * total))


# -- politeness ----------------------------------------------------------------------------------------------


class Politeness(Record, frozen=True, kw_only=True):
    """How often hosts were asked, by all nodes together."""

    hosts: int
    requests: int
    busiest: str
    """The host with most requests within a second; of equals the first by name."""
    most: int
    """So many requests that was, in some span of 1,000 ms."""
    nearest: int | None
    """The shortest time between two requests to one host, in ms; None if none was asked twice."""
    too_near: int
    """Requests that came sooner after the one before to their host than they should."""


def politeness(asked: Mapping[str, ArrayLike], delay: int = SECOND) -> Politeness:
    """From the times of all requests to each host, in ms and in any order; `delay` is what should lie between."""
    requests = too_near = most = 0
    busiest, nearest = "", None
    for host in sorted(asked):
        times = np.sort(np.asarray(asked[host], dtype=np.int64))
        requests += times.size
        within = _most_within(times, SECOND)
        if within > most:
            busiest, most = host, within
        gaps = np.diff(times)
        too_near += int((gaps < delay).sum())
        if gaps.size:
            least = int(gaps.min())
            nearest = least if nearest is None else min(nearest, least)
    return Politeness(
        hosts=len(asked), requests=requests, busiest=busiest, most=most, nearest=nearest, too_near=too_near
    )


def _most_within(times: Ints, span: int) -> int:
    """The most of the ascending times that lie in some half-open span."""
    if not times.size:
        return 0
    return int((np.searchsorted(times, times + span, "left") - np.arange(times.size)).max())


# -- coverage ------------------------------------------------------------------------------------------------


def coverage(found: Iterable[Collection[Hashable]], targets: Collection[Hashable]) -> float:
    """The share of the targets that some node has, in [0, 1]; NaN without targets."""
    wanted = set(targets)
    got = {each for node in found for each in wanted.intersection(node)}
    return len(got) / len(wanted) if wanted else float("nan")
