"""A record of the archive that is damaged costs its own page's text, is told in one line, and ends nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import lycosa
from lycosa.cli.group import lycosa as command
from lycosa.crawls.folder import CrawlFolder
from lycosa.model.url import Url

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
START = "http://schools.wiki.example/wp/Biosphere.html"
RECORDED = f"recorded:{SAMPLE}"
STRATEGIES = ["hunter", "breadth-first", "shark", "infospiders"]


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def crawled(folder: Path, strategy: str = "hunter", pages: int = 25) -> Path:
    lycosa.crawl("dinosaurs", [START], out=folder, pages=pages, strategy=strategy, web=RECORDED).close()
    return folder


def spoil(folder: Path, *places: int) -> list[Url]:
    """Damage the records of the n-th pages; returns the pages' URLs."""
    with lycosa.open(folder) as crawl:
        rows = [row for place, row in enumerate(crawl.history.rows()) if place in places]
    for row in rows:
        assert row.warc_file is not None
        assert row.warc_offset is not None
        assert row.warc_length is not None
        with (folder / "archive" / row.warc_file).open("r+b") as file:
            file.seek(row.warc_offset + row.warc_length // 2)
            byte = file.read(1)[0]
            file.seek(-1, 1)
            file.write(bytes([byte ^ 0xFF]))
    return [row.url for row in rows]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("whole") / "crawl")


@pytest.fixture
def spoilt(whole: Path, tmp_path: Path) -> tuple[Path, list[Url]]:
    folder = shutil.copytree(whole, tmp_path / "crawl")
    shutil.rmtree(folder / "index", ignore_errors=True)
    return folder, spoil(folder, 0, 7)


def test_an_export_has_all_pages_and_tells_which_lack_their_text(spoilt: tuple[Path, list[Url]]) -> None:
    folder, urls = spoilt
    told = run("export", folder, "--to", "jsonl")
    assert told.exit_code == 0
    rows = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(rows) == 25
    assert {row["url"] for row in rows if not row["text"]} == set(urls)
    lines = told.stderr.splitlines()
    assert len(lines) == 2
    for url, line in zip(urls, lines, strict=True):
        assert url in line
        assert "damaged" in line
        assert "byte" in line


def test_a_missing_file_is_told_once(whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "crawl")
    for file in (folder / "archive").glob("*.warc.gz"):
        file.unlink()
    shutil.rmtree(folder / "index", ignore_errors=True)  # it would have the texts
    told = run("export", folder, "--to", "csv")
    assert told.exit_code == 0
    assert len(told.stderr.splitlines()) == 1
    assert "missing" in told.stderr


def test_search_why_ask_and_report_go_on(spoilt: tuple[Path, list[Url]]) -> None:
    folder, urls = spoilt
    for arguments in (
        ("search", folder, "dinosaur"),
        ("search", folder, "Biosphere"),
        ("why", folder, urls[0]),
        ("ask", folder),
        ("report", folder),
        ("status", folder),
        ("map", folder),
    ):
        told = run(*arguments)
        assert told.exit_code == 0, (arguments, told.output)
        assert all("damaged" in line for line in told.stderr.splitlines() if "lycosa:" in line)
    shutil.rmtree(folder / "index")
    with lycosa.open(folder) as crawl:
        assert any(hit.url == urls[0] for hit in crawl.search("Biosphere")), "found by its title"
        assert len(crawl.unread) == 2


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_crawl_goes_on_whose_pages_cannot_be_read_again(strategy: str, tmp_path: Path) -> None:
    """The frontier is made anew from the journal, over pages that lack their text: it is as it was all the same."""
    folder = crawled(tmp_path / "crawl", strategy)
    with lycosa.open(folder) as crawl:
        waiting = crawl.status().pending
        before = [(row.url, row.relevance) for row in crawl.rows(text=False)]
    spoil(folder, 2, 11)
    shutil.rmtree(folder / "frontier")
    twin = shutil.copytree(folder, tmp_path / "twin")
    told = run("resume", folder, "--pages", "25")
    assert told.exit_code == 0, told.output
    assert told.output.count("is without text") == 2
    with lycosa.open(folder) as crawl:
        assert crawl.status().pending == waiting
    assert run("resume", folder, "--pages", "40").exit_code == 0
    assert run("resume", twin, "--pages", "25").exit_code == 0
    assert run("resume", twin, "--pages", "40").exit_code == 0
    with lycosa.open(folder) as crawl, CrawlFolder.open(twin) as other:
        after = [(row.url, row.relevance) for row in crawl.rows(text=False)]
        assert after == [(row.url, row.relevance) for row in other.rows(text=False)]
    assert after[:25] == before
    assert len(after) == 40


def test_earlier_crawls_teach_what_they_can(spoilt: tuple[Path, list[Url]], tmp_path: Path) -> None:
    folder, _ = spoilt
    options = ("--web", RECORDED, "--pages", "10", "--strategy", "context-graph", "--back-links", folder)
    told = run("crawl", "dinosaurs", START, *options, "-o", tmp_path / "learnt")
    assert told.exit_code == 0, told.output


def test_a_crawl_as_a_web_says_what_it_cannot_give(spoilt: tuple[Path, list[Url]], tmp_path: Path) -> None:
    folder, urls = spoilt
    told = run(
        "crawl", "dinosaurs", *urls, "--web", f"recorded:{folder}", "--pages", "10", "-o", tmp_path / "again"
    )
    assert told.exit_code == 3
    with lycosa.open(tmp_path / "again") as crawl:
        assert [row.url for row in crawl.history.failures()] == urls
        assert all("damaged" in row.detail for row in crawl.history.failures())
