"""One node of a shared crawl: a session, its post, and what it says of itself to who leads the crawl."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

import msgspec

from lycosa import __version__
from lycosa.cluster.messages import Found, Hello, Orders, Report, State
from lycosa.cluster.post import Peers, Post, Unreachable
from lycosa.cluster.quiet import Standing
from lycosa.cluster.shares import Holding
from lycosa.compose.outside import turns_of
from lycosa.crawl.company import Company
from lycosa.crawls import session as sessions
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.mail import Mail
from lycosa.crawls.session import Session
from lycosa.model.decoding import from_json
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import FolderError, LycosaError
from lycosa.model.nodes import Members, Node, Share
from lycosa.model.records import Arrival, Page
from lycosa.spec.derived import is_recorded
from lycosa.spec.files import write_whole
from lycosa.store.database import folder_errors
from lycosa.store.paths import Paths
from lycosa.watch.tally import Tally
from lycosa.web.shared_spacing import Peer, SharedSpacing

UNLED_FOR = 600.0
"""Seconds after which a node that has nothing to do, and is asked by nobody how it stands, closes its folder."""
LOOK_EVERY = 1.0
BEST = 10
FRONT = 100
"""Hosts whose best links are told of."""


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What a node may use in all; it lies in the node's folder, for whoever leads the crawl may be gone."""

    pages: int
    requests: int | None

    @staticmethod
    def path(folder: Path) -> Path:
        return folder / "grant.json"

    @classmethod
    def load(cls, folder: Path) -> Grant | None:
        with suppress(OSError, msgspec.MsgspecError):
            return from_json(cls.path(folder).read_bytes(), cls)
        return None

    def save(self, folder: Path) -> None:
        with folder_errors(folder):
            write_whole(self.path(folder), msgspec.json.encode(self))


