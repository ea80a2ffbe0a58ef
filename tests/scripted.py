"""A site whose pages are made by scripts, and a browser played by hand that knows what the scripts do."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from itertools import pairwise

from tests.worlds import html, response

from lycosa.crawl.ports import Renderer
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response
from lycosa.model.rendering import Asked, Refused, Rendered, StillPage
from lycosa.model.url import Url, canonical, host_of

REEF, ATOLL = "http://reef.test", "http://atoll.test"
CDN = "http://cdn.test"
APP = (
    'fetch("/data" + location.pathname + ".json").then(r => r.json()).then(page => {'
    " document.body.innerHTML = page.html; document.title = page.title; });"
)
SHELL = (
    f'<!DOCTYPE html><html><head><title>Loading</title><link rel=stylesheet href="{CDN}/style.css">'
    f'<script src="{CDN}/start.js"></script></head><body><div id=root></div></body></html>'
)
PAGES = 6


class ScriptedSite:
    """Two hosts of pages that are one shell, and a third that has what they share. What `/data` says makes the page.
    One data file of atoll is forbidden by its robots.txt, the other host's last page crashes browsers."""

    def __init__(self) -> None:
        self.log: list[tuple[float, Url, Ask]] = []
        self.version = 1

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        self.log.append((time.monotonic(), url, ask))
        path = url.split("/", 3)[3]
        if path == "robots.txt":
            rules = "User-agent: *\nDisallow: /data/3.json\n" if host_of(url) == "atoll.test" else ""
            return response(url, rules.encode(), 200, ("Content-Type", "text/plain"))
        if path == "start.js":
            return response(url, b"", 302, ("Location", "/app.js"), ("Cache-Control", "max-age=60"))
        if path == "app.js":
            return response(url, APP.encode(), 200, ("Content-Type", "text/javascript"))
        if path == "style.css":
            return response(url, b"p {color: navy}", 200, ("Content-Type", "text/css"))
        if found := re.fullmatch(r"data/(\d)\.json", path):
            return response(url, self._data(url, int(found[1])), 200, ("Content-Type", "application/json"))
        if path == "plain":
            return response(url, html("A coral reef without any script.", [Url(f"{REEF}/0")]))
        return response(url, SHELL.encode()) if re.fullmatch(r"\d", path) else response(url, b"", 404)

    def _data(self, url: Url, number: int) -> bytes:
        home = url.rsplit("/data", 1)[0]
        text = f"Corals of the reef, number {number}, as {host_of(url)} tells it" + ", anew" * (
            self.version - 1
        )
        links = [f"{home}/{(number + 1) % PAGES}", f"{ATOLL}/{number}", f"{REEF}/plain"]
        anchors = " ".join(f"<a href='{link}'>to {link}</a>" for link in links)
        return f'{{"title": "Coral {number}", "html": "<p>{text}</p> {anchors}"}}'.encode()

    async def close(self) -> None:
        """Nothing is open."""

    def asked(self, part: str) -> int:
        return sum(part in url for _, url, _ in self.log)

    def gaps(self) -> list[float]:
        """Seconds between two requests to one host."""
        found: list[float] = []
        for host in {host_of(url) for _, url, _ in self.log}:
            times = [at for at, url, _ in self.log if host_of(url) == host]
            found += [later - sooner for sooner, later in pairwise(times)]
        return found


class ByHand:
    """Does what `APP` does. A page in `crashes` ends the browser."""

    def __init__(self, crashes: tuple[str, ...] = ()) -> None:
        self.crashes, self.rendered, self.closed = crashes, list[Url](), False

    async def render(
        self, page: StillPage, answer: Callable[[Asked], Awaitable[Response | Fault]]
    ) -> Rendered | Fault:
        url = page.response.url
        self.rendered.append(url)
        if url in self.crashes:
            return Fault(reason=Reason.UNREADABLE, detail="the page ended the browser")
        source = page.response.body.decode()
        loads = [
            Asked(url=Url(f"{CDN}/style.css"), kind="style"),
            Asked(url=Url(f"{CDN}/app.js"), kind="script"),
        ]
        found = []
        if f"{CDN}/start.js" in source:
            moved = await answer(Asked(url=Url(f"{CDN}/start.js"), kind="script"))
            assert isinstance(moved, Response)
            assert moved.header("location") == "/app.js"
            found = await asyncio.gather(*(answer(each) for each in loads))
        refused: tuple[Refused, ...] = ()
        if found:
            home, _, path = url.rpartition("/")
            data = canonical(f"{home}/data/{path}.json")
            answered = await answer(Asked(url=data, kind="data", referer=url))
            if isinstance(answered, Fault):
                refused = (Refused(url=data, why=answered.detail),)
            else:
                made = re.fullmatch(r'\{"title": "(.*)", "html": "(.*)"\}', answered.body.decode())
                assert made is not None
                source = f"<html><head><title>{made[1]}</title></head><body>{made[2]}</body></html>"
        return Rendered(url=url, html=source, asked=len(found) + bool(found), refused=refused, took=Millis(7))

    async def close(self) -> None:
        self.closed = True


def _is_renderer(by_hand: ByHand) -> Renderer:
    return by_hand
