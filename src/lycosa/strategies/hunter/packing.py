"""Term numbers with their counts in 3 or 4 bytes: what a hunter remembers of texts is mostly these."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.strategies.hunter.hunting import HUNTING

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


def has_room(count: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which counts have room in an entry."""
    found: NDArray[np.bool_] = count <= _MOST
    return found


def packed(terms: NDArray[np.integer[Any]], counts: NDArray[np.float64], width: int) -> bytes:
    """The entries of some terms, of so many bytes each.

    Raises `OverflowError` if a number has no room there.
    """
    if HUNTING is not None:
        found: bytes = HUNTING.pack(terms, counts, width)
        return found
    if len(terms) and not 0 <= int(terms.min()) <= int(terms.max()) < 1 << (8 * width - _COUNT_BITS):
        raise OverflowError(f"a term's number has no room in {width} bytes")
    entries = terms.astype("<u4") << _COUNT_BITS | np.where(counts > _MOST, OFTEN, counts).astype("<u4")
    in_bytes: NDArray[np.uint8] = entries.view(np.uint8).reshape(-1, WIDE)
    return in_bytes[:, :width].tobytes()


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
