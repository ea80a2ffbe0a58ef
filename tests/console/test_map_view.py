"""The map in the browser, by mouse, by keyboard and by address; and for programs, a level at a time."""

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
from tests.linkings import Linking, linked, url

from lycosa.console.running import Address

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "\u202e</script><img src=x onerror=alert(1)>\u2066" + "long " * 2_000
MANY = 260


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    place = tmp_path_factory.mktemp("map")
    crawled(place / "sample", 40, strategy="shark")
    wide = [Linking(f"page{number}", via="start", relevance=number / MANY) for number in range(MANY)]
    linked(place / "wide", [Linking("start", title=EVIL), *wide])
    with served(place) as found:
        yield found


@needs_chromium
def test_by_keyboard_through_the_tree_and_back_by_its_address(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(f"{address.origin}/crawls/sample/map?open=")
        rows = page.locator("[role=treeitem]")
        assert rows.count() == 1
        rows.first.focus()
        page.keyboard.press("ArrowRight")
        page.locator("[role=treeitem][aria-level='2']").first.wait_for()
        page.keyboard.press("ArrowRight")
        chosen = page.locator("[aria-selected=true]")
        assert chosen.get_attribute("aria-level") == "2"
        label = chosen.get_attribute("aria-label")
        page.keyboard.press("End")
        assert chosen.get_attribute("aria-label") != label
        page.keyboard.press("Home")
        page.keyboard.press("ArrowDown")
        page.reload()
        assert page.locator("[aria-selected=true]").get_attribute("aria-label") == label
        assert rows.count() > 1
        page.locator("[aria-selected=true]").focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        assert rows.count() == 1
        page.keyboard.press("g")
        page.wait_for_url("**/crawls/sample/graph?url=*")


@needs_chromium
def test_only_what_is_asked_for(address: Address, chromium: Browser) -> None:
    with tab(chromium) as page:
        page.goto(f"{address.origin}/crawls/sample/map")
        whole = page.locator("[role=treeitem]").count()
        page.get_by_label("Words").fill("dinosaur")
        page.locator("#count", has_text="of 40 pages").wait_for()
        assert "words=dinosaur" in page.url
        assert page.locator("[role=treeitem]").count() < whole
        page.get_by_label("Words").fill("nothing like that")
        page.locator("#none").wait_for()
        page.get_by_label("Words").fill("")
        page.get_by_label("Relevance from").fill("0.3")
        page.locator("#count", has_text="of 40 pages").wait_for()
        page.locator("#none").wait_for(state="hidden")
        page.get_by_label("Arranged").select_option("paths")
        page.locator("[role=treeitem][aria-label^='http://schools.wiki.example/']").wait_for()
        page.reload()
        assert page.get_by_label("Relevance from").input_value() == "0.3"
        assert page.get_by_label("Arranged").input_value() == "paths"
        assert page.locator("[role=treeitem] .high, .high[role=treeitem]").count() > 0


@needs_chromium
def test_a_wide_level_comes_in_parts_and_hostile_titles_stay_text(
    address: Address, chromium: Browser
) -> None:
    with tab(chromium) as page:
        page.goto(f"{address.origin}/crawls/wide/map?open={url('start')}")
        assert "<img src=x" in page.locator("[role=treeitem] .label").first.inner_text()
        assert page.locator("main img").count() == 0
        more = page.locator(".more")
        assert more.inner_text() == "60 more"
        more.click()
        more.wait_for(state="detached")
        assert page.locator("[role=treeitem]").count() == MANY + 1
        page.locator("#fold").click()
        assert page.locator("[role=treeitem]").count() == 1
        page.locator("#unfold").click()
        page.locator("[aria-level='2']").last.wait_for()
        assert page.locator("[role=treeitem]").count() == MANY + 1


@needs_chromium
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)])
def test_it_fits_any_window_and_pleases_axe(
    address: Address, chromium: Browser, size: tuple[int, int], dark: bool
) -> None:
    with tab(chromium, size, dark=dark) as page:
        page.goto(f"{address.origin}/crawls/sample/map")
        assert page.locator("[role=treeitem]").count() > 5
        assert overflow(page) <= 0
        assert serious_findings(page) == []
        seen(page, f"map-{size[0]}-{'dark' if dark else 'light'}")


def test_programs_get_a_level_at_a_time(address: Address) -> None:
    with httpx.Client(base_url=f"{address.origin}/api/v1") as client:
        top = client.get("/crawls/wide/map").json()
        assert [branch["pages"] for branch in top["branches"]] == [MANY + 1]
        asked = {"under": top["branches"][0]["key"], "least": 0.5, "most": 3, "skip": 1}
        level = client.get("/crawls/wide/map", params=asked).json()
        assert level["total"] == MANY // 2
        assert [branch["label"] for branch in level["branches"]] == ["page258", "page257", "page256"]
        assert client.get("/crawls/wide/map", params={"under": "nowhere"}).status_code == 400
        assert client.get("/crawls/wide/map", params={"by": "colour"}).status_code == 400


def test_a_crawl_without_pages_says_so(tmp_path: Path) -> None:
    linked(tmp_path / "none", [Linking("dead", failed=True)])
    with served(tmp_path) as found:
        answer = httpx.get(f"{found.origin}/crawls/none/map")
    assert "the crawl has no page yet" in answer.text
