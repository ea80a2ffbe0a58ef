"""How often does a page change? Rates from what looks at it found (changes a day, Poisson).

A look tells no more than whether the page is another one since the look before. Of several changes in between it sees
one, so counting what was seen (`naive`) comes out low.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from lycosa.model.records import Look, Millis
from lycosa.revisit.history import DAY, History, is_change

Estimator = Literal["naive", "cgm", "mle", "last-modified"]

LEAST: Final = 0.0005
MOST: Final = 7.0
"""Estimates stay between these, changes a day (Kolobov et al. 2019)."""
IMAGINED: Final = 0.5
"""Each page is given an interval with a change and one without, of half a day each (Kolobov et al. 2019), or of half
the mean interval with a change that was seen, if that is longer. Half a day says next to nothing beside visits weeks
apart: a page that changed before each of them would be taken for one that changes more than once a day. Less than half
a day would take a burst for a habit."""
UNKNOWN: Final = math.log(2) / IMAGINED
"""The estimate of a page that was seen once: what the imagined intervals alone give."""
STAMPED: Final = Millis(60_000)
"""A Last-Modified so shortly before the answer says when the answer was made, not when the page changed."""


def naive(history: History) -> float:
    """Changes seen over time: X / ΣI. Low for pages that change more often than they are visited."""
    spans = history.intervals()
    if not spans:
        return UNKNOWN
    return _bounded(sum(changed for _, changed in spans) / sum(days for days, _ in spans))


def cgm(history: History) -> float:
    """-log((n - X + ½) / (n + ½)) / I for n intervals with X changes (Cho & Garcia-Molina 2003, "Estimating Frequency
    of Change"), which is nearly without bias if visits are regular; I is the mean interval here."""
    spans = history.intervals()
    if not spans:
        return UNKNOWN
    mean = sum(days for days, _ in spans) / len(spans)
    return _bounded(regular(len(spans), sum(changed for _, changed in spans)) / mean)


def regular(n: int, changes: int) -> float:
    """Changes per interval, of `n` equal ones of which so many had a change.

    >>> round(regular(10, 3), 6)
    0.336472
    """
    return -math.log((n - changes + 0.5) / (n + 0.5))


def mle(history: History) -> float:
    """The most likely rate for visits at any times (Cho & Garcia-Molina 2003), with the imagined intervals."""
    spans = history.intervals()
    changed = [days for days, is_changed in spans if is_changed]
    unchanged = sum(days for days, is_changed in spans if not is_changed)
    imagined = _imagined(changed)
    return _bounded(most_likely([*changed, imagined], unchanged + imagined))


def _imagined(changed: Sequence[float]) -> float:
    """How long the imagined intervals are, by those that had a change."""
    return IMAGINED * max(1.0, sum(changed) / len(changed)) if changed else IMAGINED


def last_modified(history: History) -> float:
    """The most likely rate where the server says when the page changed last; where it does not, that of `mle`.

    That the last change before a look at b was at m has the density λ·exp(-λ(b - m)), whatever was before m. So such a
    look counts as one change of which the time is known, and an interval b - m without any (the estimator from the
    time of the last change of Cho & Garcia-Molina 2003). The first look tells as much, so a page can be known from one
    visit.
    """
    if not _dated(history.looks):
        return mle(history)
    changed: list[float] = []
    unchanged, dates = 0.0, 0
    first = history.looks[0]
    if first.modified is not None:
        dates, unchanged = 1, unchanged + (first.at - first.modified) / DAY
    for before, look in pairwise(history.looks):
        days = (look.at - before.at) / DAY
        if not is_change(before.sight, look.sight):
            unchanged += days
        elif look.modified is not None and look.modified > before.at:
            dates, unchanged = dates + 1, unchanged + (look.at - look.modified) / DAY
        elif days > 0:
            changed.append(days)
    imagined = _imagined(changed)
    return _bounded(most_likely([*changed, imagined], unchanged + imagined, dates))


def complete(history: History) -> float:
    """(n + ½) / (T + ½) for n signals in T days, of a page whose changes are all told (Kolobov et al. 2019)."""
    first = history.looks[0].at
    told = [signal for signal in history.signals if signal > first]
    until = max([history.last.at, *told])
    return _bounded((len(told) + 0.5) / ((until - first) / DAY + 0.5))


ESTIMATORS: Mapping[Estimator, Callable[[History], float]] = {
    "naive": naive,
    "cgm": cgm,
    "mle": mle,
    "last-modified": last_modified,
}
"""Those among which policies choose; `complete` is for pages of which all changes are told."""


def estimated(history: History, by: Estimator) -> float:
    """Changes a day, from `LEAST` to `MOST`: by the signals if they tell all, else by an estimator."""
    return complete(history) if history.is_told else ESTIMATORS[by](history)


def most_likely(changed: Sequence[float], unchanged: float, dates: int = 0) -> float:
    """The rate λ at which intervals `changed`, days `unchanged` and changes of known time are most likely:

        dates / λ + Σ_changed τ / (exp(λτ) - 1) = unchanged

    The left side falls from ∞ to 0, so there is one solution if `unchanged` is above 0, else it is infinite; without
    any change it is 0.

    >>> round(most_likely([2, 1], 4), 6)
    0.374159
    """
    if not changed and not dates:
        return 0.0
    if unchanged <= 0:
        return math.inf
    # τ / (exp(λτ) - 1) is at least 1 / λ - τ / 2, so this is not above the solution. The left side is convex: Newton's
    # method climbs from there without passing, and one step from above leads below.
    spans, n = np.array(changed), dates + len(changed)
    total = float(spans.sum())
    below = n / (unchanged + total / 2)
    rate = max(below, math.log1p(total / unchanged) * len(changed) / total if total else below)
    for _ in range(60):
        held = spans / np.expm1(np.minimum(rate * spans, 700.0))
        left = dates / rate + float(held.sum())
        fall = dates / rate**2 + float(held @ held + held @ spans)
        step = (left - unchanged) / fall
        rate = max(rate + step, below)
        if abs(step) <= 1e-6 * rate:
            break
    return rate


def _dated(looks: Sequence[Look]) -> bool:
    """Whether the dates that the server gives can be those of changes: there are some, none was made for the answer,
    and a page that stayed the same kept its own."""
    if any(look.modified is not None and look.at - look.modified < STAMPED for look in looks):
        return False
    same = ((before, look) for before, look in pairwise(looks) if not is_change(before.sight, look.sight))
    moved = any(look.modified is not None and look.modified > before.at for before, look in same)
    return not moved and any(look.modified is not None for look in looks)


def _bounded(rate: float) -> float:
    return min(max(rate, LEAST), MOST)
