"""What a site's robots.txt says about a URL, fetched when it is first needed (RFC 9309)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from lycosa.crawl.ports import Clock, Web
from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Millis, Reason, Record, Response
from lycosa.model.rights import Rights
from lycosa.model.url import Host, Url, canonical, host_of
from lycosa.sharing.letters import Rules
from lycosa.web.redirect import location
from lycosa.web.robots import SIZE_LIMIT, Robots
from lycosa.web.spacing import retry_after

MAX_HOPS = 5
"""Redirects followed (RFC 9309 2.3.1.2 asks for at least five)."""

FIRST_RETRY = Millis(60_000)
UNANSWERED_RETRY = Millis(5_000)
DAY = Millis(24 * 3600 * 1000)
MONTH = Millis(30 * DAY)
MAX_CRAWL_DELAY = Millis(300_000)


class Access(Enum):
    """What robots.txt says of a URL."""

    ALLOWED = "allowed"
    DISALLOWED = "disallowed"
    UNREACHABLE = "unreachable"
    """robots.txt cannot be had, which forbids the whole site for now (RFC 9309 2.3.1.4)."""
    LATER = "later"
    """It is not the turn of the host that robots.txt has to be fetched from."""


class Permission(Record, frozen=True, kw_only=True, gc=False):
    access: Access
    rule: str = ""
    """The line that decided (``Disallow: /private``), or what was wrong with robots.txt; may be empty."""
    crawl_delay: Millis | None = None
    sitemaps: tuple[str, ...] = ()
    retry_at: Millis | None = None
    """When robots.txt will be asked for again (unreachable), or its host has its turn (later)."""
    address: str = ""
    """The address that is to be waited for (later), if that is what closes the host."""
    fault: Fault | None = None
    """Why it is unreachable, if there was no answer at all."""
    rights: Rights = ()
    """What it says of the use of the URL, if that may be fetched."""
    licences: tuple[str, ...] = ()
    """The addresses of the licences that it names, as written."""

    @property
    def allowed(self) -> bool:
        return self.access is Access.ALLOWED


class _Entry(Record, kw_only=True, frozen=True, gc=False):
    """What is known of one authority's robots.txt."""

    fresh_until: Millis
    robots: Robots | None
    """None while it is unreachable and no copy is at hand."""
    crawl_delay: Millis | None = None
    sitemaps: tuple[str, ...] = ()
    problem: str = ""
    fault: Fault | None = None
    failing_since: Millis | None = None
    failures: int = 0


class _Unreachable(Record, frozen=True, kw_only=True, gc=False):
    problem: str
    fault: Fault | None = None
    wait: Millis | None = None


class _Later(Record, frozen=True, kw_only=True, gc=False):
    until: Millis
    address: str


class Shared(Protocol):
    """What several crawlers that share a crawl tell one another of robots.txt."""

    async def look(self, url: Url) -> Rules | Millis | None:
        """What one of them read at this URL; or how long to wait for who is about to. None: read it now, and `keep`."""
        ...

    def keep(self, url: Url, rules: Rules) -> None:
        """Let the others know."""
        ...


class _Errand(Record, kw_only=True, frozen=True, gc=False):
    """How far the question for one authority's robots.txt has come: what to fetch next, and what redirected."""

    url: Url
    seen: tuple[Url, ...]


