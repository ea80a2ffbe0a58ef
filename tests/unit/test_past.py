"""Pages as they were: versions, changes, differences, mementos, the collection at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.diaries import Diary
from tests.trials import trials
from tests.unit.test_damaged_records import run
from tests.worlds import u

import lycosa
from lycosa.archive.cdxj import Capture
from lycosa.crawls.answers import TimeMap
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.memento import accepted, as_json, as_links, timegate
from lycosa.model.errors import InputError
from lycosa.model.records import Change, Millis, RecordRef, Worth

DAY = 86_400_000
NOON = 1_795_176_000_000
"""2026-11-20 12:00 UTC."""
A, B, OLD = u("a"), u("b"), u("old")


def on(day: int) -> Millis:
    """So many days after 2026-11-20, at noon."""
    return Millis(NOON + day * DAY)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawlFolder]:
    path = tmp_path_factory.mktemp("past") / "crawl"
    with Diary(path) as diary:
        diary.page(A, on(0), "Wolf spiders hunt by night.", links=[B])
        diary.answered(u("a/robots.txt"), on(0), b"User-agent: *")
        diary.page(OLD, on(1), "Moved here.", hops=(OLD,), final_url=B)
        diary.unchanged(A, on(2))
        diary.page(A, on(3), "Wolf spiders hunt by night. ", change=Change(worth=Worth.DRESSING))
    with Diary(path) as diary:
        diary.changed(A, on(4), "Wolf spiders hunt by day.", importance=0.25)
        diary.gone(A, on(5))
        diary.gone(A, on(6))
        diary.changed(A, on(7), "Wolf spiders are back.")
    with lycosa.open(path) as opened:
        yield opened


def test_every_look_is_a_version(folder: CrawlFolder) -> None:
    versions = folder.versions(A)
    assert [(v.at, v.sight) for v in versions] == [
        (on(0), "first"),
        (on(2), "same"),
        (on(3), "dressing"),
        (on(4), "changed"),
        (on(5), "gone"),
        (on(6), "same"),
        (on(7), "back"),
    ]
    assert [v.record is None for v in versions] == [False, False, False, False, True, True, False]
    assert (versions[0].new_links, versions[3].importance) == (1, 0.25)
    assert versions[1].digest == versions[0].digest
    assert {v.title for v in versions} == {A}
    assert folder.versions("http://nowhere.test/") == []


def test_a_page_is_known_by_the_names_that_led_to_it(folder: CrawlFolder) -> None:
    assert [v.url for v in folder.versions(B)] == [v.url for v in folder.versions(OLD)] == [OLD]
    page = folder.page(B)
    assert page is not None
    assert page.text == "Moved here."
    assert folder.page(OLD) == page


@pytest.mark.parametrize(
    ("day", "text"),
    [
        (0, "hunt by night."),
        (3.5, "hunt by night."),
        (4, "hunt by day."),
        (6, "hunt by day."),
        (7, "are back."),
    ],
)
def test_a_page_as_it_was(folder: CrawlFolder, day: float, text: str) -> None:
    page = folder.page(A, Millis(round(NOON + day * DAY)))
    assert page is not None
    assert page.text.startswith(f"Wolf spiders {text}")
    capture = folder.capture(A, Millis(round(NOON + day * DAY)))
    assert capture is not None
    assert (capture.at, capture.text.strip()) == (page.fetched_at, page.text.strip())
    assert folder.page(A, Millis(NOON - 1)) is None
    assert folder.capture(A, Millis(NOON - 1)) is None


def test_what_is_no_page_is_found_too(folder: CrawlFolder) -> None:
    robots = folder.capture(u("a/robots.txt"))
    assert robots is not None
    assert robots.response.body == b"User-agent: *"
    assert folder.page(u("a/robots.txt")) is None


def test_changes_leave_out_what_is_none(folder: CrawlFolder) -> None:
    def told(url: str = "", since: Millis = Millis(0)) -> list[tuple[str, str, int]]:
        return [(v.url, v.sight, (v.at - NOON) // DAY) for v in folder.changes(url, since)]

    of_a = [(A, "changed", 4), (A, "gone", 5), (A, "back", 7)]
    assert told() == [(A, "first", 0), (OLD, "first", 1), *of_a]
    assert told(since=on(2)) == of_a == told(A, on(2))
    assert told(since=on(8)) == []


def test_words_that_differ(folder: CrawlFolder) -> None:
    pieces = folder.difference(A, on(0), on(4))
    assert [(p.kind, p.words) for p in pieces if p.kind != "same"] == [
        ("removed", ("night.", "to", "http://b.test/")),
        ("added", ("day.",)),
    ]
    with pytest.raises(InputError, match="brought no page by then"):
        folder.difference(A, Millis(1), on(4))


def test_the_collection_as_it_was(folder: CrawlFolder) -> None:
    def there(day: int) -> list[tuple[str, int]]:
        return [(row.url, (row.fetched_at - NOON) // DAY) for row in folder.rows(text=False, at=on(day))]

    assert there(-1) == []
    assert there(0) == [(A, 0)]
    assert there(3) == [(OLD, 1), (A, 3)]
    assert there(5) == [(OLD, 1), (A, 4)]
    assert there(9) == [(row.url, (row.fetched_at - NOON) // DAY) for row in folder.rows(text=False)]
    assert len(list(folder.rows(text=False, all_visits=True, at=on(4)))) == 4


SIGHTS = st.lists(st.sampled_from(["page", "changed", "unchanged", "gone", "robots"]), max_size=8)


@given(sights=SIGHTS, pauses=st.lists(st.integers(1, 5), min_size=8, max_size=8), asked=st.integers(-1, 45))
@settings(max_examples=trials(40))
def test_point_in_time(sights: list[str], pauses: list[int], asked: int) -> None:
    """Of pages, and of what is no page."""
    with TemporaryDirectory() as name:
        path = Path(name) / "crawl"
        texts: dict[int, str] = {}
        robots: list[int] = []
        at = NOON
        with Diary(path) as diary:
            for number, (sight, pause) in enumerate(zip(["page", *sights], pauses, strict=False)):
                at += pause * 1000
                if sight in ("page", "changed"):
                    diary.page(A, at, text := f"Version {number}.", change=Change() if texts else None)
                    texts[at] = text
                elif sight == "robots":
                    robots.append(at)
                    diary.answered(u("a/robots.txt"), at, b"# %d" % number)
                else:
                    getattr(diary, sight)(A, at)
        with lycosa.open(path) as folder:
            when = Millis(NOON + asked * 1000)
            page, capture = folder.page(A, when), folder.capture(A, when)
            last = max((each for each in texts if each <= when), default=None)
            assert (page.text if page else None) == (texts[last] if last else None)
            assert (capture.at if capture else None) == (last if last else None)
            other = folder.capture(u("a/robots.txt"), when)
            assert (other.at if other else None) == max(
                (each for each in robots if each <= when), default=None
            )
            then = list(folder.rows(at=when))
            assert [row.text for row in then] == ([texts[last]] if last else [])


def test_a_running_crawl_need_not_decide_on_what_is_as_it_was(tmp_path: Path) -> None:
    with Diary(tmp_path / "crawl") as diary:
        diary.page(A, on(0), "Wolf spiders.")
        diary.unchanged(A, on(1))
        with lycosa.open(tmp_path / "crawl") as folder:
            stream = folder.stream(with_pages=True)
            assert stream.is_growing
            assert [record.page is None for record in stream] == [False, True]
            assert [record.response.body for record in folder.stream(where="revisit")] == [
                record.response.body for record in folder.stream(where="page")
            ]


def test_search_goes_by_the_latest_texts(folder: CrawlFolder) -> None:
    assert [hit.url for hit in folder.search("spiders back")] == [A]
    assert folder.search("spiders night") == []


# -- Memento -------------------------------------------------------------------------------------------------


def capture(at: int) -> Capture:
    return Capture(url=A, at=Millis(at), ref=RecordRef(file="a", offset=at, length=1))


@given(
    times=st.lists(st.integers(0, 50), min_size=1, max_size=9).map(sorted), at=st.none() | st.integers(-5, 60)
)
def test_never_late(times: list[int], at: int | None) -> None:
    timemap = TimeMap(url=A, captures=tuple(map(capture, times)))
    found = timegate(timemap, None if at is None else Millis(at))
    before = [each for each in times if at is None or each <= at]
    assert found.at == (before[-1] if before else times[0])


def test_a_timemap_in_link_format_and_json(folder: CrawlFolder) -> None:
    """RFC 7089, section 5: the fifth example's form."""
    timemap = folder.timemap(u("a/robots.txt"))
    url = u("a/robots.txt")
    assert as_links(timemap, "http://localhost/m") == (
        f'<{url}>; rel="original",\n'
        f'<http://localhost/m/timemap/link/{url}>; rel="self"; type="application/link-format"; '
        'from="Fri, 20 Nov 2026 12:00:00 GMT"; until="Fri, 20 Nov 2026 12:00:00 GMT",\n'
        f'<http://localhost/m/timegate/{url}>; rel="timegate",\n'
        f'<http://localhost/m/memento/20261120120000/{url}>; rel="first last memento"; '
        'datetime="Fri, 20 Nov 2026 12:00:00 GMT"\n'
    )
    of_page = as_json(folder.timemap(A), "http://localhost/m")
    assert len(of_page["mementos"]["list"]) == 7, "error pages are captures too"
    assert of_page["mementos"]["first"]["uri"] == f"http://localhost/m/memento/20261120120000/{A}"
    with pytest.raises(InputError, match="did not fetch it"):
        folder.timemap("http://nowhere.test/")


