"""Recorded webs in one file: WACZ (Webrecorder, version 1.1.1), read where it lies.

A WACZ is a zip archive of WARC files (``archive/``), their index (``indexes/``) and lists of pages. Its WARC files are
stored as they are, so that single records can be read from within; nothing is unpacked but the index. What a WACZ says
of itself is believed as far as it can be checked: names are never paths, sizes never promises.
"""

from __future__ import annotations

import struct
import tempfile
import zipfile
from collections.abc import Iterator
from io import DEFAULT_BUFFER_SIZE
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Self
from zlib import MAX_WBITS, decompressobj
from zlib import error as BadGzip

from lycosa.archive.cdxj import Index
from lycosa.archive.warc_file import WarcFile
from lycosa.model.errors import InputError

SUFFIX = ".wacz"
_WARCS, _INDEXES = "archive/", "indexes/"
_INDEX_ENDS = (".cdx.gz", ".cdxj.gz", ".cdxj", ".cdx")
_LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
_ENCRYPTED = 1
LEAST_INDEX, INDEX_PER_BYTE = 64 << 20, 16
"""An index that unpacks to more than this and so many bytes for each byte of the WARC files is no index."""


def is_wacz(path: Path) -> bool:
    """By its name, or if that says nothing, its first bytes."""
    if path.name.endswith((".warc", ".warc.gz")):
        return False
    if path.suffix.lower() == SUFFIX:
        return True
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


class Wacz:
    """One WACZ file, to be read."""

    def __init__(self, path: Path, warcs: tuple[WarcFile, ...], indexes: tuple[zipfile.ZipInfo, ...]) -> None:
        """See :meth:`open`."""
        self.path, self.warcs = path, warcs
        self._indexes = indexes

    @classmethod
    def open(cls, path: Path) -> Self:
        """InputError, in one line, if it is no WACZ, is cut or damaged, or its WARC files cannot be read in place."""
        try:
            with path.open("rb") as file, zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                warcs = tuple(_stored(path, file, member) for member in members if _is_warc(member.filename))
        except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
            raise InputError(f"{path} is no WACZ file, or was cut ({error}); fetch it again") from None
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
        if not warcs:
            raise InputError(f"{path} holds no WARC files under {_WARCS}; is it a WACZ file?")
        return cls(path, warcs, tuple(member for member in members if _is_index(member.filename)))

    def index(self) -> Index | None:
        """The lines of its own indexes as they stand there, unpacked to a nameless file on disk; None without any.

        ValueError if they are damaged or endless: the WARC files are to be scanned then.
        """
        if not self._indexes:
            return None
        most = LEAST_INDEX + INDEX_PER_BYTE * sum(warc.size for warc in self.warcs)
        with tempfile.TemporaryFile() as unpacked:
            try:
                with zipfile.ZipFile(self.path) as archive:
                    for member in self._indexes:
                        with archive.open(member) as packed:
                            for part in _plain(packed, gzip=member.filename.endswith(".gz")):
                                unpacked.write(part)
                                if unpacked.tell() > most:
                                    raise ValueError("it unpacks to far more than an index takes")
            except (zipfile.BadZipFile, BadGzip, EOFError, NotImplementedError, RuntimeError) as error:
                raise ValueError(f"it is damaged: {error}") from error
            unpacked.flush()
            if not unpacked.tell():
                return None
            return Index(mmap(unpacked.fileno(), 0, access=ACCESS_READ))


def _is_warc(name: str) -> bool:
    return name.startswith(_WARCS) and name.endswith((".warc", ".warc.gz"))


def _is_index(name: str) -> bool:
    return name.startswith(_INDEXES) and name.endswith(_INDEX_ENDS)


def _stored(path: Path, file: IO[bytes], member: zipfile.ZipInfo) -> WarcFile:
    """Where a member's bytes lie. InputError if they do not lie there as they are."""
    name = member.filename
    if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & _ENCRYPTED:
        how = "encrypted" if member.flag_bits & _ENCRYPTED else "compressed within it"
        raise InputError(
            f"{path}: {name!r} is {how}, so no record can be read in place; unpack the file and give the folder"
        )
    file.seek(member.header_offset)
    head = file.read(_LOCAL_HEADER.size)
    if len(head) < _LOCAL_HEADER.size:
        raise EOFError("a member lies beyond its end")
    magic, *_, name_length, extra_length = _LOCAL_HEADER.unpack(head)
    start = member.header_offset + _LOCAL_HEADER.size + name_length + extra_length
    end = start + member.file_size
    if magic != b"PK\x03\x04" or member.file_size != member.compress_size or end > file.seek(0, 2):
        raise EOFError(f"{name!r} does not lie where it is said to")
    return WarcFile(path=path, name=name.removeprefix(_WARCS), start=start, size=member.file_size)


def _plain(packed: IO[bytes], *, gzip: bool) -> Iterator[bytes]:
    """The bytes in pieces; of gzip members one after the other."""
    inflate = None
    while chunk := packed.read(DEFAULT_BUFFER_SIZE):
        if not gzip:
            yield chunk
            continue
        while chunk:
            inflate = inflate or decompressobj(16 + MAX_WBITS)
            yield inflate.decompress(chunk, 1 << 20)
            chunk = inflate.unconsumed_tail
            if inflate.eof:
                chunk, inflate = inflate.unused_data, None
    if inflate is not None:
        raise EOFError("it is cut")
