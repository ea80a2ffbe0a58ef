"""A crawl folder open for writing: all parts put together, from the first start page to the last flush."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from lycosa import __version__, build
from lycosa.archive.warc import WarcArchive
from lycosa.crawl.crawl import Crawl
from lycosa.curve import Curve
from lycosa.drive.clock import VirtualClock
from lycosa.drive.halt import Halt
from lycosa.drive.loop import run
from lycosa.drive.sitemaps import links_in, sitemaps_of
from lycosa.drive.visit import Robots, Visitor
from lycosa.model.commands import Enqueue
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import FolderError, InputError, LycosaError
from lycosa.model.events import Asked, Entry, Marked, Operated, Said, Wish
from lycosa.model.records import Link, Millis, Page, Visit
from lycosa.model.url import Host, Url
from lycosa.outside import Outside, settled_web
from lycosa.paths import Paths
from lycosa.place import clear, refuse_smaller, refuse_taken
from lycosa.registry import inputs_asked, strategy
from lycosa.rehydrate import Rehydrator
from lycosa.scoring.guard import Guarded
from lycosa.sources.reading import Reading
from lycosa.spec import CrawlSpec, StopSpec, load, save
from lycosa.store.crawl_store import CrawlStore
from lycosa.store.frontier import DiskFrontier
from lycosa.store.inbox import Inbox
from lycosa.store.journal import Journal
from lycosa.store.rocks import DamagedStore, set_aside
from lycosa.topics import TopicSource, load_topic, save_topic, topic_source, topic_words
from lycosa.web.dns_file import DnsFile

CHECKPOINT_SECONDS = 30.0
"""Between two checkpoints; the first come sooner, so that a young crawl can be looked at too."""
CHECKPOINT_STEPS = 5_000
GRACE_SECONDS = 5.0
"""When the time is over, visits that are under way have so long to come home."""
TIME_LIMIT = "time limit"
"""Why a halt was asked for that nobody had to ask for."""
FLUSH_SECONDS = 1.0
"""A page is on disk after so long, even if the next one is long in coming."""


class Chronicle(CrawlStore):
    """The crawl's history, which also tells the archive what was decided about each page.

    It does so before the page's step enters the journal, so a committed page never lacks its metadata record.
    """

    def __init__(
        self, journal: Journal, frontier: DiskFrontier, archive: WarcArchive, strategy_name: str
    ) -> None:
        super().__init__(journal, frontier)
        self._archive, self._strategy_name = archive, strategy_name

    def append(self, entry: Entry) -> None:
        page = entry.event
        if isinstance(page, Page) and page.record is not None:
            self._archive.annotate(page.record, page.final_url, self._decision(entry.step, page))
        super().append(entry)

    def _decision(self, step: int, page: Page) -> Mapping[str, str]:
        request = page.request
        facts = {
            "relevance": f"{page.relevance:.6g}",
            "score": f"{request.score:.6g}",
            "strategy": self._strategy_name,
            "step": str(step),
            "hopsFromSeed": str(request.depth),
        }
        return facts if request.via is None else {**facts, "via": request.via.source}


class Session:
    """One run of a crawl. Made by `begin` or `resume`; `run` it once, and it closes itself on the way out."""

    def __init__(self, spec: CrawlSpec, path: Path) -> None:
        self.spec, self.path = spec, path
        self._paths = Paths(path)
        self._dns = DnsFile.open(self._paths.dns)
        self.outside = Outside(spec, self._dns.history)
        self.clock, self.web = self.outside.clock, self.outside.web
        self.halt = Halt()
        self.halt.when_asked(self._retreat_if_asked)
        self._made_at = time.monotonic()
        self.notes: list[str] = []
        """What had to be mended on opening, and what could not be had, a line each."""
        self.crawl: Crawl
        self._inbox = Inbox(self._paths.inbox)
        self._running = False
        self._heard = 0  # the number of the last thing said that the journal has
        self._archive: WarcArchive
        self._rehydrate: Rehydrator
        self._journal: Journal
        self._frontier: DiskFrontier
        self._store: Chronicle
        self._opened: list[Callable[[], object]] = []  # how to close what is open, in the order of opening
        self._robots: Robots | None = None
        self._curve = Curve()
        self._took_before = 0.0  # seconds of earlier runs
        self._began = self._kept_at = time.monotonic()
        self._kept_step = 0

    # -- opening ---------------------------------------------------------------------------------------------

    @property
    def is_virtual(self) -> bool:
        """On a recorded web time is virtual: nothing has to be waited for."""
        return self.outside.is_virtual

    def open(self, source: TopicSource) -> None:
        """Open or make the folder's files, mend what a crash tore, and put the crawl together.

        The journal comes first, for it holds the folder's lock: nothing is mended under another process's hands.
        """
        spec, paths = self.spec, self._paths
        chosen, topic = strategy(spec.strategy, source.inputs()), source.model()
        self._journal = Journal(
            paths.journal,
            rehydrate=lambda page: self._rehydrate(page),
            before_commit=lambda: self._archive.flush(),
        )
        self._opened.append(self._journal.close)
        self._took_before = float(self._journal.noted("seconds") or 0)
        self._heard = self._journal.history.heard()
        self._archive = WarcArchive.open(
            paths.archive,
            build.provenance_of(spec, self.path, topic_words(spec)),
            spec.archive.max_file_bytes,
            most=build.longest_body(spec),
            revisits=spec.archive.revisit_records,
        )
        self._rehydrate = Rehydrator(self._archive)
        self._opened.append(self._archive.close)
        self.notes += [*self.outside.warnings, *self._archive.repairs, *self._dns.notes]
        self._curve = Curve.load(self._journal.noted("frontier curve"))
        self._frontier = DiskFrontier(
            paths.frontier, capacity=spec.frontier.capacity, tie=spec.frontier.tie, seed=spec.seed
        )
        self._opened.append(self._frontier.close)
        self._store = Chronicle(self._journal, self._frontier, self._archive, spec.strategy)
        self._robots = self.outside.robots(self._archive)
        self.crawl = Crawl(
            chosen,
            self._frontier,
            topic,
            self._store,
            gate=build.gate_of(spec),
            pace=build.pace_of(spec),
            seed=spec.seed,
            budget=spec.pages,
            stopping=build.stopping_of(spec, source.held_out),
        )

    @property
    def has_begun(self) -> bool:
        """Whether the journal holds a step: a crash can come before the first one."""
        return self._journal.last_step > 0

    @property
    def last_at(self) -> Millis:
        """The time of the last step, 0 without one."""
        span = self._journal.history.span()
        return span[1] if span else Millis(0)

    async def start(self) -> None:
        """Give the crawl its start pages and what sitemaps name."""
        seeds = build.seeds_of(self.spec)
        self.crawl.start(seeds, self.clock.now())
        links = await self._sitemap_links(seeds)
        if links:
            named = [Enqueue(url=link.target, via=link) for link in links]
            self.crawl.hear(Operated(commands=tuple(named), by="sitemap"), self.clock.now())
        self.crawl.store.flush()

    async def _sitemap_links(self, seeds: list[Url]) -> list[Link]:
        try:
            async with asyncio.timeout(self.time_left):
                return await self._links_of(seeds)
        except TimeoutError:
            self.notes.append(
                "the time limit was over before the sitemaps were read: their links are not known"
            )
            return []

    async def _links_of(self, seeds: list[Url]) -> list[Link]:
        sitemaps = [build.start_url(raw) for raw in self.spec.sitemaps]
        if self.spec.use_sitemaps and self._robots is not None:
            sitemaps += await sitemaps_of(seeds, self._robots, self.clock)
        links, problems = await links_in(
            sitemaps,
            self.web,
            self._robots,
            self.clock,
            self._archive.write,
            self.crawl.gate.scope.refuses_port,
        )
        self.notes += problems
        return links

    def recover(self) -> None:
        """Go back to the last checkpoint, replay what the journal has beyond it, and give back lost leases."""
        snapshot = self._store.snapshot
        if snapshot is not None:
            self.crawl.restore(snapshot)
        behind = self._journal.last_step - self.crawl.step
        if behind > 0:
            self.notes.append(f"{behind} steps were replayed from the journal")
            self.crawl.replay(self._journal.entries(self.crawl.step))
            self.notes += self._rehydrate.unread
        if lost := len(self.crawl.frontier.leased):
            self.notes.append(f"{lost} visits were under way when the crawl stopped; they are made again")
        self.crawl.recover(self.clock.now())

    # -- what is said from outside ---------------------------------------------------------------------------

    def say(self, said: Said) -> None:
        """Say something to this crawl: a mark, a link, commands, or what is wanted of the run.

        For programs that run the session, within its event loop: it is on disk at once, and counts before the next
        page is asked for.
        """
        self._inbox.add([said], after=self._heard)
        self.halt.nudge()

    def mark(self, url: str, good: bool | None) -> None:
        """Say of a page of this crawl that it is on topic (True) or not, or take that back (None), as `say` does.

        Raises `InputError` for what is no page of the crawl.
        """
        page = self.crawl.store.memory.page(build.start_url(url))
        if page is None:
            raise InputError(f"{url}: is no page of the crawl; only pages that were fetched can be marked")
        self.say(Marked(url=page.url, good=good))

    def hear(self) -> None:
        """Take in what was said, and have it in the journal before anything else happens."""
        for said in self._inbox.news(self._heard):
            self.crawl.hear(said, self.clock.now())
            self._heard = said.number
            self._store.flush()
            if isinstance(said, Asked):
                self._heed(said)

    def _heed(self, asked: Asked) -> None:
        match asked.wish:
            case Wish.BUDGET:
                self.spec = msgspec.structs.replace(self.spec, pages=max(1, asked.pages))
                save(self.spec, self._paths.specification)
                self.crawl.extend(self.spec.pages, self.clock.now())
            case _ if not self._running:
                pass  # it was meant for a run that is over
            case Wish.STOP:
                self.halt.ask(f"by {asked.by}" if asked.by else "by the user")
            case Wish.PAUSE | Wish.GO_ON:
                self.halt.pause(asked.wish is Wish.PAUSE)
                self._journal.note("paused", "yes" if self.halt.paused else "")

    def _retreat_if_asked(self) -> None:
        if self.halt.asked:
            self.outside.retreat()

    # -- running ---------------------------------------------------------------------------------------------

    async def run(self, watch: Callable[[Visit], None]) -> None:
        """Crawl until the budget is used up, nothing is left, or a halt is asked for; then close the folder."""
        self._began = self._kept_at = time.monotonic()
        damaged = False
        timer = self._time_limit()
        flushing = asyncio.create_task(self._keep_flushing())
        ended, errors = Ending(EndKind.FAILED, "the run was cut short"), []
        try:
            self._journal.note("ended", "")
            self._journal.note("paused", "")
            self._running = True
            await self._drive(watch)
            self._keep()
            ended = self._why_it_ended()
        except asyncio.CancelledError:
            self._keep()
            ended = Ending(EndKind.INTERRUPTED, "cancelled")
            raise
        except LycosaError as error:
            ended = Ending(EndKind.FAILED, str(error))
            damaged = isinstance(error, DamagedStore)
            raise
        finally:
            flushing.cancel()
            if timer is not None:
                timer.cancel()
            errors = await self._close(ended)
            if damaged:
                set_aside(self._paths.frontier)
        if errors:
            raise errors[0]

    async def _drive(self, watch: Callable[[Visit], None]) -> None:
        visitor = Visitor(
            self.web,
            self._robots,
            self._archive,
            self.crawl.refuses_redirect,
            self.clock,
            self.outside.reader,
        )

        def watched(visit: Visit) -> None:
            self._curve.add(self.crawl.pages, len(self.crawl.frontier))
            self._keep_if_due()
            watch(visit)

        await run(
            self.crawl,
            self.outside.road(visitor, self.halt),
            width=self.spec.fetch.width,
            halt=self.halt,
            watch=watched,
            hear=self.hear,
        )

    async def _keep_flushing(self) -> None:
        """The journal flushes itself, and marks are heard, when steps come; while the crawl waits, it does so here."""
        with suppress(LycosaError):  # the crawl itself will meet it, and halt
            while True:
                await asyncio.sleep(FLUSH_SECONDS)
                self._store.flush()
                self._dns.add()
                if self._inbox.has_grown:
                    self.halt.nudge()

    def _time_limit(self) -> asyncio.TimerHandle | None:
        """Ask for a halt when the time is over, and shortly after for one at once."""
        if self.time_left is None:
            return None
        loop = asyncio.get_running_loop()

        def over() -> None:
            self.halt.ask(TIME_LIMIT)
            loop.call_later(GRACE_SECONDS, self.halt.ask, TIME_LIMIT)

        return loop.call_later(self.time_left, over)

    @property
    def time_left(self) -> float | None:
        """Seconds until the limit of this run, from its first look at a page on; None if there is no limit."""
        return max(0.0, self._made_at + self.spec.seconds - time.monotonic()) if self.spec.seconds else None

    def _why_it_ended(self) -> Ending:
        if self.crawl.ended is not None and self.crawl.finished:
            return self.crawl.ended
        return Ending(EndKind.INTERRUPTED, self.halt.reason)

    @property
    def was_interrupted(self) -> bool:
        """Whether somebody had it stop before its end; a limit of time is no interruption."""
        return not self.crawl.finished and self.halt.asked and self.halt.reason != TIME_LIMIT

    @property
    def judging_faults(self) -> tuple[int, str]:
        """How many pages could not be judged, and what was wrong with the last of them."""
        topic = self.crawl.topic
        return (topic.faults, topic.last_fault) if isinstance(topic, Guarded) else (0, "")

    @property
    def unread(self) -> Sequence[str]:
        """The records of the archive that could not be read again so far, and what each one costs, a line each."""
        return self._rehydrate.unread

    @property
    def resting(self) -> Mapping[Host, Millis]:
        """The hosts that are left alone now, and until when."""
        return self._frontier.resting(self.clock.now())

    # -- keeping ---------------------------------------------------------------------------------------------

    def _keep_if_due(self) -> None:
        now = time.monotonic()
        due = min(CHECKPOINT_SECONDS, max(1.0, self._kept_at - self._began))
        steps = self.crawl.step - self._kept_step
        if steps >= CHECKPOINT_STEPS or self._store.overfull or (steps and now - self._kept_at >= due):
            self._keep()

    def _keep(self) -> None:
        crawl = self.crawl
        self._store.keep(crawl.snapshot())
        counts = {"pending": len(crawl.frontier), "refused": crawl.refused, "trimmed": crawl.trimmed}
        self._journal.note("frontier", msgspec.json.encode(counts).decode())
        self._journal.note("frontier curve", self._curve.save())
        self._note_seconds()
        self._kept_at, self._kept_step = time.monotonic(), crawl.step

    async def abandon(self, error: BaseException) -> None:
        """After an opening that failed: leave word in the folder, and let go of it."""
        stopped = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
        await self._close(
            Ending(EndKind.INTERRUPTED, "while it was opened")
            if stopped
            else Ending(EndKind.FAILED, str(error))
        )

    async def _close(self, ended: Ending) -> list[LycosaError]:
        """Let go of everything, the journal first, as it flushes the archive. Returns what went wrong."""
        errors = []
        for close in [lambda: self._leave_word(ended), *self._opened]:
            try:
                close()
            except LycosaError as error:
                errors.append(error)
        await self.outside.close()
        return errors

    def _leave_word(self, ended: Ending) -> None:
        if self._opened:
            self._journal.leave_word(str(ended))
            self._note_seconds()
            self._dns.add()

    def _note_seconds(self) -> None:
        self._journal.note("seconds", f"{self._took_before + time.monotonic() - self._began:.3f}")


async def begin(spec: CrawlSpec, path: Path) -> Session:
    """Make a new crawl folder. Raises `InputError` or `FolderError`, and then leaves nothing behind."""
    refuse_taken(path)
    spec = msgspec.structs.replace(spec, lycosa=__version__, web=settled_web(spec))
    asked = inputs_asked(spec.strategy)
    build.gate_of(spec)
    seeds = build.seeds_of(spec)
    if not seeds and not spec.sitemaps:
        raise InputError("no start page: give at least one URL, or a sitemap with --sitemap URL")
    session = Session(spec, path)
    try:
        reading = Reading(spec.topic, session.web, session.outside.robots(), session.clock, seeds=seeds)
        try:
            async with asyncio.timeout(session.time_left):
                source = await topic_source(reading, asked)
        except TimeoutError:
            raise InputError(
                f"the time limit of {spec.seconds:g} seconds was over before all pages that the topic names were read; "
                "give more with --time"
            ) from None
        session.notes += reading.notes
        strategy(spec.strategy, source.inputs())
        _make_folder(path, spec, source)
        session.open(source)
        await session.start()
    except BaseException as error:
        await session.abandon(error)
        raise
    return session


async def resume(
    path: Path, *, pages: int | None = None, seconds: float | None = None, stop: StopSpec | None = None
) -> Session:
    """Open a crawl folder to go on with it; `pages` is the new budget in all, `seconds` the limit of this run, `stop`
    what takes the place of all its stopping rules.

    A frontier that is damaged is kept under another name, and made anew from the journal.
    """
    try:
        return await _resumed(path, pages, seconds, stop)
    except DamagedStore as error:
        aside = set_aside(Paths(path).frontier)
        session = await _resumed(path, pages, seconds, stop)
        made = f"the frontier was damaged ({error.what}): it was made anew from the journal, and kept as {aside.name}"
        session.notes.insert(0, made)
        return session


async def _resumed(path: Path, pages: int | None, seconds: float | None, stop: StopSpec | None) -> Session:
    paths = Paths(path)
    if not paths.specification.exists():
        raise FolderError(f"{path}: no crawl here; begin one with lycosa crawl … --out {path}")
    spec = load(paths.specification, CrawlSpec)
    if pages is not None:
        refuse_smaller(path, pages)
    changed = msgspec.structs.replace(
        spec,
        pages=spec.pages if pages is None else pages,
        seconds=spec.seconds if seconds is None else seconds,
        stop=spec.stop if stop is None else stop,
    )
    session = Session(changed, path)
    try:
        session.open(load_topic(paths))
        if isinstance(session.clock, VirtualClock):
            session.clock.pass_to(session.last_at)
        if session.has_begun:
            session.recover()
        else:
            await session.start()
        session.hear()
        if changed != spec:
            save(changed, paths.specification)
    except BaseException as error:
        await session.abandon(error)
        raise
    return session


def _make_folder(path: Path, spec: CrawlSpec, source: TopicSource) -> None:
    paths = Paths(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        clear(path)
        save_topic(source, paths)
        save(spec, paths.specification)
    except OSError as error:
        raise FolderError(f"{path}: cannot be written: {error.strerror}") from None
