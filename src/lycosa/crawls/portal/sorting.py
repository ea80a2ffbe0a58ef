"""Pages put where they belong in the taxonomy and the ontology that a crawl was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lycosa.crawl.inputs import Input, Ontology, Taxonomy
from lycosa.scoring.topics.ontology import Lexicon
from lycosa.scoring.topics.taxonomy import classifier_of
from lycosa.scoring.words.terms import PLAIN
from lycosa.sources.kinds import KINDS, Kind, load_inputs
from lycosa.store.full_text import TextIndex
from lycosa.store.paths import Paths
from lycosa.store.sorted_pages import SortedPage, SortedPages

TREES: Final[Mapping[type[Input], Kind]] = {kind: KINDS[kind] for kind in (Taxonomy, Ontology)}
BATCH: Final = 200
"""Pages that are kept at once."""


class Sorting:
    """Tells what pages are about: of a taxonomy the most probable leaf, of an ontology all concepts that the page
    mentions, and those above them."""

    def __init__(self, taxonomy: Taxonomy | None, ontology: Ontology | None) -> None:
        self._classifier = None if taxonomy is None else classifier_of(taxonomy)
        self._lexicon = None if ontology is None else Lexicon(ontology.concepts)
        self._names = [] if ontology is None else [concept.name for concept in ontology.concepts]
        self._above = {} if ontology is None else above(ontology)

    def sorted(self, step: int, title: str, text: str) -> SortedPage:
        """What one page is about."""
        words = f"{title}\n{text}"
        category = None if self._classifier is None else self._classifier.best_leaf(PLAIN.counts(words))[0]
        if self._lexicon is None:
            return SortedPage(step, category)
        mentioned = (self._names[place] for place in self._lexicon.mentions(PLAIN.sequence(words)))
        found = dict.fromkeys(name for each in mentioned for name in (each, *self._above[each]))
        return SortedPage(step, category, tuple(found))


def above(ontology: Ontology) -> Mapping[str, tuple[str, ...]]:
    """The names of all that is above each concept, also where is-a runs in a circle."""
    broader = {concept.name: concept.broader for concept in ontology.concepts}

    def lineage(name: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        waiting = list(broader[name])
        while waiting:
            if (next_one := waiting.pop()) in broader and next_one not in found:
                found[next_one] = None
                waiting += broader[next_one]
        found.pop(name, None)
        return tuple(found)

    return {name: lineage(name) for name in broader}


def tops_and_narrower(ontology: Ontology) -> Mapping[str, tuple[str, ...]]:
    """The names directly below each concept; below the empty name those that have nothing above."""
    known = {concept.name for concept in ontology.concepts}
    found: dict[str, list[str]] = {"": []}
    for concept in ontology.concepts:
        over = [name for name in concept.broader if name in known] or [""]
        for name in over:
            found.setdefault(name, []).append(concept.name)
    return {name: tuple(below) for name, below in found.items()}


def trees_of(paths: Paths) -> tuple[Taxonomy | None, Ontology | None]:
    """What a crawl was given to sort by."""
    taxonomy = ontology = None
    for given in load_inputs(paths.inputs, TREES):
        if isinstance(given, Taxonomy):
            taxonomy = given
        elif isinstance(given, Ontology):
            ontology = given
    return taxonomy, ontology


def concepts_of(paths: Paths) -> Mapping[str, tuple[str, ...]]:
    """The concepts directly below each of the crawl's ontology; nothing without one."""
    _, ontology = trees_of(paths)
    return {} if ontology is None else tops_and_narrower(ontology)


def sort_pages(paths: Paths, index: TextIndex) -> None:
    """Sort the pages of an index that came since; nothing where there is nothing to sort by."""
    kept = SortedPages(paths.sorted)
    if not paths.inputs.exists() or kept.last_step >= index.last_step:
        return
    taxonomy, ontology = trees_of(paths)
    if taxonomy is None and ontology is None:
        return
    sorting = Sorting(taxonomy, ontology)
    batch: list[SortedPage] = []
    for step, title, text in index.pages_since(kept.last_step):
        batch.append(sorting.sorted(step, title, text))
        if len(batch) == BATCH:
            kept.add(batch)
            batch = []
    kept.add(batch)
