"""Columns of numbers and texts in one file, written as they come and mapped into memory when read.

The file: 8 bytes of magic, the length of the head and its CRC (8 bytes each, little-endian), the head as JSON, then the
columns one after another, each at a multiple of 64 bytes. Every column has its CRC in the head. Several processes
that map one file share the memory.

Why not Arrow IPC: making a page takes short slices of a dozen columns as Python values, which numpy gives in half to
three quarters of the time (`benchmarks/columns.py`), and the laboratory works on numpy arrays anyway.
"""

from __future__ import annotations

import mmap
import shutil
from array import array
from collections.abc import Callable
from contextlib import ExitStack
from io import SEEK_END
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import IO, Any, Self

import msgspec
import numpy as np
from isal import isal_zlib
from numpy.typing import NDArray

from lycosa.model.decoding import from_json
from lycosa.model.errors import LycosaError
from lycosa.model.records import Record

MAGIC = b"LYCOLS01"
ALIGNMENT = 64
CHUNK = 1 << 22
"""Bytes that are copied or summed at once; numbers that wait in memory until they go to disk, in bytes."""

Numbers = NDArray[Any]


class Damaged(LycosaError):
    """A file of columns that is cut, altered, or none at all."""


class _Column(Record, frozen=True, kw_only=True):
    name: str
    kind: str
    """numpy's name of the type, such as ``<u4``."""
    offset: int
    size: int
    """In bytes."""
    crc: int


class _Head(Record, frozen=True, kw_only=True):
    about: msgspec.Raw
    columns: list[_Column]


class ColumnsWriter:
    """Collects columns in nameless files, so that memory stays small, and puts them together at the end.

    Use it as a context: leaving it gives the disk back.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._spools: dict[str, tuple[str, IO[bytes]]] = {}
        self._waiting: dict[str, array[Any]] = {}
        self._files = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._files.close()

    def numbers(self, name: str, kind: str) -> array[Any]:
        """An array to append to, of one of the `array` module's types; what is appended ends up in the column.

        Integers are narrowed to the least type that holds them all. Call `flush` now and then.
        """
        self._spool(name, kind)
        self._waiting[name] = array(kind)
        return self._waiting[name]

    def octets(self, name: str) -> Callable[[bytes], int]:
        """A function that appends bytes to the column."""
        return self._spool(name, "B").write

    def flush(self) -> None:
        """Move what waits in memory to disk, if it has become much."""
        for name, waiting in self._waiting.items():
            if len(waiting) * waiting.itemsize >= CHUNK:
                self._empty(name)

    def write(self, path: Path, about: object) -> None:
        """Put all columns into one file, whole or not at all. `about` is anything that msgspec can encode as JSON.

        Raises `OSError`.
        """
        for name in self._waiting:
            self._empty(name)
        with NamedTemporaryFile(dir=path.parent, prefix=path.name + ".", delete=False) as body:
            try:
                self._put_together(body, about)
                body.flush()
                Path(body.name).chmod(0o644)
                Path(body.name).replace(path)
            except BaseException:
                Path(body.name).unlink(missing_ok=True)
                raise

    def _spool(self, name: str, kind: str) -> IO[bytes]:
        file = self._temporary()
        self._spools[name] = kind, file
        return file

    def _temporary(self) -> IO[bytes]:
        return self._files.enter_context(TemporaryFile(dir=self._folder))

    def _empty(self, name: str) -> None:
        waiting = self._waiting[name]
        waiting.tofile(self._spools[name][1])
        del waiting[:]

    def _put_together(self, file: IO[bytes], about: object) -> None:
        narrowed = {name: self._narrowed(kind, spool) for name, (kind, spool) in self._spools.items()}
        raw = msgspec.Raw(msgspec.json.encode(about))
        columns = [
            _Column(name=name, kind=kind, offset=0, size=_size(spool), crc=_crc(spool))
            for name, (kind, spool) in narrowed.items()
        ]
        start = 24 + len(msgspec.json.encode(_Head(about=raw, columns=columns))) + 24 * len(columns)
        placed = []
        for column in columns:
            start = -(-start // ALIGNMENT) * ALIGNMENT
            placed.append(msgspec.structs.replace(column, offset=start))
            start += column.size
        head = msgspec.json.encode(_Head(about=raw, columns=placed))
        file.write(
            MAGIC + len(head).to_bytes(8, "little") + isal_zlib.crc32(head).to_bytes(8, "little") + head
        )
        for column, (_, spool) in zip(placed, narrowed.values(), strict=True):
            file.write(bytes(column.offset - file.tell()))
            spool.seek(0)
            shutil.copyfileobj(spool, file, CHUNK)

    def _narrowed(self, kind: str, spool: IO[bytes]) -> tuple[str, IO[bytes]]:
        """The column in the least type of integers that holds all its values."""
        given = np.dtype(kind).newbyteorder("<")
        if given.kind == "f" or given.itemsize == 1 or not _size(spool):
            return given.str, spool
        spool.flush()
        least = np.dtype(np.uint8)
        numbers = np.memmap(spool, dtype=given, mode="r")
        for start in range(0, len(numbers), CHUNK):
            part = numbers[start : start + CHUNK]
            for bound in (part.min(), part.max()):
                least = np.promote_types(least, np.min_scalar_type(int(bound)))
        if least.itemsize >= given.itemsize:
            return given.str, spool
        new = self._temporary()
        for start in range(0, len(numbers), CHUNK):
            new.write(numbers[start : start + CHUNK].astype(least.newbyteorder("<")).tobytes())
        return least.newbyteorder("<").str, new


def _size(file: IO[bytes]) -> int:
    return file.seek(0, SEEK_END)


def _crc(file: IO[bytes]) -> int:
    file.seek(0)
    crc = 0
    while part := file.read(CHUNK):
        crc = isal_zlib.crc32(part, crc)
    return crc


class Columns:
    """A file of columns, mapped. Its arrays can be read, not written.

    Invariants, each the name of a test:

    * all or nothing: a file of which any byte was altered, added or lost is refused when it is opened.
    """

    def __init__(self, content: mmap.mmap | bytes, head: _Head) -> None:
        """See :meth:`open`."""
        self._content = content
        self._columns = {column.name: column for column in head.columns}
        self.about: bytes = bytes(head.about)
        """JSON: what the writer said of the file."""

    @classmethod
    def open(cls, path: Path) -> Self:
        """Map a file and check every byte of it (10 GB/s where it is in memory already).

        Raises `Damaged`, also where there is no file, and `OSError` if it cannot be read.
        """
        if not path.is_file():
            raise Damaged(f"{path}: there is no such file")
        with path.open("rb") as file:
            size = path.stat().st_size
            if size < 24 or file.read(8) != MAGIC:
                raise Damaged(f"{path}: no file of columns that this version reads")
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        length, crc = (int.from_bytes(content[at : at + 8], "little") for at in (8, 16))
        head = content[24 : 24 + length]
        if len(head) != length or isal_zlib.crc32(head) != crc:
            raise Damaged(f"{path}: its head is damaged")
        columns = cls(content, from_json(head, _Head))
        columns._check(path, 24 + length)
        return columns

    def __getitem__(self, name: str) -> Numbers:
        """A column as an array of one dimension."""
        column = self._columns[name]
        kind = np.dtype(column.kind)
        return np.frombuffer(self._content, kind, column.size // kind.itemsize, column.offset)

    def octets(self, name: str) -> memoryview:
        """A column as bytes."""
        column = self._columns[name]
        return memoryview(self._content)[column.offset : column.offset + column.size]

    @property
    def names(self) -> list[str]:
        """Of all columns, in the order of the file."""
        return list(self._columns)

    @property
    def bytes(self) -> int:
        """The file's size."""
        return len(self._content)

    def _check(self, path: Path, end: int) -> None:
        for column in self._columns.values():
            gap = self._content[end : column.offset]
            if (
                any(gap)
                or len(gap) != column.offset - end
                or isal_zlib.crc32(self.octets(column.name)) != column.crc
            ):
                raise Damaged(f"{path}: its column {column.name} is damaged")
            end = column.offset + column.size
        if end != len(self._content):
            raise Damaged(f"{path}: {len(self._content):,} bytes where {end:,} were written")


