"""Pending URLs as bytes that sort in the order of their keys, and the rows they make in the key-value store.

Keys of the store begin with one letter:

* ``u`` and a URL: its state. ``v``, ``f`` or ``p``, its depth (4 bytes), and if pending its sort key. ``w`` is a
  pending URL that a redirect led to another host: the length of its sort key (1 byte), the key and that host.
* ``q``, a host, a zero byte and a sort key: a pending URL and all that is known of it. A host's queue in order.
* ``h`` and a host: how many URLs wait there, and the smallest sort key.
* ``t`` and a host: when it may be visited, and its address.
* ``a`` and an address: when it may be visited.
* ``m``: the snapshot, counters and leases, one row.
"""

from __future__ import annotations

from struct import Struct
from typing import Final, TypeGuard, cast

import msgspec

from lycosa.frontier.protocol import Key
from lycosa.model.records import Link, Request
from lycosa.model.url import Host, Url, host_of
from lycosa.store.codec import link_of, surroundings_of

_three = Struct(">QQQ")
_order = Struct(">Q")
_float = Struct(">d")
_bits = Struct(">Q")
_mark = Struct(">BI")

PENDING, ELSEWHERE, VISITED, FAILED = b"pwvf"

_SIGN = 1 << 63
_ALL = (1 << 64) - 1

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder().decode


def sort_key(key: Key, order: int, *, unique: bool) -> bytes:
    """Bytes that sort as keys do: tier, minus score, tie-break, each as 8 bytes, most significant first.

    Integers are shifted to be positive. Of an IEEE 754 number the sign bit is flipped if it is positive, all bits if
    it is negative: then the bits sort as the numbers do. If tie-breaks are drawn they may coincide, so that the order
    of arrival follows (`unique` false).
    """
    tier, score, tie = key
    (bits,) = _bits.unpack(
        _float.pack(score + 0.0)
    )  # minus zero becomes zero: they are equal, so must the bytes be
    bits = _ALL ^ bits if bits & _SIGN else bits | _SIGN
    packed = _three.pack(tier + _SIGN, bits, tie + _SIGN)
    return packed if unique else packed + _order.pack(order)


def key_of(packed: bytes) -> Key:
    tier, bits, tie = _three.unpack_from(packed)
    bits = bits ^ _SIGN if bits & _SIGN else _ALL ^ bits
    (score,) = _float.unpack(_bits.pack(bits))
    return tier - _SIGN, score, tie - _SIGN


class PendingPlace(msgspec.Struct, gc=False):
    """A pending URL. Its link is packed: the strings of 80 links a page would fill the memory."""

    url: Url
    key: bytes
    order: int
    depth: int
    attempt: int
    via: bytes | None
    way: tuple[Url, ...] = ()

    @property
    def host(self) -> Host:
        """Where the URL waits: see `Request.at`."""
        return host_of(self.way[-1] if self.way else self.url)

    def request(self) -> Request:
        tier, score, _ = key_of(self.key)
        return Request(
            url=self.url,
            order=self.order,
            via=unpack_link(self.via),
            depth=self.depth,
            score=0.0 - score,
            tier=tier,
            attempt=self.attempt,
            way=self.way,
        )


Held = PendingPlace | int | None
"""What is known of a URL: its place if it is pending, its outcome if it is settled, None if unseen or leased.
An outcome is twice the depth, plus one if the visit failed."""

MISSING: Final = cast("Held", object())
"""Nothing changed: the store knows."""


def pack_link(link: Link | None) -> bytes | None:
    if link is None:
        return None
    return _pack((link.source, link.target, link.anchor, *surroundings_of(link)))


def unpack_link(packed: bytes | None) -> Link | None:
    if packed is None:
        return None
    source, target, anchor, *surroundings = _unpack(packed)
    return link_of(source, target, anchor, surroundings)


# -- rows --------------------------------------------------------------------------------------------------------


def url_row(url: Url) -> bytes:
    return b"u" + url.encode()


def queue_prefix(host: Host) -> bytes:
    return b"q" + host.encode() + b"\0"


def pack_place(place: PendingPlace) -> bytes:
    return _pack((place.url, place.order, place.depth, place.attempt, place.via, *place.way))


def unpack_place(key: bytes, packed: bytes) -> PendingPlace:
    url, order, depth, attempt, via, *way = _unpack(packed)
    return PendingPlace(url, key, order, depth, attempt, via, tuple(way))


def is_pending(row: bytes | None) -> TypeGuard[bytes]:
    return row is not None and row[0] in (PENDING, ELSEWHERE)


def outcome_in(row: bytes | None) -> int | None:
    """How a settled URL ended, None if the store does not know it."""
    return None if row is None else depth_in(row) << 1 | (row[0] == FAILED)


def key_in(row: bytes) -> bytes:
    """The sort key in the row of a pending URL."""
    return row[5:] if row[0] == PENDING else row[6 : 6 + row[5]]


def host_in(row: bytes, url: Url) -> Host:
    """The host in whose queue a pending URL waits, by its row."""
    return host_of(url) if row[0] == PENDING else Host(row[6 + row[5] :].decode())


def depth_in(row: bytes) -> int:
    """The depth in the row of a URL that is pending or settled."""
    return int.from_bytes(row[1:5], "big")


def pending_row(place: PendingPlace) -> bytes:
    if not place.way:
        return _mark.pack(PENDING, place.depth) + place.key
    return _mark.pack(ELSEWHERE, place.depth) + bytes([len(place.key)]) + place.key + place.host.encode()


def outcome_row(outcome: int) -> bytes:
    return _mark.pack(FAILED if outcome & 1 else VISITED, outcome >> 1)
