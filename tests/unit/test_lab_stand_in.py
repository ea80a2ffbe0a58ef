"""A stand-in answers what a crawl of the laboratory asks, and the crawl gets marks and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import pytest
from tests.unit.test_lab_judge import SECRET, Spy
from tests.worlds import TableWeb, html, make_crawl, response, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.strategy import View
from lycosa.crawls.interview import FIRST
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Visitor
from lycosa.lab.experiments.design import WebSpec, cells_of
from lycosa.lab.experiments.experiment import Experiment
from lycosa.lab.experiments.runner import task_digest
from lycosa.lab.measures.trajectory import Names
from lycosa.lab.tasks.judge import brief
from lycosa.lab.tasks.stand_in import Interviewed, Questions, StandIn
from lycosa.lab.tasks.task import Task
from lycosa.model.commands import Command
from lycosa.model.events import Marked
from lycosa.model.records import Millis, Page
from lycosa.model.url import Url

PAGES = 40
TASK = Task(
    id="t",
    keywords=("spider",),
    description=SECRET,
    targets=(u("nowhere"), u("hidden"), *(u(f"p{n}") for n in range(0, PAGES, 2))),
    seeds={2: (u("p0"),)},
)


def letters(number: int) -> str:
    """A word of four letters, for each number another one."""
    return "".join(chr(97 + number // 20**place % 20) for place in range(4))


def chain() -> TableWeb:
    """p0, p1, …: each speaks of spiders the more, the later it comes, and links to the next; even ones are targets."""
    told = {n: "spider " * n + " ".join(letters(500 * n + k) for k in range(500)) for n in range(PAGES)}
    pages = {n: html(text, [u(f"p{n + 1}")], head=f"<title>page {n}</title>") for n, text in told.items()}
    return TableWeb({u(f"p{n}"): response(u(f"p{n}"), page) for n, page in pages.items()})


class Marking(Spy):
    """Notes what it is told, and looks around then too."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: list[tuple[Url, bool | None]] = []

    def on_mark(self, page: Page, good: bool | None, crawl: View) -> Iterable[Command]:
        self.marks.append((page.url, good))
        list(self.on_page(page, crawl))
        return ()


def interviewed(questions: Questions) -> tuple[Marking, Crawl]:
    strategy, names, clock = Marking(), Names(), VirtualClock()
    crawl = make_crawl(strategy, topic=brief(TASK, 2).source().model(), budget=PAGES)
    asked = Interviewed(crawl, StandIn.of(TASK, questions), names.numbers, clock.now)
    visitor = Visitor(chain(), None, None, crawl.refuses_redirect, clock)
    crawl.start([u("p0")], clock.now())
    asyncio.run(simulate(crawl, visitor, lambda url: Millis(1), clock, watch=asked.watch))
    assert crawl.pages == PAGES
    return strategy, crawl


def test_through_marks_only() -> None:
    strategy, crawl = interviewed(Questions(most=6))
    events = [entry.event for entry in crawl.store.entries()]
    marks = [event for event in events if isinstance(event, Marked)]
    brought = [event.url for event in events if isinstance(event, Page)]
    assert [(mark.url, mark.good) for mark in marks] == strategy.marks
    assert {mark.by for mark in marks} == {"stand-in"}
    assert len({mark.url for mark in marks}) == 6
    assert {mark.url for mark in marks} <= set(brought)
    assert all(mark.good is (mark.url in TASK.targets) for mark in marks)
    assert events.index(marks[0]) >= FIRST
    assert strategy.met > 1000
    assert strategy.found == []


def test_the_best_pages_by_hand() -> None:
    """Each page speaks more of spiders than the one before. All four questions, spread as (p/40)^.5, are due at pages
    20 (4·.71 = 2.8: three of them) and 23 (3.03)."""
    strategy, _ = interviewed(Questions(most=4, early=0.5))
    assert [url for url, _ in strategy.marks] == [u("p19"), u("p18"), u("p17"), u("p22")]
    evenly, _ = interviewed(Questions(most=4))
    assert [url for url, _ in evenly.marks] == [u("p19"), u("p18"), u("p20"), u("p30")]


def test_who_errs_errs_in_every_crawl_about_the_same_pages() -> None:
    wrong = StandIn.of(TASK, Questions(wrong=0.2))
    urls = [u(f"page/{n}") for n in range(5_000)]
    erred = [url for url in urls if wrong.errs(url)]
    assert len(erred) / len(urls) == pytest.approx(0.2, abs=0.02)  # three standard errors
    assert erred == [url for url in urls if StandIn.of(TASK, Questions(most=7, wrong=0.2)).errs(url)]
    assert not any(StandIn.of(TASK, Questions()).errs(url) for url in urls)
    assert all(StandIn.of(TASK, Questions(wrong=1.0)).errs(url) for url in urls)
    always, _ = interviewed(Questions(most=6, wrong=1.0))
    assert all(good is (url not in TASK.targets) for url, good in always.marks)


def test_what_is_asked_is_part_of_the_cell_and_of_its_key() -> None:
    web = WebSpec(path="w", questions=Questions(most=5, wrong=0.1))
    design = Experiment(
        strategies={"a": "hunter"}, webs={"w": web, "plain": WebSpec(path="w")}, distances=(2,)
    )
    [asked] = cells_of(design, "w", [TASK])
    [plain] = cells_of(design, "plain", [TASK])
    assert asked.questions == web.questions
    assert plain.questions is None
    assert asked.key("w", "t") != plain.key("w", "t")
    stand_in = StandIn.of(TASK, Questions())
    others = StandIn.of(TASK, Questions(most=9))
    assert len({task_digest(TASK, None, each) for each in (None, stand_in, others)}) == 3
