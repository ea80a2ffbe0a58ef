"""Crawls that are killed at any moment, and what must hold of their folders: for the test and the benchmark.

A server process plays the bundled sample web and writes down each request as it comes. Crawls run in processes
forked from one that has imported everything, so that a kill costs milliseconds. Each is killed with SIGKILL at a
moment told by time, or by how often some file of the folder has grown.
"""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from zlib import crc32

import fastwarc
from msgspec.structs import replace
from warcio.archiveiterator import ArchiveIterator

import lycosa.crawl.crawl
import lycosa.crawls.keeper
import lycosa.crawls.session
import lycosa.store.journal
from lycosa.archive.collection import Collection
from lycosa.archive.reader import Reader
from lycosa.archive.repair import warc_files
from lycosa.archive.scan import Damage, Found, scan
from lycosa.archive.warc_file import WarcFile
from lycosa.compose.parts import budget_of, gate_of, order_of, pace_of, schedule_of, split_of, stopping_of
from lycosa.compose.topic import load_topic
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.memory import MemoryStore
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import Session
from lycosa.drive.loop import unwatched
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.digests import payload_digest
from lycosa.model.records import PLAIN, Ask, Fault, Millis, RecordRef, Response
from lycosa.model.url import Url
from lycosa.spec.registry import strategy
from lycosa.spec.tree import ArchiveSpec, CrawlSpec, FetchSpec, PolitenessSpec, RevisitSpec, TopicSpec
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths
from lycosa.web.recorded import RecordedWeb
from lycosa.web.serve import Served

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
HOST = "http://schools.wiki.example"
MOVED, GONE = Url(f"{HOST}/moved"), Url(f"{HOST}/gone")
CHANGED, SLOW = "changed", "slow"
SLOW_ANSWER = 1.0
"""Seconds that an answer takes while the server is slow."""
LONG_TO_READ = Url(f"{HOST}/long-to-read")
"""Its markup takes seconds. No page links to it."""
SEEDS = (f"{HOST}/wp/Biosphere.html", MOVED, GONE)
_FORK = get_context("forkserver")
_FORK.set_forkserver_preload(
    ["tests.live.killing", "lycosa.web.http.live", "lycosa.read.html", "lycosa.web.spacing"]
)


# -- the web ---------------------------------------------------------------------------------------------------


class WatchedWeb:
    """The sample web with a page that moved and one that is long to read. Each request is written down before it is
    answered. Once there is a file `CHANGED` beside the log, each third page is another one; while there is a file
    `SLOW`, each answer takes `SLOW_ANSWER`, but for as many from the beginning on as stand in it."""

    def __init__(self, log: Path) -> None:
        self._web = RecordedWeb(Collection.open([SAMPLE]))
        self._log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._changed, self._slow = log.with_name(CHANGED), log.with_name(SLOW)
        self._asked = 0

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        self._asked += 1
        os.write(self._log, f"{url}\n".encode())
        if self._is_slow:
            await asyncio.sleep(SLOW_ANSWER)
        if url == MOVED:
            to = (("Location", "/wp/Maiasaura.html"),)
            return Response(url=url, status=301, headers=to, body=b"", fetched_at=Millis(0))
        if url == LONG_TO_READ:
            html = (("Content-Type", "text/html"),)
            return Response(
                url=url, status=200, headers=html, body=b"<dl><dd>" * 300_000, fetched_at=Millis(0)
            )
        found = await self._web.fetch(url)
        return found if isinstance(found, Fault) or found.status != 200 else self._tagged(found, ask)

    @property
    def _is_slow(self) -> bool:
        with suppress(FileNotFoundError):
            return self._asked > int(self._slow.read_text())
        return False

    def _tagged(self, found: Response, ask: Ask) -> Response:
        """The page as it is now, with an ETag; 304 to whom shows that."""
        is_another = crc32(found.url.encode()) % 3 == 0 and self._changed.exists()
        body = (
            found.body.replace(b"</body>", b"<p>An iguanodon was found.</p></body>")
            if is_another
            else found.body
        )
        tag = f'"{crc32(body):08x}"'
        headers = (*found.headers, ("ETag", tag))
        if ask.etag == tag:
            return replace(found, status=304, headers=(("ETag", tag),), body=b"")
        return replace(found, body=body, headers=headers)


