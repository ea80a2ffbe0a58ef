"""A crawl of a changing site, kept fresh for a while: what its copies were worth, and what that cost.

    python -m benchmarks.refreshed served [MINUTES]     in real time, over HTTP on loopback; 40 minutes by default
    python -m benchmarks.refreshed recorded             two weeks of virtual time, on the same kind of web, recorded

run from the project's folder. Both begin with `lycosa crawl` and go on with `lycosa refresh`, as a user would. The web
is made up (`lycosa.web.made.changing`), so what is true of its pages at any time is known. Writes
benchmarks/results/refreshed-served.md or refreshed-recorded.md.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sqlite3
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from email.utils import formatdate, parsedate_to_datetime
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import fastwarc
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

from lycosa.archive.removals import VERSIONS
from lycosa.archive.warc import WarcArchive
from lycosa.drive.clock import VirtualClock
from lycosa.lab.time.made_worlds import made_world
from lycosa.lab.time.measures import copy_of, mean
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Response
from lycosa.model.url import Url, host_of
from lycosa.revisit.history import DAY
from lycosa.web.made.changing import BEGINS, ChangingShape, ChangingWeb
from lycosa.web.made.topical import TopicalShape
from lycosa.web.serve import Served

RESULTS = Path(__file__).parent / "results"
SEED, TOPIC = 7, 1
SHAPE = ChangingShape(
    pages=TopicalShape(pages=2_000, hosts=80, parents=3, leaves=4), days=80.0, noise=0.2, liars=0.3
)
HURRY = 2_880
"""A day of the served web takes 30 seconds: pages change each few seconds to minutes."""
DELAY = 0.5
"""Seconds between two visits to a host, in both crawls."""
POLICY, RATE = "lambda", "180/m"
DAILY = "250/day"
TWO_WEEKS = 14.0


class Hurried:
    """The web's clock: from the beginning of the web on, so many times as fast as real time."""

    def __init__(self, began: float, hurry: float = HURRY) -> None:
        self.began, self.hurry = began, hurry

    def now(self) -> Millis:
        return self.of(time.time())

    def of(self, real: float) -> Millis:
        """The web's time at a real time, in seconds since the epoch."""
        return Millis(BEGINS + round((real - self.began) * 1000 * self.hurry))

    def real(self, at: Millis) -> float:
        return self.began + (at - BEGINS) / 1000 / self.hurry

    async def sleep_until(self, when: Millis) -> None:
        await asyncio.sleep(max(0.0, self.real(when) - time.time()))


class InRealTime:
    """A hurried web whose dates are those of real time. Writes down each request: when, which URL, whether there was a
    condition, and the status of the answer."""

    def __init__(self, web: ChangingWeb, clock: Hurried, log: Path) -> None:
        self._web, self._clock = web, clock
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        told = replace(ask, modified_since=self._dated(ask.modified_since, back=False))
        answer = await self._web.fetch(url, told)
        status = answer.status if isinstance(answer, Response) else 0
        os.write(self._log, f"{time.time():.3f} {url} {ask.is_conditional:d} {status}\n".encode())
        if isinstance(answer, Fault):
            return answer
        headers = tuple(
            (name, self._dated(value, back=True) if name == "Last-Modified" else value)
            for name, value in answer.headers
        )
        return replace(answer, headers=headers)

    def _dated(self, written: str, *, back: bool) -> str:
        """A date of the web's time as one of real time, or the other way round; what is far from now stays."""
        if not written:
            return ""
        seconds = parsedate_to_datetime(written).timestamp()
        moved = self._clock.real(Millis(round(seconds * 1000))) if back else self._clock.of(seconds) / 1000
        return (
            written
            if abs(moved - (time.time() if back else BEGINS / 1000)) > 1e8
            else formatdate(moved, usegmt=True)
        )

    async def close(self) -> None:
        """Nothing is open."""


