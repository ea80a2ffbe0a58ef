"""The long-term orders of the WIRE crawler: which of all known pages are worth fetching, whatever the topic."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

import msgspec

from lycosa.crawl.inputs import Importance
from lycosa.crawl.ports import Memory
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.errors import InputError
from lycosa.model.records import Failure, Link, Page, Request, UrlState
from lycosa.model.url import Host, Url, host_of
from lycosa.strategies.importance.wire_orders import FIRST, LATER, BatchPageRank, Depth, Omniscient
from lycosa.strategies.parts.ledger import first_links

Order = Literal["larger-sites-first", "depth", "batch-pagerank", "omniscient"]

RECOUNT_FROM, GROWTH = 50, 2.0
"""All pending URLs are counted anew whenever so many times more pages are in: a few times in a crawl."""

_OPEN = (UrlState.PENDING, UrlState.LEASED)


class Wire(Strategy):
    """Visits what serves a collection as a whole: pages near the start pages first, or the sites with most to do first.

    When to use it: to collect a part of the web rather than a topic. `larger-sites-first` keeps big sites from being
    left over at the end, when nothing but one slow host remains; its authors find it practical and near the best in
    bringing high PageRank early. `depth` is breadth-first that does not depend on which answers come in first.
    `batch-pagerank` brings high PageRank early too, at a higher cost. `omniscient` is what the others are measured
    against: it takes the pages' true importances as an input, which only an experiment can have.

    Parameters: `order`, one of `larger-sites-first` (the default), `depth`, `batch-pagerank` and `omniscient`. Under
    `larger-sites-first` the host with the most pending URLs goes first, hosts with equally many in the order in which
    their next pages were found, and within a host first in first out. The score is the number of pending URLs of the
    host. Under `depth` the score is minus the number of links from the nearest start page, and ties go first in first
    out. Under `batch-pagerank` PageRank is computed over all known URLs, the best are chosen, and all of them are
    visited before the next batch is; the start pages are the first batch. `batch`, 1 to 1,000,000, is the size of a
    batch, or a tenth of the pages that are in, if that is more (default 100, ours; the authors' are 10,000 and more).
    `share`, 0 to 1, is the part of a batch that one host may have, at least one URL (default 1; a small one makes
    batches that no slow host holds up). `gamma`, 0 to 0.99, the chance that PageRank's reader follows a link (default
    0.85). Both of these and `batch` serve `batch-pagerank` alone.

    Cost: `depth` and `omniscient` O(links · log frontier) a page and no state. `larger-sites-first` the same, and it
    keeps the pending URLs by host: O(frontier). `batch-pagerank` keeps the graph, and computes once a batch.

    >>> from lycosa.spec.registry import strategy
    >>> strategy("wire:order=depth").order
    'depth'
    """

    reference: ClassVar[str] = (
        "Castillo, Marin, Rodriguez, Baeza-Yates: Scheduling Algorithms for Web Crawling. WebMedia/LA-Web 2004"
    )

    def __init__(
        self,
        *,
        importance: Importance | None = None,
        order: Order = "larger-sites-first",
        batch: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 100,
        share: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0,
        gamma: Annotated[float, msgspec.Meta(ge=0, le=0.99)] = 0.85,
    ) -> None:
        self.order, self.batch, self.share, self.gamma = order, batch, share, gamma
        self._inner = self._ordered(importance)

    def _ordered(self, importance: Importance | None) -> Strategy:
        match self.order:
            case "larger-sites-first":
                return LargerSitesFirst()
            case "depth":
                return Depth()
            case "batch-pagerank":
                return BatchPageRank(gamma=self.gamma, batch=self.batch, share=self.share)
            case "omniscient":
                if importance is None:
                    raise InputError(
                        f"strategy 'wire:order=omniscient' needs {Importance.name}: {Importance.remedy}"
                    )
                return Omniscient(importance)

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return self._inner.on_start(seeds, crawl)

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        return self._inner.on_page(page, crawl)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        return self._inner.on_failure(failure, crawl)

    def on_idle(self, crawl: View) -> Iterable[Command]:
        return self._inner.on_idle(crawl)

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        return self._inner.on_handoff(handoff, crawl)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        return self._inner.explain(request, memory)

    def save(self) -> Mapping[str, Any]:
        return self._inner.save()

    def load(self, state: Mapping[str, Any]) -> None:
        self._inner.load(state)


class LargerSitesFirst(Strategy):
    """The host with the most pending URLs first."""

    def __init__(self) -> None:
        self._sites = Sites()

    def on_start(self, seeds: Sequence[Url], crawl: View) -> Iterable[Command]:
        return self._sites.changed((), dict.fromkeys(seeds), crawl)

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        firsts = first_links(page)
        recounted = self._sites.page_came_in(crawl)
        return [*recounted, *self._sites.changed((page.url, page.final_url, *page.hops), firsts, crawl)]

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        return self._sites.changed((failure.url, *failure.hops), {}, crawl)

    def on_handoff(self, handoff: Enqueue, crawl: View) -> Iterable[Command]:
        return self._sites.changed((), {handoff.url: handoff.via}, crawl)

    def explain(self, request: Request, memory: Memory) -> Mapping[str, float]:
        if request.tier == FIRST:
            return {"URLs waiting on this host": request.score}
        return {"URLs of this host that go before": 1.0}

    def save(self) -> Mapping[str, Any]:
        return self._sites.save()

    def load(self, state: Mapping[str, Any]) -> None:
        self._sites.load(state)


class Sites:
    """The pending URLs of each host, and the commands that keep the frontier ordered by how many these are.

    A change of a host's number would change the score of all its URLs. As no more than one of them can be leased at a
    time, it is enough that the first of them has the score: the others wait in a later tier, and step forward one by
    one. So a change costs one command, however many URLs wait.

    What a strategy is not told (a URL was refused at the gate, trimmed from a bounded frontier, or brought by an
    operator or a sitemap) is found out: new URLs are looked up at the step after, the first of a host whenever its
    score is set, all of them at a recount.

    Invariant, the name of a property test:

    * most pending first: a visit goes to a host with the most pending URLs (where nothing is refused or trimmed).
    """

    def __init__(self) -> None:
        self._pages = 0
        self._recount_at = RECOUNT_FROM
        self._queues: dict[Host, dict[Url, None]] = {}
        self._arrived: list[Url] = []

    def changed(self, gone: Iterable[Url], found: Mapping[Url, Link | None], crawl: View) -> list[Command]:
        """What follows when `gone` wait no more, and links to `found`, known or new, came in."""
        state, queues = crawl.state, self._queues
        refused = [url for url in self._arrived if state(url) is UrlState.UNSEEN]
        hosts = self._without((*gone, *refused))
        new = {url: host_of(url) for url in found if state(url) is UrlState.UNSEEN}
        self._arrived = list(new)
        for url, host in new.items():
            hosts[host] = None
            queue = queues.get(host)
            if queue is None:
                queues[host] = {url: None}
            else:
                queue[url] = None
        commands: list[Command] = []
        firsts: dict[Url, float] = {}
        for host in hosts:
            first, waiting = self._first(host, new, crawl)
            if first in new:
                firsts[first] = waiting
            elif first is not None:
                commands.append(Reprioritize(url=first, score=waiting, tier=FIRST))
        for url in new:
            score, tier = (firsts[url], FIRST) if url in firsts else (0.0, LATER)
            commands.append(Enqueue(url=url, via=found[url], score=score, tier=tier))
        return commands

    def _without(self, urls: Iterable[Url]) -> dict[Host, None]:
        """Take URLs out of their queues, and tell the hosts."""
        lowered: dict[Host, None] = {}
        for url in urls:
            host = host_of(url)
            queue = self._queues.get(host, {})
            if url in queue:
                lowered[host] = None
                del queue[url]
        return lowered

    def _first(self, host: Host, new: Mapping[Url, object], crawl: View) -> tuple[Url | None, float]:
        """The first URL of a host that still waits, None if there is none, with the number of those that do."""
        queue = self._queues.get(host, {})
        while queue:
            url = next(iter(queue))
            if url in new or crawl.state(url) in _OPEN:
                return url, float(len(queue))
            del queue[url]
        self._queues.pop(host, None)
        return None, 0.0

    def page_came_in(self, crawl: View) -> list[Command]:
        """Count the page; if it is time, count all that is pending anew."""
        self._pages += 1
        if self._pages < self._recount_at:
            return []
        self._recount_at = math.ceil(self._pages * GROWTH)
        self._arrived, self._queues = [], {}
        for request in sorted(crawl.pending(), key=lambda request: request.order):
            self._queues.setdefault(host_of(request.url), {})[request.url] = None
        firsts = ((next(iter(queue)), float(len(queue))) for queue in self._queues.values())
        return [Reprioritize(url=url, score=score, tier=FIRST) for url, score in firsts]

    def save(self) -> Mapping[str, Any]:
        queues = {host: list(queue) for host, queue in self._queues.items()}
        return {
            "pages": self._pages,
            "recount at": self._recount_at,
            "queues": queues,
            "arrived": list(self._arrived),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._pages, self._recount_at = state["pages"], state["recount at"]
        self._queues = {Host(host): dict.fromkeys(map(Url, urls)) for host, urls in state["queues"].items()}
        self._arrived = [Url(url) for url in state["arrived"]]
