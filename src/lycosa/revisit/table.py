"""What a policy makes of each page, kept for all pages in columns."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, Final

import numpy as np

from lycosa.model.url import Url
from lycosa.revisit.policy import Estimates, Pages

FIRST_ROOM: Final = 1_024
_NUMBERS: Final = 8
"""Changes, worth, finds, days, links, whether signals tell all, and two parameters of a curve."""


class Table:
    """A row for each page, found by a hash of its URL. Some 200 bytes a page, whatever the length of its URL.

    Two URLs in 2⁶⁴ share a row; then one is estimated as the other is.
    """

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        self._numbers = np.zeros((FIRST_ROOM, _NUMBERS))

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, url: Url) -> bool:
        return _key(url) in self._rows

    def set(self, url: Url, estimates: Estimates) -> None:
        """What is known of a page from now on."""
        row = self._rows.setdefault(_key(url), len(self._rows))
        if row == len(self._numbers):
            self._numbers = np.concatenate((self._numbers, np.zeros_like(self._numbers)))
        e = estimates
        self._numbers[row] = (e.changes, e.worth, e.finds, e.days, e.links, e.is_told, *e.curve)

    def pages(self) -> Pages:
        """All rows, as columns."""
        columns = self._numbers[: len(self)]
        changes, worth, finds, days, links, told = columns[:, :6].T
        return Pages(changes, worth, finds, days, links, told > 0, columns[:, 6:])

    def save(self) -> Mapping[str, Any]:
        keys = np.fromiter(self._rows, np.uint64, len(self))
        return {"keys": keys.tobytes(), "numbers": self._numbers[: len(self)].astype(np.float32).tobytes()}

    def load(self, state: Mapping[str, Any]) -> None:
        keys = np.frombuffer(state["keys"], np.uint64)
        self._rows = {int(key): row for row, key in enumerate(keys)}
        numbers = np.frombuffer(state["numbers"], np.float32).reshape(len(keys), _NUMBERS)
        self._numbers = np.zeros((max(FIRST_ROOM, len(keys)), _NUMBERS))
        self._numbers[: len(keys)] = numbers


def _key(url: Url) -> int:
    return int.from_bytes(blake2b(url.encode(), digest_size=8).digest(), "big")
