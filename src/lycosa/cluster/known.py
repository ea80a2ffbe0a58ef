"""What is known of a node by who leads the crawl."""

from __future__ import annotations

import asyncio
import time

import msgspec

from lycosa.cluster.messages import Member, Report, State
from lycosa.cluster.post import Unreachable
from lycosa.cluster.shares import Holding

AWAITED = 1.0
"""Seconds for a node to answer, before the round goes on without it."""
RATED_EVERY = 2.0
"""Seconds over which the speed of a node is taken."""


class Known:
    """The last that a node said, however long ago, and what came of it."""

    def __init__(self, member: Member, digest: str) -> None:
        self.member, self.digest = member, digest
        self.report: Report | None = None
        self.answers = False
        """Whether it answered when it was asked last."""
        self.fresh = False
        """Whether it answered since its last answer was used to tell whether all is over."""
        self.answered_at = time.monotonic()
        self.missed = False
        """Whether it was told that it does not answer."""
        self.failures = 0
        """How often it was opened again without success."""
        self.failed_at: float | None = None
        self.rate = 0.0
        """Pages a second."""
        self._counted: tuple[float, int] | None = None
        self._asking: asyncio.Task[Report | None] | None = None

    async def ask(self) -> None:
        """Ask how it stands. Who leads does not wait long: what comes later counts when it is asked next."""
        if self._asking is None:
            self._asking = asyncio.get_running_loop().create_task(self._reported())
        await asyncio.wait([self._asking], timeout=AWAITED)
        report = None
        if self._asking.done():
            asking, self._asking = self._asking, None
            report = asking.result()
        self.answers = report is not None
        if report is not None:
            self._note(report)

    async def _reported(self) -> Report | None:
        try:
            return await self.member.report()
        except Unreachable:
            return None

    def _note(self, report: Report) -> None:
        now = time.monotonic()
        self.report, self.answered_at, self.fresh = report, now, True
        used, before = report.pages.used, self._counted
        if before is None or now - before[0] >= RATED_EVERY:
            if before is not None:
                self.rate = max(0, used - before[1]) / (now - before[0])
            self._counted = now, used

    @property
    def silent_for(self) -> float:
        """Seconds since it answered."""
        return time.monotonic() - self.answered_at

    @property
    def busy(self) -> bool:
        """Whether it could use more of a budget."""
        report = self.report
        return self.answers and report is not None and report.state is State.RUNNING and report.waiting > 0

    def granted(self, pages: int, requests: int) -> None:
        """Note what it may use from now on, as it confirmed."""
        if (report := self.report) is not None:
            self.report = msgspec.structs.replace(
                report, pages=_granting(report.pages, pages), requests=_granting(report.requests, requests)
            )


def _granting(holding: Holding, granted: int) -> Holding:
    return msgspec.structs.replace(holding, granted=granted)
