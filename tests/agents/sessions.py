"""Agents' sessions: the SDK's client against the server, in this process or in one of its own over either transport."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from lycosa.library.library import Library
from lycosa.library.new_crawl import Limits
from lycosa.mcp.server import Server

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
SEED = "http://schools.wiki.example/wp/Biosphere.html"
WEB = f"recorded:{SAMPLE}"
LIMITS = Limits(pages=200, seconds=60, crawls=2, hosts=10, polite=True)
WAIT = 60.0
"""Seconds for what takes a moment on a machine that has nothing else to do."""

Told = TypeVar("Told")


class Agent:
    """A client that expects answers, or errors, and keeps what it was told while it waited for the last one."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.progress: list[tuple[float, float | None, str | None]] = []

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The answer of a tool."""
        self.progress.clear()
        result = await self.client.call_tool(tool, arguments, progress_callback=self._noted)
        assert not result.is_error, result.content[0].text
        assert result.structured_content is not None
        assert len(result.content[0].text) <= 20_000
        return result.structured_content

    async def refused(self, tool: str, **arguments: Any) -> str:
        """What a tool says is wrong."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.content[0].text
        said = result.content[0].text
        assert "\n" not in said
        assert len(said) <= 1_100
        return said

    async def crawled(self, pages: int = 40, **more: Any) -> str:
        """A crawl of the sample web, from its beginning to its end."""
        begun = await self.call("start_crawl", topic="dinosaur, fossil", urls=[SEED], pages=pages, **more)
        status = await self.call("crawl_status", name=begun["name"], wait_seconds=WAIT)
        assert status["state"] == "done", status
        return begun["name"]

    async def crawled_from(self, urls: list[str]) -> str:
        """A crawl from these start pages, which is over."""
        begun = await self.call("start_crawl", topic="dinosaur", urls=urls, pages=5)
        status = await self.call("crawl_status", name=begun["name"], wait_seconds=WAIT)
        assert status["state"] == "done", status
        return begun["name"]

    async def _noted(self, progress: float, total: float | None, message: str | None) -> None:
        self.progress.append((progress, total, message))


def converse(
    place: Path,
    talk: Callable[[Agent], Awaitable[Told]],
    *,
    limits: Limits = LIMITS,
    looks_only: bool = False,
    **given: Any,
) -> Told:
    """What comes of talking to a server in this process."""

    async def talked() -> Told:
        library = Library([place], limits=limits, given={"web": WEB} | given)
        server = Server(library, looks_only=looks_only, every=0.05)
        try:
            async with asyncio.timeout(2 * WAIT), Client(server) as client:
                return await talk(Agent(client))
        finally:
            server.tools.close()

    return asyncio.run(talked())


def command(place: Path, *options: str) -> list[str]:
    """`lycosa mcp` on the sample web."""
    return [sys.executable, "-m", "lycosa.cli", "mcp", str(place), "--web", WEB, *options]


@contextmanager
def over_http(place: Path, *options: str) -> Iterator[str]:
    """The URL of a server in a process of its own."""
    process = subprocess.Popen(
        command(place, "--http", "--port", "0", *options), stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().removeprefix("lycosa is at ").strip()
        assert process.poll() is None, "it has ended by itself"
    finally:
        process.terminate()
        process.communicate(timeout=WAIT)


@asynccontextmanager
async def agent(reached: StdioServerParameters | str, token: str = "") -> AsyncIterator[Agent]:
    """A client over stdio (which starts the server) or over HTTP."""
    import httpx2

    if isinstance(reached, str) and token:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
            Client(streamable_http_client(reached, http_client=http)) as client,
        ):
            yield Agent(client)
    else:
        async with Client(reached) as client:
            yield Agent(client)


def by_stdio(place: Path, *options: str) -> StdioServerParameters:
    executable, *arguments = command(place, *options)
    return StdioServerParameters(command=executable, args=arguments)
