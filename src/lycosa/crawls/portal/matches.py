"""Which pages have the words of a query, and how well they fit it: by postings that are kept in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from lycosa.crawls.portal.columns import NOWHERE, UNKNOWN, Columns, Floats, Integers
from lycosa.crawls.portal.facets import Mask, all_of, any_of
from lycosa.store.full_text import TextIndex, Vocabulary
from lycosa.store.query import AllOf, AnyOf, Part, Phrase

KEPT: Final = 4_000_000
"""Pages of all phrases together that are remembered, 16 bytes each."""


class Postings(NamedTuple):
    """Where a word or phrase stands."""

    places: Integers
    """Of the pages."""
    parts: Floats
    """Its part of BM25 on each of them."""
    pages: int
    """On how many it stands, by the indexes."""


class Matches:
    """Answers queries from the postings of their words and phrases. Those of the last ones are kept while the indexes
    stay as they are, so that whoever narrows a search or turns a page does not ask them again.

    Ranks are BM25 by the words of all indexes together, as `lycosa.crawls.shared.words` has them. What a page must not
    have is no part of its rank.

    Invariants, each the name of a property test:

    * finds what the index finds: the pages, and with one index the ranks, are those of `TextIndex.search`.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._kept: dict[str, Postings] = {}
        self._as_of: list[int] = []

    def bring_up_to_date(self, indexes: Sequence[TextIndex]) -> None:
        """Forget what is not as in the indexes any more."""
        as_of = [*(index.last_step for index in indexes), len(self._columns)]
        if as_of != self._as_of:
            self._kept.clear()
            self._as_of = as_of

    def find(self, query: Part, indexes: Sequence[TextIndex]) -> tuple[Mask, Floats]:
        """Which pages fit, and the rank of each."""
        ranks = np.zeros(len(self._columns))
        for phrase in wanted_in(query):
            places, parts, _ = self.postings(phrase, indexes)
            ranks[places] += parts  # each place once
        return self._fits(query, indexes), ranks

    def _fits(self, query: Part, indexes: Sequence[TextIndex]) -> Mask:
        match query:
            case Phrase(expression):
                found = np.zeros(len(self._columns), bool)
                found[self.postings(expression, indexes).places] = True
                return found
            case AnyOf(choices):
                return any_of([self._fits(each, indexes) for each in choices])
            case AllOf(wanted, unwanted):
                has = all_of([self._fits(each, indexes) for each in wanted])
                for each in unwanted:
                    has &= ~self._fits(each, indexes)
                return has

    def postings(self, phrase: str, indexes: Sequence[TextIndex]) -> Postings:
        """Where a word or phrase stands."""
        found = self._kept.pop(phrase, None) or self._look_up(phrase, indexes)
        self._kept[phrase] = found  # the last used is the last to go
        kept = sum(len(each.places) for each in self._kept.values())
        for oldest in list(self._kept)[:-1]:
            if kept <= KEPT:
                break
            kept -= len(self._kept.pop(oldest).places)
        return found

    def _look_up(self, phrase: str, indexes: Sequence[TextIndex]) -> Postings:
        found = [index.postings(phrase) for index in indexes]
        sizes = [index.vocabulary(()) for index in indexes]
        here = [
            Vocabulary(size.pages, size.words, (len(steps),))
            for size, (steps, _) in zip(sizes, found, strict=True)
        ]
        whole = sum(here, Vocabulary())
        several = len(indexes) > 1
        places: list[Integers] = []
        parts: list[Floats] = []
        for number, (steps, ranks) in enumerate(found):
            at = self._columns.place(number, steps)
            known = (at != NOWHERE) & (
                self._columns.words[at] != UNKNOWN
            )  # what came just now has no length yet
            at, ranks = at[known], ranks[known]
            places.append(at)
            parts.append(
                self._by_all(ranks, self._columns.words[at], here[number], whole) if several else ranks
            )
        return Postings(np.concatenate(places), np.concatenate(parts), whole.with_phrase[0])

    @staticmethod
    def _by_all(ranks: Floats, lengths: Floats, here: Vocabulary, whole: Vocabulary) -> Floats:
        """The ranks that one index would give, as one of all indexes would."""
        if not len(ranks):
            return ranks
        return whole.idf(0) * whole.part(here.often(ranks / here.idf(0), lengths), lengths)


def wanted_in(query: Part) -> Iterator[str]:
    """The words and phrases that a page may have, each as often as it stands there."""
    match query:
        case Phrase(expression):
            yield expression
        case AnyOf(parts) | AllOf(parts):
            for part in parts:
                yield from wanted_in(part)
