"""A road under virtual time: for recorded and generated webs, where nothing has to be waited for."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable

from lycosa.crawl.crawl import Crawl
from lycosa.drive.clock import VirtualClock
from lycosa.drive.halt import Halt
from lycosa.drive.loop import Visiting, Watching, nothing_to_hear, run, safely, unwatched
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
