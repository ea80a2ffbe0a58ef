"""All pages of a collection as columns: what each is, and what it is counted by."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from lycosa.crawls.portal.copies import Copies, Known
from lycosa.crawls.portal.facets import Mask, Single
from lycosa.model.records import Millis, Record
from lycosa.model.rights import Rights
from lycosa.model.url import host_of
from lycosa.read.rights import shown_until, snippet_limit
from lycosa.store.extract import shortened
from lycosa.store.full_text import TextIndex
from lycosa.store.history import History
from lycosa.store.page_facts import PageFact
from lycosa.store.sorted_pages import SortedPages

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

NOWHERE = -1
"""The place of a page that is none of the collection."""

UNKNOWN = -1.0
"""The length of a page that is not in the index."""

FOR_EVER: Final = Millis(2**63 - 1)
"""The end of pages that name none."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Shelf(Record, frozen=True, kw_only=True):
    """What is told of the pages of one crawler: a part of a collection."""

    node: str = ""
    """Of a shared crawl."""
    collection: str = ""
    """Where several are searched together: the folder."""


class Source(Record, frozen=True):
    """Where the pages of one crawler are read from."""

    history: History
    texts: TextIndex
    sorted: SortedPages | None = None
    """None where nothing was given to sort by."""


class _Seen(NamedTuple):
    """The latest visit to a URL."""

    shelf: int
    at: Millis
    place: int

    def is_after(self, later_read: _Seen) -> bool:
        """Than one that was read later: of the same journal it never is, as steps count there."""
        return self.shelf != later_read.shelf and self.at > later_read.at


class Columns:
    """The pages of several crawlers by their places, which count from 0: in the order in which they were read from the
    journals, so that a page keeps its place.

    A page that was fetched several times counts as it was fetched last, by whichever crawler: by the URL that was asked
    for, and by the one where redirects ended. What asked not to be indexed is left out, and what asked to
    be found until a moment that is past.

    Invariants, each the name of a property test:

    * as read at once: read step by step, they are as if read at once.
    * each page once: of the visits to a URL only the latest is alive.
    """

    def __init__(self, shelves: Sequence[Shelf]) -> None:
        self.shelves = shelves
        self.shelf: Integers = np.empty(0, np.int64)
        self.step: Integers = np.empty(0, np.int64)
        self.relevance: Floats = np.empty(0)
        self.date: Integers = np.empty(0, np.int64)
        self.group: Integers = np.empty(0, np.int64)
        """Copies have the same one."""
        self.alive: Mask = np.empty(0, bool)
        """Whether the page is as it was fetched last."""
        self.words: Floats = np.empty(0)
        """How long a page is; `UNKNOWN` until it is in the index."""
        self.until: Integers = np.empty(0, np.int64)
        """When a page asked to be found no longer."""
        self.now = Millis(0)
        """When the journals were read."""
        self.facets: Mapping[str, Single] = _facets(shelves)
        self._read = [0] * len(shelves)
        self._indexed = [0] * len(shelves)
        self._places: list[Integers] = [np.empty(0, np.int64) for _ in shelves]
        self._latest: dict[str, _Seen] = {}
        self._copies = Copies()
        self._rights: dict[int, Rights] = {}
        self._once: dict[Rights, Rights] = {}

    def __len__(self) -> int:
        return len(self.step)

    @property
    def indexed(self) -> Mask:
        """Which pages can be found."""
        found: Mask = self._shown & (self.words != UNKNOWN)
        return found

    @property
    def unindexed(self) -> int:
        """How many will be found when they are in the index."""
        return int(np.count_nonzero(self._shown & (self.words == UNKNOWN)))

    @property
    def _shown(self) -> Mask:
        found: Mask = self.alive & (self.until > self.now)
        return found

    def rights(self, place: int) -> Rights:
        """What is said of the use of a page."""
        return self._rights.get(place, ())

    def snippet(self, place: int, extract: str) -> str:
        """As much of an extract as the page allows to be shown."""
        limit = snippet_limit(self.rights(place))
        return extract if limit is None else shortened(extract, limit)

    def place(self, shelf: int, steps: Integers) -> Integers:
        """Where the pages of steps are, `NOWHERE` if they are not."""
        places = self._places[shelf]
        found = np.full(len(steps), NOWHERE, np.int64)
        known = steps < len(places)
        found[known] = places[steps[known]]
        return found

    def place_of(self, url: str) -> int:
        """Where a page is by its URL, or by the one that was asked for; `NOWHERE` if there is none."""
        seen = self._latest.get(url)
        return NOWHERE if seen is None else seen.place

    # -- reading -------------------------------------------------------------------------------------------

    def bring_up_to_date(self, sources: Sequence[Source]) -> None:
        """Read what the journals and the indexes have had since."""
        self.now = Millis(round(time.time() * 1000))
        for number, source in enumerate(sources):
            facts = list(source.history.page_facts.since(self._read[number]))
            if facts:
                self._read[number] = facts[-1].step
                self._add(number, facts)
            self._take_lengths(number, source.texts)

    def _add(self, number: int, facts: Sequence[PageFact]) -> None:
        kept = [fact for fact in facts if not fact.noindex]
        first = len(self)
        self.shelf = np.append(self.shelf, np.full(len(kept), number))
        self.step = np.append(self.step, np.array([fact.step for fact in kept], np.int64))
        self.relevance = np.append(self.relevance, [fact.relevance for fact in kept])
        self.date = np.append(self.date, np.array([fact.date for fact in kept], np.int64))
        groups = self._copies.groups([Known(fact.digest, fact.fingerprint % 2**64) for fact in kept])
        self.group = np.append(self.group, np.array(groups, np.int64))
        self.words = np.append(self.words, np.full(len(kept), UNKNOWN))
        untils = (shown_until(fact.rights) if fact.rights else None for fact in kept)
        until = [FOR_EVER if each is None else each for each in untils]
        self.until = np.append(self.until, np.array(until, np.int64))
        for place, fact in enumerate(kept, first):
            if fact.rights:  # many pages of a site say the same
                self._rights[place] = self._once.setdefault(fact.rights, fact.rights)
        self.alive = np.append(self.alive, np.zeros(len(kept), bool))
        self._find_places(number, first)
        self._see(number, facts, first)
        for name, column in self.facets.items():
            column.extend(_VALUES[name](self.shelves[number], fact) for fact in kept)

    def _find_places(self, number: int, first: int) -> None:
        steps, known = self.step[first:], self._places[number]
        places = np.full(max(len(known), int(steps.max(initial=0)) + 1), NOWHERE, np.int64)
        places[: len(known)] = known
        places[steps] = np.arange(first, len(self))
        self._places[number] = places

    def _see(self, number: int, facts: Sequence[PageFact], place: int) -> None:
        """Let the latest visits count: these are new, the first that is kept at this place."""
        for fact in facts:
            kept = NOWHERE if fact.noindex else place
            place += not fact.noindex
            seen = _Seen(number, fact.fetched_at, kept)
            before = [self._latest.get(name) for name in (fact.asked, fact.url)]
            if any(each is not None and each.is_after(seen) for each in before):
                continue
            for each in before:
                if each is not None and each.place != NOWHERE:
                    self.alive[each.place] = False
            self._latest[fact.asked] = self._latest[fact.url] = seen
            if kept != NOWHERE:
                self.alive[kept] = True

    def _take_lengths(self, number: int, index: TextIndex) -> None:
        if index.last_step < self._indexed[number]:  # it was built anew
            self.words[self.shelf == number] = UNKNOWN
            self._indexed[number] = 0
        steps, words = index.lengths(self._indexed[number])
        if len(steps):
            self._indexed[number] = int(steps[-1])
            places = self.place(number, steps)
            known = places != NOWHERE
            self.words[places[known]] = words[known]