def _serve(began: float, log: Path, telling: multiprocessing.connection.Connection) -> None:
    clock = Hurried(began)
    web = InRealTime(ChangingWeb(SHAPE, SEED, clock=clock), clock, log)

    async def serving() -> None:
        async with Served(web) as served:
            telling.send(served.port)
            await asyncio.Event().wait()

    asyncio.run(serving())


@contextmanager
def server(began: float, log: Path) -> Iterator[int]:
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_serve, args=(began, log, there), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.kill()
        process.join()


def lycosa(*words: str | Path) -> float:
    """Run a command line; returns the seconds of CPU that it took."""
    before = os.times()
    subprocess.run([sys.executable, "-m", "lycosa.cli", *map(str, words)], check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def topic_of(web: ChangingWeb) -> list[str]:
    """What a crawler is told of the topic, and where it begins."""
    starts = [web.url(number) for number in web.seeds(TOPIC, 1, n=5)]
    return [" ".join(web.keywords(TOPIC)), *starts]


# -- what came of it -------------------------------------------------------------------------------------------


class Run(NamedTuple):
    """Looks at pages by URL, in days of the web, and counts of what they found."""

    looks: dict[str, list[float]]
    found: Counter[str]
    changed: Counter[str]


def looks_in(folder: Path, clock: Hurried | None, since: float) -> Run:
    """What the journal tells; `found` and `changed` from the day `since` on."""
    looks: dict[str, list[float]] = defaultdict(list)
    found, changed = Counter[str](), Counter[str]()
    with closing(sqlite3.connect(f"{(folder / 'journal.db').resolve().as_uri()}?mode=ro", uri=True)) as rows:
        told = rows.execute(
            "SELECT at, kind, url, status, change, due FROM steps "
            "WHERE kind IN ('page', 'unchanged', 'gone', 'failure') ORDER BY step"
        )
        for at, kind, url, _status, change, due in told:
            day = ((clock.of(at / 1000) if clock else at) - BEGINS) / DAY
            if kind != "failure":
                looks[url].append(day)
            if day >= since:
                found["new" if due is None else kind] += 1
                if change and due is not None:
                    changed[change] += 1
    return Run(looks, found, changed)


def worth(web: ChangingWeb, run: Run, since: float, until: float) -> list[str]:
    """Rows on what the copies were worth from one day to another, and on new pages of the topic."""
    world = made_world(web, TOPIC, until)
    known = [
        (page, looks) for page in world.pages if (looks := run.looks.get(page.url)) and looks[0] <= since
    ]
    kept = [copy_of(page, looks, since, until) for page, looks in known]
    left = [copy_of(page, [look for look in looks if look <= since], since, until) for page, looks in known]
    relevance = [page.relevance for page, _ in known]
    plain = [1.0] * len(known)
    rows = [f"| pages when the refresh began, on topic | {len(known):,}, {sum(relevance):,.0f} | |"]
    for name, field, form in (
        ("share of time in which copies were right", "fresh", ".3f"),
        ("age of copies, days of the web", "age", ".2f"),
    ):
        for which, weights in (("", plain), (", pages on topic", relevance)):
            now, had = (mean([getattr(copy, field) for copy in copies], weights) for copies in (kept, left))
            rows.append(f"| {name}{which} | {now:{form}} | {had:{form}} |")
    rows += news(world.pages, run, since, until)
    return rows


def news(pages: Sequence[object], run: Run, since: float, until: float) -> list[str]:
    """On pages that were born while the crawl was kept fresh."""
    rows = []
    for name, relevant in (("new pages on topic", True), ("new pages not on topic", False)):
        born = [page for page in pages if since < page.born < until and bool(page.relevance) == relevant]
        delays = [looks[0] - page.born for page in born if (looks := run.looks.get(page.url))]
        rows.append(f"| {name}: born, found | {len(born)}, {len(delays)} | |")
        if delays:
            rows.append(
                f"| … days of the web from birth to the first visit, median | {median(delays):.1f} | |"
            )
    return rows


def spent(run: Run, cpu: float) -> list[str]:
    again = sum(run.found.values()) - run.found["new"]
    named = {
        "unchanged": "as they were (304, or the same bytes)",
        "page": "another page",
        "gone": "gone",
        "failure": "no answer",
    }
    rows = [f"| visits to new URLs | {run.found['new']:,} | |", f"| revisits | {again:,} | |"]
    rows += [
        f"| … {told} | {run.found[kind]:,} ({run.found[kind] / max(again, 1):.0%}) | |"
        for kind, told in named.items()
    ]
    rows.append(
        "| … of other pages: the content changed, only the dressing "
        f"| {run.changed['content']:,}, {run.changed['dressing']:,} | |"
    )
    rows.append(
        f"| CPU of the refresh in all, ms a visit | {1000 * cpu / max(sum(run.found.values()), 1):.1f} | |"
    )
    return rows


def asked_for(log: Path, parted: float) -> list[str]:
    """By the server's own log: requests, and the shortest time between two to a host, before and after a moment."""
    gaps: dict[bool, list[float]] = {False: [], True: []}
    last: dict[str, float] = {}
    statuses: dict[bool, Counter[str]] = {False: Counter(), True: Counter()}
    robots = conditional = 0
    for line in log.read_text().splitlines():
        at, url, with_condition, status = line.split(" ")
        later, host = float(at) >= parted, host_of(Url(url))
        statuses[later][status] += 1
        robots += later and url.endswith("/robots.txt")
        conditional += later and with_condition == "1"
        if host in last:
            gaps[later].append(float(at) - last[host])
        last[host] = float(at)
    asked, same = statuses[True].total(), statuses[True]["304"]
    return [
        f"| requests as the server counts them, first crawl; refresh | {statuses[False].total():,}; {asked:,} | |",
        "| … of the refresh for robots.txt; with a condition; answered 304 "
        f"| {robots:,}; {conditional:,}; {same:,} ({same / max(asked, 1):.0%}) | |",
        "| shortest time between two to one host, s, first crawl; refresh "
        f"| {min(gaps[False]):.3f}; {min(gaps[True]):.3f} | |",
    ]


def archived(folder: Path) -> list[str]:
    """Whether others read the archive, and what is in it."""
    kinds, fast = Counter[str](), Counter[str]()
    for path in sorted((folder / "archive").glob("*.warc.gz")):
        with path.open("rb") as file:
            fast.update(
                str(r.headers["WARC-Type"])
                for r in fastwarc.ArchiveIterator(file, parse_http=False)
                if r.verify_block_digest()
            )
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                kinds[record.rec_type] += 1
    assert kinds == fast, (kinds, fast)
    told = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items()))
    return [f"| WARC records, read alike by FastWARC and warcio, all digests right | {told} | |"]


