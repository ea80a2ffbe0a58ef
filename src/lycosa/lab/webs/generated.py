"""A generated web in the laboratory, to be used as a recorded one is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, overload

import msgspec
import numpy as np

from lycosa.crawl.ports import Clock, TimedWeb, Web
from lycosa.drive.clock import VirtualClock
from lycosa.drive.visit import RedirectRule, Robots, Visitor
from lycosa.lab.webs.cache import reader_version
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.records import PLAIN, Ask, Failure, Fault, Millis, Page, Request, Response
from lycosa.model.url import Url, canonical
from lycosa.web.made.topical import FORMAT, TopicalShape, TopicalWeb

LARGEST_GRAPH = 1_000_000
"""Pages of a web whose whole graph is drawn: 0.1 ms and some 60 bytes each."""
PAGES_A_HOST = 16


class Generated(TopicalShape, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A generated web and its tasks, as an experiment names them."""

    hosts: Annotated[int, msgspec.Meta(ge=0)] = 0
    """0: one for each 16 pages."""
    seed: int = 0
    """The same seed gives the same web and the same tasks."""
    topics: Annotated[int, msgspec.Meta(ge=1)] = 10
    """So many tasks are made where no file names any, of topics drawn at random."""
    targets: Annotated[int, msgspec.Meta(ge=1)] = 20
    """Of each of these tasks: home pages of hosts that are about the topic."""

    @property
    def shape(self) -> TopicalShape:
        """What the web looks like, whatever the tasks. Raises `InputError` for what is none."""
        told = {name: getattr(self, name) for name in TopicalShape.__struct_fields__}
        fewest = self.parents * self.leaves
        return TopicalShape(**{**told, "hosts": self.hosts or max(fewest, self.pages // PAGES_A_HOST)})

    def web(self) -> GeneratedLab:
        return GeneratedLab(TopicalWeb(self.shape, self.seed))


def generated_from(written: str) -> Generated:
    """A generated web as written on a command line, `pages=1000000,seed=1`. Raises `InputError`."""
    pairs = [part.partition("=") for part in written.replace(" ", "").split(",") if part]
    try:
        return converted({key: value for key, _, value in pairs}, Generated, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{written!r}: {error}; write it such as pages=1000000,hosts=60000,seed=1") from None


def generator_version() -> str:
    """What decides how the pages of a generated web are made and read."""
    return f"generated web {FORMAT}, {reader_version()}"


class GeneratedUrls(Sequence[Url]):
    """The URL of each page, made when asked for."""

    def __init__(self, web: TopicalWeb) -> None:
        self._web = web

    @overload
    def __getitem__(self, number: int) -> Url: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Url]: ...
    def __getitem__(self, number: int | slice) -> Url | Sequence[Url]:
        if isinstance(number, slice):
            return [self._web.url(each) for each in range(*number.indices(len(self)))]
        return self._web.url(range(len(self))[number])

    def __len__(self) -> int:
        return len(self._web)


class GeneratedLab:
    """A generated web with the ways of a `LabWeb`. Its pages are numbered as the web numbers them; those that fail or
    redirect have a number too, and no links.

    Invariants, each the name of a test:

    * a graph of visits: page a links to page b exactly if a visitor who follows some link of a arrives at b.
    """

    def __init__(self, web: TopicalWeb) -> None:
        self.web = web
        self.urls: Sequence[Url] = GeneratedUrls(web)
        self._graph: tuple[frozenset[int], LinkGraph] | None = None

    def __len__(self) -> int:
        return len(self.web)

    def index(self, url: str) -> int | None:
        """The number of the page that a visit to a URL ends at, by redirects; None if at none."""
        number = self.web.number(canonical(url))
        return None if number is None else self.web.landing(number)

    def page(self, number: int) -> Page:
        """A page, as if somebody had asked for it who is nobody. Raises `InputError` for one that fails."""
        visitor = self.visitor(lambda request, url: None, VirtualClock())
        visit = asyncio.run(visitor(Request(url=self.urls[number], order=0)))
        if not isinstance(visit, Page):
            why = visit.reason.value if isinstance(visit, Failure) else "it has to be waited for"
            raise InputError(f"page {self.urls[number]} cannot be had: {why}")
        return visit

    def terms(self, number: int) -> Mapping[str, int]:
        """Counts of the stemmed words of a page's title and text, stop words left out."""
        return self.page(number).terms

    def graph(self, excluded: Iterable[str] = ()) -> LinkGraph:
        """Who links to whom, as a visitor would find, links in the order in which the web draws them. Raises
        `InputError` for more than a million pages: use the web's own `links`, `in_links` and `seeds`. The last one is
        kept.
        """
        count = len(self)
        if count > LARGEST_GRAPH:
            raise InputError(
                f"{count:,} pages: a graph is drawn of {LARGEST_GRAPH:,} at most; ask page by page"
            )
        hidden = frozenset(self._numbers(excluded))
        if self._graph is None or self._graph[0] != hidden:
            self._graph = hidden, self._drawn(hidden)
        return self._graph[1]

    def _drawn(self, hidden: frozenset[int]) -> LinkGraph:
        count = len(self)
        landings = [None if (end := self.web.landing(page)) in hidden else end for page in range(count)]
        indptr, indices, missing = [0], list[int](), list[int]()
        for page in range(count):
            targets = [] if page in hidden else [landings[target] for target in self.web.links(page)]
            indices += [end for end in dict.fromkeys(targets) if end is not None and end != page]
            indptr.append(len(indices))
            missing.append(targets.count(None))
        return LinkGraph(
            self.urls, np.array(indptr), np.array(indices, np.int32), self.index, np.array(missing)
        )

    def visitor(
        self,
        refuses_redirect: RedirectRule,
        clock: Clock,
        *,
        excluded: Iterable[str] = (),
        seed: int = 0,
        robots: Callable[[Web], Robots] | None = None,
        faults: Callable[[TimedWeb], TimedWeb] | None = None,
    ) -> GeneratedVisitor:
        """A visitor for one crawl; as `LabWeb.visitor`, but latencies are the web's own, whatever the `seed`."""
        view: TimedWeb = _Hiding(self.web, self._numbers(excluded))
        crawled = faults(view) if faults else view
        return GeneratedVisitor(crawled, robots, refuses_redirect, clock)

    def latency(self, url: Url) -> Millis:
        """The modelled time of a visit."""
        return self.web.latency(url)

    def _numbers(self, urls: Iterable[str]) -> set[int]:
        return {number for url in urls if (number := self.index(url)) is not None}


class GeneratedVisitor(Visitor):
    """Visits pages as they are made."""

    def __init__(
        self,
        web: TimedWeb,
        robots: Callable[[Web], Robots] | None,
        refuses_redirect: RedirectRule,
        clock: Clock,
    ) -> None:
        super().__init__(web, robots(web) if robots else None, None, refuses_redirect, clock)
        self.latency = web.latency
        """The modelled time of a visit: give it to `simulate`."""


class _Hiding:
    """The web without some pages."""

    def __init__(self, web: TopicalWeb, hidden: set[int]) -> None:
        self._web, self._hidden = web, hidden
        self.latency = web.latency
        self.close = web.close

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        if not self._hidden or self._web.number(url) not in self._hidden:
            return await self._web.fetch(url, ask)
        return Response(
            url=url,
            status=404,
            headers=(),
            body=b"",
            fetched_at=Millis(0),
            elapsed=self.latency(url),
            reason_phrase="Not Found",
        )
