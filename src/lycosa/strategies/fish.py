"""Fish search: a list of links, worked off from the front, into which relevant pages put theirs first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from math import ceil
from typing import Annotated, Any, ClassVar

import msgspec

from lycosa.crawl.inputs import Query
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.model.url import Host, Url, host_of
from lycosa.scoring.words.topic_words import TopicWords
from lycosa.strategies.parts.ledger import first_links

LINGERS = Millis(1000)
"""A host is slow only if its pages take this long on average: below it, waiting tells distance rather than rate."""


class Position(IntEnum):
    """Parts of the list, which are the frontier's tiers."""

    FRONT = 0
    MIDDLE = 1
    END = 2


class Fish(Strategy):
    """Puts the links of relevant pages at the front of its list, and some of other pages' links after these.

    When to use it: for a deep search around the start pages with a yes-or-no idea of relevance. A school of fish
    breeds where there is food and starves where there is none. It goes deep before it goes wide, so good start
    pages matter more than with best-first.

    A page is relevant if the cosine of its raw term counts with the query is above `rel_threshold`, whatever topic
    model the crawl has. Of a relevant page the first ⌈relevant_factor · width⌉ links go to the front, before all that
    is there, in their order on the page, and all its links get the full depth. Of another page that has a depth
    above 0 the first `width` links go to the middle, behind those that are there, and all its links have one level
    less. All other links go to the end. A URL that is found again moves forward, never back. Start pages have full
    depth, and the links of the first relevant page go before those that are left. Links count once a target,
    whether they are known already or not.

    Parameters: `width` (0 to 10,000, default 5) and `depth` (0 to 1,000, default 3): the papers give no values.
    `relevant_factor` (0 to 100, default 1.5 as in the original). `rel_threshold` (0 to 1, default 0: one word of
    the query is enough). `prefer_other_sites` (default false): links to other hosts come first when the width is
    filled, as in the first version. `slow_rate` (characters of text a second, default 1,000; 0 switches it off):
    pages of hosts that sent less on average, and took a second or more a page, count as of depth 0.

    Cost: O(query + links · log frontier) a page; state of one depth for each irrelevant page, two numbers and a
    count for each host.

    >>> from lycosa.crawl.inputs import Query
    >>> from lycosa.spec.registry import strategy
    >>> strategy("fish:width=3", [Query(terms={"spider": 1})]).width
    3

    Invariants, each the name of a property test:

    * every link has a place: all distinct targets but the page itself are asked for, once.
    * newest first in front, oldest first elsewhere: scores tell the steps apart, whatever the frontier's ties are.
    """

    reference: ClassVar[str] = (
        "De Bra, Post: Information Retrieval in the World Wide Web: Making Client-Based Searching Feasible. "
        "WWW1, 1994"
    )

    def __init__(
        self,
        query: Query,
        *,
        width: Annotated[int, msgspec.Meta(ge=0, le=10_000)] = 5,
        depth: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 3,
        relevant_factor: Annotated[float, msgspec.Meta(ge=0, le=100)] = 1.5,
        rel_threshold: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0,
        prefer_other_sites: bool = False,
        slow_rate: Annotated[float, msgspec.Meta(ge=0)] = 1000.0,
    ) -> None:
        self.width, self.depth, self.relevant_factor = width, depth, relevant_factor
        self.rel_threshold, self.slow_rate = rel_threshold, slow_rate
        self.prefer_other_sites = prefer_other_sites
        self._words = TopicWords.of(query)
        # Less than full depth, by the page that a URL's link stands on, which its request names: so a URL that is
        # trimmed, refused or moved forward needs no care, and a page's links share one entry.
        self._depths: dict[Url, int] = {}
        self._sent: dict[Host, tuple[int, int, int]] = {}  # characters of text, milliseconds, pages

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self._note_rate(page)
        relevant = self._is_relevant(page)
        own = 0 if self._is_slow(page) else self._depth_of(page.request)
        handed_on = self._handed_on(own, relevant)
        if handed_on == self.depth:
            self._depths.pop(page.final_url, None)
        else:
            self._depths[page.final_url] = handed_on
        if relevant:  # rounded first: 1.1 · 50 is a trace more than 55
            place, chosen = Position.FRONT, ceil(round(self.relevant_factor * self.width, 9))
        else:
            place, chosen = Position.MIDDLE, self.width if own > 0 else 0
        links = self._in_order(page)
        return [
            *_placed(links[:chosen], place, crawl.step),
            *_placed(links[chosen:], Position.END, crawl.step),
        ]

    def on_again(self, page: Page, before: Page, crawl: View) -> Iterable[Command]:
        return self.on_page(page, crawl)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        if request.via is None:
            return {"start page": 1.0}
        source = memory.page(request.via.source)
        return {
            "part of the list (0 front, 1 middle, 2 end)": float(request.tier),
            "similarity of the page that links here": self._words.similarity(source) if source else 0.0,
            "depth, its host not being slow": float(self._retraced(request.via.source, memory)),
        }

    def save(self) -> Mapping[str, Any]:
        return {"depths": dict(self._depths), "sent": {host: list(sums) for host, sums in self._sent.items()}}

    def load(self, state: Mapping[str, Any]) -> None:
        self._depths = {Url(url): depth for url, depth in state["depths"].items()}
        self._sent = {Host(host): (sums[0], sums[1], sums[2]) for host, sums in state["sent"].items()}

    # -- relevance and depth ---------------------------------------------------------------------------------

    def _is_relevant(self, page: Page) -> bool:
        return self._words.similarity(page) > self.rel_threshold

    def _depth_of(self, request: Request) -> int:
        return self._depths.get(request.via.source, self.depth) if request.via else self.depth

    def _handed_on(self, own: int, relevant: bool) -> int:
        return self.depth if relevant else max(0, own - 1)

    def _retraced(self, source: Url, memory: Memory) -> int:
        """What a page handed on, from the pages that led to it; slow hosts are not known any more."""
        at: Url | None = source
        irrelevant = 0
        while at is not None and irrelevant < self.depth and (page := memory.page(at)) is not None:
            if self._is_relevant(page):
                break
            irrelevant += 1
            at = page.request.via.source if page.request.via else None
        return self.depth - irrelevant

    # -- order -----------------------------------------------------------------------------------------------

    def _in_order(self, page: Page) -> list[Link]:
        """The first link to each target, in the order in which they fill the width."""
        firsts = first_links(page)
        for own in (page.request.url, page.final_url):
            firsts.pop(own, None)
        links = list(firsts.values())
        if self.prefer_other_sites:
            site = host_of(page.final_url)
            links.sort(key=lambda link: host_of(link.target) == site)
        return links

    # -- slow hosts ------------------------------------------------------------------------------------------

    def _note_rate(self, page: Page) -> None:
        if self.slow_rate and page.elapsed:
            host = host_of(page.final_url)
            characters, millis, pages = self._sent.get(host, (0, 0, 0))
            self._sent[host] = (characters + len(page.text), millis + page.elapsed, pages + 1)

    def _is_slow(self, page: Page) -> bool:
        if not self.slow_rate:
            return False
        characters, millis, pages = self._sent.get(host_of(page.final_url), (0, 0, 0))
        return pages > 0 and millis >= LINGERS * pages and 1000 * characters < self.slow_rate * millis


def _placed(links: Sequence[Link], place: Position, step: int) -> Iterable[Command]:
    """Newest step first in front, oldest first elsewhere; within a step as the links are ordered."""
    for i, link in enumerate(links):
        later = i / len(links)
        score = step - later if place is Position.FRONT else -(step + later)
        yield Enqueue(url=link.target, via=link, score=score, tier=int(place))