def write(name: str, title: str, command: str, told: list[str], rows: list[str]) -> None:
    head = [
        f"# {title}",
        "",
        f"`{command}`",
        "",
        *told,
        "",
        "| what | | had nothing been visited again |",
        "|---|---:|---:|",
    ]
    path = RESULTS / f"{name}.md"
    path.write_text("\n".join([*head, *rows]) + "\n", encoding="utf-8")
    print(path.read_text("utf-8"), flush=True)


# -- the two runs ----------------------------------------------------------------------------------------------


def served(minutes: float) -> None:
    began = time.time()
    clock = Hurried(began)
    web = ChangingWeb(SHAPE, SEED, clock=clock)
    with TemporaryDirectory() as place:
        folder, log = Path(place) / "crawl", Path(place) / "requests.log"
        with server(began, log) as port:
            lycosa(
                "crawl",
                *topic_of(web),
                "--connect-to",
                f"*:*:127.0.0.1:{port}",
                "--allow-private",
                "--delay",
                f"{DELAY}",
                "--pages",
                "500",
                "--out",
                folder,
                "--quiet",
            )
            parted = time.time()
            cpu = lycosa(
                "refresh", folder, "--policy", POLICY, "--rate", RATE, "--for", f"{minutes:g}m", "--quiet"
            )
            ended = time.time()
        since, until = (web.day(clock.of(at)) for at in (parted, ended))
        run = looks_in(folder, clock, since)
        rows = [
            f"| minutes of real time, days of the web | {(ended - parted) / 60:.1f}, {until - since:.1f} | |"
        ]
        rows += [*worth(web, run, since, until), *spent(run, cpu), *asked_for(log, parted), *archived(folder)]
    told = [
        f"A made-up web of 2,000 pages on 80 hosts, of which a day takes {86_400 // HURRY} seconds, served over HTTP",
        "on loopback. Three servers in ten lie about their pages' changes. `lycosa crawl` brought 500 pages,",
        f"`lycosa refresh --policy {POLICY} --rate {RATE}` kept them and went on finding new ones.",
    ]
    write(
        "refreshed-served",
        "Kept fresh in real time",
        f"python -m benchmarks.refreshed served {minutes:g}",
        told,
        rows,
    )


