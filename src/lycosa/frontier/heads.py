"""A heap of hosts by their keys."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import Any, Final

from lycosa.model.compiled import compiled
from lycosa.model.url import Host

_QUEUES: Final = compiled("lycosa.frontier._queues")


class HeadsByPython:
    """Keys and hosts, of which the smallest comes first. Hosts tell equal keys apart.

    The compiled one has the beginnings of keys that are bytes in one row, so that to look for the next of a hundred
    thousand hosts does not fetch as many objects from all over the memory as it compares.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[Any, Host]] = []

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, key: Any, host: Host) -> None:
        heapq.heappush(self._heap, (key, host))

    def first(self) -> tuple[Any, Host]:
        """The smallest. IndexError if there is none."""
        return self._heap[0]

    def pop(self) -> tuple[Any, Host]:
        """The same, which is gone then."""
        return heapq.heappop(self._heap)

    def entries(self) -> list[tuple[Any, Host]]:
        """All of them, in no order."""
        return self._heap[:]

    def become(self, entries: Iterable[tuple[Any, Host]]) -> None:
        """Hold these only."""
        self._heap = [*entries]
        heapq.heapify(self._heap)


def heads() -> HeadsByPython:
    """An empty heap."""
    return HeadsByPython() if _QUEUES is None else _QUEUES.Heads()
