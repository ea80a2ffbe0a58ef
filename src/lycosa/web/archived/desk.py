"""Where an archive is asked, politely as any site: one question at a time, with rests, and slower after a trouble."""

from __future__ import annotations

import asyncio
from collections import defaultdict

from lycosa.crawl.ports import Clock, Web
from lycosa.model.errors import ArchiveError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Record, Response
from lycosa.model.url import Host, Url, host_of
from lycosa.web.spacing import BUSY, retry_after

TROUBLES = frozenset({408, 425, 429, 500, 502, 503, 504, 509})
"""Statuses by which archives ask for patience."""
FORBIDDEN = 403
"""By this Common Crawl's index turns away whoever asked too often."""
MAX_SLOWNESS_REST = Millis(30_000)
MAX_RETRY_AFTER = Millis(3_600_000)


class Patience(Record, frozen=True, kw_only=True):
    """Times in milliseconds."""

    delay: Millis = Millis(1_000)
    """The least rest of a host between two questions."""
    slowness: float = 1.0
    """A host also rests so many times as long as its last answer took, up to 30 s."""
    backoff: Millis = Millis(5_000)
    """The first rest after a trouble; it doubles with each further one in a row."""
    max_backoff: Millis = Millis(900_000)
    give_up: int = 7
    """After so many troubles in a row of one host the crawl halts, to be resumed later."""


class Desk:
    """Asks the hosts of archives. Who comes while one of them is asked, or rests, waits here: there is no other host
    to go to meanwhile.

    Invariants, each the name of a property test:

    * one at a time: of each host at most one question runs.
    * rested: between the end of an answer and the next question to its host lie at least the delay, the time that the
      answer took, and, after a trouble, Retry-After and the backoff (each up to its bound).
    """

    def __init__(self, web: Web, clock: Clock, patience: Patience) -> None:
        self.asked = 0
        """Requests so far, troubles too."""
        self._web, self._clock, self._patience = web, clock, patience
        self._lines: defaultdict[Host, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._opens_at: dict[Host, int] = {}
        self._troubles: dict[Host, int] = {}
        self._reached: set[Host] = set()
        self._retreat = asyncio.Event()

    async def ask(self, url: Url, ask: Ask = PLAIN, *, may_forbid: bool = False) -> Response | Fault:
        """The answer, however long it takes to get one; `Fault(TURN)` if the crawl is about to stop. `may_forbid`: a
        403 is an answer, too, and no trouble.

        ArchiveError if there were too many troubles in a row.
        """
        host = host_of(url)
        async with self._lines[host]:
            while await self._may_ask(host):
                answer = await self._web.fetch(url, ask)
                if isinstance(answer, Fault) and answer.reason is Reason.TURN:
                    self._rest(host, answer.retry_after or BUSY)
                    continue
                self.asked += 1
                if (trouble := _trouble(answer, may_forbid=may_forbid)) is None:
                    self._troubles.pop(host, None)
                    self._reached.add(host)
                    slow = min(round(self._patience.slowness * answer.elapsed), MAX_SLOWNESS_REST)
                    self._rest(host, max(self._patience.delay, slow))
                    return answer
                self._note(host, answer, trouble)
        return Fault(reason=Reason.TURN, detail="the crawl is about to stop")

    def retreat(self) -> None:
        """Ask nothing more: whoever waits goes home."""
        self._retreat.set()

    async def close(self) -> None:
        await self._web.close()

    async def _may_ask(self, host: Host) -> bool:
        """Wait until the host has rested; False if the crawl is about to stop first."""
        while not self._retreat.is_set() and (wait := self._opens_at.get(host, 0) - self._clock.now()) > 0:
            waiting = asyncio.ensure_future(self._retreat.wait())
            rested = asyncio.ensure_future(self._clock.sleep_until(Millis(self._clock.now() + wait)))
            try:
                await asyncio.wait((waiting, rested), return_when=asyncio.FIRST_COMPLETED)
            finally:
                waiting.cancel()
                rested.cancel()
        return not self._retreat.is_set()

    def _rest(self, host: Host, span: int) -> None:
        self._opens_at[host] = max(self._opens_at.get(host, 0), self._clock.now() + span)

    def _note(self, host: Host, answer: Response | Fault, trouble: str) -> None:
        """Let the host rest after a trouble. ArchiveError if there were too many, or it could never be reached: that is
        a slip of the pen more often than a trouble that passes."""
        lost = isinstance(answer, Fault) and answer.reason in (Reason.DNS, Reason.CONNECT, Reason.TLS)
        if lost and host not in self._reached:
            raise ArchiveError(f"{host} cannot be reached: {trouble}")
        self._reached.add(host)
        count = self._troubles[host] = self._troubles.get(host, 0) + 1
        if count >= self._patience.give_up:
            raise ArchiveError(
                f"{host} has not answered {count} times in a row ({trouble}): resume the crawl later"
            )
        wait = answer.retry_after if isinstance(answer, Fault) else retry_after(answer, self._clock.now())
        backoff = min(self._patience.backoff << (count - 1), self._patience.max_backoff)
        self._rest(host, max(self._patience.delay, backoff, min(wait or 0, MAX_RETRY_AFTER)))


def _trouble(answer: Response | Fault, *, may_forbid: bool) -> str | None:
    """Why an answer is none, in a few words."""
    if isinstance(answer, Fault):
        return answer.detail or answer.reason.value
    if _is_capture(answer):
        return None
    if answer.status in TROUBLES or (answer.status == FORBIDDEN and not may_forbid):
        return f"{answer.status} {answer.reason_phrase}".strip()
    return None


def _is_capture(answer: Response) -> bool:
    """Whether an error was captured, and is no error of the archive's (RFC 7089, 2.1.1)."""
    return answer.header("memento-datetime") is not None
