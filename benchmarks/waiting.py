"""Do hosts that must be waited for hold up the others? A hundred redirect to one with a Crawl-delay of 10 seconds.

    python benchmarks/waiting.py [--liars 100] [--good 60] [--pages 3]

It crawls with the command line's defaults, over real HTTP on loopback, and tells when the last page of the good hosts
came, how often the slow host was asked, and how long the crawl took to end after SIGTERM.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path


class Server:
    """Answers for every host, by its name; notes when each page was asked for."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.asked: list[tuple[float, str, str]] = []

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):  # so connections end
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = head.decode("latin-1").split("\r\n")
                path = lines[0].split(" ")[1]
                host = next(line[6:] for line in lines if line.lower().startswith("host: "))
                self.asked.append((time.monotonic(), host, path))
                writer.write(self.answer(host, path))
                await writer.drain()
        writer.close()

    def answer(self, host: str, path: str) -> bytes:
        status, more, body = "200 OK", "Content-Type: text/html\r\n", "<title>bees</title><p>bees and honey"
        if path == "/robots.txt":
            more = "Content-Type: text/plain\r\n"
            body = "User-agent: *\nCrawl-delay: 10\n" if host == "slow.test" else ""
        elif host.startswith("liar"):
            status, more, body = "302 Found", f"Location: http://slow.test/{host}\r\n", ""
        elif host.startswith("good"):
            body += "".join(f'<a href="/{n}">bees {n}</a>' for n in range(1, self.pages))
        return f"HTTP/1.1 {status}\r\n{more}Content-Length: {len(body)}\r\n\r\n{body}".encode()


async def measured(liars: int, good: int, pages: int) -> list[str]:
    serving = Server(pages)
    server = await asyncio.start_server(serving.talk, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    seeds = [
        f"http://{kind}{n}.test/" for kind, count in (("liar", liars), ("good", good)) for n in range(count)
    ]
    with tempfile.TemporaryDirectory() as place:
        began = time.monotonic()
        crawl = await asyncio.create_subprocess_exec(
            *(
                sys.executable,
                "-m",
                "lycosa.cli",
                "crawl",
                "bees",
                *seeds,
                "--connect-to",
                f"*:80:127.0.0.1:{port}",
            ),
            *("--contact", "nobody@example.org", "-q", "--out", str(Path(place) / "crawl")),
        )
        wanted, came = good * pages, list[float]()
        while time.monotonic() < began + 300:
            came = [
                at for at, host, path in serving.asked if host.startswith("good") and path != "/robots.txt"
            ]
            if len(came) >= wanted:
                break
            await asyncio.sleep(0.1)
        stopped = time.monotonic()
        crawl.send_signal(signal.SIGTERM)
        await crawl.wait()
        ended = time.monotonic()
    server.close()
    first = min((at for at, *_ in serving.asked), default=began)
    slow = sum(host == "slow.test" for _, host, _ in serving.asked)
    return [
        f"{len(came)} of {wanted} pages of good hosts came within {max(came) - first:.1f} s of the first request",
        f"the slow host was asked {slow} times meanwhile",
        f"after SIGTERM the crawl ended within {ended - stopped:.1f} s",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--liars", type=int, default=100)
    parser.add_argument("--good", type=int, default=60)
    parser.add_argument("--pages", type=int, default=3, help="of each good host")
    given = parser.parse_args()
    for line in asyncio.run(measured(given.liars, given.good, given.pages)):
        print(line)


if __name__ == "__main__":
    main()
