"""Of which earlier page each page is a copy, or nearly one."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.crawl.sketch import BANDS, BINS, MOST_WORDS, banded, minima, word_fingerprint, word_hashes
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.scoring.words.fingerprints import NEAR

ALIKE: Final = 0.8
"""The least resemblance of near copies: the share of runs of five words that two texts have in common."""
MOST_RUNS: Final = 50_000
"""Words of a text whose runs are compared, the first ones."""
MOST_COMPARED: Final = 1_000
"""Earlier pages whose runs are compared with a page's, so that a template with a million pages does not take a million
comparisons for each."""

_BLOCKS: Final = 4
_KEY: Final = 0xFFFF
_BY_CHANCE: Final = 1 / 256
"""How often minima of which eight bits are kept are equal though they differ."""
Minima = NDArray[np.uint8]


class Known(Record, frozen=True, kw_only=True):
    """What a page is told to be a copy by."""

    url: Url
    digest: str
    """Of its bytes; empty if it is not known."""
    text: str = ""
    """As it is exported; without a word it is a copy by its bytes alone."""


class Copy(NamedTuple):
    """The page that came first, where there is one; at most one of the two is not empty."""

    duplicate_of: Url | None = None
    """Its bytes, or its text, are the same."""
    near_duplicate_of: Url | None = None
    """It has nearly the same words: see `Firsts`."""


class _Print(NamedTuple):
    """What of a text is compared."""

    fingerprint: int
    bands: tuple[int, ...]
    minima: Minima

    @property
    def keys(self) -> tuple[int, ...]:
        """Sixteen bits each. Near texts have one in common: see `Firsts`."""
        blocks = (self.fingerprint >> 16 * place for place in range(_BLOCKS))
        return tuple(key & _KEY for key in (*blocks, *self.bands))


class Firsts:
    """Tells of each page as it comes whether one before it had the same bytes or text, or nearly the same words.

    Near copies share at least `ALIKE` of their runs of five words. That share is estimated by 128 minima of hashes of
    which eight bits are kept (Broder 1997; Li and König, "b-bit minwise hashing", WWW 2010): J = (m - 1/256) /
    (1 - 1/256), where m is the share of equal minima; the standard error is at most 0.05. Compared are texts whose
    simhashes differ in at most three bits (Manku, Jain and Das Sarma, WWW 2007), and those that share one of eight
    bands of minima, as 0.20 of the pairs at J = 0.8 do, 0.81 at 0.9 and 0.99 at 0.95. A page joins a first page and no
    other, so there are no chains of copies of copies.

    A million different pages take some 0.8 GB, and 0.2 GB without their texts.

    Invariants, each the name of a property test:

    * first of all: the page that is named came before, and is itself named a copy of none.
    * as compared with all: a near copy is found exactly where a comparison with all firsts finds one, the first that
      does.
    """

    def __init__(self) -> None:
        self._same: dict[int, int] = {}  # hashes of digests and texts: of 64 bits, as texts may be long
        self._urls = bytearray()
        self._ends = array("q", [0])
        self._prints, self._minima = array("Q"), bytearray()
        self._printed = array("q")
        self._tables: tuple[dict[int, array[int]], ...] = tuple({} for _ in range(_BLOCKS + BANDS))

    def copy(self, page: Known) -> Copy:
        """What the page is a copy of. It is remembered."""
        keys = [hash(each) for each in (page.digest, page.text) if each]
        first = next((self._same[key] for key in keys if key in self._same), None)
        copy = Copy() if first is None else Copy(duplicate_of=self._url(first))
        if first is None and (made := _print_of(page.text)) is not None:
            first = next(self._near(made), None)
            copy = Copy() if first is None else Copy(near_duplicate_of=self._url(first))
            if first is None:
                self._add_print(made)
        if first is None:
            first = self._add(page.url)
        for key in keys:
            self._same.setdefault(key, first)
        return copy

    def _near(self, made: _Print) -> Iterator[int]:
        """The firsts that are nearly the same, the first of them first."""
        keys, prints, near = made.keys, self._prints, set[int]()
        for table, key in zip(self._tables[:_BLOCKS], keys, strict=False):
            apart = ((place, prints[place] ^ made.fingerprint) for place in table.get(key, ()))
            near.update(place for place, bits in apart if bits.bit_count() <= NEAR)
        for table, key in zip(self._tables[_BLOCKS:], keys[_BLOCKS:], strict=True):
            near.update(table.get(key, ()))
        found = sorted(near)[:MOST_COMPARED]
        return (self._printed[place] for place in found if self._alike(place, made.minima))

    def _alike(self, place: int, found: Minima) -> bool:
        known = np.frombuffer(self._minima, np.uint8, BINS, place * BINS)
        equal = float(np.count_nonzero(known == found)) / BINS
        return (equal - _BY_CHANCE) / (1 - _BY_CHANCE) >= ALIKE

    def _add(self, url: Url) -> int:
        self._urls += url.encode("utf-8", "replace")
        self._ends.append(len(self._urls))
        return len(self._ends) - 2

    def _add_print(self, made: _Print) -> None:
        """Of the first that is added next."""
        place = len(self._prints)
        self._prints.append(made.fingerprint)
        self._minima += made.minima.tobytes()
        self._printed.append(len(self._ends) - 1)
        for table, key in zip(self._tables, made.keys, strict=True):
            if key in table:
                table[key].append(place)
            else:
                table[key] = array("L", (place,))

    def _url(self, place: int) -> Url:
        return Url(self._urls[self._ends[place] : self._ends[place + 1]].decode())


def _print_of(text: str) -> _Print | None:
    if not text or not len(words := word_hashes(text, MOST_RUNS)):
        return None
    found = minima(words)
    return _Print(word_fingerprint(words[:MOST_WORDS]), banded(found), found.astype(np.uint8))
