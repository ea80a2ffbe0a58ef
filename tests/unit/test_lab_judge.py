"""The judge judges, and those who are judged cannot reach it."""

from __future__ import annotations

import asyncio
import gc
import pickle
import sys
from collections.abc import Iterable
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import pytest
from tests.worlds import TableWeb, made_page, make_crawl, u

from lycosa.crawl.strategy import View
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Visitor
from lycosa.lab.measures.trajectory import Names, Recorder, Trajectory
from lycosa.lab.tasks.judge import Brief, Judge, brief
from lycosa.lab.tasks.task import Task
from lycosa.model.commands import Command
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Page, Request
from lycosa.strategies.order import BreadthFirst

SECRET = "the hidden description of wolf spiders"
GRAPH = {"s": ["a", "b"], "a": ["c", "e"], "b": ["a"], "c": [], "e": []}
TASK = Task(
    id="t",
    keywords=("wolf", "spider"),
    description=SECRET,
    targets=(u("c"), u("nowhere"), u("hidden")),
    relevant=(u("c"), u("b"), u("nowhere"), u("hidden")),
    examples=(u("e"),),
    seeds={2: (u("s"),), 0: (u("c"),)},
    labels={"best": (u("labelled"),)},
)


def crawled(strategy: BreadthFirst, names: Names, given: Brief) -> Trajectory:
    crawl = make_crawl(strategy, topic=given.source().model())
    crawl.start(list(given.seeds), Millis(0))
    clock = VirtualClock()
    visitor = Visitor(TableWeb.of_graph(GRAPH), None, None, crawl.refuses_redirect, clock)
    recorder = Recorder(names)
    asyncio.run(simulate(crawl, visitor, lambda url: Millis(1), clock, watch=recorder.watch))
    return recorder.trajectory(crawl.ended)


def test_a_crawl_is_judged() -> None:
    """Breadth-first from s: s, a, b, c, e. c is one of three targets; b and c are relevant; e is an example."""
    names = Names()
    judge = Judge(TASK, 2, names)
    crawl = crawled(BreadthFirst(), names, judge.brief())
    assert crawl.names() == [u("s"), u("a"), u("b"), u("c"), u("e")]
    assert judge.recall(crawl).tolist() == pytest.approx([0, 0, 0, 1 / 3, 1 / 3])
    assert judge.harvest(crawl).tolist() == pytest.approx([0, 0, 1 / 3, 1 / 2, 1 / 2])
    assert judge.relevant_hosts(crawl).tolist() == [0, 0, 1, 2, 2]
    assert judge.search_length(crawl, 0.3).pages == 4
    assert judge.search_length(crawl, 0.5).censored
    elsewhere = Trajectory.from_plain(crawl.plain())
    assert judge.recall(elsewhere).tolist() == judge.recall(crawl).tolist()


def test_similarity_to_the_hidden_description() -> None:
    names = Names()
    judge = Judge(TASK, 2, names)
    crawl = crawled(BreadthFirst(), names, judge.brief())
    (curve,) = judge.similarity(
        [crawl], lambda page: {"wolf": 1} if page == names.number(u("c")) else {"x": 1}
    )
    assert np.flatnonzero(np.diff(curve, prepend=0.0) > 0).tolist() == [3]
    plain = Task(id="t", keywords=("k",), targets=(u("c"),), seeds={2: (u("s"),)})
    with pytest.raises(InputError, match="no description"):
        Judge(plain, 2, names).similarity([crawl], lambda page: {})


def test_with_distance_nought_the_start_pages_do_not_count() -> None:
    names = Names()
    judge = Judge(TASK, 0, names)
    assert judge.recall(crawled(BreadthFirst(), names, judge.brief()))[-1] == 0
    with pytest.raises(InputError, match="nothing is left to be found"):
        Judge(Task(id="t", keywords=("k",), targets=(u("c"),), seeds={0: (u("c"),)}), 0, names)


def test_a_brief_tells_the_keywords_and_the_start_pages() -> None:
    told = brief(TASK, 2, [{"wolf": 3}])
    assert told == Brief(keywords=("wolf", "spider"), seeds=(u("s"),), examples=({"wolf": 3},))
    assert told.source().keywords == "wolf spider"
    page = made_page(Request(url=u("x"), order=0), text="a wolf spider")
    assert told.source().model().relevance(page) > 0.5
    with pytest.raises(InputError, match=r"no start pages at D = 3 \(it has: 2, 0\)"):
        brief(TASK, 3)


def test_stays_where_it_is() -> None:
    with pytest.raises(TypeError, match="send them the brief"):
        pickle.dumps(Judge(TASK, 2, Names()))
    assert pickle.loads(pickle.dumps(brief(TASK, 2))) == brief(TASK, 2)


class Spy(BreadthFirst):
    """Follows every reference from itself and from what it is given, as far as they lead.

    Modules are left alone: by them everything in a process can be reached, and no rule can keep that out.
    """

    def __init__(self, *friends: object) -> None:
        self.friends = friends
        self.found: list[object] = []
        self.met = 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        modules = {
            id(vars(module)) for module in list(sys.modules.values()) if isinstance(module, ModuleType)
        }
        seen: set[int] = set()
        waiting: list[Any] = [self.friends, page, crawl]
        while waiting:
            thing = waiting.pop()
            if id(thing) in seen or id(thing) in modules or isinstance(thing, ModuleType | FrameType):
                continue
            seen.add(id(thing))
            if isinstance(thing, Judge | Task) or (isinstance(thing, str) and self._is_secret(thing)):
                self.found.append(thing)
            waiting += gc.get_referents(thing)
        self.met = max(self.met, len(seen))
        return super().on_page(page, crawl)

    @staticmethod
    def _is_secret(text: str) -> bool:
        return text in (SECRET, u("nowhere"), u("hidden"), u("labelled"))


def test_out_of_reach() -> None:
    names = Names()
    judge = Judge(TASK, 2, names)
    spy = Spy()
    crawl = crawled(spy, names, judge.brief())
    assert judge.recall(crawl)[-1] > 0
    assert spy.met > 1000  # it did look around: classes, code, the frontier, the memory
    assert spy.found == []


def test_a_spy_with_a_friend_at_court_is_found_out() -> None:
    """The search above can find what it looks for."""
    names = Names()
    judge = Judge(TASK, 2, names)
    spy = Spy({"friend": [judge]})
    crawled(spy, names, judge.brief())
    assert any(isinstance(thing, Judge) for thing in spy.found)
    assert SECRET in spy.found