def test_what_a_capture_of_the_timemap_holds(folder: CrawlFolder) -> None:
    """Also of errors, which `capture` passes over; that of day 2 refers to the first."""
    bodies = [folder.captured(each).response.body for each in folder.timemap(A).captures]
    assert [b"night" in body for body in bodies] == [True, True, True, False, False, False, False]
    assert [folder.captured(each).status for each in folder.timemap(A).captures] == [
        200,
        200,
        200,
        200,
        404,
        404,
        200,
    ]


def test_what_a_page_links_to(tmp_path: Path) -> None:
    """Each URL once, by its first link; with what was found there."""
    with Diary(tmp_path) as diary:
        diary.page(A, on(0), "Links.", links=[B, OLD, B])
        diary.page(B, on(1), "Linked.", relevance=0.75)
    with lycosa.open(tmp_path) as folder:
        found = folder.links_of(A)
        assert [(link.url, link.anchor, link.relevance, link.title) for link in found] == [
            (B, f"to {B}", 0.75, B),
            (OLD, f"to {OLD}", None, ""),
        ]
        assert folder.links_of(A, 1) == found[:1]
        assert folder.links_of(B) == folder.links_of("http://nowhere.test/") == []
        with pytest.raises(InputError):
            folder.links_of("http://[")


def test_the_time_that_a_client_accepts() -> None:
    assert accepted("Fri, 20 Nov 2026 12:00:00 GMT") == NOON
    for wrong in ("", "tomorrow", "2026-11-20", "Fri, 99 Nov 2026 12:00:00 GMT"):
        with pytest.raises(InputError, match="no date for Accept-Datetime"):
            accepted(wrong)


