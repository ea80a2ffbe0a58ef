"""The pages of a recorded web and the links between them, as tasks are made of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Protocol

from lycosa.archive.collection import Collection
from lycosa.drive.page import is_readable, page_of
from lycosa.drive.visit import REDIRECTS
from lycosa.lab.links import LinkGraph
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Page, Request, Response
from lycosa.model.url import Url, canonical, surt

MOST_REDIRECTS = 10
REMEMBERED = 4096
"""Pages read that are kept in memory for those who ask again: some 25 KB each."""


class Library(Protocol):
    """A web whose pages can be looked at, by number."""

    def graph(self) -> LinkGraph:
        """All pages and the links between them."""
        ...

    def index(self, url: str) -> int | None:
        """The number of the page to which a URL leads, by redirects or under another name; None if to none."""
        ...

    def page(self, number: int) -> Page: ...


class RecordedPages:
    """Every page of a recorded web by its canonical URL; failures, redirects and what is not text are no pages.

    Invariants, each the name of a test:

    * as a crawl goes: a link leads to the page that a crawl would be given for it, over redirects and other spellings.
    * one name: a page that was recorded under several spellings of a URL is one page.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self.page = lru_cache(REMEMBERED)(self._page)
        self._end_of = lru_cache(REMEMBERED)(self._followed)

    @classmethod
    def open(cls, paths: Sequence[Path]) -> RecordedPages:
        """Raises `InputError` for what is no recorded web."""
        return cls(Collection.open(paths))

    def close(self) -> None:
        self._collection.close()

    def graph(self) -> LinkGraph:
        """All pages in the order of the index. The first time every page is read: 1 to 5 ms each."""
        return self._graph

    def index(self, url: str) -> int | None:
        graph = self._graph
        number = graph.number(Url(url))
        return number if number is not None else graph.number(self._end_of(canonical(url)))

    def _page(self, number: int) -> Page:
        page = self._read(self._graph.urls[number])
        assert page is not None  # it was read for the graph
        return page

    @cached_property
    def _graph(self) -> LinkGraph:
        pages = {url: page.out for url in self._names.values() if (page := self._read(url)) is not None}
        ends = {url: url for url in pages}

        def end_of(target: Url) -> Url:
            if target not in ends:
                ends[target] = self._end_of(target)
            return ends[target]

        return LinkGraph.of((url, map(end_of, out)) for url, out in pages.items())

    @cached_property
    def _names(self) -> dict[str, Url]:
        """Canonical URLs, by themselves and by their keys in the index; of several with one key the first counts."""
        names: dict[str, Url] = {}
        for capture in self._collection.captures():
            try:
                url = canonical(capture.url)
            except InputError:
                continue
            names[url] = url
            names.setdefault(surt(url), url)
        return names

    def _named(self, url: Url) -> Url:
        """The name under which a URL was recorded, or the URL itself."""
        return self._names.get(url) or self._names.get(surt(url)) or url

    def _followed(self, url: Url) -> Url:
        """Where a URL leads by way of other names and recorded redirects."""
        url = self._named(url)
        for _ in range(MOST_REDIRECTS):
            response = self._found(url) if url in self._names else None
            if response is None or response.status not in REDIRECTS:
                break
            try:
                url = self._named(canonical(response.header("location") or "", url))
            except InputError:
                break
        return url

    def _found(self, url: Url) -> Response | None:
        try:
            return self._collection.find(url)
        except FolderError:  # the record is damaged: a crawl does not get it either
            return None

    def _read(self, url: Url) -> Page | None:
        """The page of a canonical URL, or None if there is none."""
        response = self._found(url)
        if response is None or not 200 <= response.status < 300 or not is_readable(response):
            return None
        return page_of(Request(url=url, order=0), response, None)
