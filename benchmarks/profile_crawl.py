"""Where the milliseconds of a crawl go: CPU a page by part.

    python benchmarks/profile_crawl.py [--pages 3900] [--strategy NAME] [--stacks runs/stacks.txt]
        [--write benchmarks/results/where-the-time-goes.md]

Crawls generated manuals as `crawling.py` does, twice: once alone, for the CPU it takes, and once with its stack noted
every few milliseconds (`crawlers/sampled.py`), which says which share each part has. A sample counts for the first part
of the table below whose code is on the stack, whatever library it called. Shares of a busy machine are good to a few
tenths of a per cent.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import subprocess
import sys
from collections import Counter
from pathlib import Path

import manuals
from crawling import CACHE, HERE, Cost, compile_lycosa, measure, script
from lycosa.spec.tree import CrawlSpec
from serving import served

PARTS = {
    "archive": "WARC records compressed and written, index",
    "parse": "lexbor, and the guard against nesting",
    "walk": "text, links, headings, paths out of the tree",
    "blocks": "lines, words around links, boilerplate",
    "resolve": "references to canonical URLs",
    "terms": "tokens, stop words, stems, counts",
    "language": "detection where none is declared",
    "fingerprint": "simhash",
    "reading, rest": "decoding, records of links and page",
    "robots": "is this URL allowed",
    "fetch": "the request: aiohttp, sending it",
    "visit, rest": "redirects, status",
    "frontier: enter": "new URLs, better scores",
    "frontier: lease": "the next URL whose host may be asked",
    "frontier: settle": "a visit is over, its host rests",
    "frontier: ask": "state and depth of a URL",
    "checkpoint": "frontier and snapshot to disk",
    "gate": "scope, traps, nofollow",
    "journal": "rows packed and committed",
    "relevance": "cosine",
    "strategy": "what to enqueue",
    "commit, rest": "one step of the crawl",
    "session": "keeping, drive, halting",
    "start-up": "imports, opening",
    "event loop": "uvloop, sockets, receiving, the parser of HTTP",
}
_MARKS = {
    "archive": ("lycosa/archive/",),
    "parse": ("parse (lycosa/read/markup",),
    "walk": ("lycosa/read/walk", "lycosa/read/balanced"),
    "blocks": ("lycosa/read/blocks",),
    "resolve": ("lycosa/read/resolve",),
    "terms": ("counts (lycosa/scoring/words/terms",),
    "language": ("lycosa/read/language",),
    "fingerprint": ("simhash",),
    "reading, rest": ("lycosa/read/", "lycosa/drive/page"),
    "robots": ("lycosa/web/robots",),
    "fetch": ("LiveWeb.fetch",),
    "visit, rest": ("lycosa/drive/visit",),
    "frontier: enter": ("DiskFrontier.apply",),
    "frontier: lease": ("Crawl.lease",),
    "frontier: settle": ("DiskFrontier.settle",),
    "frontier: ask": ("DiskFrontier.state", "DiskFrontier.depth"),
    "checkpoint": ("Session._keep ",),
    "gate": ("lycosa/crawl/gate", "lycosa/crawl/traps", "lycosa/crawl/scope"),
    "journal": ("lycosa/store/",),
    "relevance": ("lycosa/scoring/topics/keywords",),
    "strategy": ("lycosa/strategies/",),
    "commit, rest": ("Crawl.commit",),
    "start-up": ("importlib", "begin (lycosa/crawls/session"),
    "session": ("lycosa/drive/", "Session."),
}


def part_of(stack: str) -> str:
    """The part whose code is on the stack, the first that fits; a stack is `function (file:line);…`."""
    return next(
        (part for part, marks in _MARKS.items() if any(mark in stack for mark in marks)), "event loop"
    )


def sampled(start: str, pages: int, strategy: str, stacks: Path) -> Counter[str]:
    """Samples by part, of a crawl whose stacks are written to a file."""
    program = HERE / "crawlers" / "sampled.py"
    stacks.parent.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, str(program), start, str(pages), str(stacks), strategy]
    subprocess.run(words, check=True, capture_output=True)
    found: Counter[str] = Counter()
    for line in stacks.read_text(encoding="utf-8").splitlines():
        stack, _, count = line.rpartition(" ")
        found[part_of(stack)] += int(count)
    return found


def report(cost: Cost, found: Counter[str], strategy: str) -> str:
    total = found.total()
    each = cost.cpu / cost.pages * 1e3
    command = " ".join(["python", "benchmarks/profile_crawl.py", *sys.argv[1:]])
    lines = [
        f"# Where the milliseconds go\n\n`{command}`\n\n{cost.pages:,} pages by {strategy}, {each:.2f} ms of CPU a "
        f"page, {total:,} samples; {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{datetime.date.today()}.\n",
        "| part | what | ms a page | share |",
        "|---|---|---|---|",
    ]
    for part, count in found.most_common():
        lines.append(f"| {part} | {PARTS[part]} | {each * count / total:.3f} | {count / total:.1%} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--pages", type=int, default=manuals.PAGES)
    options.add_argument(
        "--rounds", type=int, default=2, help="crawls without the profiler, of which the best counts"
    )
    options.add_argument("--strategy", default=CrawlSpec().strategy)
    options.add_argument(
        "--stacks", type=Path, default=HERE.parent / "runs" / "stacks.txt", help="for `flames.py`"
    )
    options.add_argument("--write", type=Path, help="write the table to this file too")
    given = options.parse_args()
    folder = CACHE / f"manuals-{given.pages}"
    manuals.generate(folder, given.pages)
    compile_lycosa()
    with served(folder) as (start, _):
        crawler = script("lycosa", sys.executable, "lycosa_session.py", str(given.pages), given.strategy)
        cost = min((measure(crawler, f"{start}/") for _ in range(given.rounds)), key=lambda cost: cost.cpu)
        text = report(cost, sampled(f"{start}/", given.pages, given.strategy, given.stacks), given.strategy)
    print(text)
    if given.write:
        given.write.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
