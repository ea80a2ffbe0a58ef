"""Crawls under virtual time: best-first over the recorded webs, their pages read once and kept in mapped columns.

    LYCOSA_SHARED=FOLDER python benchmarks/virtual.py [--webs wikispeedia,webkb] [--folder PATH] [--write FILE]

For each recorded web in `webs/`: how long it takes to open it from what was kept (and to read it, if nothing was), to
have the link graph and all terms as arrays, to visit every page once, and to crawl it best-first, for 10,000 pages at
most, from one page and all that nothing links to. Visits are more than pages where links lead to what was not
recorded. Of rounds, the best counts. CPU time of reading is that of this process without those that it starts. Peak
memory is that of the whole process, mapped files and the pages that a crawl holds included.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import os
import platform
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

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
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.records import Millis, Request
from lycosa.model.url import Url
from lycosa.scoring.topics.keywords import KeywordTopic
from lycosa.spec.registry import strategy

TOPIC = "numerical analysis mathematics"
BUDGET = 10_000


class Row(NamedTuple):
    """Pages, and what they took in seconds."""

    what: str
    pages: int
    visits: int
    wall: float
    cpu: float


Act = Callable[[], int | tuple[int, int]]
"""Returns pages, or pages and visits where these are more."""


def timed(what: str, act: Act) -> Row:
    wall, cpu = time.perf_counter(), time.process_time()
    done = act()
    pages, visits = done if isinstance(done, tuple) else (done, done)
    return Row(what, pages, visits, time.perf_counter() - wall, time.process_time() - cpu)


def best(what: str, act: Act, rounds: int) -> Row:
    return min((timed(what, act) for _ in range(rounds)), key=lambda row: row.cpu)


def crawl(web: LabWeb, starts: Sequence[Url]) -> tuple[int, int]:
    clock = VirtualClock()
    run = Crawl(
        strategy("best-first"),
        MemoryFrontier(),
        KeywordTopic(TOPIC),
        MemoryStore(),
        gate=Gate(Scope(), Traps()),
        pace=Pace(PaceRules(delay=Millis(0), slowness=0.0)),
        budget=BUDGET,
    )
    visitor = web.visitor(run.refuses_redirect, clock)
    run.start(starts, clock.now())
    asyncio.run(simulate(run, visitor, visitor.latency, clock, width=1))
    return run.pages, visitor.view.asked


def visit_all(web: LabWeb) -> int:
    visitor = web.visitor(lambda request, url: None, VirtualClock())

    async def visits() -> None:
        for order, url in enumerate(web.urls):
            await visitor(Request(url=url, order=order))

    asyncio.run(visits())
    return len(web)


def arrays(web: LabWeb) -> int:
    web.all_terms()
    return len(web.graph())


def measured(folder: Path, rounds: int) -> Iterator[Row]:
    told: list[str] = []
    row = timed("reading all pages", lambda: len(open_web([folder], tell=told.append)))
    if told:
        yield row
    yield best("opening", lambda: len(open_web([folder])), rounds)
    web = open_web([folder])
    yield best("graph and terms as arrays", lambda: arrays(web), rounds)
    yield timed("first visit to each page", lambda: visit_all(web))
    yield best("later visit to each page", lambda: visit_all(web), rounds)
    unlinked = np.flatnonzero(np.bincount(web.graph().indices, minlength=len(web)) == 0)
    starts = [web.urls[number] for number in (0, *unlinked.tolist())]
    yield best("best-first crawl", lambda: crawl(web, starts), rounds)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--webs", default="wikispeedia,webkb,uci-ics-10k")
    options.add_argument("--folder", type=Path, action="append", default=[], help="another recorded web")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--write", type=Path, help="write the table to this file too")
    given = options.parse_args()
    shared = os.environ.get("LYCOSA_SHARED")
    if not shared and given.webs:
        raise SystemExit(
            "LYCOSA_SHARED is not set: it names the folder that holds webs/wikispeedia and others"
        )
    names = given.webs.split(",") if given.webs else []
    folders = [Path(shared or "") / "webs" / name for name in names] + given.folder
    command = " ".join(["python", "benchmarks/virtual.py", *sys.argv[1:]])
    lines = [
        f"# Crawls under virtual time\n\n`{command}`\n\n{given.rounds} rounds, the best; {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {datetime.date.today()}.\n",
        "| web | | pages | visits | wall s | CPU s | pages a CPU-second | visits a CPU-second |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for folder in folders:
        lines += [
            f"| {folder.name} | {row.what} | {row.pages:,} | {row.visits:,} | {row.wall:.3f} | {row.cpu:.3f} "
            f"| {row.pages / row.cpu:,.0f} | {row.visits / row.cpu:,.0f} |"
            for row in measured(folder, given.rounds)
        ]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    lines.append(f"\nMemory of the process at its peak, mapped files included: {peak:,} MB.")
    report = "\n".join(lines) + "\n"
    print(report)
    if given.write:
        given.write.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
