"""Strategies that let something flow along links: OPIC and RankMass, worked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from tests.worlds import CosineTopic, by_table, drive, failed, journal, lease, made_page, make_crawl, u, visited

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.scope import Scope
from lycosa.crawl.strategy import Strategy
from lycosa.model.events import Snapshot
from lycosa.model.records import Millis, Reason
from lycosa.strategies.opic import Opic

TRIANGLE = {"a": "bc", "b": "c", "c": "a"}


def crawled(
    strategy: Strategy, graph: Mapping[str, Sequence[str]], seeds: str, budget: int = 1000, topic: str = ""
) -> Crawl:
    crawl = make_crawl(strategy, topic=CosineTopic(topic), budget=budget)
    crawl.start([u(name) for name in seeds], Millis(0))
    drive(crawl, by_table(graph))
    return crawl


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
    scores = {entry.event.url: entry.event.request.score for entry in journal(crawl) if hasattr(entry.event, "url")}
    assert scores[u("z")] - scores[u("y")] == pytest.approx(1 / 3)


def test_opic_the_virtual_page_hands_what_dangling_pages_hold_to_all() -> None:
    """s → x, y; x has no links: its half goes to the virtual page, which then holds as much as y: not yet more."""
    opic = Opic()
    crawl = make_crawl(opic)
    crawl.start([u("s")], Millis(0))
    answer = by_table({"s": "xy", "x": "", "y": ""})
    for _ in range(2):
        crawl.commit(answer(lease(crawl)), Millis(0))
    assert (opic._virtual, opic.cash(u("y"))) == (0.5, 0.5)
    crawl.commit(answer(lease(crawl)), Millis(0))  # y dangles too: the virtual page has 1, and hands it to three
    assert opic.total_cash() == pytest.approx(1.0)
    assert opic._spent > 1.5


def test_opic_what_fails_or_is_refused_gives_its_cash_to_the_virtual_page() -> None:
    """s → x (fails), y (out of scope), z (lives), w (fails with a link to it known later)."""
    opic = Opic()
    crawl = make_crawl(opic, scope=Scope(exclude=["http://y.test/*"]))
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("x"), u("y"), u("z"), u("v")), Millis(0))
    assert opic.cash(u("y")) == 0.25  # nobody knows yet
    crawl.commit(failed(lease(crawl), Reason.STATUS, 404), Millis(0))
    assert u("y") not in opic._cash
    assert u("x") not in opic._cash
    assert opic.total_cash() == pytest.approx(1.0)
    # s, z and v had (0, 1/4, 1/4), the virtual page 1/2: each of the three got a sixth
    assert [opic.cash(u(name)) for name in "szv"] == pytest.approx([1 / 6, 5 / 12, 5 / 12])
    crawl.commit(made_page(lease(crawl), u("x"), u("v")), Millis(0))
    assert u("x") not in opic._cash
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


def loaded(strategy: Strategy, snapshot: Snapshot) -> Strategy:
    strategy.load(snapshot.strategy)
    return strategy
