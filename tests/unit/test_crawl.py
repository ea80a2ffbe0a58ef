"""The crawl as a state machine: known answers on webs of a few pages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest
from tests.worlds import (
    CosineTopic,
    Scripted,
    by_table,
    drive,
    failed,
    journal,
    lease,
    looks,
    made_page,
    make_crawl,
    u,
    visited,
)

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.pace import PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.strategy import View
from lycosa.crawl.traps import TrapLimits
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize, Stop
from lycosa.model.endings import Ending, EndKind
from lycosa.model.events import HandedOff, Idled, Operated, Started
from lycosa.model.records import Failure, Link, Millis, Page, Reason, UrlState
from lycosa.model.url import Url
from lycosa.strategies.best_first import BestFirst
from lycosa.strategies.order import BreadthFirst

T0 = Millis(0)
DIAMOND = {"a": "bc", "b": "d", "c": "d", "d": ""}


class Batched(BreadthFirst):
    """Breadth-first in batches of n: the next one begins when the last is in."""

    def __init__(self, n: int = 2) -> None:
        self.n = n

    def on_start(self, seeds: Any, crawl: View) -> Iterable[Command]:
        return [*super().on_start(seeds, crawl), Grant(n=self.n)]

    def on_idle(self, crawl: View) -> Iterable[Command]:
        return [Grant(n=self.n)]


# -- order and end -------------------------------------------------------------------------------------------


def test_fifo_order_then_dead_end() -> None:
    """KAT-1.1a."""
    crawl = make_crawl(BreadthFirst())
    crawl.start([u("a")], T0)
    drive(crawl, by_table(DIAMOND))
    assert visited(crawl) == [u("a"), u("b"), u("c"), u("d")]
    assert str(crawl.ended) == "exhausted"
    assert crawl.finished
    assert (crawl.pages, crawl.failures) == (4, 0)


def test_ten_thousand_pages_of_seven_links_leave_sixty_thousand_waiting() -> None:
    """KAT-1.1b, scaled to 1,000 pages: 7,000 links found, 1,000 taken, and the start page was there at first."""
    count = iter(range(10**6))
    crawl = make_crawl(BreadthFirst(), budget=1000)
    crawl.start([u("s")], T0)
    drive(crawl, lambda request: made_page(request, *(u(f"h{next(count)}") for _ in range(7))))
    assert crawl.pages == 1000
    assert len(crawl.frontier) == 1 + 7 * 1000 - 1000
    assert str(crawl.ended) == "budget"


def test_depth_is_the_distance_by_which_a_url_was_found_first() -> None:
    crawl = make_crawl(BreadthFirst())
    crawl.start([u("a")], T0)
    drive(crawl, by_table(DIAMOND))
    depths = {e.event.url: e.event.request.depth for e in journal(crawl) if isinstance(e.event, Page)}
    assert depths == {u("a"): 0, u("b"): 1, u("c"): 1, u("d"): 2}


def test_pages_and_visits_out_never_exceed_the_budget() -> None:
    crawl = make_crawl(BreadthFirst(), budget=3)
    crawl.start([u(name) for name in "abcdef"], T0)
    first, second, third = lease(crawl), lease(crawl), lease(crawl)
    assert crawl.lease(T0) is None
    assert crawl.wakes_at() is None
    crawl.commit(failed(first, Reason.STATUS, 404), T0)  # a failure does not count
    fourth = lease(crawl)
    assert crawl.lease(T0) is None
    for request in (second, third, fourth):
        assert not crawl.finished
        crawl.commit(made_page(request), T0)
    assert (crawl.pages, str(crawl.ended), crawl.finished) == (3, "budget", True)
    assert not any(isinstance(e.event, Idled) for e in journal(crawl))


def test_a_crawl_without_start_pages_is_exhausted_at_once() -> None:
    crawl = make_crawl(BreadthFirst())
    crawl.start([], T0)
    assert crawl.finished
    assert str(crawl.ended) == "exhausted"
    assert [type(e.event) for e in journal(crawl)] == [Started, Idled]


def test_what_comes_from_outside_revives_an_exhausted_crawl() -> None:
    """A crawl whose start pages come from sitemaps alone begins without any."""
    for feed in (
        lambda crawl: crawl.hear(Operated(commands=(Enqueue(url=u("a")),), by="sitemap"), T0),
        lambda crawl: crawl.hear(HandedOff(command=Enqueue(url=u("a")), peer="peer"), T0),
    ):
        crawl = make_crawl(BreadthFirst())
        crawl.start([], T0)
        feed(crawl)
        assert not crawl.finished
        again = make_crawl(BreadthFirst())
        again.replay(journal(crawl))
        assert looks(again) == looks(crawl)
        drive(crawl, by_table(DIAMOND))
        assert len(visited(crawl)) == 4


def test_a_strategy_stops_and_visits_that_are_out_come_home() -> None:
    crawl = make_crawl(Scripted(page=lambda page, view: [Stop(reason="found")]))
    crawl.start([u("a"), u("b"), u("c")], T0)
    first, second = lease(crawl), lease(crawl)
    crawl.commit(made_page(first), T0)
    assert crawl.lease(T0) is None
    assert (crawl.ended, crawl.finished) == (Ending(EndKind.STOPPED, "found"), False)
    crawl.commit(made_page(second), T0)
    assert crawl.finished
    assert crawl.pages == 2


@pytest.mark.parametrize("reason", ["", "rule: mine", "budget", "failed: no"])
def test_a_stop_is_a_stop_whatever_reason_is_given(reason: str) -> None:
    def stopping() -> Crawl:
        return make_crawl(Scripted(page=lambda page, view: [Stop(reason=reason), Enqueue(url=u("b"))]))

    crawl = stopping()
    crawl.start([u("a")], T0)
    drive(crawl, by_table(DIAMOND))
    assert crawl.ended == Ending(EndKind.STOPPED, reason)
    assert crawl.pages == 1
    again = stopping()
    again.replay(journal(crawl))
    again.extend(100, T0)
    assert again.ended == crawl.ended == Ending.parse(str(crawl.ended))


def test_an_operator_stops() -> None:
    crawl = make_crawl(BreadthFirst())
    crawl.start([u("a")], T0)
    crawl.hear(Operated(commands=(Stop(reason="enough"),), by="someone"), T0)
    assert (crawl.ended, crawl.finished) == (Ending(EndKind.STOPPED, "enough"), True)
    assert journal(crawl)[-1].event == Operated(commands=(Stop(reason="enough"),), by="someone")


def test_a_stopped_crawl_that_is_recovered_goes_on_and_so_does_its_replay() -> None:
    crawl = make_crawl(BreadthFirst())
    crawl.start([u("a"), u("b")], T0)
    lease(crawl)
    crawl.hear(Operated(commands=(Stop(reason="enough"),), by="someone"), T0)
    crawl.recover(T0)
    assert crawl.ended is None
    assert not crawl.frontier.leased
    again = make_crawl(BreadthFirst())
    again.replay(journal(crawl))
    assert looks(again) == looks(crawl)


def test_idle_is_asked_once_and_may_bring_new_work() -> None:
    more = iter([u("b"), u("c")])
    strategy = Scripted(idle=lambda view: [Enqueue(url=url) for url in [next(more, None)] if url])
    crawl = make_crawl(strategy)
    crawl.start([u("a")], T0)
    drive(crawl, by_table({"a": "", "b": "", "c": ""}))
    assert visited(crawl) == [u("a"), u("b"), u("c")]
    assert strategy.idled == 3
    assert str(crawl.ended) == "exhausted"


def test_a_grant_without_anything_pending_does_not_keep_a_crawl_alive() -> None:
    crawl = make_crawl(Batched())
    crawl.start([u("a")], T0)
    drive(crawl, by_table({"a": ""}))
    assert str(crawl.ended) == "exhausted"


# -- batches -------------------------------------------------------------------------------------------------


def test_the_next_batch_begins_only_when_the_last_is_in() -> None:
    crawl = make_crawl(Batched(2))
    crawl.start([u(name) for name in "abcd"], T0)
    a, b = lease(crawl), lease(crawl)
    assert crawl.lease(T0) is None
    crawl.commit(made_page(a, u("b"), u("c")), T0)
    assert crawl.lease(T0) is None, "b is still out"
    crawl.commit(made_page(b, u("a"), u("b")), T0)
    c, d = lease(crawl), lease(crawl)
    assert crawl.lease(T0) is None
    assert [r.url for r in (a, b, c, d)] == [u(name) for name in "abcd"]


def test_a_batch_that_waits_for_its_last_visit_asks_for_no_waking() -> None:
    """Hosts that rest do not matter while the grant is used up: a driver would wake again and again for nothing."""
    crawl = make_crawl(Batched(2), rules=PaceRules(delay=Millis(5)))
    crawl.start([u("a"), u("b"), u("c")], T0)
    first, second = lease(crawl), lease(crawl)
    crawl.commit(made_page(first), Millis(1))
    assert crawl.lease(Millis(10)) is None
    assert crawl.wakes_at() is None
    crawl.commit(made_page(second), Millis(20))
    assert lease(crawl, 20).url == u("c")


def test_no_batch_member_is_fetched_twice() -> None:
    """ALGORITHMS §0.3.3: the closed set is updated at the lease, so members found by members do not enter again."""
    crawl = make_crawl(Batched(3))
    crawl.start([u(name) for name in "abc"], T0)
    out = [lease(crawl) for _ in range(3)]
    for request in out:
        crawl.commit(made_page(request, u("a"), u("b"), u("c")), T0)
    assert len(crawl.frontier) == 0
    assert crawl.finished
    assert crawl.pages == 3


def test_a_retry_keeps_its_share_of_the_batch() -> None:
    crawl = make_crawl(Batched(2), rules=PaceRules(delay=Millis(0), slowness=0.0, backoff=Millis(0)))
    crawl.start([u(name) for name in "abcd"], T0)
    a, b = lease(crawl), lease(crawl)
    crawl.commit(failed(a, Reason.TIMEOUT), T0)
    crawl.commit(made_page(b), T0)
    again = lease(crawl)
    assert (again.url, again.attempt) == (u("a"), 2)
    assert crawl.lease(T0) is None


# -- failures ------------------------------------------------------------------------------------------------


def test_passing_trouble_is_tried_again_and_then_told_to_the_strategy() -> None:
    strategy = Scripted()
    crawl = make_crawl(strategy, rules=PaceRules(attempts=3, delay=Millis(0), backoff=Millis(1000)))
    crawl.start([u("a")], T0)
    now, attempts = 0, []
    while not crawl.finished:
        if request := crawl.lease(Millis(now)):
            attempts.append((request.attempt, now))
            assert strategy.failures == []
            crawl.commit(failed(request, Reason.TIMEOUT), Millis(now))
        else:
            now = crawl.wakes_at() or now
    assert [attempt for attempt, _ in attempts] == [1, 2, 3]
    first, second, third = [at for _, at in attempts]
    assert first == 0
    assert 750 <= second <= 1250
    assert 1500 <= third - second <= 2500
    assert [f.request.attempt for f in strategy.failures] == [3]
    assert crawl.failures == 1
    assert crawl.frontier.state(u("a")) is UrlState.FAILED


@pytest.mark.parametrize(
    ("reason", "status", "again"),
    [
        (Reason.STATUS, 404, False),
        (Reason.STATUS, 410, False),
        (Reason.STATUS, 503, True),
        (Reason.STATUS, 429, True),
        (Reason.ROBOTS, 0, False),
        (Reason.ROBOTS_UNREACHABLE, 0, True),
        (Reason.TIMEOUT, 0, True),
        (Reason.DNS, 0, False),  # it is a start page
        (Reason.NOT_TEXT, 200, False),
        (Reason.UNREADABLE, 0, False),
    ],
)
def test_only_trouble_that_may_pass_is_tried_again(reason: Reason, status: int, again: bool) -> None:
    strategy = Scripted()
    crawl = make_crawl(strategy)
    crawl.start([u("a")], T0)
    crawl.commit(failed(lease(crawl), reason, status), T0)
    assert crawl.frontier.state(u("a")) is (UrlState.PENDING if again else UrlState.FAILED)
    assert len(strategy.failures) == (0 if again else 1)


def test_the_rest_of_a_dead_host_is_not_tried() -> None:
    strategy = Scripted()
    rules = PaceRules(delay=Millis(0), backoff=Millis(0), attempts=1, give_up=3)
    crawl = make_crawl(strategy, rules=rules)
    crawl.start([Url(f"http://dead.test/{i}") for i in range(20)], T0)
    tried = 0
    while request := crawl.lease(T0):
        tried += 1
        crawl.commit(failed(request), T0)
    assert tried == 3
    assert crawl.finished
    assert crawl.failures == 20
    reasons = [f.reason for f in strategy.failures]
    assert reasons == [Reason.CONNECT] * 3 + [Reason.HOST_DOWN] * 17


def test_giving_up_a_host_leaves_others_alone() -> None:
    rules = PaceRules(delay=Millis(0), backoff=Millis(0), attempts=1, give_up=2)
    crawl = make_crawl(BreadthFirst(), rules=rules)
    crawl.start([Url(f"http://dead.test/{i}") for i in range(5)] + [u("a")], T0)
    pages = 0
    while request := crawl.lease(T0):
        dead = "dead" in request.url
        crawl.commit(failed(request) if dead else made_page(request), T0)
        pages += not dead
    assert pages == 1


# -- redirects -----------------------------------------------------------------------------------------------


def test_a_redirect_closes_all_urls_on_its_way() -> None:
    crawl = make_crawl(BreadthFirst())
    crawl.start([u("a"), u("c")], T0)
    crawl.commit(made_page(lease(crawl), final=u("c"), hops=(u("a"), u("b"))), T0)
    assert all(crawl.frontier.state(u(name)) is UrlState.VISITED for name in "abc")
    assert crawl.finished, "c waited, and is had already"
    assert crawl.pages == 1
    page = crawl.store.memory.page(u("c"))
    assert page is not None
    assert page.url == u("a")


def test_refuses_redirects_to_what_is_known_or_out_of_scope() -> None:
    crawl = make_crawl(BreadthFirst(), scope=Scope(hosts=("a.test", "b.test", "c.test")))
    crawl.start([u("a"), u("b"), u("c")], T0)
    a, b = lease(crawl), lease(crawl)
    assert crawl.refuses_redirect(a, u("b")) is Reason.ALREADY_KNOWN, "being visited"
    crawl.commit(made_page(b), T0)
    assert crawl.refuses_redirect(a, u("b")) is Reason.ALREADY_KNOWN, "visited"
    assert crawl.refuses_redirect(a, u("c")) is None, "it only waits"
    assert crawl.refuses_redirect(a, u("a")) is None, "itself"
    assert crawl.refuses_redirect(a, u("d")) is Reason.OUT_OF_SCOPE


@pytest.mark.parametrize("target_first", [True, False])
def test_two_visits_that_meet_on_one_page_bring_it_once(target_first: bool) -> None:
    """Both were allowed to follow their redirects: the target was only waiting when they were asked."""
    strategy = Scripted()
    crawl = make_crawl(strategy)
    crawl.start([u("a"), u("b")], T0)
    a, b = lease(crawl), lease(crawl)
    if target_first:
        crawl.commit(made_page(a, final=u("c"), hops=(u("a"),)), T0)
        late = crawl.commit(made_page(b, final=u("c"), hops=(u("b"),)), T0)
    else:  # b itself is where a was redirected to, and is out
        late = crawl.commit(made_page(a, final=u("b"), hops=(u("a"),)), T0)
        crawl.commit(made_page(b), T0)
    assert isinstance(late, Failure)
    assert late.reason is Reason.ALREADY_KNOWN
    assert (crawl.pages, crawl.failures) == (1, 1)
    assert [f.reason for f in strategy.failures] == [Reason.ALREADY_KNOWN]
    again = make_crawl(Scripted())
    again.replay(journal(crawl))
    assert {**looks(again), "strategy": 0} == {**looks(crawl), "strategy": 0}


def test_a_page_fetched_again_may_redirect_as_before() -> None:
    ask = [Enqueue(url=u("a"), refetch=True)]
    crawl = make_crawl(Scripted(page=lambda page, view: ask if view.step == 2 else []))
    crawl.start([u("a")], T0)
    crawl.commit(made_page(lease(crawl), final=u("b"), hops=(u("a"),)), T0)
    again = lease(crawl)
    assert again.url == u("a")
    assert crawl.refuses_redirect(again, u("b")) is None
    assert isinstance(crawl.commit(made_page(again, final=u("b"), hops=(u("a"),)), T0), Page)
    assert (crawl.pages, crawl.repeated) == (1, 1)


# -- what may enter ------------------------------------------------------------------------------------------


def test_scope_nofollow_and_traps_refuse_and_are_counted() -> None:
    crawl = make_crawl(BreadthFirst(), scope=Scope(hosts=("a.test",)), traps=TrapLimits(length=30))
    crawl.start([u("a")], T0)
    request = lease(crawl)
    page = made_page(request, u("a/in"), u("b"), u("a/" + "long" * 10))
    links = [*page.links, Link(source=u("a"), target=u("a/no"), nofollow=True)]
    crawl.commit(msgspec.structs.replace(page, links=tuple(links)), T0)
    assert crawl.admission.refused == 3
    assert [r.url for r in crawl.frontier.pending()] == [u("a/in")]
    assert crawl.frontier.state(u("b")) is UrlState.UNSEEN


def test_a_url_linked_several_times_on_a_page_enters_and_counts_once() -> None:
    crawl = make_crawl(BreadthFirst(), traps=TrapLimits(pages_per_host=3))
    crawl.start([u("s")], T0)
    crawl.commit(made_page(lease(crawl), u("a/1"), u("a/1"), u("a/1"), u("a/2"), u("a/3"), u("a/4")), T0)
    assert [r.url for r in crawl.frontier.pending()] == [u("a/1"), u("a/2"), u("a/3")]
    assert crawl.admission.refused == 1


def test_scores_of_links_to_a_host_that_repeats_itself_are_damped() -> None:
    crawl = make_crawl(BestFirst(), traps=TrapLimits(sample=3), topic=CosineTopic("reef"))
    crawl.start([u(f"a/{i}") for i in range(4)], T0)
    for _ in range(4):
        page = made_page(lease(crawl), u("a/next"), u("b"), text="reef")
        crawl.commit(msgspec.structs.replace(page, fingerprint=77), T0)
    scores = {request.url: request.score for request in crawl.frontier.pending()}
    assert scores == {u("a/next"): 1.0, u("b"): 1.0}, (
        "a.test was not known to repeat itself when they were found"
    )
    crawl.hear(Operated(commands=(Enqueue(url=u("a/later"), score=1.0),), by="someone"), T0)
    assert crawl.frontier.keys()[u("a/later")][1] == pytest.approx(-0.1)


class Reconsidering(BestFirst):
    """Places what waits anew at each page: with a lower score, or (every second time) only in another tier."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        yield from super().on_page(page, crawl)
        for request in (each for each in crawl.pending() if each.url.endswith("/next")):
            if crawl.step % 2:
                yield Reprioritize(url=request.url, score=request.score, tier=request.tier + 1)
            else:
                yield Reprioritize(url=request.url, score=1 / crawl.step, tier=request.tier)


