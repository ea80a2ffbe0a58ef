"""Logs: lines, what is cleaned away, visitors, sessions, completed ways."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import pytest

from lycosa.crawl.inputs import PageView, UsageLog
from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.scoring.links.usage import completed, moves
from lycosa.sources.log_lines import LogHit, Unread, lines_of, read_line
from lycosa.sources.logs import LogReader, LogRules, file_and_site, likely_site, read_usage_log
from lycosa.sources.reading import Reading
from lycosa.spec.tree import TopicSpec
from lycosa.web.made.graph_web import GraphWeb

SITE = "http://h.test"


def line(
    path: str,
    minute: int = 0,
    *,
    who: str = "1.2.3.4",
    ref: str = "-",
    agent: str = "Firefox",
    status: int = 200,
) -> str:
    time = f"01/Jan/2026:{minute // 60:02}:{minute % 60:02}:00 +0000"
    return f'{who} - - [{time}] "GET {path} HTTP/1.1" {status} 12 "{ref}" "{agent}"'


def read(*lines: str, **rules: object) -> tuple[UsageLog, LogReader]:
    reader = LogReader(LogRules(site=SITE, **rules))  # type: ignore[arg-type]
    reader.read("log", lines)
    return reader.told()[0], reader


def ways(log: UsageLog) -> list[str]:
    """Each session as the last letters of its URLs."""
    return ["".join(log.urls[view.url][-1] for view in session) for session in log.sessions]


# -- lines ---------------------------------------------------------------------------------------------------


def test_common_format() -> None:
    hit = read_line('127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a.html HTTP/1.0" 200 2326')
    assert hit == LogHit("127.0.0.1", Millis(971211336000), "GET", "/a.html", 200)


def test_combined_format_with_host_and_cookie() -> None:
    text = r'h.test:443 ::1 - - [01/Jan/2026:01:00:00 +0100] "GET /\"x HTTP/2" 304 - "http://r/" "A \"B\"" "id=7"'
    hit = read_line(text)
    assert hit == LogHit(
        "::1", Millis(1767225600000), "GET", '/"x', 304, "h.test:443", "http://r/", 'A "B"', "id=7"
    )


def test_squid_format() -> None:
    hit = read_line(
        "1286536309.458    903 10.0.0.1 TCP_MISS/200 1234 GET http://a.test/c - DIRECT/1.2.3.4 text/html"
    )
    assert hit == LogHit("10.0.0.1", Millis(1286536309458), "GET", "http://a.test/c", 200)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nonsense", "none of Common"),
        (line("/a").replace("Jan", "Foo"), "the time"),
        (line("/a").replace("01/Jan", "31/Feb"), "the time"),
        (line("/a").replace("GET /a HTTP/1.1", ""), "the request"),
        (line("/a", status=999), "the status"),
    ],
)
def test_a_line_that_cannot_be_read_says_why(text: str, why: str) -> None:
    found = read_line(text)
    assert isinstance(found, Unread)
    assert why in found.why


def test_packed_cut_and_endless_lines(tmp_path: Path) -> None:
    whole = gzip.compress("\n".join(line(f"/{i}", i) for i in range(1000)).encode())
    (tmp_path / "whole.gz").write_bytes(whole)
    (tmp_path / "cut.gz").write_bytes(whole[:-200])
    (tmp_path / "long").write_bytes(b"x" * 200_000 + b"\n" + line("/a").encode() + b"\n\n")
    assert len(list(lines_of(tmp_path / "whole.gz"))) == 1000
    *before, last = lines_of(tmp_path / "cut.gz")
    assert before
    assert isinstance(last, Unread)
    assert "cut or damaged" in last.why
    endless, good = lines_of(tmp_path / "long")
    assert isinstance(endless, Unread)
    assert good == line("/a")
    with pytest.raises(InputError, match="cannot be read"):
        list(lines_of(tmp_path / "absent"))


# -- cleaning, visitors, sessions -----------------------------------------------------------------------------


def test_what_is_no_view_is_cleaned_away_and_counted() -> None:
    lines = [
        line("/a"),
        line("/logo.png"),
        line("/style.css?v=3"),
        line("/b", status=404),
        line("/c", status=302),
        line("/d", agent="Googlebot/2.1"),
        line("/a").replace("GET", "POST"),
        "broken",
        line("/robots.txt", who="9.9.9.9"),
        line("/e", who="9.9.9.9"),  # who asks for robots.txt is one
    ]
    log, reader = read(*lines)
    account = reader.told()[1]
    assert log.urls == (Url(f"{SITE}/a"),)
    assert account.dropped == {
        "images, styles, scripts": 2,
        "robots": 3,
        "errors": 1,
        "redirects": 1,
        "other than GET": 1,
    }
    assert (account.lines, account.broken, account.views) == (10, 1, 1)
    assert account.first_broken.startswith("log, line 8: it is in none of")
    kept, _ = read(*lines, assets=True, errors=True, redirects=True, robots=True)
    assert len(kept.urls) == 8


def test_visitors_by_cookie_else_by_address_and_browser() -> None:
    with_cookie = [line("/a") + f' "id={n}; x=1"' for n in (1, 2, 1)]
    log, _ = read(*with_cookie, line("/b"), line("/c", agent="Opera"), line("/d", who="5.5.5.5"))
    assert len(set(log.users)) == 5
    named, _ = read(line("/a") + ' "id=1; t=1"', line("/a") + ' "t=2; id=1"', cookie="id")
    assert len(set(named.users)) == 1


def test_a_pause_of_more_than_half_an_hour_ends_a_session() -> None:
    log, _ = read(line("/a", 0), line("/b", 30), line("/c", 61), line("/d", 20, who="7.7.7.7"))
    assert ways(log) == ["ab", "d", "c"]
    short, _ = read(line("/a", 0), line("/b", 11), stay=Millis(600_000))
    assert ways(short) == ["a", "b"]


def test_lines_out_of_order_and_several_files_are_put_in_order() -> None:
    reader = LogReader()
    reader.read("one", [line("/b", 5), line("/a", 1)], SITE)
    reader.read("two", [line("/c", 3)], SITE)
    assert ways(reader.told()[0]) == ["acb"]


def test_path_completion_by_hand() -> None:
    """KAT §2.11: A, B, C with referrer A is A B A C; farther back, all steps on the way."""
    log, reader = read(line("/A"), line("/B", 1), line("/C", 2, ref=f"{SITE}/A"))
    way = completed(log.sessions[0])
    assert "".join(log.urls[view.url][-1] for view in way) == "ABAC"
    assert [view.at - way[0].at for view in way] == [0, 60_000, 120_000, 120_000]
    assert reader.told()[1].back_steps == 1
    far, _ = read(line("/A"), line("/B", 1), line("/C", 2), line("/D", 3, ref=f"{SITE}/A"))
    assert "".join(far.urls[view.url][-1] for view in completed(far.sessions[0])) == "ABCBAD"
    assert [f"{far.urls[a][-1]}{far.urls[b][-1]}" for a, b in moves(far)] == ["AB", "BC", "CB", "BA", "AD"]


def test_no_steps_back_to_what_was_not_seen() -> None:
    views = [PageView(url=0, at=Millis(0)), PageView(url=1, at=Millis(1), referrer=5)]
    assert completed(views) == views


def test_vhost_names_the_site() -> None:
    reader = LogReader()
    reader.read("log", [f"h.test:443 {line('/a')}", f"i.test {line('/b')}", f"j.test:80 {line('/c')}"])
    assert reader.told()[0].urls == (Url("https://h.test/a"), Url("http://i.test/b"), Url("http://j.test/c"))


# -- for a crawl -----------------------------------------------------------------------------------------------


def reading(path: Path, *seeds: str) -> Reading:
    topic = TopicSpec(keywords=("x",), logs=(str(path),))
    return Reading(topic, GraphWeb(), None, VirtualClock(), seeds=[Url(seed) for seed in seeds])


def test_logs_of_a_topic(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_text("\n".join([line("/a"), "broken", line("/b", 1)]))
    asked = reading(path, f"{SITE}/start")
    log = asyncio.run(read_usage_log(asked))
    assert log is not None
    assert log.urls == (Url(f"{SITE}/a"), Url(f"{SITE}/b"))
    (note,) = asked.notes
    assert "1 of 3 lines cannot be read" in note
    assert "line 2" in note


def test_logs_of_another_site_are_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_text(line("http://other.test/a"))
    asked = reading(path, f"{SITE}/start")
    assert asyncio.run(read_usage_log(asked)) is not None
    assert "tells of other.test, not of the start pages' hosts" in asked.notes[0]


@pytest.mark.parametrize("content", ["", "broken\nbroken\n", line("/x.png")])
def test_logs_without_a_view_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "access.log"
    path.write_text(content)
    with pytest.raises(InputError, match=r"access\.log: no page view in \d lines?"):
        asyncio.run(read_usage_log(reading(path, f"{SITE}/start")))


def test_whose_paths_they_are_must_be_clear(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_text(line("/a"))
    with pytest.raises(InputError, match="its lines name no host"):
        asyncio.run(read_usage_log(reading(path, f"{SITE}/", "http://other.test/")))
    assert file_and_site(f"{path}@h.test", [SITE]) == (path, SITE)
    assert file_and_site(f"{path}@new.test", [SITE]) == (path, "https://new.test")


def test_the_site_is_guessed_by_referrers(tmp_path: Path) -> None:
    """Those of other sites name paths that this one lacks."""
    path = tmp_path / "access.log"
    other = [line("/a", ref="https://search.test/find")] * 3
    path.write_text("\n".join([*other, line("/b", ref=f"{SITE}/a"), line("/a", ref=f"{SITE}/b")]))
    assert likely_site(path) == SITE
    path.write_text(line("/a"))
    assert likely_site(path) == ""
