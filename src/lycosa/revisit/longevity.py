"""Longevity: content that is gone by the next look was not worth fetching.

A page's divergence D*(t) is how much of its text is another one t days after it was fetched, 1 - Jaccard of shingles.
Fetching it again after t days gains the utility U(t) = t·D*(t) - ∫₀ᵗ D*(x) dx: what is new and stays counts, what comes
and goes does not. A page is due when U = T, one threshold for all pages, which the budget decides.

What looks tell of D*: each is compared with the look before. So a base is the first look, and each that found a change;
from a base on the divergence is known, 0, up to the next change, and with it. Then the profile ends, as the version
after it is compared with another one. What is lost: whether the divergence would have gone on growing (text that
scrolls) or stayed (a slot whose text is exchanged) shows only in profiles of other lengths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Annotated, Final

import msgspec
import numpy as np

from lycosa.model.records import Look, Record
from lycosa.revisit.estimators import IMAGINED, LEAST, MOST
from lycosa.revisit.history import DAY, History, is_change, share_of_change
from lycosa.revisit.paced import Paced, Part, Times
from lycosa.revisit.policy import Estimates, Floats, Pages
from lycosa.revisit.price import price_that_spends

REFERENCE: Final = "Olston & Pandey, Recrawl scheduling based on information longevity, WWW 2008"
ITEMS: Final = (1, 2, 5, 13)
"""Of text that scrolls: how many items stand on the page at once. One is text that is exchanged (churn)."""
REMEMBERED: Final = 1_024
"""Fits that are not made anew: row and due time of a page are asked for one after the other."""
PROFILES: Final = 4
"""The latest profiles of a page that bounds are averaged over."""

Profile = Sequence[tuple[float, float]]
"""Days since the base, and the divergence from it; the base itself, (0, 0), left out."""
Risk = Annotated[float, msgspec.Meta(gt=0, le=1_000)]


def profiles(looks: Sequence[Look]) -> list[Profile]:
    """What is known of the divergence from each base, the oldest first. Only the last one may be without a change."""
    found: list[list[tuple[float, float]]] = [[]]
    base = looks[0].at
    for before, look in pairwise(looks):
        found[-1].append(((look.at - base) / DAY, divergence(before, look)))
        if is_change(before.sight, look.sight):
            base = look.at
            found.append([])
    return [profile for profile in found if profile and profile[-1][0] > 0]


def divergence(before: Look, look: Look) -> float:
    """How much of the text is another one than at the look before."""
    return share_of_change(look, look.divergence) if is_change(before.sight, look.sight) else 0.0


class Curve(Record, frozen=True, kw_only=True, gc=False):
    """How divergence grows: D*(t) = share · P(life ≤ t). Lives are sums of `items` exponential ones of equal rate
    (Erlang), as a scrolling item is gone when so many new ones have come; their mean is `life` days.

    Invariants, each the name of a property test:

    * utility never falls, and stays below share · life.
    * a static page, share 0, has no utility.
    """

    share: float = 1.0
    """In [0, 1]: of the text, what changes at all."""
    life: float = 1.0
    items: int = 1

    def divergence(self, days: float) -> float:
        """D*(days), in [0, share]."""
        return self.share * erlang(self.items, self.items * days / self.life)

    def utility(self, days: float) -> float:
        """U(days) = share · E[life; life ≤ days]: what is left of t·D - ∫D by parts. One item of rate λ: 1/λ -
        (t + 1/λ)·exp(-λt).

        >>> round(Curve(life=2.0).utility(2.0), 6)
        0.528482
        """
        return self.share * self.life * erlang(self.items + 1, self.items * days / self.life)


def erlang(n: int, x: float) -> float:
    """The probability that n events of a Poisson process have come by the time x, in units of their mean distance:
    1 - exp(-x) · Σ_{i<n} xⁱ/i!.

    >>> round(erlang(2, 1.0), 6)
    0.264241
    """
    if x >= n:
        return 1.0 - math.exp(-x) * sum(x**i / math.factorial(i) for i in range(n))
    # exp(-x) · Σ_{i≥n} xⁱ/i!: below the mean the other is the difference of two numbers that are nearly equal.
    term = total = x**n / math.factorial(n)
    i = n
    while term > 1e-17 * total:
        i += 1
        term *= x / i
        total += term
    return math.exp(-x) * total


_LIVES: Final = np.geomspace(1 / MOST, 1 / LEAST, 40)
TOWARDS_ALL: Final = 0.01
"""Points by which a fit leans to the share 1. So few make it unique: where lives and share explain the same, all of the
text changes. Many fit the lives alone, which tells the divergence of later versions worse
(`benchmarks/change_measures.py`)."""


def fitted(found: Sequence[Profile], towards_all: float = TOWARDS_ALL) -> Curve:
    """The curve of least squares through the points of all profiles, churn or scroll, whichever is nearer.

    Each page is given two imagined points half a day after its base, one of them with another text, as `mle` imagines
    intervals. For given lives the share is Σ D·F / Σ F², in [0, 1].
    """
    points = (*(point for profile in found for point in profile), (IMAGINED, 0.0), (IMAGINED, 1.0))
    return _fitted(points, towards_all)


@lru_cache(maxsize=REMEMBERED)
def _fitted(points: tuple[tuple[float, float], ...], towards_all: float) -> Curve:
    days, seen = np.array(points).T
    best = min((_fit(days, seen, items, _LIVES, towards_all) for items in ITEMS), key=_error)
    life, step = best[1].life, _LIVES[1] / _LIVES[0]
    near = np.geomspace(life / step, life * step, 17)
    return min(best, _fit(days, seen, best[1].items, near, towards_all), key=_error)[1]


def _error(fit: tuple[float, Curve]) -> float:
    """Of curves that are as near, text that is exchanged is the simplest."""
    return fit[0] * (1.0 if fit[1].items == 1 else 1.001)


def _fit(days: Floats, seen: Floats, items: int, lives: Floats, towards_all: float) -> tuple[float, Curve]:
    """The best share and life of these, and its error."""
    x = items * days / lives[:, None]
    tail = term = np.exp(-x)
    for i in range(1, items):
        term = term * x / i
        tail = tail + term
    gone = 1.0 - tail
    share = np.clip((gone @ seen + towards_all) / ((gone**2).sum(axis=1) + towards_all), 0.0, 1.0)
    errors = ((seen - share[:, None] * gone) ** 2).sum(axis=1) + towards_all * (1 - share) ** 2
    at = int(errors.argmin())
    return float(errors[at]), Curve(share=float(share[at]), life=float(lives[at]), items=items)


@cache
def _quantiles(n: int) -> tuple[Floats, Floats]:
    """log(q / (1 - q)) and log x for q = erlang(n, x): nearly straight lines at both ends."""
    x = np.geomspace(1e-4, 300, 5_000)
    i = np.arange(n + 600)
    logs = i * np.log(x)[:, None] - x[:, None] - np.array([math.lgamma(each + 1) for each in i])
    log_below, log_above = (np.logaddexp.reduce(part, axis=1) for part in (logs[:, :n], logs[:, n:]))
    return log_above - log_below, np.log(x)


def _erlang_inverse(n: int, q: Floats) -> Floats:
    """The x at which erlang(n, x) = q; infinite from 1 on."""
    odds, logs = _quantiles(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        asked = np.log(q / (1 - q))
    log_x = np.interp(asked, odds, logs)
    log_x[q >= 1] = np.inf
    if (few := asked < odds[0]).any():
        log_x[few] = logs[0] + (asked[few] - odds[0]) / n
    return np.exp(log_x)


def waits(worth: Floats, pages: Pages, price: float) -> Floats:
    """Days until the utility of each page times its worth is the price, infinite where it never is.

    Lives are 1 / `changes`, `curve` has share and items.
    """
    life, (share, items) = 1 / pages.changes, pages.curve.T
    found = np.full(len(pages), np.inf)
    with np.errstate(divide="ignore", over="ignore"):
        wanted = price / (worth * share * life)
    for n in np.unique(items):
        these = items == n
        found[these] = _erlang_inverse(int(n) + 1, wanted[these]) * life[these] / n
    return found


class Insured(Paced):
    """A page is due when a curve of what a visit gains comes to the price, the threshold T.

    No page waits longer than it takes to lose, at the worst, `risk` times the threshold: worth · wait ≤ risk · T.
    """

    reference = REFERENCE

    def __init__(
        self,
        *,
        risk: Risk = 10.0,
        times: Times = "fixed",
        signals: bool = True,
        explore: Part = 0.05,
    ) -> None:
        super().__init__(times=times, signals=signals, explore=explore)
        self._risk = risk

    def price(self, pages: Pages, budget: float) -> float:
        return price_that_spends(self.rates, pages, budget)

    def at_risk(self, pages: Pages, waits: Floats, price: float) -> Floats:
        """Visits a day for these waits, cut where they risk too much."""
        with np.errstate(divide="ignore", over="ignore"):
            return 1 / np.minimum(waits, self._risk * price / pages.worth)


class Longevity(Insured):
    """Visits pages when what is new on them stays long enough to be worth a visit.

    Use it when pages have parts that come and go, such as advertisements and latest posts. A page that has another text
    at each look, but never the same for long, is left alone.

    To the looks at a page a curve is fitted: a share of its text that changes, and lives, either of text that is
    exchanged or of items that scroll out. The page is due when the utility of a visit, times its worth, comes to T. All
    pages have the same T, which the budget decides. No page waits so long that `risk` times T could be lost. The share
    `explore` of the budget goes to all pages alike: the published policy has a learning phase instead.
    """

    def estimate(self, history: History) -> Estimates:
        curve = fitted(profiles(history.looks))
        return msgspec.structs.replace(
            super().estimate(history),
            changes=1 / curve.life,
            curve=(curve.share, float(curve.items)),
            is_told=False,
        )

    def rates(self, pages: Pages, price: float) -> Floats:
        return self.at_risk(pages, waits(pages.worth, pages, price), price)


def bounds(profile: Profile) -> tuple[float, float]:
    """Least and most utility at the end of a profile. The divergence jumped somewhere between two looks: right after
    the first one, which leaves least to gain, or right before the second."""
    days, seen = profile[-1]
    steps = list(pairwise([(0.0, 0.0), *profile]))
    most_lost = sum(d * (t - t0) for (t0, _), (t, d) in steps)
    least_lost = sum(d0 * (t - t0) for (t0, d0), (t, _) in steps)
    return days * seen - most_lost, days * seen - least_lost


class BoundedLongevity(Insured):
    """Visits pages by bounds of what a visit gains, without supposing how they change.

    Use it like `longevity`, for pages that change in no regular way.

    Of the last four times that the page changed it is known how long it had been watched, and between which bounds the
    utility of the visit was. While the threshold T lies between the bounds, the wait stays. If even the upper bound is
    below T, the wait is longer by √(T / upper bound), and if the lower one is above T, shorter by √(T / lower bound),
    as utility grows with the square of the time where divergence grows with the time. The published policy doubles
    and halves. T, `risk` and `explore` are as in `longevity`.
    """

    def estimate(self, history: History) -> Estimates:
        latest = profiles(history.looks)[-PROFILES:]
        least, most = map(float, np.mean([bounds(profile) for profile in latest] or [(0.0, 0.0)], axis=0))
        days = sum(profile[-1][0] for profile in latest) / len(latest) if latest else 1.0
        return msgspec.structs.replace(
            super().estimate(history), changes=1 / days, curve=(least, most), is_told=False
        )

    def rates(self, pages: Pages, price: float) -> Floats:
        with np.errstate(divide="ignore", over="ignore"):
            scales = np.sqrt(price / (pages.worth[:, None] * np.maximum(pages.curve, 0.0)))
        # The middle one of the wait itself and of what either bound makes of it.
        shortest = np.minimum(np.maximum(1.0, scales[:, 1]), scales[:, 0])
        return self.at_risk(pages, shortest / pages.changes, price)
