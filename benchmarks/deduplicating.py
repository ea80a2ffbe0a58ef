"""What it costs to compare with another archive, and to pack one: time, bytes and memory, by the number of payloads.

    python benchmarks/deduplicating.py [--most 1000000]

An index of made-up captures stands for the other archive: looking up needs nothing else. Packing is measured on an
archive of pages that are there. CPU time of this process; memory is the most that Python's objects took, as tracemalloc
counts it (and slows what it counts: times are of runs without it).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import time
import tracemalloc
from base64 import b32encode
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from lycosa.archive.cdxj import Capture, to_line
from lycosa.archive.collection import Collection
from lycosa.archive.others import PayloadFile
from lycosa.archive.wacz import About, WaczPage, write_wacz
from lycosa.archive.warc import WarcArchive
from lycosa.model.records import Millis, RecordRef, Response
from lycosa.model.url import Url

LOOKED_UP = 20_000
HEAD = ("Content-Type", "text/html")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int, default=1_000_000)
    most = parser.parse_args().most
    print(f"{'payloads':>10}  {'made in s':>9}  {'MB':>6}  {'Python MB':>9}  {'µs a look-up':>12}")
    for count in (most // 100, most // 10, most):
        with TemporaryDirectory() as place:
            print(looking_up(Path(place), count))
    print(f"\n{'pages':>10}  {'packed in s':>11}  {'MB':>6}  {'Python MB':>9}")
    for count in (1_000, 10_000):
        with TemporaryDirectory() as place:
            print(packing(Path(place), count))


def digest(number: int) -> str:
    return f"sha1:{b32encode(hashlib.sha1(b'%d' % number).digest()).decode()}"


def looking_up(place: Path, count: int) -> str:
    """A folder with one sparse file that is as long as its index says, and an index of so many payloads."""
    os.truncate(os.open(place / "w.warc.gz", os.O_CREAT | os.O_WRONLY), 1000 * count)
    lines = (
        to_line(
            Capture(
                url=f"http://h{number % 97}.example/{number:09}",
                at=Millis(1_700_000_000_000),
                ref=RecordRef(file="w.warc.gz", offset=1000 * number, length=1000),
                mime="text/html",
                status=200,
                digest=digest(number),
            )
        )
        for number in range(count)
    )
    (place / "index.cdxj").write_bytes(b"".join(sorted(lines)))
    collection = Collection.open([place])
    made, python = measured(lambda: PayloadFile.make(collection, place / "x.payloads"))
    found = PayloadFile.kept(place / "x.payloads", collection.whole())
    assert found is not None
    asked = [digest(number * 7919 % (2 * count)) for number in range(LOOKED_UP)]
    began = time.process_time()
    hits = sum(1 for each in asked for _ in found.refs(each))
    each = (time.process_time() - began) / LOOKED_UP
    assert hits == sum(number * 7919 % (2 * count) < count for number in range(LOOKED_UP))
    size = (place / "x.payloads").stat().st_size
    collection.close()
    return f"{count:>10,}  {made:>9.2f}  {size / 1e6:>6.1f}  {python:>9.1f}  {each * 1e6:>12.1f}"


def packing(place: Path, count: int) -> str:
    archive = WarcArchive.open(place)
    for number in range(count):
        body = b"page %d " % number * 40 + os.urandom(8_000)
        url = Url(f"http://a.example/{number}")
        archive.write(Response(url=url, status=200, headers=(HEAD,), body=body, fetched_at=Millis(0)))
    archive.close()
    about = About(title="", description="", created=Millis(0), has_text=True)
    collection = Collection.open([place])

    def pack() -> None:
        with (place / "x.wacz").open("wb") as file:
            write_wacz(file, collection.whole(), collection.lines(), nothing(), nothing(), about)

    spent, python = measured(pack)
    size = (place / "x.wacz").stat().st_size
    collection.close()
    return f"{count:>10,}  {spent:>11.2f}  {size / 1e6:>6.1f}  {python:>9.1f}"


def nothing() -> Iterator[WaczPage]:
    yield from ()


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """CPU seconds, and the most megabytes of Python's objects in a second run."""
    began = time.process_time()
    work()
    spent = time.process_time() - began
    tracemalloc.start()
    work()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return spent, peak / 1e6


if __name__ == "__main__":
    main()
