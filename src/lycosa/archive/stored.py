"""The captures of an archive in the order in which they were stored, as far as they are there: also while it grows."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypeGuard

import msgspec
import numpy as np

from lycosa.archive.cdxj import Capture, Index, capture_in
from lycosa.archive.repair import INDEX, capture_of, serial, side_index, warc_files
from lycosa.archive.scan import Damage, Found, scan
from lycosa.archive.warc_file import WarcFile
from lycosa.model.decoding import json_reader
from lycosa.model.errors import InputError
from lycosa.model.records import Record


class Place(Record, frozen=True, gc=False):
    """A place in an archive, written `FILE:OFFSET`: all that was stored before it is behind."""

    file: str = ""
    """The name of a WARC file; empty: before the first."""
    offset: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.offset}" if self.file else ""

    @classmethod
    def parse(cls, token: str) -> Place:
        """What `str` wrote. Raises `InputError`."""
        file, _, offset = token.strip().rpartition(":")
        if not token.strip():
            return cls()
        if not file or not (offset.isascii() and offset.isdigit()):
            raise InputError(f"{token!r} is no place in a stream; give the token of a record, FILE:OFFSET")
        return cls(file, int(offset))


class _Spot(msgspec.Struct, gc=False):
    """What of an index line says where the record lies."""

    filename: str
    offset: int


_spot = json_reader(_Spot, strict=False)


def _spot_of(line: bytes) -> _Spot | None:
    """None of a line that cannot be read: its record is found by scanning, or passed over if others follow it."""
    try:
        return _spot(line.split(b" ", 2)[2])
    except (msgspec.MsgspecError, IndexError, UnicodeDecodeError):
        return None


Whole = np.ndarray[tuple[int], np.dtype[np.int64]]


class _Merged:
    """The lines of the sorted index, by file and offset: 16 bytes a line in memory."""

    def __init__(self, path: Path) -> None:
        self._index = Index.open(path)
        spots: dict[str, tuple[array[int], array[int]]] = defaultdict(lambda: (array("q"), array("q")))
        at = 0
        for line in self._index.lines():
            if (spot := _spot_of(line)) is not None:
                offsets, lines = spots[spot.filename]
                offsets.append(spot.offset)
                lines.append(at)
            at += len(line)
        self._spots = {file: _by_offset(*columns) for file, columns in spots.items()}

    def lines(self, file: str, offset: int) -> Iterator[bytes]:
        """The lines of a file's records from an offset on, in the order of their offsets."""
        if (spots := self._spots.get(file)) is not None:
            for at in spots[1][np.searchsorted(spots[0], offset) :].tolist():
                yield self._index.line_at(at)


def _by_offset(offsets: array[int], lines: array[int]) -> tuple[Whole, Whole]:
    where = np.frombuffer(offsets, np.int64)
    order = np.argsort(where, kind="stable")
    return where[order], np.frombuffer(lines, np.int64)[order]


def _scanned(file: Path, start: int) -> Iterator[Found | Damage]:
    """What lies beyond an offset; nothing in a file that was spoiled so much that it is no WARC file any more."""
    with suppress(InputError):
        yield from scan(WarcFile.of(file), start)


class _SideRead(NamedTuple):
    """How far the lines beside the current file were read. They vanish when the archive is closed, and others are begun
    when it goes on: by the first line they are told apart."""

    first: bytes = b""
    offset: int = 0


class StoredOrder:
    """One reader's way through an archive, file by file as they were begun, record by record as they lie there.

    It reads the indexes, and scans only what these do not cover. Any number of readers may be under way while the
    archive is written: they only read, and know nothing of each other. A record that is not whole yet is left for
    later.

    Invariants, each the name of a property test:

    * each once: the captures of any number of calls of `more`, and of readers that went on from each other's places,
      are all captures of the archive, each once, in stored order.
    * a truncated tail is left out: a file that ends in the midst of a record gives the records before it.
    """

    def __init__(self, folder: Path, after: Place | None = None) -> None:
        self.place = after or Place()
        """Behind the last capture that was given."""
        self._folder = folder
        self._merged: tuple[tuple[int, int, int], _Merged] | None = None
        self._side_read = _SideRead()

    def more(self) -> Iterator[Capture]:
        """What lies beyond `place` now. Raises `InputError` if the place is in a file that is not here."""
        files = {file.name: file for file in warc_files(self._folder)}
        begin = self.place.file
        if begin and begin not in files:
            raise InputError(f"there is no WARC file {begin} here; give a token of this crawl's stream")
        for name, file in files.items():
            if (serial(name), name) >= (serial(begin), begin) or not begin:
                yield from self._of_file(file)

    def _of_file(self, file: Path) -> Iterator[Capture]:
        if self.place.file != file.name:
            self.place, self._side_read = Place(file.name, 0), _SideRead()
        # The file's own lines first: when an archive is closed they go into the sorted index before they vanish.
        own, read_to = self._own_lines(file)
        size = file.stat().st_size
        for line in chain(self._sorted_lines(file.name), own):
            if self._is_next(capture := capture_in(line), size):
                yield capture
        self._side_read = read_to
        for item in _scanned(file, self.place.offset):
            if not isinstance(item, Found) or item.kind not in ("response", "revisit"):
                continue
            if self._is_next(capture := capture_of(file.name, item), size):
                yield capture

    def _is_next(self, capture: Capture | None, size: int) -> TypeGuard[Capture]:
        """Whether it is whole and was not given before; then the place is behind it."""
        if capture is None:
            return False
        ref = capture.ref
        if ref.offset < self.place.offset or not ref.length or capture.end > size:
            return False
        self.place = Place(ref.file, capture.end)
        return True

    def _own_lines(self, file: Path) -> tuple[list[bytes], _SideRead]:
        """The index lines that were written beside the file since they were read last, and where they end."""
        try:
            with side_index(file).open("rb") as side:
                first = side.readline()
                begin = self._side_read.offset if self._side_read.first == first else 0
                side.seek(begin)
                whole, end, _ = side.read().rpartition(b"\n")
        except FileNotFoundError:
            return [], _SideRead()
        return whole.splitlines(), _SideRead(first, begin + len(whole) + len(end))

    def _sorted_lines(self, file: str) -> Iterator[bytes]:
        path = self._folder / INDEX
        try:
            found = path.stat()
        except FileNotFoundError:
            return iter(())
        mark = (found.st_ino, found.st_mtime_ns, found.st_size)
        if self._merged is None or self._merged[0] != mark:
            self._merged = mark, _Merged(path)
        return self._merged[1].lines(file, self.place.offset)
