"""Snapshots of crawls that grow: a base, and of each checkpoint since only what changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
from msgspec.msgpack import Ext

from lycosa.model.events import Snapshot
from lycosa.store.rocks import DamagedStore, RocksErrors

PIECE = 1 << 16
"""Bytes; what is shorter stands in the snapshot itself."""
MOST_PARTS = 64
"""A mapping of more entries is one part."""
SPARE = 1 << 24
"""Bytes that no snapshot needs any more may lie about before all is written anew, and as many as are needed."""
_BYTES, _PACKED = 1, 2
_DIGEST = 16
_PLAIN = (int, float, str, type(None))
_pack = msgspec.msgpack.Encoder().encode


class Piece(NamedTuple):
    """Where some bytes of a snapshot lie."""

    file: int
    at: int
    length: int
    digest: bytes


class Pieces:
    """The long parts of a crawl's snapshots, cut into pieces, in files that are only ever appended to.

    `write` gives the snapshot back with references in place of its long parts, to be kept elsewhere; `settle` says that
    this was done. Pieces that are as they were in the snapshot before are not written again. Bytes are taken as they
    are, so memory for a copy of the state is not needed. Costs a digest of the whole state each time, a second a
    gigabyte.

    Invariants, each the name of a property test:

    * as it was: `read` gives what `write` was given, of the last snapshot that was settled and of the one before.
    * no more than twice: the files hold at most twice what the snapshot needs, and `SPARE` bytes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._parts: dict[str, list[Piece]] = {}  # of the last snapshot, by its place in it
        self._written: dict[str, list[Piece]] = {}  # of the one that is to be settled
        self._needed: frozenset[int] = frozenset()  # files, by the last snapshot
        self._sizes: dict[int, int] = {}

    def adopt(self, short: Snapshot) -> None:
        """Go on from a snapshot that was written before."""
        self._parts = dict(_references("", {"crawl": short.crawl, "strategy": short.strategy}))
        self._needed = _files(self._parts)
        self._sizes = {int(path.name): path.stat().st_size for path in self._files()}

    def write(self, snapshot: Snapshot) -> Snapshot:
        """Have all long parts on disk. Raises `FolderError` if the disk is full; then nothing has changed."""
        try:
            return self._write(snapshot)
        except OSError:
            with RocksErrors(self.folder.parent):
                raise

    def _write(self, snapshot: Snapshot) -> Snapshot:
        needed = sum(piece.length for pieces in self._parts.values() for piece in pieces)
        base = {} if sum(self._sizes.values()) > 2 * needed + SPARE else self._parts
        self.folder.mkdir(exist_ok=True)
        number = max((int(path.name) for path in self._files()), default=0) + 1
        path = self.folder / f"{number:08d}"
        try:
            with path.open("wb") as file:
                cutter = _Cutter(number, file, base)
                crawl, strategy = (
                    cutter.cut("/crawl", snapshot.crawl),
                    cutter.cut("/strategy", snapshot.strategy),
                )
                file.flush()
                if cutter.at:
                    os.fsync(file.fileno())
        except BaseException:
            path.unlink()
            raise
        if not cutter.at:
            path.unlink()
        self._written, self._sizes[number] = cutter.parts, cutter.at
        return Snapshot(step=snapshot.step, crawl=crawl, strategy=strategy)

    def settle(self) -> None:
        """What was written last is the snapshot from now on. Files that it does not need are removed, those of the one
        before the next time: somebody may be reading it."""
        self._parts, before, self._needed = self._written, self._needed, _files(self._written)
        for path in self._files():
            if int(path.name) not in self._needed | before:
                path.unlink()
        self._sizes = {
            number: size for number, size in self._sizes.items() if number in self._needed | before
        }

    def read(self, short: Snapshot) -> Snapshot:
        """The snapshot for which `write` gave this one. Raises `DamagedStore` where its pieces are not as written."""
        open_: dict[int, IO[bytes]] = {}
        try:
            return Snapshot(
                step=short.step,
                crawl=self._whole(short.crawl, open_),
                strategy=self._whole(short.strategy, open_),
            )
        except OSError as error:
            raise DamagedStore(self.folder.parent, str(error)) from error
        finally:
            for file in open_.values():
                file.close()

    def _whole(self, value: Any, open_: dict[int, IO[bytes]]) -> Any:
        if isinstance(value, Mapping):
            return {name: self._whole(part, open_) for name, part in value.items()}
        if not isinstance(value, Ext):
            return value
        found = b"".join(self._bytes_of(piece, open_) for piece in _pieces(value))
        return found if value.code == _BYTES else msgspec.msgpack.decode(found)

    def _bytes_of(self, piece: Piece, open_: dict[int, IO[bytes]]) -> bytes:
        file = open_.get(piece.file)
        if file is None:
            file = open_[piece.file] = (self.folder / f"{piece.file:08d}").open("rb")
        file.seek(piece.at)
        found = file.read(piece.length)
        if _digest(found) != piece.digest:
            raise DamagedStore(
                self.folder.parent, f"a piece of snapshot file {piece.file} is not as it was written"
            )
        return found

    def _files(self) -> Iterator[Path]:
        with suppress(FileNotFoundError):
            yield from (path for path in list(self.folder.iterdir()) if path.name.isdigit())


class _Cutter:
    """Cuts one snapshot, appending to a file what another did not have at the same place."""

    def __init__(self, number: int, file: IO[bytes], base: Mapping[str, list[Piece]]) -> None:
        self._number, self._file, self._base = number, file, base
        self.at = 0
        self.parts: dict[str, list[Piece]] = {}

    def cut(self, place: str, value: Any) -> Any:
        """The value, with references in place of what is long in it."""
        if isinstance(value, _PLAIN):
            return value
        if isinstance(value, bytes | bytearray | memoryview):
            whole = memoryview(value).cast("B")
            return self._cut(place, whole, _BYTES) if len(whole) >= PIECE else bytes(whole)
        if isinstance(value, Mapping) and len(value) <= MOST_PARTS:
            return {name: self.cut(f"{place}/{name}", part) for name, part in value.items()}
        packed = _pack(value)
        return self._cut(place, memoryview(packed), _PACKED) if len(packed) >= PIECE else value

    def _cut(self, place: str, whole: memoryview, code: int) -> Ext:
        known = self._base.get(place, [])
        found = self.parts[place] = []
        for number, start in enumerate(range(0, len(whole), PIECE)):
            some = whole[start : start + PIECE]
            digest = _digest(some)
            if number < len(known) and known[number].digest == digest:
                found.append(known[number])
                continue
            self._file.write(some)
            found.append(Piece(self._number, self.at, len(some), digest))
            self.at += len(some)
        return Ext(code, _pack(found))


def _digest(some: bytes | memoryview) -> bytes:
    return blake2b(some, digest_size=_DIGEST).digest()


def _pieces(reference: Ext) -> list[Piece]:
    return [Piece(*each) for each in msgspec.msgpack.decode(reference.data)]


def _references(place: str, value: Any) -> Iterator[tuple[str, list[Piece]]]:
    """The parts of a short snapshot that lie in files, by their places in it."""
    if isinstance(value, Ext):
        yield place, _pieces(value)
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _references(f"{place}/{name}", part)


def _files(parts: Mapping[str, list[Piece]]) -> frozenset[int]:
    return frozenset(piece.file for pieces in parts.values() for piece in pieces)