class OctetsWriter:
    """Strings of bytes one after another: `NAME.bytes` and `NAME.ends`. `add` gives the number of one."""

    def __init__(self, columns: ColumnsWriter, name: str) -> None:
        self._write = columns.octets(f"{name}.bytes")
        self._ends = columns.numbers(f"{name}.ends", "Q")
        self._ends.append(0)
        self._end = self._count = 0

    def add(self, octets: bytes) -> int:
        self._write(octets)
        self._end += len(octets)
        self._ends.append(self._end)
        self._count += 1
        return self._count - 1


class TextsWriter(OctetsWriter):
    """Texts one after another, in UTF-8."""

    def add_text(self, text: str) -> int:
        return self.add(text.encode("utf-8", "surrogatepass"))


class NamesWriter(dict[str, int]):
    """Texts that occur often: each is kept once. `names[text]` is its number; texts come in the order of their
    numbers.
    """

    def __init__(self, columns: ColumnsWriter, name: str) -> None:
        super().__init__()
        self._texts = TextsWriter(columns, name)

    def __missing__(self, text: str) -> int:
        number = self[text] = self._texts.add_text(text)
        return number


class Octets:
    """Strings of bytes by number."""

    def __init__(self, columns: Columns, name: str) -> None:
        self._bytes = columns.octets(f"{name}.bytes")
        self._ends = columns[f"{name}.ends"]

    def octets(self, number: int) -> memoryview:
        start, end = self._ends[number : number + 2].tolist()
        return self._bytes[start:end]

    def __len__(self) -> int:
        return len(self._ends) - 1


class Texts(Octets):
    """Texts by number, decoded anew each time."""

    def __getitem__(self, number: int) -> str:
        start, end = self._ends[number : number + 2].tolist()
        return str(self._bytes[start:end], "utf-8", "surrogatepass")


class Names(dict[int, str]):
    """Texts by number, each decoded once, when first asked for: equal ones are the same object.

    Memory grows with the distinct texts that were asked for.
    """

    def __init__(self, columns: Columns, name: str) -> None:
        super().__init__()
        self.all = Texts(columns, name)

    def __missing__(self, number: int) -> str:
        text = self[number] = self.all[number]
        return text
