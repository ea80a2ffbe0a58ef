"""Every host's queue: what changed since the checkpoint in memory, the rest on disk, read a few places at a time."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Mapping, Set
from functools import cache
from itertools import islice
from operator import attrgetter
from struct import Struct
from typing import Final, TypeGuard

import msgspec
from rocksdict import RdictIter, WriteBatch

from lycosa.frontier.turns import Ahead, BestPlaces, smaller
from lycosa.model.compiled import compiled
from lycosa.model.url import Host, Url, host_of
from lycosa.store.frontier_rows import (
    NOT_READ,
    PENDING,
    PendingPlace,
    is_of_new,
    key_in,
    pack_place,
    pending_row,
    queue_prefix,
    unpack_place,
    url_row,
)
from lycosa.store.place_log import POINTER_BYTES, PlaceLog, depth_at, is_pointer
from lycosa.store.rocks import Rocks, after

_QUEUES: Final = compiled("lycosa.frontier._queues")
BATCH = 8
"""Places read at once when a host's queue is looked into."""
NO_URL = Url("")
"""Keys on disk differ, so that they tell places apart without their URLs."""
NO_KEYS: Final = frozenset[bytes]()
LAST = b"\xff" * 33
"""Behind all keys."""
KEPT = 8
"""Places of which memory keeps the row for each host at a checkpoint, so that to lease them the store is not asked."""
UNREAD: Final = b"\xff" * POINTER_BYTES
"""Stands for a row that was not read, or that is no pointer, as those of earlier versions."""


@cache
def _layout(width: int) -> Struct:
    """Of a packed place that takes `width` bytes: its key, the mark and the depth of its pointer."""
    return Struct(f">{width - POINTER_BYTES}sBI{POINTER_BYTES - 5}x")


def packed(key: bytes, row: bytes) -> bytes:
    """A place as `HostQueue.stored` holds it."""
    return key + (row if is_pointer(row) else UNREAD)


def stands(held: object, key: bytes, host: Host) -> TypeGuard[PendingPlace]:
    """Whether what is known of a URL is this place in the queue of that name: a redirect may have led it to another
    host, key and all."""
    if not isinstance(held, PendingPlace) or held.key != key:
        return False
    return (held.host if held.again is None else held.queue) == host


def _is_dead(row: bytes, dead: Mapping[Host, Set[bytes]]) -> bool:
    """Whether what the store says of a place is no longer true, by the key of its row."""
    end = row.index(b"\0")
    return row[end + 1 :] in dead.get(Host(row[1:end].decode()), NO_KEYS)


def _is_new(held: object) -> TypeGuard[PendingPlace]:
    """Whether what is known of a URL is that it is pending."""
    return isinstance(held, PendingPlace) and held.again is None


def _next_rows(
    rows: RdictIter, skip: int, bound: bytes, dead: Set[bytes], most: int
) -> tuple[list[bytes], bytes, bool]:
    """The next places behind a bound that are not dead, packed; the key of the last one, or the bound if there is none;
    and whether there are more. Their keys stand behind `skip` bytes in those of their rows."""
    found, last = list[bytes](), bound
    while rows.valid():
        key = rows.key()[skip:]
        if key > bound and key not in dead:
            if len(found) == most:
                return found, last, True
            found.append(packed(key, rows.value()))
            last = key
        rows.next()
    return found, last, False