# -- the verbs -----------------------------------------------------------------------------------------------


def test_show(folder: CrawlFolder) -> None:
    told = run("show", folder.path, A, "--at", "2026-11-21")
    assert told.stdout == "Wolf spiders hunt by night.\nto http://b.test/\n"
    assert told.stderr == f"{A}, 2026-11-20 12:00 UTC, status 200; changed 2026-11-24 12:00 UTC\n"
    assert run("show", folder.path, f"archive:20261124/{A}").stdout == "Wolf spiders hunt by day.\n"
    assert run("show", folder.path, f"archive:2026/{A}").stdout == "Wolf spiders are back.\n"
    assert run("show", folder.path, A, "--as", "html").stdout.startswith("<!DOCTYPE html>")
    assert run("show", folder.path, A, "--as", "warc").stdout_bytes.startswith(b"\x1f\x8b")
    assert json.loads(run("show", folder.path, A, "--json").stdout)["text"] == "Wolf spiders are back."
    assert run("show", folder.path, A, "--text", "main").stdout == "Wolf spiders are back.\n"
    first = run("show", folder.path, A, "--at", "2026-11-21", "--text", "markdown").stdout
    assert first == "Wolf spiders hunt by night.\n\n[to http://b.test/](http://b.test/)\n"
    told = json.loads(run("show", folder.path, A, "--json", "--text", "main").stdout)
    assert (told["text"], told["share"], told["about"]["language"]) == ("Wolf spiders are back.", 1.0, "en")
    assert folder.main_text(A).text == "Wolf spiders are back."
    assert run("show", folder.path, "a.test/robots.txt".replace("a.test", A[:-1])).stdout == "User-agent: *\n"


