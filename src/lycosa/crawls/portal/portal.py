"""Answers to searches of one or several crawlers' pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np

from lycosa.crawl.rights import quoted
from lycosa.crawls.answers import Browse, Browsed, Facet, Found, FoundPage, Search, Word
from lycosa.crawls.portal.clustering import Kept
from lycosa.crawls.portal.columns import NOWHERE, Columns, Floats, Integers, Shelf, Source
from lycosa.crawls.portal.facets import Column, Mask, Several, all_of
from lycosa.crawls.portal.learned import LearnedFacets
from lycosa.crawls.portal.matches import Matches, wanted_in
from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.store.full_text import TextIndex, storable
from lycosa.store.query import Part, expression_of, parsed, phrases_of

Trees = Callable[[], Mapping[str, Sequence[str]]]
"""Tells the concepts directly below each of an ontology; it is read when it is asked for."""

BROWSED: Final = ("category", "concept", "cluster", "date")
"""By what a collection is browsed if nobody says: the first that it has."""

MOST_WORDS: Final = 64
"""Words and phrases of one search: whoever asks should not hold up the others."""

SIMILAR: Final = 3
"""Words that might have been meant instead of one."""

LONGEST: Final = 1_000
"""Characters of a title and of a snippet, whatever a page wrote."""

EXTRACT: Final = 200
"""Characters of a page that are shown where no word was looked for."""


class Portal:
    """Searches a collection. What it has read of journals and indexes it keeps, so ask it again: it reads what came
    since.

    Several threads may ask; one is answered after the other.

    Invariants, each the name of a property test:

    * as one by one: what is found and counted is what a look at each page alone tells.
    """

    def __init__(self, shelves: Sequence[Shelf]) -> None:
        self._columns = Columns(shelves)
        self._matches = Matches(self._columns)
        self._learned = LearnedFacets(self._columns)
        self._lock = Lock()

    def find(self, search: Search, sources: Sequence[Source], clusters: Path | None = None) -> Found:
        """What is found; the sources are those of the shelves, in their order, and `clusters` the file in which
        clusters are kept, if some were learned.

        Raises `InputError` for words that cannot be understood, for a facet that there is not, and for a URL that is no
        page.
        """
        query = _query(search.words) if search.words.strip() else None
        with self._lock:
            return self._find(search, query, self._up_to_date(sources, clusters))

    def browse(self, asked: Browse, sources: Sequence[Source], clusters: Path, trees: Trees) -> Browsed:
        """What is directly below a value of a facet, and the best pages there.

        Raises `InputError` for a facet that there is not.
        """
        with self._lock:
            indexes = self._up_to_date(sources, clusters)
            facets = self._facets
            by = asked.by or next(name for name in BROWSED if name in facets)
            if by not in facets:
                raise InputError(_no_facet(by, facets))
            column = facets[by]
            if isinstance(column, Several) and not column.narrower:
                column.narrower = trees()
            counts = column.below(asked.at, self._columns.indexed)
            values = column.in_order(counts)
            within = {by: (asked.at,)} if asked.at else {}
            search = Search(within=within, order="relevance", start=asked.start, limit=asked.limit, facets=())
            return Browsed(
                by=by,
                ways=tuple(facets),
                at=asked.at,
                above=tuple(column.above(asked.at)),
                below=tuple(column.value_of(value, counts[value]) for value in values[: asked.most]),
                more=max(0, len(values) - asked.most),
                found=self._find(search, None, indexes),
            )

    def take_clusters(self, found: Kept) -> None:
        """Take in clusters that were learned and could not be kept."""
        with self._lock:
            self._learned.take(found)

    def _up_to_date(self, sources: Sequence[Source], clusters: Path | None) -> Sequence[TextIndex]:
        indexes = [source.texts for source in sources]
        self._columns.bring_up_to_date(sources)
        self._learned.bring_up_to_date(sources, clusters)
        self._matches.bring_up_to_date(indexes)
        return indexes

    @property
    def _facets(self) -> Mapping[str, Column]:
        return {**self._learned.facets, **self._columns.facets}

    def _find(self, search: Search, query: Part | None, indexes: Sequence[TextIndex]) -> Found:
        columns = self._columns
        there = columns.indexed
        fits, ranks = there, np.zeros(len(columns))
        if query is not None:
            fits, ranks = self._matches.find(query, indexes)
            fits &= there
        narrowed = self._narrowed(search)
        at_first = fits & self._framed(search)
        pages = all_of([at_first, *narrowed.values()])
        places = np.flatnonzero(pages)
        groups = columns.group[places]
        return Found(
            hits=self._hits(search, query, places, ranks, indexes),
            pages=len(places),
            distinct=int(np.count_nonzero(np.bincount(groups))),
            facets=self._counted(search, at_first, narrowed),
            words=() if query is None else self._words(query, indexes),
            without_facets=int(fits.sum()),
            collection=int(there.sum()),
            unindexed=columns.unindexed,
        )

    # -- narrowing -----------------------------------------------------------------------------------------

    def _narrowed(self, search: Search) -> Mapping[str, Mask]:
        """By facet, the pages that its values narrow to."""
        facets = self._facets
        for name in (*search.within, *(search.facets or ())):
            if name not in facets:
                raise InputError(_no_facet(name, facets))
        return {name: facets[name].narrowed(values) for name, values in search.within.items() if values}

    def _framed(self, search: Search) -> Mask:
        """The pages of a time, and the copies of a page."""
        columns = self._columns
        found = np.ones(len(columns), bool)
        if search.since is not None:
            found &= columns.date >= search.since
        if search.until is not None:
            found &= columns.date <= search.until
        if search.copies_of:
            place = columns.place_of(search.copies_of)
            if place == NOWHERE:
                raise InputError(f"{search.copies_of}: is no page of the collection")
            found &= columns.group == columns.group[place]
        return found

    def _counted(self, search: Search, at_first: Mask, narrowed: Mapping[str, Mask]) -> tuple[Facet, ...]:
        """Each facet is narrowed by all others, so that what else it might be narrowed to can be seen."""
        wanted = search.facets if search.facets is not None else tuple(self._facets)
        told = []
        for name in wanted:
            others = [mask for other, mask in narrowed.items() if other != name]
            pages = all_of([at_first, *others])
            told.append(self._facets[name].told(pages, search.within.get(name, ()), search.most))
        return tuple(told)

    # -- answers -------------------------------------------------------------------------------------------

    def _hits(
        self,
        search: Search,
        query: Part | None,
        places: Integers,
        ranks: Floats,
        indexes: Sequence[TextIndex],
    ) -> tuple[FoundPage, ...]:
        wanted = search.start + search.limit
        first, copies = self._first(search, query, places, ranks, wanted)
        shown = zip(first[search.start :], copies[search.start :], strict=True)
        expression = "" if query is None else expression_of(query)
        answers = (self._hit(int(place), int(n), expression, ranks, indexes) for place, n in shown)
        return tuple(answer for answer in answers if answer is not None)

    def _first(
        self, search: Search, query: Part | None, places: Integers, ranks: Floats, wanted: int
    ) -> tuple[Integers, Integers]:
        """The places of the best pages in order, and how many copies of each were found besides. As few are put in
        order as will do."""
        columns = self._columns
        by_rank = search.order == "rank" and query is not None
        key = ranks if by_rank else columns.date if search.order == "date" else columns.relevance
        keys = -key[places].astype(np.float64)
        if not search.folded:
            best = _least(keys, places, wanted)
            return best, np.zeros(len(best), np.int64)
        sizes = np.bincount(columns.group[places], minlength=1)
        taken = 4 * wanted
        while True:
            best = _least(keys, places, taken)
            groups, at = np.unique(columns.group[best], return_index=True)
            if len(groups) >= wanted or taken >= len(places):
                first = best[np.sort(at)[:wanted]]
                return first, sizes[columns.group[first]] - 1
            taken *= 4

    def _hit(
        self, place: int, copies: int, expression: str, ranks: Floats, indexes: Sequence[TextIndex]
    ) -> FoundPage | None:
        columns = self._columns
        number, step = int(columns.shelf[place]), int(columns.step[place])
        rank = float(ranks[place])
        index, shelf = indexes[number], columns.shelves[number]
        found = index.hit(step, expression, rank) if expression else index.beginning(step, EXTRACT)
        if found is None:
            return None
        value = {name: columns.facets[name].value(place) for name in ("language", "type", "depth")}
        return FoundPage(
            url=found.url,
            title=found.title[:LONGEST],
            snippet=columns.snippet(place, found.snippet[:LONGEST]),
            relevance=float(columns.relevance[place]),
            rank=rank,
            step=step,
            rights=tuple(map(quoted, columns.rights(place))),
            date=Millis(int(columns.date[place])),
            language=value["language"],
            media_type=value["type"],
            depth=int(value["depth"]),
            copies=copies,
            node=shelf.node,
            collection=shelf.collection,
        )

    def _words(self, query: Part, indexes: Sequence[TextIndex]) -> tuple[Word, ...]:
        told = []
        for phrase in dict.fromkeys(wanted_in(query)):
            pages = self._matches.postings(phrase, indexes).pages
            word = phrase.replace('" *', "*").strip('"')
            instead = () if pages or not word.isalpha() else _similar(word, indexes)
            told.append(Word(word=word, pages=pages, instead=instead))
        return tuple(told)


def _query(words: str) -> Part:
    query = parsed(storable(words))
    if len(set(phrases_of(expression_of(query)))) > MOST_WORDS:
        raise InputError(f"more than {MOST_WORDS} words and phrases: each is looked up")
    return query


def _no_facet(name: str, facets: Mapping[str, Column]) -> str:
    why = "; lycosa browse DIR --learn finds some" if name == "cluster" else ""
    return f"{name!r} is no facet of this collection{why}; it has {', '.join(facets)}"


def _similar(word: str, indexes: Sequence[TextIndex]) -> tuple[str, ...]:
    found = dict.fromkeys(each for index in indexes for each in index.similar(word, SIMILAR))
    return tuple(found)[:SIMILAR]


def _least(keys: Floats, places: Integers, wanted: int) -> Integers:
    """The places with the least keys, in order; of equal ones the first."""
    if wanted < len(places):
        bound = np.partition(keys, wanted - 1)[wanted - 1]
        among = keys <= bound
        keys, places = keys[among], places[among]
    return places[np.argsort(keys, kind="stable")][:wanted]
