"""In turn, or paid for: the known answers of ALGORITHMS 7.10, worked by hand, and whom waiting must not hurt."""

from __future__ import annotations

import pytest
from tests.worlds import Scripted, lease, made_page, make_crawl, u

from lycosa.crawl.order import ENOUGH, MOST, Order, OrderRules
from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.protocol import Rest
from lycosa.model.commands import Enqueue, Grant
from lycosa.model.events import Asked, Recovered, Started, Wish
from lycosa.model.records import HeldBack, Link, Millis, Page, Request, UrlState
from lycosa.model.url import host_of
from lycosa.strategies.infospiders.population import Population

SECOND = 1_000


def found_link(name: str, score: float) -> Enqueue:
    """A link that stands on some page: a start page is always in turn."""
    return Enqueue(url=u(name), score=score, via=Link(source=u("seed"), target=u(name)))


def frontier_of(closed: list[int], opened: list[int]) -> MemoryFrontier:
    """Links with these keys, those of the host a closed, since it was visited just now."""
    frontier = MemoryFrontier()
    frontier.apply([Enqueue(url=u("a/first"), score=1.0)])
    first = frontier.lease(Millis(0))
    assert isinstance(first, Request)
    frontier.settle(first, UrlState.VISITED, Rest(host_until=Millis(SECOND)))
    frontier.apply(found_link(f"a/{key}", -float(key)) for key in closed)
    frontier.apply(found_link(f"b/{key}", -float(key)) for key in opened)
    return frontier


def page(rank: int, relevance: float, elapsed: int = 0) -> Page:
    link = Link(source=u("seed"), target=u("a"))
    return made_page(
        Request(url=u("a"), order=1, via=link, rank=rank), relevance=relevance, elapsed=Millis(elapsed)
    )


# -- known answers -------------------------------------------------------------------------------------------


def test_the_window_begins_at_half_the_visits_side_by_side_and_at_eight_at_most() -> None:
    assert [Order(OrderRules(width=width)).window for width in (8, 16, 32, 3, 1)] == [4, 8, 8, 1, 1]


def test_a_link_waits_behind_four_better_ones_but_not_behind_three() -> None:
    """Keys 9 and 12 at an open host. Of 1, 3, 5, 7 at a closed one all are better than 9; N = 4."""
    held = frontier_of([1, 3, 5, 7], [9, 12]).lease(Millis(0), 4, beyond=False)
    assert held == HeldBack(url=u("b/9"), better=4, host=host_of(u("a")))
    leased = frontier_of([1, 3, 5], [9, 12]).lease(Millis(0), 4, beyond=False)
    assert isinstance(leased, Request)
    assert (leased.url, leased.rank) == (u("b/9"), 3)


def test_a_crawl_behind_its_pace_pays_for_a_link_out_of_turn() -> None:
    """100 pages, 1 s, patience 2: T = 200 s. With 10 pages and 2 out, .12 ≥ 20/200, but .12 < 26/200."""
    order = Order(OrderRules(delay=Millis(SECOND), patience=2.0))
    order.tell(Started(seeds=()), Millis(0), 0.0, leased=False)
    assert not order.goes_beyond(Millis(20 * SECOND), 0.12, 100)
    assert order.goes_beyond(Millis(26 * SECOND), 0.12, 100)
    assert order.falls_behind_at(0.12, 100) == 24 * SECOND + 1


def test_the_window_doubles_while_outer_links_are_as_good_and_halves_when_they_are_not() -> None:
    """N = 4: rank 0 is inner, ranks 1 to 3 are outer. Ten of each, .7 of the inner relevance is enough."""
    order = Order(OrderRules(width=8))
    for relevance, window in ((0.7, 8), (0.7, 16), (0.69, 8), (0.0, 4), (0.0, 4)):
        for _ in range(ENOUGH):
            order.tell(page(0, 1.0), Millis(0), 0.0, leased=True)
            order.tell(page(order.window - 1, relevance), Millis(0), 0.0, leased=True)
        assert order.window == window


def test_beyond_the_most_that_are_counted_there_is_no_limit_until_outer_links_are_poor() -> None:
    order = Order(OrderRules())
    order.window = MOST
    for relevance, limited in ((1.0, False), (1.0, False), (0.0, True)):
        for _ in range(ENOUGH):
            order.tell(page(0, 1.0), Millis(0), 0.0, leased=True)
            order.tell(page(MOST - 1, relevance), Millis(0), 0.0, leased=True)
        assert order.within == MOST
        assert order.goes_beyond(Millis(0), 0.5, 100) is not limited


