"""How fast the stream of a crawl is, beside reading the same WARC files with warcio and with FastWARC.

    LYCOSA_SHARED=... python benchmarks/streaming.py [RECORDS]

An archive is made of pages of the recorded web ``uci-ics-10k``, or of made-up ones without it; in it are requests and
metadata as in any crawl. Then all are read in turns, `ROUNDS` times, so that each meets the same machine: wall time of
this process, medians, and medians of the ratios within a round. What is read is in the cache of the system: it is what
a reader adds to the disk that is compared.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from archiving import FIELDS, HEADERS, SENT
from archiving import bodies as bodies_of_pages
from lycosa.archive.cdxj import Capture, to_line
from lycosa.archive.reader import Reader
from lycosa.archive.stored import StoredOrder
from lycosa.archive.warc import WarcArchive
from lycosa.model.records import Millis, RecordRef, Response
from lycosa.model.url import Url

ROUNDS = 5
INDEXED = 1_000_000


def made(folder: Path, records: int) -> list[Path]:
    """An archive of so many pages, no two of them alike."""
    archive = WarcArchive.open(folder)
    pages = bodies_of_pages()
    for number, body in enumerate(islice(cycle(pages), records)):
        url = Url(f"http://h{number % 97}.example/page/{number}")
        response = Response(
            url=url,
            status=200,
            headers=(*HEADERS, ("Content-Type", "text/html")),
            body=body + b"<!-- %d -->" % number,
            fetched_at=Millis(1_795_000_000_000 + number),
            request_headers=SENT,
        )
        archive.annotate(archive.write(response), url, FIELDS)
    archive.close()
    return sorted(folder.glob("*.warc.gz"))


def streamed(folder: Path) -> Iterator[bytes]:
    """Records as they are stored."""
    reader = Reader([folder])
    return (reader.raw(capture.ref) for capture in StoredOrder(folder).more())


def streamed_bodies(folder: Path) -> Iterator[bytes]:
    """The same, each record read and its body taken out."""
    reader = Reader([folder])
    return (reader.read(capture.ref).body for capture in StoredOrder(folder).more())


def by_warcio(files: list[Path]) -> Iterator[bytes]:
    for file in files:
        with file.open("rb") as opened:
            for record in WarcioIterator(opened):
                if record.rec_type == "response":
                    yield record.content_stream().read()


def by_fastwarc(files: list[Path]) -> Iterator[bytes]:
    for file in files:
        with file.open("rb") as opened:
            for record in FastIterator(opened, record_types=WarcRecordType.response):
                yield record.reader.read()


def ordered(folder: Path, records: int) -> float:
    """Seconds until a reader has the index of so many records in stored order: what comes before the first."""
    lines = [
        to_line(
            Capture(
                url=f"http://h{number * 7919 % 9973}.example/{number}",
                at=Millis(1_795_000_000_000),
                ref=RecordRef(
                    file="lycosa-20261120000000-00000.warc.gz", offset=number * 9_000, length=9_000
                ),
                mime="text/html",
                status=200,
                digest="sha1:" + "A" * 32,
            )
        )
        for number in range(records)
    ]
    (folder / "index.cdxj").write_bytes(b"".join(sorted(lines)))
    (folder / "lycosa-20261120000000-00000.warc.gz").touch()
    os.truncate(folder / "lycosa-20261120000000-00000.warc.gz", records * 9_000)
    del lines
    began = time.perf_counter()
    next(StoredOrder(folder).more())
    return time.perf_counter() - began


def timed(read: Callable[[], Iterator[bytes]], records: int) -> float:
    """Seconds. Each reader must give every record."""
    began = time.perf_counter()
    count = sum(1 for _ in read())
    took = time.perf_counter() - began
    if count != records:
        raise SystemExit(f"{count} records were read, there are {records}")
    return took


def main(records: int) -> None:
    source = "uci-ics-10k" if os.environ.get("LYCOSA_SHARED") else "made-up pages"
    with TemporaryDirectory() as name:
        folder = Path(name)
        files = made(folder, records)
        size = sum(file.stat().st_size for file in files)
        print(f"{records:,} pages of {source}, {size / 1e6:,.0f} MB of WARC, {ROUNDS} rounds in turns\n")
        readers: dict[str, Callable[[], Iterator[bytes]]] = {
            "warcio, bodies": lambda: by_warcio(files),
            "FastWARC, bodies": lambda: by_fastwarc(files),
            "the stream, records as stored": lambda: streamed(folder),
            "the stream, bodies": lambda: streamed_bodies(folder),
        }
        took: dict[str, list[float]] = {name: [] for name in readers}
        for _ in range(ROUNDS):
            for name, read in readers.items():
                took[name].append(timed(read, records))
    first = took["warcio, bodies"]
    print(f"{'reader':<32}{'records/s':>12}{'MB/s':>10}{'× warcio':>10}")
    for name, times in took.items():
        median = statistics.median(times)
        gain = statistics.median(one / other for one, other in zip(first, times, strict=True))
        print(f"{name:<32}{records / median:>12,.0f}{size / median / 1e6:>10,.0f}{gain:>10.1f}")
    with TemporaryDirectory() as name:
        print(f"\nThe first of {INDEXED:,} records comes after {ordered(Path(name), INDEXED):.2f} s.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
