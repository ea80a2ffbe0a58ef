"""Sites made up for a browser, and a browser to show them."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from lycosa.model.records import Fault, Millis, Reason, Response
from lycosa.model.rendering import Asked, Rendered, StillPage
from lycosa.model.url import Url, canonical
from lycosa.web.browser.browsers import Browsers
from lycosa.web.browser.limits import BrowserLimits

CHROMIUM = (
    os.environ.get("LYCOSA_CHROMIUM")
    or shutil.which("chromium")
    or shutil.which("chromium-browser")
    or shutil.which("google-chrome")
)
HOME = "http://site.example/"

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")


def response(url: str, body: str | bytes, sort: str = "text/html; charset=utf-8", **more: str) -> Response:
    headers = (("Content-Type", sort), *((name.replace("_", "-"), value) for name, value in more.items()))
    content = body.encode() if isinstance(body, str) else body
    return Response(url=Url(url), status=200, headers=headers, body=content, fetched_at=Millis(0))


@dataclass
class Site:
    """What is at which URL, or at which path of `HOME`; scripts are told by their names' ends."""

    pages: Mapping[str, str | bytes | Response]
    asked: list[Asked] = field(default_factory=list)

    async def answer(self, asked: Asked) -> Response | Fault:
        self.asked.append(asked)
        path = "/" + asked.url.removeprefix(HOME)
        found = self.pages.get(path, self.pages.get(asked.url))
        if found is None:
            return Fault(reason=Reason.NOT_RECORDED, detail="there is no such page")
        if isinstance(found, Response):
            return found
        ends = {".js": "text/javascript", ".css": "text/css", ".json": "application/json"}
        return response(asked.url, found, ends.get(path[path.rfind(".") :], "text/html; charset=utf-8"))

    def urls(self) -> set[str]:
        return {one.url for one in self.asked}


@dataclass
class Shower:
    """A browser that stays open for many pages."""

    browsers: Browsers
    runner: asyncio.Runner

    def show(
        self, first: str | Response, site: Site | None = None, *, rounds: int = 0, url: str = HOME
    ) -> Rendered | Fault:
        page = first if isinstance(first, Response) else response(canonical(url), first)
        still = StillPage(response=page, rounds=rounds)
        return self.runner.run(self.browsers.render(still, (site or Site({})).answer))

    def see(
        self, first: str | Response, site: Site | None = None, *, rounds: int = 0, url: str = HOME
    ) -> Rendered:
        """What is rendered, where nothing else will do."""
        found = self.show(first, site, rounds=rounds, url=url)
        assert isinstance(found, Rendered), found
        return found


@contextmanager
def showing(limits: BrowserLimits | None = None, pages: int = 2) -> Iterator[Shower]:
    with asyncio.Runner() as runner:
        browsers = Browsers(limits or BrowserLimits(), pages)
        try:
            yield Shower(browsers, runner)
        finally:
            runner.run(browsers.close())