def _serve(log: Path, telling: Connection) -> None:
    async def serve() -> None:
        async with Served(WatchedWeb(log)) as served:
            telling.send(served.port)
            await asyncio.Event().wait()

    asyncio.run(serve())


class WatchedServer(NamedTuple):
    port: int
    log: Path

    def requests(self) -> list[str]:
        return self.log.read_text().splitlines()

    def change(self) -> None:
        """Each third page is another one from now on."""
        self.log.with_name(CHANGED).touch()

    @contextmanager
    def slow(self, after: int) -> Iterator[None]:
        """All answers but the first `after` take long, so that a crawl lasts until what has to meet it unfinished is
        over, however long the machine needs for that. Begin it before the crawl."""
        held_up = self.log.with_name(SLOW)
        held_up.write_text(str(after))
        try:
            yield
        finally:
            held_up.unlink()


@contextmanager
def watched_server(log: Path) -> Iterator[WatchedServer]:
    here, there = _FORK.Pipe()
    process = _FORK.Process(target=_serve, args=(log, there), daemon=True)
    process.start()
    try:
        yield WatchedServer(here.recv(), log)
    finally:
        process.kill()
        process.join()


def specification(port: int) -> CrawlSpec:
    """More pages than there are, no delay, small WARC files."""
    return CrawlSpec(
        topic=TopicSpec(keywords=("dinosaurs",)),
        seeds=SEEDS,
        pages=400,
        politeness=PolitenessSpec(delay=0),
        fetch=FetchSpec(allow_private=True, connect_to=(f"*:*:127.0.0.1:{port}",)),
        archive=ArchiveSpec(max_file_bytes=300_000),
    )


# -- the crawling process --------------------------------------------------------------------------------------


class Opened(NamedTuple):
    seconds: float
    notes: list[str]


def crawl(folder: Path, spec: CrawlSpec, telling: Connection) -> None:
    """Begin or resume, and tell when that is done. Checkpoints and commits come often, so that kills meet them."""

    def taken_up() -> Coroutine[Any, Any, Session]:
        has_begun = Paths(folder).specification.exists()
        return (
            lycosa.crawls.session.resume(folder) if has_begun else lycosa.crawls.session.begin(spec, folder)
        )

    _run(taken_up, telling)


def refresh(folder: Path, spec: CrawlSpec, telling: Connection) -> None:
    """Visit each page once again, or go on with that. The pages are planned in many steps."""
    lycosa.crawl.crawl.PLANNED_AT_ONCE = 20
    asked_for = RevisitSpec(once=1)
    _run(lambda: lycosa.crawls.session.resume(folder, revisit=asked_for), telling)


def _run(taken_up: Callable[[], Coroutine[Any, Any, Session]], telling: Connection) -> None:
    lycosa.crawls.keeper.CHECKPOINT_STEPS, lycosa.crawls.keeper.CHECKPOINT_REST = 20, 0.0
    lycosa.store.journal.GROUP_STEPS = 7

    async def session_long() -> None:
        began = time.monotonic()
        session = await taken_up()
        telling.send(Opened(time.monotonic() - began, session.notes))
        await session.run(unwatched)

    asyncio.run(session_long())


@contextmanager
def crawling(
    folder: Path, spec: CrawlSpec, crawl: Callable[[Path, CrawlSpec, Connection], None] = crawl
) -> Iterator[tuple[BaseProcess, Connection]]:
    here, there = _FORK.Pipe(duplex=False)
    process = _FORK.Process(target=crawl, args=(folder, spec, there), daemon=True)
    process.start()
    there.close()
    try:
        yield process, here
    finally:
        process.kill()
        process.join()
        here.close()


# -- moments ---------------------------------------------------------------------------------------------------

GROWTHS = {
    "warc": ("archive/*.warc.gz", 20),
    "rotation": ("archive", 2),
    "journal": ("journal.db-wal", 4),
    "checkpoint": ("frontier/*.log", 2),
    "merge": ("archive/index.cdxj*", 2),
    "opening": (".", 6),
}
"""Files of which the growth tells the moment, and up to how many times they grow."""


class Moment(NamedTuple):
    """When to kill: after some seconds, counted from the start or from the opening, or at the n-th growth."""

    kind: str
    at: float


