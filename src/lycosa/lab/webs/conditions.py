"""The conditions of crawls in the laboratory: how politely is crawled, what fails, what is slow, what is put in to
mislead. All crawls of a web meet the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NoReturn, Protocol

import msgspec

from lycosa.compose.parts import gate_of
from lycosa.crawl.gate import Gate
from lycosa.crawl.order import Kind, Order, OrderRules
from lycosa.crawl.pace import Pace, PaceRules
from lycosa.crawl.ports import Clock, TimedWeb
from lycosa.crawl.site_names import Told
from lycosa.crawl.traps import Gists
from lycosa.drive.visit import RedirectRule
from lycosa.lab.webs.clutter import Clutter, ClutteredVisitor, TimedVisitor
from lycosa.lab.webs.lab_web import LabView
from lycosa.lab.webs.pages import PAGES_KEPT
from lycosa.model.records import PLAIN, Ask, Millis, Reason, Request
from lycosa.model.url import Url
from lycosa.report.wording import counted
from lycosa.spec.tree import CrawlSpec, DeadSpec, NotNegative, Part, Positive, TrapSpec
from lycosa.spec.webs import RECORDED
from lycosa.web.made.faulty import Faults, FaultyWeb

NEVER = 1_000_000_000

_GISTS, _TOLD = Gists(PAGES_KEPT), Told(PAGES_KEPT)
"""Of all crawls of this process: they meet the same pages again and again."""


class Conditions(Part, frozen=True, kw_only=True):
    """What a crawl has to put up with: as it stands, what a crawl of the command line has, with its defaults.

    Everything that is drawn depends on `seed` and URL, never on who crawls.
    """

    faults: Faults | None = None
    litter: Clutter | None = None
    delay: NotNegative = PaceRules().delay
    """Milliseconds that a host rests between two visits, on the virtual clock; with 0 slow answers bring no rest
    either."""
    connections: Positive = OrderRules().width
    """Visits side by side, one a host at most."""
    order: Kind = OrderRules().kind
    patience: float = OrderRules().patience
    aliases: bool = True
    """Whether a page is known by its second names; see `lycosa.crawl.aliases`."""
    dead: DeadSpec = DeadSpec()
    seed: int = 0

    def pace(self, seed: int) -> Pace:
        """As the command line paces. But with faults no host is given up: what fails here fails by URL, and of a web
        with one host seven failures in a row would be the end."""
        give_up = NEVER if self.faults else PaceRules().give_up
        slowness = PaceRules().slowness if self.delay else 0.0
        return Pace(PaceRules(delay=Millis(self.delay), slowness=slowness, give_up=give_up), seed=seed)

    def gate(self) -> Gate:
        """As the command line's, of a recorded web without any scope."""
        spec = CrawlSpec(web=RECORDED, dead=self.dead, traps=TrapSpec(aliases=self.aliases))
        return gate_of(spec, _GISTS, _TOLD)

    def in_order(self) -> Order:
        rules = OrderRules(
            kind=self.order, width=self.connections, patience=self.patience, delay=Millis(self.delay)
        )
        return Order(rules)

    def lost(self, urls: Iterable[Url]) -> list[Url]:
        """Those of the URLs that bring no page because of the faults."""
        if self.faults is None:
            return []
        web = FaultyWeb(_Nothing(), self.faults, self.seed)
        return [url for url in urls if web.fault(url) is not None]

    def in_words(self) -> str:
        """For a report."""
        return "; ".join([self._of_pace(), *_of_faults(self.faults), *_of_litter(self.litter)])

    def _of_pace(self) -> str:
        bare = msgspec.structs.replace(self, faults=None, litter=None, seed=0)
        if bare == Conditions():
            return "as the command line crawls"
        if bare == Conditions(aliases=False):
            return "as the command line crawls, but each name is a page"
        if bare == STRICT:
            return "the strict order, without rests"
        patience = f" with patience {self.patience:g}" if self.order == "paced" else ""
        rests = f"hosts rest {self.delay / 1000:g} s" if self.delay else "no rests"
        return f"{rests}, {counted(self.connections, 'visit')} at once, {self.order} order{patience}"


STRICT = Conditions(
    delay=0,
    connections=1,
    order="eager",
    aliases=False,
    dead=DeadSpec(soft_errors=False, link_rot=False),
)
"""One visit follows the other and no host rests, so that pages come in the order of the strategy alone."""


def _of_faults(faults: Faults | None) -> Iterable[str]:
    if faults is None:
        return
    kinds = {
        "time-outs": faults.timeouts,
        "refusals": faults.refusals,
        "errors": faults.errors,
        "missing": faults.missing,
        "rotten": faults.rotten,
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

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> NoReturn:
        raise AssertionError(url)

    def latency(self, url: Url) -> NoReturn:
        raise AssertionError(url)

    async def close(self) -> None:
        """Nothing is open."""
