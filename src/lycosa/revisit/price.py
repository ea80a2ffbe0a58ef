"""The price of a request at which a budget is spent: what ties pages together that are otherwise looked at alone."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from lycosa.revisit.policy import Floats, Pages

SAMPLE: Final = 20_000
"""So many pages are enough for a first price; all of them make it exact."""
EXACT: Final = 1e-9
"""Rates add up to the budget up to this share of it."""
WIDEST: Final = 100.0
"""Logarithms of prices lie within this."""


def price_that_spends(rates: Callable[[Pages, float], Floats], pages: Pages, budget: float) -> float:
    """The price at which the rates of the pages, which fall as it rises, add up to the budget (visits a day, above 0).

    Where the rates jump, they stay below the budget. Where no price is low enough, as no page is worth more visits, it
    is next to nothing; where none is high enough, next to infinite.
    """

    def surplus_of(these: Pages, share: float) -> Callable[[float], float]:
        def surplus(log_price: float) -> float:
            spent = float(rates(these, math.exp(log_price)).sum())
            return math.log(spent) - math.log(share) if spent > 0 else -WIDEST

        return surplus

    step, guess, width = -(-len(pages) // SAMPLE), 0.0, 4.0
    if step > 1:
        few = pages.every(step)
        guess, width = _root(surplus_of(few, budget * len(few) / len(pages)), 0.0, width), 0.02
    return math.exp(_root(surplus_of(pages, budget), guess, width))


def _root(falling: Callable[[float], float], guess: float, width: float) -> float:
    """Where a falling function is 0: a bracket around the guess that doubles until it holds it, then false position
    with the Illinois rule, halved where that is slow."""
    low = high = guess
    at_low = at_high = falling(guess)
    while at_low < 0 and low > -WIDEST:
        high, at_high = low, at_low
        low, width = low - width, 2 * width
        at_low = falling(low)
    while at_high > 0 and high < WIDEST:
        low, at_low = high, at_high
        high, width = high + width, 2 * width
        at_high = falling(high)
    if not at_low >= 0 >= at_high:
        return low if at_low < 0 else high
    for turn in range(100):
        if min(at_low, -at_high) <= EXACT or high - low <= 1e-14 * max(1.0, abs(high)):
            break
        # The weights go with the bracket, and are halved for the end that stays (Illinois).
        middle = (low + high) / 2 if turn % 4 == 3 else (low * at_high - high * at_low) / (at_high - at_low)
        there = falling(middle)
        if there > 0:
            low, at_low, at_high = middle, there, at_high if there < at_low / 2 else at_high / 2
        else:
            high, at_high, at_low = middle, there, at_low if there > at_high / 2 else at_low / 2
    return low if at_low <= EXACT else high
