"""Term numbers in 3 bytes and counts in 1: what a hunter remembers of texts is mostly these."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.strategies.hunter.hunting import HUNTING

NARROW, WIDE = 3, 4
"""Bytes of a term: the fewer as long as all numbers fit."""
OFTEN = 0
"""The byte of a count above 255."""
_MOST = 255

Buffer = Any
"""Bytes of any kind."""


def _weights_of_counts() -> NDArray[np.float32]:
    found = np.zeros(_MOST + 1)
    found[1:] = 1.0 + np.log(np.arange(1.0, _MOST + 1))
    return found.astype(np.float32)


WEIGHTS = _weights_of_counts()
"""1 + ln(count), by the byte of the count; 0 for `OFTEN`."""


def packed(terms: NDArray[np.integer[Any]], counts: NDArray[np.float64], width: int) -> tuple[bytes, bytes]:
    """Terms in so many bytes each, and of each the byte of its count.

    Raises `OverflowError` if a number has no room there.
    """
    if HUNTING is not None:
        both: tuple[bytes, bytes] = HUNTING.pack(terms, counts, width)
        return both
    if len(terms) and not 0 <= int(terms.min()) <= int(terms.max()) < 1 << min(8 * width, 31):
        raise OverflowError(f"a term's number has no room in {width} bytes")
    narrow = terms.astype("<i4").view(np.uint8).reshape(-1, WIDE)[:, :width]
    return narrow.tobytes(), np.where(counts > _MOST, OFTEN, counts).astype(np.uint8).tobytes()


def counts_of(weights: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """How often terms of such weights occur."""
    return np.rint(np.exp(weights.astype(np.float64) - 1.0)).astype(np.int64)


def unpacked(
    terms: Buffer, counts: Buffer, width: int, since: int, until: int
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The terms from one place to another, and their weights."""
    if HUNTING is not None:
        numbers, weights = HUNTING.unpack(terms, counts, width, WEIGHTS, since, until)
        return np.frombuffer(numbers, np.int32), np.frombuffer(weights, np.float32)
    found = np.zeros((until - since, WIDE), dtype=np.uint8)
    found[:, :width] = np.frombuffer(terms, np.uint8)[since * width : until * width].reshape(-1, width)
    numbers = found.view("<i4").reshape(-1).astype(np.int32, copy=False)
    return numbers, WEIGHTS[np.frombuffer(counts, np.uint8)[since:until]]
