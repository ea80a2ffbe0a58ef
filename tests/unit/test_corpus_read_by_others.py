"""What comes out of an export, read by those who train on it: pandas, polars, DuckDB and Hugging Face's datasets."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.test_corpus import run
from tests.unit.test_damaged_records import crawled
from tests.unit.test_rows import ROW

from lycosa.model.url import Url
from lycosa.report.exported import write_jsonl

FORMATS = ["jsonl", "csv", "parquet"]
PAGES = 12


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one crawl in each format."""
    place = tmp_path_factory.mktemp("corpus")
    crawled(place / "crawl", pages=PAGES)
    for kind in FORMATS:
        told = run(place / "crawl", "--to", kind, "--text", "markdown", "-o", place / f"pages.{kind}")
        assert told.exit_code == 0, told.output
    return place


@pytest.fixture(autouse=True)
def without_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")


@pytest.fixture(scope="module")
def rows(corpus: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (corpus / "pages.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("kind", FORMATS)
def test_duckdb(corpus: Path, rows: list[dict[str, Any]], kind: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    file = corpus / f"pages.{kind}"
    found = duckdb.sql(f"SELECT url, text, relevance FROM '{file}' ORDER BY step").fetchall()
    assert found == [(row["url"], row["text"], row["relevance"]) for row in rows]
    later = duckdb.sql(f"SELECT count(*) FROM '{file}' WHERE date_part('year', fetched_at) > 2000").fetchall()
    assert later == [(PAGES,)], "times are times"


@pytest.mark.parametrize("kind", FORMATS)
def test_pandas(corpus: Path, rows: list[dict[str, Any]], kind: str) -> None:
    pandas = pytest.importorskip("pandas")
    read = {
        "jsonl": lambda file: pandas.read_json(file, lines=True),
        "csv": pandas.read_csv,
        "parquet": pandas.read_parquet,
    }
    frame = read[kind](corpus / f"pages.{kind}")
    assert frame["text"].tolist() == [row["text"] for row in rows]
    assert frame["boilerplate"].tolist() == pytest.approx([row["boilerplate"] for row in rows])
    assert list(frame.columns) == list(rows[0])


@pytest.mark.parametrize("kind", FORMATS)
def test_polars(corpus: Path, rows: list[dict[str, Any]], kind: str) -> None:
    polars = pytest.importorskip("polars")
    read = {"jsonl": polars.read_ndjson, "csv": polars.read_csv, "parquet": polars.read_parquet}
    frame = read[kind](corpus / f"pages.{kind}")
    assert frame["text"].to_list() == [row["text"] for row in rows]
    assert frame["duplicate_of"].null_count() == PAGES
    assert frame.columns == list(rows[0])


@pytest.mark.parametrize("kind", FORMATS)
def test_hugging_face_reads_a_folder_with_its_card(
    corpus: Path, rows: list[dict[str, Any]], kind: str, tmp_path: Path
) -> None:
    datasets = pytest.importorskip("datasets")
    place = tmp_path / "corpus"
    place.mkdir()
    shutil.copy(corpus / f"pages.{kind}", place)
    shutil.copy(corpus / f"pages.{kind}.card.md", place / "README.md")
    found = datasets.load_dataset(str(place), split="train", cache_dir=str(tmp_path / "cache"))
    assert found.num_rows == PAGES
    assert found["text"][:] == [row["text"] for row in rows]
    assert found.column_names == list(rows[0])


def test_a_column_that_is_empty_at_first_has_its_type(corpus: Path, tmp_path: Path) -> None:
    """The types are looked for in the first ten megabytes: there all pages are firsts."""
    datasets = pytest.importorskip("datasets")
    place = tmp_path / "corpus"
    place.mkdir()
    copy = replace(ROW, duplicate_of=Url("http://a.test/"), authors=("A. Nonym",))
    with (place / "pages.jsonl").open("wb") as file:
        write_jsonl([*[replace(ROW, text="word " * 100_000)] * 25, copy], file)
    shutil.copy(corpus / "pages.jsonl.card.md", place / "README.md")
    found = datasets.load_dataset(str(place), split="train", cache_dir=str(tmp_path / "cache"))
    assert found[25]["duplicate_of"] == "http://a.test/"
    assert found[25]["authors"] == ["A. Nonym"]
