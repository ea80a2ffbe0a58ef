"""Looks around while somebody reads: breadth-first from the page browsed last, recommending what fits what was browsed.

Source: Lieberman: Letizia: An Agent That Assists Web Browsing. IJCAI 1995.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from lycosa.compose import parts
from lycosa.compose.outside import Outside
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.memory import MemoryStore
from lycosa.drive.halt import Halt
from lycosa.drive.loop import run
from lycosa.drive.patience import visited
from lycosa.drive.visit import Outcome, Visitor
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.records import Arrival, Page, Record, Request
from lycosa.model.url import Url, host_of
from lycosa.scoring.topics.interests import Interests
from lycosa.sources.browsing import BrowseLog
from lycosa.spec.derived import width_of
from lycosa.spec.tree import CrawlSpec
from lycosa.strategies.order import BreadthFirst

Found = TypeVar("Found", bound=Outcome)

REMEMBERED = 1_000
"""Pages kept, last used: coming back to a place costs no second visit."""
POLL_SECONDS = 0.25
"""So often the log is looked at."""


class Recommendation(Record, frozen=True, kw_only=True):
    """A page near the one that is being read."""

    at: Url
    """The page that is being read."""
    url: Url
    title: str
    likeness: float
    """Cosine with the profile of what was browsed."""
    distance: int
    """Links from the page that is being read."""
    via: Url
    """The page whose link leads there."""


class Companion:
    """Follows a reader: `browse` where he goes, `explore` while he reads, `recommend` when asked.

    Exploring is a crawl like any other, with its scope, traps, robots and pace; `spec` says which (its scope's depth is
    how far to look, its pages how many to visit from one place). Nothing is written to disk.
    """

    def __init__(self, spec: CrawlSpec, outside: Outside, *, same_host: bool = False) -> None:
        self.spec, self.clock = spec, outside.clock
        self._outside, self._robots = outside, outside.robots()
        self.same_host = same_host
        """Whether to stay on the host of the page that is being read."""
        self.profile = Interests()
        self.at: Url | None = None
        self._pace = parts.pace_of(spec)
        self._pages: OrderedDict[Url, Page] = OrderedDict()
        self._browsed: dict[Url, None] = {}
        self._near: dict[Url, Page] = {}

    async def browse(self, url: Url) -> None:
        """The reader goes to a page. One that cannot be had is a place all the same, but teaches nothing."""
        self.at, self._near = url, {}
        self._browsed[url] = None
        request = Request(url=url, order=0)
        visitor = Visitor(self._outside.web, self._robots, None, _anywhere, self.clock)
        visit = self._remembered(request) or self._kept(await visited(visitor, request, self.clock))
        if isinstance(visit, Page):
            self._browsed[visit.final_url] = None
            self.profile.see(visit.terms)

    async def explore(self, halt: Halt | None = None) -> None:
        """Look around breadth-first, until the depth or the number of pages is reached or a halt is asked for."""
        if self.at is None:
            return
        halt = halt or Halt()
        crawl = Crawl(
            BreadthFirst(),
            MemoryFrontier(),
            _Likeness(self.profile),
            MemoryStore(),
            gate=parts.gate_of(self._spec_at(self.at)),
            pace=self._pace,
            order=parts.order_of(self.spec),
            budget=self.spec.pages + 1,
        )
        visitor = Visitor(self._outside.web, self._robots, None, crawl.refuses_redirect, self.clock)

        async def visit(request: Request) -> Outcome:
            return self._remembered(request) or self._kept(await visitor(request))

        crawl.start([self.at], self.clock.now())
        width = 1 if self._outside.is_virtual else width_of(self.spec)
        await run(crawl, self._outside.road(visit, halt), width=width, halt=halt, watch=self._see)

    def recommend(self, most: int) -> list[Recommendation]:
        """The pages near the reader that are most like what he browsed, and that he has not seen; best first."""
        found = [
            Recommendation(
                at=self.at or page.url,
                url=page.final_url,
                title=page.title,
                likeness=round(self.profile.likeness(page.terms), 6),
                distance=page.request.depth,
                via=page.request.via.source,
            )
            for page in self._near.values()
            if page.request.via is not None and page.final_url not in self._browsed
        ]
        liked = [each for each in found if each.likeness > 0]
        return sorted(liked, key=lambda each: (-each.likeness, each.distance, each.url))[:most]

    def _spec_at(self, url: Url) -> CrawlSpec:
        scope = replace(self.spec.scope, hosts=(host_of(url),)) if self.same_host else self.spec.scope
        return replace(self.spec, seeds=(url,), scope=scope)

    def _see(self, visit: Arrival) -> None:
        if isinstance(visit, Page):
            self._near[visit.final_url] = visit

    def _remembered(self, request: Request) -> Page | None:
        known = self._pages.get(request.url)
        if known is None:
            return None
        self._pages.move_to_end(request.url)
        return replace(known, request=request)

    def _kept(self, outcome: Found) -> Found:
        """What a visit brought; a page is remembered."""
        if isinstance(outcome, Page):
            self._pages[outcome.url] = outcome
            if len(self._pages) > REMEMBERED:
                self._pages.popitem(last=False)
        return outcome


class _Likeness:
    """The profile as a topic, for the crawl's own measure of relevance."""

    def __init__(self, profile: Interests) -> None:
        self._profile = profile

    def relevance(self, page: Page) -> float:
        return self._profile.likeness(page.terms)

    def explain(self, page: Page) -> dict[str, float]:
        return {"likeness to what was browsed": self.relevance(page)}


def _anywhere(request: Request, url: Url) -> None:
    """A reader is followed wherever a redirect took him."""


Tell = Callable[[Sequence[Recommendation]], None]


async def follow(
    log: BrowseLog, companion: Companion, tell: Tell, *, history: int = 50, most: int = 5, once: bool = False
) -> None:
    """Read a browse log and recommend, for as long as it grows; `once`, to its end only.

    Of what stands in the log at first the last `history` pages make the profile. Recommendations are told when looking
    around from a page has ended, or the reader went on; not again if they are the same as before.
    """
    told: list[Recommendation] = []
    waiting = log.read(to_the_end=once)[-history:]
    while True:
        for url in waiting:
            await companion.browse(url)
        waiting = await _look_around(companion, log, once=once)
        found = companion.recommend(most)
        if found and found != told:
            tell(found)
            told = found
        if once:
            return
        while not waiting:
            await asyncio.sleep(POLL_SECONDS)
            waiting = log.read()


async def _look_around(companion: Companion, log: BrowseLog, *, once: bool) -> list[Url]:
    """Explore until there is no more to see, or the reader goes on; returns where he went."""
    halt = Halt()
    exploring = asyncio.create_task(companion.explore(halt))
    new: list[Url] = []
    try:
        while not exploring.done():
            await asyncio.wait([exploring], timeout=POLL_SECONDS)
            if not once and not new and (new := log.read()):
                halt.ask("the reader went on")
        await exploring
    finally:
        exploring.cancel()
    return new


def near(spec: CrawlSpec, depth: int) -> CrawlSpec:
    """The specification with this as the farthest to look."""
    return replace(spec, scope=replace(spec.scope, depth=depth))
