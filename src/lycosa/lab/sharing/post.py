"""How parcels travel between the nodes of a simulated cluster: in batches, which take their time."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Annotated, Generic, TypeVar

import msgspec

from lycosa.model.records import Millis, Record
from lycosa.spec.tree import NotNegative, Part, Positive

T = TypeVar("T")


class Delivery(Part, frozen=True, kw_only=True):
    """When a batch is sent to a node, and how long it is under way."""

    batch_links: Positive = 1000
    """A batch goes once it has so many links …"""
    batch_seconds: Annotated[float, msgspec.Meta(ge=0)] = 5.0
    """… or is so old. X4 polled every 1,800 seconds."""
    latency: NotNegative = 50
    """Milliseconds that a batch is under way."""


class Batch(Record, Generic[T], frozen=True, kw_only=True):
    """What one node gets from another at once."""

    sender: int
    to: int
    items: tuple[T, ...]
    bytes: int


class _Open(msgspec.Struct):
    closes: int
    items: list[object]
    links: int = 0
    bytes: int = 0


class Post(Generic[T]):
    """All that is under way. Nodes are numbers, times are virtual milliseconds.

    Invariants, each the name of a property test:

    * in order: what one node sends to another arrives in the order in which it was sent.
    * never early: a batch arrives no sooner than its latency after its last item was sent.
    * nothing lost: what was sent arrives once.
    """

    def __init__(self, delivery: Delivery) -> None:
        self._delivery = delivery
        self._open: dict[tuple[int, int], _Open] = {}
        self._closing: list[tuple[int, tuple[int, int]]] = []
        self._under_way: list[tuple[int, int, Batch[T]]] = []
        self.batches = 0
        """Sent so far."""

    def __bool__(self) -> bool:
        """Whether anything is still to arrive."""
        return bool(self._open or self._under_way)

    def send(
        self, sender: int, to: int, item: T, now: int, *, links: int = 1, size: int = 0, urgent: bool = False
    ) -> None:
        """`size` in bytes; what is `urgent` leaves at once, with what waited. Times never go back."""
        pair = sender, to
        batch = self._open.get(pair)
        if batch is not None and batch.closes < now:
            self._close(pair, batch.closes)
            batch = None
        if batch is None:
            batch = self._open[pair] = _Open(now + round(1000 * self._delivery.batch_seconds), [])
            heapq.heappush(self._closing, (batch.closes, pair))
        batch.items.append(item)
        batch.links += links
        batch.bytes += size
        if urgent or batch.links >= self._delivery.batch_links:
            self._close(pair, now)

    def next_at(self) -> Millis | None:
        """When the next batch arrives, if none fills up before; None if nothing is under way."""
        while self._closing and not self._is_open(*self._closing[0]):
            heapq.heappop(self._closing)
        times = [self._under_way[0][0]] if self._under_way else []
        if self._closing:
            times.append(self._closing[0][0] + self._delivery.latency)
        return Millis(min(times)) if times else None

    def arrivals(self, now: int) -> Iterator[Batch[T]]:
        """The batches that have arrived by now, first come first."""
        while (at := self.next_at()) is not None and at <= now:
            while self._closing and self._closing[0][0] + self._delivery.latency <= at:
                closes, pair = heapq.heappop(self._closing)
                if self._is_open(closes, pair):
                    self._close(pair, closes)
            yield heapq.heappop(self._under_way)[2]

    def _is_open(self, closes: int, pair: tuple[int, int]) -> bool:
        """Whether this is the time of the batch that is open; others were full before."""
        batch = self._open.get(pair)
        return batch is not None and batch.closes == closes

    def _close(self, pair: tuple[int, int], now: int) -> None:
        batch = self._open.pop(pair)
        self.batches += 1
        sent: Batch[T] = Batch(sender=pair[0], to=pair[1], items=tuple(batch.items), bytes=batch.bytes)  # type: ignore[arg-type]
        heapq.heappush(self._under_way, (now + self._delivery.latency, self.batches, sent))
