"""The plan of a made-up web in time: when pages are born, change and die, and which hubs list the new ones.

Times are in days since the web began. Pages of before have changed before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from heapq import merge
from math import inf, log, sqrt
from typing import Final, TypeVar

import msgspec
from msgspec.structs import replace

from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.revisit.history import DAY
from lycosa.web.made.chance import mix, uniform
from lycosa.web.made.ground import Ground, TopicalShape
from lycosa.web.made.habits import Changing, Habit, Replay, Rhythm, changes, latest, normal, rate_of

AGES = 1000.0
"""Pages that were there when the web began were born in so many days before, at any time alike."""
LISTED_AFTER: Final = 0.5
"""Days until a hub lists a new page, on average; exponential."""

KINDS: Final = ((0.49, 11.0), (0.11, 50.0), (0.40, 120.0))
RHYTHMS: Final[Mapping[Rhythm, float]] = {
    "poisson": 0.55,
    "bursty": 0.2,
    "daily": 0.1,
    "weekly": 0.1,
    "regular": 0.05,
}

Kind = TypeVar("Kind")

BORN, LIFE, RATE, RHYTHM, KIND, LISTED, COVER, PART = range(8)
"""What a draw is for: each has a key of its own."""


class ChangingShape(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a changing web looks like. Shares are in [0, 1]."""

    pages: TopicalShape = TopicalShape()
    kinds: tuple[tuple[float, float], ...] = KINDS
    """Kinds of hosts: the share of hosts, and the days in which half of their pages change. As of Cho and
    Garcia-Molina (VLDB 2000), who looked at 720,000 pages of 270 sites daily: .com 11 days, .edu and .gov four months,
    all together about 50 days; 132, 30 and 108 of their sites were commercial, networks, and of universities and
    government."""
    rhythms: Mapping[Rhythm, float] = msgspec.field(default_factory=lambda: dict(RHYTHMS))
    """Shares of pages; together 1."""
    new: float = 0.3
    """Share of pages, homes and hubs apart, that are born after the web began."""
    days: float = 365.0
    """In so many days they are born, at any time alike. Later nothing is born."""
    life: float = 900.0
    """Days that a page lives on average, exponential; homes and hubs live on."""
    unlisted: float = 0.2
    """Share of the new pages that no hub lists: only other pages link to them, from their next change on."""
    shown: int = 20
    """Newest pages that a hub shows, the latest first; older ones have scrolled away."""
    noise: float = 0.3
    """Share of hosts whose pages have a date, a counter or a banner that changes though the page does not."""
    liars: float = 0.3
    """Share of hosts whose servers do not tell the truth of their pages' changes: see `manners.LIES`."""

    def checked(self) -> ChangingShape:
        """Itself. Raises `InputError` for shares that are none."""
        shares = (self.new, self.unlisted, self.noise, self.liars, *self.rhythms.values())
        whole = sum(share for share, _ in self.kinds), sum(self.rhythms.values())
        if min(shares) < 0 or max(shares) > 1 or any(abs(each - 1) > 1e-9 for each in whole):
            raise InputError(f"{self}: give shares from 0 to 1; those of kinds and of rhythms add up to 1")
        if min(self.life, self.days, *(days for _, days in self.kinds)) <= 0:
            raise InputError(f"{self}: give days above 0")
        return self


class Mixture(Record, frozen=True, kw_only=True, gc=False):
    """Of what a page's text consists, as shares; what remains never changes (Olston and Pandey, WWW 2008)."""

    churn: float
    """Replaced as a whole."""
    scroll: float
    """A list of `items`, of which the newest pushes out the oldest."""
    items: int = 0

    def divergence(self, churned: bool, scrolled: int) -> float:
        """In [0, 1]: the share of the text that is another one after so many new items, and after any churn."""
        return self.churn * churned + self.scroll * min(scrolled, self.items) / max(self.items, 1)


MIXTURES: Final = (
    Mixture(churn=0.4, scroll=0.0),
    Mixture(churn=0.0, scroll=0.6, items=6),
    Mixture(churn=0.2, scroll=0.4, items=10),
)
"""Three kinds of pages, a third of all each."""


class Turn(Record, frozen=True, kw_only=True, gc=False):
    """One change of one page."""

    at: float
    scrolls: bool
    """A new item came; else the churning part is another one."""
    item: int | None = None
    """The page that a hub lists anew."""