class HostQueue(msgspec.Struct, gc=False):
    count: int = 0
    """Pending URLs, in memory and on disk."""
    fresh: list[tuple[bytes, Url]] = []
    """Heap of what was placed since the checkpoint; entries may be out of date."""
    stored: bytes = b""
    """The best of what is on disk, best first, each as `packed` makes it: as objects they would take four times as
    much. Dead ones may be among them."""
    at: int = 0
    """Where in `stored` the first begins that is not known to be dead."""
    width: int = 0
    """Bytes that each of them takes; all keys of one queue have one length."""
    bound: bytes = b""
    """Whatever is on disk and alive up to this key is in `stored`."""
    more: bool = False
    """Beyond the bound there may be more on disk."""
    head: bytes = b""
    """The smallest key of all that wait; empty if it is to be looked for."""

    def best(self) -> bytes | None:
        """The key of the best that is stored."""
        end = self.at + self.width - POINTER_BYTES
        return self.stored[self.at : end] if self.at < len(self.stored) else None

    def row_of(self, key: bytes) -> bytes | None:
        """The pointer of a place that is stored; None if it is not among them or its row was not read."""
        at = self.stored.find(key, self.at)
        while at >= 0 and at % self.width:  # bytes that only look like the key
            at = self.stored.find(key, at + 1)
        row = self.stored[at + len(key) : at + self.width] if at >= 0 else UNREAD
        return None if row == UNREAD else row

    def hold(self, rows: list[bytes]) -> None:
        """Hold these packed places behind those that are left."""
        if rows:
            self.width = len(rows[0])
            self.stored, self.at = self.stored[self.at :] + b"".join(rows), 0

    def settled_as_it_was(self) -> HostQueue:
        """This queue with nothing fresh, as none of that is among the best."""
        return HostQueue(self.count, [], self.stored, self.at, self.width, self.bound, self.more)

    def settled(self, rows: list[bytes]) -> HostQueue:
        """This queue with nothing fresh: of these packed places, best first, memory keeps the first `KEPT`."""
        width, kept = len(rows[0]), rows[:KEPT]
        more, bound = self.more, self.bound
        if len(rows) > KEPT:
            more, bound = True, kept[-1][: width - POINTER_BYTES]
        return HostQueue(self.count, [], b"".join(kept), 0, width, bound, more)


