"""A crawl under virtual time: best-first over a recorded web, its pages read once and kept.

    LYCOSA_SHARED=FOLDER python benchmarks/virtual.py [--pages 4600] [--rounds 3] [--write FILE]

Crawls the recorded encyclopaedia `webs/wikispeedia` (4,604 pages, 119,772 links) in memory. The first crawl starts
from one page and reads what it fetches, unless a run before has kept it on disk; the others start from the pages that
it could not reach as well, and take the pages that were kept. Prints pages a second, by wall time and by CPU time, the
best round.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import os
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from lycosa.archive.collection import Collection
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.traps import Traps
from lycosa.drive.clock import VirtualClock
from lycosa.drive.parsed import ParsedRecording, ParsedVisitor, kept_in
from lycosa.drive.simulated import simulate
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.registry import strategy
from lycosa.scoring.topic import KeywordTopic
from lycosa.web.recorded import RecordedWeb

START = Url("http://schools.wiki.example/wp/Mathematics.html")
TOPIC = "numerical analysis mathematics"


class Run(NamedTuple):
    """Pages of one crawl, and what it took in seconds."""

    pages: int
    wall: float
    cpu: float
    visited: frozenset[str]


def crawl(parsed: ParsedRecording, budget: int, starts: Sequence[Url]) -> Run:
    clock = VirtualClock()
    web = RecordedWeb(parsed)
    rules = PaceRules(delay=Millis(0), slowness=0.0)
    crawl = Crawl(
        strategy("best-first"),
        MemoryFrontier(),
        KeywordTopic(TOPIC),
        MemoryStore(),
        gate=Gate(Scope(), Traps()),
        pace=Pace(rules),
        budget=budget,
    )
    visitor = ParsedVisitor(web, parsed, None, crawl.refuses_redirect, clock)
    wall, cpu = time.perf_counter(), time.process_time()
    crawl.start(starts, clock.now())
    asyncio.run(simulate(crawl, visitor, web.latency, clock, width=1))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return Run(crawl.pages, wall, cpu, frozenset(crawl.store.memory.recent(crawl.pages)))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pages", type=int, default=4_600)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--write", type=Path, help="write the table to this file too")
    given = options.parse_args()
    shared = os.environ.get("LYCOSA_SHARED")
    if not shared:
        raise SystemExit("LYCOSA_SHARED is not set: it names the folder that holds webs/wikispeedia")
    folder = Path(shared) / "webs" / "wikispeedia"
    files = sorted(folder.glob("*.warc.gz"))
    collection = Collection.open(files)
    parsed = ParsedRecording(collection)
    began = time.process_time()
    parsed.load(kept := kept_in(files))
    loading = time.process_time() - began
    rows = (
        [(f"{len(parsed):,} pages kept on disk, loaded", len(parsed), loading, loading)]
        if len(parsed)
        else []
    )
    first = crawl(parsed, given.pages, [START])
    rows.append(("first crawl in this process, from one page", first.pages, first.wall, first.cpu))
    starts = [
        START,
        *sorted(Url(capture.url) for capture in collection.captures() if capture.url not in first.visited),
    ]
    crawl(parsed, given.pages, starts)
    parsed.save(kept)
    rounds = [crawl(parsed, given.pages, starts) for _ in range(given.rounds)]
    best = min(rounds, key=lambda run: run.cpu)
    rows.append(("crawl of kept pages", best.pages, best.wall, best.cpu))
    command = " ".join(["python", "benchmarks/virtual.py", *sys.argv[1:]])
    lines = [
        f"# A crawl under virtual time\n\n`{command}`\n\n{given.rounds} rounds, the best; {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, {datetime.date.today()}.\n",
        "| | pages | wall s | pages/s | CPU s | pages a CPU-second |",
        "|---|---|---|---|---|---|",
        *(
            f"| {name} | {n:,} | {wall:.2f} | {n / wall:,.0f} | {cpu:.2f} | {n / cpu:,.0f} |"
            for name, n, wall, cpu in rows
        ),
    ]
    report = "\n".join(lines) + "\n"
    print(report)
    if given.write:
        given.write.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
