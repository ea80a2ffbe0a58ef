"""Pages as they were, read again from the archive: the journal keeps no texts."""

from __future__ import annotations

from typing import Protocol

import msgspec

from lycosa.archive.reader import MissingFile
from lycosa.drive.page import page_of
from lycosa.model.errors import FolderError
from lycosa.model.records import Page, RecordRef, Response
from lycosa.model.url import Url
from lycosa.read.html import read


class Readable(Protocol):
    """An archive to read from."""

    def read(self, ref: RecordRef) -> Response: ...


class Rereader:
    """Gives a page from the journal its text, headings, terms and links back, by the same reading as at the visit.

    A record that cannot be read costs its own page's text, and nothing else. Each is told once.
    """

    def __init__(self, archive: Readable) -> None:
        self._archive = archive
        self._told: set[str] = set()
        self.unread: list[str] = []
        """What could not be read: which, where, and what it costs, a line each."""

    def text(self, record: RecordRef, url: Url) -> str:
        """The text of an archived page, empty if it cannot be read."""
        response = self._read(record, url)
        if response is None:
            return ""
        return read(response.body, response.url, response.header("content-type") or "").text

    def _read(self, record: RecordRef, url: Url) -> Response | None:
        try:
            return self._archive.read(record)
        except FolderError as error:
            who = "its pages are" if isinstance(error, MissingFile) else f"{url} is"
            if (what := str(error)) not in self._told:
                self._told.add(what)
                self.unread.append(f"{what}; until then {who} without text")
            return None

    def __call__(self, page: Page) -> Page | None:
        if page.record is None:
            return page
        response = self._read(page.record, page.final_url)
        if response is None:
            return None
        again = page_of(page.request, response, page.record)
        return msgspec.structs.replace(
            page,
            text=again.text,
            headings=again.headings,
            terms=again.terms,
            links=again.links,
            places=again.places,
            nav_lines=again.nav_lines,
            needs_script=again.needs_script,
            feed=again.feed,
            dated=again.dated,
        )
