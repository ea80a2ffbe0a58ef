"""Each promise of what decides about revisits, held against random histories."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.test_crawl_properties import RULES, URLS, Erratic, answer, crawled
from tests.worlds import failed, journal, looks, made_page, make_crawl

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.looks import look_of
from lycosa.crawl.split import BURST, MOST_OWED, Split, SplitRules
from lycosa.frontier.protocol import Lane
from lycosa.model.commands import Enqueue
from lycosa.model.events import Searched
from lycosa.model.records import (
    Arrival,
    Change,
    Failure,
    Gone,
    Look,
    Millis,
    Page,
    Reason,
    Request,
    Sight,
    Unchanged,
    Worth,
)
from lycosa.model.url import Url
from lycosa.revisit.history import DAY, History
from lycosa.revisit.once import Once
from lycosa.revisit.policy import NEVER, Policy
from lycosa.revisit.registry import policy, policy_names
from lycosa.revisit.schedule import LATEST, ROUNDS, SOONEST, Schedule, ScheduleRules

TRIALS = range(60)
SHARES = st.floats(0, 1)

# -- shares ------------------------------------------------------------------------------------------------------


@given(SHARES, st.integers(1, 400))
def test_the_share_is_kept(share: float, leases: int) -> None:
    split = Split(SplitRules(share=share))
    for _ in range(leases):
        split.lease(split.order()[0], Millis(0))
    assert abs(split.counts["new"] - share * leases) <= MOST_OWED


@given(SHARES, st.lists(st.sampled_from(["new", "again"]), max_size=200))
def test_nothing_is_wasted(share: float, there: list[Lane]) -> None:
    """Whatever lane alone has something to ask for, it is named, and may go."""
    split = Split(SplitRules(share=share))
    for lane in there:
        assert lane in split.order()
        split.lease(lane, Millis(0))


@given(st.floats(0.5, 1e7), st.lists(st.integers(0, DAY // 10), min_size=2, max_size=80))
def test_the_rate_is_kept(rate: float, pauses: list[int]) -> None:
    split, now, made = Split(SplitRules(rate=rate)), 0, list[int]()
    for pause in pauses:
        now = max(now + pause, split.opens_at())
        split.lease("again", Millis(now))
        made.append(now)
    for first in range(len(made)):
        for last in range(first, len(made)):
            span = made[last] - made[first] + BURST
            assert last - first + 1 <= rate * span / DAY + 2


# -- the schedule ------------------------------------------------------------------------------------------------


class Never(Policy):
    """Visits nothing again."""

    def due(self, history: History, now: Millis) -> Millis:
        return NEVER


class Seen:
    """A random history of pages, told to a schedule visit by visit."""

    def __init__(self, seed: int, schedule: Schedule) -> None:
        self.rng, self.schedule, self.now = random.Random(seed), schedule, 0
        self.looks: dict[Url, list[Look]] = {}
        self.answers: list[Enqueue] = []

    def step(self) -> Sequence[Enqueue]:
        self.now += self.rng.randrange(1, DAY)
        url, now = self.rng.choice(URLS[:8]), Millis(self.now)
        earlier = self.looks.setdefault(url, [])
        arrival = self._arrival(Request(url=url, order=1), now, again=bool(earlier))
        if isinstance(arrival, Failure):
            found = self.schedule.missed(arrival, earlier, now)
        else:
            earlier.append(look_of(arrival, earlier, now))
            found = self.schedule.seen(arrival, tuple(earlier), now, new_wait=self.rng.random() < 0.5)
        self.answers += found
        return found

    def _arrival(self, request: Request, now: Millis, *, again: bool) -> Arrival:
        kind = self.rng.randrange(5) if again else 0
        match kind:
            case 0 | 1:
                change = Change(worth=self.rng.choice([*Worth]), new_links=1) if again else None
                targets = self.rng.sample(URLS, 3)
                return made_page(
                    request, *targets, change=change, relevance=self.rng.random(), fetched_at=now
                )
            case 2:
                return Unchanged(request=request, at=now, final_url=request.url)
            case 3:
                return Gone(request=request, at=now, status=404)
            case _:
                return Failure(request=request, reason=Reason.TIMEOUT, at=now)


def schedules() -> list[Schedule]:
    named = [Schedule(policy(name), ScheduleRules(policy=name, every=3.0)) for name in policy_names()]
    by_rate = Schedule(policy("uniform"), ScheduleRules(policy="uniform", rate=10.0, share=0.5))
    return [*named, by_rate, Schedule(Never(), ScheduleRules(policy="never"))]


def test_one_revisit_a_page_waits() -> None:
    for trial, schedule in enumerate(schedules()):
        seen = Seen(trial, schedule)
        for _ in range(60):
            (command,) = seen.step()
            assert command.refetch
            assert command.not_before is not None


def test_not_at_once() -> None:
    for trial, schedule in enumerate(schedules()):
        seen = Seen(trial, schedule)
        for _ in range(60):
            for command in seen.step():
                assert command.not_before is not None
                assert command.not_before >= seen.looks[command.url][-1].at + SOONEST


def test_looked_at_now_and_then() -> None:
    for trial, schedule in enumerate(schedules()):
        seen = Seen(trial, schedule)
        for _ in range(60):
            for command in seen.step():
                assert command.not_before is not None
                rounds = ROUNDS * max(schedule.rules.every, 8 / (schedule.rules.rate or 1e9) / 0.5)
                assert command.not_before <= seen.now + max(LATEST, 2 * rounds) * DAY


def test_the_same_again_after_a_snapshot() -> None:
    for trial, schedule in enumerate(schedules()[:-1]):
        run, other = Seen(trial, schedule), Seen(trial, schedules()[trial])
        for step in range(60):
            if step in (7, 31):
                state = msgspec.msgpack.decode(msgspec.msgpack.encode(dict(run.schedule.save())))
                run.schedule = schedules()[trial]
                run.schedule.begin([], new_wait=False, now=Millis(0))
                run.schedule.load({**state, "planned": run.schedule.settings})
            one, two = run.step(), other.step()
            assert [c.url for c in one] == [c.url for c in two]
            for first, second in zip(one, two, strict=True):
                assert first.not_before is not None
                assert second.not_before is not None
                # Estimates are kept with the precision of 32 bits.
                assert abs(first.not_before - second.not_before) <= 1e-3 * abs(second.not_before) + 1_000


# -- whole crawls ------------------------------------------------------------------------------------------------


def rechecked(trial: int, schedule: Schedule, steps: int = 160) -> Crawl:
    """A crawl with up to four visits side by side, most of which are made again and again."""
    rng = random.Random(f"again {trial}")
    strategy = Erratic(refetches=trial % 2 == 0)
    crawl = make_crawl(
        strategy, rules=RULES, seed=trial, budget=rng.randrange(1, 60), schedule=schedule, split=Split()
    )
    now, out = 0, list[Arrival]()
    crawl.start(rng.sample(URLS, 3), Millis(now))
    crawl.plan(Millis(now))
    while not crawl.finished and crawl.step < steps:
        while len(out) < 4 and (request := crawl.lease(Millis(now))):
            out.append(_again(request, rng, crawl, now))
        wakes = crawl.wakes_at() if len(out) < 4 else None
        if out and (wakes is None or rng.random() < 0.6):
            crawl.commit(out.pop(rng.randrange(len(out))), Millis(now))
            if rng.random() < 0.1:
                crawl.hear(_noticed(crawl, rng), Millis(now))
        else:
            assert wakes is not None, "nothing is out, nothing rests, and yet the crawl is not finished"
            assert wakes > now, "a driver would spin"
            now = wakes
    return crawl


def _again(request: Request, rng: random.Random, crawl: Crawl, now: int) -> Arrival:
    if request.before is not None and rng.random() < 0.4:
        return Unchanged(request=request, at=Millis(now), final_url=request.url)
    return answer(request, rng, crawl)


def _noticed(crawl: Crawl, rng: random.Random) -> Searched:
    """What people might notice of some pages, and of one that there is not."""
    some = rng.sample(URLS, 3)
    looks = {url: crawl.store.memory.visits(url) for url in some}
    gains = tuple((url, seen[-1].at, rng.random()) for url, seen in looks.items() if seen)
    return Searched(gains=gains, standings=tuple((url, rng.choice([0.0, rng.random()])) for url in some))


def by_day(name: str = "uniform") -> Schedule:
    by_queries = name == "user-centric"
    return Schedule(policy(name), ScheduleRules(policy=name, every=0.001, by_queries=by_queries))


@lru_cache(maxsize=len(TRIALS))
def rechecked_by_day(trial: int) -> Crawl:
    """One for all who only look at it."""
    return rechecked(trial, by_day())


@pytest.mark.parametrize("name", ["user-centric", "uniform"])
def test_replay_equals_run_with_revisits(name: str) -> None:
    for trial in TRIALS:
        crawl = rechecked_by_day(trial) if name == "uniform" else rechecked(trial, by_day(name))
        again = make_crawl(
            Erratic(refetches=trial % 2 == 0),
            rules=RULES,
            seed=trial,
            budget=crawl.budget,
            schedule=by_day(name),
        )
        again.replay(journal(crawl))
        assert looks(again) == looks(crawl)
        assert {url: again.frontier.due(url) for url in URLS} == {
            url: crawl.frontier.due(url) for url in URLS
        }
        assert crawl.schedule is not None
        assert again.schedule is not None
        assert again.schedule.save() == crawl.schedule.save()


def test_first_visits_teach() -> None:
    for trial in TRIALS:
        crawl = rechecked_by_day(trial)
        told: dict[Url, int] = {}
        for entry in journal(crawl):
            if isinstance(entry.event, Page):
                told[entry.event.url] = told.get(entry.event.url, 0) + 1
                assert (entry.event.change is None) is (told[entry.event.url] == 1)
        assert crawl.pages == len(told)


def test_each_page_once() -> None:
    for trial in TRIALS:
        crawl = crawled(trial, Erratic(refetches=False))
        had = {entry.event.url for entry in journal(crawl) if isinstance(entry.event, Page)}
        crawl.schedule, now = Once(Millis(10**6)), 10**6
        crawl.budget += 5
        crawl.plan(Millis(now))
        while not crawl.finished:
            if (request := crawl.lease(Millis(now))) is None:
                now = crawl.wakes_at() or now + 1
            elif request.due is None:
                crawl.commit(failed(request, Reason.STATUS, 404), Millis(now))
            else:
                crawl.commit(Unchanged(request=request, at=Millis(now), final_url=request.url), Millis(now))
        for url in had:
            assert [look.sight for look in crawl.store.memory.visits(url)] == [Sight.FIRST, Sight.SAME]
