"""Policies alone, without a crawl: thousands of pages over months of virtual time in seconds.

The schedule is that of crawls. There is a turn for each request that the budget allows, at equal spans. A new page that
was found is fetched first; else the page that is due and most urgent is visited again, and if none is due, the one that
will be next, so that all policies make as many requests. Hosts, robots.txt and failures are left out: what remains is
what a policy makes of what looks can see.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Sequence
from math import inf

import numpy as np
from msgspec.structs import replace

from lycosa.crawl.looks import MOST_LOOKS
from lycosa.lab.time.world import PageLife, World
from lycosa.model.commands import Enqueue
from lycosa.model.errors import InputError
from lycosa.model.records import Gone, Link, Look, Millis, Page, Record, Request, Sight, Unchanged
from lycosa.model.url import Url
from lycosa.revisit.history import DAY, History
from lycosa.revisit.policy import Policy
from lycosa.revisit.schedule import Schedule, ScheduleRules


class Visits(Record, frozen=True, kw_only=True):
    """What was visited when, by the places of pages. All times in days."""

    world: World
    looks: tuple[tuple[float, ...], ...]
    """Of each page the times of looks, ascending; the first is when it was fetched first. None of a page that was never
    found. The collection was fetched at 0."""
    found: tuple[float, ...]
    """When the address of each page was known; infinite if it never was."""


class Visiting:
    """One policy on one world with a budget.

    Invariants, each the name of a property test:

    * no more than allowed: up to any time no more requests are made than the budget allows.
    * no look into the future: the looks until a time depend on nothing that happens in the world after it.
    """

    def __init__(self, world: World, policy: Policy, budget: float, *, early: bool = True) -> None:
        """`budget`: requests a day, above 0. Not `early`: a turn for which nothing is due is lost, as in a crawl."""
        if not budget > 0:
            raise InputError(f"a budget of {budget} requests a day: give more than 0")
        self._world, self._budget, self._early = world, budget, early
        self._places = {page.url: place for place, page in enumerate(world.pages)}
        rules = ScheduleRules(policy=type(policy).__name__, rate=budget, share=0.0)
        self._schedule = _KnowingSchedule(policy, rules, {page.url: page for page in world.pages})
        self._looks: list[list[Look]] = [[] for _ in world.pages]
        self._times: list[list[float]] = [[] for _ in world.pages]
        self._found = [inf] * len(world.pages)
        self._new = deque[int]()
        self._signals = _told(world)
        self._due: list[tuple[int, int]] = []  # time, place; outdated entries are passed over
        self._due_at: dict[int, tuple[int, float]] = {}  # time and urgency of each page's revisit
        self._ready: list[tuple[float, int, int]] = []  # urgency, time, place

    def run(self) -> Visits:
        self._begin()
        for turn in range(1, int(self._world.days * self._budget) + 1):
            now = turn / self._budget
            self._hear(now)
            if (place := self._next(now)) is not None:
                self._look(place, now)
        return Visits(world=self._world, looks=tuple(map(tuple, self._times)), found=tuple(self._found))

    def _begin(self) -> None:
        """The collection was fetched at 0."""
        start = Millis(0)
        for place in self._world.collection:
            self._found[place] = 0.0
            self._times[place].append(0.0)
            self._looks[place].append(seen(self._world.pages[place], (), -inf, 0.0))
        known = [(self._world.pages[place].url, self._looks[place]) for place in self._world.collection]
        self._schedule.begin(known, new_wait=False, now=start)
        plans = (self._schedule.plan(url, looks, start) for url, looks in known)
        self._wait(plan for plan in plans if plan is not None)

    def _next(self, now: float) -> int | None:
        """The page whose turn it is; None if no page is due."""
        if self._new:
            return self._new.popleft()
        instant = _millis(now)
        while self._due and self._due[0][0] <= instant:
            due, place = heapq.heappop(self._due)
            at, urgency = self._due_at[place]
            if at == due:
                heapq.heappush(self._ready, (-urgency, due, place))
        while self._ready:
            _, due, place = heapq.heappop(self._ready)
            if self._due_at[place][0] == due:
                return place
        while self._early and self._due:
            due, place = heapq.heappop(self._due)
            if self._due_at[place][0] == due:
                return place
        return None

    def _wait(self, revisits: Iterable[Enqueue]) -> None:
        for each in revisits:
            place, due = self._places[each.url], each.not_before or Millis(0)
            self._due_at[place] = due, each.score
            heapq.heappush(self._due, (due, place))

    def _hear(self, now: float) -> None:
        """Signals of changes that came until now."""
        while self._signals and self._signals[-1][0] <= now:
            at, place = self._signals.pop()
            if looks := self._looks[place]:
                url = self._world.pages[place].url
                revisits = self._schedule.told(url, _millis(at), looks, _millis(now), surely=False)
                self._wait(revisits)

    def _look(self, place: int, now: float) -> None:
        """Visit a page; what it lists anew is to be fetched."""
        page, looks, times = self._world.pages[place], self._looks[place], self._times[place]
        last = times[-1] if times else -inf
        looks.append(seen(page, looks, last, now))
        del looks[:-MOST_LOOKS]
        times.append(now)
        listed = page.new_listings(max(last, 0.0), now) if page.is_there(now) else []
        unseen = [
            item for item in listed if self._found[item] == inf and self._world.pages[item].is_there(now)
        ]
        for item in unseen:
            self._found[item] = now
        self._new += unseen
        self._tell(page, looks, unseen)

    def _tell(self, page: PageLife, looks: Sequence[Look], unseen: Sequence[int]) -> None:
        """The schedule is told of a look, and of new links, as by a crawl."""
        now, source = looks[-1].at, None
        arrival = self._arrival(page, looks[-1], unseen)
        if isinstance(arrival, Page):
            source = self._schedule.found(arrival, looks, arrival.out)
        self._wait(self._schedule.seen(arrival, looks, now, new_wait=bool(self._new)))
        if source is not None:
            self._wait(self._schedule.again(source, self._looks[self._places[source]], now))

    def _arrival(self, page: PageLife, look: Look, listed: Sequence[int]) -> Page | Unchanged | Gone:
        """What a crawl would have met."""
        request = Request(url=page.url, order=0)
        if look.sight is Sight.GONE:
            return Gone(request=request, at=look.at, status=404)
        if look.sight is Sight.SAME:
            return Unchanged(request=request, at=look.at, final_url=page.url)
        targets = (self._world.pages[item].url for item in listed)
        return Page(
            request=request,
            final_url=page.url,
            status=200,
            fetched_at=look.at,
            media_type="text/html",
            digest="",
            title="",
            text="",
            links=tuple(Link(source=page.url, target=target) for target in targets),
            relevance=look.relevance,
        )


class _KnowingSchedule(Schedule):
    """The schedule of crawls, told of pages what somebody besides the crawl knows."""

    def __init__(self, policy: Policy, rules: ScheduleRules, pages: dict[Url, PageLife]) -> None:
        super().__init__(policy, rules)
        self._pages = pages
        self._has_clicks = any(page.clicks for page in pages.values())

    def _history(self, url: Url, looks: Sequence[Look]) -> History:
        page = self._pages[url]
        gains = (page.clicks * look.divergence for look in looks)
        return replace(
            super()._history(url, looks),
            gains=tuple(gains),
            standing=page.clicks if self._has_clicks else None,
            importance=page.importance,
            is_told=page.is_told,
        )


def seen(page: PageLife, before: Sequence[Look], last: float, now: float) -> Look:
    """What a look at a page tells, at a day, after others of which the last was at `last`; see `crawl.looks`."""
    at = _millis(now)
    if not before:
        listed = len(page.new_listings(-inf, now))
        return Look(at=at, sight=Sight.FIRST, new_links=listed, relevance=page.seen_relevance)
    if not page.is_there(now):
        sight = Sight.GONE if page.is_there(last) else Sight.SAME
        return Look(at=at, sight=sight, relevance=before[-1].relevance)
    first, end = np.searchsorted(page.changes, (last, now), "right")
    if first == end:
        return Look(at=at, sight=Sight.SAME, relevance=page.seen_relevance)
    divergence = page.divergence(last, now)
    return Look(
        at=at,
        sight=Sight.CHANGED,
        importance=divergence,
        divergence=divergence,
        new_links=len(page.new_listings(last, now)),
        relevance=page.seen_relevance,
        modified=_millis(float(page.changes[end - 1])) if page.is_dated else None,
    )


def _told(world: World) -> list[tuple[float, int]]:
    """When which page's change is told, the latest first."""
    told = (
        (float(at), place) for place, page in enumerate(world.pages) if page.is_told for at in page.changes
    )
    return sorted((each for each in told if each[0] > 0), reverse=True)


def _millis(days: float) -> Millis:
    return Millis(round(days * DAY))
