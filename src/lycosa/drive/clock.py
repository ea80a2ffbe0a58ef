"""Real time and virtual time."""

from __future__ import annotations

import asyncio
import time

from lycosa.model.records import Millis


class WallClock:
    """Milliseconds since the Unix epoch, never running backwards."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> Millis:
        return Millis(int((time.monotonic() + self._offset) * 1000))

    async def sleep_until(self, when: Millis) -> None:
        await asyncio.sleep(max(0, when - self.now()) / 1000)


class VirtualClock:
    """A time that passes only when it is told to."""

    def __init__(self, now: Millis = Millis(0)) -> None:
        self._now = now

    def now(self) -> Millis:
        return self._now

    def pass_to(self, when: Millis) -> None:
        """Let time pass; it never runs backwards."""
        self._now = max(self._now, when)

    async def sleep_until(self, when: Millis) -> None:
        self.pass_to(when)
