"""Fingerprints that differ in few bits, found without comparing all.

Source: Manku, Jain and Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007 (64 bits, distance 3, tables
on blocks). How fingerprints are made stands in `lycosa.read.duplicates`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

Prints = NDArray[np.uint64]

NEAR: Final = 3
"""Fingerprints that differ in at most so many bits belong to near-duplicates."""

_BLOCK_BITS: Final = 16
_BLOCKS: Final = 64 // _BLOCK_BITS


def hamming(one: int, other: int) -> int:
    """In how many bits two fingerprints differ: 0 to 64."""
    return (one ^ other).bit_count()


def bits_set(numbers: Prints) -> Prints:
    """How many bits of each number are set: those of two, four and eight together are added first."""
    two, four, eight = (np.uint64(int(pattern * 8, 16)) for pattern in ("55", "33", "0f"))
    found = numbers - (numbers >> np.uint64(1) & two)
    found = (found & four) + (found >> np.uint64(2) & four)
    found = found + (found >> np.uint64(4)) & eight
    counts: Prints = found * np.uint64(0x0101010101010101) >> np.uint64(56)
    return counts


class NearIndex:
    """Finds all fingerprints within three bits of a given one.

    Of two that differ in at most three bits, one of four 16-bit blocks is equal: so four tables, one a block.
    Adding costs O(1); a look-up reads about 4 n / 65,536 of n evenly spread fingerprints.

    Invariants, each the name of a property test:

    * finds all: `near` returns exactly what a comparison with every fingerprint would.
    * first in first out: keys come in the order in which they were added, once each.
    """

    def __init__(self) -> None:
        self._tables: tuple[dict[int, list[int]], ...] = tuple({} for _ in range(_BLOCKS))
        self._entries: list[tuple[int, str]] = []

    def add(self, key: str, fingerprint: int) -> None:
        """Remember a fingerprint (0 ≤ fingerprint < 2⁶⁴) under a key."""
        place = len(self._entries)
        self._entries.append((fingerprint, key))
        for table, block in zip(self._tables, _blocks(fingerprint), strict=True):
            table.setdefault(block, []).append(place)

    def near(self, fingerprint: int, within: int = NEAR) -> list[str]:
        """The keys whose fingerprint differs in at most `within` bits (0 to 3), oldest first."""
        if not 0 <= within <= NEAR:
            raise ValueError(f"the index finds distances of 0 to {NEAR} bits, not {within}")
        places: set[int] = set()
        for table, block in zip(self._tables, _blocks(fingerprint), strict=True):
            places.update(table.get(block, ()))
        candidates = (self._entries[place] for place in sorted(places))
        return list(dict.fromkeys(key for known, key in candidates if hamming(known, fingerprint) <= within))

    def __len__(self) -> int:
        return len(self._entries)


def _blocks(fingerprint: int) -> Iterator[int]:
    for i in range(_BLOCKS):
        yield fingerprint >> i * _BLOCK_BITS & 0xFFFF
