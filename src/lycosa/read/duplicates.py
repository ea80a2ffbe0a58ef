"""Duplicates: shingles, and 64-bit fingerprints that differ in few bits for near-duplicates.

Sources: Charikar, STOC 2002 (simhash); Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling",
WWW 2007 (64 bits, distance 3, tables on blocks); Küçük, MSc thesis, 2009, eq. 2-1 (resemblance of shingles).
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Final

from lycosa.read import compiled

BITS: Final = 64
_LANE_BITS: Final = 16
_SPREAD_MEMO: Final = 50_000
"""Terms whose spread hash is remembered: about 250 bytes each."""


def shingles(words: Sequence[str], n: int = 5) -> frozenset[tuple[str, ...]]:
    """The distinct runs of `n` words; of a shorter text its whole, of an empty one nothing."""
    if n < 1:
        raise ValueError(f"a shingle has at least one word, not {n}")
    if not words:
        return frozenset()
    return frozenset(tuple(words[i : i + n]) for i in range(max(1, len(words) - n + 1)))


def jaccard(one: frozenset[Hashable], other: frozenset[Hashable]) -> float:
    """|A ∩ B| / |A ∪ B|, in [0, 1]; 1 if both are empty."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def majority(features: Iterable[tuple[int, int]], bits: int) -> int:
    """Bit i of the answer is set iff the weights of the features (weight, hash) with bit i outweigh the others."""
    sums = [0] * bits
    for weight, hashed in features:
        for i in range(bits):
            sums[i] += weight if hashed >> i & 1 else -weight
    return sum(1 << i for i, total in enumerate(sums) if total > 0)


def hash64(term: str) -> int:
    """A hash of a term, the same in every process and on every machine."""
    return int.from_bytes(blake2b(term.encode("utf-8", "replace"), digest_size=8).digest(), "big")


def simhash(terms: Mapping[str, int]) -> int:
    """The 64-bit fingerprint of counted terms, 0 for none. Counts are positive.

    The same as `majority` over (count, hash64(term)), reckoned for all bits at once: the bits of a hash are spread
    over the lanes of one long integer, so that each of its sums is the weight of the terms with that bit.
    """
    if len(_hashes) > _SPREAD_MEMO:
        _hashes.clear()
    if isinstance(terms, dict) and (made := compiled.simhash(terms, _hashes)) is not None:
        return made
    if len(_spread) > _SPREAD_MEMO:
        _spread.clear()
    # Most terms occur once or twice: summing each group before multiplying saves half the work.
    groups: dict[int, list[str]] = {}
    for term, n in terms.items():
        if n in groups:
            groups[n].append(term)
        else:
            groups[n] = [term]
    total = sum(n * len(group) for n, group in groups.items())
    if total >> _LANE_BITS:
        return majority(((n, hash64(term)) for term, n in terms.items()), BITS)
    lanes = sum(n * sum(map(_spread.__getitem__, group)) for n, group in groups.items())
    weights = memoryview(lanes.to_bytes(BITS * _LANE_BITS // 8, sys.byteorder)).cast("H").tolist()
    if sys.byteorder == "little":
        weights.reverse()
    half = total // 2
    return int("".join(["1" if weight > half else "0" for weight in weights]), 2)


class _Spread(dict[str, int]):
    """Terms with their hash, each bit in a lane of its own."""

    def __missing__(self, term: str) -> int:
        digits = format(hash64(term), f"0{BITS}b")
        width = _LANE_BITS // 4
        spread = self[term] = int(digits.replace("0", "0" * width).replace("1", "0" * (width - 1) + "1"), 16)
        return spread


class _Hashes(dict[str, int]):
    """Terms with their hash."""

    def __missing__(self, term: str) -> int:
        hashed = self[term] = hash64(term)
        return hashed


_spread = _Spread()
_hashes = _Hashes()