def record(web: ChangingWeb, clock: VirtualClock, folder: Path, days: float) -> int:
    """Each version of each page that is there in the first days, as WARC files, and a table of what was taken away.
    Returns how many captures that makes."""
    moments: list[tuple[Millis, Url]] = []
    gone = ["time\turl\tstatus"]
    for number in range(len(web)):
        url, born, died = web.url(number), web.lives.born(number), web.lives.died(number)
        at = [max(0.0, born), *(turn.at for turn in web.lives.turns(number, 0.0, days))]
        moments += [(web.instant(day), url) for day in at if day < min(died, days)]
        if 0 < died < days:
            gone.append(f"{datetime.fromtimestamp(web.instant(died) / 1000, UTC).isoformat()}\t{url}\t404")
    archive = WarcArchive.open(folder)
    for at, url in sorted(moments):
        clock.pass_to(at)
        answer = asyncio.run(web.fetch(url))
        if isinstance(answer, Response) and answer.status != 404:
            archive.write(answer)
    archive.close()
    (folder / VERSIONS).write_text("\n".join(gone) + "\n", encoding="utf-8")
    return len(moments)


def recorded() -> None:
    clock = VirtualClock(BEGINS)
    shape = replace(SHAPE, days=TWO_WEEKS, new=0.15, noise=0.0, liars=0.0)
    web = ChangingWeb(shape, SEED, clock=clock)
    with TemporaryDirectory() as place:
        folder, past = Path(place) / "crawl", Path(place) / "web"
        captures = record(web, clock, past, TWO_WEEKS + 1)
        begins = ["--web", f"recorded:{past}", "--begins", "2026-01-01"]
        lycosa("crawl", *topic_of(web), *begins, "--pages", "500", "--out", folder, "--quiet")
        ended = max(day for looks in looks_in(folder, None, 0.0).looks.values() for day in looks)
        cpu = lycosa("refresh", folder, "--rate", DAILY, "--for", "2w", "--quiet")
        run = looks_in(folder, None, ended)
        until = ended + TWO_WEEKS
        rows = [f"| captures in the recording | {captures:,} | |"]
        rows += [*worth(web, run, ended, until), *spent(run, cpu), *archived(folder)]
    told = [
        "A made-up web of 2,000 pages on 80 hosts was recorded whenever a page changed. `lycosa crawl --begins",
        "2026-01-01` brought 500 pages of it,",
        f"`lycosa refresh --rate {DAILY} --for 2w` (by topical) kept them for two weeks of virtual time and",
        "went on finding new ones.",
    ]
    command = "python -m benchmarks.refreshed recorded"
    write("refreshed-recorded", "Two weeks kept fresh in virtual time", command, told, rows)


def main() -> None:
    match sys.argv[1:]:
        case ["served", *minutes]:
            served(float(minutes[0]) if minutes else 40.0)
        case ["recorded"]:
            recorded()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
