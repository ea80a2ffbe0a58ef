"""Statistics: known answers, worked by hand or found in textbooks, and what is said where there is too little."""

from __future__ import annotations

from math import isnan, nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.lab.measures.statistics import (
    bootstrap_interval,
    by_task,
    cohens_d,
    compare,
    compare_all,
    estimate,
    holm,
    paired_t,
    pairs_needed,
    power,
    rank_biserial,
    wilcoxon,
)
from lycosa.model.errors import InputError

DIFFERENCES = st.lists(st.floats(-1, 1).map(lambda x: round(x, 3)), min_size=5, max_size=30).map(np.array)


def test_mean_and_standard_error() -> None:
    """s² = (.09 + .01 + .01 + .09) / 3 = .0667, s / √4 = .129099."""
    found = estimate([0.2, 0.4, 0.6, 0.8])
    assert (found.mean, found.count) == (0.5, 4)
    assert found.error == pytest.approx(0.129099, abs=5e-7)
    assert isnan(estimate([1.0]).error)
    assert str(estimate([1.0])) == "1.0000"
    with pytest.raises(InputError, match="no value"):
        estimate([])


def test_several_seeds_count_as_one_topic() -> None:
    assert by_task({"a": [0.0, 1.0], "b": 0.25}) == {"a": 0.5, "b": 0.25}
    many = {"a": [0.1] * 50 + [0.3] * 50, "b": 0.4}
    assert estimate(list(by_task(many).values())).count == 2


def test_paired_t() -> None:
    """Differences 1…5: mean 3, s² = 2.5, t = 3 / √(2.5 / 5) = 4.2426 with 4 degrees of freedom.

    P(T > t) has a closed form for 4 degrees: 1/2 - (3/4) u (1 - u²/3) with u = t / √(t² + 4).
    """
    found = paired_t(np.array([1.0, 2, 3, 4, 5]), "greater")
    t = 3 / sqrt(0.5)
    u = t / sqrt(t * t + 4)
    assert found.statistic == pytest.approx(t)
    assert found.p == pytest.approx(0.5 - 0.75 * u * (1 - u * u / 3))
    assert found.p is not None
    assert paired_t(np.array([1.0, 2, 3, 4, 5]), "both").p == pytest.approx(2 * found.p)
    assert paired_t(np.array([1.0, 2, 3, 4, 5]), "less").p == pytest.approx(1 - found.p)


def test_wilcoxon() -> None:
    """All of n differences above 0: one of 2ⁿ ways to set the signs. With the smallest against it: two of them."""
    assert wilcoxon(np.array([1.0, 2, 3, 4, 5]), "greater").p == pytest.approx(1 / 32)
    assert wilcoxon(np.array([-1.0, 2, 3, 4, 5]), "greater").p == pytest.approx(2 / 32)
    assert wilcoxon(np.array([1.0, 2, 3, 4, 5, 6]), "both").p == pytest.approx(2 / 64)
    assert wilcoxon(np.array([0.0, 0, 1, 2, 3, 4, 5]), "greater").p == pytest.approx(1 / 32)


def test_not_enough_topics_is_said_instead_of_a_p_value() -> None:
    few = np.array([1.0, 2, 3, 4])
    assert paired_t(few).p is None
    assert paired_t(few).lacking == "not enough topics: 4 pairs, and this test needs at least 5"
    assert wilcoxon(few, "greater").lacking.startswith("not enough topics: 4 pairs that differ")
    assert wilcoxon(np.array([1.0, 2, 3, 4, 5]), "both").p is None  # 2 / 32 cannot be below .05
    assert wilcoxon(np.array([1.0, 2, 3, 4, 5, 6]), "both", 0.01).p is None
    assert bootstrap_interval(few) is None
    assert "no spread" in paired_t(np.full(9, 0.1)).lacking


def test_bootstrap_interval() -> None:
    """Of n draws from a sample of spread s the mean has spread s (√(n-1) / n): the normal interval is close."""
    sample = np.random.default_rng(3).normal(0.3, 1.0, 400)
    found = bootstrap_interval(sample)
    assert found is not None
    half = 1.96 * sample.std() / sqrt(400)
    assert found == pytest.approx((sample.mean() - half, sample.mean() + half), abs=0.01)
    assert bootstrap_interval(sample) == found
    assert bootstrap_interval(sample, seed=1) != found
    assert bootstrap_interval(np.full(6, 0.25)) == (0.25, 0.25)


