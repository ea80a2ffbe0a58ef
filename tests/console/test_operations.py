"""The operations for programs: what they answer is what the folder answers."""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pyarrow.parquet as pq
import pytest
from tests.console.browsing import crawled, served

from lycosa.console import bounded
from lycosa.console.bounded import with_short_texts, written
from lycosa.console.flowing import AHEAD, CHUNK, Flowing
from lycosa.crawls.opening import open_folder
from lycosa.model.errors import InputError


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("crawls")
    crawled(found / "first", 30)
    return found


@pytest.fixture(scope="module")
def client(place: Path) -> Iterator[httpx.Client]:
    with served(place) as address, httpx.Client(base_url=f"{address.origin}/api/v1/crawls/first") as found:
        yield found


@pytest.mark.parametrize("most", [1, 7, 30, 100])
def test_pages_in_parts_are_all_pages(place: Path, client: httpx.Client, most: int) -> None:
    with open_folder(place / "first") as folder:
        whole = [row.url for row in folder.rows(text=False)]
    found, token = [], ""
    while pages := (told := client.get("/pages", params={"after": token, "most": most}).json())["pages"]:
        assert len(pages) <= most
        found += [page["url"] for page in pages]
        token = told["token"]
    assert found == whole
    assert told["token"] == token, "asked again when there are more"


def test_exports_are_what_the_command_line_writes(place: Path, client: httpx.Client) -> None:
    with open_folder(place / "first") as folder:
        rows = list(folder.rows())
    answer = client.get("/export")
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''first.jsonl"
    lines = [msgspec.json.decode(line) for line in answer.content.splitlines()]
    assert [(line["url"], line["text"]) for line in lines] == [(row.url, row.text) for row in rows]
    table = list(csv.DictReader(io.StringIO(client.get("/export?to=csv&text=false").text)))
    assert [(line["url"], line["text"]) for line in table] == [(row.url, "") for row in rows]
    parquet = pq.read_table(io.BytesIO(client.get("/export?to=parquet&best_first=true").content))
    assert parquet["relevance"].to_pylist() == sorted((row.relevance for row in rows), reverse=True)
    assert client.get("/export?to=xml").status_code == 400


def test_exports_take_the_rules_of_the_command_line(place: Path, client: httpx.Client) -> None:
    with open_folder(place / "first") as folder:
        rows = list(folder.rows(text="main", distinct=True, language=("en", "de"), min_words=700))
    asked = "/export?text=main&distinct=true&language=en&language=de&min_words=700"
    lines = [msgspec.json.decode(line) for line in client.get(asked).content.splitlines()]
    assert 0 < len(rows) < 30
    assert [(line["url"], line["text"]) for line in lines] == [(row.url, row.text) for row in rows]
    refused = client.get("/export?text=false&min_words=700")
    assert refused.status_code == 400
    assert "min_words needs the texts" in refused.text
    assert client.get("/export?max_repetition=2").status_code == 400


def test_figures_are_those_of_the_folder(place: Path, client: httpx.Client) -> None:
    with open_folder(place / "first") as folder:
        status, hosts = folder.status(), folder.history.hosts(5)
        failures = [row.url for row in folder.history.failures()]
    assert client.get("/hosts?most=5").json() == msgspec.to_builtins(hosts)
    told = client.get("/failures").json()
    assert told["by_reason"] == dict(status.failures_by_reason)
    assert [visit["url"] for visit in told["visits"]] == failures
    assert set(told["meaning"]) == set(told["by_reason"])
    assert client.get("/failures?reason=none").json()["visits"] == []
    assert client.get("/specification").json()["pages"] == 30
    report = client.get("/report")
    assert report.headers["content-type"].startswith("text/html")
    assert "dinosaur fossil" in report.text


def test_marks_and_changes_reach_the_inbox(place: Path, client: httpx.Client) -> None:
    best = client.get("/best?most=2").json()
    urls = [page["url"] for page in best]
    marks = client.post("/marks", json={"urls": urls, "good": False}).json()
    assert [(mark["url"], mark["good"]) for mark in marks] == [(url, False) for url in urls]
    with open_folder(place / "first") as folder:
        assert [mark.url for mark in folder.marks()] == urls
    assert client.post("/changed", json={"urls": urls}).json() == urls
    assert (
        "is no page"
        in client.post("/marks", json={"urls": ["http://x.example/"], "good": True}).json()["detail"]
    )


def test_large_answers_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    assert msgspec.json.decode(written(["short"], large=100)) == ["short"]
    told = msgspec.json.decode(written({"title": "x" * 5_000, "n": [1, None, "y" * 5_000]}, large=100))
    assert told == {"title": "x" * 999 + "…", "n": [1, None, "y" * 999 + "…"]}
    assert with_short_texts("four", 4) == "four"
    monkeypatch.setattr(bounded, "LARGEST", 1_000)
    with pytest.raises(InputError, match="ask for fewer"):
        written([1] * 1_000, large=100)


def test_writing_ends_when_nobody_reads() -> None:
    """A file of a hundred megabytes: no more is written than is read, but for some chunks."""
    import asyncio

    so_far, over = 0, threading.Event()

    def write(sink: io.BufferedIOBase) -> None:
        nonlocal so_far
        try:
            for _ in range(1_600):
                so_far += sink.write(bytes(CHUNK))
        finally:
            over.set()

    async def read_some() -> None:
        body = Flowing(write, "text/plain", "x").body_iterator  # type: ignore[arg-type]
        for _ in range(3):
            await anext(body)  # type: ignore[arg-type]
        await body.aclose()  # type: ignore[union-attr]
        assert await asyncio.to_thread(over.wait, 10)

    asyncio.run(read_some())
    assert so_far <= (3 + 2 * AHEAD) * CHUNK
