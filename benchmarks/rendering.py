"""Rendered pages a second, and CPU a page: lycosa beside playwright and crawl4ai, same pages, same browser, same run.

    python -m benchmarks.rendering [PAGES]

Four kinds of pages are served on loopback: one that is whole as it is, one whose script has a list from JSON, one
that routes itself and loads in two steps, and one that says the rest half a second later. Each crawler runs in a
process of its own, and has two pages at a time, each in a context of its own. CPU is that of the process and of all
that descend from it, the browser's start included. `seen` is the share of pages with all that their scripts make.

* lycosa: this package's `Browsers`; requests are answered by HTTP from the same server.
* playwright: `page.goto` and `page.content()`, waiting for the event `load`, or for `networkidle`.
* crawl4ai: `arun` as it comes, in a browser started for it. Its Python may be another: LYCOSA_CRAWL4AI_PYTHON.

What is not installed is left out. Chromium must be.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

SIDE_BY_SIDE: Final = 2
WORDS: Final = "of the crawl that was made in order to find what there is about a topic "
STATIC: Final = f"<p>{40 * WORDS}</p>" * 10
STYLE: Final = "body {font: 16px sans-serif} p {margin: 1em} li {color: #333}" * 20
LIBRARY: Final = "".join(f"function f{n}(a) {{ return a.map(b => b + {n}) }}\n" for n in range(400))
HEAD: Final = (
    "<!DOCTYPE html><html><head><title>{}</title>"
    "<link rel=stylesheet href=/style.css><script src=/library.js></script>"
)
LATE: Final = "<script>setTimeout(() => document.body.append('the end' + ' of it'), 500)</script>"
PAGES: Final = {
    "whole": f"{HEAD}</head><body>{STATIC}<p>the end of it",
    "list": HEAD
    + """</head><body><ul id=l></ul><script>fetch('/list.json').then(r => r.json()).then(all => {
      for (const one of all) { const li = document.createElement('li');
        li.innerHTML = `<a href="/item/${one.n}">${one.name}</a>`; l.append(li) }
      l.append('the end' + ' of it') })</script>""",
    "routed": HEAD
    + """</head><body><main id=m></main><script>history.replaceState(null, '', location.pathname + '?view=1');
      fetch('/list.json').then(r => r.json()).then(all => fetch('/item.json?n=' + all[7].n)).then(r => r.json()).then(
        one => { m.innerHTML = `<h1>${one.name}</h1><p>the end${' of it'}</p>` })</script>""",
    "late": f"{HEAD}</head><body>{STATIC}{LATE}",
}


def body_of(path: str) -> tuple[str, str]:
    """Type and body of what the server has."""
    name = path.partition("?")[0].strip("/")
    kind = name.partition("/")[0]
    if kind in PAGES:
        return "text/html", PAGES[kind].replace("{}", name)
    if name.endswith(".json"):
        listed = [{"n": n, "name": f"{n} {WORDS}"} for n in range(100)]
        return "application/json", json.dumps(listed if kind == "list.json" else listed[7])
    if name == "library.js":
        return "text/javascript", LIBRARY
    return "text/css", STYLE


async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError, asyncio.IncompleteReadError):
        while head := await reader.readuntil(b"\r\n\r\n"):
            sort, body = body_of(head.split()[1].decode())
            content = body.encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\n" % sort.encode())
            writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(content), content))
    writer.close()


def urls(home: str, count: int) -> list[str]:
    kinds = list(PAGES)
    return [f"{home}/{kinds[n % len(kinds)]}/{n}" for n in range(count)]


async def side_by_side(urls: list[str], visit: Callable[[str], Awaitable[str]]) -> int:
    """How many of the pages came with all that they say."""
    waiting = list(urls)
    whole = 0

    async def work() -> None:
        nonlocal whole
        while waiting:
            found = await visit(waiting.pop())
            whole += "the end of it" in found  # scripts put it together from parts

    await asyncio.gather(*(work() for _ in range(SIDE_BY_SIDE)))
    return whole


async def lycosa(home: str, urls: list[str]) -> int:
    import aiohttp

    from lycosa.model.records import Fault, Millis, Response
    from lycosa.model.rendering import Asked, Rendered, StillPage
    from lycosa.model.url import Url, canonical
    from lycosa.web.browser.browsers import Browsers
    from lycosa.web.browser.limits import BrowserLimits

    browsers = Browsers(BrowserLimits(), SIDE_BY_SIDE)
    async with aiohttp.ClientSession() as session:

        async def fetch(url: Url) -> Response:
            async with session.get(url) as got:
                headers = tuple((str(name), value) for name, value in got.headers.items())
                return Response(
                    url=url, status=got.status, headers=headers, body=await got.read(), fetched_at=Millis(0)
                )

        async def answer(asked: Asked) -> Response | Fault:
            return await fetch(asked.url)

        async def visit(url: str) -> str:
            found = await browsers.render(StillPage(response=await fetch(canonical(url))), answer)
            return found.html if isinstance(found, Rendered) else ""

        try:
            return await measured(side_by_side(urls, visit))
        finally:
            await browsers.close()


async def playwright(home: str, urls: list[str], until: Any = "load") -> int:
    from playwright.async_api import async_playwright

    async with async_playwright() as started:
        browser = await started.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])

        async def visit(url: str) -> str:
            context = await browser.new_context()
            page = await context.new_page()
            await page.goto(url, wait_until=until)
            html = await page.content()
            await context.close()
            return html

        return await measured(side_by_side(urls, visit))


async def networkidle(home: str, urls: list[str]) -> int:
    return await playwright(home, urls, "networkidle")


async def crawl4ai(home: str, urls: list[str]) -> int:
    from crawl4ai import (  # type: ignore[import-not-found]
        AsyncWebCrawler,
        BrowserConfig,
        CacheMode,
        CrawlerRunConfig,
    )

    with TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = ("--headless", "--no-sandbox", "--remote-debugging-port=0", f"--user-data-dir={profile}")
        process = await asyncio.create_subprocess_exec(chromium(), *flags, stderr=asyncio.subprocess.PIPE)
        assert process.stderr is not None
        address = ""
        while "ws://" not in address:
            address = (await process.stderr.readline()).decode().rpartition(" ")[2].strip()
        run = CrawlerRunConfig(cache_mode=CacheMode.BYPASS, verbose=False)
        async with AsyncWebCrawler(config=BrowserConfig(cdp_url=address, verbose=False)) as crawler:

            async def visit(url: str) -> str:
                return (await crawler.arun(url, config=run)).html or ""

            whole = await measured(side_by_side(urls, visit))
        process.kill()
        return whole


CRAWLERS: Final = {
    "lycosa": (lycosa, "lycosa"),
    "playwright, load": (playwright, "playwright"),
    "playwright, networkidle": (networkidle, "playwright"),
    "crawl4ai": (crawl4ai, "crawl4ai"),
}


async def measured(work: Awaitable[int]) -> int:
    """Prints seconds, seconds of CPU and whole pages; the browser still runs, so that it counts."""
    began = time.monotonic()
    whole = await work
    print(json.dumps([time.monotonic() - began, family_cpu(), whole]), flush=True)
    return whole


def family_cpu() -> float:
    """Seconds of CPU of this process and all that descend from it, the ended ones too."""
    family = [os.getpid()]
    ticks = 0
    for pid in family:
        with suppress(OSError):
            for thread in Path(f"/proc/{pid}/task").iterdir():
                family += map(int, (thread / "children").read_text().split())
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / float(os.sysconf("SC_CLK_TCK"))


def chromium() -> str:
    return os.environ["LYCOSA_CHROMIUM"]


async def compared(count: int) -> None:
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    home = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    print(f"{count} pages\n\n| crawler | pages/s | CPU ms a page | pages/s a core | seen |")
    print("| --- | --- | --- | --- | --- |", flush=True)
    for name, (_, package) in CRAWLERS.items():
        other = os.environ.get("LYCOSA_CRAWL4AI_PYTHON") if package == "crawl4ai" else None
        if find_spec(package) is None and other is None:
            continue
        process = await asyncio.create_subprocess_exec(
            other or sys.executable, __file__, name, home, str(count), stdout=asyncio.subprocess.PIPE
        )
        said, _ = await process.communicate()
        seconds, cpu, whole = json.loads(said.splitlines()[-1])
        row = (
            f"{count / seconds:.1f}",
            f"{1000 * cpu / count:.0f}",
            f"{count / cpu:.1f}",
            f"{whole / count:.0%}",
        )
        print(f"| {name} | {' | '.join(row)} |", flush=True)
    server.close()


def main() -> None:
    if len(sys.argv) == 4:
        name, home, count = sys.argv[1:]
        asyncio.run(CRAWLERS[name][0](home, urls(home, int(count))))
        return
    from lycosa.web.browser.chromium import chromium as found

    os.environ["LYCOSA_CHROMIUM"] = found()
    asyncio.run(compared(int(sys.argv[1]) if len(sys.argv) > 1 else 80))


if __name__ == "__main__":
    main()
