"""Visitors as features: who saw pages that satisfy is a guide to others, most of all to what was seen just then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lycosa.crawl.inputs import UsageLog
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.strategies.intelligent.interest import Base
from lycosa.strategies.parts.columns import Numbers

MOST_PARTNERS = 10_000
"""Views beside those of one page that are looked at when it satisfies, and URLs that are followed from it."""


class Traces:
    """Views of users by URL and by time, and each user's affinity A(u) = P(C|u) / P(C).

    Made of a log in time linear in its views (but for sorting), and of numbers only: the log need not be kept.

    Invariant, the name of a property test:

    * order of users does not matter: who is called what in the log changes no score.
    """

    def __init__(self, log: UsageLog, window: Millis) -> None:
        self.urls = log.urls
        self._numbers = {url: number for number, url in enumerate(log.urls)}
        views = [
            (user, view.at, view.url)
            for user, session in zip(log.users, log.sessions, strict=True)
            for view in session
        ]
        ordered = np.array(sorted(views), dtype=np.int64).reshape(-1, 3)
        self._user, self._at, self._url = ordered[:, 0], ordered[:, 1], ordered[:, 2]
        self._window = window
        users = int(self._user.max()) + 1 if len(views) else 0
        self._met, self._good = np.zeros(users), np.zeros(users)
        # Distinct pairs of user and URL, by URL: the pairs of URL i lie from _ends[i] to _ends[i + 1].
        by_url = np.lexsort((self._user, self._url))
        pairs = np.stack((self._url[by_url], self._user[by_url]), axis=1)
        first = np.ones(len(pairs), dtype=bool)
        first[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
        self._pairs = pairs[first]
        self._pair_of_view = np.empty(len(pairs), dtype=np.int64)
        self._pair_of_view[by_url] = np.cumsum(first) - 1
        self._views_by_url = by_url
        self._view_ends = np.searchsorted(self._url[by_url], np.arange(len(self.urls) + 1))
        self._ends = np.searchsorted(self._pairs[:, 0], np.arange(len(self.urls) + 1))
        self._near = np.zeros(len(self._pairs), dtype=bool)
        self.scores: Numbers = np.zeros(len(self.urls))
        """S_user of each URL of the log, as of the last `weigh`."""

    def number(self, url: Url) -> int | None:
        return self._numbers.get(url)

    def numbers(self, urls: Sequence[Url]) -> Numbers:
        """The place of each URL in the log; -1: not in it."""
        find = self._numbers.get
        return np.array([find(url, -1) for url in urls], dtype=np.int64)

    def count(self, url: Url, good: bool) -> list[int]:
        """A page came in: its users have one page more. If it satisfies: what they saw then as well."""
        number = self._numbers.get(url)
        if number is None:
            return []
        users = self._pairs[self._ends[number] : self._ends[number + 1], 1]
        self._met[users] += 1
        if not good:
            return []
        self._good[users] += 1
        return self._mark_near(number)

    def _mark_near(self, number: int) -> list[int]:
        """Temporal locality: what a user saw within the window of a page that satisfies."""
        found: dict[int, None] = {}
        looked = 0
        for view in self._views_by_url[self._view_ends[number] : self._view_ends[number + 1]].tolist():
            first, last = self._span(view)
            self._near[self._pair_of_view[first:last]] = True
            found.update(dict.fromkeys(self._url[first:last].tolist()))
            looked += last - first
            if looked >= MOST_PARTNERS:
                break
        return list(found)

    def _span(self, view: int) -> tuple[int, int]:
        """The views of the same user within the window of this one, as a range of the views by user and time."""
        user, at = int(self._user[view]), int(self._at[view])
        low = int(np.searchsorted(self._user, user, "left"))
        high = int(np.searchsorted(self._user, user, "right"))
        times = self._at[low:high]
        first = low + int(np.searchsorted(times, at - self._window, "left"))
        return first, low + int(np.searchsorted(times, at + self._window, "right"))

    def affinities(self, base: Base, smoothing: float) -> Numbers:
        """A(u) of each user: 1 where nothing is known."""
        affinities: Numbers = (self._good + smoothing) / (self._met * base.share + smoothing)
        return affinities

    def weigh(self, base: Base, smoothing: float, boost: float) -> None:
        """S_user(c) = Σ_u log max(1, A(u)) · (1 + λ·temporal(u, c)) over the users who saw c."""
        logs = np.log(np.maximum(self.affinities(base, smoothing), 1.0))
        parts = logs[self._pairs[:, 1]] * (1.0 + boost * self._near)
        self.scores = np.bincount(self._pairs[:, 0], parts, minlength=len(self.urls))

    def save(self) -> Mapping[str, Any]:
        return {
            "met": self._met.tobytes(),
            "good": self._good.tobytes(),
            "near": np.packbits(self._near).tobytes(),
            "scores": self.scores.tobytes(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._met = np.frombuffer(state["met"]).copy()
        self._good = np.frombuffer(state["good"]).copy()
        bits = np.unpackbits(np.frombuffer(state["near"], dtype=np.uint8), count=len(self._pairs))
        self._near = bits.astype(bool)
        self.scores = np.frombuffer(state["scores"]).copy()
