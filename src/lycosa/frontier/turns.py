"""Whose turn it is: which hosts may be visited now, and the best-ranked of them."""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, Generic, TypeVar

import msgspec

from lycosa.frontier.heads import HeadsByPython, heads
from lycosa.frontier.protocol import Key, Rest
from lycosa.model.compiled import compiled
from lycosa.model.records import Millis
from lycosa.model.url import Host, Url

_QUEUES: Final = compiled("lycosa.frontier._queues")
_heaps: Final[Any] = _QUEUES or heapq
LOOKED_AT = 1_024
"""Pending URLs of a closed host, the best, among which those are counted that are worth waiting for."""
SWEEP_BEYOND = 64
"""Entries out of date that a heap may hold, beyond one for each host."""

Counting = Callable[[Host, Key, int], tuple[int, Key | None]]
"""How many pending URLs of a host that are worth waiting for stand before a key, counted up to a number, and the key of
the first of them."""

Entry = TypeVar("Entry", bound=tuple[Any, Any])
Placed = TypeVar("Placed", Key, bytes)


def smaller(heap: Sequence[Entry], key: Any) -> Iterator[Entry]:
    """The entries of a heap whose first part is less than the key, in order; no others are looked at but the two below
    each of them."""
    ahead = [(heap[0], 0)] if heap and heap[0][0] < key else []
    while ahead:
        entry, place = heapq.heappop(ahead)
        yield entry
        for below in (2 * place + 1, 2 * place + 2):
            if below < len(heap) and heap[below][0] < key:
                heapq.heappush(ahead, (heap[below], below))


class BestPlaces(Generic[Placed]):
    """The best places of one host, until there are enough that are worth waiting for.

    Those are places that a link led to: start pages, and what was asked for by hand, are to be fetched anyway. Only the
    first `LOOKED_AT` places are looked at.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._places: dict[tuple[Placed, Url], int] = {}  # and their depths
        self._linked = 0
        self.untrue = 0
        """Entries that were looked at and are out of date."""

    def add(self, at: Placed, url: Url, depth: int | None) -> bool:
        """Take in the next one; None for its depth if it is out of date. False if that is enough."""
        if depth is None:
            self.untrue += 1
        elif (at, url) not in self._places:
            self._places[at, url] = depth
            self._linked += depth > 0
        return self._linked < self._most and len(self._places) < LOOKED_AT

    @property
    def litters(self) -> bool:
        """More was out of date than true, so that it is worth cleaning up."""
        return self.untrue > len(self._places) + SWEEP_BEYOND

    def linked(self, other: BestPlaces[Placed] | None = None) -> list[Placed]:
        """Those that are worth waiting for, with those of another part of the host's queue, in order."""
        places = {**self._places, **other._places} if other is not None else self._places
        ordered = sorted((at, depth) for (at, _), depth in places.items())
        return [at for at, depth in ordered[:LOOKED_AT] if depth]


class Ahead(msgspec.Struct, Generic[Placed], frozen=True, gc=False):
    """The places of one host that are worth waiting for, all before a key."""

    until: Placed
    places: list[Placed]
    """Ascending; some of those from `until` on may be there, too."""

    def tells(self, key: Placed, most: int) -> bool:
        """Whether it is known how many there are before a key, counted up to `most`."""
        return key <= self.until or most <= len(self.places)

    def before(self, key: Placed, most: int) -> tuple[int, Placed | None]:
        """How many there are, and the first of them."""
        count = min(bisect_left(self.places, key), most)
        return count, self.places[0] if count else None


