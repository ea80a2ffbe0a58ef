"""A headless Chromium, led over its DevTools protocol, and a server on loopback for what it is to show."""

from __future__ import annotations

import asyncio
import base64
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp
from aiohttp import web

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SEEN = """(() => {
  const said = [];
  const look = node => {
    if (node.shadowRoot) look(node.shadowRoot);
    if (node.tagName === "IFRAME") { try { look(node.contentDocument.documentElement); } catch {} }
    if (node.nodeType === Node.TEXT_NODE && !["STYLE", "SCRIPT"].includes(node.parentNode.tagName))
      said.push(node.data);
    node.childNodes.forEach(look);
  };
  look(document.documentElement);
  return said.join(" ").replace(/\\s+/g, " ");
})()"""
"""All text of a page, in shadow trees and in frames of the same origin too."""


@asynccontextmanager
async def serving(*folders: Path) -> AsyncIterator[str]:
    """The address of a server for the files of these folders, which answers requests for ranges."""

    async def answer(request: web.Request) -> web.StreamResponse:
        name = request.match_info["name"] or "index.html"
        for folder in folders:
            if (file := folder / name).is_file() and file.resolve().is_relative_to(folder.resolve()):
                return web.FileResponse(file)
        raise web.HTTPNotFound

    app = web.Application()
    app.router.add_get("/{name:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


class Tab:
    """One page of the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket, self._number = socket, 0

    async def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        while True:
            told: dict[str, Any] = await self._socket.receive_json(timeout=60)
            if told.get("id") == self._number:
                return told["result"]  # type: ignore[no-any-return]

    async def go(self, address: str) -> None:
        await self._ask("Page.navigate", url=address)

    async def text(self) -> str:
        found = await self._ask("Runtime.evaluate", expression=SEEN, returnByValue=True)
        return str(found["result"].get("value", ""))

    async def shows(self, *words: str, within: float = 20) -> str:
        """The text of the page as soon as it has all these words, or as it is when the time is over."""
        give_up = asyncio.get_running_loop().time() + within
        while True:
            seen = await self.text()
            if all(word in seen for word in words) or asyncio.get_running_loop().time() > give_up:
                return seen
            await asyncio.sleep(0.3)  # another program draws: it tells nobody when it is done

    async def picture(self) -> bytes:
        """As PNG."""
        shot = await self._ask("Page.captureScreenshot", format="png")
        return base64.b64decode(shot["data"])


@asynccontextmanager
async def tab() -> AsyncIterator[Tab]:
    """A page in a browser that knows nothing of earlier ones."""
    assert CHROMIUM is not None
    with TemporaryDirectory(ignore_cleanup_errors=True) as home:
        flags = (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--window-size=1200,800",
            "--no-first-run",
        )
        process = await asyncio.create_subprocess_exec(
            CHROMIUM,
            *flags,
            f"--user-data-dir={home}",
            "--remote-debugging-port=0",
            "about:blank",
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            port = await _port(process)
            async with aiohttp.ClientSession() as session:
                async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                    pages = [page for page in await answer.json() if page["type"] == "page"]
                async with session.ws_connect(pages[0]["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                    yield Tab(socket)
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()


async def _port(process: asyncio.subprocess.Process) -> str:
    """Chromium tells on standard error where it listens."""
    assert process.stderr is not None
    async with asyncio.timeout(60):
        while line := (await process.stderr.readline()).decode():
            if "DevTools listening on" in line:
                return line.split("127.0.0.1:")[1].split("/")[0]
    raise AssertionError("the browser ended before it listened")
