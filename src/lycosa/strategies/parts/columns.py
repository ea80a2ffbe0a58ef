"""Columns of numbers that grow: what a strategy knows of many pages and URLs, laid out for whole-array arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lycosa.model.compiled import compiled

Numbers = NDArray[Any]
Ints = NDArray[np.int64]

_HUNTING: Final = compiled("lycosa.scoring._hunting")
FIRST_ROOM = 64
NO_KEY: Final = -1
_SEED: Final = hash("a key")
"""Of each process another: who makes up URLs cannot tell which of them meet in a table."""


def room_for(count: int, table: Numbers, fill: float = 0) -> Numbers:
    """The table (of rows of any shape), or a copy with room for so many rows, filled up with `fill`.

    A copy is at least a quarter longer, so that growing row by row costs O(1) a row, averaged over many, and little
    memory lies idle: none where it is filled up with 0, as the system gives a page of memory when it is written to.
    """
    if len(table) >= count:
        return table
    longer = np.zeros((max(count, len(table) + len(table) // 4), *table.shape[1:]), dtype=table.dtype)
    longer[: len(table)] = table
    if fill:
        longer[len(table) :] = fill
    return longer


def with_column(table: Numbers, column: int) -> Numbers:
    """The table with one more column, of 0, before those from this place on."""
    return np.insert(table, column, 0, axis=-1)


def bytes_of(table: Numbers) -> memoryview:
    """The bytes of a table, for a snapshot. Nothing is copied: they are as the table is, until it changes."""
    flat: Any = np.ascontiguousarray(table).reshape(-1).view(np.uint8)  # a buffer, which its stubs do not say
    return memoryview(flat)


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

    def save(self) -> memoryview:
        return bytes_of(self.values)

    def load(self, state: bytes) -> None:
        self._room = np.frombuffer(state, dtype=self._room.dtype).copy()
        self._size = len(self._room)
        if not self._size:
            self._room = np.zeros(FIRST_ROOM, dtype=self._room.dtype)


class SparseTable:
    """A table most of whose rows are alike, 0 at first: only the others take room.

    Memory: 4 bytes a row, and 8 for each number of a row that was put.

    Invariant, the name of a property test:

    * a table as any: it holds what a full table would.
    """

    def __init__(self, width: int) -> None:
        self._at = np.zeros(FIRST_ROOM, dtype=np.int32)  # of each row its place among the kept; 0: like most
        self._kept = np.zeros((1, width))
        self.used = 1
        """How many of the kept rows are in use."""
        self._is_common = False  # whether most rows are anything but 0

    def __getitem__(self, rows: Any) -> Numbers:
        found: Numbers = self._kept[self._at[rows]]
        return found

    def put_any(self, rows: Numbers) -> Numbers:
        """Which of some rows were put."""
        found: Numbers = self._at[rows] != 0
        return found

    def grow_to(self, size: int) -> None:
        """Rows like most, until there are so many."""
        self._at = room_for(size, self._at)

    def clear(self) -> None:
        """All rows are 0 from now on."""
        self._at[:] = 0
        self._kept, self.used, self._is_common = np.zeros((1, self._kept.shape[1])), 1, False

    def common(self, row: ArrayLike) -> None:
        """What all rows are that were not put since `clear`."""
        self._kept[0] = row
        self._is_common = bool(self._kept[0].any())

    def insert(self, column: int) -> None:
        """Have one more column, of 0, before those from this place on."""
        self._kept = with_column(self._kept, column)

    def fill(self, table: Numbers, common: ArrayLike) -> None:
        """Hold what a full table holds, most of whose rows are alike."""
        self.grow_to(len(table))
        self.clear()
        self.common(common)
        others = np.flatnonzero((table != self._kept[0]).any(axis=1))
        self.put(others, table[others])

    def put(self, rows: Numbers, values: Numbers, part: slice = slice(None)) -> None:
        """Set some columns of some rows, each row named once."""
        if not len(rows):
            return
        new = rows[self._at[rows] == 0]
        if _HUNTING is not None:
            width = self._kept.shape[1]
            first, end, _ = part.indices(width)
            room = self.open(len(new))
            self.used = _HUNTING.put(*room, width, rows, np.ascontiguousarray(values), first, end)
            return
        used = self.used + len(new)
        self._kept = room_for(used, self._kept)
        self._kept[self.used : used] = self._kept[0]
        self._at[new] = np.arange(self.used, used, dtype=np.int32)
        self.used = used
        self._kept[self._at[rows], part] = values

    def save(self, size: int) -> dict[str, memoryview]:
        """The first rows, so many."""
        return {"at": bytes_of(self._at[:size]), "kept": bytes_of(self._kept[: self.used])}

    def load(self, state: Mapping[str, bytes]) -> None:
        width = self._kept.shape[1]
        self._at = np.frombuffer(state["at"], dtype=np.int32).copy()
        self.used = len(state["kept"]) // (8 * width) if width else self.used
        self._kept = np.frombuffer(state["kept"], dtype=np.float64).reshape(self.used, width).copy()
        self.common(self._kept[0])

    def told(self, weight: float) -> tuple[Numbers, Numbers, int, float, bool]:
        """What `add_to` goes by: of each row its place among the kept, these, their width, the weight, and whether the
        first of them counts for all others."""
        return self._at, self._kept, self._kept.shape[1], weight, self._is_common

    def open(self, more: int) -> tuple[Numbers, Numbers, int]:
        """Of each row its place among the kept, and these, with room for some more behind those in `use`: for who adds
        rows by himself, and says so."""
        self._kept = room_for(self.used + more, self._kept)
        return self._at, self._kept, self.used

    @property
    def width(self) -> int:
        """How many columns there are."""
        return int(self._kept.shape[1])

    def taking(self, more: int) -> tuple[Numbers, Numbers, int, int]:
        """`open`, and the width."""
        return *self.open(more), self._kept.shape[1]

    def add_to(self, table: Numbers, rows: Numbers, weight: float) -> None:
        """Add some rows, times a weight, to those of a table as long as they."""
        common = self._kept[0]
        if self._is_common:
            table += weight * common
        at = self._at[rows]
        (others,) = at.nonzero()
        if len(others):
            own = self._kept[at[others]]
            table[others] += weight * (own - common if self._is_common else own)


class Keys:
    """A set of whole numbers, none below 0, asked for many at once. Memory: 10 to 14 bytes a number.

    Invariant, the name of a property test:

    * a set as any: a number is new once.
    """

    def __init__(self) -> None:
        self._count = 0
        self._table = np.full(2 * FIRST_ROOM, NO_KEY)
        """A number is at its own place, which `_enter` knows, or behind it before the next that is free."""

    def __len__(self) -> int:
        return self._count

    def add(self, keys: Ints) -> Ints:
        """Take them in. Returns the places of those that were not there, of equal ones the first."""
        new = _enter(self.open(len(keys)), keys)
        self.hold(len(new))
        return new

    def open(self, more: int) -> Ints:
        """The table, with room for some more, for who enters them by himself, and says how many were new (`hold`)."""
        needed = (self._count + more) * 5 // 4 + 1
        if needed > len(self._table):
            before, self._table = self._table, np.full(max(needed, len(self._table) * 4 // 3), NO_KEY)
            _enter(self._table, before[before != NO_KEY])
        return self._table

    def hold(self, more: int) -> None:
        self._count += more


def _enter(table: Ints, keys: Ints) -> Ints:
    """Put numbers into a table with room for them. The places of those that are new."""
    if _HUNTING is not None:
        return np.frombuffer(_HUNTING.enter(table, np.ascontiguousarray(keys)), dtype=np.int64)
    size, new = len(table), []
    for place, key in enumerate(keys.tolist()):
        at = hash((_SEED, key)) % size
        while (there := table.item(at)) not in (key, NO_KEY):
            at = (at + 1) % size
        if there == NO_KEY:
            table[at] = key
            new.append(place)
    return np.array(new, dtype=np.int64)


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

    def save(self) -> dict[str, memoryview]:
        return {"numbers": self._numbers.save(), "ends": self._ends.save()}

    def load(self, state: Any) -> None:
        self._numbers.load(state["numbers"])
        self._ends.load(state["ends"])
