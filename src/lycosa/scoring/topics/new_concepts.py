"""Terms that an ontology lacks: frequent near its concepts in focus, and not among its labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log

from lycosa.crawl.inputs import Ontology
from lycosa.model.records import Record
from lycosa.scoring.topics.ontology import EntityRelevance
from lycosa.scoring.words.terms import PLAIN, tokens

WINDOW = 10
"""Terms on either side of a mention that count as near it."""
ABSORBS = 0.6
"""A word of which so large a share stands in one phrase is not suggested beside the phrase."""
EXAMPLES = 3
MOST_TERMS = 500_000
"""Beyond so many, words and phrases that occurred once are forgotten; if one comes again, that once is lost."""

Term = tuple[str, ...]
"""One or two stems."""


class Suggestion(Record, frozen=True, kw_only=True):
    """A term that could become a concept."""

    term: str
    """As it is written most often."""
    count: int
    pages: int
    near: Mapping[str, int]
    """How often it stands near each concept in focus or close to it, most first."""
    score: float
    """near · ln(how much more often it occurs near them than elsewhere); the higher, the better."""
    examples: tuple[str, ...]
    """URLs of pages on which it is frequent."""


class Gleaner:
    """Counts the terms of a crawl's pages, one page after the other.

    Invariants, each the name of a property test:

    * nothing known: no suggestion is a label of the ontology.
    * counts add up: near a concept a term is counted at most as often as at all, and on no more pages than that.
    """

    def __init__(self, ontology: Ontology, window: int = WINDOW) -> None:
        self._relevance = EntityRelevance(ontology)
        self._window = window
        self._labels = {label for concept in ontology.concepts for label in concept.labels}
        self._counts: Counter[Term] = Counter()
        self._near: dict[Term, Counter[int]] = {}
        self._pages: Counter[Term] = Counter()
        self._best: dict[Term, list[tuple[int, str]]] = {}
        self._written: dict[str, Counter[str]] = {}
        self._positions = self._near_positions = 0

    def add(self, url: str, text: str) -> None:
        terms = PLAIN.sequence(text)
        covered, near = self._surroundings(terms)
        found: Counter[Term] = Counter()
        for at, term in enumerate(terms):
            if covered[at]:
                continue
            found[(term,)] += 1
            self._meet((term,), near[at])
            if at + 1 < len(terms) and not covered[at + 1] and terms[at + 1] != term:
                phrase = (term, terms[at + 1])
                found[phrase] += 1
                self._meet(phrase, near[at] if near[at + 1] >= 0 else -1)
        self._positions += len(terms)
        self._near_positions += sum(concept >= 0 for concept in near)
        self._note(found, url)
        if len(self._counts) > MOST_TERMS:
            self._forget_rare()
        for word, n in Counter(tokens(text)).items():
            for stem in PLAIN.sequence(word):
                self._written.setdefault(stem, Counter())[word] += n

    def _meet(self, term: Term, concept: int) -> None:
        """A term stands near a concept (-1: near none)."""
        if concept >= 0:
            self._near.setdefault(term, Counter())[concept] += 1

    def _surroundings(self, terms: Sequence[str]) -> tuple[list[bool], list[int]]:
        """Which terms are part of a label, and near which concept each one stands (-1: none)."""
        covered, near = [False] * len(terms), [-1] * len(terms)
        for start, end, places in self._relevance.lexicon.found(terms):
            covered[start:end] = [True] * (end - start)
            weighty = [place for place in places if place in self._relevance.weights]
            if weighty:
                left, right = max(0, start - self._window), min(len(terms), end + self._window)
                near[left:right] = weighty[:1] * (right - left)
        return covered, near

    def _note(self, found: Mapping[Term, int], url: str) -> None:
        self._counts.update(found)
        self._pages.update(found.keys())
        for term, n in found.items():
            if term in self._near:
                best = self._best.setdefault(term, [])
                best.append((-n, url))
                best.sort()
                del best[EXAMPLES:]

    def _forget_rare(self) -> None:
        for term in [term for term, n in self._counts.items() if n == 1]:
            del self._counts[term], self._pages[term]
            self._near.pop(term, None)
            self._best.pop(term, None)

    def suggestions(self, most: int = 20, least_pages: int = 3) -> list[Suggestion]:
        """The best so many terms that occur on at least `least_pages` pages."""
        scored = sorted(
            ((self._score(term), term) for term in self._near if self._pages[term] >= least_pages),
            key=lambda item: (-item[0], item[1]),
        )
        usable = [(score, term) for score, term in scored if score > 0 and term not in self._labels]
        absorbed = self._absorbed(term for _, term in usable)
        chosen = [(score, term) for score, term in usable if term not in absorbed][:most]
        return [self._suggestion(score, term) for score, term in chosen]

    def _score(self, term: Term) -> float:
        near = sum(self._near[term].values())
        expected = self._counts[term] * self._near_positions / self._positions
        return near * log(near / expected)

    def _absorbed(self, terms: Iterable[Term]) -> set[Term]:
        """Words that stand in one phrase most of the time."""
        return {
            (word,)
            for phrase in terms
            if len(phrase) == 2
            for word in phrase
            if self._counts[phrase] >= ABSORBS * self._counts[(word,)]
        }

    def _suggestion(self, score: float, term: Term) -> Suggestion:
        concepts = self._relevance.concepts
        near = sorted(self._near[term].items(), key=lambda item: (-item[1], item[0]))
        return Suggestion(
            term=" ".join(self._spelt(stem) for stem in term),
            count=self._counts[term],
            pages=self._pages[term],
            near={concepts[place].name: n for place, n in near},
            score=round(score, 3),
            examples=tuple(url for _, url in self._best[term]),
        )

    def _spelt(self, stem: str) -> str:
        written = self._written.get(stem)
        return min(written.items(), key=lambda item: (-item[1], item[0]))[0] if written else stem
