"""A generated web in the laboratory, to be used as a recorded one is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import overload

import numpy as np

from lycosa.crawl.ports import Clock, Web
from lycosa.drive.visit import RedirectRule, Robots, Visitor
from lycosa.lab.graph import Graph
from lycosa.model.errors import InputError
from lycosa.model.records import Fault, Millis, Response
from lycosa.model.url import Url, canonical
from lycosa.web.topical import TopicalWeb

LARGEST_GRAPH = 1_000_000
"""Pages of a web whose whole graph is drawn: 0.1 ms and some 60 bytes each."""


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

    def __len__(self) -> int:
        return len(self.web)

    def index(self, url: str) -> int | None:
        """The number of the page that a visit to a URL ends at, by redirects; None if at none."""
        number = self.web.number(canonical(url))
        return None if number is None else self.web.landing(number)

    def graph(self, excluded: Iterable[str] = ()) -> Graph:
        """Who links to whom, as a visitor would find. Raises `InputError` for more than a million pages: use the web's
        own `links`, `in_links` and `seeds`.
        """
        count = len(self)
        if count > LARGEST_GRAPH:
            raise InputError(
                f"{count:,} pages: a graph is drawn of {LARGEST_GRAPH:,} at most; ask page by page"
            )
        hidden = self._numbers(excluded)
        landings = [None if (end := self.web.landing(page)) in hidden else end for page in range(count)]
        indptr, indices, missing = [0], list[int](), list[int]()
        for page in range(count):
            targets = [] if page in hidden else [landings[target] for target in self.web.links(page)]
            found = {target for target in targets if target is not None}
            indices += sorted(found - {page})
            indptr.append(len(indices))
            missing.append(targets.count(None))
        return Graph(
            urls=self.urls,
            indptr=np.array(indptr, np.int64),
            indices=np.array(indices, np.int32),
            missing=np.array(missing, np.int32),
        )

    def visitor(
        self,
        refuses_redirect: RedirectRule,
        clock: Clock,
        *,
        excluded: Iterable[str] = (),
        seed: int = 0,
        robots: Callable[[Web], Robots] | None = None,
        faults: Callable[[Web], Web] | None = None,
    ) -> GeneratedVisitor:
        """A visitor for one crawl; as `LabWeb.visitor`, but latencies are the web's own, whatever the `seed`."""
        view: Web = _Hiding(self.web, self._numbers(excluded))
        crawled = faults(view) if faults else view
        return GeneratedVisitor(crawled, robots(crawled) if robots else None, None, refuses_redirect, clock)

    def latency(self, url: Url) -> Millis:
        """The modelled time of a visit."""
        return self.web.latency(url)

    def _numbers(self, urls: Iterable[str]) -> set[int]:
        return {number for url in urls if (number := self.index(url)) is not None}


class GeneratedVisitor(Visitor):
    """Visits pages as they are made."""

    def latency(self, url: Url) -> Millis:
        """The modelled time of a visit: give it to `simulate`."""
        found: Millis = self.web.latency(url)  # type: ignore[attr-defined] # webs under virtual time have one
        return found


class _Hiding:
    """The web without some pages."""

    def __init__(self, web: TopicalWeb, hidden: set[int]) -> None:
        self._web, self._hidden = web, hidden
        self.latency = web.latency

    async def fetch(self, url: Url) -> Response | Fault:
        if not self._hidden or self._web.number(url) not in self._hidden:
            return await self._web.fetch(url)
        return Response(
            url=url,
            status=404,
            headers=(),
            body=b"",
            fetched_at=Millis(0),
            elapsed=self.latency(url),
            reason_phrase="Not Found",
        )
