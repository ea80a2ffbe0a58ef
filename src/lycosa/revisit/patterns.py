"""When in the day or the week pages change, and how much that matters.

A pattern has a number for each slot of a period (an hour of the day, a day of the week): the mean importance of what
changes in it. Ben Saad and Gançarski have snapshots at every hour; a crawl has looks at any times. So what a look found
is spread over the slots since the look before by their share of that time, and a slot's sum is divided by how often it
was watched.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Annotated, Final, Literal

import msgspec
import numpy as np

from lycosa.model.records import Look, Millis, Record
from lycosa.model.url import Url
from lycosa.revisit.history import DAY, History, is_change, share_of_change
from lycosa.revisit.paced import Paced, Part
from lycosa.revisit.policy import NEVER, Estimates, Floats, Pages

HOUR: Final = 3_600_000
ALIKE: Final = 0.9
"""The cosine from which on pages have one pattern."""
NEAR: Final = 0.1
"""The share of what is wanted by which a visit may be moved to the end of busy slots."""
REMEMBERED: Final = 1_024
"""Patterns that are not made anew: due time, urgency and row of a page are asked for one after the other."""
PERIODS: Final = {"day": (DAY, 24), "week": (7 * DAY, 7)}
"""Length in milliseconds, and slots. Periods begin at midnight UTC, weeks on Thursday, as the epoch does."""

Period = Literal["day", "week"]
Imagined = Annotated[float, msgspec.Meta(gt=0, le=1_000)]


class Pattern(Record, frozen=True, kw_only=True, gc=False):
    """Importance of changes by slots of a period.

    Invariants, each the name of a property test:

    * nothing is lost: what is spread over slots adds up to the importance of all changes.
    * a uniform pattern asks for visits as age times importance does.
    """

    slots: tuple[float, ...]
    """Mean importance of what changes in each slot, at least 0."""
    length: int = DAY
    """Of the period, in milliseconds: a multiple of the number of slots."""

    @property
    def span(self) -> int:
        """Milliseconds of a slot."""
        return self.length // len(self.slots)

    def slot(self, at: int) -> int:
        """In which slot a time lies."""
        return at % self.length // self.span

    def urgency(self, importance: float, last: int, now: int) -> float:
        """Of a page that was seen last at `last`: importance · ω(slot of now) · hours since then.

        >>> Pattern(slots=(0, 7, 0, 1)).urgency(1, 5 * HOUR, 8 * HOUR)
        21.0
        """
        return importance * self.slots[self.slot(now)] * (now - last) / HOUR

    def between(self, begin: int, end: int) -> float:
        """∫ω: how much importance comes together between two times, in that of slots."""
        first = begin - begin % self.length
        return self._since(end - first) - self._since(begin - first)

    def reached(self, last: int, wanted: float) -> int:
        """The first time at which so much importance, above 0, has come together since `last`; `NEVER` if that takes
        for ever."""
        sums = self._sums()
        first = last - last % self.length
        periods, left = divmod(self._since(last - first) + wanted, sums[-1] or math.inf)
        if not left:
            periods, left = periods - 1, sums[-1]
        if sums[-1] <= 0 or periods >= (NEVER - first) // self.length:
            return NEVER
        slot = bisect_left(sums, left, 1, len(self.slots)) - 1
        into = (left - sums[slot]) / self.slots[slot] if self.slots[slot] else 0.0
        return first + int(periods) * self.length + slot * self.span + math.ceil(into * self.span)

    def best_near(self, last: int, wanted: float) -> int:
        """`reached`, or the nearest end of busy slots, those above the mean: there a visit sees all that they brought.
        It may be so much earlier or later that it makes a tenth of what is wanted."""
        planned = self.reached(last, wanted)
        mean = math.fsum(self.slots) / len(self.slots)
        following = (*self.slots[1:], self.slots[0])
        ends = [
            n + 1
            for n, pair in enumerate(zip(self.slots, following, strict=True))
            if pair[0] > mean >= pair[1]
        ]
        if planned >= NEVER or not ends:
            return planned
        midnight = planned - planned % self.length
        times = [midnight + end * self.span + turn * self.length for end in ends for turn in (-1, 0, 1)]
        off, best = min((abs(self.between(planned, time)), time) for time in times)
        return best if off <= NEAR * wanted and best > last else planned

    def _since(self, span: int) -> float:
        """What comes together from the beginning of a period on."""
        sums = self._sums()
        periods, rest = divmod(span, self.length)
        slot, into = divmod(rest, self.span)
        return periods * sums[-1] + sums[slot] + self.slots[slot] * into / self.span

    def _sums(self) -> list[float]:
        return [0.0, *accumulate(self.slots)]


def seen(looks: Sequence[Look], period: Period = "day") -> tuple[Floats, Floats]:
    """By slots: the importance of what changed in them, and how often they were watched."""
    length, count = PERIODS[period]
    return spread([(a.at, b.at, importance(a, b)) for a, b in pairwise(looks)], length, count)


def importance(before: Look, look: Look) -> float:
    """Of what a look found to differ, in [0, 1]."""
    return share_of_change(look, look.importance) if is_change(before.sight, look.sight) else 0.0


def spread(spans: Sequence[tuple[int, int, float]], length: int, count: int) -> tuple[Floats, Floats]:
    """What changed between two times, with its importance, spread over the slots of a period of so many milliseconds;
    and how often each slot was watched."""
    if not spans:
        return np.zeros(count), np.zeros(count)
    begins, ends, weights = (np.array(column)[:, None] for column in zip(*spans, strict=True))
    slot = length // count
    edges = np.arange(count) * slot
    # Time in each slot before either end: of whole periods, and of the one that is under way.
    until, since = (at // length * slot + np.clip(at % length - edges, 0, slot) for at in (ends, begins))
    times = (until - since) / slot
    shares = weights * slot / np.maximum(ends - begins, 1)
    return (shares * times).sum(axis=0), times.sum(axis=0)


@lru_cache(maxsize=REMEMBERED)
def pattern(looks: tuple[Look, ...], period: Period = "day", imagined: float = 1.0) -> Pattern:
    """A page's pattern. Each slot is given so many imagined watches in which it was like all of them, and the page a
    day with a change of importance ½."""
    length, count = PERIODS[period]
    changed, watched = seen(looks, period)
    days = float(watched.sum()) * length / count / DAY
    usual = (float(changed.sum()) + 0.5) / (days + 1) * (length / count / DAY)
    return Pattern(slots=tuple(((changed + imagined * usual) / (watched + imagined)).tolist()), length=length)


def merged(patterns: Mapping[Url, Pattern], alike: float = ALIKE) -> list[tuple[Pattern, tuple[Url, ...]]]:
    """Pages of one pattern together: each page joins the first group to whose mean its cosine is at least `alike`.

    Patterns are of one period. A group's pattern is the mean of its pages'.
    """
    sums: list[Floats] = []
    members: list[list[Url]] = []
    for url, each in patterns.items():
        slots = np.array(each.slots)
        at = next((n for n, total in enumerate(sums) if _cosine(slots, total) >= alike), None)
        if at is None:
            sums.append(slots)
            members.append([url])
        else:
            sums[at] = sums[at] + slots
            members[at].append(url)
    length = next(iter(patterns.values())).length if patterns else DAY
    return [
        (Pattern(slots=tuple((total / len(urls)).tolist()), length=length), tuple(urls))
        for total, urls in zip(sums, members, strict=True)
    ]


def _cosine(one: Floats, other: Floats) -> float:
    norm = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / norm if norm else float(not one.any() and not other.any())


def quietest(patterns: Sequence[Pattern], slots: int) -> int:
    """The slot at which to begin to visit a collection, for a visit of so many slots: then least of it changes
    meanwhile, so that its pages fit together. Patterns are of one period; there is at least one."""
    total = np.sum([each.slots for each in patterns], axis=0)
    around = np.concatenate([total] * (1 + -(-slots // len(total))))
    sums = [float(around[begin : begin + slots].sum()) for begin in range(len(total))]
    return int(np.argmin(sums))


class Patterns(Paced):
    """Visits pages in the hours or on the days in which they change.

    Use it when pages change by the clock: news by day, minutes on Mondays. For pages that change at any time it visits
    in proportion to their importance.

    A page's pattern tells how much changes in each slot of a `period`, a `day` of 24 hours or a `week` of seven days. A
    page is due when what is expected to have changed since the last look, times its worth, comes to T: so time that
    passes in quiet slots does not count, and a visit that falls near the end of busy slots waits for it, or comes then
    already. T follows from the budget. Among pages that are due those of the highest
    urgency go first, worth · ω · time since the last look, where ω is the slot's. Slots begin as all alike, with
    the weight of `imagined` periods.
    """

    reference = "Ben Saad & Gançarski, Archiving the web using page changes patterns: a case study, JCDL 2011"

    def __init__(
        self,
        *,
        period: Period = "day",
        imagined: Imagined = 5.0,
        signals: bool = True,
        explore: Part = 0.05,
    ) -> None:
        super().__init__(signals=signals, explore=explore)
        self._period, self._imagined = period, imagined

    def estimate(self, history: History) -> Estimates:
        found = self._pattern(history)
        a_day = math.fsum(found.slots) * DAY / found.length
        return msgspec.structs.replace(super().estimate(history), changes=a_day, is_told=False)

    def price(self, pages: Pages, budget: float) -> float:
        return float((pages.worth * pages.changes).sum()) / budget or 1.0

    def rates(self, pages: Pages, price: float) -> Floats:
        return pages.worth * pages.changes / price

    def planned(self, history: History, row: Estimates, rate: float) -> Millis:
        """As much importance after the last look as comes together in 1/ρ days on average."""
        last = history.last.at
        return Millis(max(last + 1, self._pattern(history).best_near(last, row.changes / rate)))

    def urgency(self, history: History, now: Millis) -> float:
        row = super().estimate(history)
        return self._pattern(history).urgency(row.worth, history.last.at, now)

    def _pattern(self, history: History) -> Pattern:
        return pattern(history.looks, self._period, self._imagined)