def moment(rng: random.Random, length: float, brought: int) -> Moment:
    """A moment in a crawl whose whole length is given in seconds, and which has brought so many pages."""
    kind = rng.choice(["start", "start", "opened", "opened", "opened", *GROWTHS])
    if kind == "merge" or brought > 270:  # which comes at the end only
        kind = "merge" if brought > 270 else "warc"
    if kind in GROWTHS:
        return Moment(kind, rng.randint(1, GROWTHS[kind][1]))
    return Moment(kind, rng.uniform(0, length) * rng.choice([0.01, 0.02, 0.05, 0.2]))


def wait_for(when: Moment, process: BaseProcess, telling: Connection, folder: Path) -> Opened | None:
    """Return at the moment, or when the process has ended; what it told of its opening, if it did."""
    opened: Opened | None = None
    since, seen, growths = time.monotonic(), _footprint(folder, when.kind), 0
    while process.is_alive():
        if opened is None and telling.poll(0 if when.kind == "warc" else 0.0005):
            with suppress(EOFError):
                opened = telling.recv()
            if when.kind == "opened":
                since = time.monotonic()
        if when.kind in GROWTHS:
            now = _footprint(folder, when.kind)
            growths, seen = growths + (now != seen), now
            if growths >= when.at:
                break
        elif (when.kind == "start" or opened) and time.monotonic() - since >= when.at:
            break
        if opened and when.kind != "warc":
            process.join(0.0005)
    return opened


def _footprint(folder: Path, kind: str) -> tuple[Any, ...]:
    if kind not in GROWTHS:
        return ()
    pattern = GROWTHS[kind][0]
    found = []
    for path in sorted(folder.glob(pattern)) if "*" in pattern else [folder / pattern]:
        with suppress(FileNotFoundError):
            stat = path.stat()
            found.append((path.name, stat.st_mtime_ns if path.is_dir() else stat.st_size))
    return tuple(found)


# -- what a folder holds ---------------------------------------------------------------------------------------

Steps = dict[int, sqlite3.Row]