class Turns:
    """Politeness as a structure: a leased host is closed until it is settled, then rests; so does its address.

    A host's *head* is the key of its best pending URL; the frontier tells it by the function `head`, and calls
    `offer` whenever a head improved. Heads of open hosts stand in one heap. Those of hosts whose address is closed
    are parked in a heap for that address, of which only the best comes forward when the address reopens: a
    thousand hosts on one address cost no more than one. Heap entries may be out of date; they are checked when they
    come up, so a change costs O(log n). One entry of each host counts, its best: were all of them offered again as
    they come up, a host would gather one more with each visit. What no longer counts is swept when there is more of
    it than there are hosts, so memory grows with hosts only.

    Closed hosts, and open ones at closed addresses, stand in a second heap by their heads. Of it and of their queues
    only the entries before a given key are looked at, so to count the URLs that stand before the best open one costs
    as much as there are of these, whatever else waits.

    Invariants, each the name of a property test:

    * the best open host comes first: what `best` answers is open, its address is open, and no open host has a smaller
      head.
    * all better ones are counted: `better` tells how many URLs worth waiting for of the hosts that are not open stand
      before a key, if no open host has a smaller head.
    """

    def __init__(self, head: Callable[[Host], Key | None], before: Counting) -> None:
        self._head, self._before = head, before
        self._shut: list[tuple[Key, Host]] = []
        self._in_trouble: set[Host] = set()
        self._shut_at: dict[Host, Key] = {}  # the entry of each host there that counts: none after its head
        self._heads = heads()
        self._standing: dict[Host, Key] = {}  # the one entry of each host, here or parked, that counts
        self._closed: dict[Host, Millis | None] = {}  # reopens at; None: leased
        self._address: dict[Host, str] = {}
        self._address_out: set[str] = set()  # a host there is leased
        self._address_until: dict[str, Millis] = {}
        self._parked: dict[str, HeadsByPython] = {}
        self._reopening: list[tuple[Millis, bool, str]] = []  # when, is it an address, its name
        self._tables = (  # for the compiled twin, in its order: none of them is ever replaced
            self._head,
            self._shut,
            self._shut_at,
            self._heads,
            self._standing,
            self._closed,
            self._address,
            self._address_out,
            self._address_until,
            self._parked,
            self._reopening,
            self._in_trouble,
        )

    def beside(self, head: Callable[[Host], Key | None], before: Counting) -> Turns:
        """Turns for others who wait at the same hosts, open and closed as these are now. From here on both are to be
        told of each lease, settlement and release."""
        other = Turns(head, before)
        other._in_trouble |= self._in_trouble
        other._address |= self._address
        other._closed |= self._closed
        other._reopening += self._reopening
        other._address_out |= self._address_out
        other._address_until |= self._address_until
        return other

    def is_open(self, host: Host, now: Millis) -> bool:
        """Neither the host nor its address is leased or resting."""
        until, address = self._closed.get(host, now), self._address.get(host, "")
        if until is None or until > now:
            return False
        return address not in self._address_out and self._address_until.get(address, now) <= now

    def front(self, most: int) -> list[Key]:
        """The keys of the best pending URL of each host, open or closed, the best of them, best first; some may have
        fallen behind since. Looks at all hosts."""
        return heapq.nsmallest(most, {**self._shut_at, **self._standing}.values())

    def foremost(self, most: int) -> list[Host]:
        """The hosts with the best pending URLs, open or closed, the best first. Looks at all hosts."""
        noted = [(key, host) for host, key in self._standing.items()]
        noted += [
            (key, host) for host, key in self._shut_at.items()
        ]  # some stand in both: the smaller counts
        heapq.heapify(noted)
        found: dict[Host, None] = {}
        while noted and len(found) < most:
            key, host = noted[0]
            head = None if host in found else self._head(host)
            if head is None or head == key:
                _heaps.heappop(noted)
                if head is not None:
                    found[host] = None
            else:
                heapq.heapreplace(noted, (head, host))
        return list(found)

    def offer(self, host: Host) -> None:
        """Take note of the host's head, which improved or became visible."""
        if _QUEUES is not None:
            _QUEUES.offer(self, host)
            return
        key = self._head(host)
        if key is None:
            return
        address = self._address.get(host, "")
        address_closed = self._is_closed(address)
        if address_closed or host in self._closed:
            self._shut_out(host, key)
        standing = self._standing.get(host)
        if host in self._closed or (standing is not None and standing <= key):
            return
        self._standing[host] = key
        heap = self._heads_at(address) if address_closed else self._heads
        heap.push(key, host)
        if len(heap) > 2 * len(self._standing) + SWEEP_BEYOND:
            self._sweep(heap)

    def best(self, now: Millis) -> Host | None:
        """The open host with the smallest head, or None."""
        if _QUEUES is not None:
            found: Host | None = _QUEUES.best(self, now)
            return found
        self._reopen(now)
        while self._heads:
            key, host = self._heads.first()
            address = self._address.get(host, "")
            if self._standing.get(host) != key:
                self._heads.pop()
                self._come_forward(address)
            elif host not in self._closed and self._is_closed(address):
                self._heads.pop()
                self._heads_at(address).push(key, host)
                self._shut_out(host, key)
            elif host in self._closed or self._head(host) != key:
                self._heads.pop()
                del self._standing[host]
                if host not in self._closed:  # else it was shut out when it was closed
                    self.offer(host)
                self._come_forward(address)
            else:
                return host
        return None

    def better(self, key: Key, most: int) -> tuple[int, Host]:
        """How many URLs worth waiting for stand before the key at hosts that are not open, counted up to `most`, and
        where the first does, empty if none. To be asked of the head of what `best` answered last: so no open host has
        one."""
        shut, asked = self._shut, dict[Host, Key]()
        found, first = 0, (key, Host(""))
        try:
            while shut and shut[0][0] < key and not (found == most and shut[0][0] >= first[0]):
                noted, host = _heaps.heappop(shut)
                if self._shut_at.get(host) != noted or host in asked:
                    continue  # out of date: gone for good
                asked[host] = noted
                if host in self._in_trouble:
                    continue
                here, at = self._before(host, key, max(1, most - found))
                if at is not None:
                    first = min(first, (at, host))
                    found = min(most, found + here)
        finally:
            for host, noted in asked.items():
                _heaps.heappush(shut, (noted, host))
        return found, first[1]

    def lease(self, host: Host) -> None:
        """Close the host and its address until the visit is settled."""
        if _QUEUES is not None:
            _QUEUES.lease(self, host)
            return
        self._closed[host] = None
        if (key := self._head(host)) is not None:
            self._shut_out(host, key)
        if address := self._address.get(host):
            self._address_out.add(address)

    def settle(self, host: Host, rest: Rest) -> None:
        """The visit is over: host and address rest. A newly learned address groups the host from now on."""
        if _QUEUES is not None and _QUEUES.settle(self, host, rest):
            return
        before = self._address.get(host, "")
        if before:
            self._address_out.discard(before)
            self._rest_address(before, rest.address_until)
        if rest.address and rest.address != before:
            self._address[host] = rest.address
            self._rest_address(rest.address, rest.address_until)
            self._scatter(before)
        if rest.in_trouble is not None:
            (self._in_trouble.add if rest.in_trouble else self._in_trouble.discard)(host)
        self._closed[host] = rest.host_until
        _heaps.heappush(self._reopening, (rest.host_until, False, host))

    def release(self, host: Host) -> None:
        """Open a leased host, and its address, at once: the visit was lost."""
        self._open(host)
        if address := self._address.get(host, ""):
            self._address_out.discard(address)
            self._come_forward(address)
        self.offer(host)

    def pass_to(self, now: Millis) -> None:
        """Open what reopens by now."""
        self._reopen(now)

    def wakes_at(self) -> Millis | None:
        """The earliest time at which a resting host or address reopens, None if none rests."""
        return self._reopening[0][0] if self._reopening else None

    # -- to keep turns and restore them ----------------------------------------------------------------------

    def resting(self, now: Millis) -> dict[Host, Millis]:
        """The hosts that rest now, and until when."""
        return {host: until for host, until in self._closed.items() if until is not None and until > now}

    def address(self, host: Host) -> str:
        """The address of the host, empty if none was learned."""
        return self._address.get(host, "")

    def row(self, host: Host) -> tuple[Millis | None, str, bool]:
        """When the host reopens (0: it is open, None: it is leased), its address, and whether it is in trouble."""
        return self._closed.get(host, Millis(0)), self._address.get(host, ""), host in self._in_trouble

    def address_row(self, address: str) -> Millis:
        """When the address reopens; 0: it does not rest."""
        return self._address_until.get(address, Millis(0))

    def restore(self, host: Host, until: Millis | None, address: str, in_trouble: bool = False) -> None:
        """Take in what `row` told, before anything is offered."""
        if in_trouble:
            self._in_trouble.add(host)
        if address:
            self._address[host] = address
        if until is None:
            self.lease(host)
        elif until:
            self._closed[host] = until
            _heaps.heappush(self._reopening, (until, False, host))

    def restore_address(self, address: str, until: Millis) -> None:
        """Take in what `address_row` told, before anything is offered."""
        self._rest_address(address, until)

    # -- inside ----------------------------------------------------------------------------------------------

    def _is_closed(self, address: str) -> bool:
        return address in self._address_out or address in self._address_until

    def _rest_address(self, address: str, until: Millis) -> None:
        until = max(until, self._address_until.get(address, until))
        self._address_until[address] = until
        _heaps.heappush(self._reopening, (until, True, address))

    def _reopen(self, now: Millis) -> None:
        while self._reopening and self._reopening[0][0] <= now:
            at, is_address, name = _heaps.heappop(self._reopening)
            if is_address:
                if self._address_until.get(name) == at:
                    del self._address_until[name]
                    self._come_forward(name)
            elif self._closed.get(Host(name), -1) == at:
                self._open(Host(name))
                self.offer(Host(name))

    def _open(self, host: Host) -> None:
        del self._closed[host]
        self._shut_at.pop(host, None)

    def _shut_out(self, host: Host, key: Key) -> None:
        """The host is not open, and has nothing before this key."""
        noted = self._shut_at.get(host)
        if noted is not None and noted <= key:
            return
        self._shut_at[host] = key
        _heaps.heappush(self._shut, (key, host))
        if len(self._shut) > 2 * len(self._shut_at) + SWEEP_BEYOND:
            self._sweep_shut()

    def _sweep_shut(self) -> None:
        self._shut[:] = [(at, each) for each, at in self._shut_at.items()]
        heapq.heapify(self._shut)

    def _come_forward(self, address: str) -> None:
        """Let the best of an open address's parked heads stand with the others."""
        parked = self._parked.get(address)
        if parked and not self._is_closed(address):
            self._heads.push(*(head := parked.pop()))
            if head[1] not in self._closed:
                self._shut_at.pop(head[1], None)
            if not parked:
                del self._parked[address]

    def _heads_at(self, address: str) -> HeadsByPython:
        return self._parked.setdefault(address, heads())

    def _sweep(self, heap: HeadsByPython) -> None:
        """Drop what is out of date. It may have stood for others at its address, whose best comes forward then."""
        standing, address = self._standing, self._address
        entries = heap.entries()
        kept = dict.fromkeys(entry for entry in entries if standing.get(entry[1]) == entry[0])
        gone = dict.fromkeys(address.get(host, "") for key, host in entries if standing.get(host) != key)
        heap.become(kept)
        for name in gone:
            self._come_forward(name)

    def _scatter(self, address: str) -> None:
        """A host left this address, so its parked heads can no longer follow each other: all come forward."""
        parked = self._parked.pop(address, None)
        for head in parked.entries() if parked is not None else ():
            self._heads.push(*head)
            if head[1] not in self._closed:
                self._shut_at.pop(head[1], None)
