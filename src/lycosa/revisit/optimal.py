"""Requests shared out so that some measure of truth is the best that the budget allows."""

from __future__ import annotations

import sys
from typing import Final

import numpy as np

from lycosa.revisit.estimators import Estimator
from lycosa.revisit.paced import Paced, Part, Times
from lycosa.revisit.policy import Floats, Pages
from lycosa.revisit.price import price_that_spends

TINY: Final = sys.float_info.min
"""The least price: that of pages that are worth next to nothing."""


class Azar(Paced):
    """Keeps as much of the collection fresh as the budget allows, each page counted by its worth.

    Use it when a page is either right or wrong, and a wrong one is lost anyway. Pages that change too often for what
    they are worth are given up: they get no visits at all, but for the share of `explore`.

    For visits at random times (Poisson, rate ρ) a page that changes at rate Δ is fresh for ρ / (ρ + Δ) of the time. The
    sum of worth μ times freshness is greatest where each page that is visited gains μΔ / (ρ + Δ)² = λ by one more
    visit: ρ = √(μΔ/λ) - Δ, or 0 if that is less. The price λ has a closed form once it is known which pages are
    visited: those of high μ/Δ. The published policy knows all rates (`explore=0`); here they are estimated, and an
    estimate that is too high could never be corrected without exploring.
    """

    reference = "Azar, Horvitz, Lubetzky, Peres & Shahaf, Tractable near-optimal policies for crawling, PNAS 115, 2018"

    def __init__(
        self,
        *,
        times: Times = "fixed",
        estimator: Estimator = "mle",
        signals: bool = True,
        explore: Part = 0.05,
    ) -> None:
        super().__init__(times=times, estimator=estimator, signals=signals, explore=explore)

    def price(self, pages: Pages, budget: float) -> float:
        worthy = pages.worth > 0
        if not worthy.any():
            return 1.0
        changes, worth = pages.changes[worthy], pages.worth[worthy]
        best_first = np.argsort(-worth / changes, kind="stable")
        changes, worth = changes[best_first], worth[best_first]
        # With the first k pages visited: √λ = Σ√(μΔ) / (B + ΣΔ). The k-th is worth it while μ/Δ > λ.
        prices = (np.cumsum(np.sqrt(worth * changes)) / (budget + np.cumsum(changes))) ** 2
        visited = int(np.count_nonzero(worth / changes > prices))
        return max(float(prices[max(visited, 1) - 1]), TINY)

    def rates(self, pages: Pages, price: float) -> Floats:
        return np.maximum(np.sqrt(pages.worth * pages.changes / price) - pages.changes, 0.0)


class Lambda(Paced):
    """Sees to it that changes do not pile up: no page is given up, however often it changes.

    Use it when a page that changed ten times is worse than one that changed once. It is LambdaCrawl: what is estimated
    from the looks is solved for, the solution decides on looks, and so on, in epochs.

    With n changes unseen a page of worth μ costs μ · (1 + 1/2 + … + 1/n). For visits at random times (rate ρ) that is
    μ·log(1 + Δ/ρ) on average, and the sum is least where μΔ / (ρ(ρ + Δ)) = λ: ρ = (√(Δ² + 4μΔ/λ) - Δ) / 2. A page
    whose changes are all told is visited at a share p of them, which costs -μ·log p: p = μ / (λΔ), at most 1. One price
    λ serves both kinds of pages.
    """

    reference = (
        "Kolobov, Peres, Lu & Horvitz, Staying up to date with online content changes using reinforcement learning "
        "for scheduling, NeurIPS 2019"
    )

    def price(self, pages: Pages, budget: float) -> float:
        return price_that_spends(self.rates, pages, budget)

    def rates(self, pages: Pages, price: float) -> Floats:
        changes, offer = pages.changes, pages.worth / price
        # (√(Δ² + 4Δx) - Δ) / 2 without the difference of two numbers that are nearly equal
        unseen = 2 * offer * changes / (changes + np.sqrt(changes**2 + 4 * changes * offer))
        return np.where(pages.is_told, np.minimum(offer, changes), unseen)
