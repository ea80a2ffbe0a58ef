"""Freshness and age, against what is worked out by hand and against a simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.revisit.freshness import Times, age, freshness, optimal_rates, optimum

rates = st.floats(1e-3, 1e3)


def one(value: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([value])


@pytest.mark.parametrize(
    ("changes", "visits", "fresh"), [(1, 1, 0.632121), (2, 1, 0.432332), (1, 2, 0.786939)]
)
def test_freshness_at_fixed_intervals(changes: float, visits: float, fresh: float) -> None:
    assert freshness(one(changes), one(visits)) == pytest.approx([fresh], abs=1e-6)


@pytest.mark.parametrize(("changes", "visits", "fresh"), [(1, 1, 1 / 2), (2, 1, 1 / 3), (1, 2, 2 / 3)])
def test_freshness_at_random_times(changes: float, visits: float, fresh: float) -> None:
    assert freshness(one(changes), one(visits), "poisson") == pytest.approx([fresh])


def test_age() -> None:
    """1/2 - 1 + (1 - 1/e) at fixed intervals; 1 / (1 · 2) at random times."""
    assert age(one(1), one(1)) == pytest.approx([0.132121], abs=1e-6)
    assert age(one(1), one(1), "poisson") == pytest.approx([0.5])


def test_a_page_that_is_never_visited_is_never_fresh() -> None:
    for times in ("fixed", "poisson"):
        assert freshness(one(1), one(0), times) == [0]
        assert age(one(1), one(0), times) == [np.inf]


@pytest.mark.parametrize("times", ["fixed", "poisson"])
def test_as_a_simulation_has_it(times: Times) -> None:
    """Half a change a day, one visit in three days, for 30,000 days; the error of the means is below 2 %."""
    rng = np.random.default_rng(5)
    days, step = 30_000, 3.0
    changed = np.cumsum(rng.exponential(2.0, days))
    visits = np.arange(0, days, step) if times == "fixed" else np.cumsum(rng.exponential(step, days // 3))
    following = changed[np.searchsorted(changed, visits[:-1])]
    late = np.maximum(visits[1:] - following, 0)
    span = visits[-1] - visits[0]
    assert freshness(one(0.5), one(1 / step), times) == pytest.approx([1 - late.sum() / span], rel=0.03)
    assert age(one(0.5), one(1 / step), times) == pytest.approx([(late**2).sum() / 2 / span], rel=0.06)


@pytest.mark.parametrize("times", ["fixed", "poisson"])
@given(changes=rates, more=st.floats(1.01, 10), visits=rates)
def test_more_changes_make_copies_less_fresh_and_older(
    times: Times, changes: float, more: float, visits: float
) -> None:
    fresh, old = (freshness(one(each), one(visits), times)[0] for each in (changes, changes * more))
    assert 0 <= old < fresh <= 1
    young, aged = (age(one(each), one(visits), times)[0] for each in (changes, changes * more))
    assert 0 < young < aged


@pytest.mark.parametrize("times", ["fixed", "poisson"])
@given(
    rows=st.lists(st.tuples(st.floats(0.01, 10), st.floats(0.1, 1)), min_size=2, max_size=8),
    shares=st.data(),
)
def test_no_division_of_the_budget_keeps_more_fresh(
    times: Times, rows: list[tuple[float, float]], shares: st.DataObject
) -> None:
    changes, worth = (np.array(column) for column in zip(*rows, strict=True))
    budget = float(len(rows))
    drawn = shares.draw(st.lists(st.floats(0.01, 1), min_size=len(rows), max_size=len(rows)))
    other = np.array(drawn) / sum(drawn) * budget
    best = optimum(changes, worth, budget, times)
    assert best >= float(worth @ freshness(changes, other, times) / worth.sum()) - 1e-9
    assert optimal_rates(changes, worth, budget, times).sum() == pytest.approx(budget, rel=1e-6)


def test_visits_at_fixed_intervals_are_better_than_at_random_times() -> None:
    changes, worth = np.array([1.0, 4.0]), np.array([1.0, 1.0])
    assert optimum(changes, worth, 2.0, "poisson") == pytest.approx(5 / 14)
    assert optimum(changes, worth, 2.0) > 5 / 14


@given(st.lists(rates, min_size=2, max_size=20), rates)
def test_visits_alike_are_better_than_visits_by_changes(changes: list[float], budget: float) -> None:
    """Uniform beats proportional, whatever the rates (Cho & Garcia-Molina 2003)."""
    rows = np.array(changes)
    alike = freshness(rows, np.full(len(rows), budget / len(rows))).mean()
    assert alike >= freshness(rows, rows / rows.sum() * budget).mean() - 1e-9
