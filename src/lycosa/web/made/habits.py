"""How often pages change, and when: times of changes that are functions of a key, found from any time on, both ways.

Times are in days since the web began, and may be below 0. Nothing is remembered: time is cut into windows, and the
changes in a window are drawn by its number.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from math import exp, floor
from statistics import NormalDist
from typing import Final, Literal

from lycosa.model.records import Record
from lycosa.web.made.chance import mix, uniform

Rhythm = Literal["poisson", "bursty", "daily", "weekly", "regular"]

SPREAD: Final = 2.5
"""Standard deviation of the logarithm of rates: most pages hardly change, a few change all the time."""
HALF: Final = 0.58717
"""c with E[exp(-c e^(SPREAD Z))] = 1/2 for a standard normal Z: of pages with rates c / days · e^(SPREAD Z) half have
changed after so many days."""
LEAST_RATE, MOST_RATE = 1e-4, 12.0
"""Changes a day."""
LITTER: Final = 5.0
"""Changes in a burst, on average."""
BURST: Final = 0.5
"""Days that a burst lasts at most."""
WANTED: Final = 4.0
"""Changes in a window, on average."""
_QUIET: Final[dict[Rhythm, tuple[float, tuple[tuple[float, float], ...]]]] = {
    "daily": (1.0, ((0.0, 8 / 24), (0.9, 20 / 24), (1.0, 1.0))),
    "weekly": (7.0, ((0.0, 0.0), (0.95, 5 / 7), (1.0, 1.0))),
}
"""Period in days, and which share of the changes has happened when which share of the period has passed: nine in ten
between 8 and 20 o'clock, and 95 % in the first five days of a week."""


class Habit(Record, frozen=True, kw_only=True, gc=False):
    """How a page changes."""

    rhythm: Rhythm
    """`poisson`: at any time alike. `bursty`: five changes within half a day on average, then long nothing. `daily`:
    Poisson by day. `weekly`: Poisson on working days. `regular`: always after the same time."""
    rate: float
    """Changes a day, above 0."""
    key: int


class Replay(Record, frozen=True, kw_only=True, gc=False):
    """A page that changes when another one did, over and over."""

    times: tuple[float, ...]
    """Days in [0, span), ascending."""
    span: float
    """Days that were recorded, above 0."""
    shift: float = 0.0
    """Days by which the recording is late."""

    @property
    def rate(self) -> float:
        """Changes a day."""
        return max(len(self.times) / self.span, LEAST_RATE)


Changing = Habit | Replay


def normal(draw: float) -> float:
    """A standard normal number, of a draw from [0, 1)."""
    return NormalDist().inv_cdf(min(max(draw, 1e-9), 1 - 1e-9))


def rate_of(z: float, days: float) -> float:
    """Changes a day of a page, by a standard normal number: rates are spread so that half of all pages change at least
    once in so many days."""
    return min(max(HALF / days * exp(SPREAD * z), LEAST_RATE), MOST_RATE)


def changes(habit: Changing, after: float, until: float) -> list[float]:
    """The times t of changes with after < t ≤ until. Ascending. Time grows with their number."""
    if until <= after:
        return []
    found = sorted(_drawn(habit, after, until) if isinstance(habit, Habit) else _played(habit, after, until))
    return found[bisect_right(found, after) : bisect_right(found, until)]


def latest(habit: Changing, since: float, until: float) -> Iterator[float]:
    """The times t of changes with since < t ≤ until, the last one first, each as it is asked for."""
    span = WANTED / habit.rate
    while until > since:
        start = max(since, until - span)
        yield from reversed(changes(habit, start, until))
        until, span = start, 2 * span


def _drawn(habit: Habit, after: float, until: float) -> Iterator[float]:
    """The changes between two times and some around, in any order."""
    match habit.rhythm:
        case "poisson":
            yield from _poisson(habit.key, habit.rate, after, until)
        case "bursty":
            for start in _poisson(habit.key, habit.rate / LITTER, after - BURST, until):
                yield from _burst(habit.key, start)
        case "regular":
            span, first = 1 / habit.rate, uniform(habit.key, 0)
            for turn in range(floor(after / span - first), floor(until / span - first) + 1):
                yield (turn + first) * span
        case "daily" | "weekly":
            period, curve = _QUIET[habit.rhythm]
            start, end = floor(after / period) * period, (floor(until / period) + 1) * period
            for at in _poisson(habit.key, habit.rate, start, end):
                whole, part = divmod(at, period)
                yield (whole + _along(curve, part / period)) * period


def _played(habit: Replay, after: float, until: float) -> Iterator[float]:
    """The changes of all rounds that have some of the time between."""
    if not habit.times:
        return
    span, shift = habit.span, habit.shift
    for turn in range(floor((after - shift) / span), floor((until - shift) / span) + 1):
        for at in habit.times:
            yield shift + turn * span + at


def _poisson(key: int, rate: float, after: float, until: float) -> Iterator[float]:
    """A Poisson process: so many changes as are drawn for each window, each anywhere in it."""
    width = WANTED / rate
    for window in range(floor(after / width), floor(until / width) + 1):
        drawn = mix(key, window)
        for change in range(_count(WANTED, uniform(drawn, 0))):
            at = (window + uniform(drawn, 1 + change)) * width
            if after < at <= until:
                yield at


def _burst(key: int, start: float) -> Iterator[float]:
    """A change and a Poisson number of others soon after it (Neyman and Scott 1958)."""
    drawn = mix(key, floor(start * 1e6))
    yield start
    for change in range(_count(LITTER - 1, uniform(drawn, 0))):
        yield start + BURST * uniform(drawn, 1 + change)


def _count(mean: float, draw: float) -> int:
    """A Poisson number, by inversion."""
    count, chance = 0, exp(-mean)
    below = chance
    while draw >= below and count < 64:
        count += 1
        chance *= mean / count
        below += chance
    return count


def _along(curve: tuple[tuple[float, float], ...], share: float) -> float:
    """Where a piecewise straight, rising curve through the points is at a share; both in [0, 1)."""
    x0 = y0 = 0.0
    for x, y in curve:
        if share < x:
            return y0 + (y - y0) * (share - x0) / (x - x0)
        x0, y0 = x, y
    return y0
