"""A crawl folder open for writing: all parts put together, from the first start page to the last flush."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from lycosa import __version__
from lycosa.archive.places import warc_files
from lycosa.compose import parts
from lycosa.compose.outside import Outside
from lycosa.compose.topic import TopicSource, load_topic, save_topic, topic_source
from lycosa.crawl.company import Company
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.ports import Renderer
from lycosa.crawl.requests import Requests
from lycosa.crawls.answers import Outlook
from lycosa.crawls.audience import EVERY as ASKED_EVERY
from lycosa.crawls.audience import Audience, unasked
from lycosa.crawls.interview import Interview
from lycosa.crawls.keeper import Keeper, in_order
from lycosa.crawls.lookout import MOST_FETCHING, MOST_MEMBERS, MOST_RESTING, MOST_WAITING, Lookout, earliest
from lycosa.crawls.mail import Mail
from lycosa.crawls.marks import Marks
from lycosa.crawls.opened import Opened
from lycosa.crawls.oracle import Oracle
from lycosa.crawls.pings import pinged
from lycosa.crawls.place import clear, refuse_smaller, refuse_taken
from lycosa.crawls.prompt import Prompt
from lycosa.crawls.sitemaps import BY as SITEMAP
from lycosa.crawls.sitemaps import EVERY as SITEMAPS_EVERY
from lycosa.crawls.sitemaps import Sitemaps
from lycosa.crawls.waiting import as_told
from lycosa.drive.errand import WithErrand
from lycosa.drive.gathering import Gathering
from lycosa.drive.halt import Halt
from lycosa.drive.loop import Road, Visiting, run
from lycosa.drive.rendering import InBrowser
from lycosa.drive.requisites import Requisites
from lycosa.drive.sitemaps import Named
from lycosa.drive.visit import Outcome, Visitor
from lycosa.model.commands import Enqueue
from lycosa.model.decoding import from_json
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import FolderError, InputError, LycosaError
from lycosa.model.events import Asked, Blocked, Marked, Operated, Said, Wish
from lycosa.model.nodes import Members, Node, Share
from lycosa.model.records import Arrival, Millis, Page, Request
from lycosa.model.url import Host, Url
from lycosa.scoring.topics.guarded import Guarded
from lycosa.sources.queries import QueryLog, keep_queries, read_queries
from lycosa.sources.reading import Reading
from lycosa.spec import derived
from lycosa.spec.derived import settled_archive, settled_archives, settled_fetch, settled_web
from lycosa.spec.files import load, save
from lycosa.spec.registry import inputs_asked, strategy
from lycosa.spec.tree import CrawlSpec, JudgeSpec, RevisitSpec, StopSpec
from lycosa.spec.webs import web_of
from lycosa.store.inbox import Inbox
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths, SharedPaths, node_at
from lycosa.store.requisite_log import RequisiteLog
from lycosa.store.rocks import DamagedStore, set_aside
from lycosa.store.verdicts import Verdicts
from lycosa.web.http.dns_file import DnsFile
from lycosa.web.shared_spacing import SharedSpacing

GRACE_SECONDS = 5.0
"""When the time is over, visits that are under way have so long to come home."""
TIME_LIMIT = "time limit"
"""Why a halt was asked for that nobody had to ask for."""
TOLD_FROM = Millis(10_000)
"""A clock that was set back by more is told of."""
MOST_TOLD = 20
"""Lines of what came up that whoever looks on is told."""
FLUSH_SECONDS = 1.0
"""A page is on disk after so long, even if the next one is long in coming."""


class Session:
    """One run of a crawl. Made by `begin` or `resume`; `run` it once, and it closes itself on the way out."""

    def __init__(
        self,
        spec: CrawlSpec,
        path: Path,
        outside: Outside,
        dns: DnsFile,
        opened: Opened,
        crawl: Crawl,
        audience: Audience | None = None,
    ) -> None:
        self.spec, self.path, self.outside, self.crawl = spec, path, outside, crawl
        self.clock, self.web = outside.clock, outside.web
        self.halt = Halt()
        self.halt.when_asked(self._retreat_if_asked)
        self.notes: list[str] = [
            *outside.warnings,
            *unasked(spec.revisit),
            *opened.archive.repairs,
            *opened.archive.notes,
            *dns.notes,
        ]
        """What had to be mended on opening, and what could not be had, a line each."""
        self._ends_at: Millis | None = None  # in virtual time
        self.told: list[str] = []
        """What came up during the run that a person should know, a line each."""
        self._paths = Paths(path)
        self._opened = opened
        self._keeper = Keeper(crawl, opened, dns)
        self._robots = outside.robots(opened.archive)
        self._requisites = Requisites(
            self.web,
            self._robots,
            opened.archive,
            self.clock,
            partial(crawl.refuses_requisite, parts.requisites_scope_of(spec)),
            outside.rest_host,
            own_site=spec.fetch.logs_in,
        )
        self._gathering: Gathering | None = None
        if spec.requisites.fetched:
            self._gathering = Gathering(
                self._requisites,
                opened.archive,
                RequisiteLog(self._paths.requisites),
                self._pages_wait,
                spec.requisites.per_page,
            )
        self._sitemaps = Sitemaps(spec, crawl, self.web, self._robots, opened.archive, self.clock)
        self._sitemaps_due = Millis(0)
        self._audience = audience
        self._looks = 0  # visits that brought a page since the queries were asked
        self._news: list[Said] = []  # of sitemaps that were read again, and of queries
        self._inbox = Inbox(self._paths.inbox)
        self.mail: Mail | None = None
        """Of a shared crawl: what goes to other nodes, and comes from them."""
        if crawl.company is not None:
            self.mail = Mail(
                crawl, opened.journal, opened.archive, outside.reader, self.clock, self._taken_in
            )
        self._heard = opened.journal.history.heard()  # the number of the last thing said that the journal has
        self._oracle = self._consulted()
        self._lookout = Lookout(self._paths, self._outlook)
        self._running = False

    def _consulted(self) -> Oracle | None:
        """The model that is asked about pages, if there is one."""
        if (chat := self.outside.chat) is None:
            return None
        verdicts, asked = Verdicts(self._paths.verdicts), self.spec.judge
        interview = Interview(self.spec.relevant_from, asked.calls, verdicts.calls)
        prompt = Prompt(self.spec)
        return Oracle(asked, chat, prompt, interview, verdicts, say=self.say, tell=self.told.append)

    # -- opening ---------------------------------------------------------------------------------------------

    @property
    def is_virtual(self) -> bool:
        """On a recorded web time is virtual: nothing has to be waited for."""
        return self.outside.is_virtual

    @property
    def refreshes(self) -> bool:
        """Whether pages are visited again."""
        return self.spec.revisit.is_on

    @property
    def budget(self) -> int | None:
        """The most pages; None: a refresh goes on finding new ones."""
        return None if self.spec.revisit.grows else self.crawl.budget

    async def start(self) -> None:
        """Give the crawl its start pages and what sitemaps name."""
        seeds = derived.seeds_of(self.spec)
        self.crawl.start(seeds, self.clock.now())
        self.crawl.plan(self.clock.now())
        named = await self._named_by_sitemaps(seeds)
        self.notes += named.problems
        if named.links:
            commands = tuple(Enqueue(url=link.target, via=link) for link in named.links)
            self.crawl.hear(Operated(commands=commands, by=SITEMAP), self.clock.now())
        self._sitemaps_due = Millis(self.clock.now() + SITEMAPS_EVERY)
        self.crawl.store.flush()

    async def _named_by_sitemaps(self, seeds: list[Url]) -> Named:
        try:
            async with asyncio.timeout(self.outside.time_left):
                return await self._sitemaps.read(seeds)
        except TimeoutError:
            self.notes.append(
                "the time limit was over before the sitemaps were read: their links are not known"
            )
            return Named()

    async def go_on(self) -> None:
        """Take up the crawl where it stopped, or begin it: a crash can come before the first step."""
        journal = self._opened.journal
        if span := journal.history.span():
            self._begin_at(span[1])
        if journal.last_step:
            self.recover()
            self.outside.rest(self.resting)
        else:
            await self.start()
        if self._oracle is not None:
            marks = Marks(self.path, journal.history).all()
            self._oracle.begin(self.crawl, {mark.url for mark in marks})
        if self._audience is not None and self.crawl.schedule is not None:
            self._news.append(self._audience.begin(self.crawl.schedule.standings()))
            self._take_in_news()
        self.crawl.plan(self.clock.now())
        self.crawl.store.flush()
        self.hear()

    def _begin_at(self, ended: Millis) -> None:
        """Time goes on from where the last run ended, though the machine's clock may have been set back since."""
        behind = ended - self.clock.now()
        self.outside.begin_at(ended)
        if behind > TOLD_FROM and not self.is_virtual:
            said = f"this machine's clock is {behind // 1000:,} s behind the crawl's last step"
            self.notes.append(f"{said}: the crawl goes on from there")

    def recover(self) -> None:
        """Go back to the last checkpoint, replay what the journal has beyond it, and give back lost leases."""
        opened = self._opened
        if opened.store.snapshot is not None:
            self.crawl.restore(opened.store.snapshot)
        behind = opened.journal.last_step - self.crawl.step
        if behind > 0:
            self.notes.append(f"{behind} steps were replayed from the journal")
            self.crawl.replay(opened.journal.entries(self.crawl.step))
            self.notes += opened.rehydrate.unread
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
        page = self.crawl.store.memory.page(derived.start_url(url))
        if page is None:
            raise InputError(f"{url}: is no page of the crawl; only pages that were fetched can be marked")
        self.say(Marked(url=page.url, good=good))

    def ping(self, *urls: str) -> None:
        """Say that pages changed just now, as `say` does: those of the crawl are visited again at once, if it visits
        pages again, and others enter as links. Raises `InputError` for no URL."""
        self.say(pinged(urls, self._opened.journal.history))

    def _taken_in(self) -> None:
        """Other nodes sent something: it counts before the next page is asked for, and in the next checkpoint."""
        self._keeper.visited()
        self.halt.nudge()

    def allow(self, pages: int, requests: int | None = None) -> None:
        """Give a node of a shared crawl its part of the budget: so many pages, and requests, in all from its beginning.
        Takes effect at once, and is not kept: who leads the crawl gives it anew."""
        self.crawl.extend(pages, self.clock.now(), requests)
        self.halt.nudge()

    def front(self, most: int) -> tuple[tuple[int, float], ...]:
        """Tier and score of the best links that wait, one a host, best first; empty where the strategy ranks none."""
        ranks = self.crawl.strategy.ranks and self.crawl.frontier.quota is None
        return tuple(self._opened.frontier.front(most)) if ranks else ()

    def join(self, members: Members, lost: Sequence[Node] = ()) -> None:
        """Others share the crawl from now on. Links that were sent to those who are `lost` go to others, pages come
        back, and what only they had is fetched again; who left in order handed over what it had, and is not among
        them."""
        assert self.mail is not None
        self.mail.take_back(lost)
        again = (*self.mail.links_sent_to(lost), *self.mail.known_only_to(lost))
        self.crawl.join(members, lost, again, self.clock.now())
        self._opened.store.flush()
        self.halt.nudge()

    def dismiss(self, ending: Ending) -> None:
        """The whole crawl is over: this node ends its run."""
        self.crawl.dismiss(ending, self.clock.now())
        self._opened.store.flush()
        self.halt.nudge()

    def hear(self) -> None:
        """Take in what was said, and have it in the journal before anything else happens."""
        if self._ends_at is not None and self.clock.now() >= self._ends_at:
            self.halt.ask(TIME_LIMIT)
        self._take_in_news()
        for said in self._inbox.news(self._heard):
            self.crawl.hear(said, self.clock.now())
            self._heard = said.number
            self._opened.store.flush()
            if isinstance(said, Marked) and self._oracle is not None:
                self._oracle.heard(said, self.crawl)
            if isinstance(said, Asked):
                self._heed(said)

    def _take_in_news(self) -> None:
        while self._news:
            self.crawl.hear(self._news.pop(0), self.clock.now())

    def _heed(self, asked: Asked) -> None:
        match asked.wish:
            case Wish.BUDGET:
                pages, requests = asked.pages or self.spec.pages, asked.requests or self.spec.requests
                self.spec = msgspec.structs.replace(
                    self.spec, pages=max(1, pages), requests=requests and max(1, requests)
                )
                save(self.spec, self._paths.specification)
                self.crawl.extend(parts.budget_of(self.spec), self.clock.now(), self.spec.requests)
            case _ if not self._running:
                pass  # it was meant for a run that is over
            case Wish.STOP:
                self.halt.ask(f"by {asked.by}" if asked.by else "by the user")
            case Wish.PAUSE | Wish.GO_ON:
                self.halt.pause(asked.wish is Wish.PAUSE)
                self._opened.journal.note("paused", "yes" if self.halt.paused else "")

    def _retreat_if_asked(self) -> None:
        if self.halt.asked:
            self.outside.retreat()
            self._requisites.retreat()
            if self._oracle is not None:
                self._oracle.retreat()

    # -- running ---------------------------------------------------------------------------------------------

    def _virtual_end(self) -> Millis | None:
        """Under virtual time pages can be visited again for ever without a second going by: the limit of time is one of
        virtual time then."""
        if not (self.is_virtual and self.spec.revisit.policy):
            return None
        return Millis(self.clock.now() + derived.millis(self.spec.seconds))

    async def run(self, watch: Callable[[Arrival], None]) -> None:
        """Crawl until the budget is used up, nothing is left, or a halt is asked for; then close the folder."""
        damaged = False
        timer = self._time_limit()
        flushing = asyncio.create_task(self._keep_flushing())
        ended, errors = Ending(EndKind.FAILED, "the run was cut short"), []
        try:
            self._keeper.begin()
            self._ends_at = self._virtual_end()
            self._running = True
            await self._drive(watch)
            self._keeper.keep()
            ended = self._why_it_ended()
        except asyncio.CancelledError:
            self._keeper.keep()
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

    async def _drive(self, watch: Callable[[Arrival], None]) -> None:
        visitor = Visitor(
            self.web,
            self._robots,
            self._opened.archive,
            self.crawl.refuses_redirect,
            self.clock,
            self.outside.reader,
            self._in_browser(),
            self.spec.politeness.purpose or None,
        )

        def watched(visit: Arrival) -> None:
            self._keeper.visited()
            self._lookout.look()  # under virtual time nothing else gets a turn
            self._looks += isinstance(visit, Page)
            if isinstance(visit, Page) and self._oracle is not None:
                self._oracle.visited(visit, self.crawl)
            if isinstance(visit, Page):
                self._gather(visit)
            watch(visit)

        self._begin_to_gather()
        await run(
            self.crawl,
            self._road(visitor),
            width=self.spec.fetch.width,
            halt=self.halt,
            watch=watched,
            hear=self.hear,
        )
        await self._ask_queries()
        self._take_in_news()
        if self._gathering is not None:
            await self._gathering.finish()

    def _pages_wait(self, host: Host) -> bool:
        """Whether a host has pages that wait."""
        return next(iter(self.crawl.frontier.pending(host)), None) is not None

    def _gather(self, page: Page) -> None:
        """Have what a page shows fetched, if that is wanted and the page is relevant."""
        if self._gathering is not None and page.relevance >= self.spec.relevant_from:
            self._gathering.add(page)

    def _begin_to_gather(self) -> None:
        """Go on with what earlier runs left. Under virtual time nothing is done beside."""
        if self._gathering is None:
            return
        for row in self._opened.journal.history.rows():
            if (page := self.crawl.store.memory.page(row.url)) is not None:
                self._gather(page)
        if not self.is_virtual:
            self._gathering.begin()

    def _in_browser(self) -> InBrowser | None:
        """What makes pages in a browser; None: nothing does."""
        if (renderer := self.outside.renderer) is None:
            return None
        return InBrowser(
            renderer,
            self._requisites,
            self.crawl.decides_rendering,
            self._opened.archive,
            self.outside.reader,
            self.clock,
            self.spec.render.rounds,
        )

    def _road(self, visitor: Visitor) -> Road:
        """While pages are visited again, sitemaps are read daily, the first time at once, and queries asked hourly."""
        road: Road = self.outside.road(self._answered_first(visitor), self.halt)
        beside = not self.is_virtual
        if self.spec.revisit.policy and self._sitemaps:
            road = WithErrand(road, self._read_sitemaps, self._sitemaps_due, SITEMAPS_EVERY, beside=beside)
        if self._audience is not None:
            due = Millis(self.clock.now() + ASKED_EVERY)
            road = WithErrand(road, self._ask_queries, due, ASKED_EVERY, beside=beside)
        return road

    async def _read_sitemaps(self) -> None:
        named, news = await self._sitemaps.read_again()
        self.told += named.problems
        self._news += news
        self.halt.nudge()

    async def _ask_queries(self) -> None:
        """Tell the schedule what people notice of the pages that came, if any did."""
        audience, schedule = self._audience, self.crawl.schedule
        if audience is None or schedule is None or not self._looks:
            return
        self._looks = 0
        self._opened.store.flush()
        searched = await asyncio.to_thread(audience.look, dict(schedule.standings()))
        if searched.gains or searched.standings:
            self._news.append(searched)
        self.halt.nudge()

    def _answered_first(self, visit: Visiting) -> Visiting:
        """Under virtual time nobody waits but for the model: the same answers then give the same crawl."""
        if (oracle := self._oracle) is None or not self.is_virtual:
            return visit

        async def visit_then(request: Request) -> Outcome:
            await oracle.answered()
            return await visit(request)

        return visit_then

    async def _keep_flushing(self) -> None:
        """The journal flushes itself, and marks are heard, when steps come; while the crawl waits, it does so here."""
        with suppress(LycosaError):  # the crawl itself will meet it, and halt
            while True:
                await asyncio.sleep(FLUSH_SECONDS)
                self._keeper.flush()
                self._lookout.look()
                if self._oracle is not None and not self.is_virtual:
                    self._oracle.ask_if_due(self.crawl)
                if self._inbox.has_grown:
                    self.halt.nudge()

    def _time_limit(self) -> asyncio.TimerHandle | None:
        """Ask for a halt when the time is over, and shortly after for one at once."""
        if (left := self.outside.time_left) is None or self._virtual_end() is not None:
            return None
        loop = asyncio.get_running_loop()

        def over() -> None:
            self.halt.ask(TIME_LIMIT)
            loop.call_later(GRACE_SECONDS, self.halt.ask, TIME_LIMIT)

        return loop.call_later(left, over)

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
        return self._opened.rehydrate.unread

    @property
    def resting(self) -> Mapping[Host, Millis]:
        """The hosts that are left alone now, and until when."""
        return self._opened.frontier.resting(self.clock.now())

    def _outlook(self) -> Outlook:
        """What only this process knows, for whoever looks on from another."""
        crawl, resting = self.crawl, self.resting
        return Outlook(
            at=self.clock.now(),
            written=Millis(round(time.time() * 1000)),
            step=crawl.step,
            waiting=len(crawl.frontier),
            revisits=crawl.frontier.revisits,
            fetching=tuple(islice(crawl.frontier.leased, MOST_FETCHING)),
            resting=(first := earliest(resting, MOST_RESTING)),
            why_resting={host: crawl.pace.why(host) for host in first},
            hosts_resting=len(resting),
            paused=self.halt.paused,
            order=in_order(crawl),
            facts=crawl.strategy.facts(),
            population=tuple(crawl.strategy.population()[:MOST_MEMBERS]),
            best=tuple(as_told(self._opened.frontier.best(MOST_WAITING), resting)),
            told=tuple(self.told[-MOST_TOLD:]),
        )

    # -- closing ---------------------------------------------------------------------------------------------

    async def abandon(self, error: BaseException) -> None:
        """After an opening that failed: leave word in the folder, and let go of it."""
        stopped = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
        await self._close(
            Ending(EndKind.INTERRUPTED, "while it was opened")
            if stopped
            else Ending(EndKind.FAILED, str(error))
        )

    async def _close(self, ended: Ending) -> list[LycosaError]:
        """Leave word and let go of everything. Returns what went wrong."""
        errors: list[LycosaError] = []
        self._lookout.close()
        try:
            self._keeper.leave_word(ended)
        except LycosaError as error:
            errors.append(error)
        if self._oracle is not None:
            await self._oracle.close()
        if self._gathering is not None:
            await self._gathering.drop()
        errors += self._opened.close()
        await self.outside.close()
        self.told += self.outside.told
        return errors


