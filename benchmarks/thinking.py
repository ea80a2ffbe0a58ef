"""What a crawl's thinking takes as it grows: milliseconds by part, memory, and what checkpoints cost and write.

    LYCOSA_SHARED=FOLDER python benchmarks/thinking.py [--strategy NAME] [--sizes 1000,10000,100000] [--parts]

A recorded web is told again and again, each time on other hosts (`c0.`, `c1.`, …), so it has as many pages as are asked
for. Rare words (in at most two pages of the recording) are others in each copy, so the vocabulary grows as that of a
real web does. The crawl has the gate, journal and frontier of a folder on disk; pages come read already, and nothing is
archived. A checkpoint is made every 5,000 steps, as a crawl of 6 ms a page makes it, and when the frontier holds as
many changes as it should (`crawls/keeper.py`).

A row for each size, of what came since the row before: CPU milliseconds a page of the strategy, of the whole commit,
and of checkpoints; bytes that a checkpoint writes on the average; the process's memory without mapped files, now and at
most. `visits` is a checksum of what was asked for in which order, with its scores: the same crawl has the same. The
first row is of no page: what Python, its libraries and the benchmark hold themselves, which has every recorded page
once in memory before.
`--parts` tells what the strategy's time goes to, by the functions of the hunter; it costs a little time itself.
"""

from __future__ import annotations

import argparse
import datetime
import functools
import gc
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import numpy as np

import lycosa.lab.webs.pages
from lycosa.compose.parts import gate_of
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.lab.measures.trajectory import Timed
from lycosa.lab.tasks.judge import brief
from lycosa.lab.tasks.task import read_tasks
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.records import Arrival, Failure, Millis, Reason, Request
from lycosa.model.url import Url
from lycosa.spec.registry import strategy
from lycosa.spec.tree import CrawlSpec
from lycosa.store.crawl_store import CrawlStore
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.journal import Journal
from lycosa.strategies.hunter.corpus import Corpus
from lycosa.strategies.hunter.evidence import Evidence
from lycosa.strategies.hunter.hunter import Hunter

CHECKPOINT_STEPS = 5_000
DISTANCE = 2
RARE = 2
PARTS: tuple[tuple[type, str], ...] = (
    (Corpus, "add"),
    (Evidence, "learn"),
    (Evidence, "see"),
    (Hunter, "_surroundings"),
    (Hunter, "_worth"),
    (Hunter, "_fresh"),
    (Hunter, "_scores"),
    (Hunter, "_put_in_order"),
)


class Copies:
    """A recorded web, as often as it takes."""

    def __init__(self, web: LabWeb) -> None:
        self.web = web
        known = web.all_terms()
        pages = np.bincount(known.numbers, minlength=len(known.vocabulary))
        for number in range(len(web)):
            web.page(number)
        self._rare = {known.vocabulary[number] for number in np.flatnonzero(pages <= RARE).tolist()}

    def visit(self, request: Request) -> Arrival:
        """The page at an URL of a copy, all its links within that copy."""
        copy, _, rest = request.url.partition("://")[2].partition(".")
        number = self.web.index(f"http://{rest}")
        if number is None:
            return Failure(request=request, reason=Reason.NOT_RECORDED, at=Millis(0))
        page = self.web.page(number)
        links = tuple(
            msgspec.structs.replace(link, source=request.url, target=copied(link.target, copy))
            for link in page.links
        )
        rare = self._rare
        terms = {f"{term}{copy}" if term in rare else term: n for term, n in page.terms.items()}
        mark = page.fingerprint ^ crc32(copy.encode()) << 16
        return msgspec.structs.replace(
            page,
            request=request,
            final_url=request.url,
            digest=f"{page.digest}{copy}",
            text=f"{page.text}\n{copy}",
            links=links,
            terms=terms,
            fingerprint=mark,
        )


def copied(url: Url, copy: str) -> Url:
    return Url(f"http://{copy}.{url.partition('://')[2]}")


def memory() -> tuple[int, int]:
    """Bytes of the process's own memory, mapped files left out: now, and at most."""
    told = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    sizes = {line.split(":")[0]: int(line.split()[1]) << 10 for line in told if line.endswith(" kB")}
    return sizes["RssAnon"], sizes["VmHWM"] - sizes["RssFile"]


