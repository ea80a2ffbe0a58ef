"""Crawls of archives elsewhere over HTTP: like those of the recording that the archive serves, polite to it, and told
what it is that goes wrong."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.cdxserver import Answer, CdxServer
from tests.live.hostile import CERTIFICATE
from tests.worlds import html, response

import lycosa
from lycosa.archive.collection import Collection
from lycosa.archive.warc import WarcArchive
from lycosa.model.errors import ArchiveError, InputError
from lycosa.model.records import Arrival, Failure, Millis, Page
from lycosa.model.url import Url
from lycosa.spec.tree import ArchivesSpec, FetchSpec, PolitenessSpec, RevisitSpec

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
START = "http://schools.wiki.example/wp/Biosphere.html"
HASTY = PolitenessSpec(delay=0.0, slowness=0.0, backoff=0.02, max_backoff=0.05)


@pytest.fixture
def server() -> Iterator[CdxServer]:
    with CdxServer(SAMPLE) as serving:
        yield serving


def crawl(
    out: Path, web: str, pages: int = 20, failed: list[str] | None = None, **settings: Any
) -> list[Page]:
    """The pages, in order; `failed` takes what was wrong with the others."""
    seen: list[Page] = []

    def watch(visit: Arrival) -> None:
        if isinstance(visit, Page):
            seen.append(visit)
        elif isinstance(visit, Failure) and failed is not None:
            failed.append(visit.detail)

    given = {"politeness": HASTY, "fetch": FetchSpec(width=1), **settings}
    lycosa.crawl(
        "dinosaur fossil",
        [START],
        out=out,
        pages=pages,
        web=web,
        watch=watch,
        **given,
    )
    return seen


@pytest.mark.parametrize("kind", ["cdx", "pywb"])
def test_an_archive_is_crawled_as_its_recording_is(tmp_path: Path, server: CdxServer, kind: str) -> None:
    """The same pages in the same order, as one visit is made at a time; each with its capture's time and place."""
    recorded = crawl(tmp_path / "recorded", str(SAMPLE))
    archived = crawl(tmp_path / "archived", getattr(server, kind))
    assert [page.url for page in archived] == [page.url for page in recorded]
    assert [page.digest for page in archived] == [page.digest for page in recorded]
    assert [page.fetched_at for page in archived] == [page.fetched_at for page in recorded]
    assert server.count() == 21  # one question for all of the host, and a record each
    with lycosa.open(tmp_path / "archived") as folder:
        told = folder.why(archived[3].url)
    assert f"captured on 2007-12-31: {server.base}" in told.reason


def test_the_wayback_machine_is_crawled_as_its_recording_is(tmp_path: Path) -> None:
    recorded = crawl(tmp_path / "recorded", str(SAMPLE), pages=8)
    with CdxServer(SAMPLE, certificate=CERTIFICATE) as server:
        here = FetchSpec(
            width=1, connect_to=(f"web.archive.org:443:127.0.0.1:{server.port}",), verify_tls=False
        )
        archived = crawl(tmp_path / "archived", "wayback:2007", pages=8, fetch=here)
        assert {path.split("/")[1] for path, _, _ in server.asked} == {"cdx", "web"}
    assert len(recorded) == 8
    assert [(page.url, page.digest) for page in archived] == [(page.url, page.digest) for page in recorded]


def test_the_second_crawl_asks_for_new_pages_only(tmp_path: Path, server: CdxServer) -> None:
    """And what was kept is a recorded web with all that was asked for."""
    kept = ArchivesSpec(cache=str(tmp_path / "kept"))
    first = crawl(tmp_path / "1", server.cdx, archives=kept)
    asked = server.count()
    again = crawl(tmp_path / "2", server.cdx, archives=kept)
    assert server.count() == asked
    assert [page.url for page in again] == [page.url for page in first]
    lycosa.crawl(
        "dinosaur", [START], out=tmp_path / "3", pages=20, web=server.cdx, strategy="breadth-first",
        politeness=HASTY, archives=kept,
    )  # fmt: skip
    with lycosa.open(tmp_path / "3") as folder:
        new = {row.url for row in folder.rows()} - {page.url for page in first}
    assert server.count() == asked + len(new)
    collection = Collection.open([tmp_path / "kept"])
    assert all(collection.find(page.url) is not None for page in first)
    collection.close()
    assert len(crawl(tmp_path / "4", str(tmp_path / "kept"))) == 20


def test_the_record_of_a_page_says_where_it_was_taken_from(tmp_path: Path, server: CdxServer) -> None:
    page = crawl(tmp_path / "crawl", server.cdx, pages=1)[0]
    collection = Collection.open([tmp_path / "crawl"])
    found = collection.found(page.url)
    assert found is not None
    source, line = found[1].source, server.line(page.url)
    assert source is not None
    assert source.uri == f"{server.base}/data/crawl-data/CC/{line.ref.file}"
    assert source.span == f"bytes={line.ref.offset}-{line.ref.offset + line.ref.length - 1}"
    assert found[0].at == line.at
    collection.close()


