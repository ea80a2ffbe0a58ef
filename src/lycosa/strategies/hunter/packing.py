"""Term numbers with their counts in 3 or 4 bytes: what a hunter remembers of texts is mostly these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lycosa.strategies.hunter.hunting import HUNTING

if TYPE_CHECKING:
    from lycosa.strategies.hunter.texts import CountedTexts

NARROW, WIDE = 3, 4
"""Bytes of an entry: a term's number times 16, and its count. The fewer as long as all numbers fit."""
OFTEN = 0
"""For a count above 15."""
_COUNT_BITS = 4
_MOST = (1 << _COUNT_BITS) - 1

Buffer = Any
"""Bytes of any kind."""


def _weights_of_counts() -> NDArray[np.float32]:
    found = np.zeros(_MOST + 1)
    found[1:] = 1.0 + np.log(np.arange(1.0, _MOST + 1))
    return found.astype(np.float32)


WEIGHTS = _weights_of_counts()
"""1 + ln(count), by the count in an entry; 0 for `OFTEN`."""


def packed(texts: CountedTexts, first: int, end: int, width: int, before: int) -> tuple[bytes, bytes, bytes]:
    """The entries of some texts, of so many bytes each; where each of these ends, if the first begins at `before`; and
    the places of counts without room in an entry, as numbers of 64 bits.

    Raises `OverflowError` if a term's number has no room there.
    """
    if HUNTING is not None:
        found: tuple[bytes, bytes, bytes] = HUNTING.pack(*texts, first, end, width, before)
        return found
    since, until = texts.bounds[first], texts.bounds[end]
    terms, counts = texts.terms[since:until], texts.counts[since:until]
    if len(terms) and not 0 <= int(terms.min()) <= int(terms.max()) < 1 << (8 * width - _COUNT_BITS):
        raise OverflowError(f"a term's number has no room in {width} bytes")
    entries = terms.astype("<u4") << _COUNT_BITS | np.where(counts > _MOST, OFTEN, counts).astype("<u4")
    in_bytes: NDArray[np.uint8] = entries.view(np.uint8).reshape(-1, WIDE)
    ends = texts.bounds[first + 1 : end + 1] + (before - since)
    often = np.flatnonzero(counts > _MOST) + since
    return in_bytes[:, :width].tobytes(), ends.tobytes(), often.tobytes()


def counts_of(weights: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """How often terms of such weights occur."""
    return np.rint(np.exp(weights.astype(np.float64) - 1.0)).astype(np.int64)


def unpacked(
    entries: Buffer, narrow: int, since: int, until: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The terms from one place to another, and their weights; the first entries, so many, are narrow."""
    if HUNTING is not None:
        numbers, weights = HUNTING.unpack(entries, narrow, WEIGHTS, since, until)
        return np.frombuffer(numbers, np.int32), np.frombuffer(weights, np.float32)
    found = np.zeros((until - since, WIDE), dtype=np.uint8)
    change, whole = min(max(since, narrow), until), np.frombuffer(entries, np.uint8)
    few, all_ = whole[: NARROW * narrow].reshape(-1, NARROW), whole[NARROW * narrow :].reshape(-1, WIDE)
    found[: change - since, :NARROW] = few[since:change]
    found[change - since :] = all_[max(change - narrow, 0) : max(until - narrow, 0)]
    both = found.view("<u4").reshape(-1)
    return (both >> _COUNT_BITS).astype(np.int32), WEIGHTS[both & _MOST]
