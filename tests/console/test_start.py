"""A new crawl from the page: checked as it is written, begun, and to be found again by its address."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.console.browsing import (
    DESK,
    PHONE,
    SEED,
    needs_chromium,
    overflow,
    seen,
    serious_findings,
    served,
    tab,
)

import lycosa

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@needs_chromium
def test_a_crawl_is_begun_with_the_keyboard(tmp_path: Path, chromium: Browser) -> None:
    with served(tmp_path) as address, tab(chromium) as page:
        page.goto(f"{address.origin}/new")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.locator("#topic").focus()
        page.keyboard.type("dinosaur fossil")
        page.keyboard.press("Tab")
        page.keyboard.type("ftp://nowhere.example/")
        page.keyboard.press("Tab")
        page.locator("#problem", has_text="ftp").wait_for()
        assert "topic=dinosaur+fossil" in page.url
        page.locator("#urls").fill(SEED)
        page.locator("#pages").fill("7")
        page.locator("#strategy").select_option("best-first")
        assert page.locator("#strategy-told").inner_text()
        kept = page.url
        seen(page, "new-filled")
        page.keyboard.press("Enter")  # in the field of the pages
        page.locator("#pages").press("Enter")
        page.wait_for_url("**/crawls/dinosaur-fossil")
        page.goto(kept)
        assert page.locator("#topic").input_value() == "dinosaur fossil"
        assert page.locator("#urls").input_value() == SEED
        assert page.locator("#pages").input_value() == "7"
        assert page.locator("#strategy").input_value() == "best-first"
    with lycosa.open(tmp_path / "dinosaur-fossil") as folder:
        assert folder.spec.pages == 7
        assert folder.spec.strategy == "best-first"


@needs_chromium
@pytest.mark.parametrize(("size", "dark"), [(DESK, True), (PHONE, False)])
def test_the_form_fits_any_window(
    tmp_path: Path, chromium: Browser, size: tuple[int, int], dark: bool
) -> None:
    with served(tmp_path) as address, tab(chromium, size, dark=dark) as page:
        page.goto(f"{address.origin}/new?topic=%3Cscript%3Ealert(1)%3C/script%3E&exclude=x")
        assert page.locator("#topic").input_value() == "<script>alert(1)</script>"
        assert page.locator("details").get_attribute("open") is not None
        assert overflow(page) <= 0
        assert serious_findings(page) == []
        seen(page, f"new-{size[0]}-{'dark' if dark else 'light'}")


def test_the_same_words_as_on_the_command_line(tmp_path: Path) -> None:
    with served(tmp_path) as address, httpx.Client(base_url=address.origin) as client:
        told = client.post(
            "/api/v1/crawls/check", json={"topic": "x", "urls": [SEED], "strategy": "bset-first"}
        )
        assert told.status_code == 400
        assert told.json()["detail"] == "there is no strategy 'bset-first'; did you mean 'best-first'?"
        unknown = client.post("/api/v1/crawls", json={"topic": "x", "out": "/etc"})
        assert unknown.status_code == 400
        assert "out" in unknown.json()["detail"]
        spec = client.post("/api/v1/crawls/check", json={"topic": "x", "urls": [SEED], "pages": 3}).json()
        assert spec["pages"] == 3
        assert spec["seeds"] == [SEED]
    assert list(tmp_path.iterdir()) == []
