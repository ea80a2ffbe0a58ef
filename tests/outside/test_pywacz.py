"""Our WACZ files before ``wacz validate``, the checker of those who made the format.

It needs an environment of its own: ``python3 -m venv DIR && DIR/bin/pip install wacz "setuptools<80"``. LYCOSA_PYWACZ
names DIR; without it this test is skipped.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.unit.test_wacz import SAMPLE

import lycosa
from lycosa.archive.collection import Collection
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.packed import write_packed
from lycosa.model.records import Millis

WACZ = Path(os.environ.get("LYCOSA_PYWACZ", "")) / "bin" / "wacz"


pytestmark = pytest.mark.skipif(not WACZ.exists(), reason="LYCOSA_PYWACZ names no environment with wacz")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Of a crawl of twenty pages."""
    seed = "http://schools.wiki.example/wp/Biosphere.html"
    lycosa.crawl(
        "dinosaur fossil", [seed], web=f"recorded:{SAMPLE}", pages=20, out=tmp_path / "crawl"
    ).close()
    return tmp_path / "crawl"


def test_a_crawl_is_valid(folder: Path, tmp_path: Path) -> None:
    with CrawlFolder.open(folder) as crawl, (tmp_path / "x.wacz").open("wb") as file:
        write_packed(crawl, file, Millis(1_795_000_000_000))
    said = subprocess.run(
        [WACZ, "validate", "-f", tmp_path / "x.wacz"], capture_output=True, text=True, check=False
    )
    assert said.returncode == 0, said.stdout
    assert "Validation succeeded" in said.stdout


def test_what_it_makes_of_our_warc_files_is_read(folder: Path, tmp_path: Path) -> None:
    warcs = sorted((folder / "archive").glob("*.warc.gz"))
    made = tmp_path / "made.wacz"
    subprocess.run([WACZ, "create", "-o", made, "--detect-pages", *warcs], check=True, capture_output=True)
    theirs, ours = Collection.open([made]), Collection.open([folder])
    assert theirs.info().indexed
    assert not theirs.warnings
    for capture in ours.captures():
        assert theirs.find(capture.url) == ours.find(capture.url)
    assert len(list(theirs.captures())) >= 20
    theirs.close()
    ours.close()
