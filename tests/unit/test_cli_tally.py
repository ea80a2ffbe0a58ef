"""What is counted while a crawl runs, and how it is shown."""

from __future__ import annotations

from tests.worlds import made_page

from lycosa.cli.live_view import sparkline
from lycosa.cli.tally import Tally
from lycosa.cli.text import reasons_in_words
from lycosa.cli.views import visit_line
from lycosa.model.records import Failure, Page, Reason, Request
from lycosa.model.url import Url
from lycosa.report.text import clean, counted, cut, iso, spoken


def page(number: int, relevance: float, title: str = "") -> Page:
    request = Request(url=Url(f"http://a.example/{number}"), order=number)
    return made_page(request, relevance=relevance, title=title)


def failure(reason: Reason, status: int = 0) -> Failure:
    return Failure(request=Request(url=Url("http://a.example/x"), order=0), reason=reason, status=status)


def test_counts_add_up() -> None:
    tally = Tally(0.5)
    for number, relevance in enumerate([0.9, 0.1, 0.5]):
        tally.visit(page(number, relevance), failures=0)
    assert (tally.pages, tally.relevant) == (3, 2)
    assert tally.harvest == 2 / 3
    assert tally.recent_harvest == 2 / 3


def test_best_first() -> None:
    tally = Tally(0.5, keep=2)
    for number, relevance in enumerate([0.1, 0.9, 0.5, 0.7]):
        tally.visit(page(number, relevance), failures=0)
    assert [one.relevance for one in tally.best] == [0.9, 0.7]


def test_failures_are_counted_once_given_up() -> None:
    tally = Tally(0.5)
    tally.visit(failure(Reason.TIMEOUT), failures=0)  # will be tried again
    tally.visit(failure(Reason.TIMEOUT), failures=1)
    tally.visit(failure(Reason.STATUS, 404), failures=2)
    assert tally.last_problem == "status"
    tally.visit(page(1, 0.0), failures=4)  # two were given up in between, since their host is down
    assert tally.failures == 4
    assert tally.last_problem == ""
    assert tally.reasons == {"timeout": 1, "status": 1, "host-down": 2}


def test_speed_and_time_left() -> None:
    tally = Tally(0.5)
    tally.look(100.0)
    assert tally.rate == 0
    assert tally.seconds_left(30) is None
    for number in range(10):
        tally.visit(page(number, 0.0), failures=0)
    tally.look(105.0)
    assert tally.rate == 2.0
    assert tally.seconds_left(30) == 10.0
    tally.look(111.0)
    tally.look(116.0)  # the first looks are more than ten seconds old
    assert tally.rate == 0.0


def test_a_page_cannot_move_the_cursor() -> None:
    line = visit_line(page(1, 0.25, title="\x1b[2Jcleared\r\nnext\u202eline"))
    assert line == "0.250 200 http://a.example/1 [2Jcleared next line"


def test_words() -> None:
    assert clean("a\tb \x00c") == "a b c"
    assert clean("نامه‌ای") == "نامه‌ای"  # the joiner between the parts is spelling, not control
    assert cut("abcdef", 4) == "abc…"
    assert counted(1, "visit") == "1 visit"
    assert counted(1200, "page") == "1,200 pages"
    assert [spoken(s) for s in (7, 750, 3723)] == ["0:07", "12:30", "1:02:03"]
    assert iso(1_700_000_000_123) == "2023-11-14T22:13:20.123Z"
    assert reasons_in_words({"a": 1, "b": 5, "c": 2, "d": 1}, most=2) == "5 b, 2 c, 2 other"
    assert sparkline([0.0, 0.5, 1.0]) == "▁▅█"
