"""The pages of a folder as rows: each page once, as columns for other libraries, and harmless in a spreadsheet."""

from __future__ import annotations

import asyncio
import csv
import io
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.test_damaged_records import START, crawled, run

import lycosa
from lycosa.crawls.answers import PageRow
from lycosa.crawls.corpus.selected import visits_of
from lycosa.crawls.corpus.selection import selection
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.frames import fields_of, values_of
from lycosa.crawls.session import resume
from lycosa.drive.simulated import unwatched
from lycosa.model.commands import Enqueue
from lycosa.model.events import Operated
from lycosa.model.moments import iso
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.report.exported import _harmless, _plain, write_csv, write_jsonl, write_raw_csv
from lycosa.store.history import Listed


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


CELLS = st.text(st.sampled_from('a |=-\t\n\u00e9\uff1d,"\x85\udcff'), max_size=4)


@given(CELLS, CELLS, st.lists(CELLS, max_size=2).map(tuple))
def test_a_line_looked_through_as_one_text_is_as_cell_by_cell(
    title: str, text: str, licences: tuple[str, ...]
) -> None:
    row = replace(ROW, title=title, text=text, licences=licences)
    one_by_one = {name: _harmless(value) for name, value in fields_of(row).items()}
    written = cells(write_csv, title=title, text=text, licences=licences)
    assert [written[each] for each in ("title", "text", "licences")] == [
        one_by_one[each] for each in ("title", "text", "licences")
    ]


@given(CELLS, CELLS, st.sampled_from([(write_csv, _harmless), (write_raw_csv, _plain)]))
def test_a_long_text_is_quoted_as_all_cells_are(title: str, text: str, by: tuple[Any, Any]) -> None:
    row, (write, cell), file, twin = (
        replace(ROW, title=title, text=text),
        by,
        io.BytesIO(),
        io.StringIO(newline=""),
    )
    write([row], file)
    fields = {**fields_of(row), "fetched_at": iso(row.fetched_at)}
    csv.writer(twin).writerows([fields, map(cell, fields.values())])
    assert file.getvalue().decode() == twin.getvalue()


def test_json_lines_are_objects_of_their_own_many_at_a_time() -> None:
    rows = [replace(ROW, step=step, title="a \udcff" if step == 150 else "é") for step in range(250)]
    file = io.BytesIO()
    assert write_jsonl(rows, file) == 250
    lines = file.getvalue().splitlines(keepends=True)
    assert lines == [
        msgspec.json.encode({**values_of(row), "fetched_at": iso(row.fetched_at)}) + b"\n" for row in rows
    ]


def test_a_line_has_the_columns_of_a_row() -> None:
    bare = Listed(**{name: getattr(ROW, name) for name in Listed.__struct_fields__})
    assert fields_of(bare) == fields_of(ROW)


@pytest.mark.parametrize("choice", [{}, {"all_visits": True}, {"nothing_new": True}, {"best_first": True}])
def test_lines_are_the_rows_that_visits_make(folder: Path, choice: dict[str, bool]) -> None:
    chosen = selection({"text": False, **choice})
    with CrawlFolder.open(folder) as crawl:
        made = [crawl.exported(visit) for visit in visits_of(crawl.history, chosen)]
        copies = ("duplicate_of", "near_duplicate_of")
        lines = [replace(row, **dict.fromkeys(copies)) for row in crawl.select(chosen)]
        assert lines == made
        assert [fields_of(line) for line in crawl.select(chosen).lines()] == [
            fields_of(row) for row in crawl.select(chosen)
        ]


def test_a_damaged_step_is_told_of_where_no_page_is_read(folder: Path, tmp_path: Path) -> None:
    damaged = shutil.copytree(folder, tmp_path / "crawl")
    with closing(sqlite3.connect(damaged / "journal.db")) as journal, journal:
        journal.execute("UPDATE steps SET title = x'ff' WHERE step = 3")
    told = run("export", damaged, "--to", "jsonl", "--no-text")
    assert told.exit_code == 2
    assert "step 3 is damaged" in told.stderr


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
