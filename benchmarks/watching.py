"""What it costs a crawl to be watched, and how soon and how large the pages are.

    python benchmarks/watching.py [--rounds N] [--pages N] [--without cost|pages|metrics]

A made-up web is served on loopback by a process of its own, without delays, so that the crawl takes all the CPU that
it can get. In each round it is crawled once unwatched, once with its live page open, once followed by a hundred, in
another order each time: CPU of the crawling process (user and system), and the medians of the ratios within a round. An
open page is what a browser asks for: the page, then its events, read as they come; the hundred follow the events alone.
On a machine with other work the ratios say little; so what telling takes is also counted within the crawl, by the clock
of its own CPU.

Then the first paint and the bytes of all pages, as Chromium tells them (where there is one), and how long `/metrics`
and the first page take with 20 crawls of 100,000 pages each.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx
import msgspec

import portal
from lycosa import __version__
from lycosa.console.running import Server
from lycosa.crawls.lookout import Lookout
from lycosa.crawls.session import begin
from lycosa.drive.live import loop_factory
from lycosa.drive.loop import unwatched
from lycosa.library.library import Library
from lycosa.model.events import Entry
from lycosa.spec.files import save
from lycosa.spec.tree import CrawlSpec, FetchSpec, FrontierSpec, PolitenessSpec, TopicSpec
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths
from lycosa.web.made.graph_web import GraphWeb, WebShape
from lycosa.web.serve import Served

SHAPE = WebShape(pages=20_000, hosts=400, topical=0.2, robots=0.1)
WATCHERS = (0, 1, 100)
CRAWLS, PAGES = 20, 100_000
FOLLOWED: dict[int, list[int]] = {}
"""How many of those who were to look on were told something before the crawl ended, in each round."""
VIEWS = ("", "/search", "/browse", "/why", "/archive", "/map", "/graph")
"""Of one crawl; those that are not there are left out."""


# -- the web ---------------------------------------------------------------------------------------------------


def _serve(tell: Connection) -> None:
    async def serve() -> None:
        async with Served(GraphWeb(SHAPE, seed=3)) as served:
            tell.send(served.port)
            await asyncio.Event().wait()

    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    asyncio.run(serve())


@contextmanager
def web() -> Iterator[int]:
    """The port of the made-up web."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


# -- what watching costs ---------------------------------------------------------------------------------------


@contextmanager
def watched(place: Path, watchers: int) -> Iterator[None]:
    """The server of the page, and so many who look on, in processes of their own; none: not even the server."""
    if not watchers:
        yield
        return
    command = [sys.executable, "-m", "lycosa.cli", "serve", str(place), "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    origin = server.stdout.readline().split()[-1].rstrip("/").removesuffix("/crawls/crawl")
    context = multiprocessing.get_context("spawn")
    followed = context.Value("i", 0)
    looking = context.Process(target=_look, args=(origin, watchers, followed), daemon=True)
    looking.start()
    try:
        yield
        looking.terminate()
        looking.join()
        FOLLOWED.setdefault(watchers, []).append(followed.value)
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def _look(origin: str, watchers: int, followed: Any) -> None:
    asyncio.run(_look_all(origin, watchers, followed))


async def _look_all(origin: str, watchers: int, followed: Any) -> None:
    seen: set[int] = set()
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=origin, timeout=None, limits=limits) as client:

        async def look(number: int) -> None:
            while True:
                with suppress(httpx.TransportError):  # a browser comes again, too
                    await follow(number)
                await asyncio.sleep(0.2)

        async def follow(number: int) -> None:
            if watchers == 1 and (await client.get("/crawls/crawl")).status_code != 200:
                return
            async with client.stream("GET", "/api/v1/crawls/crawl/events") as events:
                async for part in events.aiter_bytes():
                    if b"event: outlook" in part:
                        seen.add(number)
                        followed.value = len(seen)

        await asyncio.gather(*map(look, range(watchers)))


class Run(msgspec.Struct):
    """What a crawl used: seconds of CPU and by the clock; of the CPU what it took to tell who looks on, and how often
    it told."""

    cpu: float
    wall: float
    told: float
    times: int


def crawl_here(place: Path, port: int, pages: int) -> Run:
    """Crawl in this process, and count what telling takes of it, by the clock of this thread's CPU."""
    told, times, write = 0.0, 0, Lookout._write

    def counted(lookout: Lookout) -> None:
        nonlocal told, times
        began = time.thread_time()
        write(lookout)
        told, times = told + time.thread_time() - began, times + 1

    Lookout._write = counted  # type: ignore[method-assign]
    graph = GraphWeb(SHAPE, seed=3)
    spec = CrawlSpec(
        topic=TopicSpec(keywords=tuple(graph.topic_words)),
        seeds=tuple(graph.seeds(20)),
        pages=pages,
        fetch=FetchSpec(allow_private=True, connect_to=(f"*:*:127.0.0.1:{port}",)),
        politeness=PolitenessSpec(delay=0.0, slowness=0.0),
        frontier=FrontierSpec(order="eager"),
    )

    async def crawl() -> None:
        opened = await begin(spec, place)
        await opened.run(unwatched)

    began = time.monotonic()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(crawl())
    return Run(cpu=time.process_time(), wall=time.monotonic() - began, told=told, times=times)


