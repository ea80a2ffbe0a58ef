"""Which URLs several journals have, and whose visits count: all nodes of a shared crawl are one collection."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.store.history import History

Hashes = NDArray[np.int64]


class Visit(NamedTuple):
    """One visit that may count."""

    journal: int
    """Its place among the journals."""
    step: int
    at: Millis
    """When it was fetched."""
    is_page: bool


class Distinct:
    """Of the URLs that more than one journal has, whose visit counts: the latest that brought the page, or else the
    latest failure; of two at the same time that of the later journal. Memory: 8 bytes a page, and some 300 for each URL
    that several have. Two passes over the journals.

    Invariants, each the name of a property test:

    * one counts: at any time exactly one journal counts for a URL that some of them had visited by then.
    * nothing twice: without the steps that are `passed_over` each URL is in one journal, and none is lost.
    """

    def __init__(self, journals: Sequence[History]) -> None:
        self._visits: dict[Url, list[Visit]] = {}
        twice = _in_several([journal.hashes() for journal in journals])
        for place, journal in enumerate(journals if twice else ()):
            for url, step, at, is_page in journal.outcomes():
                if hash(url) in twice:
                    self._visits.setdefault(url, []).append(Visit(place, step, at, is_page))
        self._visits = {
            url: visits
            for url, visits in self._visits.items()
            if len({visit.journal for visit in visits}) > 1
        }

    def counts(self, journal: int, url: Url, at: Millis | None = None) -> bool:
        """Whether the visits of this journal are those that count, as of a time (None: now)."""
        visits = self._visits.get(url)
        then = [visit for visit in visits or () if at is None or visit.at <= at]
        return not then or max(then, key=_worth).journal == journal

    def in_several(self) -> Collection[Url]:
        """The URLs that several journals have."""
        return self._visits.keys()

    def passed_over(self, journal: int) -> Iterator[int]:
        """The steps of a journal that count for nothing now, as another has the page."""
        for url, visits in self._visits.items():
            if not self.counts(journal, url):
                yield from (visit.step for visit in visits if visit.journal == journal)


def _worth(visit: Visit) -> tuple[bool, Millis, int]:
    return visit.is_page, visit.at, visit.journal


def _in_several(hashes: Sequence[Hashes]) -> frozenset[int]:
    """What is in more than one of them; each is without repetitions."""
    if len(hashes) < 2:
        return frozenset()
    found, times = np.unique(np.concatenate(hashes), return_counts=True)
    return frozenset(found[times > 1].tolist())
