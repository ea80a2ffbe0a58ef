"""Archives besides our own, whose payloads need not be stored again: deduplication across crawls.

Which payloads they have is looked up in a file of 16 bytes a payload, mapped into memory, that is kept beside each of
them and made again where it does not fit its WARC files. The file is a hint only: a body is compared before anything
refers to it, so nothing rests on a digest, or on a file that somebody may have changed.
"""

from __future__ import annotations

import base64
import binascii
import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Self

import msgspec
import numpy as np

from lycosa.archive.cdxj import REVISIT, Capture
from lycosa.archive.collection import Collection
from lycosa.archive.places import warc_files, warcs_in
from lycosa.archive.reader import Original, Reader
from lycosa.archive.warc_file import WarcFile
from lycosa.model.decoding import from_json
from lycosa.model.digests import sha1_base32
from lycosa.model.errors import InputError
from lycosa.model.records import RecordRef

SUFFIX = "payloads"
"""The look-up file is ``archive.payloads`` in a folder of WARC files, ``NAME.payloads`` beside a single file."""
_FORMAT = 1
_ENTRY = struct.Struct(">8sHIH")
"""The first 8 bytes of a SHA-1, the number of the WARC file, and the offset in 48 bits, high part first."""
_KEY = 8
_NOTHING = sha1_base32(b"")
_MOST_FILES = 1 << 16
_AT_ONCE = 1 << 16


class _Head(msgspec.Struct, frozen=True):
    """The first line of a look-up file: which WARC files it speaks of."""

    format: int
    files: list[tuple[str, int]]
    """Names and lengths."""
    unknown: int
    """Payloads that were left out, as their digests are not SHA-1."""


class PayloadFile:
    """Where the payloads of one archive lie, by digest. Memory does not grow with it: 16 bytes a payload, mapped.

    Invariants, each the name of a property test:

    * finds each payload: for every digest it gives the first record that has it, and perhaps, after that, records of
      payloads whose digests begin alike.
    """

    def __init__(self, head: _Head, content: mmap, start: int) -> None:
        """See :meth:`kept` and :meth:`make`."""
        self.head = head
        self._content, self._start = content, start
        self._count = (len(content) - start) // _ENTRY.size

    @classmethod
    def kept(cls, path: Path, warcs: Sequence[WarcFile]) -> Self | None:
        """What lies there, if it fits these WARC files."""
        try:
            with path.open("rb") as file:
                found = cls._mapped(file)
        except OSError:
            return None
        fits = found is not None and found.head.files == [(warc.name, warc.size) for warc in warcs]
        return found if fits else None

    @classmethod
    def make(cls, collection: Collection, path: Path) -> Self:
        """The look-up file of a collection, kept there. Where nothing can be kept, it is a nameless file that goes with
        the process."""
        warcs = collection.whole()
        unfinished = path.with_name(f"{path.name}.new")
        try:
            with unfinished.open("w+b") as file:
                made = cls._made(collection, warcs, file)
            unfinished.replace(path)
        except OSError:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            with TemporaryFile() as nameless:
                made = cls._made(collection, warcs, nameless)
        return made

    @classmethod
    def _mapped(cls, file: BinaryIO) -> Self | None:
        """None if the file is none of ours, or torn."""
        try:
            head = from_json(first := file.readline(), _Head)
            content = mmap(file.fileno(), 0, access=ACCESS_READ)
        except (msgspec.MsgspecError, ValueError):
            return None
        whole = (len(content) - len(first)) % _ENTRY.size == 0
        return cls(head, content, len(first)) if whole and head.format == _FORMAT else None

    @classmethod
    def _made(cls, collection: Collection, warcs: Sequence[WarcFile], file: BinaryIO) -> Self:
        """Entries as they come, then sorted where they lie in the file, as bytes."""
        if len(warcs) > _MOST_FILES:
            raise InputError(f"{len(warcs):,} WARC files are too many to deduplicate against; name fewer")
        numbers = {warc.name: number for number, warc in enumerate(warcs)}
        unknown = 0
        with TemporaryFile() as entries:
            for capture in collection.captures():
                if capture.mime == REVISIT or capture.digest in ("", _NOTHING):
                    continue
                if (key := _key(capture.digest)) is None:
                    unknown += 1
                    continue
                entries.write(_entry(key, numbers[capture.ref.file], capture))
            entries.flush()
            head = _Head(format=_FORMAT, files=[(warc.name, warc.size) for warc in warcs], unknown=unknown)
            file.write(msgspec.json.encode(head) + b"\n")
            if entries.tell():
                rows = np.memmap(entries, dtype=f"S{_ENTRY.size}", mode="r+")
                rows.sort()
                for begin in range(0, len(rows), _AT_ONCE):
                    file.write(rows[begin : begin + _AT_ONCE].tobytes())
            file.flush()
        file.seek(0)
        made = cls._mapped(file)
        assert made is not None
        return made

    def __len__(self) -> int:
        return self._count

    def refs(self, digest: str) -> Iterator[RecordRef]:
        """Where payloads of this digest may lie, the first to be stored first. O(log n)."""
        key = _key(digest)
        at = self._first_not_below(key) if key is not None else self._count
        while at < self._count and (entry := self._entry(at))[:_KEY] == key:
            _, number, high, low = _ENTRY.unpack(entry)
            yield RecordRef(file=self.head.files[number][0], offset=high << 16 | low, length=0)
            at += 1

    def _entry(self, number: int) -> bytes:
        begin = self._start + number * _ENTRY.size
        return self._content[begin : begin + _ENTRY.size]

    def _first_not_below(self, key: bytes) -> int:
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if self._entry(middle)[:_KEY] < key:
                low = middle + 1
            else:
                high = middle
        return low