def test_the_archive_is_spared_as_a_site_is(tmp_path: Path, server: CdxServer) -> None:
    """One request at a time, with the delay between them, though many visits are made at once."""
    polite = PolitenessSpec(delay=0.05, slowness=0.0)
    crawl(tmp_path / "crawl", server.cdx, pages=8, politeness=polite, fetch=FetchSpec(width=8))
    assert all(before[2] <= after[1] for before, after in pairwise(server.asked))
    assert min(after[1] - before[2] for before, after in pairwise(server.asked)) >= 0.045


def test_whoever_asks_for_patience_gets_it(tmp_path: Path, server: CdxServer) -> None:
    """Troubles of the archive cost time, and no page; Retry-After is heeded."""
    told: list[Answer] = [
        (503, {"Retry-After": "1"}, b"<Code>SlowDown</Code>"),
        (403, {}, b"slow down"),
        (429, {}, b""),
        (500, {}, b""),
    ]
    waits: list[float] = []

    def trouble(path: str) -> Answer | None:
        waits.append(time.monotonic())
        return told.pop(0) if told and "index" in path else None

    server.trouble = trouble
    assert len(crawl(tmp_path / "crawl", server.cdx, pages=5)) == 5
    assert waits[1] - waits[0] >= 1
    with lycosa.open(tmp_path / "crawl") as folder:
        assert folder.status().failures == 0


def test_an_archive_that_never_answers_halts_the_crawl_and_it_goes_on_later(
    tmp_path: Path, server: CdxServer
) -> None:
    answered = 0

    def trouble(path: str) -> Answer | None:
        nonlocal answered
        answered += 1
        return (503, {}, b"") if answered > 6 else None

    server.trouble = trouble
    with pytest.raises(ArchiveError, match=r"127\.0\.0\.1:\d+ has not answered 7 times in a row \(503"):
        crawl(tmp_path / "crawl", server.cdx)
    server.trouble = lambda path: None
    with lycosa.resume(tmp_path / "crawl") as folder:
        assert (folder.status().pages, folder.status().failures) == (20, 0)


@pytest.mark.parametrize(
    ("web", "said"),
    [
        ("cc:2026", "cc:CC-MAIN-2026-05"),
        ("wayback:last-year", "wayback:2010-2012"),
        ("cdx:http://a.test/", "two URLs"),
        ("pywb:a.test/coll", "http://"),
        ("cdx:{base}/none#{base}/data/", "is there such an archive"),
        ("pywb:http://127.0.0.1:9/coll", "cannot be reached"),
        ("live,nowhere", "no such folder"),
    ],
)
def test_a_wrong_name_is_told_in_one_line(tmp_path: Path, server: CdxServer, web: str, said: str) -> None:
    with pytest.raises((InputError, ArchiveError), match=said) as told:
        crawl(tmp_path / "crawl", web.format(base=server.base))
    assert "\n" not in str(told.value)


def test_pages_of_an_archive_are_not_visited_again(tmp_path: Path, server: CdxServer) -> None:
    with pytest.raises(InputError, match="does not change"):
        crawl(tmp_path / "crawl", server.cdx, revisit=RevisitSpec(policy="uniform"))


def test_records_that_cannot_be_had_are_gaps(tmp_path: Path, server: CdxServer) -> None:
    """Torn, of another URL, missing, or no record at all: each costs its page, and `why` says what was wrong."""
    line = min(server.captures(), key=lambda capture: capture.ref.length)
    rest = bytes(100_000)  # every other record is longer
    spoilt: dict[int, Answer] = {}

    def record(number: int) -> Answer:
        return spoilt[number % len(spoilt)]

    good = (server.folder / line.ref.file).read_bytes()[line.ref.offset :][: line.ref.length]
    spoilt |= {
        0: (206, {}, good[:-20]),
        1: (206, {}, good + rest),
        2: (404, {}, b""),
        3: (206, {}, good[:40] + b"\0\0\0\0" + good[44:] + rest),
        4: (206, {"Content-Length": str(len(good))}, good[:100]),
    }
    seen: dict[str, int] = {}

    def trouble(path: str) -> Answer | None:
        if "/data/" not in path or len(server.spans) < 2:
            return None
        return record(seen.setdefault(server.spans[-1], len(seen)))

    server.trouble = trouble
    failed: list[str] = []
    crawl(tmp_path / "crawl", server.cdx, 10, failed)
    with lycosa.open(tmp_path / "crawl") as folder:
        status = folder.status()
    assert status.pages == 1
    assert set(status.failures_by_reason) == {"not-recorded"}
    for said in ("came torn 3 times", "means another record", "answers 404", "damaged"):
        assert [detail for detail in failed if said in detail], (said, set(failed))


