"""Columns of numbers that grow: what a strategy knows of many pages and URLs, laid out for whole-array arithmetic."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[Any]

FIRST_ROOM = 64


def room_for(count: int, table: Numbers, fill: float = 0) -> Numbers:
    """The table (of rows of any shape), or a copy with room for so many rows, filled up with `fill`.

    A copy is at least twice as long, so that growing row by row costs O(1) a row, averaged over many.
    """
    if len(table) >= count:
        return table
    longer = np.full((max(count, 2 * len(table)), *table.shape[1:]), fill, dtype=table.dtype)
    longer[: len(table)] = table
    return longer


class Column:
    """Numbers of one type in a row. Appending costs constant time, averaged over many.

    >>> column = Column("f8")
    >>> column.extend([1.0, 2.0])
    >>> column.grow_to(3)
    >>> column.values.tolist()
    [1.0, 2.0, 0.0]
    """

    def __init__(self, kind: str) -> None:
        self._room: Numbers = np.zeros(FIRST_ROOM, dtype=kind)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    @property
    def values(self) -> Numbers:
        """The numbers, to read and to change in place; valid until the next growth."""
        return self._room[: self._size]

    def extend(self, values: ArrayLike) -> None:
        added = np.asarray(values, dtype=self._room.dtype)
        before = self._size
        self.grow_to(before + len(added))
        self._room[before : self._size] = added

    def append(self, value: float) -> None:
        before = self._size
        self.grow_to(before + 1)
        self._room[before] = value

    def grow_to(self, size: int) -> None:
        """Zeros at the end, until there are so many."""
        self._room = room_for(size, self._room)
        self._size = max(self._size, size)

    def save(self) -> bytes:
        return self.values.tobytes()

    def load(self, state: bytes) -> None:
        self._room = np.frombuffer(state, dtype=self._room.dtype).copy()
        self._size = len(self._room)
        if not self._size:
            self._room = np.zeros(FIRST_ROOM, dtype=self._room.dtype)


class Rows:
    """Lists of numbers, one after the other: the i-th lies between the ends of the one before and its own."""

    def __init__(self) -> None:
        self._numbers = Column("i4")
        self._ends = Column("i8")
        self._ends.append(0)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def append(self, numbers: ArrayLike) -> None:
        self._numbers.extend(numbers)
        self._ends.append(len(self._numbers))

    def __getitem__(self, row: int) -> Numbers:
        ends = self._ends.values
        return self._numbers.values[ends[row] : ends[row + 1]]

    def gathered(self, rows: Numbers) -> tuple[Numbers, Numbers]:
        """The numbers of some rows, one after the other, and for each number the place of its row in `rows`."""
        ends = self._ends.values
        starts = ends[rows]
        lengths = ends[rows + 1] - starts
        places = np.repeat(np.arange(len(rows)), lengths)
        within = np.arange(len(places)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return self._numbers.values[np.repeat(starts, lengths) + within], places

    def save(self) -> dict[str, bytes]:
        return {"numbers": self._numbers.save(), "ends": self._ends.save()}

    def load(self, state: Any) -> None:
        self._numbers.load(state["numbers"])
        self._ends.load(state["ends"])
