"""Write an archive as one WACZ file (Webrecorder, version 1.1.1): what ReplayWeb.page opens.

The WARC files go into the zip as they are, with a compressed index of blocks (ZipNum) and lists of pages with their
texts. Everything is streamed: memory does not grow with the archive.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from errno import EIO
from functools import partial
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import IO, BinaryIO

import msgspec
from isal import isal_zlib

import lycosa
from lycosa.archive.record import GZIP, LEVEL
from lycosa.archive.warc_file import WarcFile
from lycosa.model.moments import to_the_second
from lycosa.model.records import Millis, Record

VERSION = "1.1.1"
LINES = 1024
"""Index lines a block: what a reader unpacks to find one capture."""
_INDEX = "index.cdx.gz"
_CHUNK = 1 << 20
_EARLIEST = (1980, 1, 1, 0, 0, 0)
"""Of a zip archive."""


class WaczPage(Record, frozen=True, kw_only=True):
    """A page in the list that a reader is shown."""

    id: str
    url: str
    """Under which it was captured."""
    ts: str
    """When it was captured, in ISO 8601."""
    title: str
    text: str = ""
    relevance: float
    depth: int
    status: int
    seed: bool
    language: str = ""


class About(Record, frozen=True, kw_only=True):
    """What the file says of itself."""

    title: str
    description: str
    created: Millis
    has_text: bool
    """Whether the pages have their texts."""


class Written(Record, frozen=True, kw_only=True, gc=False):
    """What went into a file."""

    pages: int
    others: int
    """Pages that are listed apart."""
    captures: int


def write_wacz(
    file: BinaryIO,
    warcs: Iterable[WarcFile],
    lines: Iterable[bytes],
    pages: Iterable[WaczPage],
    others: Iterable[WaczPage],
    about: About,
) -> Written:
    """Write a WACZ file, to a stream that need not be seekable.

    Each WARC file is written up to its `size`, under its `name`. `lines` are the sorted lines of the CDXJ index, with
    these names. `pages` are those that a reader is shown, in this order (``pages.jsonl``). If there are `others`, they
    stand in ``extraPages.jsonl``, and the pages before them once more: ReplayWeb.page searches the texts of that list
    alone, if it is there.
    OSError if the disk is full, or a WARC file is not as long as it is said to be.
    """
    package = _Package(file, about.created)
    for warc in warcs:
        package.store(f"archive/{warc.name}", warc.size, _bytes_of(warc))
    captures = _index(package, lines)
    with TemporaryFile() as spooled:
        listed = _spool(spooled, pages)
        _list(package, "pages", "Pages", spooled, has_text=about.has_text)
        more = _spool(spooled, others)
        if more:
            _list(package, "extraPages", "All pages", spooled, has_text=about.has_text)
    package.finish(about)
    return Written(pages=listed, others=more, captures=captures)


class _Package:
    """A zip archive that knows length and digest of each of its files."""

    def __init__(self, file: BinaryIO, created: Millis) -> None:
        self._zip = zipfile.ZipFile(file, "w", allowZip64=True)
        at = datetime.fromtimestamp(created / 1000, UTC).timetuple()[:6]
        self._at = max(_EARLIEST, at)
        self._resources: list[dict[str, str | int]] = []

    def store(self, path: str, size: int, parts: Iterable[bytes]) -> None:
        """Write and list a file of this size as it is."""
        self._list(path, size, self._write(path, size, parts, deflated=False))

    def spool(self, path: str, parts: Iterable[bytes], *, deflated: bool) -> None:
        """Write and list a file whose size nobody knows yet: it goes by way of a nameless file on disk."""
        with TemporaryFile() as spooled:
            spooled.writelines(parts)
            size = spooled.tell()
            spooled.seek(0)
            self._list(
                path,
                size,
                self._write(path, size, _rest_of(spooled), deflated=deflated),
            )

    def _list(self, path: str, size: int, digest: str) -> None:
        name = path.rpartition("/")[2].lower()  # as Frictionless Data, on which WACZ rests, will have it
        self._resources.append({"name": name, "path": path, "hash": digest, "bytes": size})

    def _write(self, path: str, size: int, parts: Iterable[bytes], *, deflated: bool) -> str:
        """The digest of what was written. The size must be known before: otherwise the header would have to leave
        room for one of 64 bits, and wabac.js, the reader within ReplayWeb.page, takes that for content.
        """
        info = zipfile.ZipInfo(path, self._at)
        info.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
        info.external_attr = 0o644 << 16
        info.file_size = size
        digest = hashlib.sha256()
        with self._zip.open(info, "w") as member:
            for part in parts:
                member.write(part)
                digest.update(part)
        return f"sha256:{digest.hexdigest()}"

    def finish(self, about: About) -> None:
        """Add what the package says of itself, and its digest."""
        created = to_the_second(about.created)
        package = {
            "profile": "data-package",
            "wacz_version": VERSION,
            "title": about.title,
            "description": about.description,
            "software": f"lycosa/{lycosa.__version__}",
            "created": created,
            "modified": created,
            "metadata": {"title": about.title, "desc": about.description},  # where wabac.js looks for them
            "resources": self._resources,
        }
        told = msgspec.json.format(msgspec.json.encode(package), indent=2)
        digest = self._write("datapackage.json", len(told), [told], deflated=True)
        signed = msgspec.json.encode({"path": "datapackage.json", "hash": digest})
        self._write("datapackage-digest.json", len(signed), [signed], deflated=True)
        self._zip.close()


def _bytes_of(warc: WarcFile) -> Iterator[bytes]:
    with warc.open() as source:
        left = warc.size
        while left:
            part = source.read(min(_CHUNK, left))
            if not part:
                raise OSError(EIO, f"{warc} has become shorter")
            left -= len(part)
            yield part


def _index(package: _Package, lines: Iterable[bytes]) -> int:
    """The index in blocks, and the index of the blocks: for each its first line's key, and where it lies."""
    head = {"format": "cdxj-gzip-1.0", "filename": _INDEX}
    blocks = [b"!meta 0 " + msgspec.json.encode(head) + b"\n"]
    captures = 0

    def packed() -> Iterator[bytes]:
        nonlocal captures
        rest, offset = iter(lines), 0
        while block := list(islice(rest, LINES)):
            captures += len(block)
            part = bytes(isal_zlib.compress(b"".join(block), LEVEL, GZIP))
            where = {
                "offset": offset,
                "length": len(part),
                "digest": f"sha256:{hashlib.sha256(part).hexdigest()}",
                "filename": _INDEX,
            }
            blocks.append(block[0].partition(b" {")[0] + b" " + msgspec.json.encode(where) + b"\n")
            offset += len(part)
            yield part

    package.spool(f"indexes/{_INDEX}", packed(), deflated=False)
    package.spool("indexes/index.idx", blocks, deflated=True)
    return captures


def _spool(file: IO[bytes], pages: Iterable[WaczPage]) -> int:
    """Add pages to a file, one JSON object a line. Returns how many."""
    count, encode = 0, msgspec.json.encode
    for count, page in enumerate(pages, 1):  # noqa: B007 - the count outlives the loop
        file.write(encode(page) + b"\n")
    return count


def _list(package: _Package, name: str, title: str, lines: IO[bytes], *, has_text: bool) -> None:
    """A list of all the pages in a file."""
    head = {"format": "json-pages-1.0", "id": name, "title": title, "hasText": has_text}
    lines.seek(0)
    package.spool(
        f"pages/{name}.jsonl", chain([msgspec.json.encode(head) + b"\n"], _rest_of(lines)), deflated=True
    )


def _rest_of(file: IO[bytes]) -> Iterator[bytes]:
    return iter(partial(file.read, _CHUNK), b"")
