"""Digests of what was fetched, written as web archives write them."""

from __future__ import annotations

import hashlib
from typing import Final

_BASE32: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_PAIRS: Final = [high + low for high in _BASE32 for low in _BASE32]


def sha1_base32(*parts: bytes) -> str:
    """``sha1:`` and base 32, as in WARC-Payload-Digest. By a table of ten bits, as base64.b32encode is
    slow.
    """
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    number = int.from_bytes(digest.digest(), "big")
    return "sha1:" + "".join([_PAIRS[number >> shift & 1023] for shift in range(150, -1, -10)])


_latest: tuple[bytes, str] = (b"", sha1_base32(b""))


def payload_digest(body: bytes) -> str:
    """The digest of a body. That of the latest is kept: an answer is archived, and then the same bytes are read."""
    global _latest
    known, digest = _latest
    if known is not body:
        digest = sha1_base32(body)
        _latest = body, digest
    return digest
