"""A crawl's pages by the concepts that they mention: counts along the tree, and clusters seen from several sides.

Sources: Tane, Schmitz, Stumme: Semantic resource management for the web: an e-learning application (Courseware
Watchdog). WWW 2004; Hotho, Maedche, Staab: Ontology-based text document clustering. Künstliche Intelligenz 4/2002.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import log1p
from typing import Any

from lycosa.crawl.inputs import Concept
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.scoring.topics.ontology import Mentions, narrower_of, within

LABELS = 3
"""Concepts that name a cluster."""
TURNS = 10
"""k-means is begun so often, from different centres; the best end counts."""


class Facet(Record, frozen=True, kw_only=True):
    """One concept and the pages that mention it."""

    name: str
    level: int
    """0 is a concept without a broader one."""
    pages: int
    """That mention it, or anything below it."""
    own: int
    """That mention it itself."""


class Cluster(Record, frozen=True, kw_only=True):
    """Pages that mention the same concepts."""

    concepts: Mapping[str, float]
    """The heaviest of its centre."""
    pages: tuple[int, ...]
    """Keys of pages, nearest to the centre first."""


class FacetView(Record, frozen=True, kw_only=True):
    """Pages grouped by one choice of concepts: a way to look at them."""

    concepts: tuple[str, ...]
    clusters: tuple[Cluster, ...]
    silhouette: float
    """From -1 to 1: how much nearer pages are to their own cluster than to the next; 0 for a single cluster."""
    without: int
    """Pages that mention none of the concepts, and are in no cluster."""


class Shelf:
    """Pages by key, each with its mentions of an ontology's concepts.

    Invariants, each the name of a property test:

    * broader holds narrower: a concept has at least as many pages as each concept below it.
    * every page once: in a view each page is in exactly one cluster, or mentions none of its concepts.
    """

    def __init__(self, concepts: Sequence[Concept], pages: Mapping[int, Mentions]) -> None:
        self.concepts, self.pages = concepts, pages
        self._places = {concept.name: place for place, concept in enumerate(concepts)}
        self._below = narrower_of(concepts)
        self._on: list[set[int]] = [set() for _ in concepts]
        self._wide: dict[int, set[int]] = {}
        for key, mentions in pages.items():
            for place in mentions:
                self._on[place].add(key)

    def roots(self) -> list[int]:
        """Concepts without a broader one; where is-a runs in a circle, its first."""
        tops = [p for p, c in enumerate(self.concepts) if not any(b in self._places for b in c.broader)]
        reached = {low for top in tops for low in within(top, self._below)}
        for place in range(len(self.concepts)):
            if place not in reached:
                tops.append(place)
                reached.update(within(place, self._below))
        return tops

    def with_all(self, names: Sequence[str]) -> list[int]:
        """The pages that mention each of these concepts or something below it, in their order."""
        places = [self._place(name) for name in names]
        return [key for key in self.pages if all(key in self._pages_of(place) for place in places)]

    def facets(self, among: Sequence[int] | None = None) -> list[Facet]:
        """The concepts that pages mention, as a tree written line by line; each stands once, below its first parent."""
        keys = frozenset(self.pages if among is None else among)
        told: list[Facet] = []
        waiting = [(place, 0) for place in reversed(self.roots())]
        seen: set[int] = set()
        while waiting:
            place, level = waiting.pop()
            pages = len(self._pages_of(place) & keys)
            if place in seen or not pages:
                continue
            seen.add(place)
            own = len(self._on[place] & keys)
            told.append(Facet(name=self.concepts[place].name, level=level, pages=pages, own=own))
            waiting += [(low, level + 1) for low in sorted(self._below[place], key=self._rarest_first(keys))]
        return told

    def _rarest_first(self, keys: frozenset[int]) -> Callable[[int], tuple[int, int]]:
        return lambda place: (len(self._pages_of(place) & keys), -place)

    def _pages_of(self, place: int) -> set[int]:
        """That mention a concept or anything below it."""
        if (found := self._wide.get(place)) is None:
            found = self._wide[place] = set().union(*(self._on[low] for low in within(place, self._below)))
        return found

    def _place(self, name: str) -> int:
        if name not in self._places:
            raise InputError(f"the ontology has no concept {name!r}; lycosa ontology show lists them")
        return self._places[name]

    # -- views -----------------------------------------------------------------------------------------------

    def choices(self, most: int) -> list[tuple[str, ...]]:
        """Up to so many choices of concepts to see the pages by: from the top, each time the concept with the most
        pages is replaced by those below it (Hotho, Maedche and Staab 2002)."""
        chosen = [place for place in self.roots() if self._pages_of(place)]
        found: list[tuple[str, ...]] = []
        opened: set[int] = set()
        while len(found) < most:
            if len(chosen) > 1:
                found.append(tuple(self.concepts[place].name for place in chosen))
            ripe = [p for p in chosen if p not in opened and any(map(self._pages_of, self._below[p]))]
            if not ripe:
                break
            widest = max(ripe, key=lambda place: (len(self._pages_of(place)), -place))
            opened.add(widest)
            below = [low for low in self._below[widest] if self._pages_of(low) and low not in chosen]
            chosen = [*(p for p in chosen if p != widest or self._on[p]), *below]
        return found

    def view(self, names: Sequence[str], clusters: int, seed: int = 0) -> FacetView:
        """Group the pages by k-means over how much they mention these concepts, what is below each counted with it.

        A mention adds less the more there are (ln(1 + n)), and a page's vector has length 1. A concept that is below
        another of them counts for itself only. Raises `InputError` without scikit-learn.
        """
        places = [self._place(name) for name in names]
        rows = {key: row for key in self.pages if any(row := self._row(self.pages[key], places))}
        groups, silhouette = _k_means(list(rows.values()), clusters, seed) if rows else ([], 0.0)
        keys = list(rows)
        made = (
            Cluster(
                concepts=_heaviest(centre, names),
                pages=tuple(keys[number] for number in members),
            )
            for centre, members in groups
        )
        ranked = sorted(made, key=lambda cluster: (-len(cluster.pages), cluster.pages))
        return FacetView(
            concepts=tuple(names),
            clusters=tuple(ranked),
            silhouette=silhouette,
            without=len(self.pages) - len(rows),
        )

    def _row(self, mentions: Mentions, places: Sequence[int]) -> list[float]:
        shared = frozenset(places)
        row = []
        for place in places:
            lower = (low for low in within(place, self._below) if low == place or low not in shared)
            row.append(log1p(sum(mentions.get(low, 0) for low in lower)))
        length = sum(value * value for value in row) ** 0.5
        return [value / length for value in row] if length else row


def _heaviest(centre: Sequence[float], names: Sequence[str]) -> dict[str, float]:
    ranked = sorted(zip(centre, names, strict=True), key=lambda item: (-item[0], item[1]))[:LABELS]
    return {name: round(weight, 3) for weight, name in ranked if weight > 0.05}


def _k_means(
    rows: Sequence[Sequence[float]], clusters: int, seed: int
) -> tuple[list[tuple[list[float], list[int]]], float]:
    """Centres with the rows of each, nearest first, and the silhouette of the whole."""
    try:
        import numpy as np
        from sklearn.cluster import KMeans
        from sklearn.metrics import silhouette_score
    except ImportError:
        raise InputError(
            "clusters need scikit-learn, which is not installed: pip install 'lycosa[learn]'"
        ) from None
    points = np.asarray(rows)
    count = min(clusters, len(np.unique(points, axis=0)))
    fitted = KMeans(n_clusters=count, n_init=TURNS, random_state=seed).fit(points)
    away = np.linalg.norm(points - fitted.cluster_centers_[fitted.labels_], axis=1)
    groups = [
        (centre.tolist(), list(_members(fitted.labels_, away, number)))
        for number, centre in enumerate(fitted.cluster_centers_)
    ]
    silhouette = float(silhouette_score(points, fitted.labels_)) if 1 < count < len(rows) else 0.0
    return groups, round(silhouette, 3)


def _members(labels: Any, away: Any, number: int) -> Iterator[int]:
    own = [int(row) for row in range(len(labels)) if labels[row] == number]
    yield from sorted(own, key=lambda row: (away[row], row))
