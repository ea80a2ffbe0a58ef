"""Wrappers by hand: merge rules, tunnelling, damping, caps, shares and spacing."""

from __future__ import annotations

import doctest
from collections.abc import Iterable, Mapping

import msgspec
import pytest
from tests.worlds import CosineTopic, by_table, drive, journal, lease, made_page, make_crawl, u, visited

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.records import Millis, Page
from lycosa.model.url import Url
from lycosa.spec.registry import describe, strategy, wrapper_names
from lycosa.strategies.best_first import BestFirst
from lycosa.strategies.wrappers import hosts
from lycosa.strategies.wrappers import links as wrappers_links
from lycosa.strategies.wrappers.hosts import HostCap, HostShare, HostSpacing
from lycosa.strategies.wrappers.links import DampRepeats, Merge, Tunnel


class Told(Strategy):
    """Scores links as the test says, by the names of page and target; 0 where it says nothing."""

    def __init__(self, scores: Mapping[str, float]) -> None:
        self.scores = {(u(pair[0]), u(pair[1])): score for pair, score in scores.items()}

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return [
            Enqueue(url=link.target, via=link, score=self.scores.get((page.url, link.target), 0.0))
            for link in page.links
        ]


def crawled(
    strategy: Strategy, graph: Mapping[str, str | list[str]], texts: Mapping[str, str] | None = None
) -> Crawl:
    crawl = make_crawl(strategy, topic=CosineTopic("apple"))
    crawl.start([u(next(iter(graph)))], Millis(0))
    drive(crawl, by_table(graph, texts))
    return crawl


def scores(crawl: Crawl) -> dict[Url, float]:
    return {e.event.url: e.event.request.score for e in journal(crawl) if isinstance(e.event, Page)}


@pytest.mark.parametrize(("rule", "score"), [("first", 0.2), ("last", 0.1), ("max", 0.5), ("sum", 0.8)])
def test_merge_rules_by_hand(rule: str, score: float) -> None:
    """t is found on s (0.2), then on x (0.5), then on y (0.1)."""
    told = Told({"sx": 0.9, "sy": 0.85, "st": 0.2, "xt": 0.5, "yt": 0.1})
    crawl = crawled(
        Merge(told, rule=rule),  # type: ignore[arg-type]
        {"s": "xyt", "x": "t", "y": "t", "t": ""},
    )
    assert visited(crawl) == [u(name) for name in "sxyt"]
    assert scores(crawl)[u("t")] == pytest.approx(score)


def test_links_of_one_page_count_once_whatever_the_rule() -> None:
    """Page x links to t three times."""
    told = Told({"sx": 0.9, "st": 0.2, "xt": 0.3})
    assert scores(crawled(Merge(told, rule="sum"), {"s": "xt", "x": "ttt", "t": ""}))[
        u("t")
    ] == pytest.approx(0.5)


def test_a_negative_summand_moves_a_link_back() -> None:
    told = Told({"sx": 0.9, "st": 0.2, "xt": -0.3})
    assert scores(crawled(Merge(told, rule="sum"), {"s": "xt", "x": "t", "t": ""}))[u("t")] == pytest.approx(
        -0.1
    )


def test_tunnel_by_hand() -> None:
    """s is relevant (1), those behind it are not: their links have 1/2, 1/4, 1/8, then none is followed."""
    graph = {"s": "a", "a": "b", "b": "c", "c": "d", "d": "e", "e": ""}
    crawl = crawled(Tunnel(BestFirst(), steps=3, decay=0.5), graph, {"s": "apple"})
    assert scores(crawl) == {
        u("s"): 1.0,
        u("a"): 1.0,
        u("b"): 0.5,
        u("c"): 0.25,
        u("d"): 0.125,
    }


def test_a_relevant_page_ends_the_tunnel() -> None:
    graph = {"s": "a", "a": "b", "b": "c", "c": "d", "d": ""}
    crawl = crawled(Tunnel(BestFirst(), steps=1, decay=0.5), graph, {"b": "apple"})
    assert visited(crawl) == [
        u("s"),
        u("a"),
    ]  # s is the first irrelevant page, a the second: its link is not followed
    crawl = crawled(Tunnel(BestFirst(), steps=2, decay=0.5), graph, {"b": "apple"})
    assert scores(crawl) == {u("s"): 1.0, u("a"): 0.5, u("b"): 0.25, u("c"): 1.0, u("d"): 0.5}


def test_tunnel_adds_the_links_that_the_strategy_inside_leaves_out() -> None:
    class OnlyRelevant(BestFirst):
        def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
            return super().on_page(page, crawl) if page.relevance else []

    graph = {"s": "a", "a": "b", "b": ""}
    assert visited(crawled(OnlyRelevant(), graph, {"s": "apple"})) == [u("s"), u("a")]
    assert visited(crawled(Tunnel(OnlyRelevant(), steps=1), graph, {"s": "apple"})) == [
        u("s"),
        u("a"),
        u("b"),
    ]


def marked(page: Page, mark: int) -> Page:
    return msgspec.structs.replace(page, fingerprint=mark)


