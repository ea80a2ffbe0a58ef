"""The floor: aiohttp and lexbor in a loop that only fetches and extracts links. No robots.txt, no storage."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

import ada_url
import aiohttp
import uvloop
from selectolax.lexbor import LexborHTMLParser

WIDTH = 16


Keep = Callable[[str, aiohttp.ClientResponse, bytes], object]
"""What is done with an answer, besides."""


async def crawl(start: str, keep: Keep = lambda url, reply, body: None) -> int:
    """Fetch all pages below a URL; how many there are."""
    seen, waiting, pages = {start}, asyncio.Queue[str](), 0
    waiting.put_nowait(start)

    async def work(session: aiohttp.ClientSession) -> None:
        nonlocal pages
        while True:
            url = await waiting.get()
            async with session.get(url) as reply:
                body = await reply.read()
                keep(url, reply, body)
            pages += 1
            for node in LexborHTMLParser(body).css("a[href]"):
                href = node.attributes["href"]
                target = ada_url.join_url(url, href).partition("#")[0] if href else ""
                if target.startswith(start) and target not in seen:
                    seen.add(target)
                    waiting.put_nowait(target)
            waiting.task_done()

    async with aiohttp.ClientSession() as session:
        workers = [asyncio.create_task(work(session)) for _ in range(WIDTH)]
        done = asyncio.create_task(waiting.join())
        await asyncio.wait([done, *workers], return_when=asyncio.FIRST_COMPLETED)
        for worker in workers:
            if worker.done():
                worker.result()
            worker.cancel()
    return pages


if __name__ == "__main__":
    print("pages", uvloop.run(crawl(sys.argv[1])))
