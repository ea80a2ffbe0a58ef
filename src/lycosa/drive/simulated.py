"""A road under virtual time: for recorded and generated webs, where nothing has to be waited for."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable

from lycosa.crawl.crawl import Crawl
from lycosa.drive.clock import VirtualClock
from lycosa.drive.halt import Halt
from lycosa.drive.loop import (
    Visiting,
    Watching,
    bring_home,
    nothing_to_hear,
    run,
    safely,
    send_out,
    unwatched,
)
from lycosa.drive.visit import Outcome
from lycosa.model.records import Millis, Request
from lycosa.model.url import Url

Latency = Callable[[Url], Millis]
"""How long a visit to a URL takes, in virtual milliseconds."""

BREATH = 64
"""So often, in visits, the event loop gets a turn: it may hear that somebody wants the crawl to halt."""


class VirtualRoad:
    """The visits that are out lie in a heap, by the time at which they come home.

    One is awaited at a time, at that moment; its web should answer at once. Time passes to the next of these moments,
    or to the time that the crawl waits for.
    """

    def __init__(self, visit: Visiting, latency: Latency, clock: VirtualClock) -> None:
        self._visit, self._latency, self._clock = visit, latency, clock
        self._out: list[tuple[Millis, int, Request]] = []  # when the visit ends, a counter, the request
        self._sent = 0
        self._breath = BREATH

    def now(self) -> Millis:
        return self._clock.now()

    def __len__(self) -> int:
        return len(self._out)

    @property
    def next_at(self) -> Millis | None:
        """When the next visit comes home."""
        return self._out[0][0] if self._out else None

    def send(self, request: Request) -> None:
        self._sent += 1
        ends = Millis(self._clock.now() + self._latency(request.at))
        heapq.heappush(self._out, (ends, self._sent, request))

    async def arrivals(self, until: Millis | None) -> list[Outcome]:
        if self._out and (until is None or self._out[0][0] <= until):
            ends, _, request = heapq.heappop(self._out)
            self._clock.pass_to(ends)
            self._breath -= 1
            if not self._breath:
                self._breath = BREATH
                await asyncio.sleep(0)
            return [await safely(self._visit, request, self._clock)]
        if until is not None:
            self._clock.pass_to(until)
        return []

    async def drop(self) -> None:
        self._out.clear()


class Simulation:
    """One crawl of several under virtual time, a step at a time: who steps the one that is next, and then it again, has
    all of them at the same time. Each has a clock of its own; none is ever behind what it was told.

    A crawl that becomes quiet has no next step before something is told it (`crawl.receive`, a greater budget).
    """

    def __init__(
        self,
        crawl: Crawl,
        visit: Visiting,
        latency: Latency,
        clock: VirtualClock,
        *,
        width: int = 1,
        watch: Watching = unwatched,
    ) -> None:
        self.crawl, self.clock = crawl, clock
        self._road = VirtualRoad(visit, latency, clock)
        self._width, self._watch = width, watch

    def lease(self) -> None:
        """Send out what may be fetched now: at the beginning, and after something was told the crawl."""
        send_out(self.crawl, self._road, self._width)

    def next_at(self) -> Millis | None:
        """When something happens by itself: a visit comes home, or a host may be visited again. None: nothing does."""
        if self.crawl.finished:
            return None
        times = [self._road.next_at]
        if len(self._road) < self._width:
            times.append(self.crawl.wakes_at())
        return min((at for at in times if at is not None), default=None)

    async def advance(self) -> None:
        """Let it be `next_at`: take in the visit that comes home then, and send out what may be fetched."""
        if (at := self.next_at()) is None:
            return
        bring_home(self.crawl, self._road, await self._road.arrivals(at), self._watch)
        self.lease()

    def pass_to(self, now: Millis) -> None:
        """Let it be `now`, not later than `next_at`: something is told the crawl then."""
        self.clock.pass_to(now)

    async def lose(self) -> None:
        """Give up the visits that are out, as a node that dies."""
        await self._road.drop()


async def simulate(
    crawl: Crawl,
    visit: Visiting,
    latency: Latency,
    clock: VirtualClock,
    *,
    width: int = 1,
    halt: Halt | None = None,
    watch: Watching = unwatched,
    hear: Callable[[], None] = nothing_to_hear,
) -> None:
    """Run a crawl under virtual time until it is finished or asked to halt. The clock ends where the crawl does.

    The same crawl, web and width always give the same journal, if `hear` takes nothing in meanwhile.
    """
    road = VirtualRoad(visit, latency, clock)
    await run(crawl, road, width=width, halt=halt or Halt(), watch=watch, hear=hear)
