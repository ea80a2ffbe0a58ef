"""How a running crawl is asked to stop."""

from __future__ import annotations

from collections.abc import Callable


class Halt:
    """Asked once, no more visits begin and those that are out come home; asked twice, they are dropped.

    Either way all that was committed is kept and the crawl can be resumed.
    """

    def __init__(self) -> None:
        self.reason = ""
        self.at_once = False
        self._heard: list[Callable[[], None]] = []

    @property
    def asked(self) -> bool:
        return bool(self.reason)

    def ask(self, reason: str) -> None:
        """Ask to stop; asked again, to stop at once."""
        self.at_once = self.asked
        self.reason = self.reason or reason
        self.nudge()

    def nudge(self) -> None:
        """Wake a crawl that waits: there may be something to hear."""
        for heard in self._heard:
            heard()

    def when_asked(self, heard: Callable[[], None]) -> None:
        """Call this, with no arguments, each time a stop is asked for."""
        self._heard.append(heard)
