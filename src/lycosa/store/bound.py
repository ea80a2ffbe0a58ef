"""The worst end of a bounded frontier."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable

from lycosa.model.url import Url
from lycosa.store.frontier_rows import PendingPlace

_FLIP = bytes.maketrans(bytes(range(256)), bytes(reversed(range(256))))


class Bound:
    """Which pending URL goes first when there is no room: a heap, worst first, whose entries may be out of date."""

    def __init__(self, places: Iterable[PendingPlace]) -> None:
        self._worst = [(place.key.translate(_FLIP), place.url) for place in places]
        heapq.heapify(self._worst)

    def add(self, key: bytes, url: Url) -> None:
        heapq.heappush(self._worst, (key.translate(_FLIP), url))

    def pop(self) -> tuple[bytes, Url]:
        """The worst key and its URL: the caller checks that it still stands there."""
        flipped, url = heapq.heappop(self._worst)
        return flipped.translate(_FLIP), url

    def sweep(self, stands: Callable[[bytes, Url], bool]) -> None:
        """Drop what is out of date: leased URLs were among the best, so they never come up by themselves."""
        self._worst = [(worst, url) for worst, url in self._worst if stands(worst.translate(_FLIP), url)]
        heapq.heapify(self._worst)

    def __len__(self) -> int:
        return len(self._worst)
