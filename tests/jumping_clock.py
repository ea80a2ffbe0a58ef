"""A clock for asyncio code that must not really wait."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from lycosa.model.records import Millis


class JumpingClock:
    """Time that stands still while anybody has something to do, then jumps to the next who sleeps."""

    def __init__(self) -> None:
        self.time = 0
        self.sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        self._count = 0

    def now(self) -> Millis:
        return Millis(self.time)

    async def sleep_until(self, when: Millis) -> None:
        ring = asyncio.get_running_loop().create_future()
        self._count += 1
        self.sleepers.append((when, self._count, ring))
        await ring

    async def run(self, *work: Awaitable[object]) -> None:
        done = asyncio.gather(*work)
        while not done.done():
            for _ in range(20):
                await asyncio.sleep(0)
            self.sleepers = [sleeper for sleeper in self.sleepers if not sleeper[2].done()]
            if self.sleepers and not done.done():
                self.sleepers.sort()
                when, _, ring = self.sleepers.pop(0)
                self.time = max(self.time, when)
                ring.set_result(None)
        await done
