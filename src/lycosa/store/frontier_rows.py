"""Pending URLs as bytes that sort in the order of their keys, and the rows they make in the key-value store.

Keys of the store begin with one letter:

* ``u`` and a URL: its state. ``v``, ``f``, ``e`` (another node sees to it) or ``p``, its depth (4 bytes), and if
  pending its sort key. ``w`` is a
  pending URL that a redirect led to another host: the length of its sort key (1 byte), the key and that host. ``r`` is
  a URL that waits to be visited again: whether its last visit failed (1 byte), then as for ``w``, with a queue's name.
* ``q``, the name of a queue, a zero byte and a sort key: a URL that waits, in order. The row points to all that is
  known of it (`lycosa.store.place_log`); before format 4 it was in the row, and rows of that kind are read as ever.
* ``h`` and the name of a queue: how many URLs wait there, and the smallest sort key.
* ``t`` and a host: when it may be visited, and its address.
* ``a`` and an address: when it may be visited.
* ``m``: the snapshot, counters and leases, one row.

Each host has a queue of its own name for its pending URLs, and one of that name after `_AGAIN` for revisits that are
due. Revisits that are not due yet stand in one queue for all hosts, `LATER`, by their times.
"""

from __future__ import annotations

from functools import lru_cache
from struct import Struct
from typing import Final, TypeGuard, cast

import msgspec

from lycosa.frontier.protocol import NewKey
from lycosa.model.compiled import compiled
from lycosa.model.records import Link, Millis, Request, UrlState
from lycosa.model.url import Host, Url, host_of
from lycosa.store.codec import link_of, surroundings_of

_QUEUES: Final = compiled("lycosa.frontier._queues")
_two = Struct(">Qd")
_three = Struct(">QdQ")
_order = Struct(">Q")
_mark = Struct(">BI")

PENDING, REDIRECTED, VISITED, FAILED, AGAIN, ELSEWHERE = b"pwvfre"

_AGAIN = "\x01"  # no host's name begins so
LATER: Final = Host(_AGAIN)
"""The queue of revisits that are not due yet."""

RANK: Final = slice(_two.size)
"""Where tier and minus score stand in the bytes of a key."""
_SIGN = 1 << 63
_TOP = _SIGN - 1
_FLIP = bytes(range(255, -1, -1))
"""Translates bytes to those of which every bit is the other one."""

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder().decode


def sort_key(key: NewKey, order: int, *, unique: bool) -> bytes:
    """Bytes that sort as keys do: tier, minus score, tie-break, each as 8 bytes, most significant first.

    Integers are shifted to be positive. Of an IEEE 754 number the sign bit is flipped if it is positive, all bits if
    it is negative: then the bits sort as the numbers do. If tie-breaks are drawn they may coincide, so that the order
    of arrival follows (`unique` false).
    """
    tier, score, tie = key
    if score < 0:  # of all three every bit is flipped, so those of the integers are given flipped
        packed = _three.pack(_TOP - tier, score, _TOP - tie).translate(_FLIP)
    else:
        packed = _three.pack(tier + _SIGN, _negative(score), tie + _SIGN)
    return packed if unique else packed + _order.pack(order)


@lru_cache(maxsize=1_000)
def rank(tier: int, score: float) -> bytes:
    """The beginning (`RANK`) of the bytes of a key: all but its tie-break. The new links of a page often share it."""
    return moved(b"", tier, score)


def moved(key: bytes, tier: int, score: float) -> bytes:
    """The key of the same place with another tier and (minus) score."""
    if score < 0:
        return _two.pack(_TOP - tier, score).translate(_FLIP) + key[_two.size :]
    return _two.pack(tier + _SIGN, _negative(score)) + key[_two.size :]


def _negative(score: float) -> float:
    """The number with its sign bit set. Minus zero becomes zero before: they are equal, so must the bytes be."""
    return -(score + 0.0)


def key_of(packed: bytes) -> NewKey:
    if packed[8] & 0x80:  # where the score begins
        tier, score, tie = _three.unpack_from(packed)
        return tier - _SIGN, -score, tie - _SIGN
    tier, score, tie = _three.unpack_from(packed.translate(_FLIP))
    return _TOP - tier, score, _TOP - tie


def again_queue(host: Host) -> Host:
    """The name of the queue of a host's revisits that are due."""
    return Host(_AGAIN + host)


def is_of_new(queue: str) -> bool:
    """Whether a queue is one of pending URLs, and its name that of a host."""
    return not queue.startswith(_AGAIN)


def host_again(queue: str) -> Host | None:
    """The host whose revisits that are due stand in this queue; None if it is another kind of queue."""
    return Host(queue[1:]) if len(queue) > 1 and queue[0] == _AGAIN else None


NOT_READ: Final = -1
"""The order of a place of which only its record on disk tells it."""


