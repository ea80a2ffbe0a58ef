"""What is known of each place that waits, in one file that only grows; rows of the frontier's store point into it.

RocksDB merges its sorted runs again and again, and with them all that its rows hold. Links with their surroundings are
nine tenths of what a frontier has to keep, and nobody asks for them in order: they are written here, once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import accumulate, repeat
from pathlib import Path
from struct import Struct
from typing import Final
from zlib import crc32

from lycosa.store.rocks import DamagedStore, RocksErrors

NAME: Final = "places"
"""The file, beside those of RocksDB, which leaves alone what it has not named itself."""

_pointer = Struct(">BIQII")
POINTER_BYTES: Final = _pointer.size
"""How long each pointer is."""
_MARK = 0
"""First byte of a pointer: no record itself begins so, being an array of MessagePack."""


class PlaceLog:
    """Records one after another. A pointer to one has its depth, where it begins, its length and its CRC-32.

    What a crash leaves behind the end that the last checkpoint knew is written over. Records of what was visited stay:
    the file is as long as all that was ever found.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path, self.file = path, -1  # the file's number
        self._errors = RocksErrors(path)
        if (path / NAME).exists():  # made by the first checkpoint that has something for it
            with RocksErrors(path):
                self.file = os.open(path / NAME, os.O_RDONLY if read_only else os.O_RDWR)
        self._coming: list[bytes] = []
        self._kept = self.end = 0
        """Where the next record begins."""

    def resume(self, end: int) -> None:
        """Go on where the last checkpoint ended. Raises DamagedStore if the file does not reach so far."""
        length = os.fstat(self.file).st_size if self.file >= 0 else 0
        if length < end:
            raise DamagedStore(self.path, f"{NAME} has {length} bytes of {end}")
        self._kept = self.end = end

    def add(self, records: Sequence[bytes], depths: Iterable[int]) -> list[bytes]:
        """Note records that are to be kept; answers their pointers, which are good once they are (`keep`)."""
        lengths = [*map(len, records)]
        starts = accumulate(lengths, initial=self.end)
        self._coming += records
        self.end += sum(lengths)
        return [*map(_pointer.pack, repeat(_MARK), depths, starts, lengths, map(crc32, records))]

    def add_joined(self, records: bytes) -> None:
        """The same of records that are one after the other, by whoever has made their pointers."""
        if records:
            self._coming.append(records)
            self.end += len(records)

    def keep(self) -> None:
        """Bring what was added to disk, before any row points to it. Raises FolderError if there is no room for it;
        then it can be tried again."""
        if not self._coming:
            return
        with RocksErrors(self.path):
            if self.file < 0:
                self.file = os.open(self.path / NAME, os.O_RDWR | os.O_CREAT, 0o644)
            left, at = memoryview(b"".join(self._coming)), self._kept
            while left:
                written = os.pwrite(self.file, left, at)
                left, at = left[written:], at + written
            os.fdatasync(self.file)
        self._coming, self._kept = [], self.end

    def read(self, row: bytes) -> bytes:
        """The record that a row points to, or holds itself, as those of earlier versions do."""
        if row[0] != _MARK:
            return row
        _, _, start, length, check = _pointer.unpack(row)
        with self._errors:
            record = os.pread(self.file, length, start)
        if len(record) != length or crc32(record) != check:
            raise DamagedStore(self.path, f"the record at byte {start} of {NAME} is not as it was written")
        return record

    def close(self) -> None:
        if self.file >= 0:
            os.close(self.file)
            self.file = -1


def is_pointer(row: bytes) -> bool:
    """Whether a row points to its record; those of earlier versions are it."""
    return row[:1] == b"\0"


def depth_at(row: bytes) -> int | None:
    """The depth of the place to which a row points; None if the row is of an earlier version."""
    return int.from_bytes(row[1:5], "big") if row[0] == _MARK else None
