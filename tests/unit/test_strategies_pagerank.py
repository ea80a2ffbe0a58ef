"""The PageRank-ordered crawler: known answers worked by hand."""

from __future__ import annotations

import pytest
from tests.worlds import by_table, drive, lease, made_page, make_crawl, u, visited

from lycosa.crawl.crawl import Crawl
from lycosa.model.commands import Enqueue
from lycosa.model.errors import InputError
from lycosa.model.events import HandedOff
from lycosa.model.records import Millis, Request
from lycosa.spec.registry import strategy
from lycosa.strategies.importance.pagerank import PageRank
from lycosa.strategies.importance.ranks import PageRanks


def begun(chosen: PageRank) -> Crawl:
    crawl = make_crawl(chosen)
    crawl.start([u("s")], Millis(0))
    return crawl


def scores(crawl: Crawl) -> dict[str, float]:
    return {request.url[7:8]: request.score for request in crawl.frontier.pending()}


def test_between_computations_links_pass_on_what_their_page_has() -> None:
    """s has 1: a and b get .2 + .8/2. a has .6 and links to b: .6 + .8 · .6."""
    crawl = begun(PageRank(frequency=0))
    crawl.commit(made_page(lease(crawl), u("a"), u("b")), Millis(0))
    assert scores(crawl) == pytest.approx({"a": 0.6, "b": 0.6})
    crawl.commit(made_page(lease(crawl), u("b"), u("c")), Millis(0))
    assert scores(crawl) == pytest.approx({"b": 0.6 + 0.4 * 0.6, "c": 0.2 + 0.4 * 0.6})


@pytest.mark.parametrize(
    ("dangling", "rank"),
    [
        ("buffered", 0.2 + 0.4 * 0.52 / 0.36),  # s = .2 + .8 (a + b), a = b = .2 + .4 s
        (
            "all",
            0.28 / (1 - 1.4 * 1.6 / 3),
        ),  # x = .8 (a + b) / 3: s = .2 + x, a = b = .2 + .4 s + x = .28 + 1.4 x
        ("none", 0.2 + 0.4 * 0.2),  # s = .2
    ],
)
def test_a_computation_right_away(dangling: str, rank: float) -> None:
    if (
        dangling == "all"
    ):  # x = .8 (a + b)/3: s = .2 + x, a = b = .2 + .4 s + x, so a = .28 + 1.4 x, x = 1.6 a/3
        rank = 0.28 / (1 - 1.4 * 1.6 / 3)
    crawl = begun(strategy(f"pagerank:frequency=1,tolerance=1e-9,dangling={dangling}"))  # type: ignore[arg-type]
    crawl.commit(made_page(lease(crawl), u("a"), u("b")), Millis(0))
    assert scores(crawl) == pytest.approx({"a": rank, "b": rank})


def test_a_computation_moves_what_waits() -> None:
    """s -> a, b; a -> b, c: then s = .2 + .8 (b + c), a = .2 + .4 s, b = .2 + .4 s + .4 a, c = .2 + .4 a, and what b
    and c have goes half to s, half to a."""
    crawl = begun(PageRank(frequency=2, growth=1, tolerance=1e-9))
    crawl.commit(made_page(lease(crawl), u("a"), u("b")), Millis(0))
    crawl.commit(made_page(lease(crawl), u("b"), u("c")), Millis(0))
    told = scores(crawl)
    s = 0.2 + 0.4 * (told["b"] + told["c"])
    a = s + 0.4 * s
    assert told == pytest.approx({"b": 0.2 + 0.4 * s + 0.4 * a, "c": 0.2 + 0.4 * a})
    assert s + a + told["b"] + told["c"] == pytest.approx(4)
    assert crawl.strategy.facts() == {"pages that take part": 2, "computed at page": 2}


def test_only_the_most_relevant_pages_take_part() -> None:
    """Of s and a, as relevant, the older stays: a's links count no more, so c and b have what s and chance give."""
    crawl = begun(PageRank(frequency=2, growth=1, tolerance=1e-9, buffer=1, dangling="none"))
    crawl.commit(made_page(lease(crawl), u("a"), u("b")), Millis(0))
    crawl.commit(made_page(lease(crawl), u("c")), Millis(0))
    assert scores(crawl) == pytest.approx(
        {"b": 0.2 + 0.8 * 0.2, "c": 0.2}
    )  # s -> b alone is left of s -> a, b


def test_a_redirect_brings_its_rank_along() -> None:
    """a and b have .6 each, a redirects to b: 1.0 = .6 + .6 - .2, all of which goes to c."""
    crawl = begun(PageRank(frequency=0))
    crawl.commit(made_page(lease(crawl), u("a"), u("b")), Millis(0))
    crawl.commit(made_page(lease(crawl), u("c"), final=u("b"), hops=(u("a"),)), Millis(0))
    assert scores(crawl) == pytest.approx({"c": 0.2 + 0.8})


GRAPH = {"s": "abc", "a": "de", "b": "fc", "c": "g", **dict.fromkeys("defg", "s")}


def test_equal_ranks_are_breadth_first() -> None:
    """With gamma = 0 every rank is 1, whether computed or not."""
    orders = []
    for name in ("breadth-first", "pagerank:gamma=0,frequency=0", "pagerank:gamma=0,frequency=2,growth=1"):
        crawl = make_crawl(strategy(name))
        crawl.start([u("s")], Millis(0))
        drive(crawl, by_table(GRAPH))
        orders.append(visited(crawl))
    assert orders[0] == orders[1] == orders[2]
    assert len(orders[0]) == 8


def test_what_many_link_to_goes_before_what_came_first() -> None:
    """d, found last by s, overtakes b and c once a links to it, whether ranks are computed or carried on."""
    graph = {"s": "abcd", "a": "d", **dict.fromkeys("bcd", "")}
    for name in ("pagerank:frequency=1,growth=1", "pagerank:frequency=0"):
        crawl = make_crawl(strategy(name))
        crawl.start([u("s")], Millis(0))
        drive(crawl, by_table(graph))
        assert [url[7] for url in visited(crawl)] == list("sadbc")


def test_what_nobody_links_to_has_what_chance_gives() -> None:
    crawl = begun(PageRank())
    crawl.hear(HandedOff(command=Enqueue(url=u("p"), score=9.0), peer="peer"), Millis(0))
    assert scores(crawl)["p"] == pytest.approx(0.2)


def test_it_explains_its_score() -> None:
    crawl = begun(PageRank(frequency=0))
    crawl.commit(made_page(lease(crawl), u("a")), Millis(0))
    told = crawl.strategy.explain(Request(url=u("a"), order=2, score=1.0), crawl.store.memory)
    assert told == {"PageRank": 1.0, "pages that link here": 1.0}


@pytest.mark.parametrize("wrong", ["gamma=1", "dangling=some", "growth=0.5", "buffer=0"])
def test_parameters_out_of_range_are_refused(wrong: str) -> None:
    with pytest.raises(InputError, match=r"range|type"):
        strategy(f"pagerank:{wrong}")


def test_nothing_to_rank() -> None:
    assert PageRanks(0.8, 0.01, "buffered", 10).compute([]) == []
