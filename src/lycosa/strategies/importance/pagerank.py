"""PageRank as the order of a crawl: what the pages that are in think most of goes first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar

import msgspec

from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Page, Request, UrlState
from lycosa.model.url import Url
from lycosa.strategies.importance.ranks import Dangling, PageRanks
from lycosa.strategies.parts.ledger import links_out
from lycosa.strategies.parts.rhythm import Rhythm


class PageRank(Strategy):
    """Visits first what has the highest PageRank among the pages that are in and the URLs that wait.

    When to use it: to compare with it. Among the first crawlers for topics it was one of the poorest, below
    breadth-first, since PageRank says little on a small part of the web and nothing of the topic. For importance
    whatever the topic, `opic` and `rankmass` cost less and bring more of it early.

    A URL found between two computations gets what the pages known to link to it pass on: 1 - γ + γ Σ PR(d) / |out(d)|
    (our reading: the paper does not say). At a computation the URLs that wait whose rank changed by more than
    `tolerance` times it move. Start pages have score 1. Ties go first in first out.

    Parameters: `gamma`, 0 to 0.99, the chance that a reader follows a link (default 0.8, the paper's). `tolerance`,
    1e-9 to 1: the largest change of a rank at which the computation ends (default 0.01, the paper's). `frequency`, 0
    to 1,000,000: pages between two computations (default 25, recalled, not checked; 0: never). `growth`, 1 to 10: a
    computation also waits until the crawl has grown by this factor (default 1.5, ours; with 1 the time grows with the
    square of the crawl, as in the paper). `dangling`: to whom URLs without known links, so all that wait, pass their
    rank on: `buffered`, to the pages that are in (the default, the paper's), `all`, to these and all that wait, or
    `none`. `buffer`, 1 to 10,000,000: the pages that are in and take part, the most relevant (default 100,000; the
    paper's are 256 to 2,048, the bound of its frontier, which here is the crawl's).

    Cost: O(links · log frontier) a page, and now and then O(links known · rounds). With gamma=0, or without links
    that differ in rank, it is breadth-first.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("pagerank:gamma=0.85,growth=1").gamma
    0.85
    """

    reference: ClassVar[str] = (
        "Menczer, Pant, Srinivasan: Topical Web Crawlers: Evaluating Adaptive Algorithms. "
        "ACM TOIT 4(4), 2004, p. 378-419, fig. 7"
    )

    def __init__(
        self,
        *,
        gamma: Annotated[float, msgspec.Meta(ge=0, le=0.99)] = 0.8,
        tolerance: Annotated[float, msgspec.Meta(ge=1e-9, le=1)] = 0.01,
        frequency: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 25,
        growth: Annotated[float, msgspec.Meta(ge=1, le=10)] = 1.5,
        dangling: Dangling = "buffered",
        buffer: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = 100_000,
    ) -> None:
        self.gamma, self.tolerance, self.frequency, self.growth = gamma, tolerance, frequency, growth
        self.dangling, self.buffer = dangling, buffer
        self._ranks = PageRanks(gamma, tolerance, dangling, buffer)
        self._rhythm = Rhythm(frequency, growth)
        self._computed_at = 0  # pages

    def rank(self, url: Url) -> float:
        """The PageRank told of a URL."""
        return self._ranks.rank(url)

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        self._ranks.start(seeds)
        return super().on_start(seeds, crawl)

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self._ranks.add(page)
        firsts = links_out(page)
        moved = self._computed(firsts, crawl) if self._is_time() else []
        found = [Enqueue(url=url, via=link, score=self._ranks.rank(url)) for url, link in firsts.items()]
        return [*moved, *found]

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        return [msgspec.structs.replace(handoff, score=self._ranks.rank(handoff.url))]

    def _is_time(self) -> bool:
        return self.frequency > 0 and self._rhythm.due(len(self._ranks))

    def _computed(self, found: Mapping[Url, object], crawl: View) -> list[Command]:
        """Where those that wait stand now. What was found just now takes part, though it enters afterwards."""
        self._computed_at = len(self._ranks)
        waiting = [request.url for request in crawl.pending()]
        new = [url for url in found if crawl.state(url) is UrlState.UNSEEN]
        moved = self._ranks.compute([*waiting, *new])
        fresh = set(new)
        return [Reprioritize(url=url, score=rank) for url, rank in moved if url not in fresh]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        return {
            "PageRank": request.score,
            "pages that link here": float(len(memory.in_links(request.url))),
        }

    def facts(self) -> Mapping[str, Any]:
        return {"pages that take part": self._ranks.buffered, "computed at page": self._computed_at}

    def save(self) -> Mapping[str, Any]:
        return {
            "ranks": self._ranks.save(),
            "rhythm": self._rhythm.save(),
            "computed at": self._computed_at,
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._ranks.load(state["ranks"])
        self._rhythm.load(state["rhythm"])
        self._computed_at = state["computed at"]