def committed(folder: Path) -> Steps:
    """All steps of the journal as any other program reads them, by number. Empty before there is a journal."""
    journal = Paths(folder).journal
    if not journal.exists():
        return {}
    with closing(sqlite3.connect(f"{journal.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        try:
            rows = connection.execute("SELECT * FROM steps ORDER BY step").fetchall()
            names = [row[1] for row in connection.execute("PRAGMA table_info(steps)")]
        except sqlite3.OperationalError as error:
            # Killed before the tables were there, or while they were made.
            if "no such table" in str(error) or journal.with_name("journal.db-journal").exists():
                return {}
            raise
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows}


def settled(steps: Steps) -> set[str]:
    """The URLs that are done with, and those that redirected to them."""
    visits = [row for row in steps.values() if row["kind"] == "page" or row["reason"] == "status"]
    hops = [hop for row in visits for hop in (row["hops"] or "").split("\n") if hop]
    return {url for row in visits for url in (row["url"], row["final_url"]) if url} | set(hops)


def revisited(steps: Steps) -> set[str]:
    """The pages of which a revisit is done with."""
    looks = [row for row in steps.values() if row["due"] is not None and row["kind"] != "deferred"]
    return {url for row in looks for url in (row["url"], row["final_url"]) if url}


def pages(steps: Steps) -> set[str]:
    return {row["final_url"] or row["url"] for row in steps.values() if row["kind"] == "page"}


def check_records(folder: Path, steps: Steps) -> None:
    """Each page's WARC record can be read and has the payload that the journal says."""
    with closing(Reader([Paths(folder).archive])) as reader:
        for row in steps.values():
            if row["kind"] == "page":
                ref = RecordRef(file=row["warc_file"], offset=row["warc_offset"], length=row["warc_length"])
                assert payload_digest(reader.read(ref).body) == row["digest"], row["url"]


def check_counted(folder: Path) -> None:
    """What was counted with the steps is what they say."""
    with closing(Journal(Paths(folder).journal, read_only=True)) as journal:
        written = journal._connection.execute("SELECT * FROM main.counted ORDER BY step").fetchall()
        journal.pass_over([])  # from now on the steps themselves are counted
        assert journal._connection.execute("SELECT * FROM counted ORDER BY step").fetchall() == written


def check_torn_at_most_at_the_end(folder: Path) -> bool:
    """No WARC file is damaged but at the end of the last one. Whether that one is torn."""
    files = warc_files(Paths(folder).archive)[-2:]  # those before were looked at earlier
    damaged = [(file, item) for file in files for item in scan(WarcFile.of(file)) if isinstance(item, Damage)]
    assert all(file == files[-1] and item.last for file, item in damaged), damaged
    return bool(damaged)


def check_whole(folder: Path) -> Counter[str]:
    """Every record is whole by FastWARC and by warcio, digests verified. Returns warcio's counts by type."""
    counts: Counter[str] = Counter()
    for path in warc_files(Paths(folder).archive):
        own = [item.kind for item in scan(WarcFile.of(path)) if isinstance(item, Found)]
        with path.open("rb") as file:
            records = fastwarc.ArchiveIterator(file, parse_http=False)
            fast = [record.headers["WARC-Type"] for record in records if record.verify_block_digest()]
        with path.open("rb") as file:
            kinds = []
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                kinds.append(record.rec_type)
        assert fast == kinds == own, path
        assert kinds[0] == "warcinfo"
        counts.update(kinds)
    return counts


def tear(folder: Path, steps: Steps, rng: random.Random) -> bool:
    """Cut the last record as a kill within its write leaves it, if no committed page depends on it.

    A write of some kilobytes is over so soon that a kill hardly ever finds it half done.
    """
    files = warc_files(Paths(folder).archive)
    if not files or not files[-1].stat().st_size:  # one just begun: the one before is whole for certain
        return False
    whole = [item for item in scan(WarcFile.of(files[-1])) if isinstance(item, Found)]
    if not whole:
        return False
    last = whole[-1]
    offsets = {row["warc_offset"] for row in steps.values() if row["warc_file"] == files[-1].name}
    if last.kind == "metadata" and _step_of(files[-1], last.offset) <= max(steps, default=0):
        return False
    if last.offset in offsets:
        return False
    os.truncate(files[-1], last.offset + rng.randrange(1, last.length))
    return True


def _step_of(file: Path, offset: int) -> int:
    """The step that a metadata record is about; 0 of what a server said with a 304."""
    with file.open("rb") as stream:
        stream.seek(offset)
        fields = next(iter(fastwarc.ArchiveIterator(stream))).reader.read()
    return int((fields.partition(b"step: ")[2] or b"0").split()[0])


async def check_replay(folder: Path) -> None:
    """The whole journal, replayed into a frontier in memory, gives the crawl that resuming gives."""
    session = await lycosa.crawls.session.resume(folder)
    twin = replayed(session)
    real = session.crawl
    try:
        assert twin.frontier.keys() == real.frontier.keys()
        assert not twin.frontier.leased
        assert not real.frontier.leased
        assert twin.snapshot() == real.snapshot()
        links = {url for page in twin.store.memory.graph() for url in twin.store.memory.out_links(page)}
        assert {url: twin.frontier.state(url) for url in links} == {u: real.frontier.state(u) for u in links}
    finally:
        session.halt.ask("only looked at")
        await session.run(unwatched)


def replayed(session: Session) -> Crawl:
    """The whole journal, replayed in memory."""
    spec, topic = session.spec, load_topic(Paths(session.path))
    twin = Crawl(
        strategy(spec.strategy, topic.inputs()),
        MemoryFrontier(tie=spec.frontier.tie, seed=spec.seed),
        topic.model(),
        MemoryStore(),
        gate=gate_of(spec),
        pace=pace_of(spec),
        order=order_of(spec),
        seed=spec.seed,
        budget=budget_of(spec),
        stopping=stopping_of(spec, topic.held_out),
        schedule=schedule_of(spec),
        split=split_of(spec),
    )
    twin.replay(session.crawl.store.entries(0))
    return twin


# -- one crawl, killed until it ends ---------------------------------------------------------------------------


class Kill(NamedTuple):
    """What one kill came to."""

    moment: Moment
    steps: int
    """That were committed when it came."""
    torn: bool
    reopened: float
    """Seconds that the next process needed to open the folder; 0 if it was killed before it had."""
    notes: tuple[str, ...]
    """What the next process said it had mended."""


class Ordeal:
    """One crawl that is killed again and again. Checks after each kill what must hold then."""

    crawl: ClassVar[Callable[[Path, CrawlSpec, Connection], None]] = staticmethod(crawl)
    settled: ClassVar[Callable[[Steps], set[str]]] = staticmethod(settled)
    """The URLs that need not be asked for again."""
    done: ClassVar[Callable[[Steps], set[str]]] = staticmethod(pages)
    """What tells how far it has come."""

    def __init__(self, folder: Path, server: WatchedServer, rng: random.Random, length: float) -> None:
        self.folder, self.server, self.rng, self.length = folder, server, rng, length
        self.kills: list[Kill] = []
        self.steps: Steps = committed(folder)
        self.again: Counter[str] = Counter()
        """Requests for URLs that had been settled before."""
        self._settled: set[str] = self.settled(self.steps)
        self._logged = len(server.requests())
        self._torn = False
        self._looked = False

    def run(self, most: int, *, to_the_end: bool) -> bool:
        """Kill up to so many times, then, if wanted, let the crawl come to its end. Whether it did."""
        ended = False
        while not ended and len(self.kills) < most:
            ended = not self.round(moment(self.rng, self.length, len(self.done(self.steps))))
        return ended or (to_the_end and not self.round(Moment("start", 600.0)))

    def round(self, when: Moment) -> bool:
        """Crawl until the moment, kill, check. False if the crawl came to its end before."""
        with crawling(self.folder, specification(self.server.port), self.crawl) as (process, telling):
            opened = wait_for(when, process, telling, self.folder)
            before = committed(self.folder) if when.kind not in GROWTHS else {}
            process.kill()
            process.join()
            if opened is None and telling.poll():
                with suppress(EOFError):
                    opened = telling.recv()
            ended = process.exitcode == 0
            assert process.exitcode in (0, -9), "the crawl failed"
        self._note_reopening(opened)
        self._check(before)
        if ended:
            return False
        torn = self.rng.random() < 0.5 and tear(self.folder, self.steps, self.rng)
        self._torn = check_torn_at_most_at_the_end(self.folder)
        assert self._torn or not torn
        self.kills.append(Kill(when, len(self.steps), self._torn, 0.0, ()))
        if not self._looked and 40 <= len(self.done(self.steps)) < 250:
            self._looked = True
            asyncio.run(check_replay(self.folder))
            self._torn = False
        return True

    def _note_reopening(self, opened: Opened | None) -> None:
        if opened is None or not self.kills:
            return
        self.kills[-1] = self.kills[-1]._replace(reopened=opened.seconds, notes=tuple(opened.notes))
        assert not self._torn or any("torn" in note for note in opened.notes), opened.notes

    def _check(self, before: Steps) -> None:
        """No gap, nothing lost, nothing changed, every record readable, nothing settled asked for again."""
        after = committed(self.folder)
        assert list(after) == list(range(1, len(after) + 1))
        for earlier in (self.steps, before):
            assert {step: after.get(step) for step in earlier} == earlier
        new = {step: row for step, row in after.items() if step not in self.steps}
        check_records(self.folder, new)
        if new:
            check_counted(self.folder)
            with CrawlFolder.open(self.folder) as folder:
                assert folder.status().pages == len({r["url"] for r in after.values() if r["kind"] == "page"})
        log = self.server.requests()
        self.again.update(url for url in log[self._logged :] if url in self._settled)
        self._logged, self._settled, self.steps = len(log), self.settled(after), after

    def check_end(self) -> None:
        """The archive is whole, its index has every record once, and the folder says that it is done."""
        counts = check_whole(self.folder)
        lines = (Paths(self.folder).archive / "index.cdxj").read_text().splitlines()
        assert len(lines) == len(set(lines)) == counts["response"] + counts["revisit"]
        assert not list(Paths(self.folder).archive.glob("*-?????.cdxj"))
        with CrawlFolder.open(self.folder) as folder:
            assert folder.status().state == "done"
            assert folder.status().ended == "no links are left to follow"


class RefreshOrdeal(Ordeal):
    """The same of a refresh that visits each page of a crawl once again."""

    crawl = staticmethod(refresh)
    settled = staticmethod(revisited)
    done = staticmethod(revisited)

    def looks(self) -> Counter[str]:
        """How many revisits of each page told something of it."""
        kinds = ("page", "unchanged", "gone")
        return Counter(
            row["url"] for row in self.steps.values() if row["due"] is not None and row["kind"] in kinds
        )


def uninterrupted(
    folder: Path, server: WatchedServer, crawl: Callable[[Path, CrawlSpec, Connection], None] = crawl
) -> tuple[set[str], float]:
    """The pages of a crawl that nobody disturbs, and how many seconds it takes."""
    began = time.monotonic()
    with crawling(folder, specification(server.port), crawl) as (process, _):
        process.join()
    assert process.exitcode == 0
    return pages(committed(folder)), time.monotonic() - began