def test_pages_that_were_paid_for_say_nothing_of_the_window() -> None:
    order = Order(OrderRules(width=8))
    for _ in range(3 * ENOUGH):
        order.tell(page(0, 1.0), Millis(0), 0.0, leased=True)
        order.tell(page(4, 1.0), Millis(0), 0.0, leased=True)
    assert order.window == 4
    assert order.counts == {"first": 3 * ENOUGH, "in turn": 0, "paid for": 3 * ENOUGH}


# -- the pace ------------------------------------------------------------------------------------------------


def test_a_limit_of_time_hurries_a_crawl_whose_budget_would_take_longer() -> None:
    """60 s for 100 pages: at half the time half of them should be there or on their way."""
    order = Order(OrderRules(delay=Millis(SECOND), limit=Millis(60 * SECOND)))
    order.tell(Started(seeds=()), Millis(0), 0.0, leased=False)
    assert order.goes_beyond(Millis(30 * SECOND + 1), 0.5, 100)
    assert not order.goes_beyond(Millis(30 * SECOND), 0.5, 100)


def test_a_limit_of_time_is_of_one_run() -> None:
    """The second run has 60 s for the other half of the pages."""
    order = Order(OrderRules(delay=Millis(SECOND), limit=Millis(60 * SECOND)))
    order.tell(Started(seeds=()), Millis(0), 0.0, leased=False)
    order.tell(page(0, 1.0), Millis(60 * SECOND), 0.5, leased=True)
    order.tell(Recovered(), Millis(9_000 * SECOND), 0.5, leased=False)
    assert not order.goes_beyond(Millis(9_030 * SECOND), 0.75, 100)
    assert order.goes_beyond(Millis(9_031 * SECOND), 0.75, 100)


def test_without_rests_answers_set_the_pace() -> None:
    """Of 250 ms each: 100 pages with patience 2 may take 50 s."""
    order = Order(OrderRules(delay=Millis(0)))
    order.tell(Started(seeds=()), Millis(0), 0.0, leased=False)
    order.tell(page(0, 1.0, elapsed=200), Millis(0), 0.01, leased=True)
    order.tell(page(0, 1.0, elapsed=300), Millis(0), 0.02, leased=True)
    assert order.falls_behind_at(0.5, 100) == 25 * SECOND + 1


@pytest.mark.parametrize(("kind", "within", "beyond"), [("strict", 1, False), ("eager", None, True)])
def test_other_orders_know_no_pace(kind: str, within: int | None, beyond: bool) -> None:
    order = Order(OrderRules(kind=kind))  # type: ignore[arg-type]
    order.tell(Started(seeds=()), Millis(0), 0.0, leased=False)
    assert order.within == within
    assert order.goes_beyond(Millis(10**9), 0.0, 100) is beyond
    assert order.falls_behind_at(0.0, 100) is None


def test_a_pause_that_was_meant_for_an_earlier_run_does_not_stop_the_clock() -> None:
    """It is heard after the recovery, and heeded by nobody: the next lease tells that the crawl goes on."""
    order = Order(OrderRules(delay=Millis(SECOND)))
    order.tell(Started(seeds=()), Millis(0), 0.0, leased=False)
    order.tell(Recovered(), Millis(10 * SECOND), 0.0, leased=False)
    order.tell(Asked(wish=Wish.PAUSE), Millis(10 * SECOND), 0.0, leased=False)
    order.tell(page(0, 1.0), Millis(11 * SECOND), 0.01, leased=True)
    assert order.goes_beyond(Millis(20 * SECOND), 0.01, 100)


# -- whom waiting must not hurt ------------------------------------------------------------------------------


def test_start_pages_are_always_in_turn() -> None:
    """Three at one host, which is asked, and one at another, behind them: it does not wait."""
    crawl = make_crawl(Scripted(), order=OrderRules(kind="strict"))
    crawl.start([u("a/1"), u("a/2"), u("a/3"), u("b")], Millis(0))
    assert [crawl.lease(Millis(0)).url for _ in range(2)] == [u("a/1"), u("b")]  # type: ignore[union-attr]
    assert crawl.lease(Millis(0)) is None
    assert crawl.held is None


def test_nobody_waits_for_start_pages() -> None:
    """Of a host that rests for long: they are fetched anyway, before or after, so they hold up no link of others."""
    frontier = MemoryFrontier()
    frontier.apply(Enqueue(url=u(f"a/{n}"), score=9.0) for n in range(20))
    first = frontier.lease(Millis(0))
    assert isinstance(first, Request)
    frontier.settle(first, UrlState.VISITED, Rest(host_until=Millis(10**6)))
    frontier.apply([found_link("b", 0.1)])
    leased = frontier.lease(Millis(0), 1, beyond=False)
    assert isinstance(leased, Request)
    assert (leased.url, leased.rank) == (u("b"), 0)


