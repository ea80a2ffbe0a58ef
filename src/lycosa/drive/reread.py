"""Pages as they were, read again from the archive: the journal keeps no texts.

What reads pages is imported when one is read: most questions to a folder need none.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Protocol

import msgspec

import lycosa
from lycosa.archive.reader import MissingFile
from lycosa.model.errors import FolderError
from lycosa.model.records import Page, RecordRef, Response
from lycosa.model.url import Url

if TYPE_CHECKING:
    from lycosa.read.document import Document
    from lycosa.read.said import MainText


@cache
def read_by() -> str:
    """What reads pages here: another one may have another text of them."""
    from importlib.metadata import version

    return f"lycosa {lycosa.__version__}, lexbor of selectolax {version('selectolax')}"


class Readable(Protocol):
    """An archive to read from."""

    def read(self, ref: RecordRef) -> Response: ...


class Rereader:
    """Gives a page from the journal its text, headings, terms and links back, by the same reading as at the visit.

    A record that cannot be read costs its own page's text, and nothing else. Each is told once.
    """

    def __init__(self, archive: Readable) -> None:
        self._archive = archive
        self.told: dict[str, Url | None] = {}
        """What could not be read; without a URL it concerns several pages."""
        self.unread: list[str] = []
        """The same with what it costs, a line each."""

    def text(self, record: RecordRef, url: Url, dom: RecordRef | None = None) -> str:
        """The text of an archived page, empty if it cannot be read; of its DOM, if there is one."""
        from lycosa.read.wording import html_text

        response = self._response(record, url, dom)
        if response is None:
            return ""
        text = html_text(response.body, response.header("content-type") or "")
        if text is None:
            document = self._document_of(response, url)
            text = "" if document is None else document.text
        return text

    def main_text(
        self, record: RecordRef, url: Url, dom: RecordRef | None = None, *, markdown: bool = False
    ) -> MainText | None:
        """The main text of an archived page, and what the page says of itself; None if it cannot be read."""
        from lycosa.read.main import main_text

        response = self._response(record, url, dom)
        if response is None:
            return None
        kind = response.header("content-type") or ""
        found = main_text(response.body, response.url, kind, markdown=markdown)
        if not found.text:
            self._document_of(response, url)  # which tells why, if something is missing
        return found

    def _document(
        self, record: RecordRef, url: Url, dom: RecordRef | None
    ) -> tuple[Response, Document] | None:
        response = self._response(record, url, dom)
        document = None if response is None else self._document_of(response, url)
        return None if response is None or document is None else (response, document)

    def _document_of(self, response: Response, url: Url) -> Document | None:
        from lycosa.drive.page import document_of

        document = document_of(response)
        if document.unread:  # it was read at the visit: the package that did it is not installed here
            self.tell(document.unread, url)
            return None
        return document

    def _response(self, record: RecordRef, url: Url, dom: RecordRef | None) -> Response | None:
        """The answer of a server, with the DOM in place of its body if there is one."""
        sent = self._read(record, url)
        if sent is None or dom is None:
            return sent
        from lycosa.drive.page import as_rendered

        rendered = self._read(dom, url)
        return None if rendered is None else as_rendered(sent, rendered)

    def _read(self, record: RecordRef, url: Url) -> Response | None:
        try:
            return self._archive.read(record)
        except FolderError as error:
            self.tell(str(error), None if isinstance(error, MissingFile) else url)
            return None

    def tell(self, what: str, url: Url | None) -> None:
        """Note what could not be read, once of each; without a URL it concerns several pages."""
        if what not in self.told:
            self.told[what] = url
            self.unread.append(
                f"{what}; until then {'its pages are' if url is None else f'{url} is'} without text"
            )

    def __call__(self, page: Page) -> Page | None:
        from lycosa.drive.page import page_with, with_lead

        if page.record is None:
            return page
        found = self._document(page.record, page.final_url, page.dom)
        if found is None:
            return None
        response, document = found
        again = page_with(document, page.request, response, page.record)
        if page.rendering is not None:
            again = with_lead(again, page.rendering.left_for)
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
            alternates=again.alternates,
        )
