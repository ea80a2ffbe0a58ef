"""What the hostile server does: pages that are honest HTTP, and deeds that are not."""

from __future__ import annotations

import asyncio
import gzip
import struct
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cache

Writer = Callable[[bytes], Awaitable[None]]

TEXT = "Numerical analysis is the study of algorithms. " * 40


@dataclass
class Answer:
    """An honest answer: status, body and further headers. Content-Length is right."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str = "text/html; charset=utf-8"


def page(title: str, body: str) -> bytes:
    return f"<!doctype html><title>{title}</title><h1>{title}</h1>{body}".encode()


SMALL = page("A page", f"<p>{TEXT}</p><a href='/other'>other</a>")


def _links(count: int) -> bytes:
    return page("Links", "".join(f"<a href='/link/{n}'>link {n}</a>\n" for n in range(count)))


def _nested(depth: int) -> bytes:
    return page("Nested", "<div>" * depth + "deep" + "</div>" * depth)


def _bare_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


def _bomb(megabytes: int) -> bytes:
    """A gzip member of zeros, put together from one packed block as packing them all takes long."""
    block = bytes(1024 * 1024)
    packer = zlib.compressobj(9, wbits=-15)
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    check = 0
    for _ in range(megabytes):
        check = zlib.crc32(block, check)
    tail = b"\x03\x00" + struct.pack("<II", check, megabytes * len(block))
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff" + packed * megabytes + tail


def _brotli(body: bytes) -> bytes:
    import brotli

    return bytes(brotli.compress(body, quality=4))


def _zstd(body: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(body)


def coded(coding: str, body: bytes, status: int = 200) -> Answer:
    return Answer(body, status, {"Content-Encoding": coding})


def to(location: str, status: int = 302) -> Answer:
    return Answer(b"moved", status, {"Location": location})


VALIDATORS = {"ETag": 'W/"caf\u00e9-1"', "Last-Modified": "Wed, 21 Oct 2015 07:28:00 GMT"}


def unless(asked: dict[str, str]) -> Answer:
    """A page with validators, and 304 where one of them is shown; by RFC 9110, 13.2.2 the ETag goes first."""
    shown = asked.get("if-none-match", "").encode("latin-1").decode()
    known = shown or asked.get("if-modified-since", "")
    fresh = known == VALIDATORS["ETag" if shown else "Last-Modified"]
    return Answer(b"" if fresh else SMALL, 304 if fresh else 200, VALIDATORS)


PAGES: dict[str, Callable[[], Answer]] = {
    "/": lambda: Answer(SMALL),
    "/ok": lambda: Answer(SMALL),
    "/gzip": lambda: coded("gzip", gzip.compress(SMALL)),
    "/gzip-members": lambda: coded("gzip", gzip.compress(SMALL[:100]) + gzip.compress(SMALL[100:])),
    "/gzip-padded": lambda: coded("x-gzip", gzip.compress(SMALL) + bytes(64)),
    "/deflate": lambda: coded("deflate", zlib.compress(SMALL)),
    "/deflate-bare": lambda: coded("deflate", _bare_deflate(SMALL)),
    "/brotli": lambda: coded("br", _brotli(SMALL)),
    "/zstd": lambda: coded("zstd", _zstd(SMALL)),
    "/stacked": lambda: coded("gzip, br", _brotli(gzip.compress(SMALL))),
    "/stacked-deep": lambda: coded(", ".join(["gzip"] * 9), SMALL),
    "/unknown-coding": lambda: coded("utf-8", SMALL),
    "/bad-gzip": lambda: coded("gzip", b"this is not gzip at all" * 20),
    "/cut-gzip": lambda: coded("gzip", gzip.compress(_links(2000))[:4000]),
    "/bomb": lambda: coded("gzip", _bomb(100)),
    "/bomb-twice": lambda: coded("gzip, gzip", gzip.compress(_bomb(100))),
    "/bomb-brotli": lambda: coded("br", _brotli(bytes(16 * 1024 * 1024))),
    "/bomb-zstd": lambda: coded("zstd", _zstd(bytes(64 * 1024 * 1024))),
    "/big": lambda: Answer(b"x" * 3_000_000),
    "/links": lambda: Answer(_links(100_000)),
    "/nested": lambda: Answer(_nested(100_000)),
    "/no-links": lambda: Answer(page("No links", TEXT)),
    "/empty": lambda: Answer(b""),
    "/204": lambda: Answer(b"", 204),
    "/304": lambda: Answer(b"", 304),
    "/404": lambda: Answer(page("Not found", ""), 404),
    "/410": lambda: Answer(page("Gone", ""), 410),
    "/500": lambda: Answer(page("Error", ""), 500),
    "/503": lambda: Answer(page("Busy", ""), 503, {"Retry-After": "120"}),
    "/429": lambda: Answer(page("Too many", ""), 429, {"Retry-After": "1"}),
    "/loop": lambda: to("/loop"),
    "/loop-a": lambda: to("/loop-b"),
    "/loop-b": lambda: to("/loop-a"),
    "/chain/0": lambda: to("/ok"),
    "/to-b": lambda: to("http://b.test/other"),
    "/session": lambda: Answer(SMALL, headers={"Set-Cookie": "session=granted-to-us; Path=/"}),
    "/to-private": lambda: to("http://127.0.0.1:9/secret"),
    "/to-metadata": lambda: to("http://169.254.169.254/latest/meta-data/"),
    "/to-nowhere": lambda: to("http://["),
    "/to-nothing": lambda: Answer(b"moved, no address left", 302),
    "/to-mail": lambda: to("mailto:someone@example.org"),
    "/cookies": lambda: Answer(SMALL, 200, {"Set-Cookie": "session=abc; Path=/"}),
    "/charset-garbage": lambda: Answer(
        b"\xff\xfe\x00\x80" * 200, content_type="text/html; charset=klingon-7"
    ),
    "/charset-latin": lambda: Answer(
        page("Caf\u00e9", "").decode().encode("latin-1"), content_type="text/html"
    ),
    "/binary": lambda: Answer(bytes(range(256)) * 40, content_type="application/octet-stream"),
    "/pdf": lambda: Answer(b"%PDF-1.7 ...", content_type="application/pdf"),
    "/no-type": lambda: Answer(SMALL, content_type=""),
    "/robots-header": lambda: Answer(SMALL, 200, {"X-Robots-Tag": "noindex, nofollow"}),
    "/raw-header": lambda: Answer(SMALL, 200, {"X-Raw": "caf\u00e9"}),
}
"""Honest HTTP, whatever it holds. `/chain/N` redirects N + 1 times."""


def _hub() -> bytes:
    """Links to everything there is, each thing on a host of its own: `host_of_deed` names it."""
    paths = [path for path in (*PAGES, *DEEDS) if path not in ("/hub", "/503")]
    links = [f"http://{host_of_deed(path)}{path}" for path in paths]
    links += ["http://robots-closed.test/ok", "https://unknown.test/ok", "https://garbage.test/ok"]
    links += [f"http://down.test/{number}" for number in range(15)]
    return page("Hub", "".join(f"<p>Numerical analysis at <a href='{url}'>{url}</a>" for url in links))


def host_of_deed(path: str) -> str:
    """The host on which the hub links to a path."""
    return f"at-{path.strip('/').replace('/', '-').replace('.', '-') or 'root'}.test"


PAGES["/hub"] = lambda: Answer(_hub())


@cache
def made(path: str) -> Answer:
    """An answer of `PAGES`. Some take a while to make, so all are kept."""
    return PAGES[path]()


async def _slow_headers(write: Writer) -> None:
    for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"y" * 10_000:
        await write(bytes([byte]))
        await asyncio.sleep(0.05)


async def _nothing(write: Writer) -> None:
    await asyncio.sleep(3600)


async def _hang_up(write: Writer) -> None:
    """Closes without a word."""


async def _half_a_body(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(SMALL))
    await write(SMALL[: len(SMALL) // 2])


async def _half_then_silence(write: Writer) -> None:
    await _half_a_body(write)
    await asyncio.sleep(3600)


async def _headers_then_silence(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n")
    await asyncio.sleep(3600)


async def _headers_then_hang_up(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\n")


async def _dripping_body(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n")
    for _ in range(100_000):
        await write(b"a")
        await asyncio.sleep(0.05)


async def _endless_body(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while True:
        await write(b"<p>and so on" * 1000)


async def _endless_chunks(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        await write(b"400\r\n" + b"z" * 1024 + b"\r\n")


async def _endless_headers(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\n")
    count = 0
    while True:
        await write(b"".join(b"X-%d: %s\r\n" % (n, b"v" * 100) for n in range(count, count + 100)))
        count += 100


async def _endless_header(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nX-Long: ")
    while True:
        await write(b"v" * 4096)


async def _long_length(write: Writer) -> None:
    """Says fewer bytes than it sends."""
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 50\r\n\r\n" + SMALL)


async def _long_length_late(write: Writer) -> None:
    """Says fewer bytes than it sends, and sends the surplus with the last of several packets."""
    await write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(SMALL))
    await asyncio.sleep(0.02)
    await write(SMALL + b"and more than was promised")


async def _length_and_chunks(write: Writer) -> None:
    """Both at once: a smuggler's answer, or a broken one (RFC 9112 6.3)."""
    fields = b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"
    await write(b"HTTP/1.1 200 OK\r\n" + fields + b"\r\n5\r\nhello\r\n0\r\n\r\n")


