"""What crawls do, told to any number of watchers: each crawl's folder is looked at once for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

import msgspec

from lycosa.crawls.answers import Happened, Happening, Outlook, Status
from lycosa.crawls.interface import Folder
from lycosa.model.errors import LycosaError
from lycosa.model.records import Record
from lycosa.watch.standing import Standing, journals

LOOK_EVERY: Final = 1.0
"""Seconds between two looks at a crawl that runs; at one that does not, five times as long."""
AT_ONCE: Final = 500
"""Happenings of one update: of a fast crawl more come in several updates, one right after the other."""
HELD: Final = 64
"""Updates that wait for a watcher. One that is slower is let go, and may come again and say how far it was."""


Told = TypeVar("Told")


class Update(Record, frozen=True, kw_only=True):
    """What is new of a crawl since the update before."""

    happenings: tuple[Happening, ...] = ()
    status: Status | None = None
    """How the crawl stands, if it was counted anew."""
    outlook: Outlook | None = None
    """What the crawling process told, if it told something new."""
    trouble: str = ""
    """Why nothing can be told now, in one line: the folder is gone, for instance. The hub goes on looking."""
    again: bool = False
    """There was trouble, and it is over."""
    anew: bool = False
    """Another crawl has taken the place of the one that was there."""


class Hub:
    """Looks at each crawl that is watched, and passes on what is new. Made for one event loop.

    Invariants, each the name of a test:

    * once for all: however many watch a crawl, its folder is looked at by one.
    * nothing twice, nothing left out: a watcher is told every happening after its token once, in order.
    * slow watchers hold up nobody: one that does not take its updates is let go.
    """

    def __init__(self, open_folder: Callable[[str], Folder], *, every: float = LOOK_EVERY) -> None:
        """`open_folder` opens a crawl by its name; it may raise `LycosaError`."""
        self._open, self._every = open_folder, every
        self._watches: dict[str, _Watch] = {}

    def watchers(self, name: str) -> int:
        """How many follow a crawl now."""
        return len(self._watches[name].queues) if name in self._watches else 0

    def end(self) -> None:
        """Let all watchers go: they are told what waits for them, and then nothing more."""
        for watch in self._watches.values():
            for queue in list(watch.queues):
                watch.let_go(queue)

    async def follow(self, name: str, token: str | None = None) -> AsyncGenerator[Update, None]:
        """What happens to a crawl from a token on; None: from now on. Begins with how it stands.

        Ends only if this watcher is too slow: it may come again, and tell the token of the last happening that it had.
        Raises `LycosaError` if there is no such crawl, or no such token.
        """
        async with self._joined(name) as (watch, queue):
            at = await watch.asked(lambda folder: folder.token()) if token is None else token
            found = await watch.asked(_since(at))
            passed = _Passed(at)
            while found.happenings:
                yield Update(happenings=passed.new(found.happenings))
                found = await watch.asked(_since(found.token))
            yield await watch.asked(
                lambda folder: Update(status=watch.met.of(folder), outlook=folder.outlook())
            )
            while (update := await queue.get()) is not None:
                if update.anew:
                    passed = _Passed("")
                yield msgspec.structs.replace(update, happenings=passed.new(update.happenings))

    @asynccontextmanager
    async def _joined(self, name: str) -> AsyncIterator[tuple[_Watch, Queue]]:
        watch = self._watches.get(name)
        if watch is None:
            watch = self._watches[name] = _Watch(lambda: self._open(name), self._every)
        queue: Queue = asyncio.Queue(HELD)
        watch.queues.add(queue)
        try:
            await watch.begin()
            yield watch, queue
        finally:
            watch.queues.discard(queue)
            if not watch.queues:
                if self._watches.get(name) is watch:
                    del self._watches[name]
                await watch.close()


Queue = asyncio.Queue[Update | None]


class _Passed:
    """What a watcher has been told: up to which step of each node."""

    def __init__(self, token: str) -> None:
        self._steps: dict[str, int] = {}
        for part in token.split(",") if token else ():
            node, _, step = part.rpartition(":")
            self._steps[node] = int(step)

    def new(self, happenings: Sequence[Happening]) -> tuple[Happening, ...]:
        """Those that it was not told; from now on it has been."""
        told = tuple(one for one in happenings if one.step > self._steps.get(one.node, 0))
        self._steps |= {one.node: one.step for one in told}
        return told


class _Watch:
    """One crawl that is watched."""

    def __init__(self, open_folder: Callable[[], Folder], every: float) -> None:
        self._open, self._every = open_folder, every
        self.queues: set[Queue] = set()
        self._lock = asyncio.Lock()  # a folder answers one question at a time
        self._folder: Folder | None = None
        self._journals: dict[str, int] = {}
        self._token = ""
        self._trouble = ""
        self._process: int | None = None
        self._written = 0  # when the outlook was that was told last
        self._standing = Standing()
        self.met = Standing()
        """For those who come: what is counted for one of them is new to him alone."""
        self._looking: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Open the folder, and look at it from now on. Raises `LycosaError` if there is none."""
        async with self._lock:
            if self._looking is None:
                self._token = await _to_its_end(self._opened)
                self._looking = asyncio.create_task(self._keep_looking())

    async def asked(self, question: Callable[[Folder], Told]) -> Told:
        """What the folder answers. Raises `LycosaError`."""
        async with self._lock:
            return await _to_its_end(lambda: question(self._there()))

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking
        async with self._lock:
            await _to_its_end(self._let_go)

    async def _keep_looking(self) -> None:
        while True:
            await asyncio.sleep(
                self._every if self._process is not None or self._trouble else 5 * self._every
            )
            more = True
            while more:
                async with self._lock:
                    update = await _to_its_end(self._look)
                if update != Update():
                    self._pass_on(update)
                more = len(update.happenings) == AT_ONCE

    def _pass_on(self, update: Update) -> None:
        for queue in list(self.queues):
            if queue.full():
                self.let_go(queue)
            else:
                queue.put_nowait(update)

    def let_go(self, queue: Queue) -> None:
        """Tell a watcher no more."""
        self.queues.discard(queue)
        if queue.full():
            queue.get_nowait()
        queue.put_nowait(None)

    # -- in a thread -----------------------------------------------------------------------------------------------

    def _opened(self) -> str:
        """Open the folder; where the crawl is now."""
        folder = self._open()
        self._folder, self._journals, self._process = folder, journals(folder.path), folder.process
        return folder.token()

    def _let_go(self) -> None:
        if self._folder is not None:
            self._folder.close()
            self._folder = None

    def _there(self) -> Folder:
        if self._folder is None:
            self._opened()
        assert self._folder is not None
        return self._folder

    def _look(self) -> Update:
        before, known = self._trouble, self._journals
        try:
            if self._folder is not None and journals(self._folder.path) != known:
                self._let_go()  # a node has joined, or all is another crawl's
            folder = self._there()
            anew = not known.items() <= self._journals.items()
            if anew:
                self._token = ""
            found = folder.happened(self._token, AT_ONCE)
        except (LycosaError, OSError) as error:
            self._let_go()
            self._process, self._trouble = None, str(error)
            return Update(trouble=str(error)) if str(error) != before else Update()
        self._token, self._trouble, self._process = found.token, "", folder.process
        return Update(
            happenings=found.happenings,
            status=self._standing.counted(folder, found.token, now=bool(before) or anew),
            outlook=self._told(folder),
            again=bool(before),
            anew=anew,
        )

    def _told(self, folder: Folder) -> Outlook | None:
        told = folder.outlook()
        if told is None or told.written == self._written:
            return None
        self._written = told.written
        return told


def _since(token: str) -> Callable[[Folder], Happened]:
    return lambda folder: folder.happened(token, AT_ONCE)


async def _to_its_end(work: Callable[[], Told]) -> Told:
    """What the work comes to, done in a thread. Who is cancelled meanwhile goes when it is done: no thread can be
    stopped, and a folder that is closed while it answers ends the process."""
    doing = asyncio.get_running_loop().run_in_executor(None, work)
    try:
        return await asyncio.shield(doing)
    finally:
        while not doing.done():
            with suppress(asyncio.CancelledError):
                await asyncio.wait([doing])
