"""The page of papers: who cites whom, how sure that is, and PDFs that are still to be read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.console.browsing import PHONE, needs_chromium, overflow, seen, serious_findings, served, tab
from tests.made_papers import HOME, made_others, made_papers, recorded

import lycosa
from lycosa.console.rest import papers
from lycosa.console.running import Address

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of which papers are read, and the same again."""
    place = tmp_path_factory.mktemp("papers")
    web = recorded(place / "web", [*made_papers(12, seed=7), *made_others(2, seed=7)])

    def crawl() -> None:
        out = place / "crawls" / "papers"
        lycosa.crawl("crawling links", [HOME], web=f"recorded:{web}", pages=50, out=out).close()

    with ThreadPoolExecutor(1) as beside:
        beside.submit(crawl).result()
    shutil.copytree(place / "crawls" / "papers", place / "crawls" / "unread")
    return place / "crawls"


@pytest.fixture(scope="module")
def address(places: Path) -> Iterator[Address]:
    with served(places) as address:
        yield address


@needs_chromium
def test_papers_are_listed_with_who_cites_them(address: Address, chromium: Browser) -> None:
    with tab(chromium, PHONE) as page:
        page.goto(address.first)
        page.goto(f"{address.origin}/crawls/papers/browse")
        page.get_by_role("link", name="Papers", exact=True).click()
        assert page.locator(".hits > li").count() == 10
        first = page.locator(".hits > li").first
        first.locator("summary", has_text="Cited by").click()
        assert first.locator("details[open] a").count() > 0
        for summary in page.locator("summary", has_text="reference").all():
            summary.click()
        assert page.get_by_role("link", name="in this crawl").count() > 0
        assert overflow(page) <= 0
        assert serious_findings(page) == []
        seen(page, "papers-360")
        page.get_by_role("link", name="year").click()
        years = page.locator(".hits > li").all_inner_texts()
        assert len(years) == 10
        page.get_by_role("link", name="Next").click()
        assert page.locator(".hits").get_attribute("start") == "11"


def test_programs_get_papers(address: Address) -> None:
    with httpx.Client(base_url=f"{address.origin}/api/v1") as client:
        told = client.get("/crawls/papers/papers", params={"order": "year", "most": 5}).json()
        assert told["found"] >= 12
        assert told["unread"] == 0
        years = [paper["year"] or 0 for paper in told["papers"]]
        assert years == sorted(years, reverse=True)


def test_pdfs_that_are_still_to_be_read_are_told(
    address: Address, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(papers, "READING", -1.0)
    monkeypatch.setattr("lycosa.crawls.papers.BATCH", 10)
    with httpx.Client(base_url=address.origin) as client:
        assert "PDFs are being read: 4 PDFs to go" in client.get("/crawls/unread/papers").text
        assert client.get("/api/v1/crawls/unread/papers").json()["found"] >= 12
