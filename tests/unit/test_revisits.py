"""A crawl that visits its pages again: what is asked, what is learned of it, and when it ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from tests.worlds import CosineTopic, Scripted, failed, journal, lease, made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.looks import look_of
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.strategy import View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.events import Idled, Planned, Searched, Told
from lycosa.model.records import (
    Arrival,
    Change,
    Gone,
    LastCapture,
    Look,
    Millis,
    Page,
    Reason,
    Request,
    Sight,
    Unchanged,
    UrlState,
    Worth,
)
from lycosa.revisit.history import DAY
from lycosa.revisit.once import Once
from lycosa.revisit.registry import policy
from lycosa.revisit.schedule import Schedule, ScheduleRules
from lycosa.revisit.user_centric import expected

A, B, C = u("a"), u("b"), u("c")


class Follower(Scripted):
    """Follows all links, and notes what it was told of pages that are another one now."""

    def __init__(self) -> None:
        super().__init__()
        self.pages: list[str] = []
        self.again: list[tuple[Page, Page]] = []

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        self.pages.append(page.url)
        return [Enqueue(url=url) for url in page.out]

    def on_again(self, page: Page, before: Page, crawl: View) -> Iterable[Command]:
        self.again.append((before, page))
        return super().on_again(page, before, crawl)


def scheduled(**rules: Any) -> Schedule:
    rules = {"policy": "uniform", "every": 1.0, **rules}
    return Schedule(policy("uniform"), ScheduleRules(**rules))


def refreshed(strategy: Follower | None = None, **settings: Any) -> Crawl:
    """A crawl of one page without links, at time 0, that is visited again once a day."""
    settings.setdefault("schedule", scheduled())
    crawl = make_crawl(strategy or Follower(), **settings)
    crawl.start([A], Millis(0))
    crawl.plan(Millis(0))
    crawl.commit(made_page(lease(crawl), text="old"), Millis(0))
    return crawl


def revisit(crawl: Crawl, now: int) -> Request:
    """The revisit that is due, which there is."""
    request = crawl.lease(Millis(now))
    assert request is not None
    assert request.due is not None
    return request


def due(crawl: Crawl, url: Any = A) -> int:
    found = crawl.frontier.due(url)
    assert found is not None
    return found


def unchanged(request: Request, now: int, **facts: Any) -> Unchanged:
    return Unchanged(request=request, at=Millis(now), final_url=request.url, **facts)


def test_a_page_is_due_again_by_its_policy_and_not_sooner() -> None:
    crawl = refreshed()
    when = due(crawl)
    assert 0 < when <= DAY, "somewhere within the first interval"
    assert crawl.frontier.state(A) is UrlState.VISITED, "while it waits it is what it was"
    assert crawl.lease(Millis(when - 1)) is None
    assert crawl.wakes_at() == when
    assert revisit(crawl, when).due == when
    crawl.commit(unchanged(crawl.frontier.leased[A], when), Millis(when))
    assert due(crawl) == when + DAY


def test_a_revisit_shows_the_last_capture() -> None:
    crawl = refreshed()
    request = revisit(crawl, due(crawl))
    page = crawl.store.memory.page(A)
    assert page is not None
    assert request.before == LastCapture(url=A, at=page.fetched_at, digest=page.digest, record=None)
    crawl.commit(unchanged(request, DAY, etag='"2"'), Millis(DAY))
    later = revisit(crawl, due(crawl)).before
    assert later is not None
    assert (later.etag, later.digest) == ('"2"', page.digest), "a 304 may bring a newer validator"


def test_what_is_as_it_was_tells_the_strategy_nothing_and_comes_due_again() -> None:
    strategy = Follower()
    crawl = refreshed(strategy)
    when = due(crawl)
    crawl.commit(unchanged(revisit(crawl, when), when), Millis(when))
    assert (strategy.pages, strategy.again) == ([A], [])
    assert (crawl.pages, crawl.repeated, crawl.failures) == (1, 1, 0)
    assert due(crawl) == when + DAY
    assert [look.sight for look in crawl.store.memory.visits(A)] == [Sight.FIRST, Sight.SAME]


def test_a_page_that_is_another_one_is_told_and_its_new_links_are_followed() -> None:
    strategy = Follower()
    crawl = refreshed(strategy)
    when = due(crawl)
    crawl.commit(made_page(revisit(crawl, when), B, text="new"), Millis(when))
    ((before, after),) = strategy.again
    assert (before.text, after.text) == ("old", "new")
    assert after.change == Change(worth=Worth.CONTENT, importance=1.0, divergence=1.0, new_links=1)
    assert strategy.pages == [A], "first visits alone are told by on_page"
    assert lease(crawl, when + 2_000).url == B
    assert crawl.pages == 1


def test_another_template_is_no_change_to_a_strategy() -> None:
    strategy = Follower()
    crawl = refreshed(strategy)
    when = due(crawl)
    dressed = made_page(revisit(crawl, when), text="other", change=Change(worth=Worth.DRESSING))
    crawl.commit(dressed, Millis(when))
    assert strategy.again == []
    assert [look.sight for look in crawl.store.memory.visits(A)] == [Sight.FIRST, Sight.DRESSING]


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_vanishes_is_gone_and_may_come_back(status: int) -> None:
    strategy = Follower()
    crawl = refreshed(strategy)
    when = due(crawl)
    recorded = crawl.commit(failed(revisit(crawl, when), Reason.STATUS, status), Millis(when))
    assert isinstance(recorded, Gone)
    assert crawl.failures == 0, "it was there"
    assert crawl.frontier.state(A) is UrlState.VISITED
    later = due(crawl)
    assert later > when
    crawl.commit(unchanged(revisit(crawl, later), later), Millis(later))
    sights = [look.sight for look in crawl.store.memory.visits(A)]
    assert sights == [Sight.FIRST, Sight.GONE, Sight.BACK]


def test_a_revisit_that_fails_tells_nothing_of_the_page() -> None:
    crawl = refreshed()
    when = due(crawl)
    for attempt in range(1, 10):
        request = crawl.lease(Millis(when + attempt * DAY // 100))
        if request is None:
            break
        crawl.commit(failed(request, Reason.TIMEOUT), Millis(when))
    assert crawl.frontier.state(A) is UrlState.VISITED
    assert (crawl.pages, crawl.failures) == (1, 0)
    assert len(crawl.store.memory.visits(A)) == 1, "no look"
    assert due(crawl) > when


def test_only_the_first_visit_teaches() -> None:
    seen: list[tuple[str, bool]] = []

    class Noting:
        reached = ""

        def seen(self, visit: Arrival, *, again: bool = False) -> None:
            seen.append((visit.url, again))

        def went_on(self) -> None: ...
        def save(self) -> dict[str, Any]:
            return {}

    crawl = refreshed(stopping=Noting())
    pages_of_host = dict(crawl.gate.traps.save())
    when = due(crawl)
    crawl.commit(made_page(revisit(crawl, when), text="new"), Millis(when))
    assert seen == [(A, False), (A, True)]
    assert crawl.gate.traps.save() == pages_of_host


def test_with_a_schedule_a_crawl_outlives_its_budget_of_pages_and_ends_by_that_of_requests() -> None:
    crawl = refreshed(budget=1, requests=3)
    assert crawl.ended is None
    for _ in range(2):
        when = due(crawl)
        crawl.commit(unchanged(revisit(crawl, when), when), Millis(when))
    assert str(crawl.ended) == "budget (requests)" or crawl.finished
    assert crawl.requests.made == 3


def test_without_a_schedule_revisits_end_with_the_budget() -> None:
    class Restless(Follower):
        def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
            return [Enqueue(url=page.url, refetch=True, not_before=Millis(crawl.now + 10))]

        on_again = None  # type: ignore[assignment]

    crawl = make_crawl(Restless(), budget=1)
    crawl.start([A], Millis(0))
    crawl.commit(made_page(lease(crawl)), Millis(0))
    assert crawl.finished


def test_the_strategy_is_asked_once_when_no_new_page_is_left_while_revisits_wait() -> None:
    crawl = refreshed()
    for _ in range(3):
        when = due(crawl)
        crawl.commit(unchanged(revisit(crawl, when), when), Millis(when))
    assert sum(isinstance(entry.event, Idled) for entry in journal(crawl)) == 1
    assert crawl.ended is None


def test_what_a_crawl_had_is_planned_once_spread_over_the_interval() -> None:
    urls = [u(f"p{n}") for n in range(40)]
    store = MemoryStore()
    first = make_crawl(Follower(), store=store, budget=100)
    first.start(urls, Millis(0))
    while not first.finished:
        wakes = first.wakes_at() or 0
        request = first.lease(Millis(wakes))
        if request is not None:
            first.commit(made_page(request), Millis(wakes))
    first.schedule = scheduled(every=2.0)
    now = 5 * DAY
    first.plan(Millis(now))
    planned = [entry for entry in journal(first) if isinstance(entry.event, Planned)]
    assert len(planned) == 1
    times = sorted(due(first, url) for url in urls)
    assert now <= times[0]
    assert now + 1.5 * DAY < times[-1] <= now + 2 * DAY, "those that are overdue do not come all at once"
    first.plan(Millis(now + 1))
    assert sum(isinstance(entry.event, Planned) for entry in journal(first)) == 1


def test_once_visits_each_page_once_again_and_ends() -> None:
    crawl = make_crawl(Follower(), budget=5)
    crawl.start([A, B], Millis(0))
    for now in (0, 10_000):
        crawl.commit(made_page(lease(crawl, now)), Millis(now))
    assert crawl.finished
    crawl.schedule = Once(Millis(20_000))
    crawl.plan(Millis(20_000))
    assert not crawl.finished
    seen = []
    while not crawl.finished:
        now = crawl.wakes_at() or 20_000
        request = crawl.lease(Millis(now))
        if request is not None:
            seen.append(request.url)
            crawl.commit(unchanged(request, now), Millis(now))
    assert sorted(seen) == [A, B]


def test_a_page_that_is_said_to_have_changed_is_due_at_once() -> None:
    crawl = refreshed()
    crawl.hear(Told(changed=((A, Millis(5_000)), (C, Millis(5_000))), by="a test"), Millis(6_000))
    assert due(crawl) <= 7_000
    assert crawl.frontier.state(C) is UrlState.PENDING, "what nobody knew is a new page"
    crawl.hear(Told(changed=((A, Millis(0)),), by="a test"), Millis(6_500))
    assert due(crawl) <= 7_000, "what was seen since is no news"


def test_a_replay_gives_the_same_times_though_the_schedule_is_another_one_now() -> None:
    crawl = refreshed()
    for _ in range(3):
        when = due(crawl)
        crawl.commit(made_page(revisit(crawl, when), text=f"at {when}"), Millis(when))
    for schedule in (scheduled(), scheduled(every=30.0), None):
        again = make_crawl(Follower(), schedule=schedule)
        again.replay(journal(crawl))
        assert due(again) == due(crawl)
        assert (again.pages, again.repeated) == (crawl.pages, crawl.repeated)


def test_a_snapshot_brings_the_schedule_back() -> None:
    crawl = refreshed()
    when = due(crawl)
    crawl.commit(unchanged(revisit(crawl, when), when), Millis(when))
    told = msgspec.msgpack.decode(msgspec.msgpack.encode(crawl.snapshot().crawl["schedule"]))
    other = scheduled()
    other.load(told)
    assert other.planned == other.settings
    assert len(other) == 1
    assert other.save() == crawl.schedule.save()  # type: ignore[union-attr]


def test_what_pages_are_to_people_moves_their_visits() -> None:
    """One page in the answers, one in none: the first has all visits."""
    by_queries = Schedule(
        policy("user-centric:explore=0"), ScheduleRules(policy="user-centric", every=1.0, by_queries=True)
    )
    crawl = refreshed(schedule=by_queries)
    least = due(crawl)
    assert least > 50 * DAY, "nobody was told of as an answer to anything"
    crawl.hear(Searched(standings=((A, 0.5), (B, 0.5))), Millis(1_000))
    assert due(crawl) < 2 * DAY
    assert by_queries.standings() == {A: 0.5}, "B is no page of the crawl"
    assert by_queries.explain(A, crawl.store.memory.visits(A))["part of people's answers"] == 0.5
    crawl.hear(Searched(standings=((A, 0.0),)), Millis(3_000))
    assert by_queries.standings() == {}


def test_a_gain_that_nobody_knows_is_left_out() -> None:
    crawl = refreshed(schedule=scheduled(policy="user-centric", by_queries=True))
    when = due(crawl)
    for now, text in ((when, "new"), (when + 10 * DAY, "newer")):
        crawl.commit(made_page(lease(crawl, now), text=text), Millis(now))
    looks = crawl.store.memory.visits(A)
    assert isinstance(crawl.schedule, Schedule)
    crawl.hear(Searched(gains=((A, looks[-1].at, 0.4),), standings=((A, 0.2),)), Millis(when + 11 * DAY))
    history = crawl.schedule._history(A, looks)
    assert (history.gains, history.standing) == ((None, None, 0.4), 0.2)
    assert expected(history) == pytest.approx((0.2 + 0.4) / 2)


def test_finds_are_remembered_as_long_as_the_looks_that_brought_them() -> None:
    schedule, links = scheduled(), [u(f"new{n}") for n in range(200)]
    looks: list[Look] = []
    for n, url in enumerate(links):
        request = Request(url=A, order=1)
        page = made_page(request, url, change=Change(worth=Worth.CONTENT) if looks else None)
        looks = [*looks, look_of(page, looks, Millis(n * DAY))][-64:]
        schedule.found(page, looks, [url])
        found = made_page(Request(url=url, order=2), relevance=0.5)
        source = schedule.found(found, [look_of(found, [], Millis(n * DAY + 1))], [])
        assert source == (A if n else None)
        if source is not None:
            schedule.again(source, looks, Millis(n * DAY + 1))
    assert len(schedule.save()["finds"][A]) == 64


def test_a_page_whose_new_link_led_to_a_page_is_decided_on_again() -> None:
    """It is known when the link is visited, not when it is found."""
    by_finds = Schedule(policy("topical"), ScheduleRules(policy="topical", every=10.0))
    crawl = refreshed(schedule=by_finds, topic=CosineTopic("reef"))
    for _ in range(3):
        when = due(crawl)
        crawl.commit(unchanged(revisit(crawl, when), when), Millis(when))
    when = due(crawl)
    crawl.commit(made_page(revisit(crawl, when), B, text="new"), Millis(when))
    planned = due(crawl)
    crawl.commit(made_page(lease(crawl, when + 2_000), text="coral reef"), Millis(when + 2_000))
    page = crawl.store.memory.page(B)
    assert page is not None
    assert page.relevance > 0
    assert due(crawl) != planned, "decided on again"
    told = by_finds.save()["finds"]
    assert told == {A: [[when, page.relevance]]}
