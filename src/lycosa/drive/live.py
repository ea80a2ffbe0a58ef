"""A road in real time: many visits side by side in one event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from lycosa.crawl.ports import Clock
from lycosa.drive.halt import Halt
from lycosa.drive.loop import Visiting, safely
from lycosa.drive.visit import Outcome
from lycosa.model.records import Millis, Request


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """What makes the fastest event loop there is: uvloop's, where it runs; None: the standard one."""
    try:
        import uvloop
    except ImportError:  # there is none for Windows
        return None
    return uvloop.new_event_loop


class LiveRoad:
    """The visits that are out are tasks. Waiting for one costs the same however many there are.

    They come home one by one: so whose turn it is meanwhile is sent for after each, what is on the wire goes on between
    two commits, and what reads beside the loop does not run dry.
    """

    def __init__(self, visit: Visiting, clock: Clock, halt: Halt) -> None:
        self._visit, self._clock = visit, clock
        self._out: set[asyncio.Task[Outcome]] = set()
        self._home: deque[asyncio.Task[Outcome]] = deque()
        self._wake = asyncio.Event()
        halt.when_asked(self._wake.set)

    def now(self) -> Millis:
        return self._clock.now()

    def __len__(self) -> int:
        return len(self._out) + len(self._home)

    def send(self, request: Request) -> None:
        task = asyncio.get_running_loop().create_task(safely(self._visit, request, self._clock))
        self._out.add(task)
        task.add_done_callback(self._came_home)

    async def arrivals(self, until: Millis | None) -> list[Outcome]:
        timer = None
        if until is not None and not self._home:
            delay = max(0, until - self._clock.now()) / 1000
            timer = asyncio.get_running_loop().call_later(delay, self._wake.set)
        if self._home:
            await asyncio.sleep(0)  # what came over the network meanwhile has its turn
        else:
            await self._wake.wait()
        self._wake.clear()
        if timer is not None:
            timer.cancel()
        return [self._home.popleft().result()] if self._home else []

    async def drop(self) -> None:
        for task in self._out:
            task.cancel()
        await asyncio.gather(*self._out, return_exceptions=True)

    def _came_home(self, task: asyncio.Task[Outcome]) -> None:
        self._out.discard(task)
        if not task.cancelled():
            self._home.append(task)
            self._wake.set()
