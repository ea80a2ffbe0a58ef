"""How near a polite crawl of many hosts comes to the schedule that politeness allows.

    python benchmarks/polite.py [--hosts 200] [--pages 30] [--latency 0] [--size 4000] [--tls] [-- OPTION …]

Hosts of that name on loopback, over real HTTP, answered by a process of its own; the command line's defaults, a second
between two visits to a host. What stands after `--` goes to `lycosa crawl`.

The ideal: robots.txt of every host at once, and from then on a page of every host each *turn*, until it has no more. A
turn is the rest (a second, or as long as the answer took, if that is longer) and the answer. So P pages take P turns
after the first request. Three shares of it are told:

* schedule: P turns, by the time from the first request until the last page was asked for, the slowest host's;
* all but the last hundredth: the same until 99 % of the pages were asked for, with the 99th hundredth of P turns;
* gaps: a turn, by the median time between two requests to one host.

CPU is user and system time of the crawling process, memory its own peak (VmHWM), both with start and end.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from multiprocessing.connection import Connection
from pathlib import Path
from typing import cast

AHEAD = 10
"""Links of a page to the next ones of its host."""
ELSEWHERE = 2
"""Links of a page to front pages of other hosts."""

Asked = list[tuple[float, str, str]]
"""When, which host, which path."""


@dataclass(frozen=True)
class Web:
    """Hosts that all have as many pages, of about as many bytes, each answered after the same time."""

    hosts: int
    pages: int
    size: int
    latency: float
    certificate: str = ""

    @property
    def scheme(self) -> str:
        return "https" if self.certificate else "http"

    def page(self, host: int, number: int) -> str:
        """Some pages say more of the topic than others, by a fixed pattern."""
        links = [
            f'<a href="/{n}">bees and hive {n}</a>'
            for n in range(number + 1, min(number + 1 + AHEAD, self.pages))
        ]
        links += [
            f'<a href="{self.scheme}://h{(host * 7 + number * 13 + n) % self.hosts}.test/">honey of others</a>'
            for n in range(ELSEWHERE)
        ]
        about = "bees make honey in a hive, " * (1 + (host + number) % 5)
        head = f"<title>Bees {host}, {number}</title><h1>Bees</h1><p>{about}</p><ul>{''.join(links)}</ul>"
        words = (f"word{(host * 31 + number * 17 + n * n) % 5003} " for n in range(self.size))
        rest = ""
        for word in words:
            if len(head) + len(rest) >= self.size:
                break
            rest += word
        return f"{head}<p>{rest}</p>"

    def answer(self, host: str, path: str) -> bytes:
        if path == "/robots.txt":
            kind, body = "text/plain", "User-agent: *\nDisallow: /private\n"
        else:
            kind, body = "text/html", self.page(int(host[1:].partition(".")[0]), int(path[1:] or 0))
        return (
            f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()
        )


def serve(web: Web, pipe: Connection) -> None:
    """Answer until the parent sends something; then send it what was asked."""
    asked: Asked = []

    class Server(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = cast("asyncio.Transport", transport)

        def data_received(self, chunk: bytes) -> None:
            lines = chunk.decode("latin-1").split("\r\n")
            path = lines[0].split(" ")[1]
            host = next(line[6:] for line in lines if line.lower().startswith("host: "))
            asked.append((time.monotonic(), host, path))
            answer = web.answer(host, path)
            asyncio.get_running_loop().call_later(web.latency, self.transport.write, answer)

    async def run() -> None:
        loop = asyncio.get_running_loop()
        tls = None
        if web.certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(web.certificate)
        server = await loop.create_server(Server, "127.0.0.1", 0, ssl=tls, backlog=4096)
        pipe.send(server.sockets[0].getsockname()[1])
        await loop.run_in_executor(None, pipe.recv)
        pipe.send(asked)

    import uvloop

    uvloop.run(run())


def certificate(folder: Path) -> str:
    """A key and a certificate for all hosts, signed by itself, in one file."""
    file = folder / "server.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"),
            *("-nodes", "-days", "1", "-subj", "/CN=*.test", "-addext", "subjectAltName=DNS:*.test"),
            *("-keyout", str(file), "-out", str(folder / "certificate.pem")),
        ],
        check=True,
        capture_output=True,
    )
    with file.open("ab") as whole:
        whole.write((folder / "certificate.pem").read_bytes())
    return str(file)


def peak_of(process: int) -> int:
    """The most memory that the process ever held, in kB; 0 if it is over."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0)


