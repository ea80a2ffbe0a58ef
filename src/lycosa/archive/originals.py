"""The payloads of other archives that an archive refers to, in a WARC file that can go with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from isal import isal_zlib
from msgspec.structs import replace

from lycosa.archive.cdxj import REVISIT, to_line
from lycosa.archive.collection import Collection
from lycosa.archive.places import depends_on
from lycosa.archive.reader import Reader
from lycosa.archive.record import GZIP, LEVEL
from lycosa.archive.repair import capture_of
from lycosa.archive.scan import Found, scan
from lycosa.archive.warc_file import WarcFile
from lycosa.model.records import Record

NAME = "originals.warc.gz"


class Originals(Record, frozen=True, kw_only=True):
    """Copies of the records that an archive refers to in others."""

    warcs: tuple[WarcFile, ...] = ()
    """One file, or none where nothing is referred to."""
    lines: tuple[bytes, ...] = ()
    """Their index lines, sorted: some 300 bytes a record."""


@contextmanager
def originals_of(collection: Collection, folders: Sequence[Path]) -> Iterator[Originals]:
    """The records of other archives to which those in an archive's folders refer, copied to a temporary file.

    FolderError if one of them is not there, with the place where it was. Nothing is read where the archive depends on
    no other.
    """
    if not any(map(depends_on, folders)):
        yield Originals()
        return
    reader = Reader(folders)
    with TemporaryDirectory() as place:
        try:
            yield _copied(collection, reader, Path(place) / NAME)
        finally:
            reader.close()


def _copied(collection: Collection, reader: Reader, path: Path) -> Originals:
    wanted: set[tuple[WarcFile, int]] = set()
    for capture in collection.captures():
        if capture.mime == REVISIT and (found := reader.borrowed(capture.ref)) is not None:
            wanted.add(found)
    if not wanted:
        return Originals()
    lines = []
    with path.open("wb") as file:
        for warc, offset in sorted(wanted, key=lambda each: (str(each[0]), each[1])):
            record = next(item for item in scan(warc, offset) if isinstance(item, Found))
            with warc.open() as source:
                source.seek(offset)
                raw = source.read(record.length)
            packed = raw if raw.startswith(b"\x1f\x8b") else bytes(isal_zlib.compress(raw, LEVEL, GZIP))
            copied = replace(record, offset=file.tell(), length=len(packed))
            lines.append(to_line(capture_of(NAME, copied)))
            file.write(packed)
    return Originals(warcs=(WarcFile.of(path),), lines=tuple(sorted(lines)))
