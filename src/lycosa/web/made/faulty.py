"""Any web, with things going wrong: time-outs, refused connections, server errors, missing pages, slow hosts."""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Final

from msgspec.structs import replace

from lycosa.crawl.ports import TimedWeb
from lycosa.model.errors import InputError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Record, Response
from lycosa.model.url import Url, host_of

_STATUSES: Final = ((500, "Internal Server Error"), (502, "Bad Gateway"), (503, "Service Unavailable"))


class Faults(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What goes wrong, and how often. Shares are in [0, 1]; those of URLs add up to 1 at most."""

    timeouts: float = 0.0
    """Share of URLs that never answer."""
    refusals: float = 0.0
    """Share of URLs at which no connection is made."""
    errors: float = 0.0
    """Share of URLs that answer 500, 502 or 503, a third each; 503 asks to come back after a second."""
    missing: float = 0.0
    """Share of URLs that answer 404, each by itself."""
    rotten: float = 0.0
    """Share of the other URLs that answer 404 together: whole hosts, first directories and pages, a third each about.
    Each of the three is gone with the chance x for which 1 - (1 - x)³ is this share."""
    slow: float = 0.0
    """Share of hosts whose answers take `slowness` times as long."""
    slowness: float = 20.0
    """At least 1."""
    patience: Millis = Millis(10_000)
    """What a time-out takes."""

    def checked(self) -> Faults:
        """Itself. Raises `InputError` for shares that are none."""
        shares = (self.timeouts, self.refusals, self.errors, self.missing)
        if (
            min(*shares, self.slow, 1 - self.slow, self.rotten, 1 - self.rotten) < 0
            or sum(shares) > 1
            or self.slowness < 1
        ):
            raise InputError(f"{self}: give shares from 0 to 1 that add up to 1 at most, slowness from 1")
        return self


class FaultyWeb:
    """A web between the crawl and another web.

    A crawl meets robots.txt like any page, so a host whose robots.txt times out is closed to it. With several requests
    for a URL all fare alike: nothing heals here.

    Invariants, each the name of a property test:

    * by seed and URL: whether and how an exchange fails depends on faults, seed and URL alone.
    * all else unchanged: what does not fail is answered as by the web behind, slow hosts later.
    """

    def __init__(self, web: TimedWeb, faults: Faults, seed: int = 0) -> None:
        """Raises `InputError` for shares that are none."""
        self.web, self.faults = web, faults.checked()
        self.made = Counter[str]()
        """Faults made so far, by the names of the shares."""
        self._seed = seed

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        fault = self.fault(url)
        if fault is None:
            answer = await self.web.fetch(url, ask)
            delay = self._delay(url)
            return replace(answer, elapsed=Millis(round(answer.elapsed * delay))) if delay > 1 else answer
        self.made[fault] += 1
        return self._failed(url, fault)

    def fault(self, url: Url) -> str | None:
        """The share that a URL falls under: ``timeouts``, ``refusals``, ``errors``, ``missing``, ``rotten``; None if
        under none."""
        draw = self._draw("fault", url)
        for name in ("timeouts", "refusals", "errors", "missing"):
            share: float = getattr(self.faults, name)
            if draw < share:
                return name
            draw -= share
        return "rotten" if self.faults.rotten and self._is_rotten(url) else None

    def _is_rotten(self, url: Url) -> bool:
        each = 1 - (1 - self.faults.rotten) ** (1 / 3)
        _, _, host, path = url.split("/", 3)
        first, below, _ = path.partition("/")
        return any(
            self._draw("rot", name) < each for name in (host, f"{host}/{first if below else ''}/", url)
        )

    async def close(self) -> None:
        await self.web.close()

    def latency(self, url: Url) -> Millis:
        """How long a visit takes, for virtual time: as in the web behind."""
        if self.fault(url) == "timeouts":
            return self.faults.patience
        return Millis(round(self.web.latency(url) * self._delay(url)))

    def _failed(self, url: Url, fault: str) -> Response | Fault:
        took = self.latency(url)
        match fault:
            case "timeouts":
                return Fault(reason=Reason.TIMEOUT, detail="no answer", elapsed=took)
            case "refusals":
                return Fault(reason=Reason.CONNECT, detail="refused", elapsed=took)
            case "missing" | "rotten":
                status, phrase = 404, "Not Found"
            case _:
                status, phrase = _STATUSES[int(self._draw("status", url) * 3)]
        return Response(
            url=url,
            status=status,
            headers=(("Retry-After", "1"),) if status == 503 else (),
            body=b"",
            fetched_at=Millis(0),
            elapsed=took,
            reason_phrase=phrase,
        )

    def _delay(self, url: Url) -> float:
        if not self.faults.slow or self._draw("slow", host_of(url)) >= self.faults.slow:
            return 1.0
        return self.faults.slowness

    def _draw(self, what: str, name: str) -> float:
        """From [0, 1), the same in every process."""
        digest = hashlib.blake2b(f"{self._seed}/{what}/{name}".encode(), digest_size=8).digest()
        return (int.from_bytes(digest, "big") >> 11) / 2**53