class SharedNode:
    """Opens its folder, or begins one; runs; and can be told to go on after a run that failed."""

    def __init__(self, orders: Orders, peers: Peers, *, again: bool = False) -> None:
        """`again`: it was there before, and died."""
        self._orders, self._peers, self._again = orders, peers, again
        self._folder = Path(orders.folder)
        self._state, self._ended, self._refused = State.OPENING, "", ""
        self._session: Session | None = None
        self._post: Post | None = None
        self._turns: SharedSpacing | None = None
        self._grant = Grant(pages=orders.pages, requests=orders.requests)
        self._begun_anew = False
        self._told: list[str] = []
        self._came_up = 0  # lines of what came up during the run
        self._tally = Tally(orders.spec.relevant_from, keep=BEST)
        self._lost: set[Node] = set()
        self._fronts: tuple[tuple[int, float], ...] = ()
        self._look_at_front = 0.0
        self._held = self._paused_before = False
        self._broken = ""  # why what others sent could not be kept
        self._heard_at = time.monotonic()
        self._last = self._nothing_yet()
        self._living: asyncio.Task[None] | None = None
        self._opened = asyncio.Event()

    def begin(self) -> None:
        """Open the folder and run, in this event loop."""
        self._living = asyncio.get_running_loop().create_task(self._live())

    async def over(self) -> None:
        """Wait until the run is over."""
        if self._living is not None:
            await self._living

    # -- the run ---------------------------------------------------------------------------------------------

    async def _live(self) -> None:
        """One run, from the opening to the end. Whatever goes wrong is told."""
        try:
            session = await self._open()
        except Exception as error:
            self._refused = self._ended = _in_words(error)
            self._state = State.FAILED
            return
        finally:
            self._opened.set()
        assert session.mail is not None
        self._session, self._state = session, State.RUNNING
        self._post = Post(
            Outgoing(session, session.mail, self._lost),
            self._peers,
            links=self._orders.spec.cluster.batch_links,
            seconds=self._orders.spec.cluster.batch_seconds,
        )
        tasks = self._post.run(), self._look_on(session), self._announce(session)
        beside = [asyncio.create_task(each) for each in tasks]
        try:
            await session.run(self._watch)
            self._ended = str(Ending(EndKind.FAILED, self._broken) if self._broken else _why(session))
            state = State.FAILED if self._broken else State.ENDED
        except Exception as error:
            self._ended = str(Ending(EndKind.FAILED, _in_words(error)))
            state = State.FAILED
        finally:
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
            self._last = self._as_it_stands(session)
            self._session = self._post = None  # what others agree on with this node goes on: `_turns`
        self._state = state

    async def _open(self) -> Session:
        """The folder as it is, or a new one."""
        orders, folder = self._orders, self._folder
        turns = self._turns = self._agreed()
        if Paths(folder).specification.exists():
            session = await sessions.resume(folder, turns=turns)
            if session.mail is not None:
                self._grant = Grant.load(folder) or Grant(pages=0, requests=orders.requests and 1)
                with CrawlFolder.open(folder) as before:
                    self._tally.take_over(before.status(), before.best(BEST))
                return self._taken_up(session)
            await session.abandon(LycosaError("it was cut short before it had begun"))
            shutil.rmtree(folder)
            turns = self._turns = self._agreed()
        if self._again:  # what is left of the budget is not known here
            self._begun_anew = True
            self._grant = Grant(pages=0, requests=orders.requests and 1)
            self._told.append("found no folder, and begins anew: what it had fetched is fetched again")
        share = Share(node=orders.here, members=orders.members)
        topic = Path(orders.topic) if orders.topic and Paths(Path(orders.topic)).topic.exists() else None
        session = await sessions.begin(orders.spec, folder, share, topic=topic, turns=turns)
        self._grant.save(folder)
        return self._taken_up(session)

    def _agreed(self) -> SharedSpacing | None:
        """How it agrees with the others whose turn it is to ask a host. On a recorded web there is nobody to spare."""
        orders = self._orders
        if is_recorded(orders.spec):
            return None
        first = orders.first and not self._again and not Paths(self._folder).specification.exists()
        if self._turns is not None:
            first = False
            self._turns.end()
        peer = Peer(
            here=orders.here,
            life=uuid4().hex[:12],
            members=orders.members,
            first=first,
            send=self._peers.write,
        )
        return turns_of(orders.spec, peer)

    def _taken_up(self, session: Session) -> Session:
        self._told += session.notes
        session.allow(self._grant.pages, self._grant.requests)
        self._held = self._orders.paused and not self._again
        session.halt.pause(self._held)
        if self._turns is not None:
            self._turns.change(_company(session).members)
        return session

    def _watch(self, visit: Arrival) -> None:
        assert self._session is not None
        crawl = self._session.crawl
        again = isinstance(visit, Page) and crawl.pages == self._tally.pages
        self._tally.visit(visit, crawl.failures, again=again)

    async def _announce(self, session: Session) -> None:
        """Tell the others that it is here, those too of whom it hears later: who sent it something asks how much of
        that it has, and who knows of an earlier folder learns that it is lost."""
        company, met = _company(session), {self._orders.here}

        async def tell(node: Node) -> None:
            with suppress(Unreachable):
                await self._peers.meet(node, company.here, company.life)
                met.add(node)

        while True:
            await asyncio.gather(*(tell(node) for node in company.members.names if node not in met))
            await asyncio.sleep(LOOK_EVERY)

    async def _look_on(self, session: Session) -> None:
        """End a run that nobody leads any more, once there is nothing to do."""
        while True:
            await asyncio.sleep(LOOK_EVERY)
            unled = time.monotonic() - self._heard_at
            if session.crawl.quiet and unled > UNLED_FOR:
                session.halt.ask("nobody leads the crawl any more")

    # -- what it says ----------------------------------------------------------------------------------------

    async def hello(self) -> Hello:
        await self._opened.wait()
        if self._session is None:
            return Hello(version=__version__, refused=self._refused, ended=not self._refused)
        return Hello(version=__version__, digest=_company(self._session).partition.digest)

    async def report(self) -> Report:
        self._heard_at = time.monotonic()
        if self._session is not None:
            self._last = self._as_it_stands(self._session)
            self._told += self._session.told[self._came_up :]
            self._came_up = len(self._session.told)
        if self._post is not None:
            self._told += self._post.told
            self._post.told.clear()
        told, self._told = tuple(self._told), []
        return msgspec.structs.replace(
            self._last, state=self._state, ended=self._ended, told=told, begun_anew=self._begun_anew
        )

    def _as_it_stands(self, session: Session) -> Report:
        crawl, company, mail = session.crawl, _company(session), session.mail
        assert mail is not None
        leased = len(crawl.frontier.leased)
        unsent = sum(mail.links_waiting(node) for node in company.sent if node not in self._lost)
        standing = Standing(
            life=company.life,
            quiet=crawl.quiet,
            sent=dict(company.sent),
            taken=dict(company.received),
            steps=crawl.step,
        )
        return Report(
            state=self._state,
            standing=standing,
            epoch=company.members.epoch,
            pages=Holding(granted=crawl.budget, used=crawl.pages + leased),
            requests=Holding(granted=crawl.requests.limit or 0, used=crawl.requests.made + leased),
            relevant=self._tally.relevant,
            failures=crawl.failures,
            waiting=len(crawl.frontier),
            leased=leased,
            unsent=unsent,
            front=self._front(session),
            exported=company.exported,
            imported=company.imported,
            best=tuple(
                Found(relevance=one.relevance, url=one.url, title=one.title) for one in self._tally.best
            ),
            reached=crawl.stopping.reached,
            paused=self._held,
            settled=self._turns is None or self._turns.settled,
            process=os.getpid(),
            machine=platform.node(),
        )

    def _front(self, session: Session) -> tuple[tuple[int, float], ...]:
        """As it was a little while ago: to look at all hosts takes time."""
        began = time.monotonic()
        if began >= self._look_at_front:
            self._fronts = session.front(FRONT)
            self._look_at_front = time.monotonic() + max(LOOK_EVERY, 50 * (time.monotonic() - began))
        return self._fronts

    def _nothing_yet(self) -> Report:
        return Report(
            state=State.OPENING,
            standing=Standing(life="", quiet=False),
            epoch=self._orders.members.epoch,
            pages=Holding(granted=self._grant.pages, used=0),
            requests=Holding(granted=self._grant.requests or 0, used=0),
            process=os.getpid(),
            machine=platform.node(),
        )

    # -- what it is told -------------------------------------------------------------------------------------

    async def deliver(self, sealed: bytes) -> int:
        """Take in a batch of another node."""
        mail = self._mail()
        with self._keeping():
            return await mail.take(sealed)

    @contextmanager
    def _keeping(self) -> Iterator[None]:
        """What others say is to be kept. If it cannot be, the run ends: a node with nothing else to do would not meet
        the fault itself."""
        session = self._running()
        try:
            yield
        except FolderError as error:
            self._broken = str(error)
            for _ in range(2):  # at once
                session.halt.ask(self._broken)
            raise Unreachable(self._broken) from None

    async def taken(self, node: Node, life: str) -> int:
        """How many parcels of a life of a node are taken in."""
        return self._mail().taken(node, life)

    def hear(self, letter: bytes) -> None:
        """Take in a letter about politeness; one that came too early, or that cannot be read, is as good as lost."""
        if self._turns is not None:
            with suppress(msgspec.DecodeError):
                self._turns.hear(letter)

    async def meet(self, node: Node, life: str) -> None:
        """A node is there, again or for the first time, with the folder of this life."""
        mail = self._mail()
        assert self._post is not None
        with self._keeping():
            mail.met(node, life)
        self._post.meet(node)

    async def grant(self, pages: int, requests: int) -> tuple[int, int]:
        """Set what the node may use in all. Nothing is awaited between the question what it has used and the answer."""
        session = self._running()
        crawl = session.crawl
        leased = len(crawl.frontier.leased)
        limit = max(requests, crawl.requests.made + leased) if requests else None
        self._grant = Grant(pages=max(pages, crawl.pages + leased), requests=limit)
        session.allow(self._grant.pages, self._grant.requests)
        self._grant.save(self._folder)
        return self._grant.pages, self._grant.requests or 0

    async def join(self, members: Members, lost: tuple[Node, ...]) -> None:
        session = self._running()
        if members.epoch > _company(session).members.epoch:
            self._lost |= set(lost)
            session.join(members, lost)
            if self._turns is not None:
                self._turns.change(members, lost)

    async def pause(self, paused: bool) -> None:
        """Hold visits back while hosts change hands. Whoever paused the crawl before, a person, has it stay so."""
        if paused != self._held:
            halt = self._running().halt
            self._held, before = paused, halt.paused
            halt.pause(paused or self._paused_before)
            self._paused_before = paused and before

    async def dismiss(self, ending: str) -> None:
        if self._session is None and self._state is State.ENDED:
            return
        if (parsed := Ending.parse(ending)) is not None:
            self._running().dismiss(parsed)

    async def halt(self) -> None:
        if self._session is not None:
            self._session.halt.ask("by the user")

    async def go_on(self) -> None:
        if self._state in (State.FAILED, State.ENDED):
            self._state, self._ended, self._broken = State.OPENING, "", ""
            self._opened.clear()
            self.begin()

    def _running(self) -> Session:
        if self._session is None:
            raise Unreachable(f"{self._orders.here} is {self._state.value}")
        return self._session

    def _mail(self) -> Mail:
        mail = self._running().mail
        assert mail is not None
        return mail