def test_placing_anew_does_not_undo_the_damping_nor_damp_again() -> None:
    crawl = make_crawl(Reconsidering(), traps=TrapLimits(sample=6), topic=CosineTopic("reef"))
    crawl.start([u(f"a/{i}") for i in range(12)], T0)
    scores = []
    for _ in range(10):
        page = made_page(lease(crawl), u("a/next"), u("b/next"), text="reef")
        crawl.commit(msgspec.structs.replace(page, fingerprint=77), T0)
        scores.append([crawl.frontier.keys()[u(name)][1] for name in ("a/next", "b/next")])
    assert all(a == b for a, b in scores[:4]), "a.test was not known to repeat itself yet"
    assert [a for a, _ in scores[-4:]] == pytest.approx([0.1 * b for _, b in scores[-4:]])
    assert scores[-1][1] != scores[-3][1]
    again = make_crawl(Reconsidering(), traps=TrapLimits(sample=6), topic=CosineTopic("reef"))
    again.replay(crawl.store.entries())
    assert again.frontier.keys() == crawl.frontier.keys()


def test_what_is_fetched_again_is_damped_too() -> None:
    crawl = make_crawl(BestFirst(), traps=TrapLimits(sample=3))
    crawl.start([u(f"a/{i}") for i in range(4)], T0)
    for _ in range(4):
        crawl.commit(msgspec.structs.replace(made_page(lease(crawl)), fingerprint=77), T0)
    crawl.hear(Operated(commands=(Enqueue(url=u("a/0"), score=1.0, refetch=True),), by="someone"), T0)
    assert crawl.frontier.keys()[u("a/0")][1] == pytest.approx(-0.1)