class RobotsCache:
    """Answers for any `Web` whether a URL may be fetched.

    What the answer to ``/robots.txt`` means:

    ======================================  =======================================================
    2xx                                     its rules hold (the first MiB, to the last whole line)
    2xx cut by time-out or disconnection    as 5xx: the missing lines might forbid
    3xx                                     followed up to 5 times; the rules hold for the first authority.
                                            More hops, a loop or no target: as 404
    4xx                                     everything is allowed, 401 and 403 too (RFC 9309 2.3.1.3)
    429                                     as 5xx: the server is there and asks us to keep off
    5xx, any other status                   nothing is allowed for now; asked again after 1 min, 2, 4 … 60,
                                            not before Retry-After. A copy at hand goes on being used. After
                                            30 days without an answer: as 404 (RFC 9309 2.3.1.4)
    no answer at all                        likewise, but asked again after 5 s, 10, 20 … 5 min: who cannot
                                            be reached may be back soon, and is not burdened by the question
    not in the recording                    everything is allowed: a recorded web never saw a robots.txt
    ======================================  =======================================================

    Invariants, each the name of a property test:

    * single flight: robots.txt of an authority is never fetched twice at the same time.
    * fresh: rules are used for at most 24 hours, unless the site has become unreachable.
    * bounded: at most `capacity` authorities are remembered; the one unused for longest goes first.
    * always open: ``/robots.txt`` itself is allowed.
    * asked once: where it is `shared`, nobody is asked whose answer another crawler has, for as long as it is good.
    * no waiting: where it is not a host's turn to be asked, the answer is `Access.LATER`, at once; who asks again goes
      on where redirects had led.
    """

    def __init__(
        self,
        web: Web,
        agent: str,
        clock: Clock,
        *,
        keep: Callable[[Response], object] | None = None,
        heed: Callable[[Host, Millis], object] | None = None,
        shared: Shared | None = None,
        capacity: int = 20_000,
        first_retry: Millis = FIRST_RETRY,
        unanswered_retry: Millis = UNANSWERED_RETRY,
        max_crawl_delay: Millis = MAX_CRAWL_DELAY,
    ) -> None:
        """`agent` is the product token that groups are matched with; `keep` is given every response,
        `heed` each host's Crawl-delay; `shared` knows what other crawlers read. A longer delay than
        `max_crawl_delay` is taken as that."""
        self._web = web
        self._agent = agent
        self._clock = clock
        self._keep = keep
        self._heed = heed
        self._shared = shared
        self._capacity = capacity
        self._first_retry, self._unanswered_retry = first_retry, unanswered_retry
        self._max_crawl_delay = max_crawl_delay
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._errands: dict[str, _Errand] = {}
        self._flights: dict[str, asyncio.Future[None]] = {}

    async def check(self, url: Url) -> Permission:
        """May a URL be fetched now? Fetches robots.txt of its scheme, host and port if need be."""
        authority, path = _split(url)
        entry = self._entries.get(authority)
        if entry is None or entry.fresh_until <= self._clock.now():
            if path == "/robots.txt":
                return Permission(access=Access.ALLOWED, rule="robots.txt itself")
            renewed = await self._renewed(authority)
            if isinstance(renewed, _Later):
                return Permission(access=Access.LATER, retry_at=renewed.until, address=renewed.address)
            entry = renewed
        else:
            self._entries.move_to_end(authority)
        return self._verdict(entry, url, path)

    def _verdict(self, entry: _Entry, url: Url, path: str) -> Permission:
        robots = entry.robots
        if path == "/robots.txt":
            access, rule = Access.ALLOWED, "robots.txt itself"
        elif robots is None:
            return Permission(
                access=Access.UNREACHABLE, rule=entry.problem, retry_at=entry.fresh_until, fault=entry.fault
            )
        elif robots.allowed(self._agent, url):
            access, rule = Access.ALLOWED, entry.problem
        else:
            access, rule = Access.DISALLOWED, str(robots.rule(self._agent, url) or "")
        return Permission(
            access=access,
            rule=rule,
            crawl_delay=entry.crawl_delay,
            sitemaps=entry.sitemaps,
            rights=robots.rights(self._agent, url)
            if robots is not None and access is Access.ALLOWED and path != "/robots.txt"
            else (),
            licences=robots.licence_files if robots is not None else (),
        )

    async def _renewed(self, authority: str) -> _Entry | _Later:
        """Fetch, or wait for the one who is fetching."""
        while (flight := self._flights.get(authority)) is not None:
            await asyncio.wait([flight])
            entry = self._entries.get(authority)
            if entry is not None and entry.fresh_until > self._clock.now():
                return entry
        flight = self._flights[authority] = asyncio.get_running_loop().create_future()
        try:
            answer = await self._shared_or_asked(authority)
            if isinstance(answer, _Later):
                return answer
            entry = self._entry(answer, self._entries.get(authority))
            self._store(authority, entry)
            self._share(authority, answer, entry)
            if self._heed is not None and entry.crawl_delay is not None:
                self._heed(host_of(Url(authority + "/")), entry.crawl_delay)
            return entry
        finally:
            del self._flights[authority]
            flight.set_result(None)

    def _store(self, authority: str, entry: _Entry) -> None:
        self._entries[authority] = entry
        self._entries.move_to_end(authority)
        while len(self._entries) > self._capacity:
            self._entries.popitem(last=False)

    async def _shared_or_asked(self, authority: str) -> bytes | _Unreachable | Rules | _Later:
        """What another crawler read, else what the host answers."""
        if self._shared is not None:
            kept = await self._shared.look(Url(authority + "/robots.txt"))
            if isinstance(kept, Rules):
                self._errands.pop(authority, None)
                return kept
            if kept is not None:
                return _Later(until=Millis(self._clock.now() + kept), address="")
        return await self._ask(authority)

    def _share(self, authority: str, answer: bytes | _Unreachable | Rules, entry: _Entry) -> None:
        if self._shared is not None and not isinstance(answer, Rules):
            body = answer if isinstance(answer, bytes) else None
            good_for = entry.fresh_until - self._clock.now()
            self._shared.keep(Url(authority + "/robots.txt"), Rules(body, good_for, entry.problem))

    async def _ask(self, authority: str) -> bytes | _Unreachable | _Later:
        """The rules to parse (empty: everything is allowed), or why they cannot be had."""
        first = Url(authority + "/robots.txt")
        errand = self._errands.pop(authority, None) or _Errand(url=first, seen=(first,))
        while len(errand.seen) <= MAX_HOPS + 1:
            answer = await self._web.fetch(errand.url)
            if isinstance(answer, Fault):
                return self._trouble(authority, errand, answer)
            if self._keep is not None:
                self._keep(answer)
            if not 300 <= answer.status < 400:
                return self._read(answer)
            target = target_of(answer)
            if target is None or target in errand.seen:
                return b""
            errand = _Errand(url=target, seen=(*errand.seen, target))
        return b""

    def _trouble(self, authority: str, errand: _Errand, fault: Fault) -> bytes | _Unreachable | _Later:
        """What it means that there was no answer."""
        if fault.reason is Reason.NOT_RECORDED:
            return b""
        if fault.reason is Reason.TURN:
            if len(self._errands) >= self._capacity:
                del self._errands[next(iter(self._errands))]
            self._errands[authority] = errand
            own = host_of(errand.url) == host_of(errand.seen[0])
            until = Millis(self._clock.now() + (fault.retry_after or 0))
            return _Later(until=until, address=fault.address if own else "")
        problem = f"no answer from {errand.url}: {fault.detail or fault.reason.value}"
        return _Unreachable(problem=problem, fault=fault, wait=fault.retry_after)

    def _read(self, response: Response) -> bytes | _Unreachable:
        status = response.status
        if 200 <= status < 300:
            if response.truncated not in ("", "length"):
                return _Unreachable(problem=f"{response.url} was cut short ({response.truncated})")
            return _whole_lines(response.body, response.truncated != "")
        if 400 <= status < 500 and status != 429:
            return b""
        wait = retry_after(response, self._clock.now())
        return _Unreachable(problem=f"{response.url} answered {status}", wait=wait)

    def _entry(self, answer: bytes | _Unreachable | Rules, before: _Entry | None) -> _Entry:
        now = self._clock.now()
        match answer:
            case bytes():
                return self._parsed(answer, Millis(now + DAY))
            case Rules(body=bytes() as body):
                return self._parsed(body, Millis(now + min(answer.good_for, DAY)))
        since = before.failing_since if before and before.failing_since is not None else now
        if now - since >= MONTH:
            return self._parsed(b"", Millis(now + DAY))
        failures = before.failures + 1 if before else 1
        return _Entry(
            fresh_until=Millis(now + self._back_off(answer, failures)),
            robots=before.robots if before else None,
            crawl_delay=before.crawl_delay if before else None,
            sitemaps=before.sitemaps if before else (),
            problem=answer.problem,
            fault=answer.fault if isinstance(answer, _Unreachable) else None,
            failing_since=since,
            failures=failures,
        )

    def _back_off(self, answer: _Unreachable | Rules, failures: int) -> int:
        """When to ask again for what could not be had; whoever else asked for it says so."""
        if isinstance(answer, Rules):
            return min(answer.good_for, DAY)
        first = self._first_retry if answer.fault is None else self._unanswered_retry
        back_off = min(first << min(failures - 1, 20), 60 * first)
        return max(back_off, min(answer.wait or 0, DAY))

    def _parsed(self, body: bytes, until: Millis) -> _Entry:
        robots = Robots.parse(body)
        delay = robots.crawl_delay(self._agent)
        return _Entry(
            fresh_until=until,
            robots=robots,
            crawl_delay=None if delay is None else min(delay, self._max_crawl_delay),
            sitemaps=tuple(robots.sitemaps),
        )


def _split(url: Url) -> tuple[str, str]:
    """``https://host:port`` and the path without query of a canonical URL."""
    end = url.index("/", 8)
    return url[:end], url[end:].partition("?")[0]


def target_of(response: Response) -> Url | None:
    """Where a redirect leads; None if it does not say so."""
    where = location(response)
    if where is None:
        return None
    try:
        return canonical(where, response.url)
    except InputError:
        return None


def _whole_lines(body: bytes, cut: bool) -> bytes:
    """The part that is parsed. Half a line may forbid more than the whole: it goes."""
    if len(body) > SIZE_LIMIT:
        body, cut = body[:SIZE_LIMIT], True
    return body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1] if cut else body
