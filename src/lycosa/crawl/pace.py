"""How long to leave a host alone, when to try again and when to give up. Pure arithmetic over what visits report."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from lycosa.frontier.protocol import Rest
from lycosa.model.records import Arrival, Deferred, Failure, Millis, Page, Reason, Record, Unchanged
from lycosa.model.url import Host, host_of

PASSING = frozenset({Reason.DNS, Reason.CONNECT, Reason.TIMEOUT, Reason.ROBOTS_UNREACHABLE})
"""Troubles that may pass. Of failures by status, those of `PASSING_STATUS` may."""

TROUBLES = PASSING | {Reason.PROTOCOL}
"""What speaks against a host. One that does not keep to HTTP would not the next time either."""

PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})

OWN_ATTEMPTS = 10
"""How often a URL is tried while this machine has no connection for it: with the default rests for some 40 minutes."""

NOTED = 2_000
"""Hosts of which it is known why they rest."""

ROUNDED = Millis(2)
"""What is lost, at most, where a visit tells in whole milliseconds when it began and what it took."""

BELIEVED = Millis(30_000)
"""A visit that says that it ended longer ago goes by another clock."""

UNASKED = frozenset({Reason.HOST_DOWN, Reason.ROBOTS, Reason.NOT_RECORDED})
"""Failures for which nothing was sent to the host; nobody knows what that would have taken which was not recorded."""

UNANSWERED = frozenset(
    {
        Reason.HOST_DOWN,
        Reason.ROBOTS,
        Reason.PRIVATE_ADDRESS,
        Reason.TLS,
        Reason.NOT_RECORDED,
        Reason.OURSELVES,
    }
)
"""Failures that say nothing about whether the host is well: it was not asked, or could not be trusted."""


class PaceRules(Record, frozen=True):
    """Times in milliseconds. The defaults are polite."""

    delay: Millis = Millis(1_000)
    """The least rest of a host, and of an address, between two visits."""
    slowness: float = 1.0
    """A host rests at least this many times as long as its last answer took…"""
    max_slowness_rest: Millis = Millis(30_000)
    """… but for that reason no longer than this."""
    max_crawl_delay: Millis = Millis(300_000)
    """A longer Crawl-delay in robots.txt is taken as this."""
    backoff: Millis = Millis(5_000)
    """The first rest after a trouble; it doubles with each further one, with ±25 % of jitter."""
    max_backoff: Millis = Millis(900_000)
    max_retry_after: Millis = Millis(86_400_000)
    by_address: bool = True
    """Hosts at one address rest together. Not where the user says that all connections go to one place."""
    attempts: int = 3
    """How often one URL is tried."""
    give_up: int = 7
    """After so many troubles in a row (some ten minutes) the rest of the host is not tried."""
    from_answer: bool = False
    """A host rests from when its answer was there, as far as a visit tells, not from when that was read and judged.
    Only where visits are made in the crawl's own time, by the same clock."""
    some_unasked: bool = False
    """Some answers come out of archives: a visit that brought one and took no time asked nobody."""


