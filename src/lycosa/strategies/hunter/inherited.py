"""What nodes inherit from the pages that link to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.links.smoothing import NO_PAGE, Floats, Ints, Neighbours
from lycosa.strategies.parts.columns import SparseTable, bytes_of, room_for

Places = NDArray[np.int32]


class Inherited:
    """For each node the evidence of the pages that link to it, summed, and how many they are.

    Three of four nodes have one such page: their sum is its row in the table of pages, and only others have a row here.
    Memory: 16 bytes a node, and 8 for each column of those rows.

    Invariant, the name of a property test:

    * sums as any: they are those that a full table would have.
    """

    def __init__(self, columns: int) -> None:
        self._columns = columns
        self._sums = SparseTable(columns)
        self.degree: Floats = np.zeros(0)
        """How many pages link to each node."""
        self.linking: Places = np.zeros(0, dtype=np.int32)
        """The last of these pages, by place."""

    def grow_to(self, nodes: int) -> None:
        """Room for so many nodes."""
        self._sums.grow_to(nodes)
        self.degree = room_for(nodes, self.degree)
        self.linking = room_for(nodes, self.linking, NO_PAGE)

    def insert(self, column: int) -> None:
        """Have one more column, of 0, before those from this place on."""
        self._columns += 1
        self._sums.insert(column)

    def begin(self, around: Neighbours) -> None:
        """Forget the sums; these are the links from now on, and `put` tells the sums."""
        self._sums.clear()
        self.degree[: around.count] = around.in_degrees
        linking = around.linking
        np.copyto(self.linking[: around.count], linking, where=linking != NO_PAGE)

    def put(self, around: Neighbours, values: Floats, part: slice = slice(None)) -> None:
        """Some columns of the sums, of values of pages by place."""
        several = np.flatnonzero(around.in_degrees > 1)
        self._sums.put(several, around.condensed.sums(values, several), part)

    def sums(self, nodes: Ints, pages: Floats) -> Floats:
        """Of some nodes; `pages` is the evidence of all pages, by place."""
        found = self._sums[nodes]
        one = np.flatnonzero((self.degree[nodes] > 0) & ~self._sums.put_any(nodes))
        found[one] = pages[self.linking[nodes[one]]]
        return found

    def means(self, nodes: Ints, pages: Floats) -> Floats:
        """`sums` by the number of pages; 0 without any."""
        found: Floats = self.sums(nodes, pages) / np.maximum(self.degree[nodes], 1.0)[:, None]
        return found

    def add(self, targets: Ints, place: int, pages: Floats) -> None:
        """One page more links to these nodes, each of them named once; its evidence is known."""
        linked = targets[self.degree[targets] > 0]
        self._sums.put(linked, self.sums(linked, pages) + pages[place])
        self.degree[targets] += 1.0
        self.linking[targets] = place

    def told(self, pages: Floats, more: int = 0) -> tuple[Any, ...]:
        """All of it, as the compiled form takes it, with room for some more rows."""
        return *self._sums.open(more), self.degree, self.linking, pages

    def hold(self, rows: int) -> None:
        """The compiled form has added rows: so many they are now."""
        self._sums.used = rows

    def save(self, nodes: int) -> Mapping[str, Any]:
        return {
            "sums": self._sums.save(nodes),
            "degree": bytes_of(self.degree[:nodes]),
            "linking": bytes_of(self.linking[:nodes]),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._sums.load(state["sums"])
        self.degree = np.frombuffer(state["degree"], dtype=np.float64).copy()
        self.linking = np.frombuffer(state["linking"], dtype=np.int32).copy()

    def load_whole(self, sums: Floats, degree: Floats, linking: Places) -> None:
        """A snapshot of an earlier version: the sums of all nodes."""
        self._sums = SparseTable(self._columns)
        self.degree, self.linking = degree, linking
        self._sums.grow_to(len(sums))
        several = np.flatnonzero((degree > 1) | (degree > 0) & (linking == NO_PAGE))
        self._sums.put(several, sums[several])
