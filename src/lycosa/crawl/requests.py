"""What a crawl asks of servers: each try of a URL, and each redirect that is followed. robots.txt apart."""

from __future__ import annotations

from lycosa.crawl.pace import UNASKED
from lycosa.model.records import Arrival, Deferred, Failure, Reason, Request
from lycosa.model.url import Url

UNSENT = UNASKED | {
    Reason.DNS,
    Reason.ROBOTS_UNREACHABLE,
    Reason.PRIVATE_ADDRESS,
    Reason.OURSELVES,
    Reason.OUT_OF_SCOPE,
    Reason.ALREADY_KNOWN,
    Reason.ELSEWHERE,
}
"""Failures for which nothing was sent to where the visit ended, unless it has a status."""


def requests_of(visit: Arrival) -> int:
    """How many requests a visit took, from its URL to where it ended, whether it had to wait on the way or not."""
    if type(visit) is Failure and visit.reason in UNSENT and not visit.status:
        return len(visit.hops)
    return len(visit.hops) + 1


class Requests:
    """Counts requests, and lets visits that are out follow no more redirects than the budget has room for.

    Invariants, each the name of a property test:

    * never overdrawn: requests made, visits out and redirects that they were allowed never exceed the limit together.
    * counted once: a visit that waits behind a redirect counts what it asked before and after, each once.
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = limit
        """None: no limit."""
        self.made = 0
        self._allowed: dict[Url, int] = {}  # redirects that visits may follow, by the URLs that were leased

    def share(self, out: int) -> float:
        """The share of the limit that is used up once the visits that are out have asked what they may."""
        if self.limit is None:
            return 0.0
        return (self.made + out + sum(self._allowed.values())) / self.limit

    @property
    def used_up(self) -> bool:
        return self.limit is not None and self.made >= self.limit

    def allows(self, request: Request, out: int) -> bool:
        """Whether a visit that is out may follow one more redirect. If so, room is kept for it."""
        if self.limit is None:
            return True
        if self.share(out) >= 1:
            return False
        self._allowed[request.url] = self._allowed.get(request.url, 0) + 1
        return True

    def came_home(self, visit: Arrival | Deferred, way: tuple[Url, ...]) -> None:
        """Count a visit; `way` is where redirects had led before it was leased this time."""
        taken = requests_of(visit) if isinstance(visit, Arrival) else len(visit.way)
        self.made += max(0, taken - len(way))
        self._allowed.pop(visit.url, None)

    def gave_back(self) -> None:
        """After an interruption no visit is out."""
        self._allowed.clear()
