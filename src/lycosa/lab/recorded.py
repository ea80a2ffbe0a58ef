"""The pages of a recorded web and the links between them, as tasks are made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from lycosa.archive.collection import Collection
from lycosa.drive.page import is_readable, page_of
from lycosa.drive.visit import REDIRECTS
from lycosa.lab.links import LinkGraph
from lycosa.model.errors import FolderError, InputError
from lycosa.model.records import Page, Request, Response
from lycosa.model.url import Url, canonical, surt

MOST_REDIRECTS = 10
REMEMBERED = 2048
"""Pages read that are kept in memory for those who ask again."""


class RecordedPages:
    """Every page of a recorded web by its canonical URL; failures, redirects and what is not text are no pages.

    Invariants, each the name of a test:

    * as a crawl goes: a link leads to the page that a crawl would be given for it, over redirects and other spellings.
    * one name: a page that was recorded under several spellings of a URL is one page.
    """

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._names: dict[str, Url] = {}  # canonical URLs and index keys, of pages and redirects
        self.page = lru_cache(REMEMBERED)(self._read)

    @classmethod
    def open(cls, paths: Sequence[Path]) -> RecordedPages:
        """Raises `InputError` for what is no recorded web."""
        return cls(Collection.open(paths))

    def close(self) -> None:
        self._collection.close()

    def graph(self) -> LinkGraph:
        """All pages in the order of the index, with the links between them. Reads every page: about 1 ms each."""
        urls = dict.fromkeys(self._urls())
        pages = {url: page.out for url in urls if (page := self._read(url)) is not None}
        for url in urls:
            self._names.setdefault(surt(url), url)
        return LinkGraph.of((url, self._resolved(out, pages.keys())) for url, out in pages.items())

    def _resolved(self, targets: Sequence[Url], pages: object) -> Iterator[Url]:
        """Where links lead in the end, of those that lead to a page of the web."""
        assert hasattr(pages, "__contains__")
        for target in targets:
            if target in pages:
                yield target
            elif (name := self._names.get(target) or self._names.get(surt(target))) is not None:
                end = self._end_of(name)
                if end in pages:
                    yield end

    def _urls(self) -> Iterator[Url]:
        for capture in self._collection.captures():
            try:
                url = canonical(capture.url)
            except InputError:
                continue
            if not capture.status or capture.status < 300:
                yield url
            elif capture.status in REDIRECTS:
                self._names[url] = self._names[surt(url)] = url

    @lru_cache(REMEMBERED)  # noqa: B019 - one of these lives as long as the program
    def _end_of(self, url: Url) -> Url:
        """Where a URL leads by way of recorded redirects."""
        for _ in range(MOST_REDIRECTS):
            response = self._found(url)
            if response is None or response.status not in REDIRECTS:
                break
            try:
                url = canonical(response.header("location") or "", url)
            except InputError:
                break
            url = self._names.get(url) or self._names.get(surt(url)) or url
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