def test_links_of_a_near_duplicate_are_damped_and_placed_anew_too() -> None:
    """a and b differ in 3 bits, c differs from both in more: b repeats a."""

    class Again(Told):
        def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
            again = [Reprioritize(url=u("y"), score=-1.0)] if page.url == u("c") else []
            return [*super().on_page(page, crawl), *again]

    marks = {u("s"): 0, u("a"): 0xFF00, u("b"): 0xFF07, u("c"): 0xFF0F}
    inner = Again({"sa": 9, "sb": 8, "sc": 7, "ax": 0.5, "by": 0.5, "cz": 0.5})
    graph = by_table({"s": "abc", "a": "x", "b": "y", "c": "z", "x": "", "y": "", "z": ""})
    crawl = make_crawl(DampRepeats(inner, bits=3, factor=0.1))
    crawl.start([u("s")], Millis(0))
    for _ in range(4):
        request = lease(crawl)
        page = graph(request)
        assert isinstance(page, Page)
        crawl.commit(marked(page, marks[request.url]), Millis(0))
    waiting = {request.url: request.score for request in crawl.frontier.pending()}
    assert waiting == {u("x"): 0.5, u("y"): pytest.approx(-1.9), u("z"): 0.5}  # minus 1 must not rise


def test_host_cap_by_hand() -> None:
    """With 2 pages of host a, s/… apart, its third link is forgotten and its fourth does not enter."""
    graph = {"s": ["a/1", "a/2", "a/3", "b"], "a/1": [], "a/2": ["a/4"], "a/3": [], "b": []}
    assert visited(crawled(HostCap(BestFirst(), n=2), graph)) == [u(n) for n in ("s", "a/1", "a/2", "b")]


def test_host_share_by_hand() -> None:
    """Host a may have half of the pages, one is never too many: after s, a/1, a/2 it has 2 of 3, so b comes first."""
    told = Told({})
    told.scores = {(u("s"), u(f"a/{i}")): 1.0 - i / 10 for i in range(1, 5)} | {(u("s"), u("b")): 0.1}
    graph = {
        "s": ["a/1", "a/2", "a/3", "a/4", "b"],
        **{f"a/{i}": [] for i in range(1, 5)},
        "b": ["c"],
        "c": [],
    }
    crawl = crawled(HostShare(told, share=0.5, grace=1, release=0.8), graph)
    # After b 2 of 4 pages are a's: 0.8 of its share, 1.6 pages, is less; after c 2 of 5 are exactly that.
    assert visited(crawl) == [u(n) for n in ("s", "a/1", "a/2", "b", "c", "a/3", "a/4")]
    assert scores(crawl)[u("a/4")] == 0.6  # standing back does not change scores


def test_host_spacing_by_hand() -> None:
    """With k = 1 the best two hosts take turns; when only host a is left it is visited all the same."""
    told = Told({})
    order = {"a/1": 0.9, "a/2": 0.8, "a/3": 0.7, "b/1": 0.3, "b/2": 0.2}
    told.scores = {(u("s"), u(name)): score for name, score in order.items()}
    crawl = crawled(HostSpacing(told, k=1), {"s": list(order), **dict.fromkeys(order, "")})
    assert visited(crawl) == [u(n) for n in ("s", "a/1", "b/1", "a/2", "b/2", "a/3")]
    assert [scores(crawl)[u(name)] for name in order] == list(order.values())


def test_a_better_link_takes_the_place_of_its_hosts_best() -> None:
    """a/2 is found when a/1 waits in front; a/1 stands back and keeps its score."""
    told = Told({})
    told.scores = {
        (u("s"), u("b")): 0.9,
        (u("s"), u("a/1")): 0.5,
        (u("b"), u("a/2")): 0.8,
        (u("b"), u("c")): 0.6,
    }
    crawl = crawled(
        HostSpacing(told, k=3), {"s": ["b", "a/1"], "b": ["a/2", "c"], "a/1": [], "a/2": [], "c": []}
    )
    assert visited(crawl) == [u(n) for n in ("s", "b", "a/2", "c", "a/1")]
    assert scores(crawl)[u("a/1")] == 0.5


def test_a_refused_front_link_does_not_block_its_host() -> None:
    """a/1 says nofollow, so the gate refuses it; a/2 is let forward at the next page, before c."""
    told = Told({})
    told.scores = {
        (u("s"), u("a/1")): 0.9,
        (u("s"), u("a/2")): 0.5,
        (u("s"), u("b")): 0.8,
        (u("s"), u("c")): 0.1,
    }
    crawl = make_crawl(HostSpacing(told, k=2))
    crawl.start([u("s")], Millis(0))
    page = made_page(lease(crawl), u("a/1"), u("a/2"), u("b"), u("c"))
    links = tuple(msgspec.structs.replace(link, nofollow=link.target == u("a/1")) for link in page.links)
    crawl.commit(msgspec.structs.replace(page, links=links), Millis(0))
    drive(crawl, by_table({"a/2": "", "b": "", "c": ""}))
    assert visited(crawl) == [u(n) for n in ("s", "b", "a/2", "c")]


def test_wrappers_are_described() -> None:
    for name in wrapper_names():
        info = describe(name)
        assert (info.summary.endswith(".") and "When to use it" in info.manual) or name in (
            "batches",
            "explore",
        )
        assert strategy(f"best-first+{name}")


def test_docstring_examples() -> None:
    for module in (hosts, wrappers_links):
        assert doctest.testmod(module).failed == 0