def test_show_what_differs(folder: CrawlFolder) -> None:
    told = run("show", folder.path, A, "--diff", "2026-11-23", "2026-11-24")
    assert told.stdout == "  Wolf spiders hunt by\n- night.\n+ day.\n"
    pieces = run("show", folder.path, A, "--diff", "20261123", "20261124", "--json").stdout.splitlines()
    assert json.loads(pieces[1]) == {"kind": "removed", "words": ["night."]}
    same = run("show", folder.path, A, "--diff", "2026-11-21", "2026-11-21")
    assert (same.stdout, same.stderr) == ("", "no word differs\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([A, "--at", "2020"], "the first capture is of 2026-11-20 12:00 UTC"),
        ([A, "--at", "soon"], "'soon' is no time; write 2026-11-20"),
        (["http://nowhere.test/"], "the crawl did not fetch it"),
        (["archive:1/x"], "no citation"),
        ([f"archive:2026/{A}", "--at", "2026"], "leave --at out"),
        ([A, "--diff", "2026", "2026", "--as", "html"], "without another time, --as or --text"),
        ([A, "--as", "html", "--text", "main"], "leave --as out"),
        ([A, "--diff", "2020", "2026"], "brought no page by then"),
        (["mailto:x"], "not a URL"),
    ],
)
def test_what_cannot_be_shown_is_told_in_a_line(folder: CrawlFolder, words: list[str], told: str) -> None:
    result = run("show", folder.path, *words)
    assert result.exit_code == 2
    assert told in result.stderr
    assert result.stderr.count("\n") == 1


def test_changes(folder: CrawlFolder) -> None:
    lines = run("changes", folder.path).stdout.splitlines()
    assert len(lines) == 5
    assert lines[2].split() == ["2026-11-24", "12:00", "UTC", "changed", "0.25", A, A]
    since = run("changes", folder.path, "--since", "2026-11-25", "--json").stdout.splitlines()
    assert [json.loads(line)["sight"] for line in since] == ["gone", "back"]
    assert run("changes", folder.path, B).stdout.count("\n") == 1
    assert run("changes", folder.path, "--since", "2030").stdout == "nothing changed\n"


def test_export_as_it_was(folder: CrawlFolder) -> None:
    lines = run("export", folder.path, "--to", "jsonl", "--at", "2026-11-20").stdout.splitlines()
    assert [json.loads(line)["text"] for line in lines] == ["Wolf spiders hunt by night.\nto http://b.test/"]
