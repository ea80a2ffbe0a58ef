"""Chance as policies may have it: a hash of what they are told."""

from __future__ import annotations

from hashlib import blake2b


def chance(*what: object) -> float:
    """A number above 0 and below 1 that depends on these alone, evenly spread."""
    named = "/".join(map(str, what)).encode("utf-8", "surrogatepass")
    return (int.from_bytes(blake2b(named, digest_size=6).digest(), "little") + 0.5) / 2**48
