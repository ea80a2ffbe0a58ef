"""What it costs to visit pages again: CPU a revisit, bytes a page, time to plan.

    python -m benchmarks.refreshing                    # all of it; writes benchmarks/results/refreshing.md
    python -m benchmarks.refreshing revisits           # one part, to the screen: revisits, frontier, table, planning

run from the project's folder. Pages are made up (`lycosa.web.made.topical`). Nothing goes over the network, so the
cost of a revisit is that of the crawl, its journal, its archive and its schedule; what a request over HTTP costs comes
on top, and is that of any other (benchmarks/crawling.py).
"""

from __future__ import annotations

import asyncio
import cProfile
import pstats
import random
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

from msgspec.structs import replace

from lycosa.compose import parts
from lycosa.compose.topic import TopicSource
from lycosa.crawl.crawl import Crawl
from lycosa.crawls.keeper import Keeper
from lycosa.crawls.opened import Opened
from lycosa.drive.clock import VirtualClock
from lycosa.drive.halt import Halt
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Visitor
from lycosa.frontier.protocol import Rest
from lycosa.model.commands import Enqueue
from lycosa.model.events import Entry, Snapshot, Started
from lycosa.model.records import PLAIN, Arrival, Ask, Fault, Look, Millis, Response, Sight, UrlState
from lycosa.model.url import Url
from lycosa.revisit.history import DAY, History
from lycosa.revisit.registry import policy, policy_names
from lycosa.revisit.table import Table
from lycosa.spec.registry import strategy
from lycosa.spec.tree import CrawlSpec, PolitenessSpec, RevisitSpec, TopicSpec
from lycosa.store.codec import pack_targets
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.web.http.dns_file import DnsFile
from lycosa.web.made.topical import TopicalShape, TopicalWeb

RESULTS = Path(__file__).parent / "results" / "refreshing.md"
BEGIN = Millis(1_767_225_600_000)
PAGES = 1_500
ROUNDS = 3


# -- revisits --------------------------------------------------------------------------------------------------


class Tagged(TopicalWeb):
    """A web that answers 304 to whom shows a page's ETag, at any time of its clock."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__(TopicalShape(pages=4_000, hosts=200, failures=0.0, redirects=0.0, traps=0.0), 3)
        self._clock = clock
        self.made: dict[Url, Response | Fault] = {}

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        tag = f'"{crc32(url.encode()):08x}"'
        if ask.etag == tag:
            return replace(self._response(url, 304, b"", ("ETag", tag)), fetched_at=self._clock.now())
        found = self.made.get(url) or await super().fetch(url)
        self.made[url] = found
        if isinstance(found, Fault):
            return found
        return replace(found, fetched_at=self._clock.now(), headers=(*found.headers, ("ETag", tag)))


class Run:
    """A crawl in a folder, as a session puts it together, under virtual time. Its pages are visited again by a policy,
    once in 8 hours each."""

    def __init__(self, folder: Path, name: str = "azar") -> None:
        self.clock = VirtualClock(BEGIN)
        self.web = Tagged(self.clock)
        keywords = self.web.keywords(1)
        self.spec = CrawlSpec(
            topic=TopicSpec(keywords=keywords),
            strategy="breadth-first",
            politeness=PolitenessSpec(delay=1.0),
            pages=PAGES,
            revisit=RevisitSpec(policy=name, every=28_800.0),
        )
        dns = DnsFile.open(folder / "dns.jsonl")
        self.opened = Opened.open(self.spec, folder, dns)
        self.crawl = Crawl(
            strategy(self.spec.strategy, {}),
            self.opened.frontier,
            TopicSource(keywords=" ".join(keywords)).model(),
            self.opened.store,
            gate=parts.gate_of(self.spec),
            pace=parts.pace_of(self.spec),
            order=parts.order_of(self.spec),
            budget=PAGES,
            schedule=parts.schedule_of(self.spec),
            split=parts.split_of(self.spec),
        )
        self.keeper = Keeper(self.crawl, self.opened, dns)
        self.halt = Halt()
        self.again = 0
        self.costs: list[float] = []
        self._since = 0.0
        self.profile: cProfile.Profile | None = None

    def run(self) -> None:
        """To the last page, then `ROUNDS` revisits of each."""
        self.crawl.start([self.web.url(number) for number in self.web.seeds(1, 1, n=5)], self.clock.now())
        self.crawl.plan(self.clock.now())
        self.keeper.begin()
        visitor = Visitor(self.web, None, self.opened.archive, self.crawl.refuses_redirect, self.clock)
        asyncio.run(
            simulate(
                self.crawl, visitor, self.web.latency, self.clock, width=32, halt=self.halt, watch=self._watch
            )
        )
        self.opened.close()

    def _watch(self, visit: Arrival) -> None:
        self.keeper.visited()
        if self.crawl.pages < PAGES:
            return
        if visit.request.due is not None:
            self.again += 1
        if self.again % PAGES == 0 and self.crawl.pages == PAGES:
            now = time.process_time()
            if self.again:
                self.costs.append((now - self._since) / PAGES)
            self._since = now
            if self.profile is not None and self.again == PAGES * (ROUNDS - 1):
                self.profile.enable()
        if self.again == PAGES * ROUNDS:
            if self.profile is not None:
                self.profile.disable()
            self.halt.ask("all were visited")
            self.halt.ask("at once")


def revisits(*, profiled: bool = False) -> list[str]:
    with TemporaryDirectory() as place:
        run = Run(Path(place))
        if profiled:
            run.profile = cProfile.Profile()
        run.run()
        if run.profile is not None:
            pstats.Stats(run.profile).sort_stats("tottime").print_stats(45)
            pstats.Stats(run.profile).sort_stats("cumtime").print_stats(60)
        told = ", ".join(f"{1000 * cost:.2f}" for cost in run.costs)
        return [f"| CPU a revisit that answers 304, ms: in the first round, the second, … | {told} |"]


# -- a million pages -------------------------------------------------------------------------------------------


def resident() -> float:
    """Bytes of memory that this process has now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def page_url(number: int, hosts: int) -> Url:
    return Url(
        f"https://www.host{number % hosts}.example/section{number % 7}/some-article-about-{number}.html"
    )


