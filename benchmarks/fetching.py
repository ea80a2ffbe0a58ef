"""What LiveWeb costs on top of aiohttp: CPU microseconds of the client for one GET, side by side.

    python benchmarks/fetching.py [--gets 640] [--rounds 30] [--loop asyncio]

The server is a process of its own on loopback. Both clients run under the same loop with as many connections;
rounds take turns and the smallest time of each counts, so that the ratio can be trusted on a busy machine.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import multiprocessing
import random
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection

import aiohttp

from lycosa.model.records import Millis, Response
from lycosa.model.url import Url
from lycosa.web.http.dns import Router, parse_connect_to
from lycosa.web.http.live import LiveWeb
from lycosa.web.spacing import Spacing

WORDS = ("numerical", "analysis", "approximation", "of", "roots", "by", "iteration", "error", "bounds")
WIDTH = 32
Fetch = Callable[[str], Awaitable[int]]


def page(size: int) -> bytes:
    """A page of words and links that packs about as well as a manual does."""
    draw = random.Random(1)
    text = "".join(
        f"<p><a href='/p{draw.randrange(10**6)}'>{' '.join(draw.choices(WORDS, k=20))}</a>"
        for _ in range(size)
    )
    return text.encode()[:size]


BODIES = {"small": page(2_000), "page": page(33_000)}


class Server(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, chunk: bytes) -> None:
        for request in chunk.split(b"\r\n\r\n")[:-1]:
            self.transport.write(ANSWERS[request[5 : request.index(b" ", 5)]])


def answer(body: bytes, coding: str) -> bytes:
    lines = [
        *("HTTP/1.1 200 OK", "Server: bench", "Date: Fri, 20 Nov 2026 12:00:00 GMT"),
        *("Content-Type: text/html; charset=utf-8", "Last-Modified: Fri, 20 Nov 2026 12:00:00 GMT"),
        *(
            'ETag: "abc"',
            "Cache-Control: max-age=60",
            "Vary: Accept-Encoding",
            f"Content-Length: {len(body)}",
        ),
        *([f"Content-Encoding: {coding}"] if coding else []),
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


ANSWERS = {name.encode(): answer(body, "") for name, body in BODIES.items()} | {
    f"{name}-gzip".encode(): answer(gzip.compress(body), "gzip") for name, body in BODIES.items()
}


def serve(pipe: Connection) -> None:
    async def run() -> None:
        server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


class WallClock:
    def now(self) -> Millis:
        return Millis(time.time_ns() // 1_000_000)

    async def sleep_until(self, when: Millis) -> None:
        await asyncio.sleep(max(0, when - self.now()) / 1000)


async def crawl(fetch: Fetch, urls: list[str]) -> float:
    """CPU microseconds for each URL, WIDTH at a time, each worker with a host of its own."""

    async def work(share: list[str]) -> None:
        for url in share:
            assert await fetch(url) > 0

    began = time.process_time()
    await asyncio.gather(*(work(urls[n::WIDTH]) for n in range(WIDTH)))
    return (time.process_time() - began) / len(urls) * 1e6


async def measure(port: int, name: str, gets: int, rounds: int) -> dict[str, float]:
    router = Router(connect_to=[parse_connect_to(f"*:80:127.0.0.1:{port}")])
    live, spaced = LiveWeb(router=router), LiveWeb(router=router, spacing=Spacing(WallClock()))
    bare = aiohttp.ClientSession()

    async def by_aiohttp(url: str) -> int:
        async with bare.get(f"http://127.0.0.1:{port}/{name}") as reply:
            return len(await reply.read())

    def by(web: LiveWeb) -> Fetch:
        async def fetch(url: str) -> int:
            found = await web.fetch(Url(url))
            assert isinstance(found, Response)
            return len(found.body)

        return fetch

    urls = [f"http://host{n % WIDTH}.test/{name}" for n in range(gets)]
    clients = {"aiohttp": by_aiohttp, "LiveWeb": by(live), "LiveWeb, spaced": by(spaced)}
    best = dict.fromkeys(clients, float("inf"))
    for _ in range(rounds):
        for client, fetch in clients.items():
            best[client] = min(best[client], await crawl(fetch, urls))
    for web in (live, spaced, bare):
        await web.close()
    return best


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--gets", type=int, default=640, help="GETs a round")
    options.add_argument("--rounds", type=int, default=30)
    options.add_argument("--loop", choices=["uvloop", "asyncio"], default="uvloop")
    given = options.parse_args()
    run = asyncio.run
    if given.loop == "uvloop":
        import uvloop

        run = uvloop.run
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=serve, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    print(f"{'µs CPU a GET':22}{'aiohttp':>9}{'LiveWeb':>9}{'ratio':>7}{'spaced':>9}{'ratio':>7}")
    for name in (key.decode() for key in ANSWERS):
        best = run(measure(port, name, given.gets, given.rounds))
        bare, live, spaced = best.values()
        print(f"{name:22}{bare:9.1f}{live:9.1f}{live / bare:7.2f}{spaced:9.1f}{spaced / bare:7.2f}")
    server.terminate()


if __name__ == "__main__":
    main()
