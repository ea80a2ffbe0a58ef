"""Crawls of an archive that pywb serves: its index and its replay are what we take them for.

As in `test_pywb`, LYCOSA_PYWB names an environment with pywb; without it these tests are skipped.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.outside.test_pywb import PYWB, serving
from tests.worlds import html, response

import lycosa
from lycosa.archive.warc import WarcArchive
from lycosa.model.records import Millis, Page
from lycosa.model.url import Url
from lycosa.spec.tree import FetchSpec, PolitenessSpec, TrapSpec

HASTY = PolitenessSpec(delay=0.0, slowness=0.0)
SITE = "http://site.test"
DAY = 86_400_000
AT = 1_325_376_000_000
"""2012-01-01."""

pytestmark = pytest.mark.skipif(
    not (PYWB / "wayback").exists(), reason="LYCOSA_PYWB names no environment with pywb"
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of pywb with a site of two years: a page that changed, one that moved, a copy, an error."""
    place = tmp_path_factory.mktemp("pywb")
    archive = WarcArchive.open(place / "archive")

    def capture(path: str, day: int, body: bytes, status: int = 200, *headers: tuple[str, str]) -> None:
        page = response(Url(SITE + path), body, status, *headers)
        archive.write(replace(page, fetched_at=Millis(AT + day * DAY)))

    links = [Url(f"{SITE}/{name}") for name in ("old", "copy", "moved", "error", "hidden", "never?a=1&b=2")]
    capture("/", 0, html("a dinosaur in January", links), 200, ("ETag", '"1"'))
    capture("/", 400, html("a dinosaur a year later", links))
    capture("/old", 1, html("a fossil dinosaur"))
    capture("/copy", 2, html("a fossil dinosaur"))
    capture("/moved", 1, b"", 301, ("Location", f"{SITE}/target"))
    capture("/target", 1, html("what moved"))
    capture("/error", 1, html("gone"), 404)
    capture("/robots.txt", 1, b"User-agent: *\nDisallow: /hidden\n", 200, ("Content-Type", "text/plain"))
    archive.close()
    for step in (("init", "c"), ("add", "c", *map(str, place.glob("archive/*.warc.gz")))):
        subprocess.run([PYWB / "wb-manager", *step], cwd=place, check=True, capture_output=True)
    with serving(place) as address:
        yield address


def crawl(out: Path, web: str) -> tuple[dict[str, Page], dict[str, int]]:
    pages: dict[str, Page] = {}
    with lycosa.crawl(
        "dinosaur",
        [f"{SITE}/"],
        out=out,
        web=web,
        watch=lambda visit: (
            pages.update({visit.url.removeprefix(SITE): visit}) if isinstance(visit, Page) else None
        ),
        politeness=HASTY,
        fetch=FetchSpec(width=1),
        traps=TrapSpec(aliases=False),  # the copy counts
    ) as folder:
        return pages, dict(folder.status().failures_by_reason)


def test_a_site_in_pywb_is_crawled(tmp_path: Path, collection: str) -> None:
    pages, failures = crawl(tmp_path / "crawl", f"pywb:{collection}")
    assert sorted(pages) == ["/", "/copy", "/moved", "/old"], failures
    assert "a year later" in pages["/"].text
    assert pages["/"].fetched_at == AT + 400 * DAY
    assert pages["/moved"].final_url == f"{SITE}/target"
    assert pages["/copy"].digest == pages["/old"].digest
    assert failures == {"status": 1, "robots": 1, "not-recorded": 1}


def test_as_it_was_at_a_time(tmp_path: Path, collection: str) -> None:
    pages, _ = crawl(tmp_path / "crawl", f"pywb:{collection}#2012")
    assert "in January" in pages["/"].text
    assert (pages["/"].etag, pages["/"].fetched_at) == ('"1"', AT)
    none, failures = crawl(tmp_path / "later", f"pywb:{collection}#2014-2015")
    assert (none, failures) == ({}, {"not-recorded": 1})
