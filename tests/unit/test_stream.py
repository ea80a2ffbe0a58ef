"""The stream of a crawl: in stored order, from any place on, filtered, while the crawl runs, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from fastwarc.warc import ArchiveIterator
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.unit.test_damaged_records import START, crawled, run

import lycosa
from lycosa.archive.warc import WarcArchive
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.stream import condition
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Response
from lycosa.model.url import Url
from lycosa.store.database import FolderLock, lock_path
from lycosa.uses.streaming import StreamServer

PAGES = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawlFolder]:
    with lycosa.open(crawled(tmp_path_factory.mktemp("streamed") / "crawl", pages=PAGES)) as opened:
        archive = WarcArchive.open(opened.paths.archive)
        archive.write(answer("http://other.example:8080/robots.txt", b"User-agent: *", "text/plain"))
        archive.write(
            replace(answer("http://schools.wiki.example/wp/No.html", b"no", "text/html"), status=404)
        )
        archive.close()
        yield opened


def answer(url: str, body: bytes, kind: str) -> Response:
    """As of 2026-11-20."""
    return Response(
        url=Url(url),
        status=200,
        headers=(("Content-Type", kind),),
        body=body,
        fetched_at=Millis(1_795_132_800_000),
    )


def urls(folder: CrawlFolder, token: str = "", where: str = "") -> list[str]:
    return [record.url for record in folder.stream(token, where)]


def test_pages_come_in_the_order_of_the_crawl_with_what_it_made_of_them(folder: CrawlFolder) -> None:
    records = list(folder.stream(where="page"))
    rows = list(folder.rows())
    assert len(records) == PAGES
    for record, row in zip(records, rows, strict=True):
        assert record.page is not None
        assert (record.url, record.page.step, record.page.relevance) == (
            row.final_url,
            row.step,
            row.relevance,
        )
        assert record.text == row.text
        assert record.response.status == row.status
        assert (record.record.file, record.record.offset) == (row.warc_file, row.warc_offset)


@given(parts=st.lists(st.integers(0, 6), max_size=6), where=st.sampled_from(["", "page", "status != 200"]))
def test_resumed_equals_whole(folder: CrawlFolder, parts: list[int], where: str) -> None:
    seen, token = [], ""
    for most in parts:
        stream = folder.stream(token, where)
        seen += [record.url for record in islice(stream, most)]
        token = stream.token
    assert seen + urls(folder, token, where) == urls(folder, where=where)


@given(
    where=st.sampled_from(
        [
            ("page", lambda r: r.page is not None),
            ("status == 404", lambda r: r.status == 404),
            ('type("text/pl*")', lambda r: r.media_type == "text/plain"),
            ('url(r"/wp/[B-E]")', lambda r: "/wp/B" <= r.url[27:32] < "/wp/F"),
            ('host("wiki.example")', lambda r: ".wiki.example/" in r.url),
            ('host("other.example:8080")', lambda r: ":8080/" in r.url),
            ('since("2026")', lambda r: r.at >= 1_767_225_600_000),
            ("relevance > .2", lambda r: r.page is not None and r.page.relevance > 0.2),
            ("2000 < length < 9000", lambda r: 2000 < r.record.length < 9000),
        ]
    ),
    but=st.booleans(),
)
def test_as_if_filtered_afterwards(folder: CrawlFolder, where: tuple[str, Any], but: bool) -> None:
    expression, holds = where
    kept = urls(folder, where=f"not ({expression})" if but else expression)
    assert kept == [record.url for record in folder.stream() if bool(holds(record)) is not but]


def test_each_token_goes_on_behind_its_record(folder: CrawlFolder) -> None:
    records = list(folder.stream())
    for at, record in enumerate(records):
        assert urls(folder, record.token) == [later.url for later in records[at + 1 :]]


@pytest.mark.parametrize("token", ["x", "x:", ":5", "lycosa:-1", "lycosa:5x", "nowhere.warc.gz:0"])
def test_a_token_of_nowhere_is_refused(folder: CrawlFolder, token: str) -> None:
    with pytest.raises(InputError, match="token"):
        urls(folder, token)


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("host", "condition, column 1, 'host': host takes at least 1 text"),
        ("status = 200", "condition, column"),
        ("status", "is a number; compare it"),
        ("sttus > 1", "did you mean 'status'"),
        ('since("soon")', "'soon' is no time"),
        ('url("[")', "is no regular expression"),
    ],
)
def test_a_condition_that_cannot_be_read_is_told(where: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        condition(where)


def test_records_that_a_running_crawl_has_not_decided_on_wait_where_that_is_asked_for(tmp_path: Path) -> None:
    """Of the two answers that came last it is not known yet whether they are pages."""
    path = crawled(tmp_path / "crawl", pages=3)
    with lycosa.open(path) as folder:
        span = folder.history.span()
        assert span is not None
        archive = WarcArchive.open(folder.paths.archive)
        lock = FolderLock(lock_path(folder.paths.journal))
        stream, deciding = folder.stream(), folder.stream(with_pages=True)
        assert len(list(stream)) == len(list(deciding)) == 3
        for number in range(2):
            archive.write(
                replace(answer(f"http://a.example/{number}", b"x", "text/html"), fetched_at=span[1])
            )
            archive.flush()
            assert len(list(stream)) == 1
            assert list(deciding) == []
            assert urls(folder, deciding.token, "page or status == 404") == []
            assert len(urls(folder, deciding.token, "status == 200 or page")) == number + 1
        lock.close()
        assert [record.page for record in deciding] == [None, None]
        archive.close()


# -- for other programs --------------------------------------------------------------------------------------


def test_warc_is_copied_and_others_read_it(folder: CrawlFolder) -> None:
    told = run("stream", folder.path, "--where", "status == 200")
    assert told.exit_code == 0
    with_records = [
        record.headers["WARC-Target-URI"] for record in ArchiveIterator(BytesIO(told.stdout_bytes))
    ]
    assert with_records == urls(folder, where="status == 200")
    assert told.stderr == f"lycosa: go on with --from {list(folder.stream())[-1].token}\n"


def test_json_lines_go_on_from_their_tokens(folder: CrawlFolder) -> None:
    lines = [json.loads(line) for line in run("stream", folder.path, "--to", "jsonl").stdout.splitlines()]
    assert [line["url"] for line in lines] == urls(folder)
    assert lines[0]["url"] == START
    assert lines[0]["text"].startswith("Biosphere")
    assert (lines[-1]["step"], lines[-1]["relevance"], lines[-1]["text"]) == (None, None, "")
    rest = run("stream", folder.path, "--to", "jsonl", "--from", lines[4]["token"], "--limit", "3").stdout
    assert [json.loads(line) for line in rest.splitlines()] == lines[5:8]


def test_texts_are_a_bundle_in_which_sizes_lead_to_the_third(folder: CrawlFolder) -> None:
    """ALGORITHMS 1.13: three objects are written, a scan by sizes alone finds the third."""
    raw = run("stream", folder.path, "--to", "text", "--limit", "3").stdout_bytes
    at, found = 0, []
    while at < len(raw):
        end = raw.index(b"\n", at)
        url, size, _ = raw[at:end].split(b" ")
        found.append((url.decode(), raw[end + 1 : end + 1 + int(size)].decode()))
        at = end + 1 + int(size)
    rows = list(folder.rows())[:3]
    assert found == [(row.final_url, row.text + "\n") for row in rows]
    all_texts = run("stream", folder.path, "--to", "text", "--where", "status == 200").stdout_bytes
    assert all_texts.startswith(raw)
    assert all_texts.count(b"http://schools.wiki.example/wp/") >= PAGES
    assert b"robots.txt" not in all_texts


def test_following_ends_with_the_run(folder: CrawlFolder) -> None:
    told = run("stream", folder.path, "--to", "jsonl", "--follow")
    assert len(told.stdout.splitlines()) == PAGES + 2


def asked(folder: CrawlFolder, query: str, host: str = "localhost") -> tuple[int, str, bytes]:
    async def ask() -> tuple[int, str, bytes]:
        async with (
            TestClient(TestServer(StreamServer(folder.path).application())) as client,
            client.get(f"/?{query}", headers={"Host": host}) as got,
        ):
            return got.status, got.headers.get("Lycosa-Token", ""), await got.read()

    return asyncio.run(ask())


def test_over_http_there_is_the_same(folder: CrawlFolder) -> None:
    assert asked(folder, "") == (200, "", b"".join(record.raw for record in folder.stream()))
    assert asked(folder, "to=jsonl&follow")[2] == run("stream", folder.path, "--to", "jsonl").stdout_bytes
    status, token, first = asked(folder, "limit=5&to=jsonl&where=status==200")
    assert (status, len(first.splitlines())) == (200, 5)
    _, end, rest = asked(folder, f"limit=500&to=jsonl&where=status==200&from={token}")
    whole = run("stream", folder.path, "--to", "jsonl", "--where", "status == 200").stdout_bytes
    assert first + rest == whole
    assert asked(folder, f"limit=500&from={end}") == (200, end, b"")


@pytest.mark.parametrize(
    "query", ["to=pdf", "limit=x", "limit=0", "from=x", "from=no.warc.gz:0", "where=page+and"]
)
def test_what_cannot_be_answered_over_http_is_told_in_a_line(folder: CrawlFolder, query: str) -> None:
    status, _, told = asked(folder, query)
    assert status == 400
    assert told.count(b"\n") == 1


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil"]
)
def test_a_name_of_somebody_elses_is_not_answered(folder: CrawlFolder, host: str) -> None:
    assert asked(folder, "", host)[0] == 403


def test_several_readers_at_once(folder: CrawlFolder) -> None:
    async def read(client: Any, query: str) -> bytes:
        async with client.get(f"/?{query}") as got:
            return await got.read()

    async def readers() -> list[bytes]:
        async with TestClient(TestServer(StreamServer(folder.path).application())) as client:
            queries = ["to=jsonl", "to=warc", "to=text", "to=jsonl"]
            return await asyncio.gather(*(read(client, query) for query in queries))

    one, warc, _, other = asyncio.run(readers())
    assert one == other
    assert len(one.splitlines()) == PAGES + 2
    assert warc == b"".join(record.raw for record in folder.stream())


def test_the_verb_serves_until_it_is_told_to_end(folder: CrawlFolder) -> None:
    serving = subprocess.Popen(
        [sys.executable, "-m", "lycosa.cli", "stream", str(folder.path), "--serve", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert serving.stdout is not None
        found = re.search(r"http://\S+/", serving.stdout.readline())
        assert found is not None
        with urllib.request.urlopen(f"{found[0]}?to=jsonl&limit=3", timeout=30) as answer:
            assert len(answer.read().splitlines()) == 3
            assert answer.headers["Lycosa-Token"] == list(islice(folder.stream(), 3))[-1].token
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(30) == 0
    finally:
        serving.kill()
        serving.wait()


def test_serving_takes_no_other_options(folder: CrawlFolder) -> None:
    told = run("stream", folder.path, "--serve", "0", "--where", "page")
    assert told.exit_code == 2
    assert "give --serve alone" in told.stderr
