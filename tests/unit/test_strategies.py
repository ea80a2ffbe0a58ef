"""The first strategies: known answers, and the examples in their docstrings."""

from __future__ import annotations

import doctest
import math
import sys

import pytest
from tests.worlds import CosineTopic, by_table, drive, journal, make_crawl, u, visited

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.strategy import Strategy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.protocol import Tie
from lycosa.model.records import Millis, Page
from lycosa.spec.registry import describe, strategy_class, strategy_names
from lycosa.strategies.best_first import BestFirst
from lycosa.strategies.order import BreadthFirst, RandomOrder

GRAPH = {"s": "xy", "x": "t", "y": "z", "t": "", "z": ""}
TEXTS = {"s": "apple", "x": "apple bridge", "y": "cloud"}
"""The query is "apple bridge": s has cosine 1/√2, x has 1, y has 0 (KAT-3.2 with words for its letters)."""


def crawled(
    strategy: Strategy,
    graph: dict[str, str] = GRAPH,
    *,
    seeds: str = "s",
    seed: int = 0,
    tie: Tie = "fifo",
    topic: str = "apple bridge",
    budget: int = 1000,
) -> Crawl:
    crawl = make_crawl(
        strategy, topic=CosineTopic(topic), seed=seed, frontier=MemoryFrontier(tie=tie), budget=budget
    )
    crawl.start([u(name) for name in seeds], Millis(0))
    drive(crawl, by_table(graph, TEXTS))
    return crawl


def scores(crawl: Crawl) -> list[tuple[str, float]]:
    return [(e.event.url, e.event.request.score) for e in journal(crawl) if isinstance(e.event, Page)]


def test_naive_best_first_by_hand() -> None:
    """KAT-3.2 for N = 1."""
    half = math.sqrt(0.5)
    found = scores(crawled(BestFirst()))
    assert [url for url, _ in found] == [u(name) for name in "sxtyz"]
    assert [score for _, score in found] == pytest.approx([1.0, half, 1.0, half, 0.0])


def test_best_first_of_several_linking_pages_counts_the_most_relevant() -> None:
    """z is found by y (0) first and by x (1) later; before y's other link, which stays at 0."""
    graph = {"s": "yx", "y": "zw", "x": "z", "w": "", "z": ""}
    found = scores(crawled(BestFirst(), graph))
    assert found == [
        (u("s"), 1.0),
        (u("y"), pytest.approx(math.sqrt(0.5))),
        (u("x"), pytest.approx(math.sqrt(0.5))),
        (u("z"), 1.0),
        (u("w"), 0.0),
    ]


def test_best_first_without_any_differences_is_breadth_first() -> None:
    assert visited(crawled(BestFirst(), topic="zebra")) == visited(crawled(BreadthFirst()))


def test_ties_as_the_frontier_has_them() -> None:
    assert visited(crawled(BestFirst(), tie="lifo")) == [u(name) for name in "syxtz"]


def test_breadth_first_goes_level_by_level() -> None:
    graph = {"a": "bc", "b": "de", "c": "ef", "d": "g", "e": "", "f": "", "g": ""}
    assert visited(crawled(BreadthFirst(), graph, seeds="a")) == [u(name) for name in "abcdefg"]


def test_breadth_first_pays_no_attention_to_the_topic() -> None:
    assert visited(crawled(BreadthFirst())) == [u(name) for name in "sxytz"]
    assert {score for _, score in scores(crawled(BreadthFirst()))[1:]} == {0.0}


STAR = {"s": "abcdefgh", **dict.fromkeys("abcdefgh", "")}


def test_random_order_depends_on_the_seed_alone() -> None:
    orders = [
        visited(crawled(RandomOrder(), STAR, seed=seed, topic=topic)) for seed in range(6) for topic in "pq"
    ]
    assert orders[::2] == orders[1::2]
    assert len({tuple(order) for order in orders}) == 6


def test_random_order_is_no_order() -> None:
    """Each of 8 links comes first about as often: 400 draws, 50 expected, σ = √(400·⅛·⅞) = 6.6."""
    firsts = [visited(crawled(RandomOrder(), STAR, seed=seed, budget=2))[1] for seed in range(400)]
    for name in "abcdefgh":
        assert abs(firsts.count(u(name)) - 50) < 4 * 6.6


def test_random_order_shuffles_start_pages_too() -> None:
    orders = {tuple(visited(crawled(RandomOrder(), {}, seeds="abcd", seed=s)))[:1] for s in range(3)}
    assert orders == {()}  # all of them fail
    pages = dict.fromkeys("abcd", "")
    assert len({tuple(visited(crawled(RandomOrder(), pages, seeds="abcd", seed=s))) for s in range(9)}) > 3


@pytest.mark.parametrize("name", strategy_names())
def test_the_page_in_the_manual_is_complete_and_its_example_runs(name: str) -> None:
    cls = strategy_class(name)
    told = describe(name)
    assert told.summary.endswith(".")
    assert told.reference
    for heading in ("When to use it:", "Parameters:", "Cost:"):
        assert heading in told.manual
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner()
    [example] = finder.find(cls, name, globs=vars(sys.modules[cls.__module__]))
    assert example.examples, "a strategy shows how it is made"
    assert runner.run(example).failed == 0
