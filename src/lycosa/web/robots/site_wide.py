"""What files of a whole site say of the use of its pages, each fetched when it is first needed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, Protocol

from msgspec.structs import replace

from lycosa.crawl.ports import Clock, Web
from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Millis, Reason, Record, Response
from lycosa.model.url import Url, canonical, host_of
from lycosa.web.robots.cache import DAY, MAX_HOPS, Access, Permission, target_of
from lycosa.web.robots.policies import Statements, licensed, reservations, said_of
from lycosa.web.spacing import retry_after

WELL_KNOWN: Final = "/.well-known/tdmrep.json"

RETRY: Final = Millis(3600 * 1000)
"""When a file is asked for again that could not be had."""

MAX_LICENCES: Final = 3
"""Licences of one site that are fetched: each takes a turn of its host before the first page does."""


class Rules(Protocol):
    """Whether a URL may be fetched; a `RobotsCache` is one."""

    async def check(self, url: Url) -> Permission: ...


class _Kept(Record, frozen=True, kw_only=True, gc=False):
    statements: Statements
    fresh_until: Millis


class _Errand(Record, frozen=True, kw_only=True, gc=False):
    """How far the question for one file has come."""

    url: Url
    hops: int = 0


class SitePolicies:
    """The answers of robots.txt, with what `/.well-known/tdmrep.json` and the licences say that robots.txt names.

    Only files of the page's own host are fetched, by redirects too, and only those that its robots.txt allows. A file
    that is not there, or that cannot be read, says nothing for a day; one that could not be had, for an hour: unlike
    robots.txt, which forbids all then, they are hardly anywhere.

    Invariants, each the name of a test:

    * single flight: a file is never fetched twice at the same time.
    * fresh: what a file says is used for at most 24 hours.
    * bounded: at most `capacity` files are remembered; the one unused for longest goes first.
    * no waiting: where it is not the host's turn, the answer is `Access.LATER`, at once; who asks again goes on where
      redirects had led.
    """

    def __init__(
        self,
        rules: Rules,
        web: Web,
        clock: Clock,
        *,
        keep: Callable[[Response], object] | None = None,
        capacity: int = 20_000,
    ) -> None:
        """`keep` is given every response."""
        self._rules, self._web, self._clock = rules, web, clock
        self._keep, self._capacity = keep, capacity
        self._files: OrderedDict[Url, _Kept] = OrderedDict()
        self._errands: OrderedDict[Url, _Errand] = OrderedDict()
        self._flights: dict[Url, asyncio.Future[None]] = {}

    async def check(self, url: Url) -> Permission:
        """As of a `RobotsCache`; what these files say stands after what robots.txt does."""
        verdict = await self._rules.check(url)
        if not verdict.allowed or url == canonical("/robots.txt", url):
            return verdict
        files = _files(url, verdict.licences)
        if url in files:
            return verdict
        for file in files:
            found = await self._known(file)
            if isinstance(found, Permission):
                return replace(found, crawl_delay=verdict.crawl_delay)
            verdict = replace(verdict, rights=(*verdict.rights, *said_of(url, found)))
        return verdict

    async def _known(self, file: Url) -> Statements | Permission:
        """What a file says: as it is remembered, else as the host answers. Not allowed: it has to be waited for."""
        while (flight := self._flights.get(file)) is not None:
            await asyncio.wait([flight])
        kept = self._files.get(file)
        if kept is not None and kept.fresh_until > self._clock.now():
            self._files.move_to_end(file)
            return kept.statements
        flight = self._flights[file] = asyncio.get_running_loop().create_future()
        try:
            answer = await self._asked(file)
        finally:
            del self._flights[file]
            flight.set_result(None)
        if isinstance(answer, Permission):
            return answer
        self._files[file] = answer
        self._files.move_to_end(file)
        while len(self._files) > self._capacity:
            self._files.popitem(last=False)
        return answer.statements

    async def _asked(self, file: Url) -> _Kept | Permission:
        errand = self._errands.pop(file, None) or _Errand(url=file)
        while errand.hops <= MAX_HOPS:
            permission = await self._rules.check(errand.url)
            if permission.access is Access.LATER:
                return self._later(file, errand, permission)
            if not permission.allowed:
                break
            answer = await self._web.fetch(errand.url)
            if isinstance(answer, Fault):
                if answer.reason is not Reason.TURN:
                    return self._silent(DAY if answer.reason is Reason.NOT_RECORDED else RETRY)
                until = Millis(self._clock.now() + (answer.retry_after or 0))
                return self._later(
                    file, errand, Permission(access=Access.LATER, retry_at=until, address=answer.address)
                )
            if self._keep is not None:
                self._keep(answer)
            if not 300 <= answer.status < 400:
                return self._read(file, answer)
            target = target_of(answer)
            if target is None or host_of(target) != host_of(file):
                break
            errand = _Errand(url=target, hops=errand.hops + 1)
        return self._silent(DAY)

    def _later(self, file: Url, errand: _Errand, until: Permission) -> Permission:
        self._errands[file] = errand
        while len(self._errands) > self._capacity:
            self._errands.popitem(last=False)
        return until

    def _read(self, file: Url, answer: Response) -> _Kept:
        now = self._clock.now()
        if answer.status == 429 or answer.status >= 500:
            return self._silent(max(RETRY, min(retry_after(answer, now) or RETRY, DAY)))
        if not 200 <= answer.status < 300 or answer.truncated:
            return self._silent(DAY)
        is_reservation = file == canonical(WELL_KNOWN, file)
        said = reservations(answer.body) if is_reservation else licensed(answer.body, file)
        return _Kept(statements=said, fresh_until=Millis(now + DAY))

    def _silent(self, span: Millis) -> _Kept:
        return _Kept(statements=(), fresh_until=Millis(self._clock.now() + span))


def _files(url: Url, licences: tuple[str, ...]) -> tuple[Url, ...]:
    """The files that speak of a page: those of its own host, each once."""
    files = {canonical(WELL_KNOWN, url): None}
    for each in licences:
        try:
            file = canonical(each, url)
        except InputError:
            continue
        if host_of(file) == host_of(url) and len(files) <= MAX_LICENCES:
            files[file] = None
    return tuple(files)
