"""A crawl in real time: many visits side by side in one event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.ports import Clock
from lycosa.drive.halt import Halt
from lycosa.model.errors import LycosaError
from lycosa.model.records import Failure, Millis, Reason, Request, Visit

Visiting = Callable[[Request], Awaitable[Visit]]
Watching = Callable[[Visit], None]


def nothing_to_hear() -> None:
    """For crawls that nobody speaks to."""


async def run(
    crawl: Crawl,
    visit: Visiting,
    clock: Clock,
    *,
    width: int,
    halt: Halt,
    watch: Watching,
    hear: Callable[[], None] = nothing_to_hear,
) -> None:
    """Lease, visit, commit – until the crawl is finished or asked to halt.

    `hear` takes in what people say meanwhile; it is asked before each lease, and a nudge (`Halt.nudge`) has it asked.
    """
    out = Outgoing(visit, clock, halt)
    try:
        while not (crawl.finished or (halt.asked and not out) or halt.at_once):
            hear()
            while not halt.asked and len(out) < width and (request := crawl.lease(clock.now())):
                out.send(request)
            if not crawl.finished:
                may_send = len(out) < width and not halt.asked
                await out.come_home(until=crawl.wakes_at() if may_send else None)
            for visited in out.home():
                watch(crawl.commit(visited, clock.now()))
    finally:
        await out.drop()


async def safely(visit: Visiting, request: Request, clock: Clock) -> Visit:
    """Visit; a defect in reading one page becomes a failure of that page. Errors that lycosa raises go on."""
    try:
        return await visit(request)
    except LycosaError:
        raise
    except Exception as error:
        detail = f"{type(error).__name__}: {error}"
        return Failure(request=request, reason=Reason.UNREADABLE, detail=detail, at=clock.now())


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the fastest event loop there is: uvloop's, where it runs; None: the standard one."""
    try:
        import uvloop
    except ImportError:  # there is none for Windows
        return None
    return uvloop.new_event_loop


class Outgoing:
    """The visits that are out. Waiting for one costs the same however many there are."""

    def __init__(self, visit: Visiting, clock: Clock, halt: Halt) -> None:
        self._visit, self._clock = visit, clock
        self._out: set[asyncio.Task[Visit]] = set()
        self._home: deque[asyncio.Task[Visit]] = deque()
        self._wake = asyncio.Event()
        halt.when_asked(self._wake.set)

    def __len__(self) -> int:
        return len(self._out) + len(self._home)

    def send(self, request: Request) -> None:
        task = asyncio.get_running_loop().create_task(safely(self._visit, request, self._clock))
        self._out.add(task)
        task.add_done_callback(self._came_home)

    async def come_home(self, *, until: Millis | None) -> None:
        """Wait for a visit to come home, for a wish to halt, or for the time given."""
        timer = None
        if until is None and not self:
            raise RuntimeError("nothing is out, nothing rests, and yet the crawl is not finished")
        if until is not None:
            delay = max(0, until - self._clock.now()) / 1000
            timer = asyncio.get_running_loop().call_later(delay, self._wake.set)
        await self._wake.wait()
        self._wake.clear()
        if timer is not None:
            timer.cancel()

    def home(self) -> list[Visit]:
        """The visits that came home since the last call, in the order in which they did."""
        visits = [task.result() for task in self._home]
        self._home.clear()
        return visits

    async def drop(self) -> None:
        """Give up all visits that are still out."""
        for task in self._out:
            task.cancel()
        await asyncio.gather(*self._out, return_exceptions=True)

    def _came_home(self, task: asyncio.Task[Visit]) -> None:
        self._out.discard(task)
        if not task.cancelled():
            self._home.append(task)
            self._wake.set()
