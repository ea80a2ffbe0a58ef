"""Copies and near copies among the pages of a collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.words.fingerprints import NEAR, Prints, bits_set

FEW: Final = 50
"""So many new fingerprints are compared with all before: to look for near ones among all together costs more."""

_BLOCKS: Final = 4
_BLOCK_BITS: Final = 16


class Known(NamedTuple):
    """What a page is told to be a copy by."""

    digest: str
    """Of its bytes; empty if it is not known."""
    fingerprint: int
    """Unsigned; 0: the page has no word."""


class Copies:
    """Puts pages in groups as they come: with the first page that has the same bytes, or a fingerprint that differs
    in at most three bits.

    A page joins a page that founded a group, and no other, so groups are no chains. Pages without a word have no
    fingerprint, and are copies by their bytes only.

    Invariants, each the name of a property test:

    * near the first: each page has the bytes of a page of its group, or a fingerprint near that of the one that founded
      it.
    * as one by one: pages that come together are put where they would be one after the other.
    """

    def __init__(self) -> None:
        self._groups = 0
        self._same: dict[str | int, int] = {}
        self._founders: Prints = np.empty(0, np.uint64)
        self._founded: NDArray[np.int64] = np.empty(0, np.int64)

    def groups(self, pages: Sequence[Known]) -> list[int]:
        """The number of the group of each further page; groups count from 0."""
        prints = dict.fromkeys(page.fingerprint for page in pages if page.fingerprint)
        unseen = np.array([each for each in prints if each not in self._same], np.uint64)
        near = self._near(unseen)
        founders: dict[int, int] = {}
        found = [self._group(page, near, founders) for page in pages]
        self._founders = np.append(self._founders, np.fromiter(founders.keys(), np.uint64))
        self._founded = np.append(self._founded, np.fromiter(founders.values(), np.int64))
        return found

    def _group(self, page: Known, near: dict[int, list[int]], founders: dict[int, int]) -> int:
        same = (page.digest, page.fingerprint)
        known = next((self._same[each] for each in same if each and each in self._same), None)
        if known is None:
            known = self._of_founder(near.get(page.fingerprint, []), founders)
        if known is None:
            known, self._groups = self._groups, self._groups + 1
            if page.fingerprint:
                founders[page.fingerprint] = known
        for each in same:
            if each:
                self._same.setdefault(each, known)
        return known

    def _of_founder(self, near: Sequence[int], founders: dict[int, int]) -> int | None:
        """The first group that one of some fingerprints founded: `near` has those of earlier founders by their places,
        from -1 down, and new ones as they are."""
        groups = (int(self._founded[-1 - each]) if each < 0 else founders.get(each) for each in near)
        return min((group for group in groups if group is not None), default=None)

    def _near(self, new: Prints) -> dict[int, list[int]]:
        """Of each new fingerprint those near it: see `_of_founder`."""
        before = len(self._founders)
        found: dict[int, list[int]] = {}
        everything = np.concatenate([self._founders, new])
        pairs = _against_all(everything, before) if len(new) <= FEW else _pairs(everything)
        for one, other in pairs:
            for mine, its in ((one, other), (other, one)):
                if mine >= before:
                    told = -1 - its if its < before else int(everything[its])
                    found.setdefault(int(everything[mine]), []).append(told)
        return found


def _against_all(prints: Prints, before: int) -> Iterator[tuple[int, int]]:
    """The pairs near each other of which the second has at least the place `before`."""
    for place in range(before, len(prints)):
        for other in np.flatnonzero(bits_set(prints[:place] ^ prints[place]) <= NEAR):
            yield int(other), place


def _pairs(prints: Prints) -> set[tuple[int, int]]:
    """The pairs near each other: of two that differ in three bits, one of four blocks is equal (Manku, Jain and Das
    Sarma 2007). Within a block each is compared with all others that have it."""
    found: set[tuple[int, int]] = set()
    for number in range(_BLOCKS):
        block = prints >> np.uint64(number * _BLOCK_BITS) & np.uint64(2**_BLOCK_BITS - 1)
        order = np.argsort(block, kind="stable")
        block, ordered = block[order], prints[order]
        first, apart = np.arange(len(prints)), 0
        while len(first):
            apart += 1
            first = first[: np.searchsorted(first, len(prints) - apart)]
            first = first[block[first] == block[first + apart]]
            near = first[bits_set(ordered[first] ^ ordered[first + apart]) <= NEAR]
            pairs = np.sort(np.stack([order[near], order[near + apart]]), axis=0)
            found.update(zip(*pairs.tolist(), strict=True))
    return found