def _key(digest: str) -> bytes | None:
    """What a SHA-1 in base 32 or hexadecimal begins with; None of another digest."""
    kind, _, text = digest.rpartition(":")
    if kind.lower() not in ("", "sha1", "sha-1"):
        return None
    try:
        raw = base64.b32decode(text.upper()) if len(text) == 32 else bytes.fromhex(text)
    except (binascii.Error, ValueError):
        return None
    return raw[:_KEY] if len(raw) == 20 else None


def _entry(key: bytes, number: int, capture: Capture) -> bytes:
    offset = capture.ref.offset
    return _ENTRY.pack(key, number, offset >> 16, offset & 0xFFFF)


class Others:
    """Other archives, open to be compared with. They may be crawl folders, folders of WARC files and WACZ files."""

    def __init__(self, archives: Sequence[tuple[Path, Reader, PayloadFile]], notes: list[str]) -> None:
        """See :meth:`open`."""
        self._archives = archives
        self.notes = notes
        """What could not be used of them, a line each."""

    @classmethod
    def open(cls, paths: Iterable[Path]) -> Self:
        """InputError if a path is missing or holds no archive. Takes seconds for a million records, the first time."""
        archives: list[tuple[Path, Reader, PayloadFile]] = []
        notes: list[str] = []
        for path in dict.fromkeys(path.absolute() for path in paths):
            try:
                warcs, beside = warcs_in(path), _beside(path)
            except InputError as error:
                raise InputError(
                    f"cannot deduplicate against {path}: {error}; bring it back, or leave it out of `dedup_against`"
                ) from None
            if (found := PayloadFile.kept(beside, warcs)) is None:
                collection = Collection.open([path])
                warcs, found = collection.whole(), PayloadFile.make(collection, beside)
                notes += collection.warnings
                collection.close()
            if found.head.unknown:
                notes.append(
                    f"{path}: {found.head.unknown:,} payloads have digests other than SHA-1: they are not known again"
                )
            archives.append((path, Reader([], files=warcs), found))
        return cls(archives, notes)

    def original(self, digest: str, body: bytes) -> tuple[Original, Path] | None:
        """The record that holds this very body, uncut, and the archive that has it; None if there is none."""
        for path, reader, payloads in self._archives:
            for ref in payloads.refs(digest):
                original = reader.same(ref, body)
                if original is not None:
                    return original, path
        return None

    def close(self) -> None:
        for _, reader, _ in self._archives:
            reader.close()


def _beside(path: Path) -> Path:
    """Where the look-up file of an archive is kept."""
    if path.is_file():
        return path.with_name(f"{path.name}.{SUFFIX}")
    return warc_files([path])[0].with_name(f"archive.{SUFFIX}")
