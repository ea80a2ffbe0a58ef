"""What a text says about the concepts of an ontology, and how relevant that makes it.

Source: Ehrig and Maedche, "Ontology-focused crawling of Web documents", SAC 2003: entities are found in a text by the
ontology's lexicon, their scores spread to neighbours by one of four strategies, and the entities in focus add up to
the text's relevance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import sqrt
from typing import Literal

from lycosa.crawl.inputs import Concept, Ontology
from lycosa.crawl.topic import TopicModel
from lycosa.model.records import Page
from lycosa.scoring.words.terms import PLAIN

Measure = Literal["single", "taxonomic", "relational", "total"]
"""How scores spread: not at all, to super- and subconcepts, to what is related, to all of these."""

W_TAX = 0.5
W_REL = 0.25

Mentions = Mapping[int, int]
"""How often each entity is mentioned, by its place among the concepts of the ontology."""

Idf = Callable[[int], float]
"""The weight of an entity by its place: the rarer in the pages so far, the more it counts."""


class Lexicon:
    """Finds entities in texts by their labels: word by word from the left, of several labels the longest.

    Words are compared by their stems, stop words left out on both sides. A label of several entities mentions them
    all.

    Invariants, each the name of a property test:

    * longest match: a label within a longer one that was found is not counted.
    * page as text: a page's mentions are those of its title and text.
    """

    def __init__(self, concepts: Sequence[Concept]) -> None:
        self._meaning: dict[tuple[str, ...], list[int]] = {}
        for place, concept in enumerate(concepts):
            for label in dict.fromkeys(concept.labels):
                self._meaning.setdefault(label, []).append(place)
        self._longest: dict[str, int] = {}
        for label in self._meaning:
            self._longest[label[0]] = max(len(label), self._longest.get(label[0], 0))
        self._phrases: dict[str, list[tuple[str, ...]]] = {}
        for label in self._meaning:
            if len(label) > 1:
                self._phrases.setdefault(label[0], []).append(label)
        self._words = {label[0]: found for label, found in self._meaning.items() if len(label) == 1}

    def mentions(self, terms: Sequence[str]) -> dict[int, int]:
        """How often each entity occurs in the terms of a text, given in their order."""
        found: dict[int, int] = {}
        for _, _, places in self.found(terms):
            for place in places:
                found[place] = found.get(place, 0) + 1
        return found

    def found(self, terms: Sequence[str]) -> Iterable[tuple[int, int, Sequence[int]]]:
        """Where labels stand: first term, one beyond the last, and the entities meant."""
        longest, meaning, end, done = self._longest, self._meaning, len(terms), 0
        for at in [place for place, term in enumerate(terms) if term in longest]:
            if at < done:
                continue
            length = min(longest[terms[at]], end - at)
            while length and (places := meaning.get(tuple(terms[at : at + length]))) is None:
                length -= 1
            if length:
                done = at + length
                yield at, done, places or ()

    def in_text(self, text: str) -> tuple[dict[int, int], int]:
        """Mentions in a text, and how many terms it has."""
        terms = PLAIN.sequence(text)
        return self.mentions(terms), len(terms)

    def in_page(self, page: Page) -> dict[int, int]:
        """Mentions in a page. Its text is gone through only if the words of some longer label are all in it."""
        if self._may_have_phrases(page.terms):
            return self.mentions(PLAIN.sequence(f"{page.title}\n{page.text}"))
        found: dict[int, int] = {}
        for word, n in page.terms.items():
            for place in self._words.get(word, ()):
                found[place] = found.get(place, 0) + n
        return found

    def _may_have_phrases(self, terms: Mapping[str, int]) -> bool:
        firsts = terms.keys() & self._phrases.keys()
        return any(all(map(terms.__contains__, label)) for word in firsts for label in self._phrases[word])


class EntityRelevance:
    """r(d) = Σ_{e in focus} s(e) / √|d|, at most 1; |d| is the number of terms of the text.

    s(e) is what the text mentions of e itself, s0(e), and of its neighbours: Single s0(e); Taxonomic adds w_t·s0 of
    direct super- and subconcepts, Relational w_r·s0 of what is related, Total both. With depth 2 neighbours of
    neighbours count too, each by the product of the two weights, along the best way where there are several.

    Invariants, each the name of a property test:

    * measures are ordered: total ≥ taxonomic ≥ single, and total ≥ relational ≥ single, for any text.
    * relevance lies in [0, 1].
    """

    def __init__(
        self,
        ontology: Ontology,
        *,
        measure: Measure = "total",
        w_t: float = W_TAX,
        w_r: float = W_REL,
        depth: int = 1,
    ) -> None:
        self.concepts = ontology.concepts
        self.lexicon = Lexicon(ontology.concepts)
        steps = _steps(
            ontology.concepts,
            w_t if measure in ("taxonomic", "total") else 0.0,
            w_r if measure in ("relational", "total") else 0.0,
        )
        places = {concept.name: place for place, concept in enumerate(ontology.concepts)}
        self.weights: dict[int, float] = {}
        """What a mention of each entity adds to all of the focus together, by place; zeros are left out."""
        for name in ontology.focus:
            for place, weight in _spread(places[name], steps, depth).items():
                self.weights[place] = self.weights.get(place, 0.0) + weight

    def of_mentions(self, mentions: Mentions, length: int, idf: Idf | None = None) -> float:
        """Of a text with so many terms."""
        return min(1.0, sum(self.shares(mentions, length, idf).values()))

    def shares(self, mentions: Mentions, length: int, idf: Idf | None = None) -> dict[int, float]:
        """What each entity that is mentioned adds, before the sum is cut off at 1."""
        if not length:
            return {}
        root, weights = sqrt(length), self.weights
        return {
            place: weights[place] * n * (idf(place) if idf else 1.0) / root
            for place, n in mentions.items()
            if place in weights
        }

    def of_text(self, text: str, idf: Idf | None = None) -> float:
        """Of the words of a link, for example."""
        mentions, length = self.lexicon.in_text(text)
        return self.of_mentions(mentions, length, idf) if mentions else 0.0


class OntologyTopic:
    """Relevance by the concepts in focus: the measure Total with the default weights.

    Without document frequencies: a topic model knows of no other page. The strategy `ontology` can add them.
    """

    def __init__(self, ontology: Ontology) -> None:
        self._relevance = EntityRelevance(ontology)

    def relevance(self, page: Page) -> float:
        return self._relevance.of_mentions(self._relevance.lexicon.in_page(page), sum(page.terms.values()))

    def explain(self, page: Page) -> Mapping[str, float]:
        mentions = self._relevance.lexicon.in_page(page)
        return named_shares(self._relevance, mentions, sum(page.terms.values()))


def named_shares(
    relevance: EntityRelevance, mentions: Mentions, length: int, idf: Idf | None = None
) -> dict[str, float]:
    """The shares by the names of their concepts, largest first."""
    shares = relevance.shares(mentions, length, idf)
    ranked = sorted(shares.items(), key=lambda item: (-item[1], item[0]))
    return {relevance.concepts[place].name: share for place, share in ranked}


def topic_of(ontology: Ontology) -> TopicModel:
    """The topic that an ontology and its focus make."""
    return OntologyTopic(ontology)


def narrower_of(concepts: Sequence[Concept]) -> list[list[int]]:
    """The direct subconcepts and instances of each concept, by place."""
    places = {concept.name: place for place, concept in enumerate(concepts)}
    below: list[list[int]] = [[] for _ in concepts]
    for place, concept in enumerate(concepts):
        for name in concept.broader:
            if name in places and place not in below[places[name]]:
                below[places[name]].append(place)
    return below


def within(place: int, below: Sequence[Sequence[int]]) -> list[int]:
    """A concept and everything below it, however deep, each once, also where is-a runs in a circle."""
    found = {place: None}
    waiting = [place]
    while waiting:
        for lower in below[waiting.pop()]:
            if lower not in found:
                found[lower] = None
                waiting.append(lower)
    return list(found)


def _steps(concepts: Sequence[Concept], w_t: float, w_r: float) -> list[dict[int, float]]:
    """The weight of one step from each concept to each neighbour; steps of both kinds add up."""
    places = {concept.name: place for place, concept in enumerate(concepts)}
    steps: list[dict[int, float]] = [{} for _ in concepts]
    for weight, pairs in ((w_t, _pairs(concepts, "broader")), (w_r, _pairs(concepts, "related"))):
        known = {frozenset((places[a], places[b])) for a, b in pairs if b in places and a != b}
        for one, other in (sorted(pair) for pair in known) if weight else ():
            steps[one][other] = steps[one].get(other, 0.0) + weight
            steps[other][one] = steps[other].get(one, 0.0) + weight
    return steps


def _pairs(concepts: Sequence[Concept], relation: str) -> list[tuple[str, str]]:
    return [(concept.name, other) for concept in concepts for other in getattr(concept, relation)]


def _spread(start: int, steps: Sequence[Mapping[int, float]], depth: int) -> dict[int, float]:
    """How much of a mention of each entity near `start` counts for it: the best product of weights along a way."""
    reached = {start: 1.0}
    edge = {start: 1.0}
    for _ in range(depth):
        further: dict[int, float] = {}
        for place, weight in edge.items():
            for neighbour, step in steps[place].items():
                further[neighbour] = max(weight * step, further.get(neighbour, 0.0))
        edge = {p: w for p, w in further.items() if p != start and w > reached.get(p, 0.0)}
        reached.update(edge)
    return reached
