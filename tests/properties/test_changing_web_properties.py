"""What is promised of the made-up web in time."""

from __future__ import annotations

import asyncio

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.trials import trials

from lycosa.drive.clock import VirtualClock
from lycosa.model.records import PLAIN, Ask, Response
from lycosa.web.made.changing import BEGINS, ChangingShape, ChangingWeb
from lycosa.web.made.habits import Habit, changes, latest
from lycosa.web.made.topical import TopicalShape

SHAPE = ChangingShape(
    pages=TopicalShape(
        pages=300, hosts=40, parents=2, leaves=3, failures=0, redirects=0, hubs=0.2, duplicates=0
    )
)
WEB = ChangingWeb(SHAPE, seed=1, clock=VirtualClock(BEGINS))
LIVES = WEB.lives

numbers = st.integers(0, len(WEB) - 1)
days = st.floats(-30, 400)
habits = st.builds(
    Habit,
    rhythm=st.sampled_from(["poisson", "bursty", "daily", "weekly", "regular"]),
    rate=st.floats(1e-3, 5),
    key=st.integers(0, 2**64 - 1),
)


def at(day: float, number: int, ask: Ask = PLAIN) -> Response:
    web = ChangingWeb(SHAPE, seed=1, clock=VirtualClock(WEB.instant(day)))
    answer = asyncio.run(web.fetch(web.url(number), ask))
    assert isinstance(answer, Response)
    return answer


@given(habits, st.floats(-50, 50), st.floats(0, 30), st.floats(0, 30))
def test_changes_of_a_span_are_those_of_its_parts(habit: Habit, a: float, one: float, two: float) -> None:
    b, c = a + one, a + one + two
    assert changes(habit, a, c) == changes(habit, a, b) + changes(habit, b, c)
    assert list(latest(habit, a, c)) == changes(habit, a, c)[::-1]


@given(numbers, days, days, days)
@settings(max_examples=trials(50))
def test_in_pieces(number: int, one: float, two: float, three: float) -> None:
    a, b, c = sorted((one, two, three))
    whole = list(LIVES.turns(number, a, c))
    assert whole == [*LIVES.turns(number, a, b), *LIVES.turns(number, b, c)]


@given(numbers, st.floats(0, 300))
@settings(max_examples=trials(50))
def test_latest_first(number: int, until: float) -> None:
    back = [turn for turn in LIVES.turns_before(number, until) if turn.at > -30]
    assert [turn.at for turn in back[::-1]] == [turn.at for turn in LIVES.turns(number, -30, until)]


@given(numbers)
def test_listed_alive(number: int) -> None:
    assert all(at > LIVES.born(item) > 0 for at, item in LIVES.listed(number))


@given(numbers, st.floats(0, 300))
@settings(max_examples=trials(20), deadline=None)
def test_a_function_of_time(number: int, day: float) -> None:
    assert at(day, number) == at(day, number)


@given(numbers, st.floats(0, 300), st.floats(0, 60))
@settings(max_examples=trials(30), deadline=None)
def test_same_version_same_text(number: int, day: float, later: float) -> None:
    one, other = at(day, number), at(day + later, number)
    url = WEB.url(number)
    version = WEB.version(url, WEB.instant(day))
    if version != WEB.version(url, WEB.instant(day + later)) or WEB.manner(number) in ("unasked", "flapping"):
        return
    assert one.status == other.status or version is None
    if one.status == 200:
        assert WEB.changes(url, WEB.instant(day), WEB.instant(day + later)) == []
        within = [each.body.partition(b"<nav>")[2].partition(b"<footer>")[0] for each in (one, other)]
        assert within[0] == within[1]


@given(numbers, st.floats(0, 300), st.floats(0, 30))
@example(165, 246.59375, 25.34375)  # a new version, of which nothing is seen
@settings(max_examples=trials(30), deadline=None)
def test_honest_304(number: int, day: float, later: float) -> None:
    first = at(day, number)
    if WEB.manner(number) != "honest" or first.status != 200:
        return
    ask = Ask(etag=first.header("etag") or "", modified_since=first.header("last-modified") or "")
    plain, asked = at(day + later, number), at(day + later, number, ask)
    is_the_same = plain.status == 200 and plain.header("etag") == first.header("etag")
    assert (asked.status == 304) == is_the_same
    assert not is_the_same or plain.body == first.body