class Pace:
    """Remembers each host's troubles and turns what a visit reports into a rest.

    Invariants, each the name of a property test:

    * long enough: a rest is never shorter than `delay`, the host's Crawl-delay, or Retry-After (each up to its
      bound), from when the visit was committed, or its answer was there (`from_answer`). Only after a visit that was
      never made (`UNASKED`), or asked an archive (`some_unasked`), or because it waits, is none needed.
    * forgiveness: every answer that is no trouble halves a host's count of troubles.
    * own fault: what this machine is short of lets the host rest, and counts neither for nor against it.
    * the right host: a redirect's trouble counts against the host where it arose, not the one that sent us there;
      an address is taken for the host's own only if the visit ended on that host.
    """

    def __init__(self, rules: PaceRules | None = None, *, seed: int = 0) -> None:
        self.rules, self.seed = rules or PaceRules(), seed
        self._troubles: dict[Host, int] = {}
        self._why: dict[Host, str] = {}  # of the hosts that were asked last

    def why(self, host: Host) -> str:
        """Why a host that rests does so, in a few words. Nothing that a crawl goes by: it is not kept between runs."""
        if troubles := self._troubles.get(host, 0):
            return f"{'one trouble' if troubles == 1 else f'{troubles} troubles'} lately"
        return self._why.get(host, "it was just asked")

    def retries(self, failure: Failure) -> bool:
        """Whether the same URL should be tried again later.

        Not a start page whose host cannot be found or reached: that is a slip of the pen more often than a trouble
        that passes, and whoever typed it is waiting to hear of it. A failure that has an address reached it.
        """
        lost = failure.reason in (Reason.DNS, Reason.CONNECT) and not failure.address
        if failure.request.depth == 0 and lost:
            return False
        attempts = self.rules.attempts
        if failure.reason is Reason.OURSELVES:
            return failure.request.attempt < max(attempts, OWN_ATTEMPTS)
        return may_pass(failure) and failure.request.attempt < attempts

    def gives_up(self, host: Host) -> bool:
        """Whether a host failed so often in a row that its URLs are not tried any more."""
        return self._troubles.get(host, 0) >= self.rules.give_up

    def rest_after(self, visit: Arrival, now: Millis) -> Rest:
        """Count the visit's success or trouble, and say how long its host and address rest."""
        failure = visit if type(visit) is Failure else None
        if (
            failure is not None
            and (failure.reason in UNASKED or _reserved_before(failure))
            and len(failure.hops) == len(failure.request.way)
        ):
            return Rest(host_until=now)
        if self.rules.some_unasked and not visit.elapsed and not is_trouble(visit):
            return Rest(host_until=now)
        rules, host = self.rules, host_of(visit.request.at)
        now = self._ended(visit, now)
        last = _last_asked(visit)
        slow = min(int(rules.slowness * visit.elapsed), rules.max_slowness_rest)
        crawl_delay = min(visit.crawl_delay or 0, rules.max_crawl_delay)
        shared = max(rules.delay, slow)
        if failure is not None and is_trouble(failure):
            troubles = self._troubles[last] = self._troubles.get(last, 0) + 1
            trouble = max(
                self._backoff(failure, troubles), min(failure.retry_after or 0, rules.max_retry_after)
            )
            if failure.status in (429, 503):
                shared = max(shared, trouble)
        else:
            trouble = 0
            if failure is not None and failure.reason is Reason.OURSELVES:
                trouble = self._backoff(failure, failure.request.attempt)
            if failure is None or failure.reason not in UNANSWERED:
                self._forgive(last)
        if last != host:
            self._forgive(host)
        self._note(host, slow=slow, crawl_delay=crawl_delay)
        return Rest(
            host_until=Millis(now + max(shared, crawl_delay, trouble)),
            address=visit.address if rules.by_address and last == host else "",
            address_until=Millis(now + shared),
            in_trouble=self._troubles.get(host, 0) > 0,
        )

    def _ended(self, visit: Arrival, now: Millis) -> Millis:
        """When the last answer was there, or a little later; `now` where that cannot be told."""
        if not self.rules.from_answer:
            return now
        match visit:
            case Page(rendering=None, fetched_at=began) | Unchanged(at=began):
                ended = began + visit.elapsed + ROUNDED
            case Failure(at=failed):
                ended = int(failed)
            case _:
                return now
        return Millis(ended) if now - BELIEVED < ended < now else now

    def rest_after_deferral(self, deferred: Deferred, now: Millis) -> Rest:
        """How long the host rests whose visit has to wait, and its address. Nothing is counted."""
        rules = self.rules
        shared, crawl_delay = 0, 0
        if deferred.asked:
            slow = min(int(rules.slowness * deferred.elapsed), rules.max_slowness_rest)
            shared = max(rules.delay, slow)
            crawl_delay = min(deferred.crawl_delay or 0, rules.max_crawl_delay)
        return Rest(
            host_until=max(deferred.until, Millis(now + max(shared, crawl_delay))),
            address=deferred.address if rules.by_address else "",
            address_until=max(deferred.until, Millis(now + shared)),
        )

    def _note(self, host: Host, *, slow: int, crawl_delay: int) -> None:
        self._why.pop(host, None)
        if crawl_delay > max(self.rules.delay, slow):
            self._why[host] = "its robots.txt asks for it"
        elif slow > self.rules.delay:
            self._why[host] = "its last answer took so long"
        else:
            self._why[host] = "between two visits"
        if len(self._why) > NOTED:
            del self._why[next(iter(self._why))]

    def _forgive(self, host: Host) -> None:
        if halved := self._troubles.pop(host, 0) // 2:
            self._troubles[host] = halved

    def _backoff(self, failure: Failure, troubles: int) -> int:
        """backoff·2^(troubles−1)·(0.75…1.25), bounded; the jitter is a function of seed, URL and attempt."""
        rules, request = self.rules, failure.request
        jitter = random.Random(f"{self.seed}/{request.url}/{request.attempt}").uniform(0.75, 1.25)
        return min(int(rules.backoff * 2.0 ** min(troubles - 1, 30) * jitter), rules.max_backoff)

    def save(self) -> Mapping[str, Any]:
        return {"troubles": dict(self._troubles)}

    def load(self, state: Mapping[str, Any]) -> None:
        self._troubles = {Host(host): int(count) for host, count in state["troubles"].items()}


def _last_asked(visit: Arrival) -> Host:
    """The host that gave the last answer, or should have."""
    if (
        visit.hops
        and isinstance(visit, Failure)
        and visit.reason in (Reason.ALREADY_KNOWN, Reason.OUT_OF_SCOPE, Reason.ELSEWHERE)
    ):
        return host_of(visit.hops[-1])  # to `final_url` it did not go
    return host_of(visit.final_url or visit.request.url)


def is_trouble(visit: Arrival) -> bool:
    """Whether a visit speaks against its host for now."""
    return type(visit) is Failure and (visit.reason in TROUBLES or may_pass(visit))


def may_pass(failure: Failure) -> bool:
    """Whether a failure may pass by itself."""
    return failure.reason in PASSING or (failure.reason is Reason.STATUS and failure.status in PASSING_STATUS)


def _reserved_before(failure: Failure) -> bool:
    """Whether robots.txt reserved the use of a page, so that it was not asked for."""
    return failure.reason is Reason.RIGHTS and not failure.status
