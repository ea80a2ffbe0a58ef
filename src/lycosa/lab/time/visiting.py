"""Policies alone, without a crawl: thousands of pages over months of virtual time in seconds.

There is a turn for each request that the budget allows, at equal spans. A new page that was found is fetched first;
else the page that is due and most urgent is visited again, and if none is due, the one that will be next, so that all
policies make as many requests. Hosts, robots.txt and failures are left out: what remains is what a policy makes of what
looks can see.
"""

from __future__ import annotations

import heapq
from collections import deque
from math import inf

import numpy as np
from msgspec.structs import replace

from lycosa.crawl.looks import MOST_LOOKS
from lycosa.lab.time.world import PageLife, World
from lycosa.model.errors import InputError
from lycosa.model.records import Look, Millis, Record, Sight
from lycosa.revisit.history import DAY, History
from lycosa.revisit.policy import NEVER, Estimates, Pages, Policy

SOLVED_AT = (1.0, 2.0, 4.0)
"""Days on which requests are shared anew, first; then every `SOLVED_EVERY` days."""
SOLVED_EVERY = 7.0


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

    def __init__(self, world: World, policy: Policy, budget: float) -> None:
        """`budget`: requests a day, above 0."""
        if not budget > 0:
            raise InputError(f"a budget of {budget} requests a day: give more than 0")
        self._world, self._policy, self._budget = world, policy, budget
        self._histories: dict[int, History] = {}
        self._rows: dict[int, Estimates] = {}
        self._looks: list[list[float]] = [[] for _ in world.pages]
        self._found = [inf] * len(world.pages)
        self._finder: dict[int, tuple[int, float]] = {}
        """Of a page that was found: where, and at which look."""
        self._new = deque[int]()
        self._signals = _told(world)
        self._due: list[tuple[int, int]] = []  # time, place; outdated entries are passed over
        self._due_at: dict[int, int] = {}
        self._ready: list[tuple[float, int, int]] = []  # urgency, time, place

    def run(self) -> Visits:
        for place in self._world.collection:
            self._found[place] = 0.0
            self._look(place, 0.0)
        self._solve(0.0)  # also says when each of them is due
        solves = deque(_solving_days(self._world.days))
        turns = int(self._world.days * self._budget)
        for turn in range(1, turns + 1):
            now = turn / self._budget
            self._hear(now)
            while solves and solves[0] <= now:
                self._solve(solves.popleft())
            if (turned := self._next(now)) is not None:
                for looked in self._look(turned, now):
                    self._schedule(looked, _millis(now))
        return Visits(world=self._world, looks=tuple(map(tuple, self._looks)), found=tuple(self._found))

    def _next(self, now: float) -> int | None:
        """The page whose turn it is; None if no page will ever be due."""
        if self._new:
            return self._new.popleft()
        instant = _millis(now)
        while self._due and self._due[0][0] <= instant:
            self._wake(*heapq.heappop(self._due), instant)
        while self._ready:
            _, due, place = heapq.heappop(self._ready)
            if self._due_at.get(place) == due:
                return place
        while self._due:
            due, place = heapq.heappop(self._due)
            if self._due_at.get(place) == due:
                return place
        return None

    def _wake(self, due: int, place: int, now: Millis) -> None:
        if self._due_at.get(place) == due:
            urgency = self._policy.urgency(self._histories[place], now)
            heapq.heappush(self._ready, (-urgency, due, place))

    def _hear(self, now: float) -> None:
        """Signals of changes that came until now."""
        while self._signals and self._signals[-1][0] <= now:
            at, place = self._signals.pop()
            if history := self._histories.get(place):
                self._keep(replace(history, signals=(*history.signals, _millis(at))[-MOST_LOOKS:]), place)
                self._schedule(place, _millis(now))

    def _look(self, place: int, now: float) -> list[int]:
        """Visit a page: what is seen goes into its history, what it lists anew is to be fetched. The pages whose
        histories are other ones now."""
        page, looks = self._world.pages[place], self._looks[place]
        last = looks[-1] if looks else -inf
        look = seen(page, self._histories.get(place), last, now)
        looks.append(now)
        there = page.is_there(now)
        for found in page.new_listings(max(last, 0.0), now) if there else ():
            self._find(found, place, now)
        self._remember(place, look)
        by = None if last > -inf else self._credit(place, look.relevance)
        return [place] if by is None else [place, by]

    def _find(self, place: int, by: int, now: float) -> None:
        if self._found[place] == inf and self._world.pages[place].is_there(now):
            self._found[place] = now
            self._finder[place] = (by, now)
            self._new.append(place)

    def _credit(self, place: int, relevance: float) -> int | None:
        """Tell the page that led to a new one what it was worth; that page, None of the collection."""
        if place not in self._finder:
            return None
        by, when = self._finder[place]
        history, at = self._histories[by], _millis(when)
        pairs = zip(history.looks, history.finds, strict=True)
        finds = tuple(brought + relevance * (look.at == at) for look, brought in pairs)
        self._keep(replace(history, finds=finds), by)
        return by

    def _remember(self, place: int, look: Look) -> None:
        page, before = self._world.pages[place], self._histories.get(place)
        if before is None:
            history = History(url=page.url, looks=(look,), finds=(0.0,), gains=(page.clicks,))
            self._keep(replace(history, importance=page.importance, is_told=page.is_told), place)
            return
        looks, finds = (*before.looks, look)[-MOST_LOOKS:], (*before.finds, 0.0)[-MOST_LOOKS:]
        gains = (*before.gains, page.clicks * look.divergence)[-MOST_LOOKS:]
        self._keep(replace(before, looks=looks, finds=finds, gains=gains), place)

    def _keep(self, history: History, place: int) -> None:
        self._histories[place] = history
        self._rows[place] = self._policy.estimate(history)

    def _schedule(self, place: int, now: Millis) -> None:
        due = self._policy.due(self._histories[place], now)
        self._due_at[place] = due
        if due < NEVER:
            heapq.heappush(self._due, (due, place))

    def _solve(self, day: float) -> None:
        """Share the requests anew, and ask for all due times again."""
        self._policy.solve(Pages.of(list(self._rows.values())), self._budget)
        self._due, self._ready = [], []
        for place in self._histories:
            self._schedule(place, _millis(day))


def seen(page: PageLife, history: History | None, last: float, now: float) -> Look:
    """What a look at a page tells, at a day, after the one before; without a history it is the first."""
    at = _millis(now)
    if history is None:
        listed = len(page.new_listings(-inf, now))
        return Look(at=at, sight=Sight.FIRST, new_links=listed, relevance=page.seen_relevance)
    if not page.is_there(now):
        sight = Sight.GONE if page.is_there(last) else Sight.SAME
        return Look(at=at, sight=sight, relevance=history.last.relevance)
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
        modified=_millis(float(page.changes[end - 1])),
    )


def _told(world: World) -> list[tuple[float, int]]:
    """When which page's change is told, the latest first."""
    told = (
        (float(at), place) for place, page in enumerate(world.pages) if page.is_told for at in page.changes
    )
    return sorted((each for each in told if each[0] > 0), reverse=True)


def _solving_days(days: float) -> list[float]:
    return [day for day in (*SOLVED_AT, *np.arange(SOLVED_EVERY, days, SOLVED_EVERY).tolist()) if day < days]


def _millis(days: float) -> Millis:
    return Millis(round(days * DAY))
