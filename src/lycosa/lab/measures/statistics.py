"""Is one crawler better than another, by how much, and how sure is that?

Values are paired: both crawlers did the same tasks. Several values of a task (a random crawler with several seeds) are
averaged first, so that a task counts once. Sources: Student, Biometrika 6, 1908; Wilcoxon, Biometrics Bulletin 1, 1945;
Holm, Scandinavian Journal of Statistics 6, 1979; Efron and Tibshirani, "An Introduction to the Bootstrap", 1993,
chapter 13; Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15, 1987 (equivalence); Cohen, "Statistical
Power Analysis for the Behavioral Sciences", 1988, chapter 2; Kerby, Comprehensive Psychology 3, 2014 (rank-biserial
correlation).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite, isnan, nan, sqrt
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.report.wording import counted

Floats = npt.NDArray[np.float64]
Side = Literal["greater", "less", "both"]
"""What is asked: is A greater than B, less, or different in either direction?"""
Scores = Mapping[str, float | Sequence[float]]
"""Values by task; several of one task, of different seeds, are averaged."""

LEAST_PAIRS = 5
"""With fewer pairs neither a t-test nor a bootstrap interval is given: a handful of differences shows no spread."""
RESAMPLES = 10_000
BOOTSTRAP_SEED = 20041109
MOST_PAIRS = 1 << 20


class Estimate(Record, frozen=True, kw_only=True):
    """A mean over topics and how far it may be off."""

    mean: float
    error: float
    """Standard error s / √n with n - 1 degrees of freedom; NaN with fewer than two values."""
    count: int

    def __str__(self) -> str:
        return f"{self.mean:.4f}" if isnan(self.error) else f"{self.mean:.4f} ± {self.error:.4f}"


def estimate(values: Sequence[float] | Floats) -> Estimate:
    """Mean and standard error. Raises `InputError` for no values."""
    array = np.asarray(values, dtype=np.float64)
    if not array.size:
        raise InputError("there is no value to take the mean of")
    error = float(array.std(ddof=1)) / sqrt(array.size) if array.size > 1 else nan
    return Estimate(mean=float(array.mean()), error=error, count=array.size)


def by_task(scores: Scores) -> dict[str, float]:
    """One value a task: the mean over its seeds."""
    return {task: float(np.mean(value)) for task, value in scores.items()}


class Test(Record, frozen=True, kw_only=True):
    """What a test of significance said, or why it was not made."""

    __test__ = False  # it is no test of ours: pytest need not look

    name: str
    p: float | None = None
    """The chance of a difference like this or more if there was none; None if the test was not made."""
    statistic: float | None = None
    lacking: str = ""
    """Why there is no p-value."""


def paired_t(differences: Floats, side: Side = "both") -> Test:
    """Student's t-test of the mean of the differences against 0."""
    n = len(differences)
    if n < LEAST_PAIRS:
        return Test(name="paired t", lacking=_too_few(n, LEAST_PAIRS))
    spread = float(differences.std(ddof=1))
    if spread <= 1e-12 * float(np.abs(differences).max(initial=0.0)):
        return Test(
            name="paired t", lacking="all differences are equal: there is no spread to compare them with"
        )
    t = float(differences.mean()) / (spread / sqrt(n))
    distribution = _stats().t(n - 1)
    upper, lower = float(distribution.sf(t)), float(distribution.cdf(t))
    p = {"greater": upper, "less": lower, "both": min(1.0, 2 * min(upper, lower))}[side]
    return Test(name="paired t", p=p, statistic=t)


def equivalence(differences: Floats, margin: float) -> Test:
    """That the mean of the differences lies within ± the margin: two one-sided t-tests, of which the worse counts."""
    above = paired_t(differences + margin, "greater")
    below = paired_t(differences - margin, "less")
    if above.p is None or below.p is None:
        return Test(name="equivalence", lacking=above.lacking or below.lacking)
    worse = above if above.p > below.p else below
    return Test(name="equivalence", p=worse.p, statistic=worse.statistic)


