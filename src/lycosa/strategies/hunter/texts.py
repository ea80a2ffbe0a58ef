"""Texts in numbers: of each its distinct terms, with weights."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.words.terms import MEMO_SIZE, Counts, Vocabulary, words_in
from lycosa.strategies.hunter.hunting import HUNTING
from lycosa.strategies.hunter.packing import NARROW, WEIGHTS, WIDE, counts_of, packed, unpacked
from lycosa.strategies.parts.names import Names, PythonNames, no_names

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Texts(NamedTuple):
    """Some texts, one after the other."""

    terms: NDArray[np.integer[Any]]
    """By number, each once a text."""
    weights: NDArray[np.floating[Any]]
    """1 + ln(count)."""
    bounds: Ints
    """Where each text begins, and the end."""

    @property
    def how_many(self) -> int:
        return len(self.bounds) - 1

    def between(self, first: int, end: int) -> Texts:
        """Some of them."""
        since, until = self.bounds[first], self.bounds[end]
        return Texts(self.terms[since:until], self.weights[since:until], self.bounds[first : end + 1] - since)


class CountedTexts(NamedTuple):
    """Some texts, one after the other, as they were counted."""

    terms: Ints
    """By number, each once a text."""
    counts: Floats
    bounds: Ints
    """Where each text begins, and the end."""

    def weighed(self) -> Texts:
        """The same with weights in place of counts."""
        return Texts(self.terms, 1.0 + np.log(self.counts), self.bounds)


def joined(several: Sequence[Texts]) -> Texts:
    """All of them, one after the other."""
    ends = np.cumsum([0, *(len(texts.terms) for texts in several)])
    bounds = [texts.bounds[:-1] + start for texts, start in zip(several, ends.tolist(), strict=False)]
    terms = np.concatenate([texts.terms for texts in several])
    return Texts(
        terms, np.concatenate([texts.weights for texts in several]), np.concatenate([*bounds, ends[-1:]])
    )


def counted(terms: Counts, names: Names) -> CountedTexts:
    """One text that is told as counts. Terms that are new get the next numbers."""
    bounds = np.array([0, len(terms)])
    if HUNTING is not None and isinstance(terms, dict) and not isinstance(names, PythonNames):
        numbered, times = HUNTING.counted(terms, names)
        return _texts_of(numbered, times, bounds)
    counts = np.fromiter(terms.values(), dtype=np.float64, count=len(terms))
    return _texts_of(names.enter_all(list(terms)), counts.tobytes(), bounds)


def _texts_of(terms: bytes, counts: bytes, bounds: Ints) -> CountedTexts:
    return CountedTexts(np.frombuffer(terms, np.int64), np.frombuffer(counts), bounds)


def told(texts: Sequence[Sequence[str]], names: Names, *, for_good: bool = True) -> CountedTexts:
    """Texts that are told term by term. Terms that are new get the next numbers, for this once if not `for_good`.

    Faster for a hundred short texts than counting each, as whole arrays are sorted instead.
    """
    terms = list(chain.from_iterable(texts))
    found = np.frombuffer(names.enter_all(terms) if for_good else names.numbers(terms), np.int64).copy()
    new: dict[str, int] = {}
    for place in np.flatnonzero(found < 0).tolist():
        found[place] = new.setdefault(terms[place], len(names) + len(new))
    width = len(names) + len(new) + 1
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    keys, counts = np.unique(np.repeat(np.arange(len(texts)) * width, lengths) + found, return_counts=True)
    bounds = np.searchsorted(keys, np.arange(len(texts) + 1) * width)
    return CountedTexts(keys % width, counts.astype(np.float64), bounds)


class TermsOfWords:
    """The numbers of the terms of texts. They are remembered by the words, so that most texts are told without a word
    being made of them. Memory: some 30 bytes for each of at most `MEMO_SIZE` words.

    Invariant, the name of a property test:

    * told as by words: whatever was told before, texts are told as `told` tells the terms of their words.
    """

    def __init__(self, vocabulary: Vocabulary, names: Names) -> None:
        self._vocabulary, self._names = vocabulary, names
        self._words = no_names()
        self._numbers = np.empty(MEMO_SIZE, dtype=np.int32)

    def told(self, texts: list[str], *, for_good: bool = True) -> CountedTexts:
        """The terms of each. Terms that are new get the next numbers, for this once if not `for_good`."""
        if HUNTING is None or isinstance(self._names, PythonNames) or not texts:
            return told(self._vocabulary.sequences(texts), self._names, for_good=for_good)
        memory, known = self._vocabulary.memory(), (self._words, self._numbers)
        terms, times, ends = HUNTING.numbered(texts, words_in, memory, self._names, for_good, *known)
        return _texts_of(terms, times, np.frombuffer(ends, np.int64))


class TextRows:
    """Texts as rows of term numbers and weights, packed: 3 bytes a term, 4 of texts that come once there are 2²⁰ terms.

    Invariant, the name of a property test:

    * packed as told: the terms and weights of each text are those that were added.
    """

    def __init__(self) -> None:
        self._entries, self._narrow = array("B"), -1  # how many entries are narrow, the first ones; -1: all
        self._often, self._many = array("q"), array("f")  # places of counts without room; their weights
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def bounds(self) -> Ints:
        """Where each text begins, and the end; uncopied: nothing can be added before they are let go."""
        return np.asarray(self._ends)

    def add(self, texts: CountedTexts, first: int = 0, end: int | None = None) -> None:
        """Take in the next texts, of those given all or some."""
        until, before = len(texts.bounds) - 1 if end is None else end, self._ends[-1]
        try:
            found = packed(texts, first, until, NARROW if self._narrow < 0 else WIDE, before)
        except OverflowError:
            if self._narrow >= 0:
                raise
            found = packed(texts, first, until, WIDE, before)
            self._narrow = len(self._entries) // NARROW
        entries, ends, often = found
        if often:
            self._add_often(np.frombuffer(often, np.int64), texts.counts, before - int(texts.bounds[first]))
        self._entries.frombytes(entries)
        self._ends.frombytes(ends)

    def _add_often(self, places: Ints, counts: Floats, moved: int) -> None:
        self._often.extend((places + moved).tolist())
        self._many.extend((1.0 + np.log(counts[places])).tolist())

    def between(self, first: int, end: int) -> Texts:
        """Some of the texts."""
        since, until = self._ends[first], self._ends[end]
        terms, weights = unpacked(self._entries, self._first_wide, since, until)
        often = slice(bisect_left(self._often, since), bisect_left(self._often, until))
        if places := self._often[often]:
            weights = weights.copy()
            weights[np.array(places) - since] = self._many[often]
        return Texts(terms, weights, self.bounds[first : end + 1] - since)

    @property
    def _first_wide(self) -> int:
        """The place from which on entries are wide."""
        return self._ends[-1] if self._narrow < 0 else self._narrow

    def some(self, first: int, end: int) -> SomeTexts:
        """Some of the texts as they are kept, to be looked at before any are added."""
        return SomeTexts(self, first, end)

    def packed(self) -> tuple[Any, ...]:
        """All of them as they are kept: entries, bounds, how many entries are narrow, weights of counts; the places of
        counts without room in an entry, and their weights."""
        return self._entries, self._ends, self._first_wide, WEIGHTS, self._often, self._many

    def share_new(self, place: int, others: Sequence[int]) -> float:
        """The share of a text's terms that none of the others has; 1 of a text without any."""
        if HUNTING is not None:
            found: float = HUNTING.share_new(self._entries, self._first_wide, self._ends, place, list(others))
            return found
        own = self.between(place, place + 1).terms
        if not len(own):
            return 1.0
        known = np.zeros(len(own), dtype=bool)
        for other in others:
            known |= np.isin(own, self.between(other, other + 1).terms)
        return 1.0 - float(known.mean())

    def holding(self, places: Sequence[int], width: int) -> Floats:
        """How many of the texts at some places have each of so many terms."""
        if HUNTING is not None:
            return np.frombuffer(
                HUNTING.held(self._entries, self._first_wide, self._ends, list(places), width)
            )
        held = [np.zeros(0, dtype=np.int64), *(self.between(place, place + 1).terms for place in places)]
        return np.bincount(np.concatenate(held), minlength=width).astype(np.float64)

    def matrix(self, width: int) -> csr_array:
        """One row a text, one column a term."""
        from scipy.sparse import csr_array

        terms, weights, bounds = self.between(0, len(self))
        return csr_array((weights, terms, bounds), shape=(len(self), width))

    def save(self) -> Mapping[str, Any]:
        return {
            "entries": memoryview(self._entries),
            "narrow": self._narrow,
            "often": memoryview(self._often).cast("B"),
            "many": memoryview(self._many).cast("B"),
            "ends": memoryview(self._ends).cast("B"),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        self._entries, self._ends, self._narrow = array("B"), array("q"), -1
        self._often, self._many = array("q"), array("f")
        if "entries" not in state:
            self._load_apart(state)
            return
        self._entries.frombytes(state["entries"])
        self._ends.frombytes(state["ends"])
        self._narrow = state["narrow"]
        self._often.frombytes(state["often"])
        self._many.frombytes(state["many"])

    def _load_apart(self, state: Mapping[str, Any]) -> None:
        """A snapshot of an earlier version, which has terms and counts, or weights, apart."""
        if "weights" in state:
            terms = np.frombuffer(state["terms"], np.int32)
            counts = counts_of(np.frombuffer(state["weights"], np.float32))
        else:
            in_bytes = np.frombuffer(state["terms"], np.uint8).reshape(-1, state["width"])
            terms = np.pad(in_bytes, ((0, 0), (0, 4 - state["width"]))).view("<i4").reshape(-1)
            counts = np.frombuffer(state["counts"], np.uint8).astype(np.int64)
            often = np.array(state["often"], dtype=np.int64).reshape(-1, 2)
            counts[often[:, 0]] = often[:, 1]
        self._ends.append(0)
        ends = np.frombuffer(state["ends"], np.int64)
        self.add(CountedTexts(terms.astype(np.int64), counts.astype(np.float64), ends))


class SomeTexts(NamedTuple):
    """Those from one place to another."""

    rows: TextRows
    first: int
    end: int

    @property
    def how_many(self) -> int:
        return self.end - self.first

    def packed(self) -> tuple[Any, ...]:
        """`TextRows.packed`, and which of them."""
        return *self.rows.packed(), self.first, self.end

    def unpacked(self) -> Texts:
        return self.rows.between(self.first, self.end)