def _opened(
    spec: CrawlSpec,
    path: Path,
    outside: Outside,
    dns: DnsFile,
    source: TopicSource,
    log: QueryLog | None,
    share: Share | None = None,
) -> Session:
    """The folder's files opened, and the crawl put together."""
    if outside.is_virtual and spec.revisit.policy and not spec.seconds:
        raise InputError("on a recorded web pages can be visited again for ever: say for how long, as in 2w")
    if spec.revisit.is_on and web_of(spec.web).archives:
        raise InputError(
            "what an archive holds does not change, so its pages are not visited again: crawl the live web, or leave "
            "--refresh out"
        )
    chosen, topic = strategy(spec.strategy, source.inputs()), source.model()
    audience = Audience.of(spec.revisit, path, log)
    opened = Opened.open(spec, path, dns)
    try:
        company = _company(spec, opened.journal, share)
    except LycosaError:
        opened.close()
        raise
    crawl = Crawl(
        chosen,
        opened.frontier,
        parts.topic_of(company, topic),
        opened.store,
        gate=parts.gate_of(spec),
        pace=parts.pace_of(spec),
        order=parts.order_of(spec),
        seed=spec.seed,
        budget=parts.budget_of(spec),
        requests=Requests(spec.requests),
        stopping=parts.stopping_of(spec, source.held_out),
        schedule=parts.schedule_of(spec),
        split=parts.split_of(spec),
        company=company,
        renderings=parts.renderings_of(spec),
        feeds=spec.use_feeds,
    )
    return Session(spec, path, outside, dns, opened, crawl, audience)


