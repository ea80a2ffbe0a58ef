"""A recorded web with time: what it answers when, and when its pages were taken away."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.test_recorded import record, response

from lycosa.archive.collection import Collection
from lycosa.archive.removals import Removals
from lycosa.compose.outside import Outside
from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import InputError
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response
from lycosa.model.url import Url
from lycosa.revisit.history import DAY
from lycosa.spec.derived import begins_at
from lycosa.spec.tree import CrawlSpec
from lycosa.web.conditional import is_not_modified
from lycosa.web.recorded import AsOfNow, RecordedPast

TUESDAY = "Tue, 06 Jan 2026 00:00:00 GMT"
URL = "http://a.example/"


def dated(at: int, body: bytes, *headers: tuple[str, str]) -> Response:
    from msgspec.structs import replace

    return replace(response(URL, body, 200, *headers), fetched_at=Millis(at * 1000))


def past(folder: Path, at: int) -> RecordedPast:
    removed = Removals({URL: [Millis(300_000)]})
    return RecordedPast(Collection.open([folder]), VirtualClock(Millis(at * 1000)), removed)


def ask(web: RecordedPast, url: str = URL, said: Ask = PLAIN) -> Response | Fault:
    return asyncio.run(web.fetch(Url(url), said))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    etag = ("ETag", '"two"')
    return record(
        tmp_path_factory.mktemp("past"), dated(100, b"one"), dated(200, b"two", etag), dated(400, b"three")
    )


@pytest.mark.parametrize(
    ("at", "status", "body"),
    [
        (99, 404, b""),
        (100, 200, b"one"),
        (250, 200, b"two"),
        (300, 404, b""),
        (400, 200, b"three"),
        (9999, 200, b"three"),
    ],
)
def test_the_answer_is_the_latest_capture_not_after_now(
    folder: Path, at: int, status: int, body: bytes
) -> None:
    found = ask(past(folder, at))
    assert isinstance(found, Response)
    assert (found.status, found.body, found.fetched_at) == (status, body, at * 1000)
    assert found.elapsed > 0


def test_what_was_never_recorded_is_lacking(folder: Path) -> None:
    web = past(folder, 200)
    found = ask(web, "http://a.example/other")
    assert isinstance(found, Fault)
    assert found.reason is Reason.NOT_RECORDED
    ask(past(folder, 50))
    assert (web.asked, web.lacking) == (1, 1)


def test_a_condition_that_is_met_hears_304(folder: Path) -> None:
    same, other = (ask(past(folder, at), said=Ask(etag='"two"')) for at in (250, 450))
    assert isinstance(same, Response)
    assert isinstance(other, Response)
    assert (same.status, same.body, same.headers) == (304, b"", (("ETag", '"two"'),))
    assert (other.status, other.body) == (200, b"three")


@pytest.mark.parametrize(
    ("said", "etag", "modified", "expected"),
    [
        (PLAIN, '"a"', TUESDAY, False),
        (Ask(etag='"a"'), '"a"', "", True),
        (Ask(etag='W/"a"'), '"a"', "", True),
        (Ask(etag='"a"'), "", "", False),
        (Ask(etag='"b"', modified_since=TUESDAY), '"a"', TUESDAY, False),
        (Ask(modified_since="Wed, 07 Jan 2026 00:00:00 GMT"), '"a"', TUESDAY, True),
        (Ask(modified_since="Mon, 05 Jan 2026 00:00:00 GMT"), "", TUESDAY, False),
        (Ask(modified_since="soon"), "", TUESDAY, False),
        (Ask(modified_since=TUESDAY), "", "never", False),
        (Ask(modified_since="never"), "", "never", True),
    ],
)
def test_conditions(said: Ask, etag: str, modified: str, expected: bool) -> None:
    assert is_not_modified(said, etag, modified) is expected


class Captures:
    """A recording in memory: time and body of each capture of one URL, ascending."""

    def __init__(self, times: list[int]) -> None:
        self.times = times

    def find(self, url: str, at: Millis | None = None) -> Response | None:
        there = [time for time in self.times if at is None or time * 1000 <= at]
        return dated(there[-1], str(there[-1]).encode()) if there else None


times = st.lists(st.integers(1, 50), unique=True, max_size=8).map(sorted)


@given(times, times, st.integers(1, 50))
def test_point_in_time(captured: list[int], taken: list[int], now: int) -> None:
    def answered(captured: list[int], taken: list[int]) -> Response | None:
        gone = Removals({URL: [Millis(at * 1000) for at in taken]})
        return AsOfNow(Captures(captured), VirtualClock(Millis(now * 1000)), gone).find(URL)

    whole = answered(captured, taken)
    known = answered([at for at in captured if at <= now], [at for at in taken if at <= now])
    assert whole == known or (known is None and whole is not None and whole.status == 404)


# -- removals ------------------------------------------------------------------------------------------------


def test_a_table_of_versions_tells_what_was_taken_away(tmp_path: Path) -> None:
    (tmp_path / "versions.tsv").write_text(
        "time\turl\tstatus\tsha1\n2005-12-08T20:31:29Z\thttp://a.example/\t404\t-\n"
        "2006-01-01T00:00:00\thttp://a.example/\t200\tx\n2006-02-01T00:00:00+01:00\thttp://a.example/\t410\t-\n"
    )
    found = Removals.beside([tmp_path, tmp_path / "nowhere"])
    assert len(found) == 2
    assert found.latest(URL, Millis(1_134_073_889_000 - 1)) is None
    assert found.latest(URL, Millis(1_134_073_889_000)) == 1_134_073_889_000
    assert found.latest(URL, Millis(2_000_000_000_000)) == 1_138_748_400_000
    assert found.latest("http://b.example/", Millis(2_000_000_000_000)) is None


@pytest.mark.parametrize("row", ["soon\tu\t404\n", "2005-12-08\n"])
def test_a_table_that_cannot_be_read_is_told_by_its_line(tmp_path: Path, row: str) -> None:
    (tmp_path / "versions.tsv").write_text("time\turl\tstatus\n2005-12-08\tu\t404\n" + row)
    if row.count("\t") == 0:
        assert len(Removals.beside([tmp_path])) == 1  # a row without a status is none that was taken away
        return
    with pytest.raises(InputError, match="line 3"):
        Removals.beside([tmp_path])


SHARED = os.environ.get("LYCOSA_SHARED", "")


@pytest.mark.skipif(not SHARED, reason="needs the recorded webs: set LYCOSA_SHARED")
def test_a_real_site_as_it_was() -> None:
    folder = Path(SHARED) / "webs" / "boost-www"
    removals = Removals.beside([folder])
    assert len(removals) == 413

    def on(day: int) -> RecordedPast:
        clock = VirtualClock(Millis(day * 86_400_000))
        return RecordedPast(Collection.open([folder]), clock, removals)

    url = "http://www.boost.org/community/review_schedule.html"
    early, late = ask(on(15_000), url), ask(on(18_000), url)  # 2011-01-26, 2019-04-14
    assert isinstance(early, Response)
    assert isinstance(late, Response)
    assert early.status == late.status == 200
    assert early.body != late.body
    before = ask(on(12_000), url)
    assert isinstance(before, Response)
    assert before.status == 404


# -- in a crawl ----------------------------------------------------------------------------------------------


def test_virtual_time_begins_when_the_specification_says(folder: Path) -> None:
    spec = CrawlSpec(web=f"recorded:{folder}", begins="1970-01-01T00:04:10")
    outside = Outside(spec)
    found = asyncio.run(outside.web.fetch(Url(URL)))
    assert isinstance(found, Response)
    assert (found.body, outside.clock.now()) == (b"two", 250_000)


@pytest.mark.parametrize(
    ("written", "expected"),
    [("", None), ("1970-01-02", DAY), ("1970-01-02T01:00:00+01:00", DAY), ("1970-01-01T00:00:01.5Z", 1_500)],
)
def test_when_it_begins(written: str, expected: int | None) -> None:
    assert begins_at(CrawlSpec(web="recorded:x", begins=written)) == expected


@pytest.mark.parametrize(("web", "begins"), [("recorded:x", "soon"), ("live", "2012-01-01")])
def test_what_is_no_beginning_is_told(web: str, begins: str) -> None:
    with pytest.raises(InputError, match=begins):
        begins_at(CrawlSpec(web=web, begins=begins))
