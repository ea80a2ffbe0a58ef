"""Digests against the standard library's base 32."""

from __future__ import annotations

from base64 import b32encode
from hashlib import sha1

from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.digests import payload_digest, sha1_base32


def _by_the_book(body: bytes) -> str:
    return "sha1:" + b32encode(sha1(body, usedforsecurity=False).digest()).decode()


@given(st.lists(st.binary(max_size=200), max_size=4))
def test_in_parts(parts: list[bytes]) -> None:
    assert sha1_base32(*parts) == _by_the_book(b"".join(parts))


@given(st.lists(st.sampled_from([b"", b"a", b"ab", bytes(100)]) | st.binary(max_size=50), max_size=20))
def test_whatever_came_before(bodies: list[bytes]) -> None:
    assert [payload_digest(body) for body in bodies] == [_by_the_book(body) for body in bodies]
    assert all(payload_digest(bytes(body)) == payload_digest(body) for body in bodies)
