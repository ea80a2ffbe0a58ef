"""When a crawl makes a checkpoint."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawls.keeper import CHECKPOINT_REST, is_due

seconds = st.floats(0, 1e4)


def test_after_thirty_seconds_or_five_thousand_steps() -> None:
    assert not is_due(4_999, 29.0, 100.0, 0.5)
    assert is_due(1, 30.0, 100.0, 0.5)
    assert is_due(5_000, 5.0, 100.0, 0.5)
    assert not is_due(0, 1_000.0, 100.0, 0.5)


def test_a_young_crawl_makes_them_sooner() -> None:
    assert is_due(1, 1.0, 0.0, 0.0)
    assert is_due(1, 4.0, 4.0, 0.1)
    assert not is_due(1, 3.0, 4.0, 0.1)


def test_one_that_took_long_is_not_followed_soon() -> None:
    assert not is_due(5_000, 35.0, 1_000.0, 4.0)
    assert is_due(5_000, 36.0, 1_000.0, 4.0)


@given(st.integers(0, 10**6), seconds, seconds, seconds)
def test_checkpoints_take_a_tenth_of_the_time_at_most(
    steps: int, since: float, age: float, took: float
) -> None:
    if is_due(steps, since, age, took):
        assert took <= (since + took) / (1 + CHECKPOINT_REST) * (1 + 1e-9)
