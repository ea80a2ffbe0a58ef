"""The made-up topical web: what a page costs, its links, its in-links, and start pages some links from the targets.

    python benchmarks/generating.py [--pages 10000000] [--write FILE]
    python benchmarks/generating.py --record FOLDER --pages 50000 --words 1500 --links 25

Each measure takes pages at random from the web; CPU time of this process. With `--record` the pages are written into a
WARC file instead, for `virtual.py --folder FOLDER`.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime
import os
import platform
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lycosa.archive.warc import WarcArchive
from lycosa.model.records import Response
from lycosa.read.html import read
from lycosa.web.made.topical import TopicalShape, TopicalWeb

PAGES_A_HOST = 17.5


def row(what: str, times: int, act: Callable[[], float]) -> str:
    """A row of the table; `act` returns what is told of the result, on average."""
    began = time.process_time()
    result = act()
    return f"| {what} | {times:,} | {(time.process_time() - began) / times * 1000:.3f} | {result:,.1f} |"


def measured(shape: TopicalShape) -> Iterator[str]:
    began = time.process_time()
    web = TopicalWeb(shape, seed=1)
    yield f"| making the web | 1 | {(time.process_time() - began) * 1000:.1f} | |"
    chance = random.Random(1)
    sample = [chance.randrange(shape.pages) for _ in range(1000)]
    pages = [page for page in sample if web.fate(page) == "page"][:500]

    async def fetch() -> list[Response]:
        answers = [await web.fetch(web.url(page)) for page in pages]
        return [answer for answer in answers if isinstance(answer, Response)]

    count = len(pages)
    yield row(
        "links of a page (how many)", count, lambda: sum(len(web.links(page)) for page in pages) / count
    )
    yield row(
        "a page (bytes)", count, lambda: sum(len(answer.body) for answer in asyncio.run(fetch())) / count
    )
    answers = asyncio.run(fetch())
    yield row(
        "reading it (links)", count, lambda: sum(len(read(a.body, a.url).links) for a in answers) / count
    )
    some = pages[:200]
    yield row(
        "in-links of a page (how many)", 200, lambda: sum(len(web.in_links(page)) for page in some) / 200
    )
    topics = range(0, web.topics, max(1, web.topics // 5))
    for distance in (1, 2, 3):
        what = f"start pages at {distance} links from the targets of a topic (how many)"
        yield row(
            what,
            len(topics),
            lambda d=distance: sum(len(web.seeds(topic, d)) for topic in topics) / len(topics),
        )


def record(web: TopicalWeb, folder: Path) -> None:
    archive = WarcArchive.open(folder)

    async def everything() -> None:
        for number in range(len(web)):
            answer = await web.fetch(web.url(number))
            if isinstance(answer, Response):
                archive.write(answer)

    asyncio.run(everything())
    archive.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pages", type=int, default=10_000_000)
    options.add_argument("--words", type=int, default=150)
    options.add_argument("--links", type=float, default=7.4)
    options.add_argument("--record", type=Path, help="write the pages into this folder")
    options.add_argument("--write", type=Path, help="write the table to this file too")
    given = options.parse_args()
    shape = TopicalShape(
        pages=given.pages, hosts=int(given.pages / PAGES_A_HOST), words=given.words, links=given.links
    )
    if given.record:
        record(TopicalWeb(shape, seed=1), given.record)
        return
    command = " ".join(["python", "benchmarks/generating.py", *sys.argv[1:]])
    lines = [
        f"# A web that is made up as it is crawled\n\n`{command}`\n\n{shape.pages:,} pages on {shape.hosts:,} hosts; "
        f"{os.cpu_count()} cores, Python {platform.python_version()}, {datetime.date.today()}.\n",
        "| | times | CPU ms each | on average |",
        "|---|---|---|---|",
        *measured(shape),
        f"\nMemory of the process at its peak: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:,} MB.",
    ]
    report = "\n".join(lines) + "\n"
    print(report)
    if given.write:
        given.write.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