def wilcoxon(differences: Floats, side: Side = "both", alpha: float = 0.05) -> Test:
    """The signed-rank test; differences of 0 are left out.

    It is not made with so few pairs that it could not fall below `alpha` whatever they are: with n pairs p is at least
    2⁻ⁿ, or twice that on two sides.
    """
    differences = np.asarray(differences)[np.asarray(differences) != 0]
    n, least = len(differences), _least_pairs(alpha, side)
    if n < least:
        return Test(name="Wilcoxon", lacking=_too_few(n, least, " that differ"))
    alternative = {"both": "two-sided"}.get(side, side)
    found = _stats().wilcoxon(differences, alternative=alternative)
    return Test(name="Wilcoxon", p=float(found.pvalue), statistic=float(found.statistic))


def _least_pairs(alpha: float, side: Side) -> int:
    least = 1
    while (2.0 if side == "both" else 1.0) * 2.0**-least > alpha:
        least += 1
    return least


def bootstrap_interval(
    differences: Floats, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = BOOTSTRAP_SEED
) -> tuple[float, float] | None:
    """The percentile interval of the mean difference when pairs are drawn anew; None with too few pairs.

    The same seed gives the same interval. Memory stays below some 20 MB, however many pairs there are.
    """
    n = len(differences)
    if n < LEAST_PAIRS:
        return None
    chance = np.random.default_rng(seed)
    means = np.empty(resamples)
    step = max(1, 1_000_000 // n)
    for start in range(0, resamples, step):
        drawn = chance.integers(0, n, size=(min(step, resamples - start), n))
        means[start : start + len(drawn)] = differences[drawn].mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down correction: p-values such that all those below α are right together with 1 - α.

    The smallest of m is multiplied by m, the next by m - 1 and so on; none may be smaller than one before it. Tests
    that were not made are no part of the family.
    """
    made = sorted((p, at) for at, p in enumerate(p_values) if p is not None)
    corrected: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, at) in enumerate(made):
        highest = max(highest, min(1.0, p * (len(made) - rank)))
        corrected[at] = highest
    return corrected


def cohens_d(differences: Floats) -> float:
    """Mean difference over the standard deviation of the differences (d_z for pairs); NaN without spread."""
    spread = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    return float(differences.mean()) / spread if spread else nan


def rank_biserial(differences: Floats) -> float:
    """Of the ranks of the sizes of the differences, the share in favour less the share against: in [-1, 1].

    0 if no pair differs.
    """
    differences = differences[differences != 0]
    if not differences.size:
        return 0.0
    _, place, counts = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[place]
    return float((ranks * np.sign(differences)).sum() / ranks.sum())


def power(effect: float, pairs: int, *, alpha: float = 0.05, side: Side = "greater") -> float:
    """The chance that a paired t-test finds an effect of this size (Cohen's d), by the noncentral t distribution."""
    if pairs < 2:
        return 0.0
    stats, freedom, shift = _stats(), pairs - 1, effect * sqrt(pairs)
    if side == "both":
        edge = stats.t.isf(alpha / 2, freedom)
        opposite = np.nan_to_num(
            stats.nct.cdf(-edge, freedom, abs(shift))
        )  # so small that it cannot be computed
        return float(stats.nct.sf(edge, freedom, abs(shift)) + opposite)
    edge = stats.t.isf(alpha, freedom)
    return float(stats.nct.sf(edge, freedom, shift if side == "greater" else -shift))


def pairs_needed(
    effect: float, *, alpha: float = 0.05, wanted: float = 0.8, side: Side = "greater"
) -> int | None:
    """So many pairs a paired t-test needs to find an effect of this size (Cohen's d) with this chance.

    None if there is no effect in the direction asked for, or one so small that a million pairs would not show it.
    """
    size = {"greater": effect, "less": -effect, "both": abs(effect)}[side]
    plain: Side = "both" if side == "both" else "greater"
    high = 2
    while not isnan(size) and size > 0 and high <= MOST_PAIRS:
        if power(size, high, alpha=alpha, side=plain) >= wanted:
            return _least_between(
                high // 2, high, lambda pairs: power(size, pairs, alpha=alpha, side=plain) >= wanted
            )
        high *= 2
    return None


def _least_between(low: int, high: int, enough: Callable[[int], bool]) -> int:
    """The least number that is enough, where `high` is and `low` is not (or is 1)."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


class Comparison(Record, frozen=True, kw_only=True):
    """A compared with B over the tasks that both did."""

    a: Estimate
    b: Estimate
    difference: Estimate
    """A - B."""
    interval: tuple[float, float] | None
    """95 % of the difference, by bootstrap; None with too few tasks."""
    side: Side
    alpha: float
    t: Test
    wilcoxon: Test
    d: float
    rank_biserial: float
    wins: int
    ties: int
    losses: int
    pairs_needed: int | None
    """For 80 % power, were the effect as large as it was seen to be here."""
    left_out: int = 0
    """Tasks that only one of them did."""
    corrected: float | None = None
    """The t-test's p-value after Holm's correction, where this is one of several comparisons."""

    @property
    def p(self) -> float | None:
        """The t-test's p-value, corrected if it was."""
        return self.t.p if self.corrected is None else self.corrected

    @property
    def significant(self) -> bool | None:
        """Whether p is below α; None if there was no test."""
        return None if self.p is None else self.p < self.alpha

    def __str__(self) -> str:
        """Is A better than B, by how much, how sure: one line."""
        mean = self.difference.mean
        told = f"A is {'better' if mean > 0 else 'worse'} than B by {abs(mean):.4f}" if mean else "A equals B"
        if self.interval:
            told += f" (95 %: {self.interval[0]:+.4f} to {self.interval[1]:+.4f})"
        tasks = counted(self.difference.count, "task")
        if self.p is None:
            return f"{told} over {tasks}; no test: {self.t.lacking}"
        known = "p" if self.corrected is None else "corrected p"
        sure = "significant" if self.significant else "not significant"
        return f"{told} over {tasks}, {known} = {self.p:.2g}: {sure} at {self.alpha:g}"


def compare(a: Scores, b: Scores, *, side: Side = "both", alpha: float = 0.05) -> Comparison:
    """Compare two crawlers by their values of one metric, task by task. Higher is better.

    Raises `InputError` if no task was done by both, or if a value is not finite (a search length may be: compare ranks,
    or shares found, instead).
    """
    ours, theirs = by_task(a), by_task(b)
    common = [task for task in ours if task in theirs]
    if not common:
        raise InputError("the two have no task in common; compare results of the same tasks")
    if odd := [task for task in common if not isfinite(ours[task]) or not isfinite(theirs[task])]:
        raise InputError(f"a value of task {odd[0]!r} is not finite; leave such tasks out of the comparison")
    first = np.array([ours[task] for task in common])
    second = np.array([theirs[task] for task in common])
    differences = first - second
    d = cohens_d(differences)
    return Comparison(
        a=estimate(first),
        b=estimate(second),
        difference=estimate(differences),
        interval=bootstrap_interval(differences),
        side=side,
        alpha=alpha,
        t=paired_t(differences, side),
        wilcoxon=wilcoxon(differences, side, alpha),
        d=d,
        rank_biserial=rank_biserial(differences),
        wins=int((differences > 0).sum()),
        ties=int((differences == 0).sum()),
        losses=int((differences < 0).sum()),
        pairs_needed=pairs_needed(d, alpha=alpha, side=side),
        left_out=len(ours.keys() ^ theirs.keys()),
    )


def compare_all(
    baseline: Scores, others: Mapping[str, Scores], *, side: Side = "both", alpha: float = 0.05
) -> dict[str, Comparison]:
    """Each of several crawlers as A against one baseline as B, their p-values corrected as one family."""
    found = {name: compare(scores, baseline, side=side, alpha=alpha) for name, scores in others.items()}
    corrected = holm([comparison.t.p for comparison in found.values()])
    return {
        name: replace(comparison, corrected=p)
        for (name, comparison), p in zip(found.items(), corrected, strict=True)
    }


def _too_few(pairs: int, least: int, which: str = "") -> str:
    return f"not enough topics: {counted(pairs, 'pair')}{which}, and this test needs at least {least}"


def _stats() -> Any:
    """scipy.stats, which takes a second to import."""
    try:
        from scipy import stats
    except ImportError:
        raise InputError("tests of significance need scipy; install it with: pip install scipy") from None
    return stats
