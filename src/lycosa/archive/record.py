"""WARC records as bytes: made from a response, and read back. No files here.

A response reaches us decoded of its transfer and content encodings. Its record must be consistent in itself,
so a header that speaks of the bytes on the wire is kept under another name, as web archives have long done:
``Content-Encoding`` becomes ``X-Archive-Orig-Content-Encoding``, likewise ``Transfer-Encoding``, and a
``Content-Length`` that is not the length of the body (the right one follows it). Every WARC reader then
takes the block for what it is, and reading turns the names back, so a response comes back with the headers
it arrived with.

Records are put together here because writing them by FastWARC costs over twice what the compression does
(``benchmarks/archiving.py``); reading, with all the variants found in the wild, is FastWARC's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import BinaryIO, Literal, cast

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
from isal import isal_zlib

from lycosa.model.records import Millis, Response, Source
from lycosa.model.url import Url

IDENTICAL_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
"""Profile of a revisit record, WARC 1.1, section 6.7.2: the payload came again."""
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
"""Profile of a revisit record, WARC 1.1, section 6.7.3: the server said that the payload is as it was (304)."""
ELAPSED = "X-Lycosa-Elapsed-Ms"
"""Our one extension field: milliseconds from sending the request to the last byte. Readers ignore unknown
fields.
"""
DOM = "urn:dom:"
"""Begins the target of a record that holds what a browser made of a page, before the page's URL. No replay tool takes
such a target for a page."""
SOURCE, SOURCE_RANGE = "WARC-Source-URI", "WARC-Source-Range"
"""Where the record was taken from that this one is made of: extension fields that cdx_toolkit writes, too."""
LEVEL = 2
"""Of ISA-L's 0 to 3. See the table of ``benchmarks/archiving.py``."""
MAX_BODY = 64 << 20
"""Bytes of a decoded body that are read back from a record unless a reader is told otherwise; the rest is cut and
the response says so."""
MAX_HEADERS = 1 << 24
"""Bytes of headers that are read back: more than twice what a live web lets through, 200 fields of 32 KB each."""
NOT_GZIP = cast("type[Exception]", isal_zlib.error)  # its stub calls the class an instance
GZIP = 31
"""zlib's ``wbits`` for a gzip member with a window of 32 KiB."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WIRE = re.compile(r"(x-archive-orig-)*(content-encoding|transfer-encoding|content-length)", re.IGNORECASE)
_NO_BREAKS = str.maketrans("\r\n\0", "   ")
_UNASSIGNED = {0x81, 0x8D, 0x8F, 0x90, 0x9D}
_BYTE_OF = {chr(n) if n in _UNASSIGNED else bytes([n]).decode("cp1252"): n for n in range(256)}
_PREFIX = "X-Archive-Orig-"

Headers = tuple[tuple[str, str], ...]
Decoding = Literal["all", "transfer", "none"]


def new_id() -> str:
    """A random record id, ``urn:uuid:`` and version 4 of RFC 9562."""
    raw = bytearray(os.urandom(16))
    raw[6] = raw[6] & 0x0F | 0x40
    raw[8] = raw[8] & 0x3F | 0x80
    digits = raw.hex()
    return f"urn:uuid:{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def millis(at: datetime) -> Millis:
    return Millis((at - _EPOCH) // timedelta(milliseconds=1))


def moment(stated: str) -> Millis:
    """A WARC-Date; 0 for what is none."""
    try:
        return millis(datetime.fromisoformat(stated))
    except (ValueError, TypeError):
        return Millis(0)


def header_lines(first: str, fields: Iterable[tuple[str, str]], end: str = "\r\n\r\n") -> bytes:
    """A block of header lines in which no value can begin a line of its own: line breaks become spaces."""
    lines = [f"{name}: {value}" for name, value in fields]
    if first:
        lines.insert(0, first)
    text = "\r\n".join(lines)
    breaks = len(lines) - 1
    if text.count("\n") != breaks or text.count("\r") != breaks:
        text = "\r\n".join([line.translate(_NO_BREAKS) for line in lines])
    return (text + end).encode("utf-8", "surrogateescape")


def pack(kind: str, fields: Iterable[tuple[str, str]], *block: bytes, level: int = LEVEL) -> bytes:
    """One record as a gzip member, its block in parts. `fields` are its header lines besides version, type and
    length."""
    stated = [("WARC-Type", kind), *fields, ("Content-Length", str(sum(map(len, block))))]
    head = header_lines("WARC/1.1", stated)
    return bytes(isal_zlib.compress(b"".join((head, *block, b"\r\n\r\n")), level, GZIP))


def warc_fields(fields: Iterable[tuple[str, str]]) -> bytes:
    """A block of type application/warc-fields."""
    return header_lines("", fields, end="\r\n")


def response_head(response: Response) -> bytes:
    """Status line and headers, made consistent with the decoded body, empty line included."""
    status = f"HTTP/{response.http_version} {response.status} {response.reason_phrase}"
    return header_lines(status, _renamed(response.headers, len(response.body)))


def request_head(response: Response) -> bytes:
    """The request line and the headers that were sent."""
    target = response.url.split("/", 3)[3]
    return header_lines(f"GET /{target} HTTP/{response.http_version}", response.request_headers)


def _renamed(headers: Headers, length: int) -> list[tuple[str, str]]:
    lengths = [value for name, value in headers if name.lower() == "content-length"]
    true = lengths == [str(length)]
    kept: list[tuple[str, str]] = []
    for name, value in headers:
        wire = len(name) >= 14 and _WIRE.fullmatch(name)
        kept.append((_PREFIX + name, value) if wire and not (true and len(name) == 14) else (name, value))
    return kept if true or not lengths else [*kept, ("Content-Length", str(length))]


def _restored(headers: Headers) -> Headers:
    names = {name.lower() for name, _ in headers}
    corrected = "x-archive-orig-content-length" in names
    kept: list[tuple[str, str]] = []
    for name, value in headers:
        wire = len(name) >= 14 and _WIRE.fullmatch(name)
        if wire and len(name) > 18:
            kept.append((name[len(_PREFIX) :], value))
        elif not (corrected and name.lower() == "content-length"):
            kept.append((name, value))
    return tuple(kept)


def first_record(source: bytes | BinaryIO, *, decode: Decoding = "all") -> WarcRecord | None:
    """The record at the start of `source`, None if there is none or it is damaged.

    `decode` says what the reader undoes of transfer and content encodings: other archives keep what was on the wire.
    """
    stream = BytesIO(source) if isinstance(source, bytes) else source
    try:
        return next(
            iter(
                ArchiveIterator(
                    stream,
                    auto_decode=decode,
                    max_header_len=MAX_HEADERS,
                    quirks_mode=True,
                )
            ),
            None,
        )
    except OSError:
        return None


def inflated(member: bytes, most: int = MAX_BODY) -> bytes:
    """The record in a gzip member, its checksum verified; what is no gzip, or holds more than `most`, as it is.

    OSError if it is damaged: a reader that stops where the record says it ends never comes to the checksum.
    """
    if not member.startswith(b"\x1f\x8b"):
        return member
    inflate = isal_zlib.decompressobj(GZIP)
    try:
        record = bytes(inflate.decompress(member, most + MAX_HEADERS))
    except NOT_GZIP as error:
        raise OSError(f"its compression is damaged: {error}") from None
    if inflate.eof:
        return record
    if inflate.unconsumed_tail:
        return member
    raise OSError("it is cut")


def dom_of(record: WarcRecord, most: int = MAX_BODY) -> Response:
    """What a conversion record holds, as an answer: without a status of its own, it has 200."""
    if record.record_date is None:
        raise OSError("the record has no date")
    body, whole = _read_some(record, most)
    return Response(
        url=Url(target_of(record).removeprefix(DOM)),
        status=200,
        headers=(("Content-Type", record.headers.get("Content-Type") or ""),),
        body=body,
        fetched_at=millis(record.record_date),
        elapsed=elapsed_of(record),
        truncated="" if whole else "length",
    )


def is_dom(record: WarcRecord) -> bool:
    return record.record_type == WarcRecordType.conversion


def response_of(record: WarcRecord, most: int = MAX_BODY) -> Response:
    """The response in a response or revisit record, its body cut after `most` bytes; a revisit's is empty.

    OSError if it is damaged.
    """
    http = record.http_headers
    if http is None or http.status_code is None:
        raise OSError("the record holds no HTTP response")
    version, _, _ = (http.status_line or "HTTP/1.1").partition(" ")
    if record.record_date is None:
        raise OSError("the record has no date")
    body, whole = _read_some(record, most)
    headers = http.to_tuples()
    if not all(name.isascii() and value.isascii() for name, value in headers):
        headers = tuple((_as_sent(name), _as_sent(value)) for name, value in headers)
    return Response(
        url=Url(target_of(record)),
        status=http.status_code,
        headers=_restored(headers),
        body=body,
        fetched_at=millis(record.record_date),
        elapsed=elapsed_of(record),
        address=record.headers.get("WARC-IP-Address") or "",
        http_version=version.removeprefix("HTTP/"),
        reason_phrase=_as_sent(http.reason_phrase or ""),
        truncated=(record.headers.get("WARC-Truncated") or "") if whole else "length",
        source=source_of(record),
    )


def _read_some(record: WarcRecord, most: int) -> tuple[bytes, bool]:
    """The body up to `most` bytes, and whether that is all of it.

    In steps, as the reader sets aside as much memory as it is asked for.
    """
    step = min(record.content_length + 1, most)
    parts: list[bytes] = []
    size = 0
    while size < most and (part := record.reader.read(min(step, most - size))):
        parts.append(part)
        size += len(part)
    return b"".join(parts), size < most or not record.reader.read(1)


def _as_sent(value: str) -> str:
    """The reader decodes headers as windows-1252, where every byte is a character: undone here."""
    if value.isascii():
        return value
    return bytes(_BYTE_OF.get(character, 63) for character in value).decode("utf-8", "surrogateescape")


def target_of(record: WarcRecord) -> str:
    """WARC-Target-URI, without the angle brackets that some writers of WARC 1.0 put around it."""
    return bare_uri(record.headers.get("WARC-Target-URI") or "")


def bare_uri(stated: str) -> str:
    """Without the brackets, if it stands in a pair of them: a query may end in one of its own."""
    return stated[1:-1] if stated.startswith("<") and stated.endswith(">") else stated


def elapsed_of(record: WarcRecord) -> Millis:
    """0 if the record does not say."""
    stated = record.headers.get(ELAPSED) or ""
    return Millis(int(stated) if stated.isdecimal() else 0)


def source_of(record: WarcRecord) -> Source | None:
    """The archive elsewhere that the record was taken from; None if it is what a server sent."""
    stated = record.headers.get(SOURCE)
    return Source(uri=stated, span=record.headers.get(SOURCE_RANGE) or "") if stated else None


def is_revisit(record: WarcRecord) -> bool:
    return record.record_type == WarcRecordType.revisit