def test_nobody_waits_for_a_host_in_trouble() -> None:
    """It may never answer; once it does, its links count again."""
    frontier = frontier_of([1, 3, 5], [9, 12])
    for in_trouble, rank in ((True, 0), (None, 0), (False, 2)):
        frontier.apply([found_link("a/tried", 0.5)])
        tried = frontier.claim(u("a/tried"))
        rest = Rest(host_until=Millis(10**6), in_trouble=in_trouble)
        frontier.settle(tried, UrlState.FAILED, rest)
        leased = frontier.lease(Millis(0), 2)
        assert isinstance(leased, Request)
        assert leased.rank == rank
        frontier.settle(leased, UrlState.VISITED, Rest(host_until=Millis(0)))
        frontier.apply([found_link(f"b/{rank}", -9.0), Enqueue(url=u("a/tried"), refetch=True)])
        frontier.apply([found_link("b/more", -10.0)])


def test_a_batch_keeps_its_own_rhythm() -> None:
    """Four were granted: the best four go out as their hosts allow, the fifth waits for the next batch."""

    def grant(found: Page, view: object) -> list[object]:
        good = [found_link(f"a/{n}", 9.0 - n) for n in range(4)]
        return [*good, found_link("b", 1.0), found_link("c", 0.5), Grant(n=6)]

    crawl = make_crawl(Scripted(page=grant), order=OrderRules(kind="strict", width=1))  # type: ignore[arg-type]
    crawl.start([u("seed")], Millis(0))
    seed = crawl.lease(Millis(0))
    assert seed is not None
    crawl.commit(made_page(seed), Millis(0))
    assert [crawl.lease(Millis(0)).url for _ in range(3)] == [u("a/0"), u("b"), u("c")]  # type: ignore[union-attr]


def test_agents_do_not_wait_for_one_another() -> None:
    assert Population.ranks.fget(None) is False  # type: ignore[attr-defined]


def test_a_crawl_says_for_whom_it_waits() -> None:
    links = [found_link("a/2", 5.0), found_link("a/3", 4.0), found_link("b", 1.0)]
    crawl = make_crawl(
        Scripted(page=lambda page, view: links if page.url == u("a") else []),
        order=OrderRules(kind="strict"),
    )
    crawl.start([u("a")], Millis(0))
    crawl.commit(made_page(lease(crawl)), Millis(0))
    assert lease(crawl).url == u("a/2")
    assert crawl.lease(Millis(0)) is None
    assert crawl.held == HeldBack(url=u("b"), better=1, host=host_of(u("a")))


# -- how wide a crawl begins ---------------------------------------------------------------------------------


def told_of_starts(*relevance: float, depth: int = 0) -> Order:
    order = Order(OrderRules())
    for number, value in enumerate(relevance):
        request = Request(url=u(f"h{number}"), order=1, depth=depth)
        order.tell(made_page(request, relevance=value), Millis(0), 0.0, leased=True)
    return order


@pytest.mark.parametrize(
    ("relevance", "window"),
    [
        ([1.0] * 16, 8),
        ([1.0] * 40, 20),
        ([0.01] * 40, 20),  # scores of any scale
        ([1.0] * 40 + [0.0] * 100, 20),  # only good ones count
        ([1.0] * 20 + [0.5] * 20, 18),  # (20 + 10)² / (20 + 5) / 2
        ([1.0] + [0.0] * 100, 8),
        ([0.0] * 100, 8),
        ([1.0] * 300, MOST),
    ],
)
def test_a_crawl_begins_half_as_wide_as_its_start_pages_have_good_hosts(
    relevance: list[float], window: int
) -> None:
    assert told_of_starts(*relevance).window == window


def test_only_start_pages_widen_the_beginning_and_of_each_host_the_first() -> None:
    assert told_of_starts(*[1.0] * 40, depth=1).window == 8
    order = Order(OrderRules())
    for number in range(40):
        request = Request(url=u(f"one/{number}"), order=1)
        order.tell(made_page(request, relevance=1.0), Millis(0), 0.0, leased=True)
    assert order.window == 8


def test_a_wide_beginning_is_lost_where_outer_links_are_poor() -> None:
    order = told_of_starts(*[1.0] * 80)
    for window in (20, 10, 8, 8):
        for _ in range(ENOUGH):
            order.tell(page(0, 1.0), Millis(0), 0.0, leased=True)
            order.tell(page(order.window - 1, 0.0), Millis(0), 0.0, leased=True)
        assert order.window == window


def test_what_start_pages_said_is_saved_and_earlier_states_are_read() -> None:
    order, again = told_of_starts(*[1.0] * 40), Order(OrderRules())
    again.load(order.save())
    assert again.save() == order.save()
    again.load({name: value for name, value in order.save().items() if name != "starts"})
    assert again.window == 20
