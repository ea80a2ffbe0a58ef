"""A crawl under virtual time: for recorded and generated webs, where nothing has to be waited for."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable

from lycosa.crawl.crawl import Crawl
from lycosa.drive.clock import VirtualClock
from lycosa.drive.halt import Halt
from lycosa.drive.live import Visiting, Watching, nothing_to_hear, safely
from lycosa.model.records import Millis, Request, Visit
from lycosa.model.url import Url

Latency = Callable[[Url], Millis]
"""How long a visit to a URL takes, in virtual milliseconds."""

BREATH = 64
"""So often, in steps, the event loop gets a turn: it may hear that somebody wants the crawl to halt."""


def unwatched(visit: Visit) -> None:
    """For crawls that nobody looks at."""


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
    """Run a crawl until it is finished or asked to halt. The clock ends where the crawl does.

    One visit is awaited at a time, at the moment at which it would have come home; its web should answer at once.
    The same crawl, web and width always give the same journal, if `hear` takes nothing in meanwhile.
    """
    halt = halt or Halt()
    out: list[tuple[Millis, int, Request]] = []  # a heap: when the visit ends, a counter, the request
    count = 0
    while not crawl.finished and not halt.at_once:
        hear()
        while not halt.asked and len(out) < width and (request := crawl.lease(clock.now())):
            count += 1
            heapq.heappush(out, (Millis(clock.now() + latency(request.url)), count, request))
        wake = crawl.wakes_at() if len(out) < width and not halt.asked else None
        if out and (wake is None or out[0][0] <= wake):
            ends, _, request = heapq.heappop(out)
            clock.pass_to(ends)
            watch(crawl.commit(await safely(visit, request, clock), clock.now()))
            if crawl.step % BREATH == 0:
                await asyncio.sleep(0)
        elif wake is not None:
            clock.pass_to(wake)
        else:
            break
