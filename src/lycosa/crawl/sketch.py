"""Sketches of texts: texts of nearly the same shingles share one of a few numbers.

MinHash (Broder, "On the resemblance and containment of documents", 1997) over the shingles of five words, with 128
minima that two texts share with the probability of their resemblance J = |A ∩ B| / |A ∪ B|. All are of one permutation,
whose range is cut into 128 bins; an empty bin takes over the minimum of the next (Shrivastava and Li, "Densifying one
permutation hashing via rotation", ICML 2014).

The minima are put into 8 bands of 16, and a band into one number. So two texts share a number with the probability
1 - (1 - J^16)^8: 0.20 at J = 0.8, 0.81 at 0.9, 0.99 at 0.95.
"""

from __future__ import annotations

from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

WORDS: Final = 5
"""Of a shingle."""
BINS: Final = 128
BANDS: Final = 8
MOST_WORDS: Final = 5_000
"""Words that are looked at, the first of a text."""
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)


def _drawn(seed: int, count: int) -> NDArray[np.uint64]:
    """Numbers that look drawn by chance and are always the same (splitmix64)."""
    return _mixed((np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed)) * _ODD)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


_EDGES = np.arange(BINS, dtype=np.uint64) << np.uint64(57)
_PLACES = np.arange(BINS)
_POWERS = _drawn(0, WORDS) | np.uint64(1)
_IN_BAND = _drawn(WORDS, BINS // BANDS) | np.uint64(1)


def shingle_hashes(text: str) -> NDArray[np.uint64]:
    """A hash of each run of five words; of a shorter text of its whole. Empty for a text without words."""
    hashes = _word_hashes(text)
    if not len(hashes):
        return hashes
    runs = max(1, len(hashes) - WORDS + 1)
    together = np.zeros(runs, np.uint64)
    for place in range(min(WORDS, len(hashes))):
        together += hashes[place : place + runs] * _POWERS[place]
    return _mixed(together)


def word_fingerprint(text: str) -> int:
    """A 64-bit simhash (Charikar, STOC 2002) of a text's distinct words, each of which weighs the same; 0 for none.

    Frequent function words, which any two texts share, would make them alike if words weighed by their counts.
    """
    hashes = np.unique(_word_hashes(text))
    if not len(hashes):
        return 0
    bits = np.unpackbits(hashes.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    more = 2 * bits.sum(axis=0, dtype=np.int64) > len(hashes)
    return int.from_bytes(np.packbits(more, bitorder="little").tobytes(), "little")


def _word_hashes(text: str) -> NDArray[np.uint64]:
    words = text.lower().split(None, MOST_WORDS)[:MOST_WORDS]
    return _mixed(np.array([crc32(word.encode("utf-8", "replace")) for word in words], np.uint64) + _ODD)


def minima(text: str) -> NDArray[np.uint64]:
    """The smallest hash of a text's shingles in each bin: the share that two texts have in common estimates their
    resemblance, with a standard error of at most 0.05. The text has words."""
    hashes = np.sort(shingle_hashes(text))
    filled, first = np.unique(np.searchsorted(_EDGES, hashes, side="right") - 1, return_index=True)
    source = np.searchsorted(filled, _PLACES) % len(filled)
    away = (filled[source] - _PLACES) % BINS
    taken: NDArray[np.uint64] = hashes[first[source]] + away.astype(np.uint64) * _ODD
    return taken


def sketch(text: str) -> tuple[int, ...]:
    """One number of 32 bits for each band; none for a text without words."""
    if not text or text.isspace():
        return ()
    bands = minima(text).reshape(BANDS, -1)
    return tuple((_mixed((_mixed(bands) * _IN_BAND).sum(axis=1)) >> np.uint64(32)).tolist())
