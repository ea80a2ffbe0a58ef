"""Office files, books and mails: bytes in, markup out, which is then read like any page.

kreuzberg reads them (the extra `lycosa[documents]`): one library of one licence (MIT) for all kinds, with headings,
lists, tables and links, in Rust. Readers of our own over zip and XML would be a room to keep for each of them. It runs
in a process of its own (`lycosa.read.apart`); before that, what an archive would unpack to is looked at here.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.util import find_spec
from itertools import takewhile
from typing import Any, Final, NamedTuple

from lycosa.model.records import Record
from lycosa.read.apart import Apart, Unreadable

WITHOUT_PACKAGE: Final = "a file that lycosa reads after: pip install 'lycosa[documents]'"
MAX_UNPACKED: Final = 200_000_000
"""Bytes to which all parts of a file may unpack."""
MAX_RATIO: Final = 200
"""How many times as long a part may become that is longer than a megabyte."""
MAX_PARTS: Final = 10_000
MAX_MARKUP: Final = 10_000_000
"""Characters of markup that are read: two long books."""
_ZIP: Final = b"PK\x03\x04"
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOOKED: Final = 1 << 16
"""Bytes at either end in which the names of parts are looked for."""


class Kind(NamedTuple):
    """One kind of file."""

    name: str
    media_type: str
    part: bytes = b""
    """Of an archive: how the name of a part begins that no other kind has; empty: it is known by its type alone."""


MAIL: Final = "message/rfc822"
_XML = "application/vnd.openxmlformats-officedocument."
KINDS: Final = (
    Kind("Word", f"{_XML}wordprocessingml.document", b"word/"),
    Kind("Excel", f"{_XML}spreadsheetml.sheet", b"xl/"),
    Kind("PowerPoint", f"{_XML}presentationml.presentation", b"ppt/"),
    Kind("OpenDocument text", "application/vnd.oasis.opendocument.text", b"opendocument.text"),
    Kind("OpenDocument table", "application/vnd.oasis.opendocument.spreadsheet", b"opendocument.spreadsheet"),
    Kind(
        "OpenDocument slides", "application/vnd.oasis.opendocument.presentation", b"opendocument.presentation"
    ),
    Kind("EPUB", "application/epub+zip", b"application/epub+zip"),
    Kind("Rich Text", "application/rtf"),
    Kind("e-mail", MAIL),
)
"""What is read, in the order in which an archive without a type is tried."""
_BY_TYPE: Final[Mapping[str, Kind]] = {
    **{kind.media_type: kind for kind in KINDS},
    "text/rtf": next(kind for kind in KINDS if kind.name == "Rich Text"),
}
_UNSAID: Final = frozenset(
    {"", "application/octet-stream", "application/zip", "application/x-zip-compressed"}
)


class Markup(Record, frozen=True, kw_only=True):
    """A file as a page."""

    html: str


def kind_of(media_type: str, body: bytes) -> Kind | None:
    """What kind of file a body is: by its type, if the body can be one; of archives without a type, by their parts."""
    kind = _BY_TYPE.get(media_type)
    if kind is not None:
        return kind if not kind.part or body.startswith((_ZIP, _OLE)) else None
    if media_type in _UNSAID and body.startswith(_ZIP):
        ends = body[:_LOOKED] + body[-_LOOKED:]
        return next((each for each in KINDS if each.part and each.part in ends), None)
    return None


@cache
def can_read() -> bool:
    """Whether the package that reads them is installed."""
    return find_spec("kreuzberg") is not None


_APART: Final = Apart("lycosa.read.office", Markup, "a file")


def marked_up(kind: Kind, body: bytes) -> str:
    """A file as markup. Raises `Unreadable`."""
    if not can_read():
        raise Unreadable(WITHOUT_PACKAGE)
    if kind.part:
        _refuse_bombs(body)
    return _APART.read(kind.media_type.encode() + b"\n" + body).html


def _refuse_bombs(body: bytes) -> None:
    """Raises `Unreadable` for an archive that would become too large, as far as it says so itself."""
    if body.startswith(_OLE):
        raise Unreadable("a file that needs a password, or is of an office program of before 2007")
    try:
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeDecodeError):
        raise Unreadable("a file that is damaged") from None
    if any(part.flag_bits & 1 for part in parts):
        raise Unreadable("a file that needs a password")
    large = (part for part in parts if part.file_size > 1_000_000)
    if (
        len(parts) > MAX_PARTS
        or sum(part.file_size for part in parts) > MAX_UNPACKED
        or any(part.file_size > MAX_RATIO * max(part.compress_size, 1) for part in large)
    ):
        raise Unreadable("a file that would become too large when it is unpacked")


# -- in the other process ------------------------------------------------------------------------------------


def read_apart(body: bytes) -> Markup:
    """Of a media type, the end of a line, and a file."""
    import kreuzberg

    kind, _, content = body.partition(b"\n")
    media_type = kind.decode()
    config = kreuzberg.ExtractionConfig(output_format="html", use_cache=False)
    try:
        found = kreuzberg.extract_bytes_sync(content, media_type, config)
    except kreuzberg.KreuzbergError as error:
        raise Unreadable(f"a file that cannot be read: {' '.join(str(error).split())[:200]}") from None
    if not found.content.strip():
        raise Unreadable("a file in which there is no text, or none that can be unpacked")
    text = found.content
    if media_type == MAIL and (written := _written_of(content)):
        heads = takewhile(lambda line: line.startswith("<p><strong>"), text.splitlines())
        text = "\n".join([*heads, written])
    return Markup(html=_page(found.metadata, text[:MAX_MARKUP]))


def _written_of(mail: bytes) -> str:
    """The body of a mail that was written in HTML, with its links, of which kreuzberg keeps the words only; else
    empty."""
    from email import message_from_bytes
    from email.policy import default

    try:
        body = message_from_bytes(mail, policy=default).get_body(("html",))
        return "" if body is None else str(body.get_content())
    except Exception:  # of mails that keep to no rule the package raises whatever it comes upon
        return ""


def _page(said: Mapping[str, Any], content: str) -> str:
    """The markup with what the file says of itself, as a page would say it."""
    told = {**(said.get("core_properties") or {}), **{name: value for name, value in said.items() if value}}
    title = told.get("title") or told.get("subject") or ""
    authors = told.get("authors") or [told.get("creator") or told.get("from_email") or ""]
    when = told.get("created_at") or told.get("created") or ""
    language = told.get("language") or ""
    head = [f"<title>{_plain(title)}</title>"]
    head += [f'<meta name="author" content="{_plain(each)}">' for each in authors if each]
    if when:
        head.append(f'<meta name="date" content="{_plain(when)}">')
    return f'<html lang="{_plain(language)}"><head>{"".join(head)}</head><body>{content}</body></html>'


def _plain(said: object) -> str:
    return escape(str(said)[:1000])
