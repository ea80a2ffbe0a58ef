"""Hard conditions for crawls in the laboratory: what fails, what is slow, what is put in to mislead, and how politely
is crawled. All crawls of a web meet the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NoReturn, Protocol

from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.ports import Clock, TimedWeb
from lycosa.drive.visit import RedirectRule
from lycosa.frontier.protocol import Rest
from lycosa.lab.webs.clutter import Clutter, ClutteredVisitor, TimedVisitor
from lycosa.lab.webs.lab_web import LabView
from lycosa.model.records import Failure, Millis, Reason, Request, Visit
from lycosa.model.url import Url
from lycosa.spec.tree import NotNegative, Part, Positive
from lycosa.web.made.faulty import Faults, FaultyWeb

NEVER = 1_000_000_000


class Conditions(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What a crawl has to put up with. Everything that is drawn depends on `seed` and URL, never on who crawls."""

    faults: Faults | None = None
    litter: Clutter | None = None
    delay: NotNegative = 0
    """Milliseconds that a host rests between two visits, on the virtual clock."""
    connections: Positive = 1
    """Visits side by side, one a host at most."""
    seed: int = 0

    def pace(self, seed: int) -> Pace:
        """As crawls of the laboratory are paced. No host is given up: what fails here fails by URL, and of a web with
        one host seven failures in a row would be the end."""
        give_up = NEVER if self.faults else PaceRules().give_up
        return _LabPace(PaceRules(delay=Millis(self.delay), slowness=0.0, give_up=give_up), seed=seed)

    def lost(self, urls: Iterable[Url]) -> list[Url]:
        """Those of the URLs that bring no page because of the faults."""
        if self.faults is None:
            return []
        web = FaultyWeb(_Nothing(), self.faults, self.seed)
        return [url for url in urls if web.fault(url) is not None]

    def in_words(self) -> str:
        """For a report; empty if there is nothing to put up with."""
        return "; ".join([*_of_faults(self.faults), *_of_litter(self.litter), *self._of_pace()])

    def _of_pace(self) -> Iterable[str]:
        if self.delay:
            yield f"hosts rest {self.delay / 1000:g} s"
        if self.connections > 1:
            yield f"{self.connections} visits at once"


def _of_faults(faults: Faults | None) -> Iterable[str]:
    if faults is None:
        return
    kinds = {
        "time-outs": faults.timeouts,
        "refusals": faults.refusals,
        "errors": faults.errors,
        "missing": faults.missing,
    }
    told = ", ".join(f"{share:.0%} {kind}" for kind, share in kinds.items() if share)
    if told:
        yield f"of the URLs {told}"
    if faults.slow:
        yield f"{faults.slow:.0%} of the hosts {faults.slowness:g} times as slow"


def _of_litter(litter: Clutter | None) -> Iterable[str]:
    if litter is None:
        return
    if litter.copied:
        yield f"{litter.copies} near-copies of {litter.copied:.0%} of the pages"
    if litter.traps:
        yield f"traps on {litter.traps:.0%} of the pages"


class Crawled(Protocol):
    """A web of the laboratory, recorded or generated."""

    def visitor(
        self,
        refuses_redirect: RedirectRule,
        clock: Clock,
        *,
        excluded: Iterable[str] = (),
        seed: int = 0,
        faults: Callable[[TimedWeb], TimedWeb] | None = None,
    ) -> TimedVisitor:
        """A visitor for one crawl."""
        ...


def visitor_under(
    conditions: Conditions,
    web: Crawled,
    refuses_redirect: RedirectRule,
    clock: Clock,
    *,
    excluded: Sequence[str] = (),
    seed: int = 0,
) -> TimedVisitor:
    """A visitor for one crawl that meets these conditions; `seed` is that of the modelled latencies."""
    faults = conditions.faults
    make = partial(
        web.visitor,
        clock=clock,
        excluded=excluded,
        seed=seed,
        faults=partial(_Failing, faults=faults, seed=conditions.seed) if faults else None,
    )
    visitor = make(refuses_redirect)
    if conditions.litter is None:
        return visitor
    return ClutteredVisitor(visitor, make(_follow), conditions.litter, conditions.seed)


class _LabPace(Pace):
    """After a visit to what a recording lacks no host rests: nobody knows what it would have taken."""

    def rest_after(self, visit: Visit, now: Millis) -> Rest:
        nothing_asked = len(visit.hops) == len(visit.request.way)  # not even what redirected
        if isinstance(visit, Failure) and visit.reason is Reason.NOT_RECORDED and nothing_asked:
            return Rest(host_until=now)
        return super().rest_after(visit, now)


class _Failing(FaultyWeb):
    """What a recording lacks is told as such, and never fails otherwise: it is nobody's fault."""

    def fault(self, url: Url) -> str | None:
        if isinstance(self.web, LabView) and not self.web.holds(url):
            return None
        return super().fault(url)


def _follow(request: Request, url: Url) -> Reason | None:
    """Redirects are followed wherever they lead."""
    return None


class _Nothing:
    """A web that is never asked."""

    async def fetch(self, url: Url) -> NoReturn:
        raise AssertionError(url)

    def latency(self, url: Url) -> NoReturn:
        raise AssertionError(url)

    async def close(self) -> None:
        """Nothing is open."""
