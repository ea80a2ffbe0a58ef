"""A web server on loopback that misbehaves on request, for tests of everything that fetches.

    async with Hostile() as server:
        server.port, server.tls_port      where it listens
        server.log                        what it was asked, in order

or, for blocking tests and other processes, `with hostile_thread() as server:` and
`python -m tests.live.hostile`.

What it does is told by the path (`PAGES`, `DEEDS` below), or for robots.txt by the first label of the
virtual host (`ROBOTS` below, `robots-500.test`). Every other host and path is a small page. Host names are
brought to it with `--connect-to '*:80:127.0.0.1:PORT'`.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import ssl
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CERTIFICATE = Path(__file__).with_name("hostile.pem")
"""Self-signed, for localhost, a.test, b.test, secure.test, *.secure.test and 127.0.0.1, with its key: good
for nothing but this server."""

Writer = Callable[[bytes], Awaitable[None]]
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

TEXT = "Numerical analysis is the study of algorithms. " * 40


@dataclass(frozen=True)
class Asked:
    """One request as it came in."""

    at: float
    """By the monotonic clock, in seconds."""
    host: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    peer: tuple[str, int]


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
    packer = zlib.compressobj(9, wbits=31)
    block = bytes(1024 * 1024)
    return b"".join(packer.compress(block) for _ in range(megabytes)) + packer.flush()


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


class Hostile:
    """The server. Listens on free loopback ports: `port` for HTTP, `tls_port` with a self-signed certificate,
    `garbage_port` where plain text answers a TLS handshake."""

    def __init__(self) -> None:
        self.log: list[Asked] = []
        self.port = self.tls_port = self.garbage_port = 0
        self._servers: list[asyncio.Server] = []
        self._open: set[asyncio.Task[None]] = set()
        self._seen: Counter[tuple[str, str]] = Counter()
        self._made: dict[str, Answer] = {}
        self.at_once = 0
        """The most requests that were being answered at the same moment."""
        self._now = 0

    async def __aenter__(self) -> Hostile:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
        self.port = await self._listen(self._talk, None)
        self.tls_port = await self._listen(self._talk, context)
        self.garbage_port = await self._listen(self._garbage, None)
        return self

    async def _listen(self, talk: Talk, context: ssl.SSLContext | None) -> int:
        server = await asyncio.start_server(talk, "127.0.0.1", 0, ssl=context, limit=256 * 1024)
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        for task in list(self._open):
            task.cancel()
        await asyncio.gather(*self._open, return_exceptions=True)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def asked(self, path: str) -> int:
        """How often a path was asked for."""
        return sum(request.path == path for request in self.log)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._open.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ssl.SSLError):
            pass
        except asyncio.CancelledError:
            pass
        finally:
            self._open.discard(task)
            writer.close()

    async def _garbage(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            await reader.read(100)
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\nspeak plainly\r\n")
            await writer.drain()
        writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request. False: the connection is done with."""
        asked = _parse(await reader.readuntil(b"\r\n\r\n"), writer)
        self.log.append(asked)
        if asked.path.startswith("CONNECT "):
            await self._tunnel(reader, writer)
            return False
        self._now += 1
        self.at_once = max(self.at_once, self._now)
        try:
            deed = self._deed(asked)
            if deed is not None:
                await deed(_drained(writer))
                return False
            answer = self._answer(asked)
            writer.write(_wire(answer))
            await writer.drain()
            return asked.headers.get("connection") != "close"
        finally:
            self._now -= 1

    async def _tunnel(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Be a proxy for TLS: whatever host is asked for, it is this server's own TLS port."""
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.tls_port)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        await asyncio.gather(_copy(reader, far_writer), _copy(far_reader, writer))

    def _deed(self, asked: Asked) -> Callable[[Writer], Awaitable[None]] | None:
        if asked.path == "/robots.txt":
            return ROBOTS_DEEDS.get(asked.host.split(".")[0])
        return DEEDS.get(asked.path)

    def _answer(self, asked: Asked) -> Answer:
        name, path = asked.host.split(".")[0], asked.path
        self._seen[asked.host, path] += 1
        if path == "/robots.txt":
            return ROBOTS.get(name, ROBOTS["robots-404"])()
        if path.startswith("/chain/") and path != "/chain/0":
            return to(f"/chain/{int(path.rsplit('/', 1)[1]) - 1}")
        if path == "/429-then-ok" and self._seen[asked.host, path] < 3:
            return PAGES["/429"]()
        if path == "/503-then-ok" and self._seen[asked.host, path] < 2:
            return PAGES["/503"]()
        if path not in PAGES:
            return Answer(SMALL)
        if path not in self._made:
            self._made[path] = PAGES[path]()
        return self._made[path]


def _parse(head: bytes, writer: asyncio.StreamWriter) -> Asked:
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    method, path, _ = first.split(" ")
    if method == "CONNECT":
        path = first.rpartition(" ")[0]
    if path.startswith("http://"):  # asked as a proxy
        path = "/" + path.split("/", 3)[3]
    return Asked(
        at=time.monotonic(),
        host=headers.get("host", "").rsplit(":", 1)[0],
        path=path,
        headers=headers,
        peer=writer.get_extra_info("peername")[:2],
    )


def _wire(answer: Answer) -> bytes:
    fields = {**answer.headers}
    if answer.content_type:
        fields.setdefault("Content-Type", answer.content_type)
    if answer.status not in (204, 304):
        fields["Content-Length"] = str(len(answer.body))
    head = f"HTTP/1.1 {answer.status} Status {answer.status}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return head.encode() + b"\r\n" + (b"" if answer.status in (204, 304) else answer.body)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()
    writer.close()


def _drained(writer: asyncio.StreamWriter) -> Writer:
    async def write(chunk: bytes) -> None:
        writer.write(chunk)
        await writer.drain()

    return write


@contextlib.contextmanager
def hostile_thread() -> Iterator[Hostile]:
    """The server in a thread of its own, for blocking tests and for other processes."""
    started = threading.Event()
    server = Hostile()
    loop = asyncio.new_event_loop()
    done = asyncio.Event()

    async def serve() -> None:
        async with server:
            started.set()
            await done.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    started.wait(10)
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(done.set)
        thread.join(10)
        loop.close()


def main() -> None:
    """Serve until interrupted."""
    with hostile_thread() as server:
        print(f"http {server.port}, https {server.tls_port}, plain text on {server.garbage_port}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    sys.exit(main())
