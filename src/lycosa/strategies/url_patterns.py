"""URL patterns: URLs that look like those which visitors care for go first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from lycosa.crawl.inputs import UsageLog
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Page, Request
from lycosa.model.url import Url
from lycosa.scoring.links.patterns import Pattern, PatternTree, behaviours
from lycosa.scoring.links.usage import completed
from lycosa.strategies.parts.columns import Numbers
from lycosa.strategies.parts.ledger import first_links

TOLERANCE = 1e-12
MOST_ROUNDS = 1_000
SHOWN = 10


class Flow(NamedTuple):
    """What a log tells of patterns, by their numbers."""

    urls: Numbers
    visits: Numbers
    entries: Numbers
    moves: Mapping[tuple[int, int], int]
    """Steps of visitors from a URL of one pattern to one of another, or of the same."""
    firsts: Mapping[tuple[int, int], int]
    """Those of them that led to a URL which nobody had seen before."""


class UrlPatterns(Strategy):
    """Orders URLs by how visitors treat those that look alike: patterns learned from a server's or proxy's logs.

    When to use it: to fetch a large site of which you have logs, with no topic in mind: what people visit comes first
    (`order=comprehensive`), or the pages that new pages are linked from (`order=timely`), with a URL that nobody has
    visited yet judged by its pattern, such as `example.org/news/{num}`. The topic plays no part.

    Host, path segments and names of the query are generalised to patterns, cut where visitors treat the parts below
    differently: by visits per URL, entries, exits or revisits (Jensen-Shannon divergence above `divergence`). Patterns
    are the nodes of a graph; visitors' steps, back-steps included, are its edges, and sessions begin at a node as often
    as they did in the log; π is the stationary distribution. The score of a URL is π of its pattern divided by the URLs
    that have it (comprehensive), or what one visit of the pattern led to that nobody had seen before, each such URL
    counted with π of its pattern (timely). It is given in millionths. A URL of a host that is not in the logs scores 0.

    Parameters: `order`, `comprehensive` (default) or `timely`. `divergence` (0 to 10 bits, default 0.1) and `least`
    (1 to 1,000,000 URLs, default 30), from which a pattern is cut further. `damping` (0 to 0.999, default 0.85), the
    chance that a visitor goes on instead of beginning anew. The two orders are those of Liu et al.; the numbers are
    lycosa's.

    Cost: O(links) a page; once, O(views in the log). State: none, it is made of the log again.

    >>> from lycosa.crawl.inputs import UsageLog
    >>> from lycosa.spec.registry import strategy
    >>> strategy("url-patterns:order=timely", [UsageLog(urls=(), users=(), sessions=())]).order
    'timely'

    Invariants, each the name of a property test:

    * exactly one: every URL has one pattern, the deepest that matches.
    * importance is a distribution: π sums to 1 over the patterns.
    """

    reference: ClassVar[str] = (
        "Liu, Cai, Zhang, Zhang: User browsing behavior-driven web crawling. CIKM 2011, p. 87-92"
    )

    def __init__(
        self,
        log: UsageLog,
        *,
        order: Literal["comprehensive", "timely"] = "comprehensive",
        divergence: Annotated[float, msgspec.Meta(ge=0, le=10)] = 0.1,
        least: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 30,
        damping: Annotated[float, msgspec.Meta(ge=0, le=0.999)] = 0.85,
    ) -> None:
        self.order, self.divergence, self.least, self.damping = order, divergence, least, damping
        self._log = log

    # -- what the log says -----------------------------------------------------------------------------------

    @cached_property
    def tree(self) -> PatternTree:
        return PatternTree(self._log.urls, behaviours(self._log), self.least, self.divergence)

    @cached_property
    def flow(self) -> Flow:
        tree = self.tree
        place = [tree.match(url).number for url in self._log.urls]
        size = len(tree.patterns)
        entries = np.bincount([place[s[0].url] for s in self._log.sessions], minlength=size).astype(float)
        visits = np.bincount([place[v.url] for s in self._log.sessions for v in s], minlength=size)
        steps = [
            (after.at, before.url, after.url)
            for way in map(completed, self._log.sessions)
            for before, after in zip([None, *way], way, strict=False)
            if before is not None
        ]
        moves: dict[tuple[int, int], int] = {}
        firsts: dict[tuple[int, int], int] = {}
        seen_at = self._first_views()
        for at, before, after in sorted(steps):
            edge = place[before], place[after]
            moves[edge] = moves.get(edge, 0) + 1
            if seen_at.get(after) == at:
                del seen_at[after]
                firsts[edge] = firsts.get(edge, 0) + 1
        return Flow(np.bincount(place, minlength=size), visits, entries, moves, firsts)

    def _first_views(self) -> dict[int, int]:
        """When each URL was seen first, of those that were not seen first at the beginning of a session."""
        first: dict[int, tuple[int, bool]] = {}
        for session in self._log.sessions:
            for number, view in enumerate(session):
                first[view.url] = min(first.get(view.url, (view.at, number > 0)), (view.at, number > 0))
        return {url: at for url, (at, by_step) in first.items() if by_step}

    @cached_property
    def importance(self) -> Numbers:
        """π of each pattern: π = d·πM + (1 - d)·e, rows without moves going to e, where sessions begin."""
        from scipy.sparse import csr_array

        flow = self.flow
        size = len(flow.urls)
        if not flow.entries.sum():
            return np.zeros(size)
        begin = flow.entries / flow.entries.sum()
        edges = np.array(list(flow.moves), dtype=np.int64).reshape(-1, 2)
        weights = np.array(list(flow.moves.values()), dtype=float)
        out = np.bincount(edges[:, 0], weights, minlength=size)
        onward = csr_array((weights / out[edges[:, 0]], (edges[:, 1], edges[:, 0])), shape=(size, size))
        rank = begin
        for _ in range(MOST_ROUNDS):
            ended = rank[out == 0].sum()
            moved = self.damping * (onward @ rank + ended * begin) + (1 - self.damping) * begin
            if np.abs(moved - rank).sum() < TOLERANCE:
                return np.asarray(moved)
            rank = moved
        return np.asarray(rank)

    @cached_property
    def scores(self) -> Numbers:
        """By pattern, in millionths. A pattern with few URLs of its own has the score of all that lies below it."""
        flow, worth = self.flow, self.importance
        if self.order == "timely":
            gained = np.zeros(len(flow.urls))
            for (before, after), count in flow.firsts.items():
                gained[before] += count * worth[after]
            own, per = gained, flow.visits.astype(float)
        else:
            own, per = worth, flow.urls.astype(float)
        all_own, all_per, all_urls = own.copy(), per.copy(), flow.urls.copy()
        for pattern in reversed(self.tree.patterns):  # what lies below has a higher number
            for below in pattern.below.values():
                for column in (all_own, all_per, all_urls):
                    column[pattern.number] += column[below.number]
        few = flow.urls < np.minimum(self.least, all_urls)
        own, per = np.where(few, all_own, own), np.where(few, all_per, per)
        scores = np.round(1e6 * np.divide(own, per, out=np.zeros(len(own)), where=per > 0), 6)
        scores[self.tree.root.number] = 0.0
        return np.asarray(scores)

    def score(self, url: Url) -> float:
        return float(self.scores[self.tree.match(url).number])

    # -- events ----------------------------------------------------------------------------------------------

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        found = first_links(page).items()
        return [Enqueue(url=url, via=link, score=self.score(url)) for url, link in found]

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        return [replace(handoff, score=self.score(handoff.url))]

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        pattern = self.tree.match(request.url)
        return {
            f"score of the pattern {pattern}, in millionths": float(self.scores[pattern.number]),
            "of which the logs have URLs": float(self.flow.urls[pattern.number]),
            "importance of the pattern": float(self.importance[pattern.number]),
        }

    def facts(self) -> Mapping[str, Any]:
        return {
            "URL patterns": f"{np.count_nonzero(self.flow.urls)} for {len(self._log.urls)} URLs in the logs",
            "best patterns": [f"{pattern}  {self.scores[pattern.number]:,.0f}" for pattern in self._best()],
        }

    def _best(self) -> list[Pattern]:
        used = [pattern for pattern in self.tree if self.flow.urls[pattern.number]]
        return sorted(used, key=lambda pattern: -self.scores[pattern.number])[:SHOWN]
