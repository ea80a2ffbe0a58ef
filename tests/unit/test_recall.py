"""Estimates of recall, against numbers worked by hand."""

from __future__ import annotations

import pytest

from lycosa.crawl.recall import Catch, Estimate, chao, chao_variance, chapman, of_catches, of_examples, wilson


@pytest.mark.parametrize(
    ("first", "second", "both", "size"),
    [(20, 15, 5, 55.0), (10, 10, 10, 10.0), (9, 9, 0, 99.0), (0, 7, 0, 7.0)],
)
def test_chapman(first: int, second: int, both: int, size: float) -> None:
    """21 · 16 / 6 − 1 = 55; 11 · 11 / 11 − 1 = 10; 10 · 10 / 1 − 1 = 99; 1 · 8 / 1 − 1 = 7."""
    assert chapman(first, second, both) == size


def test_chao() -> None:
    """10 · 9 / (2 · 5) = 9, and of ten occasions nine tenths of that. Without any seen twice: 4 · 3 / 2 = 6."""
    assert chao(10, 4) == 9.0
    assert chao(10, 4, 10) == pytest.approx(8.1)
    assert chao(4, 0) == 6.0
    assert chao(1, 3) == chao(0, 3) == chao(0.5, 0) == 0.0


def test_the_variance_of_chao() -> None:
    """90/10 + 10 · 19² / (4 · 25) + 100 · 4 · 81 / (4 · 625) = 9 + 36.1 + 12.96."""
    assert chao_variance(10, 4) == pytest.approx(58.06)
    assert chao_variance(10, 4, 10) == pytest.approx(0.9 * 9 + 0.81 * (36.1 + 12.96))
    assert chao_variance(1, 4) == 0.0


def test_wilson() -> None:
    """8 of 10: (0.8 + 0.19207 ± 0.31362) / 1.38415."""
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=5e-5)
    assert wilson(4, 4) == pytest.approx((0.5101, 1.0), abs=5e-5)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


def test_held_out_examples() -> None:
    assert of_examples(0, 0) is None
    estimate = of_examples(8, 10)
    assert estimate is not None
    assert (estimate.recall, estimate.found, estimate.of) == (0.8, 8, 10)
    assert str(estimate) == "about 80 % (49–94 %) of the relevant pages found, by held-out examples"


CATCHES = [
    Catch(relevant=2, other=3, waiting=5),
    Catch(relevant=3, other=3, waiting=4),
    Catch(relevant=1, other=0, waiting=1),
]
"""Of the waiting ones 5 · 2/5, 4 · 1/2 and 1 · 1 are taken for relevant: 5, so that g is 4, 5, 2."""


def recall(catches: list[Catch], occasions: int, fresh: float = 0.0) -> float:
    estimate = of_catches(catches, occasions, fresh)
    assert estimate is not None
    return estimate.recall


def test_what_waits_counts_as_what_was_fetched() -> None:
    """Six found, five waiting; Chao's ½ · 5 · 4 / 6 = 1.7 unlinked ones are fewer than the four that are known."""
    assert recall(CATCHES, 2) == pytest.approx(6 / 11)


def test_what_waits_has_heirs() -> None:
    """One new URL a page, half of them relevant: each relevant page brings 1 + ½ + ¼ + … = 2."""
    assert recall(CATCHES, 2, fresh=1.0) == pytest.approx(6 / 16)
    assert of_catches(CATCHES, 2, fresh=2.0) is None, "no end in sight"


def test_what_nobody_linked_to() -> None:
    """Ten found once and four twice by links of ten groups: 8.1 are missing, with a variance of 47.84.

    Their interval is a factor of e^(1.96 √(ln(1 + 47.84 / 8.1²) + 1.5²)) = 26.53 wide on either side.
    """
    catches = [Catch(other=5, waiting=3), Catch(relevant=10), Catch(relevant=4), *[Catch()] * 8]
    estimate = of_catches(catches, 10)
    assert estimate == Estimate(
        by="capture–recapture",
        recall=pytest.approx(14 / 22.1),  # type: ignore[arg-type]
        low=pytest.approx(0.06117, abs=1e-5),  # type: ignore[arg-type]
        high=pytest.approx(0.97866, abs=1e-5),  # type: ignore[arg-type]
        found=14,
        of=pytest.approx(22.1),  # type: ignore[arg-type]
    )


def test_the_interval_knows_how_few_were_fetched() -> None:
    """Half of two relevant, two waiting: q r(1−r) + q² r(1−r)/v = 0.5 + 0.5; e^(1.96 √(ln 2 + 1.5²)) = 28.86."""
    estimate = of_catches([Catch(relevant=1, other=1, waiting=2), Catch(), Catch()], 2)
    assert estimate is not None
    assert (estimate.low, estimate.recall, estimate.high) == pytest.approx((0.03349, 0.5, 0.96651), abs=1e-5)


def test_nothing_relevant_tells_nothing() -> None:
    assert of_catches([Catch(other=9, waiting=9)] * 3, 2) is None


def test_all_found() -> None:
    """36 / (36 + ½ · e^(1.96 · 1.5)) at least; if nothing waits at all, there is nothing to doubt."""
    catches = [Catch(relevant=5), Catch(relevant=1), Catch(relevant=30)]
    for waiting, low in ((Catch(other=9, waiting=1), 0.79195), (Catch(other=9), 1.0)):
        estimate = of_catches([*catches, waiting], 16)
        assert estimate is not None
        assert (estimate.recall, estimate.high) == (1.0, 1.0)
        assert estimate.low == pytest.approx(low, abs=1e-5)