@dataclass
class Cost:
    """What the crawling process took."""

    cpu: float = 0.0
    peak: int = 0
    first_request: float = 0.0


def crawl(web: Web, port: int, folder: Path, options: list[str], limit: float) -> tuple[float, Cost]:
    """Run the command. Returns when it began, and what it cost."""
    command = [sys.executable, "-m", "lycosa.cli", "crawl", "bees, honey, hive"]
    command += [f"{web.scheme}://h{n}.test/" for n in range(web.hosts)]
    command += ["--connect-to", f"*:*:127.0.0.1:{port}"]
    command += ["--pages", str(web.hosts * web.pages), "--contact", "nobody@example.org", "-q"]
    command += ["--out", str(folder / "crawl"), *(["--insecure"] if web.certificate else []), *options]
    began, cost = time.monotonic(), Cost()
    child = subprocess.Popen(command)
    while True:
        process, _, used = os.wait4(child.pid, os.WNOHANG)
        if process:
            break
        cost.peak = max(cost.peak, peak_of(child.pid))
        if time.monotonic() > began + limit:
            child.terminate()
            limit += 60
        time.sleep(0.1)
    cost.cpu = used.ru_utime + used.ru_stime
    return began, cost


def measured(web: Web, options: list[str], limit: float) -> dict[str, float]:
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(web, theirs), daemon=True)
    server.start()
    with tempfile.TemporaryDirectory() as place:
        began, cost = crawl(web, ours.recv(), Path(place), options, limit)
    ours.send("enough")
    asked: Asked = ours.recv()
    server.join()
    return {**shares(web, asked), **costs(web, asked, began, cost)}


def shares(web: Web, asked: Asked) -> dict[str, float]:
    """Shares of the ideal schedule, in percent."""
    turn = max(1.0, web.latency) + web.latency
    of: dict[str, list[float]] = defaultdict(list)
    for at, host, _ in asked:
        of[host].append(at)
    first = min(at for at, *_ in asked)
    pages = sorted(at for at, _, path in asked if path != "/robots.txt")
    gaps = [later - at for times in of.values() for at, later in pairwise(times)]
    most = int(0.99 * web.hosts * web.pages)
    whole = len(pages) >= web.hosts * web.pages
    nearly = len(pages) >= most
    robots = sorted(times[0] - first for times in of.values())
    return {
        "pages": len(pages),
        "schedule %": 100 * web.pages * turn / (pages[-1] - first) if whole else 0.0,
        "99 % of it": 100 * 0.99 * web.pages * turn / (pages[most - 1] - first) if nearly else 0.0,
        "gaps %": 100 * turn / statistics.median(gaps),
        "mean gap s": statistics.fmean(gaps),
        "least gap s": min(gaps),
        "all hosts met after s": robots[-1],
    }


def costs(web: Web, asked: Asked, began: float, cost: Cost) -> dict[str, float]:
    first = min(at for at, *_ in asked)
    last = max(at for at, *_ in asked)
    return {
        "first request after s": first - began,
        "crawl s": last - first,
        "CPU s": cost.cpu,
        "CPU ms/page": 1000 * cost.cpu / len(asked),
        "peak MB": cost.peak / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hosts", type=int, default=200)
    parser.add_argument("--pages", type=int, default=30, help="of each host")
    parser.add_argument("--size", type=int, default=4_000, help="bytes of a page, at least")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds until an answer")
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which it is stopped")
    parser.add_argument("options", nargs="*", help="of lycosa crawl, after --")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        key = certificate(Path(place)) if given.tls else ""
        web = Web(given.hosts, given.pages, given.size, given.latency, key)
        before = os.getloadavg()[0]
        found = measured(web, given.options, given.limit)
    print(
        f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, {os.cpu_count()} cores, "
        f"load {before:.1f} to {os.getloadavg()[0]:.1f}, "
        f"{web.hosts} hosts of {web.pages} pages of {web.size} bytes, answers after {web.latency:g} s"
        f"{', TLS' if given.tls else ''}{', ' + ' '.join(given.options) if given.options else ''}"
    )
    for name, value in found.items():
        print(f"  {name:24} {value:10.2f}")


if __name__ == "__main__":
    main()
