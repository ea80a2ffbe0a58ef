"""Folders of crawls that earlier versions began: the first one that crawled, the last before pages were visited again,
and the last that had a strategy's texts in 8 bytes a term. They are read, resumed and refreshed.

tests/folders holds them, as those versions left them: six pages of the web below; `WEB` stands for its place.
"""

from __future__ import annotations

import asyncio
import sqlite3
import tarfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.test_damaged_records import run as command

from lycosa.archive.warc import WarcArchive
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import resume
from lycosa.drive.loop import unwatched
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Response
from lycosa.model.url import Url
from lycosa.spec.files import load
from lycosa.spec.tree import CrawlSpec, RevisitSpec

FOLDERS = sorted((Path(__file__).parents[1] / "folders").glob("*.tar.gz"))
PAGES = 12
FETCHED = Millis(1_760_000_000_000)


def url(number: int) -> Url:
    return Url("http://reef.example/" + (f"page/{number}" if number else ""))


def web(folder: Path) -> None:
    """Twelve pages as a binary tree, recorded."""
    archive = WarcArchive.open(folder)
    for n in range(PAGES):
        below = [m for m in (2 * n + 1, 2 * n + 2) if m < PAGES]
        links = "".join(f"<a href='{url(m)}'>coral page {m}</a> " for m in below)
        text = (
            f"<p>Coral reefs of sector {n} are home to {n + 3} kinds of fish and to corals in {n + 20} colours.</p>"
            f"<p>Visit number {n} of {n * n + 7} found clear water.</p>"
        )
        body = f"<!doctype html><title>Coral {n}</title><h1>Reef report {n}</h1>{text}{links}".encode()
        html = (("Content-Type", "text/html"),)
        at = Millis(FETCHED + n * 1_000)
        archive.write(
            Response(url=url(n), status=200, headers=html, body=body, fetched_at=at, elapsed=Millis(40))
        )
    archive.close()


@pytest.fixture(params=FOLDERS, ids=lambda path: path.name.partition(".")[0])
def older(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the folder, and the web beside it."""
    packed: Path = request.param
    with tarfile.open(packed) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / packed.name.partition(".")[0]
    web(tmp_path / "web")
    spec = folder / "crawl.toml"
    spec.write_text(spec.read_text("utf-8").replace("recorded:WEB", f"recorded:{tmp_path / 'web'}"), "utf-8")
    return folder


def run(folder: Path, **changes: object) -> None:
    async def session_long() -> None:
        session = await resume(folder, **changes)  # type: ignore[arg-type]
        assert session.notes == []
        await session.run(unwatched)

    asyncio.run(session_long())


def kinds(folder: Path) -> Counter[str]:
    with closing(sqlite3.connect(folder / "journal.db")) as journal:
        return Counter(kind for (kind,) in journal.execute("SELECT kind FROM steps"))


def lycosa(*words: str | Path) -> str:
    told = command(*words)
    assert told.exit_code == 0, told.output
    return told.stdout


def test_all_are_there() -> None:
    assert len(FOLDERS) == 3
    assert sum(path.stat().st_size for path in FOLDERS) < 100_000


def test_it_opens_for_reading(older: Path) -> None:
    with CrawlFolder.open(older) as folder:
        status = folder.status()
        assert (status.state, status.pages, status.failures) == ("done", 6, 0)
        assert len(folder.best(10)) == 6
        assert [hit.url for hit in folder.search("sector 0")] == [url(0)]


@pytest.mark.parametrize("mode", [0o700, 0o500])
def test_every_verb_that_reads_reads_it(older: Path, mode: int) -> None:
    """From a folder that must not be written, too."""
    for path in [*older.rglob("*"), older]:
        path.chmod(mode if path.is_dir() else mode & 0o600)
    try:
        assert "6 of 6" in lycosa("status", older)
        assert "Coral 1" in lycosa("search", older, "coral")
        assert lycosa("export", older, "--to", "jsonl").count("\n") == 6
        assert "home to 3 kinds of fish" in lycosa("show", older, url(0))
        assert lycosa("changes", older).count("first") == 6
        assert "status 200" in lycosa("why", older, url(1))
    finally:
        older.chmod(0o700)
        (older / "archive").chmod(0o700)


def test_it_is_resumed(older: Path) -> None:
    run(older, pages=9)
    assert kinds(older)["page"] == 9
    with CrawlFolder.open(older) as folder:
        assert folder.status().pages == 9


def test_it_is_refreshed(older: Path) -> None:
    """Uniformly for three days: each page about once a day, and those that it did not have are found."""
    run(older, pages=PAGES, revisit=RevisitSpec(policy="uniform", every=86_400.0), seconds=259_200.0)
    found = kinds(older)
    assert found["page"] == PAGES
    assert 24 <= found["unchanged"] <= 36
    run(older, revisit=RevisitSpec(once=1), seconds=259_200.0)
    assert kinds(older)["unchanged"] == found["unchanged"] + PAGES
    with CrawlFolder.open(older) as folder:
        assert folder.status().pages == PAGES
        assert len(folder.versions(url(0))) >= 1


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.8, 0.99])
def test_a_specification_that_is_cut_is_still_told_from_an_older_one(older: Path, kept: float) -> None:
    path = older / "crawl.toml"
    text = path.read_text("utf-8")
    path.write_text(text[: text.rfind("\n", 0, int(len(text.rstrip()) * kept)) + 1], "utf-8")
    with pytest.raises(InputError, match=r"is missing, so the file is cut|is not TOML"):
        load(path, CrawlSpec)
