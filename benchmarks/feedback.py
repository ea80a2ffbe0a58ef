"""What marks are worth to the hunter: crawls of recorded webs in which somebody who knows answers for a few pages.

    LYCOSA_SHARED=FOLDER python benchmarks/feedback.py [--web wikispeedia] [-D 3] [--topics 20] [--pages 300] [--each 5]

After 50, 100 and 200 pages `each` pages are marked as the judge knows them: those of the greatest relevance, or only
the good ones of these, or those that `lycosa ask` would name. Told are the mean area under the recall curve over all
pages and the mean recall at some of them, of topics that parameters may be tuned on (the split of `benchmarks/hunter`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.traps import Traps
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.experiments.cell import Field
from lycosa.lab.measures.metrics import Floats, hold, target_recall
from lycosa.lab.measures.trajectory import Names
from lycosa.lab.tasks.judge import brief
from lycosa.lab.tasks.split import split
from lycosa.lab.tasks.task import Task, read_tasks
from lycosa.lab.webs.lab_web import open_web
from lycosa.model.events import Marked
from lycosa.model.records import Millis, Page, UrlState, Visit
from lycosa.scoring.topics.keywords import damped
from lycosa.scoring.topics.uncertainty import doubt, influence, to_ask, worth
from lycosa.spec.registry import strategy

WHEN = (50, 100, 200)
LINE = 0.1
Choose = Callable[[Sequence[Page], Sequence[Page], Crawl, int], list[Page]]


def best(pages: Sequence[Page], marked: Sequence[Page], crawl: Crawl, most: int) -> list[Page]:
    """The most relevant ones."""
    return sorted(pages, key=lambda page: -page.relevance)[:most]


def best_of_them_good(pages: Sequence[Page], marked: Sequence[Page], crawl: Crawl, most: int) -> list[Page]:
    """Of those the good ones: `crawled` leaves the others out."""
    return best(pages, marked, crawl, most)


def asked(pages: Sequence[Page], marked: Sequence[Page], crawl: Crawl, most: int) -> list[Page]:
    """Those that `lycosa ask` would name."""
    top = max(page.relevance for page in [*pages, *marked])
    doubted = {page.url: doubt(page.relevance, LINE, top) for page in pages}
    waiting = {
        page.url: [url for url in page.out if crawl.frontier.state(url) is UrlState.PENDING] for page in pages
    }
    sources: dict[str, int] = {}
    for found in waiting.values():
        for url in found:
            sources[url] = sources.get(url, 0) + 1
    values = {
        url: worth(doubted[url], influence(sources[t] for t in found)) for url, found in waiting.items()
    }
    ranked = sorted((page for page in pages if doubted[page.url] >= 0.5), key=lambda page: -values[page.url])[
        :50
    ]
    chosen = to_ask(
        [values[page.url] for page in ranked],
        [damped(page.terms) for page in ranked],
        [damped(page.terms) for page in marked],
        most,
    )
    return [ranked[place] for place in chosen]


def crawled(task: Task, distance: int, field: Field, pages: int, each: int, choose: Choose | None) -> Floats:
    """The recall curve of one crawl."""
    told = brief(task, distance)
    source = told.source()
    crawl = Crawl(
        strategy("hunter", source.inputs()),
        MemoryFrontier(),
        source.model(),
        MemoryStore(),
        gate=Gate(Scope(), Traps()),
        pace=Pace(PaceRules(delay=Millis(0), slowness=0.0)),
        budget=pages,
    )
    clock = VirtualClock()
    visitor = field.web.visitor(crawl.refuses_redirect, clock, excluded=field.excluded)
    brought: list[Page] = []
    marked: dict[str, Page] = {}
    good = {*task.on_topic(), *task.targets}

    def watch(visit: Visit) -> None:
        if isinstance(visit, Page):
            brought.append(visit)
        if choose is not None and isinstance(visit, Page) and len(brought) in WHEN:
            left = [page for page in brought if page.url not in marked]
            for page in choose(left, [*marked.values()], crawl, each):
                marked[page.url] = page
                if page.final_url in good or choose is not best_of_them_good:
                    crawl.hear(Marked(url=page.url, good=page.final_url in good), clock.now())

    crawl.start(told.seeds, clock.now())
    asyncio.run(simulate(crawl, visitor, visitor.latency, clock, watch=watch))
    numbers = field.names.numbers([page.final_url for page in brought])
    return hold(target_recall(numbers, field.names.numbers(task.wanted(distance))), pages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--web", default="wikispeedia")
    parser.add_argument("-D", "--distance", type=int, default=3)
    parser.add_argument("--topics", type=int, default=20)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--each", type=int, default=5)
    chosen = parser.parse_args()
    folder = Path(os.environ["LYCOSA_SHARED"]) / "webs" / chosen.web
    web, tasks = open_web([folder]), read_tasks(folder / "topics.jsonl")
    lock = split((task.id for task in tasks), 0.35)
    tasks = [task for task in lock.pick(tasks, "tuning") if chosen.distance in task.seeds][: chosen.topics]
    ways: dict[str, Choose | None] = {
        "no marks": None,
        "the best pages marked": best,
        "the good ones of these": best_of_them_good,
        "questions answered": asked,
    }
    shown = [n for n in (100, 200, 300, 500, 1000) if n <= chosen.pages]
    for name, choose in ways.items():
        began, curves = time.process_time(), []
        for task in tasks:
            field = Field(web, Names(web.urls, web.index), task.excluded)
            curves.append(crawled(task, chosen.distance, field, chosen.pages, chosen.each, choose))
        found = np.array(curves)
        recalls = " ".join(f"@{n} {found[:, n - 1].mean():.3f}" for n in shown)
        areas = " ".join(f"{area:.2f}" for area in found.mean(axis=1))
        took = (time.process_time() - began) / len(tasks)
        sys.stdout.write(
            f"{name:<22} AUC {found.mean():.3f}  {recalls}  {took:.1f} s CPU a crawl  ({areas})\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
