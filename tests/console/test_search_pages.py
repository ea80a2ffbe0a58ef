"""Search and browse: narrowed by links, folded, browsed, by keyboard, on a phone, and with hostile pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.console.browsing import (
    DESK,
    PHONE,
    crawled,
    needs_chromium,
    overflow,
    seen,
    serious_findings,
    served,
    tab,
)
from tests.portals import Made, collection

import lycosa
from lycosa.console.rest import search
from lycosa.console.running import Address

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = [
    Made(
        "http://evil.test/%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
        "<script>alert(1)</script> « spider » <img src=x onerror=alert(1)> " + "wide" * 3_000,
        "\u202eevil\u202c <script>alert(2)</script> " + "x" * 50_000,
        language="<b>",
        media_type='text/html"><script>alert(3)</script>',
    )
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    place = tmp_path_factory.mktemp("crawls")
    with lycosa.open(crawled(place / "dino", 60)) as crawl:
        crawl.index_pages()
    collection(place / "evil", HOSTILE)
    with served(place) as address:
        yield address


@needs_chromium
def test_a_search_is_narrowed_turned_and_widened_by_links(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(f"{address.first}")
        page.goto(f"{address.origin}/crawls/dino/search")
        page.locator("h1").click()
        page.keyboard.press("/")
        page.keyboard.type("fossil")
        page.keyboard.press("Enter")
        page.wait_for_url("**q=fossil**")
        all_of_them = page.locator("#answers").inner_text()
        assert page.locator(".hits mark").count() > 0
        depth = page.locator(".facets a[href*='depth=3']")
        n = depth.locator(".note").inner_text()
        depth.click()
        assert page.locator("#answers").inner_text().startswith(f"{n} page")
        assert page.url.endswith("q=fossil&depth=3")
        page.get_by_role("link", name="date", exact=True).click()
        assert "order=date" in page.url
        page.get_by_role("link", name="all of these away").click()
        assert page.locator("#answers").inner_text() == all_of_them
        page.get_by_role("link", name="Next").click()
        assert page.locator(".hits").get_attribute("start") == "11"
        page.go_back()
        assert page.locator("#answers").inner_text() == all_of_them


@needs_chromium
def test_nothing_found_leads_on(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(address.first)
        page.goto(f"{address.origin}/crawls/dino/search?q=fosil")
        page.locator(".nothing a").first.click()
        assert page.locator(".hits li").count() > 0


@needs_chromium
def test_clusters_are_learned_and_browsed(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(address.first)
        page.goto(f"{address.origin}/crawls/dino/browse")
        page.get_by_role("button", name="Learn clusters").click()
        page.wait_for_url("**by=cluster")
        first = page.locator(".below a").first
        pages = first.locator(".note").inner_text()
        first.click()
        assert page.locator("#answers").inner_text().startswith(f"{pages} page")
        page.get_by_role("link", name="Search here").click()
        assert "cluster=" in page.url
        assert page.locator(".chosen").inner_text().startswith("Cluster")


@needs_chromium
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)])
def test_all_views_fit_and_please_axe(
    address: Address, chromium: Browser, size: tuple[int, int], dark: bool
) -> None:
    views = {
        "search": "/crawls/dino/search?q=dinosaur&depth=3&date=2007",
        "browse": "/crawls/dino/browse?by=depth&at=3",
        "all": "/search?q=fossil+OR+spider",
        "evil": "/crawls/evil/search?q=spider",
    }
    with tab(chromium, size, dark=dark) as page:
        page.goto(address.first)
        for name, path in views.items():
            page.goto(address.origin + path)
            assert page.locator(".hits li").count() > 0
            assert overflow(page) <= 0
            assert serious_findings(page) == []
            assert len(page.content()) < 300_000
            seen(page, f"search-{name}-{size[0]}-{'dark' if dark else 'light'}")


def test_text_of_the_web_is_escaped_everywhere(address: Address) -> None:
    with httpx.Client(base_url=address.origin) as client:
        for path in ("/search?q=spider", "/crawls/evil/search?copies=true", "/crawls/evil/browse?by=type"):
            told = client.get(path).text
            assert "<script>alert" not in told
            assert "<img src=x" not in told
            assert "\u202e" not in told


def test_what_cannot_be_understood_is_told(address: Address) -> None:
    with httpx.Client(base_url=address.origin) as client:
        wrong = client.get("/crawls/dino/search", params={"q": "(fossil"})
        assert wrong.status_code == 400
        assert "cannot be understood" in wrong.text
        assert client.get("/crawls/dino/search", params={"since": "soon"}).status_code == 400
        assert client.get("/crawls/dino/search", params={"colour": "red"}).status_code == 400
        assert client.get("/crawls/dino/browse", params={"by": "colour"}).status_code == 400


def test_programs_get_the_same_answers(address: Address) -> None:
    with httpx.Client(base_url=f"{address.origin}/api/v1") as client:
        found = client.get(
            "/crawls/dino/search", params={"q": "fossil", "depth": ["2", "3"], "limit": 3}
        ).json()
        assert len(found["hits"]) == 3
        counted = {
            value["value"]: value["pages"]
            for f in found["facets"]
            if f["name"] == "depth"
            for value in f["values"]
        }
        assert found["pages"] == counted["2"] + counted["3"]
        facets = client.get("/crawls/dino/facets", params={"q": "fossil", "depth": ["2", "3"]}).json()
        assert facets == found["facets"]
        everywhere = client.get("/search", params={"q": "spider OR fossil", "limit": 100}).json()
        assert {hit["collection"] for hit in everywhere["hits"]} == {"dino", "evil"}
        browsed = client.get("/crawls/dino/browse", params={"by": "host"}).json()
        assert [value["value"] for value in browsed["below"]] == ["schools.wiki.example"]


def test_a_few_pages_that_came_since_are_found_at_once(tmp_path: Path) -> None:
    collection(
        tmp_path / "new", [Made(f"http://a.test/{n}", f"spider number{n}") for n in range(20)], index=False
    )
    with served(tmp_path) as address, httpx.Client(base_url=address.origin) as client:
        assert "cannot be found yet" not in client.get("/crawls/new/search?q=spider").text
        assert client.get("/api/v1/crawls/new/search?q=spider").json()["collection"] == 20


def test_many_that_came_since_are_told_and_indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "FIRST", 0.0)
    pages = [Made(f"http://a.test/{n}", f"spider number{n}") for n in range(150)]
    collection(tmp_path / "new", pages, index=False)
    with served(tmp_path) as address, httpx.Client(base_url=address.origin) as client:
        told = client.get("/crawls/new/search?q=spider").text
        assert "pages came since and cannot be found yet" in told
        assert client.get("/api/v1/search?q=spider").json()["unindexed"] > 0
        while (left := client.post("/api/v1/crawls/new/index", json={}).json())["unindexed"]:
            assert left["pages"] > 0
        assert left["pages"] == 150
