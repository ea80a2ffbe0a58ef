"""Ours: relevant pages right, and new relevant pages found soon."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Annotated, Any, Final

import msgspec
import numpy as np

from lycosa.model.records import Millis
from lycosa.revisit.estimators import UNKNOWN, Estimator
from lycosa.revisit.history import DAY, History
from lycosa.revisit.paced import Paced, Part, Times
from lycosa.revisit.policy import Estimates, Floats, Pages
from lycosa.revisit.price import price_that_spends
from lycosa.revisit.utility import FAR, rates_at, utility

SIZES: Final = 12
LEVELS: Final = (0.01, 0.1, 0.4)
KINDS: Final = SIZES * (len(LEVELS) + 1)
"""Pages are told apart by the number of their links (0, 1, 2 or 3, 4 to 7, …) and by their worth."""
LEAST_KNOWN: Final = 1e-3
"""Changes of a page that was seen once."""
FIRST_YIELD: Final = 0.01
"""What a change brings in new relevant pages, before anything is known; it weighs as much as `WEIGHT` changes."""
WEIGHT: Final = 5.0

NotNegative = Annotated[float, msgspec.Meta(ge=0, le=1e6)]
Days = Annotated[float, msgspec.Meta(gt=0, le=1e6)]


class Topical(Paced):
    """Keeps relevant pages right and finds new relevant pages soon.

    Use it for a collection about a topic that goes on growing.

    A page costs two things while it is not visited. It may be wrong: its worth w times the chance that it has changed
    since, for changes at rate Δ. And what is new on it is not found: ν, the worth of the new pages that its links lead
    to in a day, has waited for half of the wait on average. A day that a new page is missing counts `finds` (κ) times
    as much as a day that a page of the same worth is wrong. So visits every t days cost

        w·(1 - (1 - exp(-Δt)) / (Δt)) + κ·ν·t / 2

    a day, and the sum over all pages is least where one more visit saves the same everywhere, the price λ:

        (w / Δ)·(1 - (1 + Δt)·exp(-Δt)) + κ·ν·t² / 2 = λ.

    The left side grows with t, so each page has one wait. Pages that change too often for what they are worth are given
    up as in `azar`, but not if they lead to new ones.

    Rates are not known but estimated. exp(-Δt) stands for its mean over a Gamma distribution of shape k, (1 + Δt/k)⁻ᵏ:
    k is 1, and one for each change of known time that would tell as much of Δ as the looks do. So a page that seems to
    change too often is not given up before that is certain.

    Worth is relevance to the power `sharpness`. Where relevant pages have a relevance near 1, 3 keeps them fresher:
    pages that are hardly relevant are many, and take most of the visits otherwise. Crawls judge by cosines, whose third
    power is next to nothing. An importance that somebody gave stays as it is. Of a look's new links it is their mean
    relevance that is sharpened so.

    ν is learnt. F, what the looks of T days brought, is smoothed as by a Gamma distribution of shape `doubt` (α):
    (α + F) / (α / m + T). The mean m is that of pages like it, of about as many links and as much worth: Δ times what a
    change of such a page brings. So hubs are known before they have proved themselves, every page is looked at now and
    then, and one that never brings anything less and less often. Looks count half as much for each `memory` days that
    have passed since, so that a page that has just brought something is visited more often for a while. The new links
    of the last look lead to pages that were not visited yet: they count as its earlier ones did, and at first as if
    they led to pages like it.

    When more is due than can be visited, what is worth most beyond its price goes first.
    """

    reference = (
        "lycosa; the cost of waiting follows Cho & Garcia-Molina 2003, the price Olston & Pandey, Recrawl scheduling "
        "based on information longevity, WWW 2008"
    )

    def __init__(
        self,
        *,
        finds: NotNegative = 5.0,
        sharpness: Annotated[float, msgspec.Meta(ge=1, le=10)] = 1.0,
        doubt: Annotated[float, msgspec.Meta(gt=0, le=100)] = 0.1,
        memory: Days = 90.0,
        times: Times = "fixed",
        estimator: Estimator = "last-modified",
        signals: bool = True,
        explore: Part = 0.0,
    ) -> None:
        super().__init__(times=times, estimator=estimator, signals=signals, explore=explore)
        self._finds, self._doubt, self._memory = finds, doubt, memory
        self._sharpness = sharpness
        self._changes = UNKNOWN
        self._yields = np.full(KINDS, FIRST_YIELD)

    def estimate(self, history: History) -> Estimates:
        days, brought = self._seen(history)
        row = super().estimate(history)
        gone = history.times_gone > 0
        return msgspec.structs.replace(
            row,
            worth=row.worth if history.importance is not None else row.worth**self._sharpness,
            days=days,
            finds=brought / days if days > 0 else 0.0,
            links=0.0 if gone else row.links,
            curve=(_known(history, row.changes), 0.0),
        )

    def _seen(self, history: History) -> tuple[float, float]:
        """For how many days the page was watched, and what that brought, both as far as they are remembered.

        What the first look brought was not new. What the links of the last one lead to was not visited yet: each counts
        as those before it, beside one as relevant as the page.
        """
        last, days, brought = history.last, 0.0, 0.0
        links, led = 1.0, history.last.relevance**self._sharpness
        for (before, look), found in zip(pairwise(history.looks), self._brought(history), strict=True):
            if look is last and not found:
                found = look.new_links * led / links
            kept = 0.5 ** ((last.at - look.at) / DAY / self._memory)
            days += kept * (look.at - before.at) / DAY
            brought += kept * found
            links, led = links + look.new_links, led + found
        return days, brought

    def _brought(self, history: History) -> list[float]:
        """What each look but the first brought: the sum over its new links of what they lead to, sharpened."""
        finds = history.finds[1:] or (0.0,) * (len(history.looks) - 1)
        return [
            found * min(1.0, found / max(look.new_links, 1)) ** (self._sharpness - 1)
            for look, found in zip(history.looks[1:], finds, strict=True)
        ]

    def price(self, pages: Pages, budget: float) -> float:
        self._learn(pages)
        return price_that_spends(self.rates, pages, budget)

    def _learn(self, pages: Pages) -> None:
        """What is typical: how often a page changes that was seen once, and what a change of each kind of page
        brings."""
        seen = pages.days > 0
        if seen.any():
            self._changes = float(np.exp(np.log(pages.changes[seen]).mean()))
        kinds = _kinds(pages)
        changes = np.bincount(kinds, pages.changes * pages.days, KINDS)
        brought = np.bincount(kinds, pages.finds * pages.days, KINDS)
        overall = (brought.sum() + WEIGHT * FIRST_YIELD) / (changes.sum() + WEIGHT)
        self._yields = (brought + WEIGHT * overall) / (changes + WEIGHT)

    def rates(self, pages: Pages, price: float) -> Floats:
        changes, finds = self._expected(pages)
        rates = rates_at(pages.worth, changes, finds, price, _shape(pages))
        return np.where(pages.is_told, np.minimum(rates, changes), rates)

    def _expected(self, pages: Pages) -> tuple[Floats, Floats]:
        """Changes and κ·ν a day."""
        changes = np.where(pages.days > 0, pages.changes, self._changes)
        typical = changes * self._yields[_kinds(pages)]
        brought = (self._doubt + pages.finds * pages.days) / (self._doubt / typical + pages.days)
        return changes, self._finds * brought

    def urgency(self, history: History, now: Millis) -> float:
        """What a visit is worth by now, in prices."""
        if self._price is None or now <= history.last.at:
            return 0.0
        row = Pages.of([self.estimate(history)])
        changes, finds = self._expected(row)
        return (
            float(utility(row.worth, changes, finds, (now - history.last.at) / DAY, _shape(row))[0])
            / self._price
        )

    def save(self) -> Mapping[str, Any]:
        return {**super().save(), "changes": self._changes, "yields": self._yields.tolist()}

    def load(self, state: Mapping[str, Any]) -> None:
        super().load(state)
        self._changes, self._yields = state["changes"], np.array(state["yields"])


def _known(history: History, rate: float) -> float:
    """How many changes of known time would tell as much of the rate Δ as the looks do: the Fisher information of log Δ,
    which is x² / (exp(x) - 1) for an interval in which x changes are expected."""
    expected = rate * np.array([days for days, _ in history.intervals()])
    return float((expected**2 / np.expm1(np.minimum(expected, FAR))).sum())


def _shape(pages: Pages) -> Floats:
    """Of the Gamma distributions of rates: 1 for what is typical of pages, and what is known of this one."""
    return 1 + np.maximum(pages.curve[:, 0], LEAST_KNOWN)


def _kinds(pages: Pages) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    sizes = np.minimum(np.ceil(np.log2(1 + pages.links)), SIZES - 1).astype(np.int64)
    return sizes + SIZES * np.searchsorted(LEVELS, pages.worth)
