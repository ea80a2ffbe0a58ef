"""The sitemaps of a crawl: where its first links come from, and, day by day, which of its pages changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Final

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.ports import Archive, Clock, Web
from lycosa.drive.sitemaps import Named, links_in, sitemaps_of
from lycosa.drive.visit import Robots
from lycosa.model.commands import Enqueue
from lycosa.model.events import Operated, Told
from lycosa.model.records import Millis, UrlState
from lycosa.model.url import Url, host_of
from lycosa.spec import derived
from lycosa.spec.tree import CrawlSpec

EVERY: Final = Millis(86_400_000)
"""So often sitemaps are read again while pages are visited again."""
MOST_HOSTS: Final = 100
"""Hosts whose robots.txt are asked for sitemaps, those first that the crawl met first."""
BY: Final = "sitemap"


class Sitemaps:
    """Those that the specification names and, if it says so, those that robots.txt of the crawl's hosts name.

    Where several crawlers share a crawl, each reads those of the hosts that are its own.
    """

    def __init__(
        self,
        spec: CrawlSpec,
        crawl: Crawl,
        web: Web,
        robots: Robots | None,
        archive: Archive,
        clock: Clock,
    ) -> None:
        self._spec, self._crawl, self._web, self._robots = spec, crawl, web, robots
        self._archive, self._clock = archive, clock
        self._dated: Mapping[Url, Millis] = {}  # as they were read last

    def __bool__(self) -> bool:
        """Whether there may be any."""
        return bool(self._spec.sitemaps or (self._spec.use_sitemaps and self._robots is not None))

    async def read(self, pages: Iterable[Url]) -> Named:
        """What they say now; `pages` are of the hosts whose robots.txt is asked. What was fetched is archived."""
        named = [url for raw in self._spec.sitemaps if self._may_ask(url := derived.start_url(raw))]
        if self._spec.use_sitemaps and self._robots is not None:
            named += await sitemaps_of(filter(self._may_ask, pages), self._robots, self._clock)
        return await links_in(named, self._web, self._robots, self._clock, self._archive.write, self._refuses)

    def _may_ask(self, url: Url) -> bool:
        """Not where a host is blocked. Of a shared crawl, each host's sitemaps are read by the node that sees to it."""
        company = self._crawl.company
        return host_of(url) not in self._crawl.gate.blockade and (company is None or company.is_ours(url))

    def _refuses(self, url: Url) -> str | None:
        """Why a sitemap that another names is not read."""
        if host_of(url) in self._crawl.gate.blockade:
            return "its host is blocked"
        return self._crawl.gate.scope.refuses_port(url)

    async def read_again(self) -> tuple[Named, list[Operated | Told]]:
        """What they say now, and what of it is news: URLs that the crawl does not know, and pages that changed since
        they were looked at."""
        pages = filter(self._may_ask, self._first_of_hosts())
        named = await self.read(list(islice(pages, MOST_HOSTS)))
        return named, [*self._new_links(named), *self._changes(named)]

    def _first_of_hosts(self) -> Iterator[Url]:
        """The first page of each host."""
        hosts = set()
        for url in self._crawl.store.memory.graph():
            if (host := host_of(url)) not in hosts:
                hosts.add(host)
                yield url

    def _new_links(self, named: Named) -> Iterator[Operated]:
        state = self._crawl.frontier.state
        new = tuple(
            Enqueue(url=link.target, via=link)
            for link in named.links
            if state(link.target) is UrlState.UNSEEN
        )
        if new:
            yield Operated(commands=new, by=BY)

    def _changes(self, named: Named) -> Iterator[Told]:
        visits = self._crawl.store.memory.visits
        fresh = ((url, at) for url, at in named.dated.items() if self._dated.get(url) != at)
        looked = ((url, at, visits(url)) for url, at in fresh)
        changed = tuple((url, at) for url, at, looks in looked if looks and at > looks[-1].at)
        self._dated = named.dated
        if changed:
            yield Told(changed=changed, by=BY)
