"""PageRank of what a crawl knows, computed now and then, carried on in between."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from lycosa.model.records import Page
from lycosa.model.url import Url
from lycosa.strategies.parts.crawled import CrawledGraph

Dangling = Literal["buffered", "all", "none"]
"""Where a URL without known links passes its rank on to: the pages that are in, these and all that wait, or nowhere."""


class PageRanks:
    """PR(p) = (1 - γ) + γ Σ_{d links to p} PR(d) / |out(d)| over pages that are in and URLs that wait.

    Of the pages that are in, the `limit` most relevant take part with their links (of equals the older). Between two
    computations a new page's links add γ PR(page) / |out| to what they lead to; ranks of others stay.

    Cost: O(links) to take in a page, O(links known · rounds) to compute. Memory: a number a URL, and the graph.

    Invariants, each the name of a property test:

    * as defined: right after a computation the ranks solve the equation, to the tolerance.
    * sum of ranks: right after a computation they sum to the number of nodes (with `none`: to that at most).
    """

    def __init__(self, gamma: float, tolerance: float, dangling: Dangling, limit: int) -> None:
        self.gamma, self.tolerance, self.dangling, self.limit = gamma, tolerance, dangling, limit
        self._graph = CrawledGraph()
        self._ranks = array("d")  # by number, as told last
        self._kept: list[tuple[float, int]] = []  # heap of relevance and minus number: the least goes

    def __len__(self) -> int:
        """How many pages are in."""
        return len(self._graph.pages)

    @property
    def buffered(self) -> int:
        """How many of the pages that are in take part."""
        return len(self._kept)

    def start(self, seeds: Iterable[Url]) -> None:
        """Start pages rank 1, the mean of all, until it is known better."""
        for url in seeds:
            self._set(self._graph.number_of(url), 1.0)

    def rank(self, url: Url) -> float:
        """What is told of a URL: 1 - γ if no page is known to link to it."""
        number = self._graph.number(url)
        return 1.0 - self.gamma if number is None else self._rank(number)

    def add(self, page: Page) -> None:
        """Take in a page; its links raise the ranks of what they lead to."""
        graph, before = self._graph, len(self._graph.pages)
        asked, final = graph.number(page.request.url), graph.number(page.final_url)
        known = [number for number in dict.fromkeys((asked, final)) if number is not None]
        rank = sum(self._rank(number) - (1.0 - self.gamma) for number in known)
        number = graph.add(page)
        if len(graph.pages) == before:  # fetched again
            return
        self._set(number, rank + 1.0 - self.gamma)
        targets = graph.targets(number)
        self._extend()
        for target in targets:
            self._ranks[target] += self.gamma * self._ranks[number] / len(targets)
        heapq.heappush(self._kept, (page.relevance, -number))
        if len(self._kept) > self.limit:
            heapq.heappop(self._kept)

    def compute(self, waiting: Iterable[Url]) -> list[tuple[Url, float]]:
        """Rank all anew. Returns those that wait whose rank changed by more than the tolerance's share of it."""
        import numpy as np

        from lycosa.scoring.graphs.analysis import pagerank

        self._extend()
        urls = {number: url for url in waiting if (number := self._graph.number(url)) is not None}
        takes_part, is_in = np.zeros((2, len(self._graph)), dtype=bool)
        is_in[[-minus for _, minus in self._kept]] = True
        takes_part[list(urls)] = True
        nodes = np.flatnonzero(takes_part | is_in)
        if not nodes.size:
            return []
        links = self._graph.matrix()[nodes][:, nodes]
        sink = {"buffered": is_in[nodes].astype(float), "all": None, "none": np.zeros(nodes.size)}
        ranks = pagerank(links, gamma=self.gamma, tolerance=self.tolerance, dangling=sink[self.dangling])
        told = np.frombuffer(self._ranks)[nodes]
        changed = np.abs(ranks - told) > self.tolerance * told
        changed |= is_in[nodes]  # costs no command
        moved = list(zip(nodes[changed].tolist(), ranks[changed].tolist(), strict=True))
        for number, rank in moved:
            self._ranks[number] = rank
        return [(urls[number], rank) for number, rank in moved if number in urls]

    def _rank(self, number: int) -> float:
        return self._ranks[number] if number < len(self._ranks) else 1.0 - self.gamma

    def _set(self, number: int, rank: float) -> None:
        self._extend()
        self._ranks[number] = rank

    def _extend(self) -> None:
        self._ranks.extend([1.0 - self.gamma] * (len(self._graph) - len(self._ranks)))

    def save(self) -> Mapping[str, Any]:
        return {
            "graph": self._graph.save(),
            "ranks": self._ranks.tobytes(),
            "kept": [list(each) for each in self._kept],
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._graph.load(state["graph"])
        self._ranks = array("d")
        self._ranks.frombytes(state["ranks"])
        self._kept = [(relevance, minus) for relevance, minus in state["kept"]]
