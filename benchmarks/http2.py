"""Would HTTP/2 be worth it for a crawler that asks a host for one page at a time? CPU a request, beside HTTP/1.1.

    pip install 'httpx[http2]' niquests hypercorn
    python -m benchmarks.http2 [--hosts 20] [--pages 30] [--size 4000]

Every client asks, over TLS, each host for one page after the other, on one connection, and begins a new connection for
the next host, in a process of its own. Its CPU time is told, user and system, less what it takes to begin and to ask
for nothing. The server is Hypercorn, which speaks both, in another process.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.polite import certificate

PROGRAM = [sys.executable, "-m", "benchmarks.http2"]
Client = Callable[[str, int, int], Awaitable[str]]
"""Asks for so many hosts' pages below a URL; answers which HTTP it spoke."""


@cache
def _trusting() -> ssl.SSLContext:
    """One for all connections: to make one of the system's certificates takes 20 ms."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


async def with_aiohttp(base: str, hosts: int, pages: int) -> str:
    aiohttp, spoken = import_module("aiohttp"), ""
    for _ in range(hosts):
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=_trusting())) as session:
            for page in range(pages):
                async with session.get(f"{base}/{page}") as answer:
                    await answer.read()
                    spoken = f"{answer.version.major}.{answer.version.minor}"
    return spoken


def with_httpx(http2: bool) -> Client:
    async def asked(base: str, hosts: int, pages: int) -> str:
        httpx, spoken = import_module("httpx"), ""
        for _ in range(hosts):
            async with httpx.AsyncClient(http2=http2, verify=_trusting()) as client:
                for page in range(pages):
                    spoken = (await client.get(f"{base}/{page}")).http_version
        return spoken

    return asked


def with_niquests(http2: bool) -> Client:
    async def asked(base: str, hosts: int, pages: int) -> str:
        niquests, spoken = import_module("niquests"), ""
        for _ in range(hosts):
            async with niquests.AsyncSession(disable_http2=not http2, disable_http3=True) as session:
                for page in range(pages):
                    answer = await session.get(f"{base}/{page}", verify=False)
                    spoken = str(answer.http_version)
        return spoken

    return asked


CLIENTS: dict[str, Client] = {
    "aiohttp, HTTP/1.1 (what lycosa uses)": with_aiohttp,
    "httpx, HTTP/1.1": with_httpx(False),
    "httpx, HTTP/2": with_httpx(True),
    "niquests, HTTP/1.1": with_niquests(False),
    "niquests, HTTP/2": with_niquests(True),
}


def serve(port: int, certificate: str, size: int) -> None:
    """Hypercorn with a page of so many bytes; runs until it is ended."""
    config = import_module("hypercorn.config").Config()
    config.bind, config.certfile, config.keyfile = [f"127.0.0.1:{port}"], certificate, certificate
    config.keep_alive_max_requests, config.accesslog, config.errorlog = 10**9, None, None
    body = b"bees " * (size // 5)

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            headers = [(b"content-type", b"text/html"), (b"content-length", str(len(body)).encode())]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            await send({"type": "http.response.body", "body": body})

    asyncio.run(import_module("hypercorn.asyncio").serve(app, config))


def ask(name: str, base: str, hosts: int, pages: int) -> None:
    """In a process of its own: what one client spoke and took."""
    spoken = asyncio.run(CLIENTS[name](base, hosts, pages)) if hosts else ""
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(spoken, used.ru_utime + used.ru_stime)


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _told(*words: str) -> list[str]:
    done = subprocess.run([*PROGRAM, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return done.stdout.split()


def measured(name: str, base: str, hosts: int, pages: int) -> str:
    """A row of the table; the least of three."""
    best, spoken = float("inf"), ""
    try:
        for _ in range(3):
            spoken, whole = _told("ask", name, base, str(hosts), str(pages))
            one, opened = (
                _told("ask", name, base, "1", "1")[-1],
                _told("ask", name, base, str(hosts), "1")[-1],
            )
            connection = (float(opened) - float(one)) / (hosts - 1)
            request = (float(whole) - float(opened)) / (hosts * (pages - 1))
            if request < best:
                best, row = request, f"{1000 * request:.2f} | {1000 * connection:.1f}"
    except RuntimeError as error:
        return f"| {name} | {error} | | |"
    return f"| {name} | {spoken} | {row} |"


def main() -> None:
    if sys.argv[1:2] == ["serve"]:
        return serve(int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
    if sys.argv[1:2] == ["ask"]:
        return ask(sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=30, help="of each host")
    parser.add_argument("--size", type=int, default=4_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        port = _free_port()
        words = [*PROGRAM, "serve", str(port), certificate(Path(place)), str(given.size)]
        server = subprocess.Popen(words)
        time.sleep(2)
        print(
            f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
            f"{given.hosts} connections of {given.pages} requests, pages of {given.size} bytes\n"
        )
        print("| client | spoke | CPU ms a request | CPU ms a connection |\n| --- | --- | ---: | ---: |")
        try:
            for name in CLIENTS:
                print(measured(name, f"https://127.0.0.1:{port}", given.hosts, given.pages), flush=True)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