def test_what_is_archived_is_not_asked_of_the_site(tmp_path: Path, server: CdxServer) -> None:
    """And the recording's robots.txt stands for what was recorded only."""
    archive = WarcArchive.open(tmp_path / "recorded")
    site = "http://site.test"
    for path, body in (
        ("/", html("dinosaur", [Url(f"{site}/old"), Url(f"{site}/new"), Url(f"{site}/hidden")])),
        ("/old", html("dinosaur fossil")),
        ("/robots.txt", b"User-agent: *\nDisallow: /new\nCrawl-delay: 60\n"),
    ):
        page = response(Url(site + path), body)
        archive.write(replace(page, fetched_at=Millis(1_300_000_000_000)))
    archive.close()
    server.site = {
        "/robots.txt": b"User-agent: *\nDisallow: /hidden\n",
        "/new": html("dinosaur bones"),
        "/old": html("another"),
    }
    began = time.monotonic()
    lycosa.crawl(
        "dinosaur", [f"{site}/"], out=tmp_path / "crawl", web=f"live,{tmp_path / 'recorded'}",
        politeness=replace(HASTY, delay=0.1),
        fetch=FetchSpec(connect_to=(f"::{server.base.removeprefix('http://')}",)),
    )  # fmt: skip
    with lycosa.open(tmp_path / "crawl") as folder:
        pages = {row.url.removeprefix(site): row.digest for row in folder.rows()}
        hidden = folder.why(f"{site}/hidden")
    assert sorted(pages) == ["/", "/new", "/old"]
    assert "robots.txt forbids it" in hidden.reason
    assert [path for path, _, _ in server.asked] == ["/robots.txt", "/new"]
    assert time.monotonic() - began < 30  # the recorded Crawl-delay binds nobody


@pytest.mark.parametrize(
    "answer",
    [
        b"[" * 200_000,
        b'{"url": "http://a.test/", "timestamp": "20260101000000", "length": 1e400}\n' * 50,
        b'{"a": ' * 100_000,
        b"\xff\xfe\x00 no JSON at all\n" * 1_000,
        b'{"url": "http://schools.wiki.example/wp/Biosphere.html", "timestamp": "20261399000000"}\n',
        b'{"url": "http://schools.wiki.example/wp/Biosphere.html", "timestamp": "20260101000000", '
        b'"filename": "../../etc/passwd", "offset": "1", "length": "9"}\n',
        b'{"url": "http://schools.wiki.example/wp/Biosphere.html", "timestamp": "20260101000000", '
        b'"filename": "w.warc.gz", "offset": "1", "length": "99999999999"}\n',
        b'{"url": "http://schools.wiki.example/wp/Biosphere.html", "timestamp": "20260101000000", '
        b'"filename": "http://169.254.169.254/", "offset": "1", "length": "9"}\n',
    ],
)
def test_a_hostile_index_costs_its_pages_only(tmp_path: Path, server: CdxServer, answer: bytes) -> None:
    server.trouble = lambda path: (200, {}, answer) if "index" in path else None
    began = time.monotonic()
    assert crawl(tmp_path / "crawl", server.cdx) == []
    with lycosa.open(tmp_path / "crawl") as folder:
        assert folder.status().failures_by_reason == {"not-recorded": 1}
    assert server.count("/data/") == 0
    assert time.monotonic() - began < 20


def test_a_killed_crawl_goes_on_and_so_does_what_was_kept(tmp_path: Path, server: CdxServer) -> None:
    """Killed after some records: resumed, each page is there once; of what was kept whole nothing is asked again."""
    out, kept = tmp_path / "crawl", tmp_path / "kept"
    command = [
        *(sys.executable, "-m", "lycosa.cli", "crawl", "dinosaur fossil", START, "--web", server.cdx),
        *("--web-cache", str(kept), "--pages", "30", "--delay", "20ms", "--out", str(out), "--quiet"),
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while server.count("/data/") < 12 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)  # another program runs: what it asked for is all there is to see
        process.kill()
    before = len(server.asked)
    with lycosa.resume(out) as folder:
        assert folder.status().pages == 30
        assert len({row.url for row in folder.rows()}) == 30
    assert server.count("/CC-index") == 1
    assert len(set(server.spans)) == 30
    assert len(server.asked) - before <= 30 - 12 + 1  # the record that was on its way when it was killed


def test_a_full_folder_keeps_nothing_more_and_is_used(tmp_path: Path, server: CdxServer) -> None:
    kept = ArchivesSpec(cache=str(tmp_path / "kept"), cache_bytes=1)
    crawl(tmp_path / "crawl", server.cdx, 3, archives=kept)
    crawl(tmp_path / "again", server.cdx, 3, archives=kept)
    assert server.count("/CC-index") == 1  # what was kept before it was full is used
    assert server.count("/data/") == 6
