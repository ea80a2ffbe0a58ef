"""Sketches of texts: texts of nearly the same shingles share one of a few numbers.

MinHash (Broder, "On the resemblance and containment of documents", 1997) over the shingles of five words, with 128
minima that two texts share with the probability of their resemblance J = |A ∩ B| / |A ∪ B|. All are of one permutation,
whose range is cut into 128 bins; an empty bin takes over the minimum of the next (Shrivastava and Li, "Densifying one
permutation hashing via rotation", ICML 2014).

The minima are put into 8 bands of 16, and a band into one number. So two texts share a number with the probability
1 - (1 - J^16)^8: 0.20 at J = 0.8, 0.81 at 0.9, 0.99 at 0.95.

What each page of a crawl is asked for is compiled as well (`native/sketching.c`), with the same answers.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from lycosa.crawl.templates import in_utf8, without_template
from lycosa.model import spaceless
from lycosa.model.compiled import compiled
from lycosa.model.spaceless import is_spaceless, with_blanks

_SKETCHING: Final = compiled("lycosa.crawl._sketching")
WORDS: Final = 5
"""Of a shingle."""
BINS: Final = 128
BANDS: Final = 8
MOST_WORDS: Final = 5_000
"""Words that are looked at, the first of a text."""
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)


def _drawn(seed: int, count: int) -> NDArray[np.uint64]:
    """Numbers that look drawn by chance and are always the same (splitmix64)."""
    return mixed((np.arange(1, count + 1, dtype=np.uint64) + np.uint64(seed)) * _ODD)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A permutation of 64-bit numbers whose answers look drawn by chance (the end of splitmix64)."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


_TO_BIN = np.uint64(64 - (BINS - 1).bit_length())
_PLACES = np.arange(BINS)
_POWERS = _drawn(0, WORDS) | np.uint64(1)
_IN_BAND = _drawn(WORDS, BINS // BANDS) | np.uint64(1)


def exact(text: str) -> str:
    """A digest of the words of a text: equal for texts that differ in white space alone. 32 hexadecimal digits."""
    if _SKETCHING is not None:
        single = _SKETCHING.single_blanks(in_utf8(text))
    else:
        single = " ".join(text.split()).encode("utf-8", "replace")
    return blake2b(single, digest_size=16).hexdigest()


def word_count(text: str, most: int) -> int:
    """How many words a text has, as `lycosa.model.spaceless` counts them."""
    if _SKETCHING is None or is_spaceless(text):
        return spaceless.word_count(text, most)
    return int(_SKETCHING.word_count(in_utf8(text), most))


def word_hashes(text: str, most: int = MOST_WORDS, template: bytes = b"") -> NDArray[np.uint64]:
    """A hash of each of the first `most` words of a text, whatever their case. Of scripts without blanks each sign is a
    word. Lines that are `template` are left out; see `without_template`."""
    if _SKETCHING is not None:
        found = _SKETCHING.word_hashes(in_utf8(text), most, False, template)
        if found is None:  # it may be written in an alphabet without blanks
            found = _SKETCHING.word_hashes(with_blanks(text).encode("utf-8", "replace"), most, True, template)
        return np.frombuffer(found, np.uint64)
    if template:
        text = without_template(text, template)
    written = with_blanks(text).lower().encode("utf-8", "replace")
    words = written.split(None, most)[:most]
    return mixed(np.fromiter(map(crc32, words), np.uint64, len(words)) + _ODD)


def shingle_hashes(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A hash of each run of five of these words; of fewer words one of them all. Empty if there is none."""
    if not len(words):
        return words
    runs = max(1, len(words) - WORDS + 1)
    together = np.zeros(runs, np.uint64)
    for place in range(min(WORDS, len(words))):
        together += words[place : place + runs] * _POWERS[place]
    return mixed(together)


def word_fingerprint(words: NDArray[np.uint64]) -> int:
    """A 64-bit simhash (Charikar, STOC 2002) of distinct words, each of which weighs the same; 0 for none.

    Frequent function words, which any two texts share, would make them alike if words weighed by their counts.
    """
    if _SKETCHING is not None:
        return int(_SKETCHING.fingerprint(np.ascontiguousarray(words)))
    distinct = np.sort(words)
    distinct = distinct[_firsts(distinct)]
    bits = np.unpackbits(distinct.astype("<u8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    more = 2 * bits.sum(axis=0, dtype=np.uint16) > len(
        distinct
    )  # of `MOST_WORDS`, twice which two bytes hold
    return int.from_bytes(np.packbits(more, bitorder="little").tobytes(), "little")


def minima(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The smallest hash of the words' shingles in each bin: the share that two texts have in common estimates their
    resemblance, with a standard error of at most 0.05. There are words."""
    if _SKETCHING is not None:
        return np.frombuffer(_SKETCHING.minima(np.ascontiguousarray(words)), np.uint64)
    hashes = np.sort(shingle_hashes(words))
    bins = hashes >> _TO_BIN
    first = _firsts(bins)
    filled = bins[first].astype(np.intp)
    source = np.searchsorted(filled, _PLACES) % len(filled)
    away = (filled[source] - _PLACES) % BINS
    taken: NDArray[np.uint64] = hashes[first[source]] + away.astype(np.uint64) * _ODD
    return taken


def sketch(words: NDArray[np.uint64]) -> tuple[int, ...]:
    """One number of 32 bits for each band; none without words."""
    if _SKETCHING is not None:
        return tuple(_SKETCHING.sketch(np.ascontiguousarray(words)))
    return banded(minima(words)) if len(words) else ()


def banded(found: NDArray[np.uint64]) -> tuple[int, ...]:
    """The same of the minima of a text."""
    if _SKETCHING is not None:
        return tuple(_SKETCHING.banded(np.ascontiguousarray(found)))
    bands = found.reshape(BANDS, -1)
    return tuple((mixed((mixed(bands) * _IN_BAND).sum(axis=1)) >> np.uint64(32)).tolist())


def _firsts(ascending: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Where each value stands first."""
    return np.flatnonzero(np.diff(ascending, prepend=ascending[:1] + np.uint64(1)))