class Outgoing:
    """What a session has for others, as the post asks for it."""

    def __init__(self, session: Session, mail: Mail, lost: set[Node]) -> None:
        self._session, self._mail, self._lost = session, mail, lost
        self.life = _company(session).life

    @property
    def idle(self) -> bool:
        return self._session.crawl.quiet or self._session.halt.paused

    @property
    def receivers(self) -> list[Node]:
        """Those who leave in order too: they pass on what comes."""
        sent = self._mail.company.sent
        return [node for node in sent if node not in self._lost and self._mail.unsent(node) > 0]

    def links(self, to: Node) -> int:
        return self._mail.links_waiting(to)

    def urgent(self, to: Node) -> bool:
        return self._mail.urgent(to)

    def unsent(self, to: Node) -> int:
        return self._mail.unsent(to)

    def batch(self, to: Node, most: int) -> bytes | None:
        return self._mail.batch(to, most)

    def connect(self, to: Node, taken: int) -> None:
        self._mail.connect(to, taken)


def _company(session: Session) -> Company:
    assert session.mail is not None
    return session.mail.company


def _why(session: Session) -> Ending:
    if session.crawl.ended is not None and session.crawl.finished:
        return session.crawl.ended
    return Ending(EndKind.INTERRUPTED, session.halt.reason)


def _in_words(error: Exception) -> str:
    return str(error) if isinstance(error, LycosaError) else f"{type(error).__name__}: {error}"
