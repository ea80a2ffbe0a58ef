"""What keeping a page costs: compressors side by side, whole writes, reads, scans, and serving a recorded web.

    LYCOSA_SHARED=... python benchmarks/archiving.py

Uses pages of about 33 KB of the recorded web ``uci-ics-10k``, or made-up pages of that size without it. CPU
time of this process, best of five rounds. zlib-ng is compared if it is installed.
"""

from __future__ import annotations

import asyncio
import io
import os
import time
import zlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType
from isal import isal_zlib
from msgspec.structs import replace

from lycosa.archive import record
from lycosa.archive.collection import Collection
from lycosa.archive.scan import scan
from lycosa.archive.warc import WarcArchive
from lycosa.archive.warc_file import WarcFile
from lycosa.model.records import LastCapture, Millis, Response
from lycosa.model.url import Url
from lycosa.web.made.graph_web import GraphWeb
from lycosa.web.recorded import RecordedWeb
from lycosa.web.serve import Served

ROUNDS = 5
PAGES = 300
FIELDS = {
    "relevance": "0.5123",
    "score": "0.7311",
    "strategy": "best-first",
    "step": "1234",
    "via": "http://a.example/hub",
    "hopsFromSeed": "3",
}
HEADERS = tuple((f"X-Header-{n}", f"a value of usual length, number {n}") for n in range(10))
SENT = (
    ("Host", "a.example"),
    ("User-Agent", "lycosa/0 (+http://a.example/)"),
    ("Accept-Encoding", "gzip, br"),
)


def bodies() -> list[bytes]:
    """`PAGES` different pages of 30 to 36 KB."""
    shared = os.environ.get("LYCOSA_SHARED")
    if shared is None:
        web = GraphWeb()
        made = [
            found.body
            for n in range(3000)
            if isinstance(found := asyncio.run(web.fetch(web.url(n))), Response)
        ]
        return [b"".join(made[(n * 7 + k) % 3000] for k in range(37)) for n in range(PAGES)]
    collection = Collection.open([Path(shared) / "webs" / "uci-ics-10k"])
    found = dict[bytes, None]()
    for capture in collection.captures():
        page = collection.find(capture.url) if 5000 < capture.ref.length < 12000 else None
        if page is not None and 30_000 <= len(page.body) <= 36_000:
            found[page.body] = None
        if len(found) == PAGES:
            break
    return list(found)


def cost(work: Callable[[], int], units: int) -> tuple[float, float]:
    """Microseconds of CPU and result, each by unit: the best of `ROUNDS`."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best / units * 1e6, result / units


def compressors(pages: list[bytes]) -> Iterable[tuple[str, Callable[[bytes], bytes]]]:
    for level in (1, 3, 6, 9):
        yield f"zlib {level}", lambda raw, level=level: zlib.compress(raw, level, record.GZIP)
    with suppress(ImportError):
        from zlib_ng import zlib_ng

        for level in (1, 3, 5, 6, 9):
            yield f"zlib-ng {level}", lambda raw, level=level: zlib_ng.compress(raw, level, record.GZIP)
    for level in range(4):
        chosen = "  <- ours" if level == record.LEVEL else ""
        yield f"ISA-L {level}{chosen}", lambda raw, level=level: isal_zlib.compress(raw, level, record.GZIP)
    for level in (1, 6):
        yield f"FastWARC record, level {level}", lambda raw, level=level: by_fastwarc(raw, level)


def by_fastwarc(body: bytes, level: int) -> bytes:
    """A response record with a payload digest, as FastWARC writes it."""
    out = io.BytesIO()
    writer = GzipWriter(out, level)
    made = WarcRecord()
    made.init_headers(WarcRecordType.response)
    made.headers.append("WARC-Target-URI", "http://a.example/")
    made.is_http = True
    made.set_bytes_content(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body)
    made.write(writer, checksum_data=True)
    writer.finish()
    return out.getvalue()


def response(n: int, body: bytes) -> Response:
    return Response(
        url=Url(f"http://a.example/page/{n}"),
        status=200,
        headers=(
            *HEADERS,
            ("Content-Type", "text/html"),
            ("Content-Encoding", "gzip"),
            ("Content-Length", "7777"),
        ),
        body=body,
        fetched_at=Millis(1_795_000_000_000 + n),
        elapsed=Millis(40),
        address="127.0.0.1",
        reason_phrase="OK",
        request_headers=SENT,
    )


def keep(pages: list[Response], *, annotated: bool = True) -> int:
    with TemporaryDirectory() as folder:
        archive = WarcArchive.open(Path(folder))
        for page in pages:
            ref = archive.write(page)
            if annotated:
                archive.annotate(ref, page.url, FIELDS)
        archive.flush()
        return sum(path.stat().st_size for path in Path(folder).glob("*.gz"))


def unmodified(pages: list[Response], rounds: int) -> int:
    """The pages, and that each was as it was, so many times."""
    with TemporaryDirectory() as folder:
        archive = WarcArchive.open(Path(folder))
        for page in pages:
            before = LastCapture(
                url=page.url,
                at=page.fetched_at,
                digest=record.sha1_base32(page.body),
                etag='"1"',
                record=archive.write(page),
            )
            for _ in range(rounds):
                archive.write(replace(page, status=304, body=b""), before)
        archive.flush()
        return sum(path.stat().st_size for path in Path(folder).glob("*.gz"))


def served(web: RecordedWeb, urls: list[str]) -> int:
    """Server alone: the requests are handed to the protocol's parser over one loopback connection, pipelined."""

    async def ask() -> int:
        async with Served(web) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port, limit=1 << 24)
            size = 0
            for url in urls:
                writer.write(f"GET {url} HTTP/1.1\r\n\r\n".encode())
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
                size += len(await reader.readexactly(length))
            writer.close()
            return size

    return asyncio.run(ask())


