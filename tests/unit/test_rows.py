"""The pages of a folder as rows: each page once, as columns for other libraries, and harmless in a spreadsheet."""

from __future__ import annotations

import asyncio
import csv
import io
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.test_damaged_records import START, crawled, run

import lycosa
from lycosa.crawls.answers import PageRow
from lycosa.crawls.frames import values_of
from lycosa.crawls.session import resume
from lycosa.drive.simulated import unwatched
from lycosa.model.commands import Enqueue
from lycosa.model.events import Operated
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.report.exported import write_csv, write_raw_csv


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("rows") / "crawl", pages=6)


ROW = PageRow(
    step=1,
    url=Url(START),
    final_url=Url(START),
    status=200,
    fetched_at=Millis(0),
    depth=0,
    via=None,
    anchor="",
    score=-0.5,
    relevance=0.5,
    title="",
    text="",
    language="en",
    digest="",
    warc_file="a",
    warc_offset=0,
)


def cells(write: Any, **changes: Any) -> dict[str, str]:
    file = io.BytesIO()
    write([replace(ROW, **changes)], file)
    (row,) = csv.DictReader(io.StringIO(file.getvalue().decode(), newline=""))
    return row


@pytest.mark.parametrize("begins", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "  ="])
def test_no_cell_is_a_formula(begins: str) -> None:
    text = f'{begins}HYPERLINK("http://evil.example";"x")'
    assert cells(write_csv, title=text)["title"] == f"'{text}"
    assert cells(write_raw_csv, title=text)["title"] == text


def test_control_characters_are_blanks_and_numbers_stay() -> None:
    row = cells(write_csv, text="one\0two\x1b[2Jthree\x85four\nfive, =six", title="a \udcff")
    assert row["text"] == "one two [2Jthree four\nfive, =six"
    assert row["title"] == "a ?"
    assert row["score"] == "-0.5"


def test_the_option_says_so(folder: Path) -> None:
    plain = run("export", folder, "--to", "csv", "--no-text")
    assert run("export", folder, "--to", "csv", "--no-text", "--raw-csv").stdout == plain.stdout


def test_a_data_frame_of_rows_has_their_columns(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    with lycosa.open(folder) as crawl:
        by_hand = pandas.DataFrame(crawl.rows(text=False))
        frame, table = crawl.to_pandas(text=False), crawl.to_arrow(text=False)
        rows = list(crawl.rows(text=False))
    assert list(by_hand.columns) == list(frame.columns) == table.column_names == list(values_of(rows[0]))
    assert frame["url"].tolist() == [row.url for row in rows]
    assert str(frame["fetched_at"].dtype) == "datetime64[ms, UTC]"
    assert len(table) == len(by_hand) == 6


def test_a_notebook_shows_a_folder(folder: Path) -> None:
    with lycosa.open(folder) as crawl:
        shown = crawl._repr_html_()
        best = crawl.best(1)[0]
    assert "dinosaurs" in shown
    assert best.final_url in shown
    assert "<script" not in shown


def test_a_page_that_is_fetched_again_is_one_page(folder: Path, tmp_path: Path) -> None:
    again = shutil.copytree(folder, tmp_path / "crawl")

    async def go_on() -> None:
        session = await resume(again, pages=9)
        wish = Enqueue(url=Url(START), score=1e9, refetch=True)
        session.crawl.hear(Operated(commands=(wish,), by="a person"), session.clock.now())
        await session.run(unwatched)

    asyncio.run(go_on())
    with lycosa.open(again) as crawl:
        visits = list(crawl.rows(text=False, all_visits=True))
        rows = list(crawl.rows(text=False))
        status, points = crawl.status(), list(crawl.history.series())
        best = [row.url for row in crawl.best(30)]
        assert sum(host.pages for host in crawl.history.hosts()) == 9
    assert len(visits) == 10
    assert len(rows) == len(points) == status.pages == 9
    assert len(best) == len(set(best)) == status.relevant
    assert {row.url: row.step for row in rows} == {row.url: row.step for row in visits}
    told = run("export", again, "--to", "jsonl", "--no-text", "--all-visits")
    assert len(told.stdout.splitlines()) == 10
    told = run("resume", again, "--pages", "9")
    assert "9 pages" in told.output