class Lives:
    """When pages are born, change and die. Every answer is a function of ground, shape and seed.

    Invariants, each the name of a property test:

    * in pieces: the turns of a span are those of its parts.
    * latest first: `turns_before` gives the turns of a span backwards.
    * listed alive: a hub lists a page after it was born.
    """

    def __init__(
        self, ground: Ground, shape: ChangingShape, seed: int, recorded: Sequence[Replay] = ()
    ) -> None:
        """With recorded changes each page changes as one of these did, by chance and at other times: then the shape's
        kinds and rhythms say nothing."""
        self.ground, self.shape, self._recorded = ground, shape, recorded
        self.keys = [mix(seed & (1 << 64) - 1, 2000 + what) for what in range(8)]

    def _draw(self, what: int, number: int) -> float:
        return uniform(self.keys[what], number)

    # -- births and deaths -----------------------------------------------------------------------------------

    def is_lasting(self, number: int) -> bool:
        """Homes and hubs are there from before the beginning, and stay."""
        return self.ground.is_hub(number) or self.ground.is_home(number)

    def born(self, number: int) -> float:
        """Below 0 for a page that was there when the web began."""
        draw = self._draw(BORN, number)
        if draw < self.shape.new and not self.is_lasting(number):
            return draw / self.shape.new * self.shape.days
        return -AGES * self._draw(BORN, ~number)

    def died(self, number: int) -> float:
        """Infinite for a page that stays. A page of before lives its life from the beginning of the web on."""
        if self.is_lasting(number):
            return inf
        return max(0.0, self.born(number)) - log(1 - self._draw(LIFE, number)) * self.shape.life

    def is_there(self, number: int, at: float) -> bool:
        return self.born(number) <= at < self.died(number)

    # -- changes ---------------------------------------------------------------------------------------------

    @lru_cache(maxsize=65536)  # noqa: B019 - bounded, and a web lives as long as its crawls
    def habit(self, number: int) -> Changing:
        """How a page changes, apart from what it lists. Half of the variance of rates is between hosts."""
        if self._recorded:
            played = self._recorded[int(self._draw(RATE, number) * len(self._recorded))]
            return replace(played, shift=self._draw(RHYTHM, number) * played.span)
        host = self.ground.host(number)
        days = _pick(self.shape.kinds, self._draw(KIND, host))
        z = sqrt(0.5) * (normal(self._draw(RATE, ~host)) + normal(self._draw(RATE, number)))
        rhythms = ((share, rhythm) for rhythm, share in self.shape.rhythms.items())
        rhythm = _pick(rhythms, self._draw(RHYTHM, number))
        return Habit(rhythm=rhythm, rate=rate_of(z, days), key=mix(self.keys[RATE], number))

    def mixture(self, number: int) -> Mixture:
        """Of what a page's text consists."""
        return MIXTURES[int(self._draw(PART, number) * len(MIXTURES))]

    def turns(self, number: int, after: float, until: float) -> Iterator[Turn]:
        """The changes of a page at times t with after < t ≤ until, from its birth to its death. Ascending."""
        after, until = max(after, self.born(number)), min(until, self.died(number))
        own = (self._turn(number, at) for at in changes(self.habit(number), after, until))
        listed = (
            Turn(at=at, scrolls=True, item=item) for at, item in self.listed(number) if after < at <= until
        )
        return merge(own, listed, key=lambda turn: turn.at)

    def turns_before(self, number: int, until: float) -> Iterator[Turn]:
        """The changes of a page up to a time, the last one first, back to its birth."""
        born, until = self.born(number), min(until, self.died(number))
        own = (self._turn(number, at) for at in latest(self.habit(number), born, until))
        listed = (
            Turn(at=at, scrolls=True, item=item)
            for at, item in reversed(self.listed(number))
            if born < at <= until
        )
        return merge(own, listed, key=lambda turn: turn.at, reverse=True)

    def version(self, number: int, at: float) -> float:
        """When a page became what it is at a time: its last change, or its birth."""
        return next((turn.at for turn in self.turns_before(number, at)), self.born(number))

    def _turn(self, number: int, at: float) -> Turn:
        parts = self.mixture(number)
        scrolls = (
            uniform(self.keys[PART] ^ number, round(at * DAY)) * (parts.churn + parts.scroll) >= parts.churn
        )
        return Turn(at=at, scrolls=scrolls)

    # -- new pages -------------------------------------------------------------------------------------------

    @lru_cache(maxsize=4096)  # noqa: B019 - as above
    def listed(self, hub: int) -> tuple[tuple[float, int], ...]:
        """When a hub lists which new page of its host's topic: pairs, ascending. Empty for other pages.

        A hub lists a share of them, its own: draw², so few hubs list most and most list few.
        """
        if not self.ground.is_hub(hub):
            return ()
        cover = self._draw(COVER, hub) ** 2
        lot = mix(self.keys[LISTED], hub)
        there = self.ground.kin(hub)
        return tuple(
            sorted(
                (born - LISTED_AFTER * log(1 - uniform(lot, ~page)), page)
                for page in there
                if uniform(lot, page) < cover and (born := self.born(page)) > 0 and self.is_listed(page)
            )
        )

    def is_listed(self, number: int) -> bool:
        """Whether hubs may list the page."""
        return self._draw(LISTED, number) >= self.shape.unlisted

    def shown(self, hub: int, at: float) -> list[int]:
        """The pages that a hub shows at a time as its news, the latest first."""
        there = [page for when, page in self.listed(hub) if when <= at]
        return there[-self.shape.shown :][::-1]


def _pick(shares: Iterable[tuple[float, Kind]], draw: float) -> Kind:
    """What a draw from [0, 1) falls on."""
    *others, (_, last) = shares
    for share, kind in others:
        if draw < share:
            return kind
        draw -= share
    return last
