"""Archived pages do nothing: proved by one that tries everything, in a browser."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser
from tests.console.browsing import CHROMIUM, needs_chromium, served, tab
from tests.console.hostile import Counter, counting, headers_that_try, page_that_tries
from tests.diaries import Diary
from tests.worlds import response, u

from lycosa.console.inert import inert
from lycosa.console.inert_origin import archive_policy
from lycosa.console.inert_seal import PATH
from lycosa.console.pages import archive_path
from lycosa.console.running import Server
from lycosa.library.library import Library
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.model.url import Url

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

NOON = 1_795_176_000_000
PIXEL = bytes.fromhex(
    "47494638396101000100800000ff000000000021f90400000000002c00000000010001000002024401003b"
)
PLACES = 30
"""That the control reaches at least."""
HOSTILE = u("hostile")


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


# -- what the other origin answers -----------------------------------------------------------------------------


BODIES = {
    "page": (
        b'<p>Page <img src="/picture" alt="a dot"><img src="/none.png" alt="not captured"></p>',
        "text/html",
    ),
    "latin": ("<p>Stra\xdfe".encode("latin-1"), "text/html; charset=iso-8859-1"),
    "picture": (PIXEL, "image/gif"),
    "script": (b"alert(1)", "text/javascript"),
    "svg": (b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "image/svg+xml"),
    "feed": (b"<?xml version='1.0'?><rss><channel/></rss>", "application/rss+xml"),
    "false": (b"<script>alert(1)</script>", "image/png"),
    "pdf": (b"%PDF-1.4 not much of one", "text/html"),
    "bytes": (bytes(range(256)) * 40, "application/octet-stream"),
    "plain": (b"<script>alert(1)</script>", "text/plain"),
}


@pytest.fixture(scope="module")
def archived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, httpx.Client]]:
    place = tmp_path_factory.mktemp("inert")
    with Diary(place / "crawl") as diary:
        diary.page(u("a"), NOON, "A page.")
        for name, (body, kind) in BODIES.items():
            answer = response(
                Url(f"http://m.test/{name}"), body, 200, ("Content-Type", kind), ("Set-Cookie", "a=b")
            )
            diary.archive.write(replace(answer, fetched_at=Millis(NOON)))
    server = Server(Library([place]), port=0, token="secret")
    with server.beside() as address, httpx.Client(base_url=address.origin, timeout=30) as client:
        client.headers["Authorization"] = "Bearer secret"
        yield server, client


def shown(archived: tuple[Server, httpx.Client], name: str) -> httpx.Response:
    """What the other origin answers, asked without any right but the address."""
    address = archived[0].desk.seal.address("crawl", f"http://m.test/{name}", Millis(NOON))
    return httpx.get(address, timeout=30)


def test_each_kind_is_shown_in_its_way(archived: tuple[Server, httpx.Client]) -> None:
    kinds = {name: shown(archived, name).headers["content-type"] for name in BODIES}
    assert kinds == {
        "page": "text/html; charset=utf-8",
        "latin": "text/html; charset=utf-8",
        "picture": "image/gif",
        "script": "text/plain; charset=utf-8",
        "svg": "text/plain; charset=utf-8",
        "feed": "text/plain; charset=utf-8",
        "false": "text/plain; charset=utf-8",
        "pdf": "application/pdf",
        "bytes": "text/plain; charset=utf-8",
        "plain": "text/plain; charset=utf-8",
    }
    assert "Straße" in shown(archived, "latin").text
    assert shown(archived, "picture").content == PIXEL
    assert shown(archived, "pdf").headers["content-disposition"] == 'attachment; filename="archived.pdf"'
    assert shown(archived, "false").text.startswith("25 bytes\n\n00000000  3c 73 63")
    assert shown(archived, "bytes").text.endswith("… and 6,144 bytes more")


def test_pictures_that_were_archived_are_shown(archived: tuple[Server, httpx.Client]) -> None:
    page = LexborHTMLParser(shown(archived, "page").text)
    found, missing = page.css("img")
    address = found.attributes["src"] or ""
    assert address.startswith(archived[0].desk.archive_origin)
    assert httpx.get(address).content == PIXEL
    assert missing.attributes == {"alt": "not captured"}


def test_the_same_walls_around_all(archived: tuple[Server, httpx.Client]) -> None:
    server, _ = archived
    origin = server.desk.archive_origin
    for answer in (
        *(shown(archived, name) for name in BODIES),
        httpx.get(f"{origin}/shown"),
        httpx.get(f"{origin}/crawls/crawl"),
        httpx.post(f"{origin}/shown"),
        httpx.get(f"{origin}/shown", headers={"Host": "evil.test"}),
    ):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: ")
        assert f"frame-ancestors {server.address.origin} " in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-dns-prefetch-control"] == "off"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "set-cookie" not in answer.headers


def before_a_taken_port(place: Path, stack: ExitStack) -> tuple[Server, int]:
    """A server on the port before one that is taken, as long as the stack lasts; other programs take ports, too."""
    for _ in range(100):
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
        with suppress(InputError):
            return Server(Library([place]), port=port - 1), port
    raise AssertionError("no two ports one after the other are free")


def test_the_other_origin_is_on_the_next_port_or_on_any(tmp_path: Path) -> None:
    with ExitStack() as stack:
        server, port = before_a_taken_port(tmp_path, stack)
        assert server.address.port == port - 1
        with server.beside():
            other = urlsplit(server.desk.archive_origin)
            assert other.port not in (port, port - 1)
            assert httpx.get(f"{server.desk.archive_origin}/shown").status_code == 403


def test_known_names_only(archived: tuple[Server, httpx.Client]) -> None:
    address = archived[0].desk.seal.address("crawl", "http://m.test/page", Millis(NOON))
    assert httpx.get(address, headers={"Host": "rebound.test"}).status_code == 421
    assert httpx.get(address).status_code == 200


def test_only_reading(archived: tuple[Server, httpx.Client]) -> None:
    address = archived[0].desk.seal.address("crawl", "http://m.test/page", Millis(NOON))
    assert {httpx.request(way, address).status_code for way in ("POST", "PUT", "DELETE", "OPTIONS")} == {405}
    assert httpx.head(address).status_code == 200


def test_one_address_one_capture(archived: tuple[Server, httpx.Client]) -> None:
    server, _ = archived
    address = server.desk.seal.address("crawl", "http://m.test/page", Millis(NOON))
    parts = urlsplit(address)
    asked = dict(parse_qsl(parts.query))
    for name, other in (
        ("url", "http://m.test/latin"),
        ("at", str(NOON + 1)),
        ("crawl", "c"),
        ("seal", "0" * 64),
    ):
        changed = parts._replace(query=urlencode(asked | {name: other})).geturl()
        assert httpx.get(changed).status_code == 403
    # What opens the first origin does not open the other one, and its paths are not there.
    cookie = httpx.get(server.address.first).headers["set-cookie"].partition(";")[0]
    unsealed = f"{server.desk.archive_origin}/shown?crawl=crawl&url=http://m.test/page&at={NOON}"
    for headers in ({"Cookie": cookie}, {"Authorization": "Bearer secret"}):
        assert httpx.get(unsealed, headers=headers).status_code == 403
        assert httpx.get(f"{server.desk.archive_origin}/api/v1/crawls", headers=headers).status_code == 404
    assert httpx.get(server.address.origin + PATH, params=asked).status_code == 401


@needs_chromium
def test_a_pdf_is_downloaded_and_a_picture_is_seen(
    archived: tuple[Server, httpx.Client], chromium: Browser
) -> None:
    server, _ = archived
    with tab(chromium) as page:
        page.goto(server.address.first)
        page.goto(server.address.origin + archive_path("crawl", "http://m.test/pdf"))
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the PDF").click()
        assert Path(download.value.path()).read_bytes() == BODIES["pdf"][0]
        page.goto(server.address.origin + archive_path("crawl", "http://m.test/page"))
        dot = page.frame_locator("iframe.archived").get_by_alt_text("a dot")
        assert dot.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") == 1
        page.goto(server.address.origin + archive_path("crawl", "http://m.test/plain"))
        assert page.frame_locator("iframe.archived").get_by_text("<script>alert(1)</script>").is_visible()
