"""What pages show and load beside their text, asked for as politely as pages: robots.txt, turns, addresses, archive."""

from __future__ import annotations

import asyncio
import re
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

import msgspec
from msgspec.structs import replace

from lycosa.crawl.ports import Archive, Clock, Web
from lycosa.drive.patience import checked, fetched
from lycosa.drive.visit import Robots
from lycosa.model.errors import FolderError
from lycosa.model.records import Ask, Fault, Millis, Reason, Record, RecordRef, Response
from lycosa.model.rendering import Asked, Kind
from lycosa.model.url import Host, Url, domain_of, host_of
from lycosa.web.robots.cache import Access
from lycosa.web.spacing import retry_after

KEPT: Final = 10_000
"""Answers that are known by where they lie in the archive."""
DAY: Final = Millis(86_400_000)
"""So long an answer is good that does not say."""
_SHARED: Final[frozenset[Kind]] = frozenset({"style", "script", "image", "font", "media"})
"""What is the same for all pages unless it says otherwise."""
_BUSY: Final = frozenset({429, 503})
_MAX_AGE = re.compile(r"(?:^|[,\s])(?:s-maxage|max-age)\s*=\s*\"?(\d{1,10})")

Refusal = Callable[[Url], str | None]
"""Why something may not be asked for; None if it may."""


class _Kept(Record, frozen=True, gc=False):
    record: RecordRef
    until: Millis


class _Line(msgspec.Struct):
    """Those that want something of a host. Its lock lets them go in their order."""

    lock: asyncio.Lock
    length: int = 0


class Requisites:
    """Answers what pages ask for. Nobody is asked whom the crawl may not ask, nor out of turn.

    A redirect is an answer like any other: who follows it asks again. What comes is archived, and given again from
    there as long as it says that it is good, or for a day.

    Invariants, each the name of a test:

    * one at a time: of each host there is at most one request under way, and those that wait go in their order.
    * asked once: what may be shared is asked for once while it is good.
    """

    def __init__(
        self,
        web: Web,
        robots: Robots | None,
        archive: Archive | None,
        clock: Clock,
        refuses: Refusal,
        rest: Callable[[Host, Millis], None] | None = None,
        *,
        own_site: bool = False,
    ) -> None:
        """`rest` leaves a host alone for so long, as it asks. `own_site`: pages may ask the site that they are of, and
        no other. So it must be where the crawl logs in: a page of another site could ask for what only we may see, as
        its scripts may read all answers, and tell it."""
        self._web, self._robots, self._archive, self._clock = web, robots, archive, clock
        self._refuses, self._rest, self._own_site = refuses, rest, own_site
        self._kept: OrderedDict[Url, _Kept] = OrderedDict()
        self._lines: dict[Host, _Line] = {}
        self._waiting: set[asyncio.Timeout] = set()
        self.retreats = False
        """Nothing more is asked for: the crawl is about to stop."""

    async def answer(self, asked: Asked, page: Url) -> Response | Fault:
        """One answer for a page, when its turn has come."""
        if asked.method != "GET" or not asked.url.startswith(("http://", "https://")):
            return Fault(reason=Reason.OUT_OF_SCOPE, detail="only GET over http and https is asked")
        if self._own_site and domain_of(host_of(asked.url)) != domain_of(host_of(page)):
            return Fault(
                reason=Reason.OUT_OF_SCOPE, detail="the crawl logs in, so pages may ask their own site only"
            )
        if why := self._refuses(asked.url):
            return Fault(reason=Reason.OUT_OF_SCOPE, detail=why)
        try:
            async with asyncio.timeout(0 if self.retreats else None) as waiting:
                self._waiting.add(waiting)
                return await self._in_turn(asked)
        except TimeoutError:
            return Fault(reason=Reason.TURN, detail="the crawl is about to stop")
        finally:
            self._waiting.discard(waiting)

    def retreat(self) -> None:
        """Give up what is asked for now, and ask for nothing more."""
        self.retreats = True
        for waiting in self._waiting:
            waiting.reschedule(asyncio.get_running_loop().time())

    async def _in_turn(self, asked: Asked) -> Response | Fault:
        host = host_of(asked.url)
        line = self._lines.setdefault(host, _Line(lock=asyncio.Lock()))
        line.length += 1
        try:
            async with line.lock:
                return self._again(asked.url) or await self._ask(asked)
        finally:
            line.length -= 1
            if not line.length:
                del self._lines[host]

    async def _ask(self, asked: Asked) -> Response | Fault:
        if self._robots is not None:
            verdict = await checked(self._robots, asked.url, self._clock)
            if verdict.access is not Access.ALLOWED:
                return Fault(reason=Reason.ROBOTS, detail=f"robots.txt forbids it: {verdict.rule}")
        answer = await fetched(self._web, asked.url, self._clock, Ask(referer=asked.referer))
        if isinstance(answer, Fault):
            return answer
        record = self._archive.write(answer) if self._archive is not None else None
        wait = retry_after(answer, self._clock.now()) if answer.status in _BUSY else None
        if wait and self._rest is not None:
            self._rest(host_of(asked.url), wait)
        if record is not None and (good := good_for(answer, asked.kind)):
            self._keep(asked.url, _Kept(record, Millis(self._clock.now() + good)))
        return answer

    def _keep(self, url: Url, kept: _Kept) -> None:
        self._kept[url] = kept
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def _again(self, url: Url) -> Response | None:
        """What was answered before, while it is good and can be read."""
        if self._archive is None or (kept := self._kept.get(url)) is None:
            return None
        if kept.until > self._clock.now():
            self._kept.move_to_end(url)
            try:
                return replace(self._archive.read(kept.record), url=url)
            except FolderError:
                pass
        del self._kept[url]
        return None


def good_for(answer: Response, kind: Kind) -> Millis:
    """For how long an answer may be given to other pages, too (RFC 9111, 5.2.2); 0: it is for this one."""
    control = (answer.header("cache-control") or "").lower()
    if answer.status != 200 or answer.truncated or (answer.header("vary") or "").strip() == "*":
        return Millis(0)
    if "no-store" in control or "no-cache" in control:
        return Millis(0)
    if age := _MAX_AGE.search(control):
        return Millis(min(int(age[1]) * 1000, 365 * DAY))
    return DAY if kind in _SHARED else Millis(0)