def crawled(place: Path, port: int, pages: int) -> Run:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--crawl", str(place / "crawl"), str(port), str(pages)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return msgspec.json.decode(done.stdout, type=Run)


def cost(rounds: int, pages: int) -> None:
    found: dict[int, list[Run]] = {watchers: [] for watchers in WATCHERS}
    with web() as port:
        for number in range(rounds):
            order = [*WATCHERS[number % 3 :], *WATCHERS[: number % 3]]
            for watchers in order:
                with tempfile.TemporaryDirectory() as folder, watched(Path(folder), watchers):
                    found[watchers].append(crawled(Path(folder), port, pages))
    print(
        f"{pages:,} pages, {rounds} rounds; load of the machine {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores\n"
    )
    print("| who looks on | CPU of the crawl, s | by the clock, s | × unwatched: median (least – most) "
          "| telling: share of the CPU | ms a time | times |")  # fmt: skip
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for watchers, runs in found.items():
        cpu, wall = (statistics.median(getattr(run, name) for run in runs) for name in ("cpu", "wall"))
        ratios = [run.cpu / alone.cpu for run, alone in zip(runs, found[0], strict=True)]
        told, times = sum(run.told for run in runs), sum(run.times for run in runs)
        share = told / sum(run.cpu for run in runs)
        who = f"{watchers} ({min(FOLLOWED[watchers])} at least were told)" if watchers else "nobody"
        print(
            f"| {who} | {cpu:.2f} | {wall:.1f} | {statistics.median(ratios):.3f} ({min(ratios):.3f} – "
            f"{max(ratios):.3f}) | {100 * share:.2f} % | {1_000 * told / max(1, times):.2f} | {times} |"
        )


# -- first paint and sizes -------------------------------------------------------------------------------------

_SENT = """() => [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .reduce((sum, one) => sum + one.transferSize, 0)"""
_PAINT = 'performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0'


def pages_as_sent(pages: int) -> None:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("\nThere is no Chromium: no first paint.")
        return
    with web() as port, tempfile.TemporaryDirectory() as folder:
        crawled(Path(folder), port, pages)
        with Server(Library([Path(folder)]), port=0).beside() as address:
            _measure(program, address.origin, pages)


def _measure(program: str, origin: str, pages: int) -> None:
    from playwright.sync_api import sync_playwright

    print(
        f"\n| page, of a crawl of {pages:,} pages | first paint, ms: median of five | bytes as sent, all files |"
    )
    print("| --- | --- | --- |")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for path in ["/", "/new", "/search?q=a", "/api", *(f"/crawls/crawl{view}" for view in VIEWS)]:
            if httpx.get(f"{origin}{path}").status_code != 200:
                continue
            paints, sent = [], 0
            for _ in range(5):
                context = browser.new_context()  # nothing is cached
                page = context.new_page()
                page.goto(f"{origin}{path}")
                page.wait_for_timeout(300)
                paints.append(float(page.evaluate(_PAINT)))
                sent = max(sent, int(page.evaluate(_SENT)))
                context.close()
            print(f"| {path} | {statistics.median(paints):.0f} | {sent:,} |")
        browser.close()


# -- twenty large crawls ---------------------------------------------------------------------------------------


def journal_of(folder: Path, pages: int) -> None:
    """A crawl that has nothing but its journal: that is what is counted."""
    paths = Paths(folder)
    paths.archive.mkdir(parents=True)
    spec = CrawlSpec(topic=TopicSpec(keywords=("benchmark",)), seeds=("http://h0.test/",), lycosa=__version__)
    save(spec, paths.specification)
    journal, rng = Journal(paths.journal), random.Random(1)
    words = [portal.word(number) for number in range(60)]
    for step in range(1, pages + 1):
        page = portal._page(step, words, frozenset(), rng)
        journal.append(Entry(step=step, at=page.fetched_at, event=page, leased=(page.url,), commands=()))
    journal.flush()
    journal.close()


def large() -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "crawl-0"
        journal_of(first, PAGES)
        for number in range(1, CRAWLS):
            shutil.copytree(first, Path(folder) / f"crawl-{number}", copy_function=os.link)
        with (
            Server(Library([Path(folder)]), port=0).beside() as address,
            httpx.Client(base_url=address.origin, timeout=300) as client,
        ):
            print(f"\n| {CRAWLS} crawls of {PAGES:,} pages | first, s | then, ms: median of 20 | bytes |")
            print("| --- | --- | --- | --- |")
            for path in ("/metrics", "/", "/api/v1/crawls"):
                times = []
                for _ in range(21):
                    began = time.monotonic()
                    answer = client.get(path)
                    times.append(time.monotonic() - began)
                then = 1_000 * statistics.median(times[1:])
                print(f"| {path} | {times[0]:.2f} | {then:.0f} | {len(answer.content):,} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pages", type=int, default=3_000)
    parser.add_argument("--without", action="append", default=[], choices=["cost", "pages", "metrics"])
    parser.add_argument("--crawl", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.crawl:
        place, port, pages = given.crawl
        sys.stdout.write(msgspec.json.encode(crawl_here(Path(place), int(port), int(pages))).decode())
        return
    if "cost" not in given.without:
        cost(given.rounds, given.pages)
    if "pages" not in given.without:
        pages_as_sent(1_000)
    if "metrics" not in given.without:
        with suppress(KeyboardInterrupt):
            large()


if __name__ == "__main__":
    main()
