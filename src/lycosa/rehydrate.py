"""Pages as they were, read again from the archive: the journal keeps no texts."""

from __future__ import annotations

import msgspec

from lycosa.crawl.ports import Archive
from lycosa.drive.page import page_of
from lycosa.model.records import Page


class Rehydrator:
    """Gives a page from the journal its text, headings, terms and links back, by the same reading as at the visit."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def __call__(self, page: Page) -> Page:
        if page.record is None:
            return page
        response = self._archive.read(page.record)
        read = page_of(page.request, response, page.record)
        return msgspec.structs.replace(
            page, text=read.text, headings=read.headings, terms=read.terms, links=read.links
        )
