"""One capture of an archive, with what it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lycosa.archive.cdxj import Capture
from lycosa.archive.reader import Reader
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, RecordRef, Response
from lycosa.model.rights import Rights
from lycosa.read.kinds import readable

if TYPE_CHECKING:
    from lycosa.read.said import MainText


class Captured:
    """An answer of a server as it was stored: a response record, or a revisit record that refers to one.

    What is not in the index is read when it is asked for.
    """

    def __init__(
        self, capture: Capture, reader: Reader, dom: RecordRef | None = None, rights: Rights = ()
    ) -> None:
        """`dom` is the record of what a browser made of it, `rights` what was said of its use."""
        self.capture, self._reader, self._dom, self.rights = capture, reader, dom, rights

    @property
    def url(self) -> str:
        return self.capture.url

    @property
    def at(self) -> Millis:
        """When it was fetched; what is known from the index alone, to the second."""
        return self.capture.at

    @property
    def status(self) -> int:
        """As the server said it, or, of a 304, as it had said with the page. Raises `FolderError`."""
        return self.capture.status or self.response.status

    @property
    def media_type(self) -> str:
        """`warc/revisit` of a revisit of which no more is known."""
        return self.capture.mime

    @property
    def record(self) -> RecordRef:
        return self.capture.ref

    @property
    def raw(self) -> bytes:
        """The WARC record as it is stored, compressed. Raises `FolderError`."""
        return self._reader.raw(self.record)

    @property
    def is_rendered(self) -> bool:
        """Whether a browser made something of it."""
        return self._dom is not None

    @property
    def response(self) -> Response:
        """The answer, a revisit's with the body it refers to. Raises `FolderError`."""
        return self._reader.read(self.record)

    @property
    def rendered(self) -> Response:
        """The answer with what a browser made of it in place of its body, or as it came. Raises `FolderError`."""
        if self._dom is None:
            return self.response
        from lycosa.drive.page import as_rendered

        return as_rendered(self.response, self._reader.read(self._dom))

    @property
    def text(self) -> str:
        """All the text, as a browser had it if one had. Raises `InputError` for what is no text, `FolderError` if the
        record cannot be read."""
        from lycosa.read.wording import html_text

        response = self._readable()
        text = html_text(response.body, response.header("content-type") or "")
        if text is not None:
            return text
        from lycosa.drive.page import document_of

        document = document_of(response)
        if document.unread:
            raise InputError(f"{self.url}: is {document.unread}")
        return document.text

    def main_text(self, *, markdown: bool = False) -> MainText:
        """The main text, also as Markdown if that is asked for, and what the page says of itself. Raises as `text`."""
        from lycosa.read.main import main_text

        response = self._readable()
        kind = response.header("content-type") or ""
        return main_text(response.body, response.url, kind, markdown=markdown)

    def _readable(self) -> Response:
        response = self.rendered
        if not readable(response.header("content-type") or "", response.body):
            raise InputError(f"{self.url}: is no text that lycosa reads; --as html gives it as it is")
        return response