def _company(spec: CrawlSpec, journal: Journal, share: Share | None) -> Company | None:
    """A node's place in a shared crawl, None in one that is not. Who it is stands in its journal."""
    kept = journal.noted("share")
    if share is None and kept is None:
        return None
    if share is None:
        share = from_json(kept or "", Share)
    journal.be_shared()
    life = journal.noted("life")
    if life is None:
        life = uuid4().hex[:12]
        journal.note("life", life)
        journal.note("share", msgspec.json.encode(share).decode())
    return parts.company_of(spec, share, life)


async def begin(
    spec: CrawlSpec,
    path: Path,
    share: Share | None = None,
    *,
    topic: Path | None = None,
    turns: SharedSpacing | None = None,
    renderer: Renderer | None = None,
) -> Session:
    """Make a new crawl folder; with a `share`, that of one node of a shared crawl, whose `topic` was prepared in
    another folder (`prepare`), and which by `turns` agrees with the others whom to ask. A `renderer` takes the
    place of the system's Chromium. Raises `InputError` or
    `FolderError`, and then leaves nothing behind."""
    refuse_taken(path)
    spec = _settled(spec)
    log = read_queries(Path(spec.revisit.queries)) if spec.revisit.queries else None
    dns = DnsFile.open(Paths(path).dns)
    outside = Outside(spec, dns.history, turns=turns, renderer=renderer)
    try:
        source, notes = await _learned(spec, outside) if topic is None else (load_topic(Paths(topic)), [])
        _make_folder(path, spec, source)
        if log is not None:
            keep_queries(log, Paths(path).inputs)
        session = _opened(spec, path, outside, dns, source, log, share)
    except BaseException:
        await outside.close()
        raise
    session.notes += notes
    for said in said_before(path):
        session.say(said)
    await _or_abandon(session, session.start())
    return session


