"""A web server on loopback that misbehaves on request, for tests of everything that fetches.

    async with Hostile() as server:
        server.port, server.tls_port      where it listens
        server.log                        what it was asked, in order

or, for blocking tests and other processes, `with hostile_thread() as server:` and
`python -m tests.live.hostile`.

What it does is told by the path (`PAGES` and `DEEDS` in `misdeeds.py`), or for robots.txt by the first label
of the virtual host (`ROBOTS` there, `robots-500.test`). Every other host and path is a small page. Host names
are brought to it with `--connect-to '*:80:127.0.0.1:PORT'`.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.live.misdeeds import DEEDS, PAGES, ROBOTS, ROBOTS_DEEDS, SMALL, Answer, Writer, made, to, unless

CERTIFICATE = Path(__file__).with_name("hostile.pem")
"""Self-signed, for localhost, a.test, b.test, secure.test, *.secure.test and 127.0.0.1, with its key: good
for nothing but this server."""

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


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


class Hostile:
    """The server. Listens on free loopback ports: `port` for HTTP, `tls_port` with a self-signed certificate,
    `garbage_port` where plain text answers a TLS handshake."""

    def __init__(self) -> None:
        self.log: list[Asked] = []
        self.port = self.tls_port = self.garbage_port = 0
        self._servers: list[asyncio.Server] = []
        self._open: set[asyncio.Task[None]] = set()
        self._seen: Counter[tuple[str, str]] = Counter()
        self.at_once = 0
        """The most requests that were being answered at the same moment."""
        self._now = 0
        self.most_open = 0
        """The most connections that were open at the same moment."""

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
        self.most_open = max(self.most_open, len(self._open))
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
            return made("/429")
        if path == "/503-then-ok" and self._seen[asked.host, path] < 2:
            return made("/503")
        if path == "/validated":
            return unless(asked.headers)
        if path.startswith("/link/"):  # each with words of its own, or all would be one page
            return Answer(SMALL.replace(b"</p>", b", see also %b</p>" % path.encode()))
        if path not in PAGES:
            return Answer(SMALL)
        return made(path)


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
    started.wait(60)
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
    main()
