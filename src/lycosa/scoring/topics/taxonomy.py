"""Where in a tree of categories a page belongs: naive Bayes at every node that has to be decided at."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from lycosa.crawl.inputs import Taxonomy
from lycosa.model.errors import InputError
from lycosa.model.records import Page
from lycosa.scoring.learning.bayes import NaiveBayes, every_word, root_of_words
from lycosa.scoring.learning.selection import telling_terms
from lycosa.scoring.words.terms import Counts, together

ROOT = ""
TOLD = 8
"""Categories that an explanation names."""


class Split(NamedTuple):
    """The decision between the children of one category."""

    children: tuple[str, ...]
    bayes: NaiveBayes


def parent_of(path: str) -> str:
    """`Sports` for `Sports/Cycling`; the root for what lies directly below it."""
    return path.rpartition("/")[0]


def is_at_or_below(path: str, top: str) -> bool:
    return top == ROOT or path == top or path.startswith(f"{top}/")


class TaxonomyClassifier:
    """Pr(c|d) = Pr(parent|d) · Pr(c) · Π_t θ_ct^(n_t) / Σ_siblings (Chakrabarti et al. 1999, sec. 2.2).

    θ_ct = (1 + n_ct) / (|V| + n_c); V are the terms that tell the siblings apart best; Pr(c) is a category's share
    of its siblings' examples. Log-likelihoods are divided by √|d| unless the taxonomy is `textbook`, as posteriors of
    whole pages would be 0 or 1 otherwise. A category without examples at or below it gets nothing.

    Each node learns when it is first asked: judging pages asks only those above good categories. What was decided
    about the last text is kept while it is asked about: judge and strategy of a crawl look at each page in turn.

    Invariants, each the name of a property test:

    * leaves share one: the probabilities of all leaves sum to 1.
    * a node has what its children have.
    * the best leaf found by bounds is the best of all leaves.
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        self._taxonomy = taxonomy
        self._children: dict[str, list[str]] = {category.path: [] for category in taxonomy.categories}
        for category in taxonomy.categories:
            if category.path != ROOT:
                self._children[parent_of(category.path)].append(category.path)
        self._texts: dict[str, list[Counts]] = {path: [] for path in self._children}
        for category in taxonomy.categories:
            for above in lineage(category.path):
                self._texts[above] += category.examples
        self._splits: dict[str, Split | None] = {}
        self._last: Counts | None = None
        self._shares: dict[str, list[float]] = {}  # of the last text, by the node that was decided at

    def probability(self, terms: Counts, paths: Collection[str]) -> dict[str, float]:
        """Pr(c|d) of these categories."""
        known = {ROOT: 1.0}
        for path in paths:
            for node in lineage(path):
                if node not in known:
                    known.update(self._shared(terms, parent_of(node), known[parent_of(node)]))
                    known.setdefault(node, 0.0)  # without examples there is nothing to share
        return {path: known[path] for path in paths}

    def posterior(self, terms: Counts) -> dict[str, float]:
        """Pr(c|d) of every category, parents first."""
        return self.probability(terms, self._children)

    def best_leaf(self, terms: Counts) -> tuple[str, float]:
        """The most probable leaf; a leaf has no more than any node above it, so few nodes are looked into."""
        heap = [(-1.0, ROOT)]
        while True:
            share, path = heapq.heappop(heap)
            below = self._shared(terms, path, -share)
            if not below:
                return path, -share
            for child, probability in below.items():
                heapq.heappush(heap, (-probability, child))

    def leaves(self) -> list[str]:
        """The categories between which no more is decided."""
        return [path for path in self._children if self._texts[path] and self._split(path) is None]

    def _shared(self, terms: Counts, path: str, probability: float) -> dict[str, float]:
        """What a node has, divided among its children; none for a leaf."""
        split = self._split(path)
        if split is None:
            return {}
        shares = self._posterior(terms, path, split)
        found = {child: probability * share for child, share in zip(split.children, shares, strict=True)}
        return {child: found.get(child, 0.0) for child in self._children[path]}

    def _posterior(self, terms: Counts, path: str, split: Split) -> list[float]:
        if terms is not self._last:
            self._last, self._shares = terms, {}
        if path not in self._shares:
            self._shares[path] = split.bayes.posterior(terms)
        return self._shares[path]

    def _split(self, path: str) -> Split | None:
        if path not in self._splits:
            children = tuple(child for child in self._children.get(path, ()) if self._texts[child])
            self._splits[path] = (
                self._learned(children, [self._texts[c] for c in children]) if children else None
            )
        return self._splits[path]

    def _learned(self, children: tuple[str, ...], texts: Sequence[Sequence[Counts]]) -> Split:
        taxonomy = self._taxonomy
        bayes = NaiveBayes(
            [together(each) for each in texts],
            vocabulary=telling_terms(texts, taxonomy.features, taxonomy.selection),
            priors=[float(len(each)) for each in texts],
            effective_length=every_word if taxonomy.textbook else root_of_words,
        )
        return Split(children, bayes)


_made: list[tuple[Taxonomy, TaxonomyClassifier]] = []


def classifier_of(taxonomy: Taxonomy) -> TaxonomyClassifier:
    """The classifier that a taxonomy makes. That of the last taxonomy is kept: a crawl's judge and its strategy ask
    for the same one, which then learns once and decides about each page once."""
    if not _made or _made[0][0] is not taxonomy:
        _made[:] = [(taxonomy, TaxonomyClassifier(taxonomy))]
    return _made[0][1]


def lineage(path: str) -> list[str]:
    """The nodes from the root to a category, both included."""
    names = path.split("/") if path else []
    return [ROOT, *("/".join(names[: depth + 1]) for depth in range(len(names)))]


class TaxonomyTopic:
    """R(p) = Σ_{c good} Pr(c|p) (Chakrabarti et al. 1999, sec. 2.3).

    >>> from lycosa.crawl.inputs import Category
    >>> names = {"": (), "Reefs": ({"coral": 2, "fish": 1},), "Streets": ({"car": 2, "fish": 1},)}
    >>> tree = tuple(Category(path=path, examples=pages) for path, pages in names.items())
    >>> topic = topic_of(Taxonomy(categories=tree, good=("Reefs",)))
    >>> topic.classifier.best_leaf({"coral": 3})[0]
    'Reefs'
    """

    def __init__(self, taxonomy: Taxonomy) -> None:
        if not taxonomy.good:
            raise InputError("the taxonomy has no good category; mark at least one with --good PATH")
        self.good = taxonomy.good
        self.classifier = classifier_of(taxonomy)

    def relevance(self, page: Page) -> float:
        return min(1.0, sum(self.classifier.probability(page.terms, self.good).values()))

    def explain(self, page: Page) -> Mapping[str, float]:
        """The good categories with their probabilities, and the most probable leaves besides."""
        every = self.classifier.posterior(page.terms)
        shown = {path: every[path] for path in (*self.good, *self.classifier.leaves())}
        ranked = sorted(shown.items(), key=lambda item: (-item[1], item[0]))[:TOLD]
        return {f"{'good: ' if self.is_good(path) else ''}{path or 'root'}": share for path, share in ranked}

    def is_good(self, path: str) -> bool:
        """Whether a category is good or lies below one that is."""
        return any(is_at_or_below(path, top) for top in self.good)


def topic_of(taxonomy: Taxonomy) -> TaxonomyTopic:
    """The topic model that a taxonomy makes."""
    return TaxonomyTopic(taxonomy)
