"""A WARC file where it lies: by itself, or stored as it is in a larger file, as WACZ does."""

from __future__ import annotations

import os
from io import BufferedReader, FileIO, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self

from lycosa.model.records import Record

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


class WarcFile(Record, frozen=True, kw_only=True, gc=False):
    """The bytes of one WARC file."""

    path: Path
    """The file on disk that holds it."""
    name: str
    """By which an index speaks of it."""
    start: int = 0
    """Where in `path` it begins: 0 only of a file by itself."""
    size: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """A file by itself, as long as it is now. OSError if there is none."""
        return cls(path=path, name=path.name, size=path.stat().st_size)

    def open(self) -> BinaryIO:
        """Its bytes; of a file within another, from 0 to `size`. OSError if it is not there."""
        if not self.start:
            return self.path.open("rb")
        return BufferedReader(_Window(self.path, self.start, self.size))

    def __str__(self) -> str:
        return f"{self.path} ({self.name})" if self.start else str(self.path)


class _Window(RawIOBase):
    """Part of a file, as if it were one."""

    def __init__(self, path: Path, start: int, size: int) -> None:
        self._file = FileIO(path)
        self._start, self._size, self._at = start, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer)[: max(0, self._size - self._at)]
        self._file.seek(self._start + self._at)
        count = self._file.readinto(room) or 0
        self._at += count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