class PendingPlace(msgspec.Struct, gc=False):
    """A URL that waits. Its link is packed: the strings of 80 links a page would fill the memory.

    Of a place that is only moved the record is not even read: then `order`, `attempt`, `via` and `was` are not known,
    until `HostQueues.whole` tells them.
    """

    url: Url
    host: Host
    """Where the URL waits: see `Request.at`."""
    key: bytes
    order: int
    depth: int
    attempt: int
    via: bytes | None
    way: tuple[Url, ...] = ()
    was: int | None = None
    """Of a URL that was visited: the outcome that it has again if it is dropped."""
    again: tuple[int, float, int] | None = None
    """Of a revisit: tier, minus score, when it is due."""
    later: bool = False
    """The revisit is not due yet."""
    pointer: bytes = b""
    """To the record on disk that says all of this but the key; empty if none does."""

    def send(self, way: tuple[Url, ...]) -> None:
        """Let it wait where redirects led."""
        self.way, self.host, self.pointer = way, host_of(way[-1] if way else self.url), b""

    @property
    def queue(self) -> Host:
        """The name of the queue in which the URL stands."""
        if self.again is None:
            return self.host
        return LATER if self.later else again_queue(self.host)

    def again_key(self) -> bytes:
        """Where a revisit belongs in the queue of its name."""
        assert self.again is not None
        if self.later:
            return sort_key((0, float(self.again[2]), self.order), self.order, unique=True)
        return sort_key(self.again, self.order, unique=False)

    def request(self) -> Request:
        if _QUEUES is not None:
            made: Request | None = _QUEUES.request(self, Request, Link)
            if made is not None:
                return made
        tier, score, _ = self.again or key_of(self.key)
        return Request(
            url=self.url,
            order=self.order,
            via=unpack_link(self.via, self.url),
            depth=self.depth,
            score=0.0 - score,
            tier=tier,
            attempt=self.attempt,
            way=self.way,
            known=self.was is not None,
            due=None if self.again is None else Millis(self.again[2]),
        )


Held = PendingPlace | int | None
"""What is known of a URL: its place if it waits, its outcome if it is settled, None if unseen or leased.
An outcome is twice the depth, plus one if the visit failed; minus one minus the depth if another node sees to it."""

MISSING: Final = cast("Held", object())
"""Nothing changed: the store knows."""


def pack_link(link: Link | None, url: Url) -> bytes | None:
    """The link that led to a URL, which need not be said again; before format 4 it was."""
    if link is None:
        return None
    target = None if link.target == url else link.target
    return _pack((link.source, target, link.anchor, *surroundings_of(link)))


def unpack_link(packed: bytes | None, url: Url) -> Link | None:
    if packed is None:
        return None
    source, target, anchor, *surroundings = _unpack(packed)
    return link_of(source, target or url, anchor, surroundings)


# -- rows --------------------------------------------------------------------------------------------------------


def url_row(url: Url) -> bytes:
    return b"u" + url.encode()


def queue_prefix(queue: Host) -> bytes:
    return b"q" + queue.encode() + b"\0"


def pack_place(place: PendingPlace) -> bytes:
    if place.was is None and not place.way:  # nearly all
        return _pack((place.url, place.order, place.depth, place.attempt, place.via))
    was_there = () if place.was is None else ((place.was, place.again, place.later),)
    return _pack((place.url, place.order, place.depth, place.attempt, place.via, *place.way, *was_there))


def unpack_place(key: bytes, packed: bytes) -> PendingPlace:
    url, order, depth, attempt, via, *way = _unpack(packed)
    place = PendingPlace(url, host_of(url), key, order, depth, attempt, via)
    if way and not isinstance(way[-1], str):
        place.was, again, place.later = way.pop()
        place.again = again and tuple(again)
    if way:
        place.send(tuple(way))
    return place


def is_pending(row: bytes | None) -> TypeGuard[bytes]:
    return row is not None and row[0] in (PENDING, REDIRECTED)


def waits_again(row: bytes | None) -> TypeGuard[bytes]:
    """Whether a visited URL waits for a revisit."""
    return row is not None and row[0] == AGAIN


def outcome_in(row: bytes | None) -> int | None:
    """How a settled URL ended, None if the store does not know it."""
    if row is None:
        return None
    if row[0] == ELSEWHERE:
        return ~depth_in(row)
    return depth_in(row) << 1 | (row[5] if row[0] == AGAIN else row[0] == FAILED)


def state_by(outcome: int) -> UrlState:
    if outcome < 0:
        return UrlState.ELSEWHERE
    return UrlState.FAILED if outcome & 1 else UrlState.VISITED


def depth_by(outcome: int) -> int:
    return ~outcome if outcome < 0 else outcome >> 1


def key_in(row: bytes) -> bytes:
    """The sort key in the row of a URL that waits."""
    if row[0] == PENDING:
        return row[5:]
    at = _length_at(row)
    return row[at + 1 : at + 1 + row[at]]


def queue_in(row: bytes, url: Url) -> Host:
    """The queue in which a URL waits, by its row."""
    at = _length_at(row)
    return host_of(url) if row[0] == PENDING else Host(row[at + 1 + row[at] :].decode())


def _length_at(row: bytes) -> int:
    return 6 if row[0] == AGAIN else 5


def due_in(row: bytes, url: Url) -> Millis:
    """When a revisit is due, by the row of its URL."""
    _, score, due = key_of(key_in(row))
    return Millis(int(score) if queue_in(row, url) == LATER else due)


def depth_in(row: bytes) -> int:
    """The depth in the row of a URL that waits or is settled."""
    return int.from_bytes(row[1:5], "big")


def pending_row(place: PendingPlace) -> bytes:
    if place.again is None and not place.way:  # nearly all
        return _mark.pack(PENDING, place.depth) + place.key
    tail = bytes([len(place.key)]) + place.key + place.queue.encode()
    if place.again is None:
        return _mark.pack(REDIRECTED, place.depth) + tail
    assert place.was is not None
    return _mark.pack(AGAIN, place.depth) + bytes([place.was & 1]) + tail


def outcome_row(outcome: int) -> bytes:
    if outcome < 0:
        return _mark.pack(ELSEWHERE, ~outcome)
    return _mark.pack(FAILED if outcome & 1 else VISITED, outcome >> 1)
