"""Strategies that let something flow along links: OPIC and RankMass, worked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from tests.worlds import (
    CosineTopic,
    by_table,
    drive,
    failed,
    journal,
    lease,
    made_page,
    make_crawl,
    u,
    visited,
)

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.scope import Scope
from lycosa.crawl.strategy import Strategy
from lycosa.model.records import Millis, Page, Reason
from lycosa.model.url import Url
from lycosa.strategies.importance.opic import Opic
from lycosa.strategies.importance.rankmass import RankMass

TRIANGLE = {"a": "bc", "b": "c", "c": "a"}


def crawled(
    strategy: Strategy, graph: Mapping[str, Sequence[str]], seeds: str, budget: int = 1000, topic: str = ""
) -> Crawl:
    crawl = make_crawl(strategy, topic=CosineTopic(topic), budget=budget)
    crawl.start([u(name) for name in seeds], Millis(0))
    drive(crawl, by_table(graph))
    return crawl


def scores(crawl: Crawl) -> list[tuple[Url, float]]:
    return [(e.event.url, e.event.request.score) for e in journal(crawl) if isinstance(e.event, Page)]


def test_opic_by_hand() -> None:
    """KAT §3.15: visits A, B, C, and A again, which is in already: H = (4/3, 1/2, 1), G = 17/6."""
    opic = Opic(passes=1)
    assert visited(crawled(opic, TRIANGLE, "abc")) == [u(name) for name in "abc"]
    assert [opic._history[u(name)] for name in "abc"] == pytest.approx([4 / 3, 1 / 2, 1.0])
    assert opic._spent == pytest.approx(17 / 6)
    assert [opic.importance(u(name)) for name in "abc"] == pytest.approx([8 / 23, 6 / 23, 9 / 23])
    assert opic.total_cash() == pytest.approx(1.0)


def test_opic_in_the_limit() -> None:
    """KAT §3.15: A and C have 2/5, B has 1/5."""
    opic = Opic(passes=1000)
    crawled(opic, TRIANGLE, "abc")
    assert [opic.importance(u(name)) for name in "abc"] == pytest.approx([0.4, 0.2, 0.4], abs=2e-3)


def test_opic_cash_rests_at_visited_pages_without_passes() -> None:
    opic = Opic(passes=0)
    crawled(opic, TRIANGLE, "abc")
    assert [opic._history[u(name)] for name in "abc"] == pytest.approx([1 / 3, 1 / 2, 1.0])
    assert [opic.cash(u(name)) for name in "abc"] == pytest.approx([1.0, 0.0, 0.0])


def test_opic_a_pending_url_comes_forward_with_each_link_to_it() -> None:
    """s gives x, y, z 1/3 each; x gives its third to z, which now stands before y."""
    crawl = crawled(Opic(), {"s": "xyz", "x": "z", "y": "", "z": "w", "w": ""}, "s")
    assert visited(crawl) == [u(name) for name in "sxzwy"]
    found = dict(scores(crawl))
    assert found[u("z")] - found[u("y")] == pytest.approx(1 / 3)


def test_opic_the_virtual_page_hands_what_dangling_pages_hold_to_all() -> None:
    """s → x, y; x has no links: its half goes to the virtual page, which then holds as much as y: not yet more."""
    opic = Opic()
    crawl = make_crawl(opic)
    crawl.start([u("s")], Millis(0))
    answer = by_table({"s": "xy", "x": "", "y": ""})
    for _ in range(2):
        crawl.commit(answer(lease(crawl)), Millis(0))
    assert (opic._aside, opic.cash(u("y"))) == (0.5, 0.5)
    crawl.commit(
        answer(lease(crawl)), Millis(0)
    )  # y dangles too: the virtual page has 1, and hands it to three
    assert opic.total_cash() == pytest.approx(1.0)
    assert opic._spent > 1.5


def test_opic_what_fails_or_is_refused_gives_its_cash_to_the_virtual_page() -> None:
    """s → x (fails), y (out of scope), z and v (both live); z links to x once more."""
    opic = Opic()
    crawl = make_crawl(opic, scope=Scope(exclude=["http://y.test/*"]))
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("x"), u("y"), u("z"), u("v")), Millis(0))
    assert opic.cash(u("y")) == 0.25  # nobody knows yet
    crawl.commit(failed(lease(crawl), Reason.STATUS, 404), Millis(0))
    assert u("y") not in opic._held
    assert u("x") not in opic._held
    assert opic.total_cash() == pytest.approx(1.0)
    # s, z and v had (0, 1/4, 1/4), the virtual page 1/2: each of the three got a sixth
    assert [opic.cash(u(name)) for name in "szv"] == pytest.approx([1 / 6, 5 / 12, 5 / 12])
    crawl.commit(made_page(lease(crawl), u("x"), u("v")), Millis(0))
    assert u("x") not in opic._held
    assert opic.total_cash() == pytest.approx(1.0)


def test_opic_pages_joined_by_a_redirect_hold_one_cash() -> None:
    opic = Opic(passes=0)
    crawl = make_crawl(opic)
    crawl.start([u("a"), u("b")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("f"), u("x")), Millis(0))  # a hands ¼ each to f and x
    request = lease(crawl)
    assert request.url == u("b")
    crawl.commit(made_page(request, u("y"), final=u("f")), Millis(0))  # b is f: it hands on ½ + ¼
    assert opic.cash(u("y")) == pytest.approx(0.75)
    crawl.commit(made_page(lease(crawl), u("b"), u("f")), Millis(0))  # y hands ⅜ to either name
    assert opic.cash(u("f")) == opic.cash(u("b")) == pytest.approx(0.75)
    assert opic.total_cash() == pytest.approx(1.0)


def test_opic_a_topical_page_hands_on_more() -> None:
    opic = Opic(topical=0.5, passes=0)
    crawl = make_crawl(opic, topic=CosineTopic("apple"))
    crawl.start([u("a"), u("b")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("x"), text="apple"), Millis(0))
    crawl.commit(made_page(lease(crawl), u("y"), text="cloud"), Millis(0))
    assert opic.cash(u("x")) - opic.cash(u("y")) == pytest.approx(0.25)
    assert opic.total_cash() == pytest.approx(1.0)


def rankmass_of(
    seeds: str = "a", graph: Mapping[str, Sequence[str]] = TRIANGLE, **options: float
) -> RankMass:
    strategy = RankMass(**{"window": 0.0, "eps": 0.0, **options})  # type: ignore[arg-type]
    crawled(strategy, graph, seeds)
    return strategy


@pytest.mark.parametrize(
    ("picks", "coverage"), [(0, 0.331688), (1, 0.431934), (2, 0.474539), (3, 0.553358), (1000, 1.0)]
)
def test_rankmass_by_hand(picks: int, coverage: float) -> None:
    """KAT §3.16: A, B, C are fetched; A, B, C again are in already and are picked without a fetch."""
    found = rankmass_of(picks=picks)
    assert found.coverage == pytest.approx(coverage, abs=5e-7)
    assert found.total_mass() == pytest.approx(1.0)


def test_rankmass_masses_by_hand() -> None:
    """KAT §3.16: rm when picked is .15 for A, .06375 for B, .1179375 for C."""
    crawl = crawled(RankMass(window=0.0), TRIANGLE, "a")
    assert scores(crawl) == [
        (u("a"), pytest.approx(0.15)),
        (u("b"), pytest.approx(0.06375)),
        (u("c"), pytest.approx(0.1179375)),
    ]


@pytest.mark.parametrize(
    ("limit", "promise"), [(0, 0.15), (1, 0.2775), (2, 0.385875), (5, 0.62285), (10, 0.83266)]
)
def test_rankmass_within_l_links_by_hand(limit: int, promise: float) -> None:
    """KAT §3.16, on a chain of 12 pages: those within L links of the first are visited and cover 1 - d^(L+1)."""
    chain = dict(zip("abcdefghijkl", [*"bcdefghijkl", ""], strict=True))
    strategy = RankMass(neighbours=limit)
    assert visited(crawled(strategy, chain, "a")) == [u(name) for name in "abcdefghijkl"[: limit + 1]]
    assert strategy.promise == pytest.approx(promise, abs=5e-6)
    assert strategy.coverage == pytest.approx(promise, abs=5e-6)


def test_rankmass_links_that_lead_back_count_within_the_limit_too() -> None:
    """All three pages are within one link of a: together they cover 1 - d² at least."""
    found = rankmass_of(neighbours=1)
    assert found.coverage >= found.promise - 1e-12


def test_rankmass_a_shorter_way_found_late_is_taken() -> None:
    """L = 2, s → a → b → c: b is visited at distance 2, so c is too far. Then slow d, a start page too, links to b."""
    strategy = RankMass(neighbours=2, eps=0.0)
    crawl = make_crawl(strategy)
    crawl.start([u("s"), u("d")], Millis(0))
    first, second = lease(crawl), lease(crawl)  # d is slow
    crawl.commit(made_page(first, u("a")), Millis(0))
    crawl.commit(made_page(lease(crawl), u("b")), Millis(0))
    at_two = lease(crawl)
    assert (at_two.url, at_two.tier) == (u("b"), 2)
    crawl.commit(made_page(at_two, u("c")), Millis(0))
    assert crawl.lease(Millis(0)) is None
    crawl.commit(made_page(second, u("b")), Millis(0))
    late = lease(crawl)
    assert (late.url, late.tier) == (u("c"), 2)


def test_rankmass_stops_when_enough_is_covered() -> None:
    crawl = crawled(RankMass(window=0.0, eps=0.7, picks=0), TRIANGLE, "a")
    assert str(crawl.ended) == "stopped: the pages that are in cover 33.2% of PageRank at least"
    assert crawl.pages == 3


def test_rankmass_a_window_holds_still_until_all_of_it_is_in() -> None:
    """s → a…j: two of ten are chosen, a and b. a gives i more than b has: i must wait until b is in."""
    graph = {"s": "abcdefghij", "a": "i", **dict.fromkeys("bcdefghij", "")}
    assert visited(crawled(RankMass(window=0.2), graph, "s"))[:4] == [u(name) for name in "sabi"]
    assert visited(crawled(RankMass(window=0.0), graph, "s"))[:4] == [u(name) for name in "saib"]


def test_rankmass_what_dangles_fails_or_is_refused_is_lost() -> None:
    """s hands x (404), y (refused) and z (no links) .85 · .15 / 3 each."""
    strategy = RankMass(window=0.0, d=0.85)
    crawl = make_crawl(strategy, scope=Scope(exclude=["http://y.test/*"]))
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table({"s": "xyz", "z": ""}))
    share = 0.85 * 0.15 / 3
    assert strategy.lost == pytest.approx(2 * share + 0.85 * share)
    assert strategy.coverage == pytest.approx(0.15 + share)
    assert strategy.total_mass() == pytest.approx(1.0)


def test_rankmass_a_url_that_leads_to_a_known_page_adds_to_its_mass() -> None:
    strategy = RankMass(window=0.0, picks=0)
    crawl = make_crawl(strategy)
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("x"), u("y")), Millis(0))
    crawl.commit(made_page(lease(crawl)), Millis(0))
    before = strategy.mass(u("y"))
    crawl.commit(made_page(lease(crawl), final=u("x")), Millis(0))  # y redirects to x
    assert strategy.mass(u("x")) == strategy.mass(u("y")) == pytest.approx(before)
    assert strategy.total_mass() == pytest.approx(1.0)


def test_what_opic_and_rankmass_find_is_told_while_they_crawl() -> None:
    """s links to x twice as often as to y: x is the more important."""
    graph = {"s": "xy", "x": "s", "y": "x", **dict.fromkeys("z", "")}
    opic, mass = Opic(), RankMass(window=0, eps=0)
    for strategy in (opic, mass):
        crawl = make_crawl(strategy)
        crawl.start([u("s")], Millis(0))
        drive(crawl, by_table(graph))
    [best, *others] = opic.facts()["most important"]
    assert best == f"{opic.importance(u('x')):.4f} {u('x')}" or best.endswith(u("s"))
    assert [line.split()[0] for line in others] == sorted((line.split()[0] for line in others), reverse=True)
    assert mass.facts() == {"PageRank covered, at least": mass.coverage, "promised in the end": 1.0}
    assert 0.15 < mass.coverage <= 1.0
    restored = RankMass(window=0, eps=0)
    restored.load(mass.save())
    assert restored.facts() == mass.facts()  # as `lycosa status` tells them
