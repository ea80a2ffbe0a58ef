"""Policies that give each page a rate: what they have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec

from lycosa.model.records import Millis, Sight
from lycosa.revisit.chance import chance
from lycosa.revisit.estimators import Estimator, estimated
from lycosa.revisit.history import DAY, History, is_change
from lycosa.revisit.policy import NEVER, Estimates, Floats, Pages, Policy

Times = Literal["fixed", "poisson"]
Part = Annotated[float, msgspec.Meta(ge=0, lt=1)]
"""A share that leaves something."""


class Paced(Policy):
    """Each page has a rate ρ, which follows from its row and the price of a request; it is due 1/ρ days after its last
    look.

    Parameters that all such policies take: `times`, whether these waits are `fixed` or drawn from an exponential
    distribution (`poisson`; the draw is a hash of URL and look); `estimator`, what tells how often a page changes;
    `signals`, whether sitemaps, feeds and pings are listened to; `explore`, the share of the budget that goes to all
    pages alike, so that each is looked at again and what is held of it can be corrected.

    A page that is gone is worth half as much with each look that finds it gone.

    A signal brings the next visit forward: of the wait that is left a share is cut off, the share of earlier signals
    that were right. If signals tell all changes of a page, it is visited at each of them or at a share of them, ρ by
    changes a day, and otherwise not.
    """

    def __init__(
        self,
        *,
        times: Times = "fixed",
        estimator: Estimator = "mle",
        signals: bool = True,
        explore: Part = 0.0,
    ) -> None:
        self._times, self._estimator, self._listens = times, estimator, signals
        self._explore = explore
        self._price: float | None = None
        self._floor = self._budget = 0.0

    @abstractmethod
    def price(self, pages: Pages, budget: float) -> float:
        """The price at which the rates of the pages add up to the budget; there is at least one page."""

    @abstractmethod
    def rates(self, pages: Pages, price: float) -> Floats:
        """Visits a day of each page, at least 0."""

    def solve(self, pages: Pages, budget: float) -> None:
        self._price, self._budget = None, budget
        if len(pages) and budget > 0:
            self._floor = self._explore * budget / len(pages)
            self._price = self.price(pages, (1 - self._explore) * budget)

    def estimate(self, history: History) -> Estimates:
        looks = history.looks
        return Estimates(
            changes=estimated(history, self._estimator),
            worth=history.worth * 0.5**history.times_gone,
            days=(history.last.at - looks[0].at) / DAY,
            links=looks[0].new_links if looks[0].sight is Sight.FIRST else 0.0,
            is_told=history.is_told and self._listens,
        )

    def due(self, history: History, now: Millis) -> Millis:
        if self._price is None:
            return NEVER
        row = self.estimate(history)
        rate = self._rate(row, self._price)
        if rate <= 0:
            return NEVER
        if row.is_told:
            return first_told(history, min(1.0, rate / row.changes))
        planned = self.planned(history, row, rate)
        return sooner(history, planned) if self._listens else planned

    def planned(self, history: History, row: Estimates, rate: float) -> Millis:
        """When a page of this rate, above 0, is due if no signal comes."""
        last = history.last.at
        wait = 1 / rate
        if self._times == "poisson":
            wait *= -math.log(chance(history.url, last))
        return after(last, wait)

    def _rate(self, row: Estimates, price: float) -> float:
        """Visits a day of one page: all that there are at the most, also if it came after the price was found."""
        return min(float(self.rates(Pages.of([row]), price)[0]) + self._floor, self._budget)

    def save(self) -> Mapping[str, Any]:
        return {"price": self._price, "floor": self._floor, "budget": self._budget}

    def load(self, state: Mapping[str, Any]) -> None:
        self._price, self._floor, self._budget = state["price"], state["floor"], state["budget"]


def after(last: Millis, days: float) -> Millis:
    """So many days later, at least a millisecond; `NEVER` at the latest."""
    return Millis(last + max(1, round(days * DAY))) if days < (NEVER - last) / DAY else NEVER


def first_told(history: History, share: float) -> Millis:
    """The first signal since the last look, or of a share of them; `NEVER` without."""
    last = history.last.at
    return next(
        (each for each in history.signals if each > last and chance(history.url, each) < share), NEVER
    )


def sooner(history: History, planned: Millis) -> Millis:
    """What becomes of a due time when signals come before it."""
    signal = next((each for each in history.signals if each > history.last.at), NEVER)
    if signal >= planned or planned == NEVER:
        return planned
    return Millis(signal + max(0, round((planned - signal) * (1 - trust(history)))))


def trust(history: History) -> float:
    """The share of signals that were right, (hits + 1) / (signals + 2): of the looks that had a signal since the look
    before, those that found a change."""
    hits = told = 0
    for before, look in zip(history.looks, history.looks[1:], strict=False):
        if any(before.at < signal <= look.at for signal in history.signals):
            told, hits = told + 1, hits + is_change(before.sight, look.sight)
    return (hits + 1) / (told + 2)
