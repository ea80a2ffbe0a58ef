"""How the frontier on disk scales: rates, memory, opening time at growing numbers of pending URLs.

    python benchmarks/frontier.py                      # 100,000, 1 and 10 million URLs, a hundred a host
    python benchmarks/frontier.py --sizes 100000       # quicker
    python benchmarks/frontier.py --json               # for machines

URLs arrive as the links of pages do: 82 at a time, 60 of them to the page's own host, the others anywhere, each with
a random score, its anchor and its context. Each size runs in a process of its own. Rates of insertion are
those of the last tenth (at least 100,000): the rate *at* that size, not on the way there. They are given per second of
CPU time of the whole process, the store's own threads included (what they merge while the benchmark thinks of the next
page counts too; only the thinking does not), and per second of wall time spent in the frontier.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lycosa.crawl.order import MOST as MOST_COUNTED
from lycosa.frontier.protocol import Rest
from lycosa.model.commands import Enqueue, Reprioritize
from lycosa.model.events import Snapshot
from lycosa.model.garbage import collect_rarely
from lycosa.model.records import Link, Millis, Request, UrlState
from lycosa.model.url import Url
from lycosa.store.disk_frontier import DiskFrontier

LINKS, OWN = 82, 60
MOST = 1_000  # pages a host: then its links lead elsewhere
LEASES = 20_000
IN_TURN = 5_000
CLOCK = itertools.count(10, 10)
WORDS = [
    "crawl",
    "spider",
    "frontier",
    "topic",
    "page",
    "link",
    "archive",
    "search",
    "index",
    "host",
    "delay",
    "robot",
    "score",
    "queue",
    "rank",
]


def main() -> None:
    options = parse()
    if options.one:
        print(json.dumps(measure(Path(options.folder), options.sizes[0], options.hosts)))
        return
    results = []
    for size in options.sizes:
        hosts = options.hosts or max(1, size // 100)
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            command = [sys.executable, __file__, "--one", "--sizes", str(size), "--hosts", str(hosts)]
            answer = subprocess.run([*command, "--folder", folder], check=True, stdout=subprocess.PIPE)
            results.append(json.loads(answer.stdout))
        if not options.json:
            print(f"measured {size:,} URLs", file=sys.stderr)
    print(json.dumps(results, indent=2) if options.json else table(results))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--hosts", type=int, help="default: one for each hundred URLs")
    parser.add_argument("--folder", help="where to put the stores (default: the system's temporary folder)")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def measure(folder: Path, size: int, hosts: int) -> dict[str, Any]:
    path, rng, now = folder / "frontier", random.Random(1), 10**9
    collect_rarely()  # as a crawl does
    frontier = DiskFrontier(path)
    result: dict[str, Any] = {"urls": size, "hosts": hosts}
    began = time.perf_counter()
    result |= insert(frontier, size, hosts, rng)
    result["insertion_wall_s"] = time.perf_counter() - began
    rest()
    again = [Enqueue(url=some_url(rng, hosts, len(frontier)), score=-1.0) for _ in range(LEASES)]
    result["known_us"] = per_command(frontier, again)
    moves = [Reprioritize(url=c.url, score=rng.random()) for c in again]
    result["reprioritise_us"] = per_command(frontier, moves)
    keep(frontier)
    rest()
    result["leases_a_s"], result["leases_a_wall_s"] = lease(frontier, now)
    keep(frontier)
    now += 10**8
    for within in (None, 16, MOST_COUNTED):
        result[f"lease_{within or 'eager'}_us"], result[f"rank_{within or 'eager'}"] = in_turn(
            frontier, now, within
        )
        keep(frontier)
        now += 10**8
    rest()
    left = len(frontier)
    frontier.close()
    cpu, wall = time.process_time(), time.perf_counter()
    frontier = DiskFrontier(path)
    result["open_cpu_s"], result["open_wall_s"] = time.process_time() - cpu, time.perf_counter() - wall
    assert len(frontier) == left
    assert frontier.lease(Millis(now + 10**9)) is not None
    result["first_lease_wall_s"] = time.perf_counter() - wall
    frontier.close()
    result["peak_rss_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result["disk_mb"] = sum(file.stat().st_size for file in path.iterdir()) / 2**20
    return result


def rest() -> None:
    """Wait until the store has tidied up after what came before, so that it is not charged to what comes next."""
    while True:
        before = time.process_time()
        time.sleep(0.5)
        if time.process_time() - before < 0.05:
            return


def some_url(rng: random.Random, hosts: int, urls: int) -> Url:
    """Most often a pending one: hosts have about as many as others."""
    return url_of(rng.randrange(hosts), rng.randrange(max(1, urls // hosts // 4)))


def url_of(host: int, number: int) -> Url:
    return Url(f"https://www.host{host}.example/section{number % 7}/some-article-about-{number}.html")


def insert(frontier: DiskFrontier, size: int, hosts: int, rng: random.Random) -> dict[str, float]:
    """Fill the frontier as a crawl does. Answers the rates at the end a second of CPU and of wall time, and the CPU
    that an insert takes in this thread, in RocksDB's that merge, and in those that write its buffers: microseconds.

    Neither the invention of pages nor the leases that ask for them count.
    """
    counts = [0] * hosts
    _fill(frontier, size - max(100_000, size // 10), counts, rng)
    before, began, inventing, wall = len(frontier), time.process_time(), 0.0, 0.0
    here, merging, writing = time.thread_time(), _cpu_of("rocksdb:low"), _cpu_of("rocksdb:high")
    for apart, within in _pages(frontier, size, counts, rng):
        inventing, wall = inventing + apart, wall + within
    done = len(frontier) - before
    return {
        "inserts_a_s": done / (time.process_time() - began - inventing),
        "inserts_a_wall_s": done / wall,
        "insert_here_us": (time.thread_time() - here - inventing) / done * 1e6,
        "insert_merging_us": (_cpu_of("rocksdb:low") - merging) / done * 1e6,
        "insert_writing_us": (_cpu_of("rocksdb:high") - writing) / done * 1e6,
    }


def _cpu_of(name: str) -> float:
    """Seconds of CPU that threads of this name have had, as Linux tells; elsewhere nothing is known."""
    spent = 0
    for stat in Path("/proc/self/task").glob("*/stat"):
        own, _, fields = stat.read_text().partition("(")[2].rpartition(")")
        spent += sum(map(int, fields.split()[11:13])) if own == name else 0
    return spent / os.sysconf("SC_CLK_TCK")


def _fill(frontier: DiskFrontier, size: int, counts: list[int], rng: random.Random) -> None:
    for _ in _pages(frontier, size, counts, rng):
        pass


def _pages(
    frontier: DiskFrontier, size: int, counts: list[int], rng: random.Random
) -> Iterator[tuple[float, float]]:
    """Enqueue page after page: the CPU time of this thread spent on inventing it, the wall time on inserting it."""
    while len(frontier) < size:
        began = time.thread_time()
        page = visited(frontier, next(CLOCK))
        commands = list(links_of_a_page(page, rng, counts))
        inventing, entering = time.thread_time() - began, time.perf_counter()
        frontier.apply(commands)
        if frontier.overfull:
            keep(frontier)
        yield inventing, time.perf_counter() - entering


def visited(frontier: DiskFrontier, now: int) -> Request:
    request = frontier.lease(Millis(now))
    if not isinstance(request, Request):
        return Request(url=url_of(0, 0), order=0)
    frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(now + 1000)))
    return request


def links_of_a_page(page: Request, rng: random.Random, counts: list[int]) -> Iterator[Enqueue]:
    own = int(page.url.split(".")[1][4:])
    for position in range(LINKS):
        host = own if position < OWN else rng.randrange(len(counts))
        if counts[host] >= MOST:
            host = rng.randrange(len(counts))
        number, counts[host] = counts[host], counts[host] + 1
        url = url_of(host, number)
        context = " ".join(rng.choices(WORDS, k=20))
        link = Link(
            source=page.url, target=url, anchor=context[:25], context=context, path="html body div p a"
        )
        yield Enqueue(url=url, score=rng.random(), via=link)


def per_command(frontier: DiskFrontier, commands: list[Any]) -> float:
    began = time.process_time()
    frontier.apply(commands)
    return (time.process_time() - began) / len(commands) * 1e6


def lease(frontier: DiskFrontier, now: int) -> tuple[float, float]:
    began, wall = time.process_time(), time.perf_counter()
    for _ in range(LEASES):
        now += 10
        request = frontier.lease(Millis(now))
        assert isinstance(request, Request)
        frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(now + 1000)))
        if frontier.overfull:
            keep(frontier)
    return LEASES / (time.process_time() - began), LEASES / (time.perf_counter() - wall)


def in_turn(frontier: DiskFrontier, now: int, within: int | None) -> tuple[float, float]:
    """What a lease costs while many better links wait: hosts rest for 20 s and one is leased each 10 ms, so that up to
    2,000 are closed. Microseconds of a lease alone, and the mean rank. Out of turn or not, all are leased."""
    spent = ranks = 0.0
    for _ in range(IN_TURN):
        now += 10
        began = time.thread_time()
        request = frontier.lease(Millis(now), within)
        spent += time.thread_time() - began
        assert isinstance(request, Request)
        ranks += request.rank
        frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(now + 20_000)))
    return spent / IN_TURN * 1e6, ranks / IN_TURN


def keep(frontier: DiskFrontier) -> None:
    frontier.checkpoint(Snapshot(step=1, crawl={}, strategy={}))


def table(results: list[dict[str, Any]]) -> str:
    rows = [
        ("URLs pending", "urls", "{:,}"),
        ("hosts", "hosts", "{:,}"),
        ("inserts a CPU-second", "inserts_a_s", "{:,.0f}"),
        ("leases (and settles) a CPU-second", "leases_a_s", "{:,.0f}"),
        ("inserts a wall-second", "inserts_a_wall_s", "{:,.0f}"),
        ("leases (and settles) a wall-second", "leases_a_wall_s", "{:,.0f}"),
        ("an insert: the thread that asks, µs", "insert_here_us", "{:.1f}"),
        ("an insert: threads that merge, µs", "insert_merging_us", "{:.1f}"),
        ("an insert: those that write, µs", "insert_writing_us", "{:.1f}"),
        ("enqueue a known URL, µs", "known_us", "{:.1f}"),
        ("re-prioritise, µs", "reprioritise_us", "{:.1f}"),
        ("a lease, better ones not counted, µs", "lease_eager_us", "{:.0f}"),
        ("a lease, 16 counted at most, µs", "lease_16_us", "{:.0f}"),
        (f"a lease, {MOST_COUNTED} counted at most, µs", f"lease_{MOST_COUNTED}_us", "{:.0f}"),
        ("mean number counted, of these", f"rank_{MOST_COUNTED}", "{:.0f}"),
        ("open, s of CPU", "open_cpu_s", "{:.2f}"),
        ("open to first lease, s of wall time", "first_lease_wall_s", "{:.2f}"),
        ("peak memory, MB", "peak_rss_mb", "{:,.0f}"),
        ("on disk, MB", "disk_mb", "{:,.0f}"),
        ("filling it, s of wall time", "insertion_wall_s", "{:,.0f}"),
    ]
    lines = [
        "".join([f"{name:38}", *(f"{form.format(r[key]):>14}" for r in results)]) for name, key, form in rows
    ]
    if len(results) > 1:
        for name, key in (("inserts", "inserts_a_s"), ("leases", "leases_a_s")):
            ratio = results[-1][key] / results[0][key]
            lines.append(f"{name}: largest to smallest, ratio {ratio:.2f} (wanted: 0.80 or more)")
    return "\n".join(lines)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONHASHSEED", "0")
    main()
