"""What the hunter's thinking costs on recorded webs, and whether its crawls are the same as before.

    LYCOSA_SHARED=FOLDER python benchmarks/hunter_cost.py [WEB:TOPIC:PAGES ...]

Crawls so many pages of a recorded web for one of its topics, by number. Told are the links of a page and how many new
URLs it brings, CPU milliseconds of thinking a page, the bytes that the strategy holds at the end (shared out over the
pages), and a checksum of the visits in their order. The same checksum before and after a change is the same crawl.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import sys
from pathlib import Path
from zlib import crc32

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.traps import Traps
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.frontier.memory import MemoryFrontier
from lycosa.lab.measures.trajectory import Timed
from lycosa.lab.tasks.judge import brief
from lycosa.lab.tasks.task import read_tasks
from lycosa.lab.webs.lab_web import open_web
from lycosa.model.records import Millis, Page, Visit
from lycosa.spec.registry import strategy
from strategies import held

CRAWLS = ("webkb:3:1500", "uci-ics-10k:2:1500", "wikispeedia:5:1000")
DISTANCE = 2


def row(crawled: str) -> list[str]:
    """What one crawl came to, as the cells of a row."""
    name, topic, pages = crawled.split(":")
    folder = Path(os.environ["LYCOSA_SHARED"]) / "webs" / name
    web, tasks = open_web([folder]), list(read_tasks(folder / "topics.jsonl"))
    told = brief(tasks[int(topic)], DISTANCE)
    source = told.source()
    hunter = strategy("hunter", source.inputs())
    timed = Timed(hunter)
    crawl = Crawl(
        timed,
        MemoryFrontier(),
        source.model(),
        MemoryStore(),
        gate=Gate(Scope(), Traps()),
        pace=Pace(PaceRules(delay=Millis(0), slowness=0.0)),
        budget=int(pages),
    )
    clock = VirtualClock()
    visitor = web.visitor(crawl.refuses_redirect, clock)
    visits: list[str] = []
    links: list[int] = []

    def watch(visit: Visit) -> None:
        visits.append(f"{visit.url} {visit.request.score:.6f}")
        if isinstance(visit, Page):
            links.append(len(visit.links))

    crawl.start(told.seeds, clock.now())
    asyncio.run(simulate(crawl, visitor, visitor.latency, clock, watch=watch))
    count = len(links)
    return [
        crawled,
        f"{sum(links) / count:,.0f}",
        f"{(len(crawl.frontier) + len(visits)) / count:.1f}",
        f"{timed.seconds / count * 1e3:.2f}",
        f"{held(hunter) / count / 1e3:.1f}",
        f"{crc32(chr(10).join(visits).encode()):08x}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("crawls", nargs="*", metavar="WEB:TOPIC:PAGES")
    gc.disable()
    head = ["web, topic, pages", "links", "new URLs", "thinking, ms a page", "KB a page", "checksum"]
    sys.stdout.write("| " + " | ".join(head) + " |\n| --- |" + " ---: |" * (len(head) - 1) + "\n")
    for crawled in parser.parse_args().crawls or CRAWLS:
        sys.stdout.write("| " + " | ".join(row(crawled)) + " |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