def test_holm() -> None:
    """.01 × 4, .02 × 3, .03 × 2, .04 × 1 with none below the one before."""
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm([0.6, 0.9]) == [1.0, 1.0]
    assert holm([None, 0.03, 0.02]) == [None, 0.04, 0.04]
    assert holm([]) == []


def test_effect_sizes() -> None:
    assert cohens_d(np.array([1.0, 2, 3, 4, 5])) == pytest.approx(3 / sqrt(2.5))
    assert isnan(cohens_d(np.array([1.0])))
    assert isnan(cohens_d(np.array([1.0, 1.0])))
    assert rank_biserial(np.array([-1.0, 2, 3, 0])) == pytest.approx((2 + 3 - 1) / 6)
    assert rank_biserial(np.array([1.0, -1, 2])) == pytest.approx((1.5 - 1.5 + 3) / 6)
    assert rank_biserial(np.zeros(3)) == 0


def test_power_for_a_medium_effect_asks_for_twenty_seven_pairs() -> None:
    assert pairs_needed(0.5) == 27
    assert power(0.5, 27) >= 0.8 > power(0.5, 26)
    assert pairs_needed(0.5, side="both") == 34
    assert power(0.0, 20) == pytest.approx(0.05)
    assert pairs_needed(-0.5) is None
    assert pairs_needed(-0.5, side="less") == 27
    assert pairs_needed(nan) is None
    assert power(0.5, 1) == 0


def test_is_a_better_than_b() -> None:
    b = {f"t{n}": n / 100 for n in range(20)}
    a = {task: value + 0.1 + 0.01 * (n % 3) for n, (task, value) in enumerate(b.items())}
    found = compare(a, {**b, "only b": 1.0})
    assert (found.wins, found.ties, found.losses, found.left_out) == (20, 0, 0, 1)
    assert found.significant
    assert found.rank_biserial == 1
    assert found.interval is not None
    assert found.interval[0] < found.difference.mean < found.interval[1]
    assert str(found).startswith("A is better than B by 0.1095 (95 %: +0.10")
    assert "over 20 tasks, p = " in str(found)
    assert compare(b, a, side="greater").t.p == pytest.approx(1.0)
    assert "worse" in str(compare(b, a))


def test_too_little_to_compare() -> None:
    found = compare({"x": 1.0, "y": 2.0}, {"x": 0.5, "y": 0.7})
    assert found.significant is None
    assert "no test: not enough topics: 2 pairs" in str(found)
    assert "A equals B" in str(compare({"x": 1.0}, {"x": [0.5, 1.5]}))
    with pytest.raises(InputError, match="no task in common"):
        compare({"x": 1.0}, {"y": 1.0})
    with pytest.raises(InputError, match="'x' is not finite"):
        compare({"x": float("inf")}, {"x": 1.0})


def test_several_against_one_baseline_are_a_family() -> None:
    chance = np.random.default_rng(5)
    baseline = {f"t{n}": float(chance.random()) for n in range(12)}
    others = {
        name: {task: value + shift + float(chance.normal(0, 0.1)) for task, value in baseline.items()}
        for name, shift in (("far", 0.3), ("near", 0.05), ("same", 0.0))
    }
    found = compare_all(baseline, others)
    plain = [comparison.t.p for comparison in found.values()]
    assert [comparison.p for comparison in found.values()] == holm(plain)
    assert "corrected p = " in str(found["far"])


@given(DIFFERENCES)
def test_turned_round_everything_turns_its_sign(differences: np.ndarray) -> None:
    assert rank_biserial(-differences) == pytest.approx(-rank_biserial(differences))
    one, other = paired_t(differences, "greater"), paired_t(-differences, "less")
    assert (one.p is None) == (other.p is None)
    if one.p is not None and other.p is not None:
        assert one.p == pytest.approx(other.p)


@given(st.lists(st.floats(0, 1) | st.none(), max_size=12))
def test_correction_makes_no_p_value_smaller_and_keeps_their_order(p_values: list[float | None]) -> None:
    corrected = holm(p_values)
    made = [(p, c) for p, c in zip(p_values, corrected, strict=True) if p is not None and c is not None]
    assert [p is None for p in p_values] == [c is None for c in corrected]
    assert all(p <= c <= 1 for p, c in made)
    ordered = [c for _, c in sorted(made)]
    assert ordered == sorted(ordered)
