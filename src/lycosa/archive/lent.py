"""A single record that came from an archive elsewhere, checked before it is believed."""

from __future__ import annotations

import re
from typing import Literal

from fastwarc.warc import WarcRecordType

from lycosa.archive.record import MAX_BODY, Decoding, first_record, inflated, response_of
from lycosa.model.digests import sha1_base32
from lycosa.model.records import Response

_SHA1 = re.compile(r"(?:sha1:)?([A-Z2-7]{32})", re.IGNORECASE)
_FORMS: tuple[Decoding, ...] = ("none", "transfer", "all")
"""What writers take for the payload: what was on the wire, without its chunks (Heritrix), or all undone (Nutch)."""


def lent_response(member: bytes, digest: str = "", most: int = MAX_BODY) -> Response:
    """The response in a record: a gzip member, or as it is. Its body is cut after `most` bytes.

    `digest` is what an index says of the payload, as in WARC-Payload-Digest; empty, or no SHA-1: nothing. ValueError,
    in a few words, if the record is cut or damaged, is no response, or has another payload than it or the index says.
    """
    try:
        raw = inflated(member, most)
        record = first_record(raw)
        if record is None:
            raise ValueError("no whole record is there")
        if record.record_type != WarcRecordType.response:
            raise ValueError(
                f"a record of another kind is there: {record.headers.get('WARC-Type') or 'none'}"
            )
        stated = record.headers.get("WARC-Payload-Digest") or ""
        response = _response(raw, most)
    except OSError as error:
        raise ValueError(f"the record is damaged: {error}") from None
    wanted = {match[1].upper() for text in (digest, stated) if (match := _SHA1.fullmatch(text.strip()))}
    if len(wanted) > 1:
        raise ValueError("the index means another record")
    if wanted and not response.truncated and wanted.isdisjoint(_payloads(raw, response, most)):
        raise ValueError("its payload is not what its digest says")
    return response


def _response(raw: bytes, most: int) -> Response:
    """A header that promises an encoding which the body does not have is not believed. OSError if it is damaged."""
    forms: tuple[Literal["all", "none"], ...] = ("all", "none")
    for decode in forms:
        record = first_record(raw, decode=decode)
        if record is None:
            break
        try:
            return response_of(record, most)
        except OSError:
            if decode == "none":
                raise
    raise OSError("no whole record is there")


def _payloads(raw: bytes, response: Response, most: int) -> set[str]:
    """The digests that the payload may have been given."""
    found = {sha1_base32(response.body)}
    for decode in _FORMS:
        record = first_record(raw, decode=decode)
        try:
            body = b"" if record is None else record.reader.read(most + 1)
        except OSError:
            continue
        found.add(sha1_base32(body))
    return {digest.removeprefix("sha1:") for digest in found}
