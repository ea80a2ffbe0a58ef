"""RocksDB as the frontier uses it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, cast

from rocksdict import (
    AccessType,
    BlockBasedOptions,
    Cache,
    DBCompactionStyle,
    DBCompressionType,
    Options,
    Rdict,
    RdictIter,
    ReadOptions,
    WriteBatch,
    WriteOptions,
)

from lycosa.model.errors import FolderError

MEGABYTE = 1 << 20
Taken = TypeVar("Taken")


class DamagedStore(FolderError):
    """The files of a store are not as they were written. What they hold can be made anew from the journal."""

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(
            f"{path}: the checkpoint is damaged ({what}); lycosa resume {path.parent} makes it anew from the journal"
        )
        self.what = what


def set_aside(path: Path) -> Path:
    """Keep a damaged store under another name, so that a new one can be made in its place."""
    names = (path.with_name(f"{path.name}.damaged-{number}") for number in count(1))
    return path.rename(next(name for name in names if not name.exists()))


class Rocks:
    """An open store of plain bytes. Whatever goes wrong in it is a `FolderError` of one line."""

    def __init__(self, path: Path, db: Rdict, stand_in: TemporaryDirectory[str] | None = None) -> None:
        self.path, self._db, self._stand_in = path, db, stand_in
        self._errors = RocksErrors(path)
        self._durably = WriteOptions()
        self._durably.sync = True

    def get(self, key: bytes) -> bytes | None:
        with self._errors:
            return cast("bytes | None", self._db.get(key))

    def get_all(self, keys: list[bytes]) -> Sequence[bytes | None]:
        """What each of the keys holds: half the time of asking one by one."""
        with self._errors:
            return cast("list[bytes | None]", self._db.get(cast("Any", keys)))

    def scan(self, start: bytes, end: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Rows from `start` up to, without, `end`, as they are when the scan begins."""
        rows, bounds = self._rows(start, end)
        while rows.valid():
            yield rows.key(), rows.value()
            rows.next()
        with self._errors:
            rows.status()
        del rows, bounds

    def read(self, start: bytes, end: bytes, take: Callable[[RdictIter], Taken]) -> Taken:
        """What somebody takes of these rows, who is given an iterator that stands at the first."""
        rows, bounds = self._rows(start, end)
        with self._errors:
            taken = take(rows)
            rows.status()
        del rows, bounds
        return taken

    def _rows(self, start: bytes, end: bytes) -> tuple[RdictIter, ReadOptions]:
        """An iterator, and what must outlive it: it keeps no more than a pointer to that (rocksdict 0.3.29)."""
        bounds = ReadOptions()
        bounds.set_iterate_upper_bound(end)
        with self._errors:
            rows = self._db.iter(bounds)
            rows.seek(start)
        return rows, bounds

    def write(self, batch: WriteBatch) -> None:
        """All or nothing, and not even a power cut takes it back."""
        with self._errors:
            self._db.write(batch, self._durably)

    def flush(self) -> None:
        with self._errors:
            self._db.flush()

    def close(self) -> None:
        self._db.close()
        if self._stand_in is not None:
            self._stand_in.cleanup()


def open_rocks(path: Path, *, read_only: bool = False) -> Rocks:
    """Open a store, making it if it is not there. Caches and buffers take some 100 MB once they are full.

    Sorted runs are merged by size (universal compaction): URLs arrive in no order, and levels would rewrite them about
    twice as often. Filters keep the cost of looking into several runs small, so eight are merged at once: small
    buffers make many. The buffer has a filter, too: most keys that are asked for were never written.
    """
    options = Options(raw_mode=True)
    options.create_if_missing(not read_only)
    options.set_write_buffer_size(32 * MEGABYTE)
    options.set_compaction_style(DBCompactionStyle.universal())
    options.set_level_zero_file_num_compaction_trigger(8)
    options.set_max_write_buffer_number(2)
    options.set_memtable_prefix_bloom_ratio(0.02)
    options.set_memtable_whole_key_filtering(True)
    options.set_max_background_jobs(2)
    options.set_keep_log_file_num(2)
    options.set_max_open_files(256)
    options.set_compression_type(DBCompressionType.lz4())
    table = BlockBasedOptions()
    table.set_bloom_filter(10, False)
    table.set_block_cache(Cache(32 * MEGABYTE))
    options.set_block_based_table_factory(table)
    access = AccessType.read_only() if read_only else AccessType.read_write()
    # Named once more, or an opening takes them from a file of the store, which does not keep the filter.
    families = {"default": options}
    with RocksErrors(path):
        stand_in = _stand_in(path) if read_only and not os.access(path, os.W_OK) else None
        where = stand_in.name if stand_in else str(path)
        return Rocks(path, Rdict(where, options, families, access_type=access), stand_in)


def _stand_in(path: Path) -> TemporaryDirectory[str]:
    """A folder with links to the store's files: RocksDB writes a log wherever it opens one, if only to read."""
    made = TemporaryDirectory(prefix="lycosa-")
    for file in path.iterdir():
        if not file.name.startswith(("LOG", "LOCK", "rocksdict-config")):
            (Path(made.name) / file.name).symlink_to(file.resolve())
    config = path / "rocksdict-config.json"
    if config.exists():
        (Path(made.name) / config.name).write_bytes(config.read_bytes())
    return made


def after(prefix: bytes) -> bytes:
    """The end of the rows with this prefix."""
    return prefix[:-1] + bytes([prefix[-1] + 1])


class RocksErrors:
    """Say in one line what is wrong with the folder and what to do.

    A class, made once for each store, since places are read one by one: a generator's context manager takes longer than
    some of these reads.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception):
            raise _told(self._path, error) from error


def _told(path: Path, error: Exception) -> FolderError:
    text = " ".join(str(error).split())
    if any(sign in text for sign in ("No space left", "Disk quota", "File too large")):
        return FolderError(
            f"{path}: the disk is full; the crawl halted, make room and resume it, nothing saved is lost"
        )
    if "lock" in text.lower() and "IO error" in text:
        return FolderError(f"{path}: the crawl is in use by another process; stop it first")
    if any(sign in text for sign in ("Permission denied", "Read-only file system")):
        return FolderError(f"{path}: it may not be opened or written to here; copy it to a place of your own")
    return DamagedStore(path, text.replace(f"{path}/", ""))
