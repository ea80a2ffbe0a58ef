"""Whole crawls of changing webs under virtual time: what the light simulation leaves out is in them."""

from __future__ import annotations

import asyncio
from math import inf

from msgspec.structs import replace

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.split import Split, SplitRules
from lycosa.drive.clock import VirtualClock
from lycosa.drive.halt import Halt
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Visitor
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.time.made_worlds import made_world
from lycosa.lab.time.visiting import Visits
from lycosa.lab.time.world import World
from lycosa.lab.webs.conditions import Conditions
from lycosa.model.bounds import ENDLESS
from lycosa.model.records import Arrival, Gone, Millis, Page, Record, Unchanged
from lycosa.model.url import Url
from lycosa.revisit.history import DAY
from lycosa.revisit.policy import Policy
from lycosa.revisit.schedule import Schedule, ScheduleRules
from lycosa.scoring.topics.keywords import KeywordTopic
from lycosa.spec.registry import strategy
from lycosa.web.made.changing import ChangingShape, ChangingWeb

CONNECTIONS = 8


class Refreshed(Record, frozen=True, kw_only=True):
    """What a crawl is and does."""

    shape: ChangingShape
    seed: int
    topic: int
    days: float
    budget: float
    """Requests a day for each page of the first crawl."""
    share: float = 0.3
    """Of them, for new pages while some wait."""
    fetch: str = "breadth-first"
    """The strategy by which new pages are fetched."""


class Refreshing:
    """Crawls all that can be reached from the topic's pages, at once, and keeps it fresh from then on.

    The world that its visits are told in is that of `made_world`, without what the first crawl did not reach.
    """

    def __init__(self, told: Refreshed, policy: Policy) -> None:
        self._told, self._policy = told, policy
        self._clock = VirtualClock()
        self._web = ChangingWeb(told.shape, told.seed, clock=self._clock, begins=Millis(0))
        self._looks: dict[Url, list[float]] = {}
        self._found: dict[Url, float] = {}

    def run(self) -> Visits:
        asyncio.run(self._crawl())
        world = made_world(self._web, self._told.topic, self._told.days)
        kept = [
            place
            for place, page in enumerate(world.pages)
            if page.born > 0 or self._looks.get(page.url, [inf])[0] == 0.0
        ]
        reached = reduced(world, kept)
        return Visits(
            world=reached,
            looks=tuple(tuple(self._looks.get(page.url, ())) for page in reached.pages),
            found=tuple(self._found.get(page.url, inf) for page in reached.pages),
        )

    async def _crawl(self) -> None:
        told, conditions = self._told, Conditions(delay=1_000)
        crawl = Crawl(
            strategy(told.fetch),
            MemoryFrontier(seed=told.seed),
            KeywordTopic(" ".join(self._web.keywords(told.topic))),
            MemoryStore(),
            gate=conditions.gate(),
            pace=conditions.pace(told.seed),
            seed=told.seed,
            budget=ENDLESS,
        )
        seeds = [self._web.url(number) for number in self._web.targets(told.topic)]
        crawl.start(seeds, Millis(0))
        await self._until(crawl, inf)
        self._begin_anew()
        rate = told.budget * len(self._looks)
        rules = ScheduleRules(policy=type(self._policy).__name__, rate=rate, share=told.share)
        crawl.schedule = Schedule(self._policy, rules)
        crawl.split = Split(SplitRules(rate=rate, share=told.share))
        crawl.plan(self._clock.now())
        await self._until(crawl, told.days)

    async def _until(self, crawl: Crawl, day: float) -> None:
        halt, visitor = Halt(), Visitor(self._web, None, None, crawl.refuses_redirect, self._clock)

        def hear() -> None:
            if self._clock.now() >= day * DAY:
                halt.ask("the days are over")

        await simulate(
            crawl,
            visitor,
            self._web.latency,
            self._clock,
            width=CONNECTIONS,
            halt=halt,
            watch=self._watch,
            hear=hear,
        )

    def _watch(self, visit: Arrival) -> None:
        now = self._clock.now() / DAY
        if isinstance(visit, Page | Unchanged | Gone):
            self._looks.setdefault(visit.url, []).append(now)
            self._found.setdefault(visit.url, now)
        if isinstance(visit, Page):
            for target in visit.out:
                self._found.setdefault(target, now)

    def _begin_anew(self) -> None:
        """The first crawl, which takes hours, counts as made at 0."""
        self._looks = {url: [0.0] for url in self._looks}
        self._found = dict.fromkeys(self._found, 0.0)


def reduced(world: World, kept: list[int]) -> World:
    """The world without the other pages; listings of these are left out."""
    place = {old: new for new, old in enumerate(kept)}
    pages = []
    for old in kept:
        page = world.pages[old]
        listings = tuple((at, place[item]) for at, item in page.listings if item in place)
        pages.append(replace(page, listings=listings))
    return replace(world, pages=tuple(pages))
