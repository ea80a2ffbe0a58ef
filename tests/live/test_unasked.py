"""Servers that speak when they were not asked: nothing of it may be taken for an answer, or hold the crawl up."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from tests.live.conftest import Run
from tests.live.hostile import CERTIFICATE

from lycosa.model.records import Millis, Response
from lycosa.model.url import Url
from lycosa.web.http.dns import Router, parse_connect_to
from lycosa.web.http.live import Limits, LiveWeb

LIMITS = Limits(connect=Millis(2000), silence=Millis(2000), total=Millis(2000))
FALSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5\r\n\r\nFALSE"
SECRET = re.compile(rb"GET /(\d+) ")

Deed = Callable[[asyncio.StreamWriter], Awaitable[None]]


def honest(number: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(number), number)


class Server:
    """Answers `/1` with `1`, and does its deed once, behind the first answer and when told to."""

    def __init__(self, deed: Deed, together: bytes = b"", answer: Callable[[bytes], bytes] = honest) -> None:
        self.deed, self.together, self.answer = deed, together, answer
        self.connections = 0
        self.go = asyncio.Event()
        """Do the deed."""
        self.ended = asyncio.Event()
        """Some connection was closed by the other side."""
        self.done = asyncio.Event()
        """The deed was done."""

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while found := SECRET.match(await reader.readuntil(b"\r\n\r\n")):
                first = not self.done.is_set()
                writer.write(self.answer(found[1]) + (self.together if first else b""))
                await writer.drain()
                if first:
                    await self.go.wait()
                    await self.deed(writer)
                    self.done.set()
        self.ended.set()
        writer.close()


@contextlib.asynccontextmanager
async def listening(server: Server, *, tls: bool = False) -> AsyncIterator[LiveWeb]:
    context = None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(CERTIFICATE)
    listener = await asyncio.start_server(server.talk, "127.0.0.1", 0, ssl=context)
    port = listener.sockets[0].getsockname()[1]
    web = LiveWeb(
        limits=LIMITS, router=Router(connect_to=[parse_connect_to(f"*:*:127.0.0.1:{port}")]), tls=False
    )
    try:
        yield web
    finally:
        await web.close()
        listener.close()


async def says(data: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(data)
    await writer.drain()


UNASKED = {
    "a whole answer": FALSE,
    "the start of an answer": FALSE[:20],
    "an answer whose body goes on": FALSE[:-3],
    "garbage": b"\x00\x01garbage",
    "an empty line": b"\r\n",
}


def rests(answer: bytes) -> Deed:
    async def deed(writer: asyncio.StreamWriter) -> None:
        await says(answer, writer)

    return deed


async def nothing(writer: asyncio.StreamWriter) -> None:
    """Leaves it at the honest answer."""


def chunked(number: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"%d\r\n%s\r\n0\r\n\r\n" % (len(number), number)


def without_body(number: bytes) -> bytes:
    return b"HTTP/1.1 204 No Content\r\n\r\n" if number == b"1" else honest(number)


async def body_of(web: LiveWeb, url: str) -> bytes:
    found = await web.fetch(Url(url))
    assert isinstance(found, Response), found
    return found.body


@pytest.mark.parametrize("tls", [False, True])
@pytest.mark.parametrize("what", UNASKED)
def test_what_comes_on_an_idle_connection_ends_it(run: Run, what: str, tls: bool) -> None:
    async def story() -> None:
        server = Server(rests(UNASKED[what]))
        async with listening(server, tls=tls) as web:
            scheme = "https" if tls else "http"
            assert await body_of(web, f"{scheme}://a.test/1") == b"1"
            server.go.set()
            await server.ended.wait()
            assert await body_of(web, f"{scheme}://a.test/2") == b"2"
            assert server.connections == 2

    run(story())


@pytest.mark.parametrize("answer", [honest, chunked, without_body])
@pytest.mark.parametrize("what", ["a whole answer", "the start of an answer", "an answer whose body goes on"])
def test_what_comes_right_behind_an_answer_ends_the_connection(
    run: Run, what: str, answer: Callable[[bytes], bytes]
) -> None:
    async def story() -> None:
        server = Server(nothing, together=UNASKED[what], answer=answer)
        server.go.set()
        async with listening(server) as web:
            assert await body_of(web, "http://a.test/1") == (b"" if answer is without_body else b"1")
            assert await body_of(web, "http://a.test/2") == b"2"
            assert server.connections == 2

    run(story())


def test_what_the_loop_has_not_read_yet_ends_the_connection_too(run: Run) -> None:
    """The data lies in the socket when the connection is about to be used again."""

    async def story() -> None:
        server = Server(nothing)
        writers: list[asyncio.StreamWriter] = []

        async def deed(writer: asyncio.StreamWriter) -> None:
            writers.append(writer)

        server.deed = deed
        async with listening(server) as web:
            assert await body_of(web, "http://a.test/1") == b"1"
            server.go.set()
            await server.done.wait()
            # Past the loop, so that it comes to the next request before it sees the data.
            os.write(writers[0].get_extra_info("socket").fileno(), FALSE)
            assert await body_of(web, "http://a.test/2") == b"2"
            assert server.connections == 2

    run(story())


def test_honest_connections_are_used_again(run: Run) -> None:
    async def story() -> None:
        for answer in (honest, chunked):
            server = Server(nothing, answer=answer)
            server.go.set()
            async with listening(server) as web:
                assert [await body_of(web, f"http://a.test/{n}") for n in range(5)] == [
                    b"0",
                    b"1",
                    b"2",
                    b"3",
                    b"4",
                ]
                assert server.connections == 1

    run(story())


def test_an_answer_that_began_before_the_request_takes_no_longer_than_any(run: Run) -> None:
    """no surprise: within `limits.total`, whatever clock the client library runs it by."""

    async def story() -> None:
        started = asyncio.Event()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.suppress(OSError):
                await says(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", writer)
                started.set()
                while await reader.read(65536):
                    await says(b"1", writer)
                    while not writer.is_closing():
                        await asyncio.sleep(0.05)
                        await says(b"", writer)
            writer.close()

        listener = await asyncio.start_server(talk, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        limits = Limits(connect=Millis(500), silence=Millis(60_000), total=Millis(500))
        web = LiveWeb(limits=limits, router=Router(allow_private=True))
        found = await asyncio.wait_for(web.fetch(Url(f"http://127.0.0.1:{port}/")), 60)
        assert isinstance(found, Response)
        assert (found.body, found.truncated) == (b"1", "time")
        await web.close()
        listener.close()

    run(story())