def said_before(path: Path) -> list[Blocked]:
    """What a shared crawl was told before this node of it began."""
    if not node_at(path):
        return []
    said = Inbox(SharedPaths(path.absolute().parent.parent).inbox).news(0)
    return [each for each in said if isinstance(each, Blocked)]


async def prepare(spec: CrawlSpec, path: Path) -> tuple[CrawlSpec, list[str]]:
    """Ask once for all nodes of a shared crawl what the topic names, and keep it in a folder for `begin`. Returns the
    specification as it is settled, and what could not be had. Raises `InputError` or `FolderError`."""
    spec = _settled(spec)
    async with Outside(spec) as outside:
        source, notes = await _learned(spec, outside)
    _make_folder(path, spec, source)
    return spec, notes


def _settled(spec: CrawlSpec) -> CrawlSpec:
    """The specification as it is kept, looked through before anything is fetched or written. Raises `InputError`."""
    spec = msgspec.structs.replace(
        spec,
        lycosa=__version__,
        web=settled_web(spec),
        archive=settled_archive(spec),
        archives=settled_archives(spec),
        fetch=settled_fetch(spec),
    )
    warc_files(map(Path, spec.archive.dedup_against))  # raises where one is missing
    parts.gate_of(spec)
    if not derived.seeds_of(spec) and not spec.sitemaps:
        raise InputError("no start page: give at least one URL, or a sitemap with --sitemap URL")
    return spec


