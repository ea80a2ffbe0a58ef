"""Earlier crawls and recorded webs, opened to learn from: pages one after the other or by URL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from msgspec.structs import replace

from lycosa.archive.collection import Collection
from lycosa.archive.reader import Reader
from lycosa.drive.page import is_readable, page_of
from lycosa.drive.reread import Rereader
from lycosa.drive.visit import REDIRECTS
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Page, Request, Response
from lycosa.model.url import Url, canonical
from lycosa.store.distinct import Distinct
from lycosa.store.history import Row
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths, crawlers_in
from lycosa.web.redirect import location

ROBOTS = "/robots.txt"


class Earlier(Protocol):
    """What was crawled or recorded before. Pages are read again from their archive each time they are asked for."""

    def urls(self) -> Iterator[Url]:
        """The URLs of all pages, and maybe of some that turn out to be none, without reading any."""
        ...

    def pages(self) -> Iterator[Page]:
        """All pages, each once, in a reproducible order."""
        ...

    def page(self, url: Url) -> Page | None:
        """The page at a URL, redirects followed."""
        ...

    def aliases(self) -> Iterator[tuple[Url, Url]]:
        """URLs that redirect, each with the URL where it ended."""
        ...

    def close(self) -> None: ...


@contextmanager
def opened(place: Path) -> Iterator[Earlier]:
    """Open a crawl's folder, or a folder or file of WARC records. Raises `InputError`."""
    earlier: Earlier
    try:
        crawlers = [paths for paths in crawlers_in(place) if paths.journal.exists()]
        earlier = EarlierCrawl(crawlers) if crawlers else RecordedPages(place)
    except FolderError as error:
        raise InputError(f"{error}; nothing can be learnt from it") from None
    try:
        yield earlier
    finally:
        earlier.close()


class EarlierCrawl:
    """The pages of a crawl, in the order of the crawl: of one that several nodes shared, those of each node in turn. It
    may be running."""

    def __init__(self, crawlers: Sequence[Paths]) -> None:
        """`crawlers` are the folders to which one crawler each wrote."""
        self._archive = Reader([paths.archive for paths in crawlers])
        rehydrate = Rereader(self._archive)
        self._journals = [Journal(paths.journal, rehydrate=rehydrate, read_only=True) for paths in crawlers]
        self._distinct = Distinct([journal.history for journal in self._journals])

    def _rows(self) -> Iterator[tuple[Journal, Row]]:
        for place, journal in enumerate(self._journals):
            rows = journal.history.rows()
            yield from ((journal, row) for row in rows if self._distinct.counts(place, row.url))

    def urls(self) -> Iterator[Url]:
        return (row.final_url for _, row in self._rows())

    def pages(self) -> Iterator[Page]:
        return filter(None, (journal.memory.page(row.url) for journal, row in self._rows()))

    def page(self, url: Url) -> Page | None:
        found = (journal.memory.page(url) for journal in self._journals)
        return next((page for page in found if page is not None), None)

    def aliases(self) -> Iterator[tuple[Url, Url]]:
        for _, row in self._rows():
            asked = dict.fromkeys((row.url, *row.hops))
            yield from ((url, row.final_url) for url in asked if url != row.final_url)

    def close(self) -> None:
        for journal in self._journals:
            journal.close()
        self._archive.close()


class RecordedPages:
    """The pages of a recorded web, in the order of its index."""

    def __init__(self, place: Path) -> None:
        self._collection = Collection.open([place])

    def urls(self) -> Iterator[Url]:
        seen: set[Url] = set()
        for capture in self._collection.captures():
            if capture.status >= 400 or capture.url.endswith(ROBOTS):
                continue
            try:
                url = canonical(capture.url)
            except InputError:
                continue
            if url not in seen:
                seen.add(url)
                yield url

    def pages(self) -> Iterator[Page]:
        for url in self.urls():
            response = self._response(url)
            if response is not None and (page := _read(url, response)) is not None:
                yield page

    def page(self, url: Url) -> Page | None:
        end = self._end(url)
        return _read(end[0], end[1]) if end is not None else None

    def aliases(self) -> Iterator[tuple[Url, Url]]:
        for url in self.urls():
            if (end := self._end(url)) is not None and end[0] != url:
                yield url, end[0]

    def close(self) -> None:
        self._collection.close()

    def _response(self, url: Url) -> Response | None:
        try:
            return self._collection.find(url)
        except FolderError:  # a damaged record is as good as none
            return None

    def _end(self, url: Url) -> tuple[Url, Response] | None:
        """Where a URL leads, and what is there."""
        for _ in range(6):
            response = self._response(url)
            if response is None or response.status not in REDIRECTS or not (target := location(response)):
                return (url, response) if response is not None else None
            try:
                url = canonical(target, url)
            except InputError:
                return None
        return None


def _read(url: Url, response: Response) -> Page | None:
    if not 200 <= response.status < 300 or not is_readable(response):
        return None
    return page_of(Request(url=url, order=0), replace(response, url=url), None)
