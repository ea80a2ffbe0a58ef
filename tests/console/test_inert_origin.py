"""Archived pages do nothing: proved by one that tries everything, in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import pytest
from msgspec.structs import replace
from tests.console.browsing import CHROMIUM, needs_chromium, served
from tests.console.hostile import Counter, counting, headers_that_try, page_that_tries
from tests.diaries import Diary
from tests.worlds import response, u

from lycosa.console.inert import inert
from lycosa.console.inert_origin import archive_policy
from lycosa.console.pages import archive_path
from lycosa.model.records import Millis
from lycosa.model.url import Url

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

NOON = 1_795_176_000_000
PIXEL = bytes.fromhex(
    "47494638396101000100800000ff000000000021f90400000000002c00000000010001000002024401003b"
)
PLACES = 30
"""That the control reaches at least."""
HOSTILE, PICTURE = u("hostile"), Url("http://hostile.test/picture.gif")


@contextmanager
def logged_browser(log: Path) -> Iterator[BrowserContext]:
    """A Chromium that writes down all that its network does."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--no-proxy-server", f"--log-net-log={log}"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        try:
            yield browser.new_context()
        finally:
            browser.close()


def address_of_frame(client: httpx.Client, name: str, url: str) -> str:
    """Where the archive shows a page on the other origin."""
    from selectolax.lexbor import LexborHTMLParser

    shown = LexborHTMLParser(client.get(archive_path(name, url)).text)
    frame = shown.css_first("iframe.archived")
    assert frame is not None
    assert frame.attributes["sandbox"] in ("", None), "a sandbox without exceptions"
    return frame.attributes["src"] or ""


@needs_chromium
def test_a_page_that_tries_everything_does_nothing(tmp_path: Path) -> None:
    """It is shown by both views; then, as a control, the same page is opened as it is, and reaches another server."""
    log = tmp_path / "log.json"
    with counting() as silent, counting() as reached:
        with Diary(tmp_path / "crawl") as diary:
            body = page_that_tries(silent.origin, "silent.test").encode()
            diary.page(u("a"), NOON, "An innocent page.", links=[HOSTILE])
            answer = response(HOSTILE, body, 200, *headers_that_try(silent.origin))
            diary.archive.write(replace(answer, fetched_at=Millis(NOON)))
        reached.pages["/"] = (page_that_tries(reached.origin, "reached.test"), [])
        with served(tmp_path) as address, logged_browser(log) as context:
            page, asked = context.new_page(), list[str]()
            page.on("request", lambda request: asked.append(request.url))
            page.add_init_script("addEventListener('message', () => { document.title = 'told' })")
            page.goto(address.origin + archive_path("crawl", HOSTILE))
            frame = page.frame_locator("iframe.archived")
            frame.locator("#last").wait_for()
            assert frame.locator("p", has_text="Words that are read.").is_visible()
            frame.locator("#bait").click()
            frame.get_by_text("another").click()
            frame.get_by_text("own element").click()
            assert page.url.startswith(address.origin), "nor did it lead away"
            title = page.title()
            context.new_page().goto(f"{reached.origin}/")  # time enough for a refresh, and a control
            _wait_for(page, reached)
            assert page.title() == title != "told"
            assert context.cookies(address.origin) == []
            origins = {f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, asked)}
            assert len(origins) == 2
            assert address.origin in origins
    assert silent.seen == []
    assert silent.connections == 0, "not even a connection"
    told = log.read_text()
    assert f"{silent.origin}/" not in told
    assert "silent.test" not in told
    assert f"{reached.origin}/" in told, "the log would have told it"
    assert "reached.test" in told, "look-ups of names too"


def _wait_for(page: Page, server: Counter) -> None:
    for _ in range(100):
        if len(set(server.seen)) > PLACES:
            return
        page.wait_for_timeout(50)
    pytest.fail(f"the control reached {len(set(server.seen))} places: {sorted(set(server.seen))}")


@needs_chromium
def test_each_wall_holds_alone(tmp_path: Path) -> None:
    """The page written anew, without a policy; the page as it is, under the policy."""
    with counting() as rewritten, counting() as walled, counting() as control:
        tries = page_that_tries(rewritten.origin, "rewritten.test")
        control.pages["/rewritten"] = (inert(tries, HOSTILE, lambda url: ""), [])
        policy = archive_policy(control.origin, [control.origin])
        control.pages["/walled"] = (
            page_that_tries(walled.origin, "walled.test"),
            [("Content-Security-Policy", policy), ("X-DNS-Prefetch-Control", "off")],
        )
        control.pages["/"] = (page_that_tries(control.origin, "control.test"), [])
        log = tmp_path / "log.json"
        with logged_browser(log) as context:
            for path in ("/rewritten", "/walled"):
                tab = context.new_page()
                tab.goto(control.origin + path)
                tab.locator("h1").wait_for()
            page = context.new_page()
            page.goto(f"{control.origin}/")
            _wait_for(page, control)
        assert rewritten.seen == []
        assert rewritten.connections == 0
        assert "rewritten.test" not in log.read_text()
        assert walled.seen == []
        assert walled.connections <= 1, "no policy forbids to connect beforehand; nothing was asked for"
        assert "walled.test" not in log.read_text()
        assert "control.test" in log.read_text()