def main() -> None:
    found = bodies()
    size = sum(map(len, found)) / len(found)
    print(f"{len(found)} pages of {size:,.0f} bytes; µs of CPU and bytes, each by page\n")
    print(f"{'compress one page':34}{'µs':>8}{'bytes':>9}{'of zlib 6':>11}")
    reference = sum(len(zlib.compress(body, 6, record.GZIP)) for body in found) / len(found)
    for name, compress in compressors(found):
        micros, out = cost(lambda compress=compress: sum(len(compress(body)) for body in found), len(found))
        print(f"{name:34}{micros:8.0f}{out:9,.0f}{out / reference:10.0%}")
    pages = [response(n, body) for n, body in enumerate(found)]
    bare = [replace(page, request_headers=()) for page in pages]
    copies = [replace(page, body=found[0]) for page in pages]
    print(f"\n{'write to the archive':34}{'µs':>8}{'bytes':>9}")
    for name, work in (
        ("response", lambda: keep(bare, annotated=False)),
        ("response, request", lambda: keep(pages, annotated=False)),
        ("response, request, metadata", lambda: keep(pages)),
        ("revisit, request, metadata", lambda: keep(copies)),
    ):
        micros, out = cost(work, len(pages))
        print(f"{name:34}{micros:8.0f}{out:9,.0f}")
    first, again = (cost(lambda n=n: unmodified(pages, n), len(pages)) for n in (0, 10))
    print(
        f"{'304: revisit, request, its head':34}{(again[0] - first[0]) / 10:8.0f}{(again[1] - first[1]) / 10:9,.0f}"
    )
    print(f"\n{'read back':34}{'µs':>8}{'a CPU-second':>14}")
    for name, micros in reads(pages):
        print(f"{name:34}{micros:8.0f}{1e6 / micros:14,.0f}")


def reads(pages: list[Response]) -> Iterable[tuple[str, float]]:
    with TemporaryDirectory() as folder:
        archive = WarcArchive.open(Path(folder))
        refs = [archive.write(page) for page in pages]
        yield "by reference", cost(lambda: sum(len(archive.read(ref).body) for ref in refs), len(refs))[0]
        archive.close()
        path = Path(folder) / refs[0].file
        yield "scan, request records too", cost(lambda: sum(1 for _ in scan(WarcFile.of(path))), len(refs))[0]
        web = RecordedWeb(Collection.open([Path(folder)]))
        urls = [page.url for page in pages]

        async def fetch() -> int:
            return sum([isinstance(await web.fetch(url), Response) for url in urls])

        yield "RecordedWeb.fetch", cost(lambda: asyncio.run(fetch()), len(urls))[0]
        yield "served over HTTP, client included", cost(lambda: served(web, list(urls)), len(urls))[0]


if __name__ == "__main__":
    main()
