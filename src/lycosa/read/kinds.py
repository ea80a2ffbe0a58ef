"""What kind of page a body is, by its type and its first bytes. `lycosa.read.html` reads it."""

from __future__ import annotations

import re
from typing import Final

from lycosa.read.office import can_read, kind_of

JSON_FEED: Final = "application/feed+json"
PDF_MAGIC: Final = b"%PDF-"
_PDF_WITHIN: Final = 1024
"""Bytes within which the file's own mark stands, as readers of PDF have it."""
_PDF_TYPES: Final = frozenset({"application/pdf", "application/x-pdf"})
_HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_PLAIN_TYPES: Final = frozenset(
    {
        "text/plain",
        "text/markdown",
        "text/x-markdown",
        "text/x-rst",
        "text/troff",
        "text/tab-separated-values",
    }
)
_UNSAID: Final = frozenset({"", "application/octet-stream", "application/unknown", "unknown/unknown", "*/*"})
_BINARY_MAGIC: Final = (
    b"%PDF-", b"%!PS", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"\x00\x00\x01\x00", b"RIFF", b"OggS", b"ID3",
    b"\x00\x00\x00\x18ftyp", b"\x00\x00\x00\x20ftyp", b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"Rar!",
    b"7z\xbc\xaf", b"\x7fELF", b"MZ\x90", b"\xca\xfe\xba\xbe", b"\xd0\xcf\x11\xe0", b"wOFF", b"wOF2",
    b"SQLite format 3",
)  # fmt: skip
_MARKUP = re.compile(
    rb"\s*+(?:<!--(?>.*?-->)\s*+)*+<(?:!doctype\s+html|html|head|body|title|meta|script|style|table|div|p|a|h1|br|\?xml|rss|feed)\b",
    re.IGNORECASE | re.DOTALL,
)


def media_type(content_type: str) -> str:
    """The type and subtype of a Content-Type header, in lower case, without parameters."""
    return content_type.partition(";")[0].strip().lower()


def is_html(content_type: str, body: bytes) -> bool:
    """Whether `read` takes a body for HTML. What says that it is XML may be XHTML, which only its text tells."""
    kind = media_type(content_type)
    if is_pdf(kind, body) or kind_of(kind, body) is not None:
        return False
    return page_kind(kind, body) in ("html", "")


def readable(media_type: str, body: bytes) -> bool:
    """Whether `read` can make sense of a body: text by its type, or by its looks where no type is given.

    A body that begins like an image or an archive is not, whatever its type says. An office file,
    a book or a mail is where the package that reads it is installed.
    """
    kind = media_type.partition(";")[0].strip().lower()
    if is_pdf(kind, body):
        return True
    if kind_of(kind, body) is not None:
        return can_read()
    if body.startswith(_BINARY_MAGIC):
        return False
    return page_kind(kind, body) != ""


def page_kind(media_type: str, body: bytes) -> str:
    """html, plain, xml or json feed; empty for what is no page."""
    if media_type in _HTML_TYPES:
        return "html"
    if media_type in _PLAIN_TYPES:
        return "plain"
    if media_type.endswith(("/xml", "+xml")) and media_type != "image/svg+xml":
        return "xml"
    if media_type == JSON_FEED:
        return "json feed"
    if media_type in _UNSAID:
        start = body[:1024]
        if _MARKUP.match(start):
            return "xml" if start.lstrip().startswith(b"<?xml") else "html"
    return ""


def is_pdf(media_type: str, body: bytes) -> bool:
    """Whether a body is a PDF: by its mark, whatever its type says; a type alone is not believed."""
    return body.startswith(PDF_MAGIC) or (media_type in _PDF_TYPES and PDF_MAGIC in body[:_PDF_WITHIN])
