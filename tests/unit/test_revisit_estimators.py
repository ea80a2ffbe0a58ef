"""How often a page changes, from looks at it."""

from __future__ import annotations

import math
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.visits import BEGIN, histories, history

from lycosa.model.records import Millis, Sight
from lycosa.revisit.estimators import (
    ESTIMATORS,
    LEAST,
    MOST,
    UNKNOWN,
    cgm,
    complete,
    estimated,
    last_modified,
    mle,
    most_likely,
    naive,
    regular,
)
from lycosa.revisit.history import DAY, History


@pytest.mark.parametrize(("changes", "rate"), [(0, 0), (3, 0.336472), (7, 1.098612), (10, 3.044522)])
def test_of_ten_equal_intervals(changes: int, rate: float) -> None:
    """-log((n - X + ½) / (n + ½)): 10 of 10 is -log(.5 / 10.5) = log 21."""
    assert regular(10, changes) == pytest.approx(rate, abs=1e-6)


def test_changes_seen_are_fewer_than_changes() -> None:
    """Three of four visits, two days apart, found a change: 3 / 8 by counting; -log(1.5 / 4.5) / 2 = log 3 / 2."""
    page = history("cucc", 2.0)
    assert naive(page) == pytest.approx(3 / 8)
    assert cgm(page) == pytest.approx(math.log(3) / 2)


@pytest.mark.parametrize(
    ("changed", "unchanged", "rate"),
    [
        ([2, 1], 4, 0.374159),  # with intervals of 1 and 3 days without a change
        ([1], 1, math.log(2)),  # 1 / (exp(λ) - 1) = 1
        ([0.5], 0.5, 2 * math.log(2)),
        ([], 3, 0),
        ([1], 0, math.inf),
    ],
)
def test_the_most_likely_rate(changed: list[float], unchanged: float, rate: float) -> None:
    assert most_likely(changed, unchanged) == pytest.approx(rate, abs=1e-6)


def test_dates_are_changes_over_time() -> None:
    """Without intervals that only had some change: n / λ = T."""
    assert most_likely([], 8.0, dates=3) == pytest.approx(3 / 8)


@given(
    changed=st.lists(st.floats(1e-4, 1e4), min_size=1, max_size=64),
    unchanged=st.floats(1e-3, 1e5),
    dates=st.integers(0, 9),
)
def test_the_most_likely_rate_solves_its_equation(changed: list[float], unchanged: float, dates: int) -> None:
    rate = most_likely(changed, unchanged, dates)
    left = dates / rate + sum(span / math.expm1(min(rate * span, 700)) for span in changed)
    assert left == pytest.approx(unchanged, rel=1e-6)


def test_a_page_seen_once_is_as_the_imagined_intervals_have_it() -> None:
    assert {name: by(history()) for name, by in ESTIMATORS.items()} == dict.fromkeys(
        ESTIMATORS, pytest.approx(UNKNOWN)
    )
    assert pytest.approx(1.386294, abs=1e-6) == UNKNOWN


def test_imagined_intervals_are_half_as_long_as_those_with_a_change() -> None:
    """Ten visits every 50 days, a change before each: 10 · 50 / (exp(50λ) - 1) + 25 / (exp(25λ) - 1) = 25, which holds
    at .0661. In units of the spans it is the same for any: with those of half a day it would be above 1."""
    assert mle(history("cccccccccc", 50.0)) == pytest.approx(0.0661, abs=1e-4)
    assert mle(history("cccccccccc", 5.0)) == pytest.approx(0.661, abs=1e-3)


def dated(page: History, *days_before: float | None) -> History:
    """With a Last-Modified so many days before each look."""
    looks = tuple(
        look if days is None else msgspec.structs.replace(look, modified=Millis(look.at - round(days * DAY)))
        for look, days in zip(page.looks, days_before, strict=True)
    )
    return msgspec.structs.replace(page, looks=looks)


def test_one_look_is_enough_where_the_server_says_when_the_page_changed() -> None:
    """Changed 100 days ago: 1 / λ + .5 / (exp(.5λ) - 1) = 100.5, nearly 2 / λ = 100.75."""
    assert last_modified(dated(history(), 100)) == pytest.approx(2 / 100.75, rel=1e-4)


def test_a_dated_change_is_one_change_and_an_interval_without() -> None:
    """Ten days, then a change that was two days ago: two dates, 5 + 2 days and the imagined intervals."""
    page = dated(history("c", 10.0), 5, 2)
    assert last_modified(page) == pytest.approx(most_likely([0.5], 7.5, dates=2))


@pytest.mark.parametrize(
    "page",
    [
        history("cu", 3.0),
        dated(history("cu", 3.0), 0, 0, 0),
        dated(history("cu", 3.0), 50, 1, 1),
    ],
    ids=["no dates", "made for the answer", "moved while the page stayed"],
)
def test_dates_that_cannot_be_those_of_changes_are_not_believed(page: History) -> None:
    assert last_modified(page) == mle(page)


def test_signals_that_tell_all_are_counted() -> None:
    """Three in 9.5 days: 3.5 / 10."""
    signals = [BEGIN - 5 * DAY, BEGIN + DAY, BEGIN + 2 * DAY, BEGIN + 4 * DAY]
    page = history("c", 9.5, signals=signals, is_told=True)
    assert complete(page) == pytest.approx(0.35)
    assert estimated(page, "naive") == pytest.approx(0.35)


def test_a_page_that_stays_gone_does_not_change() -> None:
    assert [changed for _, changed in history("uggb").intervals()] == [False, True, False, True]
    assert history("ugg").times_gone == 2
    assert history("ggb").times_gone == 0


@pytest.mark.parametrize("name", ESTIMATORS)
@given(page=histories(signals=True))
def test_estimates_are_within_bounds(name: str, page: History) -> None:
    assert LEAST <= estimated(page, name) <= MOST  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ESTIMATORS)
@given(page=histories(), days=st.floats(0.001, 100))
def test_a_look_without_a_change_never_raises_an_estimate(name: str, page: History, days: float) -> None:
    look = msgspec.structs.replace(page.last, at=Millis(page.last.at + round(days * DAY)), sight=Sight.SAME)
    after = msgspec.structs.replace(page, looks=(*page.looks, look))
    if name == "cgm":  # by the mean interval: a short one can raise it
        return
    by = ESTIMATORS[name]
    assert by(after) <= by(page) * (1 + 1e-6) or (by(page) == UNKNOWN and name == "naive")


@given(st.lists(st.sampled_from([1.0, 2.0]), min_size=1, max_size=10))
def test_intervals_are_those_between_looks(days: list[float]) -> None:
    page = history("u" * len(days), days)
    assert [span for span, _ in page.intervals()] == pytest.approx(days)
    assert all(before.at < look.at for before, look in pairwise(page.looks))
