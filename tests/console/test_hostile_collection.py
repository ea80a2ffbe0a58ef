"""A collection whose titles, words and URLs try everything, through every operation and every view."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
import pytest
from starlette.routing import Route
from tests.console.browsing import SEED, crawled, needs_chromium, overflow, served, tab

from lycosa.console.app import OPERATIONS, VIEWS
from lycosa.console.bounded import CUT, LARGEST
from lycosa.console.rest.operation import Operation
from lycosa.console.running import Address

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MOST_SENT = 300_000
"""Bytes of a page as it is sent."""
BIDI = "\u202e\u2066\u200f\u061c\u202d"
SCRIPTS = (
    "<script>window.pwned = 1</script>",
    "<img src=x onerror='window.pwned = 1'>",
    "'\"><svg onload=window.pwned=1>",
    "</title></script><script>window.pwned=1</script>",
    "{{ 7 * 7 }} {% raw %} ${7*7} <!-- ]]> --> &lt;script&gt;",
    f"{BIDI}gpj.exe{BIDI}",
    "javascript:window.pwned=1",
    "\x00\x01\x1b[31m\ufffe\r\nSet-Cookie: a=b",
)
LONG = 50 << 20
"""Characters of one title."""
GIVEN: dict[str, Any] = {
    "url": SEED,
    "q": "dinosaur",
    "query": "dinosaur",
    "since": 0,
    "at": 0,
    "earlier": 0,
    "later": 1,
}
"""Values of parameters, where any will not do."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    place = tmp_path_factory.mktemp("crawls")
    folder = crawled(place / "first", 25)
    with closing(sqlite3.connect(folder / "journal.db")) as connection:
        steps = [
            step for (step,) in connection.execute("SELECT step FROM steps WHERE kind = 'page' ORDER BY step")
        ]
        for place_, step in enumerate(steps[1:], 1):
            bad = SCRIPTS[place_ % len(SCRIPTS)]
            connection.execute(
                "UPDATE steps SET title = ?, anchor = ?, description = ?, final_url = ?, language = ?, "
                "via = 'javascript:window.pwned=1' WHERE step = ?",
                (bad, bad, bad, f"http://evil.example/'\"><script>{bad}</script>", bad, step),
            )
        connection.execute(
            "UPDATE steps SET title = ?, relevance = 1 WHERE step = ?", ("<b>" * (LONG // 3), steps[2])
        )
        connection.execute("UPDATE steps SET detail = ?, title = ? WHERE kind = 'failure'", SCRIPTS[:2])
        connection.commit()
    with served(place) as found:
        yield found


def asked(operation: Operation) -> tuple[str, dict[str, Any]]:
    """A path and a query that ask something of the crawl."""
    path, query = operation.path, {}
    for field in msgspec.structs.fields(operation.takes):
        value = "first" if field.name == "name" and "/crawls/" in path else GIVEN.get(field.name)
        if f"{{{field.name}}}" in path:
            path = path.replace(f"{{{field.name}}}", str(value or "hunter"))
        elif field.required or (value is not None and field.name in ("url", "q", "query")):
            query[field.name] = value if value is not None else "1"
    return f"/api/v1{path}", query


@pytest.mark.parametrize(
    "operation", [each for each in OPERATIONS if each.method == "GET"], ids=lambda each: each.name
)
def test_every_operation_is_bounded_and_never_a_page(address: Address, operation: Operation) -> None:
    path, query = asked(operation)
    with (
        httpx.Client(base_url=address.origin, timeout=60) as client,
        client.stream("GET", path, params=query) as answer,
    ):
        kind = answer.headers["content-type"].partition(";")[0]
        assert answer.status_code < 500
        assert answer.headers["x-content-type-options"] == "nosniff"
        if answer.headers.get("content-disposition", "").startswith("attachment"):
            return  # a file to keep, sent as it is written
        body = answer.read()
    if kind == "text/html":
        assert "script-src" not in answer.headers["content-security-policy"]
        assert "sandbox" in answer.headers["content-security-policy"]
        assert "<script" not in body.decode()
        assert "<img" not in body.decode()
        assert len(body) < 1 << 20
        return
    assert kind in ("application/json", "application/problem+json", "application/link-format", "text/plain")
    assert len(body) <= LARGEST


def test_a_title_of_fifty_megabytes_is_cut(address: Address) -> None:
    for path in ("best?most=1000", "pages?most=1000", "happenings?most=1000"):
        body = httpx.get(f"{address.origin}/api/v1/crawls/first/{path}", timeout=60).content
        assert len(body) < 100_000
        assert len(max(re.findall(rb"(?:<b>)+", body), key=len)) <= CUT


def test_followers_are_told_no_more_than_they_can_take(address: Address) -> None:
    told = 0
    with httpx.stream("GET", f"{address.origin}/api/v1/crawls/first/events?after=0", timeout=60) as answer:
        for line in answer.iter_lines():
            told += len(line)
            assert "\r" not in line
            assert not line.startswith("Set-Cookie")
            if line.startswith("event: status"):
                break
    assert told < 100_000


class Wrong(HTMLParser):
    """What a page has that might act of itself."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.found += [
            f"{tag} {name}" for name in given if name.startswith("on") or name in ("style", "srcdoc")
        ]
        for name in ("href", "src", "action", "formaction"):
            if re.match(r"[\s\x00-\x20]*(javascript|data|vbscript):", given.get(name, ""), re.IGNORECASE):
                self.found.append(f"{tag} {name}={given[name][:50]}")
        if tag in ("style", "base", "object", "embed") or (tag == "meta" and "http-equiv" in given):
            self.found.append(tag)
        if (
            tag == "script"
            and given.get("type") != "application/json"
            and not given.get("src", "").startswith("/")
        ):
            self.found.append("a script within the page")


def wrong_in(page: str) -> list[str]:
    parser = Wrong()
    parser.feed(page)
    return parser.found


def views() -> list[str]:
    """The paths of all views, of the hostile crawl where they are of one."""
    paths = [route.path for route in VIEWS if isinstance(route, Route) and "GET" in (route.methods or ())]
    return [re.sub(r"\{[^}]*\}", "none", path.replace("{name}", "first")) for path in paths]


@pytest.mark.parametrize("path", views())
def test_every_view_is_escaped_and_small(address: Address, path: str) -> None:
    query = {"url": SEED, "q": "dinosaur", "crawl": "first"}
    for asked_with in ({}, query, {"q": SCRIPTS[0] + BIDI, "url": f"http://x.example/{SCRIPTS[2]}"}):
        with httpx.Client(base_url=address.origin, timeout=60, follow_redirects=True) as client:
            answer = client.get(path, params=asked_with)
        assert answer.status_code < 500
        assert answer.num_bytes_downloaded <= MOST_SENT
        assert "set-cookie" not in answer.headers
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        for bad in SCRIPTS[:4]:
            assert bad not in answer.text
        assert wrong_in(answer.text) == []
        facts = re.compile(r"<script[^>]*application/json.*?</script>|<input[^>]*>", re.DOTALL)
        turned = [line for line in facts.sub("", answer.text).splitlines() if set(BIDI) & set(line)]
        assert turned == [], "signs that turn the writing are left out"


@needs_chromium
def test_nothing_of_it_runs_in_a_browser(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.on("dialog", lambda dialog: pytest.fail(dialog.message))
        for path in views():
            if path.startswith(("/crawls/first", "/search")) or path == "/":
                page.goto(f"{address.origin}{path}?q=dinosaur&url={SEED}", timeout=60_000)
                assert page.evaluate("window.pwned") is None
                assert overflow(page) <= 0
