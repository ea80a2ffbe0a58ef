"""Trajectories: noted while a crawl runs or read from its journal, and taken apart and put together again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable

import numpy as np
from tests.worlds import TableWeb, html, make_crawl, redirect, response, u

from lycosa.crawl.strategy import View
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Visitor
from lycosa.lab.measures.trajectory import Names, Recorder, Timed, Trajectory, from_journal
from lycosa.model.commands import Command, Enqueue
from lycosa.model.records import Millis, Page
from lycosa.strategies.order import BreadthFirst

GRAPH = {"a": ["b", "c", "x"], "b": ["a", "c"], "c": ["d", "gone", "moved"], "d": []}
SPENT = 0.002


class Slow(BreadthFirst):
    """Thinks for two milliseconds of CPU time, and only while its answer is read."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        until = time.thread_time() + SPENT
        while time.thread_time() < until:
            pass
        yield from (Enqueue(url=url) for url in page.out)


def world() -> TableWeb:
    web = TableWeb.of_graph(GRAPH)
    web.answers[u("moved")] = redirect(u("moved"), u("e"))
    web.answers[u("e")] = response(u("e"), html("words", [u("a")]))
    return web


def lacking(page: Page) -> int:
    return sum(url in (u("x"), u("gone")) for url in page.out)


def crawled() -> tuple[Trajectory, Trajectory]:
    """What a recorder saw, and what the journal tells."""
    timed = Timed(Slow())
    crawl = make_crawl(timed)
    crawl.start([u("a")], Millis(0))
    clock = VirtualClock()
    visitor = Visitor(world(), None, None, crawl.refuses_redirect, clock)
    recorder = Recorder(lacking=lacking, thinking=lambda: timed.seconds)
    asyncio.run(simulate(crawl, visitor, lambda url: Millis(1), clock, watch=recorder.watch))
    told = from_journal(crawl.store.entries(), lacking=lacking, ended=crawl.ended)
    return recorder.trajectory(crawl.ended), told


def test_what_a_crawl_leaves() -> None:
    seen, _ = crawled()
    assert seen.names() == [u("a"), u("b"), u("c"), u("d"), u("e")]  # `moved` counts under its final name
    assert seen.visits.tolist() == [1, 2, 3, 5, 7]  # x and gone failed
    assert seen.failed_visits.tolist() == [4, 6]
    assert seen.failures() == {"status": 2}
    assert seen.links.tolist() == [3, 2, 3, 0, 1]
    assert seen.lacking.tolist() == [1, 0, 1, 0, 0]
    assert seen.not_recorded() == 2 / 9
    assert (len(seen), seen.ended) == (5, "exhausted")


def test_thinking_is_what_the_strategy_used_also_while_its_answer_was_read() -> None:
    seen, told = crawled()
    spent = np.diff(seen.thinking, prepend=0.0)
    assert np.all(spent >= SPENT)
    assert not told.thinking.any()


def test_the_journal_tells_the_same() -> None:
    seen, told = crawled()
    for name in ("pages", "visits", "relevance", "links", "lacking", "failed_visits", "failed_reasons"):
        assert np.array_equal(getattr(seen, name), getattr(told, name)), name
    assert list(seen.urls) == list(told.urls)


def test_taken_apart_and_put_together() -> None:
    seen, _ = crawled()
    names = Names([u("z")])
    again = Trajectory.from_plain(seen.plain(), names)
    assert again.names() == seen.names()
    assert again.pages.tolist() == [1, 2, 3, 4, 5]
    assert again.urls is names.urls
    assert {name: list(value) for name, value in again.plain().items()} == {
        name: list(value) for name, value in seen.plain().items()
    }


def test_an_empty_crawl() -> None:
    nothing = Recorder().trajectory("exhausted")
    assert (len(nothing), nothing.not_recorded(), nothing.failures()) == (0, 0.0, {})
    assert Trajectory.from_plain(nothing.plain()).ended == "exhausted"


def test_a_url_keeps_its_number() -> None:
    names = Names([u("a"), u("b"), u("a")])
    assert names.numbers([u("b"), u("c"), u("a"), u("c")]).tolist() == [1, 2, 0, 2]
    assert len(names) == 3


def test_a_page_with_another_name_has_the_number_of_its_first() -> None:
    names = Names([u("a"), u("b")], index={u("b/index"): 1}.get)
    assert names.numbers([u("b/index"), u("c"), u("b/index")]).tolist() == [1, 2, 1]
    assert names.urls == [u("a"), u("b"), u("c")]