def known_pages(frontier: DiskFrontier, size: int, hosts: int, rng: random.Random) -> Iterator[float]:
    """Let a frontier know so many visited pages, each due some time within a year. Yields the seconds of CPU of each
    batch, checkpoint included."""
    for start in range(0, size, 10_000):
        batch = [page_url(number, hosts) for number in range(start, min(size, start + 10_000))]
        began = time.process_time()
        frontier.apply([Enqueue(url=batch[0])])
        request = frontier.claim(batch[0])
        frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(0)), batch[1:])
        due = (Millis(int(BEGIN + rng.random() * 365 * DAY)) for _ in batch)
        frontier.apply(
            Enqueue(url=u, score=rng.random(), refetch=True, not_before=at)
            for u, at in zip(batch, due, strict=True)
        )
        frontier.checkpoint(Snapshot(step=start, crawl={}, strategy={}))
        yield time.process_time() - began


def revisited(frontier: DiskFrontier, now: int, leases: int) -> tuple[float, int]:
    """Lease, settle and schedule again, so often; the seconds of CPU of one, and when it was over."""
    took, done = 0.0, 0
    while done < leases:
        began = time.process_time()
        request = frontier.lease(Millis(now), lane="again")
        if request is None:
            wakes = frontier.wakes_at()
            assert wakes is not None
            now = max(now + 1, wakes)
        else:
            done += 1
            frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(now + 1_000)))
            frontier.apply([Enqueue(url=request.url, refetch=True, not_before=Millis(now + 400 * DAY))])
            now += 20
        took += time.process_time() - began
        if frontier.overfull:
            frontier.checkpoint(Snapshot(step=1, crawl={}, strategy={}))
    return took / leases, now


