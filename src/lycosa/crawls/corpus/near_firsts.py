"""Which earlier text each text is nearly the same as.

Near copies share at least `ALIKE` of their runs of five words. That share is estimated by 128 minima of hashes of
which eight bits are kept (Broder 1997; Li and König, "b-bit minwise hashing", WWW 2010): J = (m - 1/256) /
(1 - 1/256), where m is the share of equal minima; the standard error is at most 0.05. Compared are texts whose
simhashes differ in at most three bits (Manku, Jain and Das Sarma, WWW 2007), and those that share one of eight
bands of minima, as 0.20 of the pairs at J = 0.8 do, 0.81 at 0.9 and 0.99 at 0.95.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.crawl.sketch import BANDS, BINS, MOST_WORDS, banded, minima, word_fingerprint, word_hashes
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


class _Print(NamedTuple):
    """What of a text is compared."""

    fingerprint: int
    keys: tuple[int, ...]
    """Sixteen bits each: of the fingerprint, then of the bands. Near texts have one in common."""
    minima: Minima


class NearFirsts:
    """The texts of firsts, by what is compared of them."""

    def __init__(self) -> None:
        self._prints, self._minima = array("Q"), bytearray()
        self._printed = array("q")
        self._tables: tuple[dict[int, array[int]], ...] = tuple({} for _ in range(_BLOCKS + BANDS))

    def first(self, text: str, number: int) -> int | None:
        """The number of the first first that has nearly the same text; None if there is none. Then it is remembered
        by its own number, unless it has no word."""
        if (made := _print_of(text)) is None:
            return None
        found = next(self._near(made), None)
        if found is None:
            self._add(made, number)
        return found

    def _near(self, made: _Print) -> Iterator[int]:
        """The firsts that are nearly the same, the first of them first."""
        prints, near = self._prints, set[int]()
        known = [table.get(key, ()) for table, key in zip(self._tables, made.keys, strict=True)]
        for places in filter(None, known[:_BLOCKS]):
            near.update(at for at in places if (prints[at] ^ made.fingerprint).bit_count() <= NEAR)
        near.update(*known[_BLOCKS:])
        found = sorted(near)[:MOST_COMPARED]
        return (self._printed[place] for place in found if self._alike(place, made.minima))

    def _alike(self, place: int, found: Minima) -> bool:
        known = np.frombuffer(self._minima, np.uint8, BINS, place * BINS)
        equal = float(np.count_nonzero(known == found)) / BINS
        return (equal - _BY_CHANCE) / (1 - _BY_CHANCE) >= ALIKE

    def _add(self, made: _Print, number: int) -> None:
        place = len(self._prints)
        self._prints.append(made.fingerprint)
        self._minima += made.minima.tobytes()
        self._printed.append(number)
        for table, key in zip(self._tables, made.keys, strict=True):
            if key in table:
                table[key].append(place)
            else:
                table[key] = array("L", (place,))


def _print_of(text: str) -> _Print | None:
    if not len(words := word_hashes(text, MOST_RUNS)):
        return None
    found, fingerprint = minima(words), word_fingerprint(words[:MOST_WORDS])
    blocks = (fingerprint >> 16 * place for place in range(_BLOCKS))
    keys = tuple([key & _KEY for key in (*blocks, *banded(found))])
    return _Print(fingerprint, keys, found.astype(np.uint8))