def test_scope_depth_is_one_more_than_that_of_the_page_with_the_link() -> None:
    crawl = make_crawl(BreadthFirst(), scope=Scope(max_depth=1))
    crawl.start([u("a")], T0)
    drive(crawl, by_table({"a": "b", "b": "c", "c": ""}))
    assert visited(crawl) == [u("a"), u("b")]
    assert crawl.admission.refused == 1


def test_refetch_brings_a_page_again_and_only_then() -> None:
    def answer(page: Page, view: View) -> Iterable[Command]:
        if view.step == 2:
            return [Enqueue(url=u("a"))]
        if view.step == 3:
            return [Enqueue(url=u("a"), refetch=True)]
        return []

    crawl = make_crawl(Scripted(page=answer))
    crawl.start([u("a")], T0)
    drive(crawl, by_table({"a": "b", "b": ""}))
    assert visited(crawl) == [u("a"), u("b"), u("a")]


def test_a_failed_url_can_be_asked_for_again() -> None:
    asked = iter([[Enqueue(url=u("a"), refetch=True)]])
    strategy = Scripted(failure=lambda failure, view: next(asked, []))
    crawl = make_crawl(strategy)
    crawl.start([u("a")], T0)
    crawl.commit(failed(lease(crawl), Reason.STATUS, 404), T0)
    crawl.commit(made_page(lease(crawl)), T0)
    assert crawl.finished
    assert (crawl.pages, crawl.failures) == (1, 1)


