"""WIRE's batches by PageRank and its omniscient order: known answers worked by hand, and laws."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import by_table, drive, failed, journal, lease, made_page, make_crawl, u, visited

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.inputs import Importance
from lycosa.lab.kit.conformance import (
    Make,
    check_bounded_frontier,
    check_failing_start_pages,
    check_replay_equals_run,
    check_save_and_load_equals_run,
    maker,
)
from lycosa.model.commands import Enqueue, Grant, Reprioritize
from lycosa.model.errors import InputError
from lycosa.model.events import HandedOff
from lycosa.model.records import Millis, Page, Request
from lycosa.model.url import host_of
from lycosa.spec.registry import strategy
from lycosa.strategies.importance.wire import Wire

Graph = Mapping[str, Sequence[str]]


def crawled(chosen: Wire, graph: Graph, seeds: Sequence[str] = "s") -> Crawl:
    crawl = make_crawl(chosen)
    crawl.start([u(name) for name in seeds], Millis(0))
    drive(crawl, by_table(graph))
    return crawl


def names(crawl: Crawl) -> list[str]:
    return [url.removeprefix("http://").replace(".test/", "/").rstrip("/") for url in visited(crawl)]


def test_the_most_important_first_by_hand() -> None:
    importance = Importance(values={u("b"): 3.0, u("d"): 2.0, u("a"): 1.0})
    graph = {"s": "abc", "a": "d", **dict.fromkeys("bcd", "")}
    assert names(crawled(Wire(order="omniscient", importance=importance), graph)) == list("sbadc")


def test_nobody_is_omniscient_unasked() -> None:
    with pytest.raises(InputError, match="needs true importances: only an experiment"):
        strategy("wire:order=omniscient")


def test_a_batch_is_visited_whole_before_the_next_by_hand() -> None:
    """s -> a, b, c. The first two are a and b; a leads to e, b and c to d, d to e. In the next batch are d, which a
    half of a, all of b have linked to, and e; c has a third of s only and comes last, though it waited longest."""
    graph = {"s": "abc", "a": "de", "b": "d", "c": "", "d": "", "e": ""}
    crawl = crawled(Wire(order="batch-pagerank", batch=2), graph)
    assert names(crawl) == list("sabdec")


def test_one_host_has_no_more_than_its_share() -> None:
    """Batches of 4, half of them of one host: two of a and all others, b and c, first."""
    graph = {"s": ["a/1", "a/2", "a/3", "a/4", "b/1", "c/1"]}
    answers = {**graph, **dict.fromkeys(graph["s"], "")}
    assert names(crawled(Wire(order="batch-pagerank", batch=4, share=0.5), answers)) == [
        "s",
        *["a/1", "a/2", "b/1", "c/1"],
        *["a/3", "a/4"],
    ]


def test_a_url_moves_by_the_rank_that_was_computed() -> None:
    """γ = .8, URLs without links lead to all: a = b = 7/9 as worked for the PageRank-ordered crawler with `all`."""
    crawl = make_crawl(Wire(order="batch-pagerank", gamma=0.8))
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("a"), u("b")), Millis(0))
    rank = 0.28 / (1 - 1.4 * 1.6 / 3)
    assert [r.score for r in crawl.frontier.pending()] == pytest.approx([rank, rank], rel=0.02)


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    pages = [f"{'abcd'[i % 4]}/{i}" for i in range(draw(st.integers(1, 24)))]
    return {page: draw(st.lists(st.sampled_from(pages), max_size=6)) for page in pages}


def batches(crawl: Crawl) -> list[list[Request]]:
    found: list[list[Request]] = [[]]
    for entry in journal(crawl):
        if isinstance(entry.event, Page):
            found[-1].append(entry.event.request)
        if any(isinstance(command, Grant) for command in entry.commands):
            found.append([])
    return [batch for batch in found if batch]


@settings(max_examples=trials(60), deadline=None)
@given(graphs(), st.integers(1, 6), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_at_most_so_many_of_a_host(graph: dict[str, list[str]], size: int, share: float) -> None:
    crawl = crawled(Wire(order="batch-pagerank", batch=size, share=share), graph, ["a/0"])
    assert sorted(names(crawl)) == sorted(names(crawled(Wire(order="depth"), graph, ["a/0"])))
    first, *others = batches(crawl)
    before = len(first)
    for batch in others:
        most = max(size, math.ceil(0.1 * before))
        assert len(batch) <= most
        of_host = Counter(host_of(request.url) for request in batch)
        assert max(of_host.values()) <= max(1, math.ceil(share * most))
        before += len(batch)


@settings(max_examples=trials(60), deadline=None)
@given(graphs(), st.integers(1, 6))
def test_best_of_all(graph: dict[str, list[str]], size: int) -> None:
    crawl = make_crawl(Wire(order="batch-pagerank", batch=size))
    crawl.start([u("a/0")], Millis(0))
    answer = by_table(graph)
    while not crawl.finished:
        commands = journal(crawl)[-1].commands
        chosen = {c.url for c in commands if isinstance(c, Reprioritize) and c.tier == 0}
        waiting = {r.url: crawl.strategy._inner._ranks.rank(r.url) for r in crawl.frontier.pending()}  # type: ignore[attr-defined]
        left = [rank for url, rank in waiting.items() if url not in chosen]
        if chosen and left:
            assert min(waiting[url] for url in chosen) >= max(left)
        crawl.commit(answer(lease(crawl)), Millis(0))


def test_failures_do_not_hold_a_batch_up() -> None:
    crawl = make_crawl(Wire(order="batch-pagerank", batch=2))
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("a"), u("b"), u("c")), Millis(0))
    drive(crawl, failed)
    assert crawl.failures == 3
    assert str(crawl.ended) == "exhausted"


def test_an_exhausted_crawl_goes_on_when_it_is_fed() -> None:
    crawl = crawled(Wire(order="batch-pagerank", batch=2), {"s": ""})
    crawl.hear(HandedOff(command=Enqueue(url=u("p")), peer="peer"), Millis(0))
    assert lease(crawl).url == u("p")


@pytest.mark.parametrize(
    "check",
    [
        check_save_and_load_equals_run,
        check_replay_equals_run,
        check_bounded_frontier,
        check_failing_start_pages,
    ],
)
def test_batches_conform(check: Callable[[Make], None]) -> None:
    check(maker("wire:order=batch-pagerank,batch=7,share=0.3"))


def test_the_omniscient_order_conforms() -> None:
    check_save_and_load_equals_run(maker("wire:order=omniscient"))


def test_batches_explain_themselves() -> None:
    crawl = make_crawl(Wire(order="batch-pagerank"))
    told = crawl.strategy.explain(Request(url=u("a"), order=1, score=2.0, tier=1), crawl.store.memory)
    assert told == {"PageRank": 2.0, "in the batch that is on": 0.0, "pages that link here": 0.0}
