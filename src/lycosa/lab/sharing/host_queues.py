"""What waits at each of many hosts, as arrays: queues of millions of URLs that are asked for a host at a time."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Numbers: TypeAlias = npt.NDArray[np.int64]
Narrow: TypeAlias = npt.NDArray[np.int32]
Flags: TypeAlias = npt.NDArray[np.bool_]
NONE = -1


class HostQueues:
    """Entries, numbered in the order of their arrival, each a page that waits at its host for one node.

    Linked lists in arrays: 12 bytes an entry, 8 a host.

    Invariants, each the name of a property test:

    * first come, first served: a host offers what has waited longest, what was passed over last of all.
    """

    def __init__(self, hosts: int) -> None:
        self.busy: Numbers = np.zeros(0, np.int64)
        """The hosts at which something waits."""
        self._heads = np.full(hosts, NONE, np.int32)
        self._tails = np.full(hosts, NONE, np.int32)
        self._pages, self._nodes, self._next = (np.zeros(1024, np.int32) for _ in range(3))
        self._size = 0

    def offers(self) -> Numbers:
        """The first entry of each busy host."""
        return self._heads[self.busy].astype(np.int64)

    def pages(self, entries: Numbers) -> Numbers:
        return self._pages[entries].astype(np.int64)

    def nodes(self, entries: Numbers) -> Numbers:
        return self._nodes[entries].astype(np.int64)

    def add(self, hosts: Numbers | Narrow, pages: Numbers, nodes: Numbers) -> None:
        """Put pages at the end of their hosts' queues."""
        if not len(hosts):
            return
        self._chain(hosts, self._entered(pages, nodes))

    def take(self, hosts: Numbers | Narrow) -> None:
        """Take away the first entry of each of these busy hosts."""
        self._heads[hosts] = self._next[self._heads[hosts]]
        self.busy = self.busy[self._heads[self.busy] != NONE]

    def pass_over(self, hosts: Numbers) -> None:
        """What each of these busy hosts offered waits behind all others of the host."""
        hosts = hosts[self._heads[hosts] != self._tails[hosts]]
        first = self._heads[hosts]
        self._heads[hosts] = self._next[first]
        self._next[self._tails[hosts]] = first
        self._tails[hosts] = first
        self._next[first] = NONE

    def waiting(self) -> Numbers:
        """All entries, in the order in which each host offers them."""
        layers, entries = list[Numbers](), self.offers()
        while len(entries):
            layers.append(entries)
            after = self._next[entries]
            entries = after[after != NONE].astype(np.int64)
        return np.concatenate(layers) if layers else np.zeros(0, np.int64)

    def _entered(self, pages: Numbers, nodes: Numbers) -> Numbers:
        entries = np.arange(self._size, self._size + len(pages))
        self._size += len(pages)
        if self._size > len(self._pages):
            more = np.zeros(max(self._size, len(self._pages) // 2), np.int32)
            self._pages, self._nodes, self._next = (
                np.concatenate([each, more]) for each in (self._pages, self._nodes, self._next)
            )
        self._pages[entries], self._nodes[entries] = pages, nodes
        return entries

    def _chain(self, hosts: Numbers | Narrow, entries: Numbers) -> None:
        order = np.argsort(hosts, kind="stable")
        hosts, entries = hosts[order], entries[order]
        breaks = hosts[1:] != hosts[:-1]
        first, last = np.append(True, breaks), np.append(breaks, True)
        self._next[entries] = np.where(last, NONE, np.append(entries[1:], NONE))
        theirs, begin = hosts[first], entries[first]
        idle = self._heads[theirs] == NONE
        self._next[self._tails[theirs[~idle]]] = begin[~idle]
        self._heads[theirs[idle]] = begin[idle]
        self._tails[hosts[last]] = entries[last]
        self.busy = np.concatenate([self.busy, theirs[idle]])


class KnownPages:
    """Which node knows which pages. One bit each."""

    def __init__(self, nodes: int, pages: int) -> None:
        self._stride = -(-pages // 8)
        self._bytes = np.zeros(nodes * self._stride, np.uint8)

    def has(self, nodes: Numbers, pages: Numbers) -> Flags:
        places, bits = self._places(nodes, pages)
        found: Flags = (self._bytes[places] & bits) != 0
        return found

    def add(self, nodes: Numbers, pages: Numbers) -> None:
        np.bitwise_or.at(self._bytes, *self._places(nodes, pages))

    def add_new(self, nodes: Numbers, pages: Numbers) -> Numbers:
        """Add what is not there; answers its places in `nodes` and `pages`, the first of each pair, ascending."""
        places: Numbers = np.flatnonzero(~self.has(nodes, pages))
        pairs = nodes[places] * (self._stride * 8) + pages[places]
        places = places[np.sort(np.unique(pairs, return_index=True)[1])]
        self.add(nodes[places], pages[places])
        return places

    def forget(self, node: int) -> None:
        """All that one node knows."""
        self._bytes[node * self._stride : (node + 1) * self._stride] = 0

    def forget_page(self, page: int) -> None:
        """What all nodes know of one page."""
        self._bytes[page >> 3 :: self._stride] &= 0xFF ^ (1 << (page & 7))

    def _places(self, nodes: Numbers, pages: Numbers) -> tuple[Numbers, npt.NDArray[np.uint8]]:
        return nodes * self._stride + (pages >> 3), np.left_shift(1, pages & 7).astype(np.uint8)
