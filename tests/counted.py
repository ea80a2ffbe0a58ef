"""A server on loopback that notes when each request began and ended, by host and by address."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter


@dataclass
class Seen:
    """One request, in seconds of the monotonic clock. One that was broken off ended when its connection closed."""

    host: str
    address: str
    path: str
    began: float
    ended: float = field(default=float("inf"))


class Counted:
    """Listens on some ports of all loopback addresses: `127.0.0.2:PORT` and `127.0.0.3:PORT` are hosts at two
    addresses, two ports of one address are two hosts at it."""

    def __init__(self, ports: int = 2, takes: float = 0.005) -> None:
        self._count, self._takes = ports, takes
        self._servers: list[asyncio.Server] = []
        self._open: set[asyncio.StreamWriter] = set()
        self._news = asyncio.Event()
        self.seen: list[Seen] = []
        self.answers: dict[str, tuple[str, str, float]] = {}
        """Of a path: status line, further headers, and how long it takes."""

    async def __aenter__(self) -> Counted:
        for _ in range(self._count):
            self._servers.append(await asyncio.start_server(self._talk, "0.0.0.0", 0))
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._servers:
            server.close()
        for writer in list(self._open):
            writer.close()

    @property
    def ports(self) -> list[int]:
        return [int(server.sockets[0].getsockname()[1]) for server in self._servers]

    def hosts(self, *addresses: str) -> list[str]:
        return [f"{address}:{port}" for address in addresses for port in self.ports]

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        address, port = writer.get_extra_info("sockname")[:2]
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode("latin-1")
                seen = Seen(f"{address}:{port}", address, path, time.monotonic())
                self.seen.append(seen)
                self._news.set()
                try:
                    answer = await self._answer(seen.host, path, reader)
                finally:
                    seen.ended = (
                        time.monotonic()
                    )  # before anybody can have it, so that no gap seems shorter than it was
                    self._news.set()
                writer.write(answer)
                await writer.drain()
        self._open.discard(writer)
        writer.close()

    async def _answer(self, host: str, path: str, reader: asyncio.StreamReader) -> bytes:
        status, more, takes = self.answers.get(path, ("200 OK", "", self._takes))
        with suppress(TimeoutError):  # so that a request which was broken off ends
            if await asyncio.wait_for(reader.read(1), takes) == b"":
                raise ConnectionError
        body = b"User-agent: *\nDisallow: /private\n" if path == "/robots.txt" else self.body(host, path)
        kind = "text/plain" if path == "/robots.txt" else "text/html"
        head = f"HTTP/1.1 {status}\r\n{more}Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        return head.encode() + body

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until something is true of the requests."""
        while not condition():
            self._news.clear()
            await self._news.wait()

    def body(self, host: str, path: str) -> bytes:
        """What a page says."""
        return b"<title>bees</title>bees"

    def closest(self, by: str) -> float:
        """The shortest time between the end of a request and the beginning of the next, of one host or one address."""
        gaps = [float("inf")]
        key = attrgetter(by)
        for _, of_one in itertools.groupby(sorted(self.seen, key=key), key):
            told = sorted(of_one, key=lambda seen: seen.began)
            ended = float("-inf")
            for seen in told:
                gaps.append(seen.began - ended)
                ended = max(ended, seen.ended)
        return min(gaps)
