"""What a policy could come to that knew how often each page changes: the bound that others are held against."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec
from msgspec.structs import replace

from lycosa.lab.time.world import World
from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.revisit.history import History
from lycosa.revisit.paced import after
from lycosa.revisit.policy import NEVER, Estimates, Floats, Pages, Policy
from lycosa.revisit.price import price_that_spends
from lycosa.revisit.registry import policy
from lycosa.revisit.utility import rates_at

Aim = Literal["freshness", "relevant freshness", "topical"]
OPTIMUM: Final = "optimum"
"""Begins a specification that names this bound, with its aim: `optimum:topical`."""
KEPT: Final = 0.1
"""Of `topical`, what a day without a new page of relevance 1 counts beside a day with a wrong copy of one."""


class Optimum(Policy):
    """Knows the rates of all pages: how often they change, what they are worth, what they will list.

    Visits to a page come at equal spans, which are the best for pages that change by Poisson; the spans follow from one
    price of a visit, see `lycosa.revisit.utility`. For pages that change otherwise, who knew more could do better.
    """

    def __init__(self, world: World, aim: Aim) -> None:
        """`freshness`: of all pages alike; `relevant freshness`: by relevance; `topical`: new relevant pages, too."""
        firsts = _firsts(world) if aim == "topical" else {}
        self._price: float | None = None
        self._budget = 0.0
        self._rows = {
            page.url: Estimates(
                changes=max(len(page.truths()), 0.1) / (min(world.days, page.died) - max(page.born, 0.0)),
                worth=1.0 if aim == "freshness" else page.relevance,
                finds=KEPT * firsts.get(place, 0.0) / world.days,
            )
            for place, page in enumerate(world.pages)
        }

    def estimate(self, history: History) -> Estimates:
        row = self._rows[history.url]
        return replace(row, worth=0.0, finds=0.0) if history.times_gone else row

    def solve(self, pages: Pages, budget: float) -> None:
        self._price, self._budget = price_that_spends(_rates, pages, budget), budget

    def due(self, history: History, now: Millis) -> Millis:
        if self._price is None:
            return NEVER
        rate = min(float(_rates(Pages.of([self.estimate(history)]), self._price)[0]), self._budget)
        return after(history.last.at, 1 / rate) if rate > 0 else NEVER


def made(specification: str, world: World) -> Policy:
    """A policy by its specification, or the bound of this world. Raises `InputError`."""
    if not is_bound(specification):
        return policy(specification)
    aim = specification.partition(":")[2]
    try:
        return Optimum(world, converted(aim, Aim))
    except msgspec.ValidationError:
        aims = ", ".join(get_args(Aim))
        raise InputError(f"{specification!r}: write optimum:AIM with one of {aims}") from None


def is_bound(specification: str) -> bool:
    """Whether a specification names a bound, and no policy."""
    return specification.partition(":")[0] == OPTIMUM


def _rates(pages: Pages, price: float) -> Floats:
    return rates_at(pages.worth, pages.changes, pages.finds, price)


def _firsts(world: World) -> dict[int, float]:
    """By page the relevance of the new pages that it will list before all others."""
    first: dict[int, tuple[float, int]] = {}
    for place, page in enumerate(world.pages):
        for at, item in page.listings:
            first[item] = min(first.get(item, (at, place)), (at, place))
    found: dict[int, float] = {}
    for item, (_, place) in first.items():
        found[place] = found.get(place, 0.0) + world.pages[item].relevance
    return found
