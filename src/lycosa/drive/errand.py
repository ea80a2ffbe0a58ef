"""Something that is done now and then beside the visits of a crawl, in real time and in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from lycosa.drive.loop import Road
from lycosa.drive.visit import Outcome
from lycosa.model.records import Millis, Request


class WithErrand:
    """A road on which an errand is run when it is due, and from then on after each span of time.

    In real time it runs `beside` the visits. Under virtual time nothing passes meanwhile: visits wait for it. What it
    raises, `arrivals` raises.
    """

    def __init__(
        self, road: Road, errand: Callable[[], Awaitable[None]], due: Millis, every: Millis, *, beside: bool
    ) -> None:
        self._road, self._errand, self._due, self._every, self._beside = road, errand, due, every, beside
        self._running: asyncio.Task[None] | None = None

    def now(self) -> Millis:
        return self._road.now()

    def __len__(self) -> int:
        return len(self._road)

    def send(self, request: Request) -> None:
        self._road.send(request)

    async def arrivals(self, until: Millis | None) -> Sequence[Outcome]:
        if self._running is not None and self._running.done():
            self._running.result()
            self._running = None
        if self.now() >= self._due and self._running is None:
            self._due = Millis(self.now() + self._every)
            self._running = asyncio.create_task(self._run())
            if not self._beside:
                await self._running
                return ()
        return await self._road.arrivals(self._due if until is None else min(until, self._due))

    async def _run(self) -> None:
        await self._errand()

    async def drop(self) -> None:
        if self._running is not None:
            self._running.cancel()
            await asyncio.gather(self._running, return_exceptions=True)
        await self._road.drop()