def frontier_of(size: int) -> str:
    """A row on a frontier with so many known pages on a hundredth as many hosts."""
    hosts = max(1, size // 100)
    with TemporaryDirectory() as place:
        path = Path(place) / "frontier"
        before, rng = resident(), random.Random(1)
        frontier = DiskFrontier(path)
        scheduling = list(known_pages(frontier, size, hosts, rng))
        first, now = revisited(frontier, BEGIN, 5_000)
        lease, _ = revisited(frontier, now + 30 * DAY, 10_000)
        held = resident() - before
        frontier.close()
        disk = sum(file.stat().st_size for file in path.iterdir())
        began = time.perf_counter()
        frontier = DiskFrontier(path)
        assert frontier.lease(Millis(now + 31 * DAY), lane="again") is not None
        opening = time.perf_counter() - began
        assert frontier.revisits == size - 1
        frontier.close()
    last = 1e6 * sum(scheduling[-5:]) / min(size, 50_000)
    costs = f"{last:.0f} | {1e6 * first:.0f} | {1e6 * lease:.0f}"
    return f"| {size:,} | {costs} | {held / size:.0f} | {disk / size:.0f} | {opening:.1f} |"


def frontiers(sizes: Sequence[int] = (100_000, 1_000_000)) -> list[str]:
    head = [
        "| known pages | schedule one, µs | revisit one that is due, µs | … after a month in which nothing was visited "
        "| memory a page, bytes | disk a page, bytes | opened to the first lease, s |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    return [*head, *(_apart("frontier_of", size) for size in sizes)]


def _apart(name: str, *values: object) -> str:
    """What a function of this module answers, in a process of its own."""
    command = f"from benchmarks import refreshing; print(refreshing.{name}(*{values!r}))"
    return subprocess.run(
        [sys.executable, "-c", command], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


def histories(size: int, hosts: int) -> Iterator[History]:
    """Pages with a few looks each, as after some months."""
    rng, sights = random.Random(2), [Sight.SAME, Sight.SAME, Sight.CHANGED]
    for number in range(size):
        begin, looks = (
            BEGIN - 100 * DAY,
            [Look(at=Millis(BEGIN - 100 * DAY), sight=Sight.FIRST, relevance=rng.random(), new_links=40)],
        )
        for day in range(10, 10 + rng.randrange(90), 20):
            looks.append(
                Look(
                    at=Millis(begin + day * DAY),
                    sight=rng.choice(sights),
                    relevance=looks[0].relevance,
                    importance=0.5,
                )
            )
        yield History(url=page_url(number, hosts), looks=tuple(looks))


def table_of(size: int) -> str:
    """What the schedule holds of so many pages: memory, and the seconds to share requests among them, by policy."""
    before = resident()
    table, chosen = Table(), policy("lambda")
    for history in histories(size, size // 100):
        table.set(history.url, chosen.estimate(history))
    held, saved = resident() - before, sum(map(len, table.save().values()))
    rows = [
        f"| the schedule's table in memory, bytes a page; in a snapshot | {held / size:.0f}; {saved / size:.0f} |"
    ]
    for name in policy_names():
        solving = policy(name)
        began = time.process_time()
        solving.solve(table.pages(), size / 7)
        rows.append(
            f"| requests shared among {size:,} pages by {name}, s of CPU | {time.process_time() - began:.2f} |"
        )
    return "\n".join(rows)


def planning(size: int) -> str:
    """Rows on a crawl of so many pages that begins to be kept fresh: its journal and frontier on disk, no texts."""
    hosts = size // 100
    with TemporaryDirectory() as place:
        run = Run(Path(place))
        run.opened.journal.append(Entry(step=1, at=BEGIN, leased=(), event=Started(seeds=())))
        run.opened.store.flush()
        _fill(Path(place) / "journal.db", size, hosts)
        frontier = run.opened.frontier
        for batch in range(0, size, 10_000):
            urls = [page_url(number, hosts) for number in range(batch, min(size, batch + 10_000))]
            frontier.apply([Enqueue(url=urls[0])])
            frontier.settle(frontier.claim(urls[0]), UrlState.VISITED, Rest(host_until=Millis(0)), urls[1:])
            frontier.checkpoint(Snapshot(step=1, crawl={}, strategy={}))
        run.opened.journal.last_step = size + 1
        run.crawl.step, run.crawl.pages = size + 1, size
        before, cpu, wall = resident(), time.process_time(), time.perf_counter()
        run.crawl.plan(Millis(BEGIN + DAY))
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        assert frontier.revisits == size
        held = resident() - before
        run.opened.journal.close()
        frontier.close()
    said = f"{cpu:.0f} s, {wall:.0f} s, {1e6 * cpu / size:.0f} µs, {held / 2**20:.0f} MB"
    return f"| {size:,} pages of a crawl planned: CPU, in all, CPU a page, memory | {said} |"


def _fill(journal: Path, size: int, hosts: int) -> None:
    """Rows of pages that were fetched once, as far as planning reads them."""
    with closing(sqlite3.connect(journal)) as db, db:
        rows = (
            (n + 2, BEGIN, page_url(n, hosts), BEGIN, 0.3, "sha1:A", pack_targets([])) for n in range(size)
        )
        db.executemany(
            "INSERT INTO steps (step, at, kind, url, status, fetched_at, relevance, digest, links) "
            "VALUES (?, ?, 'page', ?, 200, ?, ?, ?, ?)",
            rows,
        )


def report() -> None:
    """All of it, each part in a process of its own."""
    shares = _apart("table_of", 1_000_000).splitlines()
    few = [
        _apart("revisits_told"),
        shares[0],
        *shares[1:],
        _apart("planning", 100_000),
        _apart("planning", 1_000_000),
    ]
    head = ["# What it costs to visit pages again", "", "`python -m benchmarks.refreshing`", ""]
    table = ["| what | |", "|---|---:|", *few, "", *frontiers((100_000, 1_000_000, 10_000_000))]
    RESULTS.write_text("\n".join([*head, *table]) + "\n", encoding="utf-8")
    print(RESULTS.read_text("utf-8"))


def revisits_told() -> str:
    return "\n".join(revisits())


def main() -> None:
    match sys.argv[1:]:
        case ["revisits", *more]:
            print("\n".join(revisits(profiled="profiled" in more)))
        case ["frontier", *sizes]:
            print("\n".join(frontiers([int(size) for size in sizes] or (100_000, 1_000_000))))
        case ["table"]:
            print(_apart("table_of", 1_000_000))
        case ["planning", *sizes]:
            print(_apart("planning", *(int(size) for size in sizes or ["1000000"])))
        case []:
            report()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