async def _to_latin(write: Writer) -> None:
    await write(b"HTTP/1.1 302 Found\r\nLocation: /caf\xe9\r\nContent-Length: 0\r\n\r\n")


async def _bad_length(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n" + SMALL)


async def _two_lengths(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: 20\r\n\r\n" + SMALL)


async def _bad_chunks(write: Writer) -> None:
    await write(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nqqq\r\nworld\r\n0\r\n\r\n"
    )


async def _not_http(write: Writer) -> None:
    await write(b"220 mail.example.org ESMTP ready\r\n")


async def _http_10(write: Writer) -> None:
    await write(b"HTTP/1.0 200 Fine\r\nContent-Type: text/html\r\n\r\n" + SMALL)


async def _null_header(write: Writer) -> None:
    await write(b"HTTP/1.1 200 OK\r\nX-Null: a\x00b\r\nContent-Length: 2\r\n\r\nhi")


async def _continued(write: Writer) -> None:
    await write(
        b"HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
    )


DEEDS: dict[str, Callable[[Writer], Awaitable[None]]] = {
    "/slow-headers": _slow_headers,
    "/nothing": _nothing,
    "/hang-up": _hang_up,
    "/half": _half_a_body,
    "/half-then-silence": _half_then_silence,
    "/headers-then-silence": _headers_then_silence,
    "/headers-then-hang-up": _headers_then_hang_up,
    "/dripping": _dripping_body,
    "/endless": _endless_body,
    "/endless-chunks": _endless_chunks,
    "/endless-headers": _endless_headers,
    "/endless-header": _endless_header,
    "/long-length": _long_length,
    "/long-length-late": _long_length_late,
    "/length-and-chunks": _length_and_chunks,
    "/to-latin": _to_latin,
    "/bad-length": _bad_length,
    "/two-lengths": _two_lengths,
    "/bad-chunks": _bad_chunks,
    "/not-http": _not_http,
    "/http-1.0": _http_10,
    "/null-header": _null_header,
    "/early-hints": _continued,
}
"""What is done on the open connection, which is closed afterwards."""

RULES = (
    b"User-agent: *\nDisallow: /private\nCrawl-delay: 2\nSitemap: http://robots-ok.test/sitemap.xml\n\n"
    b"User-agent: greedy\nDisallow: /\n"
)
ROBOTS: dict[str, Callable[[], Answer]] = {
    "robots-ok": lambda: Answer(RULES, content_type="text/plain"),
    "robots-closed": lambda: Answer(b"User-agent: *\nDisallow: /\n", content_type="text/plain"),
    "robots-404": lambda: Answer(b"none", 404),
    "robots-401": lambda: Answer(b"none", 401),
    "robots-403": lambda: Answer(b"none", 403),
    "robots-429": lambda: Answer(b"busy", 429, {"Retry-After": "600"}),
    "robots-500": lambda: Answer(b"broken", 500),
    "robots-503": lambda: Answer(b"busy", 503),
    "robots-redirect": lambda: to("http://robots-ok.test/robots.txt", 301),
    "robots-loop": lambda: to("/robots.txt"),
    "robots-astray": lambda: Answer(b"", 302),
    "robots-html": lambda: Answer(SMALL),
    "robots-empty": lambda: Answer(b"", content_type="text/plain"),
    "robots-gzip": lambda: coded("gzip", gzip.compress(RULES)),
    "robots-huge": lambda: Answer(RULES + b"# filler\n" * 200_000 + b"User-agent: *\nDisallow: /late\n"),
}
"""robots.txt by the first label of the host; any other host has none (404)."""
ROBOTS_DEEDS = {"robots-nothing": _nothing, "robots-half": _half_a_body, "robots-hang-up": _hang_up}
