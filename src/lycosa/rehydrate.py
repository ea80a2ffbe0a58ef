"""Pages as they were, read again from the archive: the journal keeps no texts."""

from __future__ import annotations

from typing import Protocol

import msgspec

from lycosa.drive.page import page_of
from lycosa.model.records import Page, RecordRef, Response
from lycosa.read.html import read


class Readable(Protocol):
    """An archive to read from."""

    def read(self, ref: RecordRef) -> Response: ...


class Rehydrator:
    """Gives a page from the journal its text, headings, terms and links back, by the same reading as at the visit."""

    def __init__(self, archive: Readable) -> None:
        self._archive = archive

    def text(self, record: RecordRef) -> str:
        """The text of an archived page."""
        response = self._archive.read(record)
        return read(response.body, response.url, response.header("content-type") or "").text

    def __call__(self, page: Page) -> Page:
        if page.record is None:
            return page
        response = self._archive.read(page.record)
        again = page_of(page.request, response, page.record)
        return msgspec.structs.replace(
            page,
            text=again.text,
            headings=again.headings,
            terms=again.terms,
            links=again.links,
            places=again.places,
            needs_script=again.needs_script,
        )
