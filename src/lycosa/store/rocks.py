"""RocksDB as the frontier uses it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rocksdict import (
    AccessType,
    BlockBasedOptions,
    Cache,
    DBCompactionStyle,
    DBCompressionType,
    Options,
    Rdict,
    ReadOptions,
)

from lycosa.model.errors import FolderError

MEGABYTE = 1 << 20


def open_rocks(path: Path, *, read_only: bool = False) -> Rdict:
    """Open a store of plain bytes, making it if it is not there. Caches and buffers take some
    420 MB once they are full.

    Sorted runs are merged by size (universal compaction): URLs arrive in no order, and levels would rewrite them about
    twice as often. Filters keep the cost of looking into several runs small.
    """
    options = Options(raw_mode=True)
    options.create_if_missing(not read_only)
    options.set_write_buffer_size(96 * MEGABYTE)
    options.set_compaction_style(DBCompactionStyle.universal())
    options.set_max_write_buffer_number(2)
    options.set_max_background_jobs(2)
    options.set_keep_log_file_num(2)
    options.set_max_open_files(256)
    options.set_compression_type(DBCompressionType.lz4())
    table = BlockBasedOptions()
    table.set_bloom_filter(10, False)
    table.set_block_cache(Cache(224 * MEGABYTE))
    options.set_block_based_table_factory(table)
    access = AccessType.read_only() if read_only else AccessType.read_write()
    with rocks_errors(path):
        return Rdict(str(path), options, access_type=access)


def scan(db: Rdict, start: bytes, end: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Rows from `start` up to, without, `end`, as they are when the scan begins."""
    bounds = ReadOptions()  # must outlive the iterator, which keeps a bare pointer to it (rocksdict 0.3.29)
    bounds.set_iterate_upper_bound(end)
    rows = db.iter(bounds)
    rows.seek(start)
    while rows.valid():
        yield rows.key(), rows.value()
        rows.next()
    rows.status()
    del rows, bounds


def after(prefix: bytes) -> bytes:
    """The end of the rows with this prefix."""
    return prefix[:-1] + bytes([prefix[-1] + 1])


@contextmanager
def rocks_errors(path: Path) -> Iterator[None]:
    """Say in one line what is wrong with the folder and what to do."""
    try:
        yield
    except Exception as error:
        text = str(error)
        if "No space left" in text or "Disk quota" in text:
            raise FolderError(
                f"{path}: the disk is full; the crawl halted, make room and resume it, nothing saved is lost"
            ) from error
        if "lock" in text.lower() and "IO error" in text:
            raise FolderError(f"{path}: the crawl is in use by another process; stop it first") from error
        raise FolderError(f"{path}: {text}") from error
