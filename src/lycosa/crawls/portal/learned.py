"""The facets that do not stand in the journal: what pages are about, and the clusters that were learned of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from lycosa.crawls.portal.clustering import Kept, kept, names_of
from lycosa.crawls.portal.columns import NOWHERE, Columns, Source
from lycosa.crawls.portal.facets import Column, Several, Single


class LearnedFacets:
    """`category`, `concept` and `cluster` of the pages of some columns, as far as they are known."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._category = Single("category", separator="/")
        self._concept = Several("concept")
        self._cluster = Single("cluster")
        self._sorted = [0] * len(columns.shelves)
        self._clusters: tuple[int, int] = (0, 0)

    @property
    def facets(self) -> Mapping[str, Column]:
        """Those that some page has."""
        found: tuple[Column, ...] = (self._category, self._concept, self._cluster)
        return {column.name: column for column in found if not column.is_empty}

    @property
    def concepts(self) -> Several:
        return self._concept

    def bring_up_to_date(self, sources: Sequence[Source], clusters: Path | None) -> None:
        """Take in what was sorted and learned since."""
        for number, source in enumerate(sources):
            if source.sorted is not None:
                self._take_sorted(number, source)
        if clusters is not None:
            self._take_clusters(clusters)
        size = len(self._columns)
        for column in (self._category, self._cluster):
            column.put([], [], size)
        self._concept.put({}, size)

    def _take_sorted(self, number: int, source: Source) -> None:
        assert source.sorted is not None
        pages = source.sorted.since(self._sorted[number])
        if not pages:
            return
        self._sorted[number] = pages[-1].step
        columns = self._columns
        places = columns.place(number, np.array([page.step for page in pages], np.int64)).tolist()
        found = [each for each in zip(places, pages, strict=True) if each[0] != NOWHERE]
        some = [(place, page.category) for place, page in found if page.category is not None]
        self._category.put([place for place, _ in some], [path for _, path in some], len(columns))
        self._concept.put({place: page.concepts for place, page in found}, len(columns))

    def _take_clusters(self, path: Path) -> None:
        try:
            told = path.stat()
        except FileNotFoundError:
            return
        as_of = (told.st_mtime_ns, told.st_ino)
        if as_of != self._clusters and (found := kept(path)) is not None:
            self.take(found)
            self._clusters = as_of

    def take(self, found: Kept) -> None:
        """Take clusters in, instead of those before."""
        names = names_of(found)
        self._cluster = Single("cluster")
        self._cluster.labels = {
            name: ", ".join(words) for name, words in zip(names, found.labels, strict=True) if words
        }
        for number, shelf in enumerate(self._columns.shelves):
            pairs = np.array(found.clusters.get(shelf.node, ()), np.int64).reshape(-1, 2)
            places = self._columns.place(number, pairs[:, 0])
            known = places != NOWHERE
            values = [names[cluster] for cluster in pairs[known, 1].tolist()]
            self._cluster.put(places[known].tolist(), values, len(self._columns))
