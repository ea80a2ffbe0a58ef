"""What is true of some pages over some days: all that the light simulation of revisits knows of a web.

Times are days since the beginning, when the collection is made: pages of before are in it, others have to be found.
"""

from __future__ import annotations

from bisect import bisect_right
from math import inf

import numpy as np
import numpy.typing as npt

from lycosa.model.records import Record
from lycosa.model.url import Url

Floats = npt.NDArray[np.float64]


class PageLife(Record, frozen=True, kw_only=True, dict=True):
    """When one page was born, changed and died, and what it listed."""

    url: Url
    changes: Floats
    """When it became another one, ascending; birth and death left out."""
    churns: npt.NDArray[np.bool_] | None = None
    """Of which changes the churning part is another one; the others bring an item each. None: all."""
    churn: float = 1.0
    """The share of the text that churns."""
    scroll: float = 0.0
    """The share of the text that is a list of items."""
    items: int = 1
    """So many items are shown; the newest pushes out the oldest."""
    born: float = -inf
    """At most 0: it is there from the beginning on."""
    died: float = inf
    relevance: float = 0.0
    """What the page is worth to the topic in truth, in [0, 1]."""
    seen_relevance: float = 0.0
    """What a crawler takes it for."""
    importance: float | None = None
    """What somebody said that it is worth; None: its relevance."""
    clicks: float = 0.0
    """How often readers come upon the copy, in any unit: for embarrassment, and what a change of the whole page does to
    the answers to their queries."""
    listings: tuple[tuple[float, int], ...] = ()
    """When it listed which new page, by its place in the world. Ascending."""
    shown: int = 1 << 30
    """So many newest listings are shown; older ones have gone."""
    is_dated: bool = True
    """Whether the server says truly when it changed last; others say nothing, or what nobody believes."""
    is_told: bool = False
    """Whether a sitemap, a feed or a ping tells of all its changes."""

    def is_there(self, at: float) -> bool:
        return self.born <= at < self.died

    def truths(self) -> Floats:
        """The times from which on an older copy is wrong: changes and death, ascending."""
        return np.append(self.changes, self.died) if self.died < inf else self.changes

    def divergence(self, last: float, now: float) -> float:
        """In [0, 1]: which share of the text a look finds to differ from that of the last one."""
        first, end = np.searchsorted(self.changes, (last, now), "right")
        if self.churns is None:
            return self.churn * bool(end > first)
        churned = int(self.churns[first:end].sum())
        scrolled = int(end - first) - churned
        return self.churn * (churned > 0) + self.scroll * min(scrolled, self.items) / self.items

    def new_listings(self, last: float, now: float) -> list[int]:
        """The pages listed since the last look that are still shown now, the latest first."""
        end = bisect_right(self.listings, (now, 1 << 60))
        start = max(bisect_right(self.listings, (last, 1 << 60)), end - self.shown)
        return [page for _, page in self.listings[start:end][::-1]]


class World(Record, frozen=True, kw_only=True):
    """Pages over some days. The first ones are the collection; the others were born later."""

    name: str
    days: float
    pages: tuple[PageLife, ...]

    @property
    def collection(self) -> list[int]:
        """The places of the pages that are there, and known, from the beginning on."""
        return [place for place, page in enumerate(self.pages) if page.is_there(0.0)]

    @property
    def new(self) -> list[int]:
        """The places of those that are born later."""
        return [place for place, page in enumerate(self.pages) if 0.0 < page.born <= self.days]

    def first_listings(self) -> dict[int, float]:
        """When each page was listed first, of those that were."""
        first: dict[int, float] = {}
        for at, item in (each for page in self.pages for each in page.listings):
            first[item] = min(at, first.get(item, inf))
        return first