class Bench:
    """One crawl on a folder."""

    def __init__(self, name: str, copies: Copies, folder: Path, topic: int, count: int, web: Path) -> None:
        told = brief(list(read_tasks(web / "topics.jsonl"))[topic], DISTANCE)
        source = told.source()
        self.strategy = Timed(strategy(name, source.inputs()))
        self.frontier = DiskFrontier(folder / "frontier")
        self.store = CrawlStore(Journal(folder / "journal"), self.frontier)
        spec = CrawlSpec()
        self.crawl = Crawl(
            self.strategy,
            self.frontier,
            source.model(),
            self.store,
            gate=gate_of(spec),
            pace=Pace(PaceRules(delay=Millis(0), slowness=0.0)),
            budget=10**9,
        )
        self.copies, self.sum = copies, 0
        seeds = [copied(seed, f"c{number}") for number in range(count) for seed in told.seeds]
        self.crawl.start(seeds, Millis(0))
        self.commits = self.keeping = 0.0
        self.kept: list[int] = []
        self._kept_step = 0

    def run(self, pages: int) -> None:
        while self.crawl.pages < pages:
            request = self.crawl.lease(Millis(0))
            if request is None:
                sys.exit(f"nothing waits after {self.crawl.pages} pages")
            self.sum = crc32(f"{request.url} {request.score:.6f}".encode(), self.sum)
            visit = self.copies.visit(request)
            began = time.process_time()
            self.crawl.commit(visit, Millis(0))
            self.commits += time.process_time() - began
            if self.store.overfull or self.crawl.step - self._kept_step >= CHECKPOINT_STEPS:
                self.keep()

    def keep(self) -> None:
        written, began = written_bytes(), time.process_time()
        self.store.keep(self.crawl.snapshot())
        self.keeping += time.process_time() - began
        self.kept.append(written_bytes() - written)
        self._kept_step = self.crawl.step


def written_bytes() -> int:
    """What this process gave the system to write."""
    told = Path("/proc/self/io").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in told if line.startswith("wchar")))


def timed_parts() -> dict[str, float]:
    """CPU seconds of the hunter's parts, kept up from now on."""
    spent: dict[str, float] = {}

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def measured(*given: Any, **named: Any) -> Any:
            began = time.process_time()
            try:
                return function(*given, **named)
            finally:
                spent[name] = spent.get(name, 0.0) + time.process_time() - began

        return measured

    for owner, name in PARTS:
        setattr(owner, name, timed(f"{owner.__name__}.{name}", getattr(owner, name)))
    return spent


def rows(bench: Bench, sizes: list[int], spent: Mapping[str, float]) -> Iterator[list[str]]:
    before, thought, commits, keeping = 0, 0.0, 0.0, 0.0
    for size in sizes:
        bench.kept.clear()
        bench.run(size)
        if not bench.kept:
            bench.keep()
        count, now, most = (size - before) / 1e3, *memory()
        yield [
            f"{size:,}",
            f"{len(bench.crawl.frontier):,}",
            f"{(bench.strategy.seconds - thought) / count:.2f}",
            f"{(bench.commits - commits) / count:.2f}",
            f"{(bench.keeping - keeping) / count:.2f}",
            f"{sum(bench.kept) / len(bench.kept) / 1e6:.1f}",
            f"{now / 1e6:,.0f}",
            f"{most / 1e6:,.0f}",
            f"{bench.sum:08x}",
        ]
        before, thought, commits, keeping = size, bench.strategy.seconds, bench.commits, bench.keeping
        for name, seconds in spent.items():
            sys.stderr.write(f"  {name}: {seconds / size * 1e3:.3f} ms a page so far\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--strategy", default="hunter")
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--web", default="uci-ics-10k")
    parser.add_argument("--topic", type=int, default=2, help="of the web's tasks, by number")
    parser.add_argument(
        "--parts", action="store_true", help="what the strategy's time goes to, on standard error"
    )
    given = parser.parse_args()
    web = Path(os.environ["LYCOSA_SHARED"]) / "webs" / given.web
    lycosa.lab.webs.pages.PAGES_KEPT = 1  # type: ignore[misc]  # so that little is held that no crawl holds
    copies, sizes = Copies(open_web([web])), [int(size) for size in given.sizes.split(",")]
    count = 2 * sizes[-1] // len(copies.web) + 1
    head = [
        "pages",
        "waiting",
        "thinking, ms",
        "commit, ms",
        "checkpoints, ms",
        "MB each",
        "MB",
        "MB at most",
        "visits",
    ]
    load, date = os.getloadavg()[1], datetime.datetime.now(datetime.UTC).date()
    sys.stdout.write(f"{given.strategy}, {given.web}, {date}, load average {load:.0f}\n\n")
    sys.stdout.write("| " + " | ".join(head) + " |\n|" + " ---: |" * len(head) + "\n")
    now, most = memory()
    sys.stdout.write(f"| 0 |{' |' * 5} {now / 1e6:,.0f} | {most / 1e6:,.0f} | |\n")
    sys.stdout.flush()
    gc.freeze()
    with tempfile.TemporaryDirectory() as folder:
        spent = timed_parts() if given.parts else {}
        bench = Bench(given.strategy, copies, Path(folder), given.topic, count, web)
        for row in rows(bench, sizes, spent):
            sys.stdout.write("| " + " | ".join(row) + " |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