def _facets(shelves: Sequence[Shelf]) -> Mapping[str, Single]:
    relevance = Single("relevance", key=_greatest_first)
    columns = [
        Single("host"),
        Single("language"),
        Single("type"),
        Single("date", separator="-", key=_newest_first),
        relevance,
        Single("depth", key=int),
    ]
    relevance.labels = {
        band(tenth / 10): f"{tenth / 10:.1f} to {tenth / 10 + 0.1:.1f}" for tenth in range(10)
    }
    columns += [Single("node")] if any(shelf.node for shelf in shelves) else []
    columns += [Single("collection")] if any(shelf.collection for shelf in shelves) else []
    return {column.name: column for column in columns}


def _newest_first(value: str) -> tuple[int, ...]:
    """Years from the newest, and the months of each below it."""
    year, _, month = value.partition("-")
    return -int(year), -int(month or 13)


def _greatest_first(value: str) -> float:
    return -float(value)


def _month(at: Millis) -> str:
    return f"{_EPOCH + timedelta(milliseconds=at):%Y-%m}"


def band(relevance: float) -> str:
    """The lower end of the tenth in which a relevance lies.

    >>> band(0.37), band(1.0), band(0.3)
    ('0.3', '0.9', '0.3')
    """
    return f"{min(9, int(relevance * 10 + 1e-9)) / 10:.1f}"


_VALUES: Final[Mapping[str, Callable[[Shelf, PageFact], str]]] = {
    "host": lambda shelf, fact: host_of(fact.url),
    "language": lambda shelf, fact: fact.language,
    "type": lambda shelf, fact: fact.media_type,
    "date": lambda shelf, fact: _month(fact.date),
    "relevance": lambda shelf, fact: band(fact.relevance),
    "depth": lambda shelf, fact: str(fact.depth),
    "node": lambda shelf, fact: shelf.node,
    "collection": lambda shelf, fact: shelf.collection,
}
