"""Rounds: all pages once, and then all again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from math import floor
from typing import Annotated, Any, Final

import msgspec

from lycosa.model.records import Millis
from lycosa.model.url import Url, host_of
from lycosa.revisit.chance import chance
from lycosa.revisit.history import DAY, History
from lycosa.revisit.policy import NEVER, Pages, Policy

SLACK: Final = 0.1
"""A round keeps its length while the budget would let it be shorter by no more than this: its pages keep their
places."""


class Rounds(Policy):
    """Each page has a place in the round, from 0 to 1, and is due when the round comes to it.

    A round takes as many days as the budget needs for all pages. Rounds are counted from the beginning of time, so that
    a page's times are known from the length alone; a page that was visited late is due in the next round as ever.
    """

    def __init__(self) -> None:
        self._days: float | None = None

    @abstractmethod
    def place(self, url: Url) -> float:
        """At least 0, below 1."""

    def solve(self, pages: Pages, budget: float) -> None:
        needed = len(pages) / budget if len(pages) and budget > 0 else None
        if needed is None or self._days is None or not needed <= self._days <= needed * (1 + SLACK):
            self._days = needed

    def due(self, history: History, now: Millis) -> Millis:
        if self._days is None:
            return NEVER
        round_, last = self._days * DAY, history.last.at
        place = self.place(history.url)
        turn = floor((last + 1) / round_ - place) + 1  # times are whole milliseconds
        return Millis(min(NEVER, max(last + 1, round((turn + place) * round_))))

    def save(self) -> Mapping[str, Any]:
        return {"days": self._days}

    def load(self, state: Mapping[str, Any]) -> None:
        self._days = state["days"]


class Batch(Rounds):
    """Visits all pages in the first part of a round, and then rests.

    Use it to compare with crawlers that crawl for a week each month.

    Pages that are replaced at once are as fresh as with `steady`: each is visited once a round. What a batch crawler
    loses shows when readers see the new collection only after the round is complete (shadowing), or when what it finds
    is wanted soon. `share` of the round is for visits, at times that are a hash of the URL.
    """

    reference = (
        "Cho & Garcia-Molina, The evolution of the web and implications for an incremental crawler, VLDB 2000"
    )

    def __init__(self, *, share: Annotated[float, msgspec.Meta(gt=0, le=1)] = 0.25) -> None:
        super().__init__()
        self._share = share

    def place(self, url: Url) -> float:
        return self._share * chance(url)


class Steady(Rounds):
    """Visits all pages one after the other, always at the same pace.

    Use it as the plainest incremental crawler: it is `batch` without the rest. Like `uniform`, it asks for one visit a
    page and round; unlike there, each page keeps its place in the round even if a visit was late.
    """

    reference = Batch.reference

    def place(self, url: Url) -> float:
        return chance(url)


class Burner(Rounds):
    """Visits site by site, each whole before the next begins.

    Use it for an archive in which the pages of a site should be of one time.

    All pages of a host have one place in the round, a hash of its name: they are due at once, before any page of the
    hosts that follow, and go in an order that is a hash of their URLs.
    """

    reference = "Burner, Crawling towards eternity, Web Techniques 2(5), 1997"

    def place(self, url: Url) -> float:
        return chance(host_of(url))

    def urgency(self, history: History, now: Millis) -> float:
        """The site that was due first goes on until it is done."""
        if self._days is None:
            return 0.0
        return -self.due(history, now) + chance(history.url) / 2
