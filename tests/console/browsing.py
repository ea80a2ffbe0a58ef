"""The page in a headless Chromium: a server on loopback, and tabs that are looked at and clicked through."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lycosa
from lycosa.console.running import Address, Server
from lycosa.library.library import Library

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Response

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PICTURES = os.environ.get("LYCOSA_PICTURES")
SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
SEED = "http://schools.wiki.example/wp/Biosphere.html"
WEB = f"recorded:{SAMPLE}"
DESK, PHONE = (1280, 900), (360, 740)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


@contextmanager
def served(*places: Path, **more: Any) -> Iterator[Address]:
    """A server for the crawls in these places; new ones crawl the sample web."""
    with Server(Library(places, given={"web": WEB}), port=0, **more).beside() as address:
        yield address


def crawled(place: Path, pages: int = 40, **more: Any) -> Path:
    """A crawl of the sample web."""

    def crawl() -> None:
        lycosa.crawl("dinosaur fossil", [SEED], web=WEB, pages=pages, out=place, **more).close()

    with ThreadPoolExecutor(1) as beside:  # the browser's driver has an event loop in this thread
        beside.submit(crawl).result()
    return place


@contextmanager
def browser() -> Iterator[Browser]:
    """A Chromium that may reach nothing but loopback."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        try:
            yield found
        finally:
            found.close()


@contextmanager
def tab(found: Browser, size: Sequence[int] = DESK, *, dark: bool = False) -> Iterator[Page]:
    """A page of a browser that knows nothing of earlier ones. Whatever goes wrong in a script fails the test."""
    width, height = size
    scheme: Any = "dark" if dark else "light"
    context = found.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda told: wrong.append(told.text) if _is_error(told) else None)
    page.on("response", lambda answer: wrong.append(answer.url) if _is_lacking(answer) else None)
    page.set_default_timeout(60_000)
    try:
        yield page
    finally:
        context.close()
    assert wrong == []


def _is_error(told: ConsoleMessage) -> bool:
    """What Chromium says of a request that was refused is no error of a script: the page tells of it."""
    return told.type == "error" and not told.text.startswith("Failed to load resource")


def _is_lacking(answer: Response) -> bool:
    return answer.status >= 400 and "/static/" in answer.url


def seen(page: Page, name: str) -> None:
    """Keep a picture to look at, where LYCOSA_PICTURES names a folder for them."""
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)


def serious_findings(page: Page) -> list[str]:
    """What axe-core finds serious or critical, a line each."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


def overflow(page: Page) -> int:
    """How many pixels the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))
