"""The orders of the WIRE crawler that need no count of sites: by depth, by PageRank in batches, by true importance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from lycosa.crawl.inputs import Importance
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Grant, Reprioritize
from lycosa.model.records import Failure, Page, Request
from lycosa.model.url import Host, Url, host_of
from lycosa.strategies.importance.ranks import PageRanks
from lycosa.strategies.parts.ledger import links_out

FIRST, LATER = 0, 1
"""Tiers: what may be visited now, and what waits until it is its turn."""

BATCH_GROWTH = 0.1
"""A batch is at least this share of the pages that are in: choosing reads the whole frontier."""

TOLERANCE, BUFFER = 0.01, 10_000_000


class Depth(Strategy):
    """The fewest links from a start page first."""

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return [Enqueue(url=url) for url in seeds]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        score = -(page.request.depth + 1.0)
        return [Enqueue(url=url, via=link, score=score) for url, link in links_out(page).items()]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        return {"links from a start page": -request.score}


class Omniscient(Strategy):
    """The most important first, by importances that no crawler can know before it has visited all."""

    def __init__(self, importance: Importance) -> None:
        self._values = importance.values

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return [Enqueue(url=url, score=self._of(url)) for url in seeds]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return [Enqueue(url=url, via=link, score=self._of(url)) for url, link in links_out(page).items()]

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        return [replace(handoff, score=self._of(handoff.url))]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        return {"true importance": request.score}

    def _of(self, url: Url) -> float:
        return self._values.get(url, 0.0)


class BatchPageRank(Strategy):
    """The best by PageRank are chosen together, so many, and all visited before ranks are computed anew.

    Invariants, each the name of a property test:

    * at most so many of a host: no batch but the first, the start pages, holds more URLs of a host than its share.
    * best of all: what was chosen ranks no lower than what was not, unless its host had its share.
    """

    def __init__(self, *, gamma: float, batch: int, share: float) -> None:
        self.batch, self.share = batch, share
        self._ranks = PageRanks(gamma, TOLERANCE, "all", BUFFER)
        self._left = 0  # of what was granted, not used up by visits that are home

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        self._ranks.start(seeds)
        return [*self._granted(len(dict.fromkeys(seeds))), *(Enqueue(url=url, score=1.0) for url in seeds)]

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self._left -= 1
        self._ranks.add(page)
        rank = self._ranks.rank
        found = links_out(page).items()
        return [Enqueue(url=url, via=link, score=rank(url), tier=LATER) for url, link in found]

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        self._left -= 1
        return ()

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        score = self._ranks.rank(handoff.url)
        if self._left > 0:
            return [replace(handoff, score=score, tier=LATER)]
        return [replace(handoff, score=score, tier=FIRST), *self._granted(1)]

    def on_idle(self, crawl: View) -> Iterable[Command]:
        waiting = sorted(crawl.pending(), key=lambda request: request.order)
        self._ranks.compute([request.url for request in waiting])
        ranked = [(request, self._ranks.rank(request.url)) for request in waiting]
        ranked.sort(key=lambda each: -each[1])  # of equals the older stays first
        chosen = self._chosen([request for request, _ in ranked])
        commands: list[Command] = [
            Reprioritize(url=request.url, score=rank, tier=FIRST if request.url in chosen else LATER)
            for request, rank in ranked
            if request.url in chosen or request.tier < LATER
        ]
        return [*commands, *self._granted(len(chosen))]

    def _chosen(self, ranked: Iterable[Request]) -> set[Url]:
        """The best, as many as make a batch; of each host at most its share."""
        size = max(self.batch, math.ceil(BATCH_GROWTH * len(self._ranks)))
        most = max(1, math.ceil(self.share * size))
        chosen: set[Url] = set()
        of_host: Counter[Host] = Counter()
        for request in ranked:
            host = host_of(request.url)
            if of_host[host] < most:
                of_host[host] += 1
                chosen.add(request.url)
                if len(chosen) == size:
                    break
        return chosen

    def _granted(self, n: int) -> Iterable[Command]:
        """What a batch before did not use up still holds, and grants add up."""
        more, self._left = n - max(0, self._left), n
        return [Grant(n=more)] if more > 0 else []

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        return {
            "PageRank": request.score,
            "in the batch that is on": float(request.tier == FIRST),
            "pages that link here": float(len(memory.in_links(request.url))),
        }

    def save(self) -> Mapping[str, Any]:
        return {"ranks": self._ranks.save(), "left": self._left}

    def load(self, state: Mapping[str, Any]) -> None:
        self._ranks.load(state["ranks"])
        self._left = state["left"]
