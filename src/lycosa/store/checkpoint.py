"""What a checkpoint of the frontier writes and an opening reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec
from rocksdict import WriteBatch

from lycosa.frontier.protocol import Tie
from lycosa.frontier.turns import Turns
from lycosa.model.compiled import compiled
from lycosa.model.decoding import from_msgpack
from lycosa.model.errors import FolderError
from lycosa.model.events import Snapshot
from lycosa.model.records import Millis
from lycosa.model.url import Host, Url
from lycosa.store.frontier_rows import (
    Held,
    PendingPlace,
    outcome_row,
    url_row,
)
from lycosa.store.rocks import Rocks, after, open_rocks

_QUEUES: Final = compiled("lycosa.frontier._queues")
FORMAT = 6
"""Version of the rows; 2 has URLs that wait at another host, where a redirect led; 3 has revisits; of 4 the long parts
of snapshots lie in files beside (`pieces.py`), and places in a log (`place_log.py`); of 5 the hunter packs its texts,
of 6 each term with its count.

A folder written with a higher one is refused, not misread."""

_TOTALS = b"m"
_pack = msgspec.msgpack.Encoder().encode


class Totals(msgspec.Struct, array_like=True):
    """The row that is not about one URL or host."""

    format: int
    snapshot: Snapshot
    """Its long parts by reference, in formats of before 4 whole."""
    tie: Tie
    seed: int
    pending: int
    order: int
    quota: int | None
    leases: list[tuple[bytes, bytes]]
    """Sort key and packed place, in the order of the leases."""
    revisits: int = 0
    logged: int = 0
    """How long the log of places is, in bytes."""


class _Kept(msgspec.Struct):
    """Of a snapshot no more than this is read."""

    step: int


class _Head(msgspec.Struct, array_like=True):
    """The beginning of the totals."""

    format: int
    snapshot: _Kept


def last_kept(path: Path) -> int | None:
    """The step of the last checkpoint in a folder, None before there is one. Raises FolderError where it cannot be
    read."""
    db = open_rocks(path, read_only=True)
    try:
        row = db.get(_TOTALS)
    finally:
        db.close()
    return None if row is None else from_msgpack(row, _Head).snapshot.step


def write_outcomes(batch: WriteBatch, changed: dict[Url, Held]) -> None:
    """The rows of URLs that do not wait any more; of those that do, `HostQueues.write` takes care."""
    if _QUEUES is not None:
        _QUEUES.put_outcomes(changed, batch.put, batch.delete)
        return
    for url, held in changed.items():
        if held is None:
            batch.delete(url_row(url))
        elif not isinstance(held, PendingPlace):
            batch.put(url_row(url), outcome_row(held))


def write_turns(batch: WriteBatch, turns: Turns, hosts: dict[Host, None], addresses: Iterable[str]) -> None:
    def packed(host: Host) -> bytes:
        return _pack(turns.row(host))

    if _QUEUES is not None:
        _QUEUES.put_turns(turns, hosts, batch.put, packed)
    else:
        for host in hosts:
            batch.put(b"t" + host.encode(), packed(host))
    for address in addresses:
        batch.put(b"a" + address.encode(), _pack(turns.address_row(address)))


def read_turns(db: Rocks, turns: Turns) -> None:
    for key, value in db.scan(b"t", after(b"t")):
        until, address, *in_trouble = msgspec.msgpack.decode(value)  # once there were two
        turns.restore(Host(key[1:].decode()), until, address, any(in_trouble))
    for key, value in db.scan(b"a", after(b"a")):
        until = msgspec.msgpack.decode(value)
        if until:
            turns.restore_address(key[1:].decode(), Millis(until))


def write_totals(batch: WriteBatch, totals: Totals) -> None:
    batch.put(_TOTALS, _pack(totals))


def read_totals(db: Rocks, path: Path) -> Totals | None:
    """What the last checkpoint says, None in a new folder. Raises FolderError for a newer format."""
    row = db.get(_TOTALS)
    if row is None:
        return None
    version = msgspec.msgpack.decode(row)[0]
    if version > FORMAT:
        raise FolderError(
            f"{path}: written in format {version}, this lycosa reads up to {FORMAT}; use a newer lycosa"
        )
    return from_msgpack(row, Totals)
