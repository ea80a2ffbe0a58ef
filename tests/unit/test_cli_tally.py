"""What is counted while a crawl runs, and how it is shown."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from tests.worlds import made_page

import lycosa
from lycosa.api import specification
from lycosa.cli.live_view import LiveView, sparkline
from lycosa.cli.output import reasons_in_words
from lycosa.cli.summary import best_line
from lycosa.cli.views import visit_line
from lycosa.crawls.session import begin
from lycosa.model.moments import iso
from lycosa.model.records import Failure, Page, Reason, Request, Visit
from lycosa.model.url import Url
from lycosa.report.facts import facts_of
from lycosa.report.wording import clean, counted, cut, spoken
from lycosa.watch.tally import Tally

SAMPLE = f"recorded:{Path(__file__).parents[2] / 'examples' / 'sample-web'}"
START = "http://schools.wiki.example/wp/Biosphere.html"


def page(number: int, relevance: float, title: str = "") -> Page:
    request = Request(url=Url(f"http://a.example/{number}"), order=number)
    return made_page(request, relevance=relevance, title=title)


_relevances = st.lists(st.floats(0, 1), max_size=30)


def failure(reason: Reason, status: int = 0) -> Failure:
    return Failure(request=Request(url=Url("http://a.example/x"), order=0), reason=reason, status=status)


@given(_relevances, st.floats(0, 1))
def test_counts_add_up(relevances: list[float], relevant_from: float) -> None:
    tally = Tally(relevant_from)
    for number, relevance in enumerate(relevances):
        tally.visit(page(number, relevance), failures=0)
    relevant = sum(relevance >= relevant_from for relevance in relevances)
    assert (tally.pages, tally.relevant) == (len(relevances), relevant)
    assert tally.harvest == (relevant / len(relevances) if relevances else 0)


@given(_relevances, st.floats(0, 1), st.integers(1, 5))
def test_best_first(relevances: list[float], relevant_from: float, keep: int) -> None:
    tally = Tally(relevant_from, keep)
    for number, relevance in enumerate(relevances):
        tally.visit(page(number, relevance), failures=0)
    relevant = [relevance for relevance in relevances if relevance >= relevant_from]
    assert [one.relevance for one in tally.best] == sorted(relevant, reverse=True)[:keep]


def test_best_pages_are_relevant_ones() -> None:
    tally = Tally(0.5)
    for number, relevance in enumerate([0.1, 0.9, 0.49, 0.5]):
        tally.visit(page(number, relevance), failures=0)
    assert [one.relevance for one in tally.best] == [0.9, 0.5]


def test_only_relevant_pages_are_listed_as_best(tmp_path: Path) -> None:
    with lycosa.crawl(
        "dinosaur", [START], web=SAMPLE, pages=20, out=tmp_path / "c", relevant_from=0.3
    ) as folder:
        listed = [row.relevance for row in folder.best(20)]
        assert len(listed) == folder.status().relevant < 20
        assert min(listed) >= 0.3
        assert len(facts_of(folder).best) == len(listed)


@pytest.mark.parametrize("width", [20, 30, 40, 80, 200])
@pytest.mark.parametrize("title", ["short", "養蜂の歴史" * 9, "long " * 40, ""])
def test_a_best_page_takes_one_line_of_any_terminal(width: int, title: str, tmp_path: Path) -> None:
    with lycosa.crawl("dinosaur", [START], web=SAMPLE, pages=1, out=tmp_path / "c") as folder:
        row = replace(next(folder.rows(text=False)), title=title)
    line = best_line(row, width)
    assert cell_len(line) <= width
    assert (title or "(no title)")[:5] in line
    assert row.final_url in best_line(row)


@pytest.mark.parametrize(("width", "height"), [(30, 15), (40, 15), (45, 24), (80, 24), (120, 50)])
def test_the_live_view_shows_all_that_matters_at_any_width(width: int, height: int, tmp_path: Path) -> None:
    spec = specification("dinosaur fossil", [START], pages=1000, strategy="hunter", web=SAMPLE)
    view, tally = LiveView(Console(width=width, height=height, file=StringIO())), Tally(0.1)
    shots: list[list[str]] = []

    async def main() -> None:
        session = await begin(spec, tmp_path / "c")

        def watch(visit: Visit) -> None:
            tally.visit(visit, session.crawl.failures)
            tally.look(float(tally.pages))
            if tally.pages == 30:
                shots.append(["".join(text for text, _ in line) for line in view.lines(width, height)])
                session.halt.ask("by the test")

        view.session, view.tally = session, tally
        await session.run(watch)

    asyncio.run(main())
    shot = shots[0]
    assert len(shot) < height
    numbers = shot[: shot.index(" Best pages so far")]
    assert all(cell_len(line) <= width for line in numbers)
    told = " ".join(" ".join(numbers).split())
    for fact in (
        "dinosaur fossil",
        "hunter · a recorded web",
        "30 of 1,000 pages",
        "1.0/s",
        "0:00, 16:10 left",
    ):
        assert fact in told
    for fact in ("of the last 30", "waiting", "being fetched", "1 host resting", "failures 0"):
        assert fact in told
    assert sum(bool(re.match(r" \d\.\d{3} \w", line)) for line in shot) >= 1


def test_a_notice_is_told_whole_at_any_width() -> None:
    view = LiveView(Console(width=30, height=15, file=StringIO()))
    view.notice = "finishing 12 visits, press Ctrl-C again to stop now"
    lines = ["".join(text for text, _ in line) for line in view._last(30)]
    assert " ".join(" ".join(lines).split()) == view.notice
    assert all(len(line) <= 30 for line in lines)


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
