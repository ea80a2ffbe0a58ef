"""Walk over a WARC file record by record, and see where it is torn or damaged.

Every record is inflated to its end (so its checksum is verified), but only its beginning is kept: memory
stays at about a hundred kilobytes however large the bodies are.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import BinaryIO

from isal import isal_zlib

from lycosa.archive.record import GZIP, MAX_HEADERS, NOT_GZIP, bare_uri, moment
from lycosa.archive.warc_file import WarcFile
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Record

_CHUNK = 1 << 16
_HEAD = 1 << 16
"""Bytes of a record that are kept, more if its headers are longer: WARC headers and HTTP headers."""
_MAGIC = b"\x1f\x8b\x08"


class Found(Record, frozen=True, kw_only=True, gc=False):
    """One whole record of a WARC file."""

    offset: int
    length: int
    """Bytes in the file, compressed if the file is."""
    kind: str
    """WARC-Type."""
    url: str
    at: Millis
    digest: str
    """WARC-Payload-Digest, empty if the record states none."""
    status: int
    """HTTP status, 0 if the record holds no HTTP response."""
    mime: str
    """Media type by the HTTP header, without parameters; empty if unknown."""


class Damage(Record, frozen=True, kw_only=True, gc=False):
    """Bytes that are no whole record."""

    offset: int
    end: int
    last: bool
    """No whole record follows: the file was cut here, or its last record was being written."""


class _Piece(Record, frozen=True, kw_only=True, gc=False):
    length: int
    head: bytes


def scan(warc: WarcFile, start: int = 0) -> Iterator[Found | Damage]:
    """The records of a WARC file from offset `start` on, which must be where a record begins.

    InputError if the file is no WARC file, or is one that cannot be read record by record.
    """
    with warc.open() as file:
        size = warc.size
        packed = _is_packed(warc, file)
        offset = start
        while offset < size:
            piece = (_member if packed else _plain)(file, offset, size)
            found = _found(piece, offset) if piece else None
            if piece is None or found is None:
                after = _next_whole(warc, file, offset + 1, packed)
                yield Damage(offset=offset, end=after or size, last=after is None)
                offset = after or size
            else:
                _refuse_solid(warc, piece, packed)
                yield found
                offset += piece.length


def _is_packed(warc: WarcFile, file: BinaryIO) -> bool:
    head = file.read(64)
    if not head or head.startswith(_MAGIC[: len(head)]) or head[:2] == _MAGIC[:2]:
        return True
    if b"WARC/"[: len(head)] == head[:5]:
        return False
    raise InputError(f"{warc} is not a WARC file (it begins with {head[:8]!r}); give .warc or .warc.gz files")


def _member(file: BinaryIO, offset: int, size: int) -> _Piece | None:
    """The gzip member at `offset`, None if it is not whole."""
    file.seek(offset)
    inflate = isal_zlib.decompressobj(GZIP)
    used = 0
    head, kept = bytearray(), _HEAD
    try:
        while not inflate.eof:
            chunk = file.read(_CHUNK)
            if not chunk:
                return None
            used += len(chunk)
            while chunk and not inflate.eof:
                out = inflate.decompress(chunk, _CHUNK)
                if len(head) < kept:
                    head += out
                    kept = _enough(head, kept)
                chunk = inflate.unconsumed_tail
    except NOT_GZIP:
        return None
    return _Piece(length=used - len(inflate.unused_data), head=bytes(head))


def _enough(head: bytes | bytearray, kept: int) -> int:
    """How much of a record to keep, by what came so far: four times as much as long as its headers go on."""
    if len(head) < kept or kept >= MAX_HEADERS:
        return kept
    end = head.find(b"\r\n\r\n")
    is_http = end >= 0 and head.startswith(b"HTTP/", end + 4)
    whole = end >= 0 and (not is_http or head.find(b"\r\n\r\n", end + 4) >= 0)
    return kept if whole else 4 * kept


def _plain(file: BinaryIO, offset: int, size: int) -> _Piece | None:
    """The uncompressed record at `offset`, None if it is not whole."""
    file.seek(offset)
    head, kept = file.read(_HEAD), _HEAD
    while (more := _enough(head, kept)) > kept:
        head, kept = head + file.read(more - kept), more
    end = head.find(b"\r\n\r\n")
    stated = _fields(head[:end]).get("content-length", "") if end > 0 else ""
    if not stated.isdigit():
        return None
    length = end + 4 + int(stated) + 4
    file.seek(offset + length - 4)
    return _Piece(length=length, head=head) if file.read(4) == b"\r\n\r\n" else None


def _found(piece: _Piece, offset: int) -> Found | None:
    if not piece.head.startswith(b"WARC/"):
        return None
    warc, _, block = piece.head.partition(b"\r\n\r\n")
    fields = _fields(warc)
    kind = fields.get("warc-type", "")
    status, mime = _http(block) if kind in ("response", "revisit") else (0, "")
    return Found(
        offset=offset,
        length=piece.length,
        kind=kind,
        url=bare_uri(fields.get("warc-target-uri", "")),
        at=moment(fields.get("warc-date", "")),
        digest=fields.get("warc-payload-digest", ""),
        status=status,
        mime=mime,
    )


def _http(block: bytes) -> tuple[int, str]:
    head = block.partition(b"\r\n\r\n")[0]
    first = head.split(None, 2)
    if not head.startswith(b"HTTP/") or len(first) < 2 or not first[1].isdigit():
        return 0, ""
    return int(first[1]), media_type(_fields(head).get("content-type", ""))


def media_type(content_type: str) -> str:
    """``text/html`` of ``Text/HTML; charset=utf-8``; empty if it is none: odd bytes are in no media type."""
    kind = content_type.partition(";")[0].strip().lower()
    return kind if "/" in kind and " " not in kind and kind.isascii() else ""


def _fields(head: bytes) -> dict[str, str]:
    """Header lines by lower-case name; of a name that occurs twice, the first."""
    fields: dict[str, str] = {}
    for line in head.decode("utf-8", "replace").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            fields.setdefault(name.strip().lower(), value.strip())
    return fields


def _next_whole(warc: WarcFile, file: BinaryIO, start: int, packed: bool) -> int | None:
    """Where the next whole record begins, None if there is none."""
    mark = _MAGIC if packed else b"WARC/1."
    first, end = warc.start, warc.start + warc.size
    with warc.path.open("rb") as whole, mmap.mmap(whole.fileno(), 0, access=mmap.ACCESS_READ) as content:
        at = content.find(mark, first + start, end) - first
        while at >= 0:
            piece = (_member if packed else _plain)(file, at, warc.size)
            if piece and piece.head.startswith(b"WARC/"):
                return at
            at = content.find(mark, first + at + 1, end) - first
    return None


def _refuse_solid(warc: WarcFile, piece: _Piece, packed: bool) -> None:
    """A file that was gzipped as a whole has no record offsets to read from."""
    head, _, block = piece.head.partition(b"\r\n\r\n")
    stated = _fields(head).get("content-length", "")
    if packed and stated.isdigit() and len(block) > int(stated) + 4 and b"WARC/" in block[int(stated) :]:
        raise InputError(
            f"{warc} holds several records in one gzip member, so none can be read by itself; "
            f"write it anew with `warcio recompress`"
        )
