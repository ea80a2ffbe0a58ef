"""Real time and virtual time."""

from __future__ import annotations

import asyncio
import time

from lycosa.model.records import Millis


class WallClock:
    """Milliseconds since the Unix epoch, never running backwards.

    It follows the system's clock forward, as after a sleep of the machine. Where that is set back, it goes on from
    where it is: or hosts would rest, and pages wait, for as long as it was set back.
    """

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> Millis:
        passed, told = time.monotonic() + self._offset, time.time()
        if told > passed:
            self._offset += told - passed
            passed = told
        return Millis(int(passed * 1000))

    def pass_to(self, when: Millis) -> None:
        """Be no earlier than this: where an earlier run ended, by a clock that was set back since."""
        self._offset += max(0.0, when / 1000 - time.monotonic() - self._offset)

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
