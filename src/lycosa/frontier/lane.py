"""URLs that wait for the turns of their hosts, in memory: a queue for each host."""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Iterable, Iterator

import msgspec

from lycosa.frontier.protocol import Key
from lycosa.frontier.turns import Ahead, BestPlaces, Turns, smaller
from lycosa.model.records import Link, Millis, Request, UrlState
from lycosa.model.url import Host, Url

REBUILD_BEYOND = 16
"""Entries out of date that a host's queue puts up with, beyond one for each of its URLs."""


class Waiting(msgspec.Struct, kw_only=True, gc=False):
    """A URL that waits, and its place."""

    url: Url
    host: Host
    key: Key
    order: int
    depth: int
    attempt: int = 1
    via: Link | None = None
    way: tuple[Url, ...] = ()
    was: UrlState | None = None
    """What the URL is again if it is dropped; None: UNSEEN."""

    @property
    def due(self) -> Millis | None:
        """Of a revisit: when it is to be made."""
        return Millis(self.key[2]) if len(self.key) == 4 else None

    def request(self) -> Request:
        return Request(
            url=self.url,
            order=self.order,
            via=self.via,
            depth=self.depth,
            score=-self.key[1],
            tier=self.key[0],
            attempt=self.attempt,
            way=self.way,
            known=self.was is not None,
            due=self.due,
        )


_BEHIND_ALL: Key = (sys.maxsize, 0.0, 0)
"""No tier is as late."""


class HostLane:
    """A keyed priority queue of URLs over per-host queues, and the turns of the hosts.

    Queues are cleaned as they are looked into; one is rebuilt when more than half of it is out of date.
    """

    def __init__(self, beside: Callable[..., Turns] = Turns) -> None:
        self.waiting: dict[Url, Waiting] = {}
        self._queues: dict[Host, list[tuple[Key, Url]]] = {}
        self._counts: dict[Host, int] = {}
        self._ahead: dict[Host, Ahead[Key]] = {}  # of hosts of which nothing came or went since
        self.turns = beside(self._head, self._before)

    def add(self, waiting: Waiting) -> None:
        """One more waits, which is still to be placed."""
        self.waiting[waiting.url] = waiting
        self._counts[waiting.host] = self._counts.get(waiting.host, 0) + 1

    def remove(self, url: Url) -> Waiting | None:
        waiting = self.waiting.pop(url, None)
        if waiting is not None:
            self._ahead.pop(waiting.host, None)
            left = self._counts[waiting.host] - 1
            if left:
                self._counts[waiting.host] = left
            else:
                del self._counts[waiting.host]
        return waiting

    def place(self, waiting: Iterable[Waiting]) -> None:
        """Note the keys of these, which wait and are new or have new keys: each host is looked at once."""
        by_host: dict[Host, list[Waiting]] = {}
        for each in waiting:
            by_host.setdefault(each.host, []).append(each)
        for host, new in by_host.items():
            self._ahead.pop(host, None)
            queue = self._queues.setdefault(host, [])
            best = queue[0] if queue else None
            entries = [(each.key, each.url) for each in new]
            if len(queue) + len(new) > 2 * self._counts[host] + REBUILD_BEYOND:
                queue += entries
                self._rebuild(host, queue)
            else:
                for entry in entries:
                    heapq.heappush(queue, entry)
            if queue[0] is not best:
                self.turns.offer(host)

    def best(self, now: Millis) -> Waiting | None:
        """The best whose host may be visited now."""
        host = self.turns.best(now)
        return None if host is None else self.waiting[self._queues[host][0][1]]

    def at_host(self, host: Host) -> Iterator[Waiting]:
        """What waits at a host, best first."""
        queue = self._queues.get(host, [])
        self._rebuild(host, queue)
        return (self.waiting[url] for _, url in sorted(queue))

    def _rebuild(self, host: Host, queue: list[tuple[Key, Url]]) -> None:
        """Drop what is out of date, and what a URL left behind that went and came back to the same place."""
        waiting = self.waiting
        queue[:] = {
            entry[1]: entry
            for entry in queue
            if (each := waiting.get(entry[1])) is not None and each.key == entry[0] and each.host == host
        }.values()
        heapq.heapify(queue)

    def _stands(self, host: Host, key: Key, url: Url) -> bool:
        """Whether an entry of a host's queue is still true: a redirect may have led the URL elsewhere, key and all."""
        waiting = self.waiting.get(url)
        return waiting is not None and waiting.key == key and waiting.host == host

    def _head(self, host: Host) -> Key | None:
        queue = self._queues.get(host)
        while queue:
            key, url = queue[0]
            if self._stands(host, key, url):
                return key
            heapq.heappop(queue)
        self._queues.pop(host, None)
        return None

    def _before(self, host: Host, key: Key, most: int) -> tuple[int, Key | None]:
        """See `lycosa.frontier.turns.Counting`. What was looked at is remembered while nothing comes or goes at a host:
        for the first question the places before its key, for the next one that goes further all that count."""
        ahead = self._ahead.get(host)
        if ahead is None or not ahead.tells(key, most):
            until = key if ahead is None else _BEHIND_ALL
            ahead = self._ahead[host] = self._looked_ahead(host, until, most)
        return ahead.before(key, most)

    def _looked_ahead(self, host: Host, until: Key, most: int) -> Ahead[Key]:
        queue = self._queues.get(host, [])
        best: BestPlaces[Key] = BestPlaces(most)
        for at, url in smaller(queue, until):
            depth = self.waiting[url].depth if self._stands(host, at, url) else None
            if not best.add(at, url, depth):
                break
        if best.litters:
            self._rebuild(host, queue)
        places = best.linked()
        return Ahead(until if len(places) < most else places[-1], places)
