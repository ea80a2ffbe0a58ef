"""How fresh copies are, worked out: pages that change by Poisson, visited at fixed intervals or at random times.

A copy is fresh while the page is as it was when it was visited. Its age is 0 then, else the time since the first change
that it lacks (Cho & Garcia-Molina, SIGMOD 2000). Of n pages all columns are arrays of n numbers; rates are a day, ages
in days. A page that is never visited has freshness 0 and an infinite age.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np

from lycosa.revisit.optimal import Azar
from lycosa.revisit.policy import Floats, Pages
from lycosa.revisit.price import price_that_spends
from lycosa.revisit.utility import rates_at

Times = Literal["fixed", "poisson"]
SMALL: Final = 1e-3
"""Changes a visit below which differences of nearly equal numbers give way to their series."""


def freshness(changes: Floats, rates: Floats, times: Times = "fixed") -> Floats:
    """The share of time for which each copy is fresh, in [0, 1]: (1 - exp(-r)) / r with r = Δ / ρ for visits at fixed
    intervals, ρ / (ρ + Δ) at random ones.

    >>> freshness(np.array([1.0]), np.array([1.0])).round(6).tolist()
    [0.632121]
    """
    if times == "poisson":
        return rates / (rates + changes)
    r = _changes_a_visit(changes, rates)
    return np.where(rates > 0, -np.expm1(-r) / r, 0.0)


def age(changes: Floats, rates: Floats, times: Times = "fixed") -> Floats:
    """The mean age of each copy: (1/2 - 1/r + (1 - exp(-r)) / r²) / ρ for visits at fixed intervals, with r = Δ / ρ,
    and Δ / (ρ·(ρ + Δ)) at random ones.

    >>> age(np.array([1.0]), np.array([1.0])).round(6).tolist()
    [0.132121]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if times == "poisson":
            return np.where(rates > 0, changes / (rates * (rates + changes)), np.inf)
        r = _changes_a_visit(changes, rates)
        late = np.where(r < SMALL, r / 6 - r**2 / 24, 0.5 - 1 / r - np.expm1(-r) / r**2)
        return np.where(rates > 0, late / rates, np.inf)


def optimal_rates(changes: Floats, worth: Floats, budget: float, times: Times = "fixed") -> Floats:
    """The rates that add up to the budget (above 0) and keep the most fresh, each page counted by its worth.

    For fixed intervals that is where w/Δ·(1 - (1 + r)·exp(-r)) is the same for all pages that are visited (Cho &
    Garcia-Molina, TODS 2003), for random times as in `azar`.
    """
    pages = Pages(changes, worth, np.zeros(len(changes)))
    if times == "poisson":
        azar = Azar(explore=0.0)
        return azar.rates(pages, azar.price(pages, budget))

    def rates(these: Pages, price: float) -> Floats:
        return rates_at(these.worth, these.changes, these.finds, price)

    shared = rates(pages, price_that_spends(rates, pages, budget))
    # A page of w/Δ next to the price gets nothing or a thirtieth of Δ: between these exp(-r) is nothing beside 1, and
    # its freshness is ρ/Δ. What the jump leaves over is for such a page.
    if (given_up := np.flatnonzero(shared == 0)).size:
        shared[given_up[np.argmax(worth[given_up] / changes[given_up])]] += max(budget - shared.sum(), 0.0)
    return shared


def optimum(changes: Floats, worth: Floats, budget: float, times: Times = "fixed") -> float:
    """The greatest mean freshness, weighted by worth, that the budget allows to whoever knows all rates. The worth of
    some page must be above 0.

    >>> round(optimum(np.array([1.0, 4.0]), np.array([1.0, 1.0]), 2.0, "poisson"), 6)
    0.357143
    """
    fresh = freshness(changes, optimal_rates(changes, worth, budget, times), times)
    return float(worth @ fresh / worth.sum())


def _changes_a_visit(changes: Floats, rates: Floats) -> Floats:
    return changes / np.where(rates > 0, rates, 1.0)