def test_reprioritize_and_forget_reach_the_frontier() -> None:
    def answer(page: Page, view: View) -> Iterable[Command]:
        if page.url != u("a"):
            return []
        return [Reprioritize(url=u("d"), score=5.0), Forget(url=u("c"))]

    crawl = make_crawl(Scripted(page=answer))
    crawl.start([u("a")], T0)
    drive(crawl, by_table({"a": "bcd", "b": "", "c": "", "d": ""}))
    assert visited(crawl) == [u("a"), u("d"), u("b")]


def test_trimmed_urls_are_counted_and_unseen_again() -> None:
    crawl = make_crawl(BreadthFirst(), frontier=MemoryFrontier(capacity=2))
    crawl.start([u("a")], T0)
    crawl.commit(made_page(lease(crawl), *(u(n) for n in "bcde")), T0)
    assert crawl.trimmed == 2
    assert [r.url for r in crawl.frontier.pending()] == [u("b"), u("c")]
    assert crawl.frontier.state(u("e")) is UrlState.UNSEEN


def test_a_hand_off_enters_at_depth_zero_or_by_its_link_and_passes_the_gate() -> None:
    crawl = make_crawl(BreadthFirst(), scope=Scope(hosts=("a.test", "b.test")))
    crawl.start([u("a")], T0)
    crawl.hear(HandedOff(command=Enqueue(url=u("b"), score=0.5), peer="node-2"), T0)
    crawl.hear(HandedOff(command=Enqueue(url=u("c")), peer="node-2"), T0)
    assert crawl.frontier.state(u("b")) is UrlState.PENDING
    assert crawl.frontier.state(u("c")) is UrlState.UNSEEN
    crawl.hear(
        HandedOff(command=Enqueue(url=u("b"), score=0.5), peer="node-2"), T0
    )  # at least once: the same again changes nothing
    assert len(crawl.frontier) == 2
    assert crawl.admission.refused == 1