async def _learned(spec: CrawlSpec, outside: Outside) -> tuple[TopicSource, list[str]]:
    """What the topic names, and what of it could not be had."""
    asked = inputs_asked(spec.strategy)
    seeds = derived.seeds_of(spec)
    reading = Reading(spec.topic, outside.web, outside.robots(), outside.clock, seeds=seeds)
    source = await _in_time(topic_source(reading, asked), outside)
    strategy(spec.strategy, source.inputs())  # raises for what it cannot work with
    return source, reading.notes


async def _in_time(reading: Awaitable[TopicSource], outside: Outside) -> TopicSource:
    """What the topic names, unless the run's limit of time is over first. Raises `InputError`."""
    try:
        async with asyncio.timeout(outside.time_left):
            return await reading
    except TimeoutError:
        raise InputError(
            "the time limit was over before all pages that the topic names were read; give more with --time"
        ) from None


async def _or_abandon(session: Session, opening: Awaitable[None]) -> None:
    """The last of an opening. If it fails, the folder is let go of."""
    try:
        await opening
    except BaseException as error:
        await session.abandon(error)
        raise


async def resume(
    path: Path,
    *,
    pages: int | None = None,
    requests: int | None = None,
    seconds: float | None = None,
    stop: StopSpec | None = None,
    judge: JudgeSpec | None = None,
    revisit: RevisitSpec | None = None,
    queries: Path | None = None,
    turns: SharedSpacing | None = None,
    renderer: Renderer | None = None,
) -> Session:
    """Open a crawl folder to go on with it; `pages` and `requests` are the new budgets in all, `seconds` the limit of
    this run, `stop` what takes the place of all its stopping rules, `judge` that of the model that is asked, `revisit`
    whether and when pages are visited again. What is None stays as it was. `queries` is the file that `revisit`
    names: it is read, and takes the place of the log that the folder keeps. `turns`, `renderer`: as in `begin`.

    A frontier that is damaged is kept under another name, and made anew from the journal.
    """
    given: dict[str, Any] = {"pages": pages, "requests": requests, "seconds": seconds}
    given |= {"stop": stop, "judge": judge, "revisit": revisit}
    changes = {name: value for name, value in given.items() if value is not None}
    log = None if queries is None else read_queries(queries)
    try:
        return await _resumed(path, changes, log, turns, renderer)
    except DamagedStore as error:
        aside = set_aside(Paths(path).frontier)
        session = await _resumed(path, changes, log, turns, renderer)
        made = f"the frontier was damaged ({error.what}): it was made anew from the journal, and kept as {aside.name}"
        session.notes.insert(0, made)
        return session


async def _resumed(
    path: Path,
    changes: Mapping[str, Any],
    log: QueryLog | None,
    turns: SharedSpacing | None,
    renderer: Renderer | None,
) -> Session:
    paths = Paths(path)
    if not paths.specification.exists():
        raise FolderError(f"{path}: no crawl here; begin one with lycosa crawl … --out {path}")
    spec = load(paths.specification, CrawlSpec)
    refuse_smaller(path, pages=changes.get("pages"), requests=changes.get("requests"))
    changed = msgspec.structs.replace(spec, **changes)
    dns = DnsFile.open(paths.dns)
    outside = Outside(changed, dns.history, turns=turns, renderer=renderer)
    try:
        session = _opened(changed, path, outside, dns, load_topic(paths), log)
    except BaseException:
        await outside.close()
        raise
    await _or_abandon(session, session.go_on())
    if log is not None:
        keep_queries(log, paths.inputs)
    if session.spec != spec:  # by what was said meanwhile, too
        save(session.spec, paths.specification)
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