class HostQueues:
    """A priority queue a host, over a store that changes at checkpoints only. Revisits stand in queues of other names
    (see `PendingPlace.queue`); where all hosts are asked for, they are left out.

    `changed` is the frontier's table of what differs from the store; an entry of `fresh` counts while it is what
    that table says. A row of the store counts unless it is in `dead`.
    """

    def __init__(self, db: Rocks, log: PlaceLog, changed: Mapping[Url, PendingPlace | int | None]) -> None:
        self._db, self._log = db, log
        self._changed = changed
        self._hosts: dict[Host, HostQueue] = {}
        self._dead: dict[Host, set[bytes]] = {}
        self._ahead: dict[Host, Ahead[bytes]] = {}  # of hosts of which nothing came or went since
        self._touched: dict[Host, None] = {}
        self._rows_ahead: dict[bytes, bytes | None] = {}
        self._coming: dict[Host, HostQueue] = {}  # once it is written, it takes the place of what was touched

    def restore(self) -> Iterator[Host]:
        """Read the row of each host: how many wait, and the best. The queues themselves stay on disk."""
        for key, row in self._db.scan(b"h", after(b"h")):
            host, count = Host(key[1:].decode()), int.from_bytes(row[:8], "big")
            queue = self._hosts[host] = HostQueue(count, fresh=[], bound=row[8:], more=count > 1)
            queue.hold([packed(row[8:], UNREAD)])
            yield host

    # -- changes -------------------------------------------------------------------------------

    def add(self, host: Host, key: bytes, url: Url) -> bool:
        """One more URL waits here, in this place. Answers as `place` does."""
        queue = self._hosts.get(host)
        if queue is None:
            self._hosts[host] = HostQueue(1, [(key, url)], head=key)
            self._touched[host] = None
            return True
        queue.count += 1
        return self.place(host, key, url)

    def place(self, host: Host, key: bytes, url: Url, before: bytes = b"") -> bool:
        """Put a waiting URL in its place, which was another one `before`. True if it may be the host's head now, and a
        better one than there was."""
        self._touched[host] = None
        self._ahead.pop(host, None)
        queue = self._hosts[host]
        heapq.heappush(queue.fresh, (key, url))
        head = queue.head
        if head and key < head:
            queue.head = key
            return True
        if head and before != head:
            return False
        queue.head = b""
        if queue.fresh[0][1] != url:
            return False
        stored = queue.best()
        return stored is None or key < stored

    def remove(self, host: Host) -> None:
        """One URL less waits here."""
        self._touched[host] = None
        self._ahead.pop(host, None)
        queue = self._hosts[host]
        queue.head = b""
        queue.count -= 1
        if not queue.count:
            del self._hosts[host]

    def take(self, host: Host, key: bytes, *, is_stored: bool) -> None:
        """One URL less waits here; what the store says of its place, if it does, is no longer true."""
        if _QUEUES is not None:
            _QUEUES.take(self, host, key, is_stored)
            return
        if is_stored:
            self.bury(host, key)
        self.remove(host)

    def bury(self, host: Host, key: bytes) -> None:
        """What the store says of this place is no longer true."""
        dead = self._dead.get(host)
        if dead is None:
            dead = self._dead[host] = set()
        dead.add(key)

    # -- questions -----------------------------------------------------------------------------

    def head(self, host: Host) -> bytes | None:
        """The smallest key of a host."""
        if _QUEUES is not None:
            found: bytes | None = _QUEUES.head(PendingPlace, self, host)
            return found
        queue = self._hosts.get(host)
        if queue is None:
            return None
        return queue.head or self._head(host, queue)

    @property
    def heads(self) -> Callable[[Host], bytes | None]:
        """The same, for those who ask for the heads of many hosts."""
        return self.head if _QUEUES is None else _QUEUES.HeadOf(PendingPlace, self)

    def _head(self, host: Host, queue: HostQueue) -> bytes | None:
        self._clean(host, queue)
        head = queue.best()
        if queue.fresh and (head is None or queue.fresh[0][0] < head):
            head = queue.fresh[0][0]
        queue.head = head or b""
        return head

    def before(self, host: Host, key: bytes, most: int) -> tuple[int, bytes | None]:
        """See `lycosa.frontier.turns.Counting`. What was looked at is remembered while nothing comes or goes at a host:
        for the first question the places before its key, for the next one that goes further all that memory holds."""
        ahead = self._ahead.get(host)
        if ahead is None or not ahead.tells(key, most):
            queue = self._hosts.get(host)
            if queue is None:
                return 0, None
            until = key if ahead is None else max(key, queue.bound if queue.more else LAST)
            ahead = self._ahead[host] = self._looked_ahead(host, queue, until, most)
        return ahead.before(key, most)

    def _looked_ahead(self, host: Host, queue: HostQueue, until: bytes, most: int) -> Ahead[bytes]:
        fresh = self._fresh_before(host, queue, until, most)
        places = fresh.linked(self._stored_before(host, queue, until, most))[:most]
        return Ahead(until if len(places) < most else places[-1], places)

    def _fresh_before(self, host: Host, queue: HostQueue, key: bytes, most: int) -> BestPlaces[bytes]:
        """Of what was placed since the checkpoint."""
        best: BestPlaces[bytes] = BestPlaces(most)
        for at, url in smaller(queue.fresh, key):
            place = self._changed.get(url)
            if not best.add(at, url, place.depth if stands(place, at, host) else None):
                break
        if best.litters:
            true = (each for each in queue.fresh if stands(self._changed.get(each[1]), each[0], host))
            queue.fresh = sorted(set(true))
        return best

    def _stored_before(self, host: Host, queue: HostQueue, key: bytes, most: int) -> BestPlaces[bytes]:
        """Of what is on disk; more of it is read where memory does not reach that far."""
        best: BestPlaces[bytes] = BestPlaces(most)
        dead = self._dead.get(host, NO_KEYS)
        while True:
            left = queue.stored[queue.at :]
            for at, mark, depth in _layout(queue.width).iter_unpack(left) if left else ():
                if at >= key:
                    return best
                if at not in dead:
                    found = self.stored(host, at).depth if mark == UNREAD[0] else depth
                    if not best.add(at, NO_URL, found):
                        return best
            if not queue.more or queue.bound >= key:
                return best
            self._read_on(host, queue, max(BATCH, len(left) // (queue.width or 1)))

    def first(self, host: Host) -> PendingPlace:
        """What stands at the head of a host that has one."""
        if _QUEUES is not None:
            found: PendingPlace | None = _QUEUES.first(PendingPlace, self, host)
            if found is not None:
                return found
        queue = self._hosts[host]
        key = self.head(host)
        assert key is not None
        if queue.fresh and queue.fresh[0][0] == key:
            place = self._changed[queue.fresh[0][1]]
            assert isinstance(place, PendingPlace)
            return place
        return self.stored(host, key)

    def stored(self, host: Host, key: bytes) -> PendingPlace:
        """What stands on disk under a key."""
        return self._read(key, self._row(host, key))

    def unread(self, url: Url, key: bytes) -> PendingPlace:
        """The same of a URL that waits at its own host, without reading its record if that lies elsewhere."""
        host = host_of(url)
        row = self._row(host, key)
        depth = depth_at(row)
        if depth is None:
            return self._read(key, row)
        return PendingPlace(url, host, key, NOT_READ, depth, 0, None, pointer=row)

    def whole(self, place: PendingPlace) -> PendingPlace:
        """The place, with what its record tells."""
        if place.order == NOT_READ:
            found = unpack_place(place.key, self._log.read(place.pointer))
            place.order, place.attempt, place.via, place.was = (
                found.order,
                found.attempt,
                found.via,
                found.was,
            )
        return place

    def read_ahead(self, urls: list[Url], rows: dict[Url, bytes | None]) -> None:
        """Of URLs that will be moved soon, and wait by these rows, read the rows of their places together that memory
        does not have."""
        unknown = self._unread(urls, rows) if urls else []
        self._rows_ahead = dict(zip(unknown, self._db.get_all(unknown), strict=True)) if unknown else {}

    def _unread(self, urls: list[Url], rows: dict[Url, bytes | None]) -> list[bytes]:
        changed, hosts = self._changed, self._hosts
        if _QUEUES is not None:
            names: list[bytes] = _QUEUES.unread_places(urls, changed, rows, hosts)
            return names
        waiting = ((host_of(url), rows.get(url)) for url in urls if url not in changed)
        places = [(host, key_in(row)) for host, row in waiting if row and row[0] == PENDING]
        return [queue_prefix(host) + key for host, key in places if hosts[host].row_of(key) is None]

    def _row(self, host: Host, key: bytes) -> bytes:
        row = self._hosts[host].row_of(key)
        if row is not None:
            return row
        name = queue_prefix(host) + key
        found = self._rows_ahead.get(name) or self._db.get(name)
        assert found is not None
        return found

    def _read(self, key: bytes, row: bytes) -> PendingPlace:
        if _QUEUES is not None:
            found: PendingPlace | None = _QUEUES.place_at(row, key, self._log.file, PendingPlace)
            if found is not None:
                return found
        place = unpack_place(key, self._log.read(row))
        if depth_at(row) is not None:
            place.pointer = row
        return place

    def count(self, host: Host) -> int:
        queue = self._hosts.get(host)
        return queue.count if queue is not None else 0

    def hosts(self) -> Iterator[tuple[Host, int]]:
        """Hosts that have pending URLs, and how many."""
        return ((host, queue.count) for host, queue in self._hosts.items() if is_of_new(host))

    def places(self, host: Host | None) -> Iterator[PendingPlace]:
        """All pending places, of all hosts or of one, by host and key, however they lie in memory and on disk."""
        changed = [place for place in self._changed.values() if _is_new(place)]
        if host is not None:
            changed = [place for place in changed if place.host == host]
        fresh = sorted((queue_prefix(place.queue) + place.key, place) for place in changed)
        stored = self._rows(queue_prefix(host) if host is not None else b"q")
        return (place for _, place in heapq.merge(fresh, stored, key=lambda row: row[0]) if _is_new(place))

    def foremost(self, host: Host, most: int) -> list[PendingPlace]:
        """The best places of one host, best first, without looking at the others."""
        queue, prefix = self._hosts.get(host), queue_prefix(host)
        if queue is None:
            return []
        fresh = (
            (prefix + key, place)
            for key, url in smaller(queue.fresh, LAST)
            if stands(place := self._changed.get(url), key, host)
        )
        found: dict[Url, PendingPlace] = {}
        for _, place in heapq.merge(fresh, self._rows(prefix), key=lambda row: row[0]):
            found.setdefault(place.url, place)
            if len(found) == most:
                break
        return list(found.values())

    def better(self, key: bytes) -> int:
        """How many pending places have a smaller key. Looks at all, a microsecond or two each."""
        fresh = sum(_is_new(place) and place.key < key for place in self._changed.values())
        rows = (row for row, _ in self._db.scan(b"q", after(b"q")) if is_of_new(chr(row[1])))
        return fresh + sum(
            row[row.index(b"\0") + 1 :] < key and not _is_dead(row, self._dead) for row in rows
        )

    def parted(self, queue: Host, key: bytes) -> tuple[int, bytes | None]:
        """How many places of one queue stand before a key, looking at each, and the first key that does not."""
        prefix = queue_prefix(queue)
        known = [p for p in self._changed.values() if isinstance(p, PendingPlace) and p.queue == queue]
        fresh = sorted(place.again_key() for place in known)
        ahead = sum(not _is_dead(row, self._dead) for row, _ in self._db.scan(prefix, prefix + key))
        rows = (row for row, _ in self._db.scan(prefix + key, after(prefix)) if not _is_dead(row, self._dead))
        behind = [each for each in fresh if each >= key][:1] + [row[len(prefix) :] for row in islice(rows, 1)]
        return ahead + sum(each < key for each in fresh), min(behind, default=None)

    def _rows(self, prefix: bytes) -> Iterator[tuple[bytes, PendingPlace]]:
        dead = (
            self._dead
        )  # a checkpoint makes a new table: this stays true for the iterator's view of the store
        for key, row in self._db.scan(prefix, after(prefix)):
            if not _is_dead(key, dead):
                yield key, self._read(key[key.index(b"\0") + 1 :], row)

    # -- inside --------------------------------------------------------------------------------

    def _clean(self, host: Host, queue: HostQueue) -> None:
        """Drop what is out of date until both heads are true, reading on where memory runs out."""
        fresh, changed = queue.fresh, self._changed
        while fresh:
            key, url = fresh[0]
            if stands(changed.get(url), key, host):
                break
            heapq.heappop(fresh)
        if dead := self._dead.get(host):
            while queue.best() in dead:
                queue.at += queue.width
        if queue.more and queue.at == len(queue.stored):
            self._read_on(host, queue)

    def _read_on(self, host: Host, queue: HostQueue, most: int | None = None) -> None:
        """Bring the next places of the disk into memory, behind those that are there."""
        prefix, dead = queue_prefix(host), self._dead.get(host, NO_KEYS)
        next_rows = _next_rows if _QUEUES is None else _QUEUES.next_rows

        def take(rows: RdictIter) -> tuple[list[bytes], bytes, bool]:
            taken: tuple[list[bytes], bytes, bool] = next_rows(
                rows, len(prefix), queue.bound, dead, most or BATCH
            )
            return taken

        found, queue.bound, queue.more = self._db.read(prefix + queue.bound, after(prefix), take)
        queue.hold(found)

    # -- checkpoint ----------------------------------------------------------------------------

    def write(self, batch: WriteBatch) -> None:
        """Bring the places that changed into the batch and the log, and the rows of their hosts. URLs in `changed` that
        do not wait are the caller's to write.

        Each host's queue is walked once: what is found is also what memory holds of it from `written` on. Hosts come by
        name, and URLs before places: of rows that are neighbours the store takes in twice as many in the same time.
        """
        self._delete_dead(batch)  # first, for some rise again
        self._write_urls(batch)
        touched = sorted(self._touched)
        if _QUEUES is None:
            self._coming = self._write_queues(batch, touched)
        else:
            self._coming = _QUEUES.put_queues(self, touched, batch.put, batch.delete, PendingPlace, HostQueue)

    def _delete_dead(self, batch: WriteBatch) -> None:
        dead = sorted(self._dead.items())
        if _QUEUES is not None:
            _QUEUES.delete_places(dead, batch.delete)
            return
        for host, keys in dead:
            for key in keys:
                batch.delete(queue_prefix(host) + key)

    def _write_urls(self, batch: WriteBatch) -> None:
        """Write what waits by its URL, and into the log what is not there yet."""
        if _QUEUES is not None:
            places, end = _QUEUES.waiting(self._changed, PendingPlace), self._log.end
            self._log.add_joined(_QUEUES.put_places(places, batch.put, pack_place, pending_row, end))
            return
        waiting = [place for place in self._changed.values() if type(place) is PendingPlace]
        waiting.sort(key=attrgetter("host"))
        unwritten = [place for place in waiting if not place.pointer]
        pointers = self._log.add([*map(pack_place, unwritten)], [place.depth for place in unwritten])
        for place, pointer in zip(unwritten, pointers, strict=True):
            place.pointer = pointer
        for place in waiting:
            batch.put(url_row(place.url), pending_row(place))

    def _write_queues(self, batch: WriteBatch, hosts: list[Host]) -> dict[Host, HostQueue]:
        written: dict[Host, HostQueue] = {}
        for host in hosts:
            queue = self._hosts.get(host)
            if queue is None:
                batch.delete(b"h" + host.encode())
                continue
            written[host] = coming = self._write_queue(batch, host, queue)
            head = queue.head or coming.best()
            assert head is not None
            coming.head = head
            batch.put(b"h" + host.encode(), queue.count.to_bytes(8, "big") + head)
        return written

    def _write_queue(self, batch: WriteBatch, host: Host, queue: HostQueue) -> HostQueue:
        """Write what was placed in one queue; answers the queue as it is then, with only its best in memory."""
        if queue.more and not self._any_true(host, queue):
            self._read_on(host, queue)
        prefix, put, changed = queue_prefix(host), batch.put, self._changed
        last = queue.bound if queue.more else LAST  # behind it there may be others that were not read yet
        rows: set[bytes] = set()
        for key, url in queue.fresh:
            place = changed.get(url)
            if stands(place, key, host):
                put(prefix + key, place.pointer)
                if key <= last:
                    rows.add(key + place.pointer)
        if not rows and host not in self._dead and queue.at < len(queue.stored) <= KEPT * queue.width:
            return queue.settled_as_it_was()
        return queue.settled(sorted(rows | self._true(host, queue)))

    def _any_true(self, host: Host, queue: HostQueue) -> bool:
        """Whether any of what is stored is not dead."""
        if host in self._dead:
            return bool(self._true(host, queue))
        return queue.at < len(queue.stored)

    def _true(self, host: Host, queue: HostQueue) -> set[bytes]:
        """What is stored and not dead, packed."""
        stored, width = queue.stored, queue.width
        rows = {stored[at : at + width] for at in range(queue.at, len(stored), width or 1)}
        if dead := self._dead.get(host):
            rows = {row for row in rows if row[: width - POINTER_BYTES] not in dead}
        return rows

    def written(self) -> None:
        """The batch is on disk: what was fresh is stored, and only the best of it stays in memory."""
        self._hosts.update(self._coming)
        self._dead, self._ahead, self._rows_ahead = {}, {}, {}
        self._touched, self._coming = {}, {}
