"""What was possible: crawls by those who know more than any crawler can, and by those who know nothing.

Results can be told as a share of the way from chance, or from another crawler, to such a bound.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np

from lycosa.lab.measures.metrics import Floats
from lycosa.lab.webs.link_graph import UNREACHABLE, Ints, LinkGraph, Marks

_FAR = np.iinfo(np.int32).max


def chance(graph: LinkGraph, seeds: Ints, targets: Ints, budget: int, excluded: Ints | None = None) -> Floats:
    """The recall to be expected after each page of fetching, in random order, the pages that can be reached.

    After n of R reachable pages, of which r are among |T| targets: (n / R) · r / |T|. Zeros without targets.
    """
    reached = graph.distances(seeds, excluded) != UNREACHABLE
    found, total = int(reached[targets].sum()), int(reached.sum())
    if not total or not len(targets):
        return np.zeros(budget)
    return np.minimum(np.arange(1, budget + 1) / total, 1.0) * (found / len(targets))


def clairvoyant(
    graph: LinkGraph,
    seeds: Ints,
    relevant: Ints,
    budget: int,
    excluded: Ints | None = None,
    *,
    heeds_parents: bool = True,
) -> Ints:
    """The crawl of one who knows whether the page behind each link is relevant, but not the ways to such pages.

    A relevant page of the frontier goes first. The others follow by how many relevant pages were fetched that link to
    them; without `heeds_parents` all of them are equal. Ties: first in, first out. The pages in the order in which they
    are fetched, at most `budget`.
    """
    frontier = _Frontier(_marked(graph, relevant), _marked(graph, excluded))
    for page in seeds.tolist():
        frontier.meet(page, 0)
    order: list[int] = []
    while len(order) < budget and (page := frontier.best()) is not None:
        order.append(page)
        gain = int(frontier.relevant[page]) if heeds_parents else 0
        for target in graph.out(page).tolist():
            frontier.meet(target, gain)
    return np.array(order, dtype=np.int64)


class _Frontier:
    """Pages by (relevant, relevant pages that link there, order of arrival)."""

    def __init__(self, relevant: Marks, closed: Marks) -> None:
        self.relevant = relevant
        self._closed = closed
        self._parents: dict[int, int] = {}
        self._arrival: dict[int, int] = {}
        self._heap: list[tuple[bool, int, int, int]] = []

    def meet(self, page: int, gain: int) -> None:
        """A link to a page was found; what stood in the heap before is passed over when it comes up."""
        if self._closed[page] or (page in self._arrival and not gain):
            return
        self._parents[page] = parents = self._parents.get(page, 0) + gain
        arrival = self._arrival.setdefault(page, len(self._arrival))
        heapq.heappush(self._heap, (not self.relevant[page], -parents, arrival, page))

    def best(self) -> int | None:
        while self._heap:
            *_, page = heapq.heappop(self._heap)
            if not self._closed[page]:
                self._closed[page] = True
                return page
        return None


def oracle(graph: LinkGraph, seeds: Ints, targets: Ints, budget: int, excluded: Ints | None = None) -> Ints:
    """The crawl of one who knows the shortest ways to all targets and takes the shortest first.

    Greedy: from all pages fetched so far to the target that is the fewest fetches away (ties: to that with the lowest
    number); what is fetched on the way serves the next. The best of all crawls would be a Steiner tree, which is hard
    to find; this is a crawl that can be done. It ends with the last target that can be reached.
    """
    ways = _Ways(graph, _marked(graph, excluded))
    ways.begin(seeds)
    sought = np.setdiff1d(targets, excluded) if excluded is not None else np.unique(targets)
    order: list[int] = []
    while sought.size and len(order) < budget:
        nearest = int(sought[np.argmin(ways.cost[sought])])
        if ways.cost[nearest] == _FAR:
            break
        path = list(ways.to(nearest))
        order += path
        ways.fetched(np.array(path, dtype=np.int64))
        sought = sought[ways.cost[sought] > 0]
    return np.array(order[:budget], dtype=np.int64)


class _Ways:
    """How many fetches each page is away from what was fetched, kept up as more is fetched."""

    def __init__(self, graph: LinkGraph, closed: Marks) -> None:
        self._graph, self._closed = graph, closed
        self.cost = np.full(len(graph), _FAR, dtype=np.int32)
        self._before = np.full(len(graph), UNREACHABLE, dtype=np.int64)

    def begin(self, seeds: Ints) -> None:
        """Start pages cost one fetch each: nothing has to be fetched before them."""
        fresh = seeds[~self._closed[seeds]]
        self.cost[fresh] = 1
        self._spread(fresh, 1)

    def fetched(self, pages: Ints) -> None:
        self.cost[pages] = 0
        self._spread(pages, 0)

    def to(self, page: int) -> Iterator[int]:
        """The pages still to be fetched, the last of them this one."""
        path = []
        while page != UNREACHABLE and self.cost[page] > 0:
            path.append(page)
            page = int(self._before[page])
        return reversed(path)

    def _spread(self, pages: Ints, cost: int) -> None:
        """Breadth-first from these pages, as far as it shortens the way."""
        while pages.size:
            cost += 1
            sources = np.repeat(pages, self._graph.indptr[pages + 1] - self._graph.indptr[pages])
            found = self._graph.next_to(pages)
            nearer = (self.cost[found] > cost) & ~self._closed[found]
            pages, first = np.unique(found[nearer], return_index=True)
            self.cost[pages] = cost
            self._before[pages] = sources[nearer][first]


def share_of_the_possible(value: float, floor: float, bound: float) -> float:
    """How much of the way from a floor (chance, or another crawler) to a bound was gone: 0 is the floor, 1 the bound.

    NaN if the bound is no higher than the floor.
    """
    return (value - floor) / (bound - floor) if bound > floor else float("nan")


def _marked(graph: LinkGraph, pages: Ints | None) -> Marks:
    marks = np.zeros(len(graph), dtype=np.bool_)
    if pages is not None:
        marks[pages] = True
    return marks
