"""Facets: by what pages are counted and narrowed, as columns of small integers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from lycosa.crawls.answers import Facet, FacetValue

Mask = npt.NDArray[np.bool_]
"""Of each page whether it is meant."""
Codes = npt.NDArray[np.int32]


def all_of(masks: Sequence[Mask]) -> Mask:
    """The pages that all mean; at least one is given."""
    found: Mask = np.logical_and.reduce(masks)
    return found


def any_of(masks: Sequence[Mask]) -> Mask:
    """The pages that one means; at least one is given."""
    found: Mask = np.logical_or.reduce(masks)
    return found


NONE: Final = -1
"""The code of a page that has no value."""

Key = Callable[[str], Any]
"""By what values are ordered, the least first."""


class Names:
    """Values and their codes, which count from 0 in the order in which the values came."""

    def __init__(self) -> None:
        self.known: list[str] = []
        self._codes: dict[str, int] = {}

    def code(self, name: str) -> int:
        """The code of a value, a new one if need be."""
        found = self._codes.get(name)
        if found is None:
            found = self._codes[name] = len(self.known)
            self.known.append(name)
        return found

    def find(self, name: str) -> int | None:
        return self._codes.get(name)


class Column(ABC):
    """One facet of all pages.

    With a `separator` its values are paths of a tree: a page that has a value has all that are above it. Without a
    `key` the values that most pages have come first.

    Invariants, each the name of a property test:

    * counts what narrowing gives: the number of a value is that of the pages that it narrows to.
    """

    def __init__(self, name: str, *, separator: str = "", key: Key | None = None) -> None:
        self.name = name
        self.labels: Mapping[str, str] = {}
        """What values are called, where that is not the value."""
        self._separator, self._key = separator, key
        self._names = Names()

    @abstractmethod
    def narrowed(self, values: Collection[str]) -> Mask:
        """The pages that have one of some values."""

    @abstractmethod
    def _counted(self, pages: Mask) -> npt.NDArray[np.int64]:
        """By code, how many of some pages have a value, what is below it apart."""

    @property
    @abstractmethod
    def is_empty(self) -> bool:
        """Whether no page has a value, not even an empty one."""

    def counts(self, pages: Mask) -> dict[str, int]:
        """How many of some pages have each value; of a tree, also the values above. Zeros are left out."""
        counted = self._counted(pages)
        here = {self._names.known[code]: int(counted[code]) for code in np.flatnonzero(counted)}
        return self._rolled_up(here, pages) if self._separator else here

    def _rolled_up(self, here: Mapping[str, int], pages: Mask) -> dict[str, int]:
        found: dict[str, int] = {}
        for value, n in here.items():
            for above in self._lineage(value):
                found[above] = found.get(above, 0) + n
        return found

    def _codes_of(self, values: Collection[str]) -> list[int]:
        """The codes of values; of a tree, also of all below them."""
        if not self._separator:
            return [code for value in values if (code := self._names.find(value)) is not None]
        wanted = frozenset(values)
        known = enumerate(self._names.known)
        return [code for code, name in known if not wanted.isdisjoint(self._lineage(name))]

    def _lineage(self, value: str) -> list[str]:
        parts = value.split(self._separator)
        return [self._separator.join(parts[: depth + 1]) for depth in range(len(parts))]

    def below(self, at: str, pages: Mask) -> dict[str, int]:
        """How many of some pages have each value directly below one; the topmost below none."""
        counts = self.counts(pages)
        if not self._separator:
            return {} if at else counts
        return {value: n for value, n in counts.items() if value != at and self._above(value) == at}

    def _above(self, value: str) -> str:
        return value.rpartition(self._separator)[0]

    def above(self, value: str) -> list[str]:
        """The values above one, the topmost first."""
        return self._lineage(value)[:-1] if self._separator and value else []

    def value_of(self, value: str, pages: int, *, chosen: bool = False) -> FacetValue:
        """As an answer."""
        return FacetValue(value=value, pages=pages, chosen=chosen, label=self.labels.get(value, ""))

    def in_order(self, counts: Mapping[str, int]) -> list[str]:
        """Values as they are told: by the key, or those of most pages first."""
        found = sorted(counts, key=lambda value: (-counts[value], value))
        return found if self._key is None else sorted(found, key=self._key)

    def told(self, pages: Mask, chosen: Sequence[str], most: int) -> Facet:
        """Its values among some pages, as an answer."""
        counts = self.counts(pages)
        shown = [value for value in counts if self._is_in_view(value, chosen)]
        given = nsmallest(most, shown, key=lambda value: (-counts[value], value))
        besides = (value for value in dict.fromkeys(chosen) if value not in given)
        given += sorted(besides, key=lambda value: (-counts.get(value, 0), value))
        if self._key is not None:
            given.sort(key=self._key)
        return Facet(
            name=self.name,
            values=tuple(
                self.value_of(value, counts.get(value, 0), chosen=value in chosen) for value in given
            ),
            more=len(set(shown) - set(given)),
        )

    def _is_in_view(self, value: str, chosen: Sequence[str]) -> bool:
        """Of a tree the topmost values, and those that are directly below or beside the way to one that was chosen."""
        if not self._separator:
            return True
        above, parted, _ = value.rpartition(self._separator)
        return not parted or any(above in self._lineage(each) for each in chosen)


class Single(Column):
    """A facet of which each page has one value, or none."""

    def __init__(self, name: str, *, separator: str = "", key: Key | None = None) -> None:
        super().__init__(name, separator=separator, key=key)
        self._codes: Codes = np.empty(0, np.int32)

    def extend(self, values: Iterable[str]) -> None:
        """Give values to new pages, in their order."""
        code = self._names.code
        more = np.fromiter(map(code, values), np.int32)
        self._codes = np.concatenate([self._codes, more])

    def put(self, places: Sequence[int], values: Iterable[str], size: int) -> None:
        """Give values to pages by their places; there are `size` pages now."""
        codes = np.full(size, NONE, np.int32)
        codes[: len(self._codes)] = self._codes
        codes[list(places)] = np.fromiter(map(self._names.code, values), np.int32)
        self._codes = codes

    def narrowed(self, values: Collection[str]) -> Mask:
        wanted = np.zeros(len(self._names.known) + 1, bool)  # NONE is the last
        wanted[self._codes_of(values)] = True
        return wanted[self._codes]

    def _counted(self, pages: Mask) -> npt.NDArray[np.int64]:
        return np.bincount(self._codes[pages] + 1, minlength=len(self._names.known) + 1)[1:]

    @property
    def is_empty(self) -> bool:
        return not (self._codes != NONE).any()

    def value(self, place: int) -> str:
        """That of one page; empty if it has none."""
        code = self._codes[place]
        return "" if code == NONE else self._names.known[code]


class Several(Column):
    """A facet of which each page has any number of values.

    With `narrower` they are in a tree: the values directly below each, the topmost below the empty one. A page has a
    value and all above it.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.narrower: Mapping[str, Sequence[str]] = {}
        self._size = 0
        self._pages: Codes = np.empty(0, np.int32)
        self._codes: Codes = np.empty(0, np.int32)

    def put(self, values: Mapping[int, Collection[str]], size: int) -> None:
        """Give values to pages that have none yet, by their places; there are `size` pages now."""
        self._size = size
        pairs = [(place, self._names.code(each)) for place, some in values.items() for each in set(some)]
        more = np.array(pairs, np.int32).reshape(-1, 2)
        self._pages = np.concatenate([self._pages, more[:, 0]])
        self._codes = np.concatenate([self._codes, more[:, 1]])

    def narrowed(self, values: Collection[str]) -> Mask:
        wanted = np.zeros(len(self._names.known), bool)
        wanted[self._codes_of(values)] = True
        found = np.zeros(self._size, bool)
        found[self._pages[wanted[self._codes]]] = True
        return found

    def below(self, at: str, pages: Mask) -> dict[str, int]:
        if not self.narrower:
            return super().below(at, pages)
        counts = self.counts(pages)
        return {value: counts[value] for value in self.narrower.get(at, ()) if value in counts}

    def above(self, value: str) -> list[str]:
        """One way from the top."""
        over = {lower: upper for upper in reversed(list(self.narrower)) for lower in self.narrower[upper]}
        found: list[str] = []
        while (value := over.get(value, "")) and value not in found:
            found.append(value)
        return found[::-1]

    def _counted(self, pages: Mask) -> npt.NDArray[np.int64]:
        return np.bincount(self._codes[pages[self._pages]], minlength=len(self._names.known))

    @property
    def is_empty(self) -> bool:
        return not len(self._codes)
