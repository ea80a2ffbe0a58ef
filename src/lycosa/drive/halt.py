"""How a running crawl is asked to stop, or to pause."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Halt:
    """Asked once, no more visits begin and those that are out come home; asked twice, they are dropped.

    Either way all that was committed is kept and the crawl can be resumed. While it is paused no visits begin either,
    but it goes on when it is told to.
    """

    def __init__(self) -> None:
        self.reason = ""
        self.at_once = False
        self.paused = False
        self._heard: list[Callable[[], None]] = []

    @property
    def asked(self) -> bool:
        return bool(self.reason)

    @property
    def holds(self) -> bool:
        """No more visits begin for now."""
        return self.asked or self.paused

    def ask(self, reason: str) -> None:
        """Ask to stop; asked again, to stop at once."""
        self.at_once = self.asked
        self.reason = self.reason or reason
        self.nudge()

    def pause(self, paused: bool) -> None:
        """Begin no more visits, or (False) begin them again."""
        self.paused = paused
        self.nudge()

    def nudge(self) -> None:
        """Wake a crawl that waits: there may be something to hear."""
        for heard in list(self._heard):
            heard()

    def when_asked(self, heard: Callable[[], None]) -> None:
        """Call this, with no arguments, each time a stop is asked for or the crawl is nudged."""
        self._heard.append(heard)

    async def nudged(self) -> None:
        """Wait until the crawl is nudged."""
        nudge = asyncio.Event()
        self._heard.append(nudge.set)
        try:
            await nudge.wait()
        finally:
            self._heard.remove(nudge.set)
