"""The first page: all crawls, with none, with twenty, and with broken ones."""

from __future__ import annotations

import shutil
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

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@needs_chromium
@pytest.mark.parametrize(("size", "dark"), [(DESK, True), (PHONE, False)])
def test_twenty_crawls_fit_any_window_and_please_axe(
    tmp_path: Path, chromium: Browser, size: tuple[int, int], dark: bool
) -> None:
    first = crawled(tmp_path / "crawl-0", 12)
    for number in range(1, 20):
        shutil.copytree(first, tmp_path / f"crawl-{number}")
    (tmp_path / "crawl-7" / "journal.db").write_bytes(b"no journal")
    with served(tmp_path) as address, tab(chromium, size, dark=dark) as page:
        page.goto(address.first)
        while "counting" in page.locator("table.crawls").inner_text():  # on a busy machine
            page.reload()
        assert page.locator("table.crawls tbody tr").count() == 20
        assert "is not a crawl's journal" in page.locator("tr", has_text="crawl-7").inner_text()
        assert overflow(page) <= 0
        assert serious_findings(page) == []
        seen(page, f"overview-{size[0]}-{'dark' if dark else 'light'}")


@needs_chromium
def test_with_none_it_says_what_to_do(tmp_path: Path, chromium: Browser) -> None:
    with served(tmp_path) as address, tab(chromium) as page:
        page.goto(address.first)
        assert "There is no crawl here yet" in page.locator("main").inner_text()
        assert serious_findings(page) == []


def test_what_is_not_there_is_told_to_people_and_to_programs(tmp_path: Path) -> None:
    with served(tmp_path) as address, httpx.Client(base_url=address.origin) as client:
        page = client.get("/nowhere")
        assert page.status_code == 404
        assert "<h1>Not Found</h1>" in page.text
        told = client.get("/api/v1/crawls/none")
        assert told.status_code == 404
        assert told.headers["content-type"] == "application/problem+json"
        assert told.json() == {
            "type": "about:blank",
            "title": "Not Found",
            "status": 404,
            "detail": "none: there is no crawl of this name here",
            "instance": "/api/v1/crawls/none",
        }
        assert client.get("/healthz").text == "ok\n"
