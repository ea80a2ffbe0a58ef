"""What the words of a topic are, and how they are counted in pages and texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from lycosa.crawl.inputs import Query
from lycosa.model.records import Page
from lycosa.scoring.words.similarity import Similarity
from lycosa.scoring.words.terms import ALL_WORDS, PLAIN, Counts, Weights, cosine

Related = Mapping[str, Weights]
"""Of words of the topic, others that mean nearly the same, by the share of the word that they count for."""


class TopicWords:
    """The words by which a topic is told, looked for in the same way wherever they may stand.

    Stop words say nothing, so they are left out, in topics as in pages. A topic of stop words only ("the who") has
    nothing else: for it, and for it alone, they count everywhere. Then pages are counted again, which costs a hundred
    times more than using the counts that a page carries.

    >>> TopicWords.read("the who").terms
    {'the': 1, 'who': 1}
    >>> TopicWords.read("the who", "a rock band of 1964").terms
    {'rock': 1, 'band': 1}
    """

    def __init__(self, terms: Counts, *, stop_words: bool = False, related: Related | None = None) -> None:
        self.terms: Counts = dict(terms)
        self.related: Related = {term: found for term, found in (related or {}).items() if term in terms}
        self.weights: Weights = with_related(self.terms, self.related)
        """The topic's words and those related to them, for measures that know a text by its words."""
        self.stop_words = stop_words
        self.vocabulary = ALL_WORDS if stop_words else PLAIN

    @classmethod
    def read(cls, *texts: str) -> Self:
        """The words of the first text that has some; if all have stop words only, these of the first that has some."""
        for vocabulary in (PLAIN, ALL_WORDS):
            for text in texts:
                if terms := vocabulary.counts(text):
                    return cls(terms, stop_words=vocabulary is ALL_WORDS)
        return cls({})

    @classmethod
    def of(cls, query: Query | None) -> Self:
        """Those of a query; none without one."""
        if query is None:
            return cls({})
        return cls(query.terms, stop_words=query.stop_words, related=query.related)

    def query(self) -> Query:
        """For strategies that ask for it."""
        return Query(terms=self.terms, stop_words=self.stop_words, related=self.related)

    def in_page(self, page: Page) -> Counts:
        """The counts of the words of title and text."""
        return self.vocabulary.counts(f"{page.title}\n{page.text}") if self.stop_words else page.terms

    def in_text(self, text: str) -> dict[str, int]:
        return self.vocabulary.counts(text)

    def in_order(self, text: str) -> list[str]:
        """The words of a text one after the other."""
        return self.vocabulary.sequence(text)

    def similarity(self, page: Page) -> float:
        """Cosine of the raw counts (Pant, Srinivasan and Menczer 2004, eq. 1)."""
        return cosine(self.weights, self.in_page(page))

    def in_texts(self) -> Similarity:
        """For many short texts, such as those of links."""
        return Similarity(self.weights, self.vocabulary)


def with_related(terms: Counts, related: Related) -> Weights:
    """The terms by their counts, and what is related to them by the count times the share it counts for; of several the
    greatest. A term's own count is never changed.

    >>> with_related({"car": 2, "auto": 1}, {"car": {"auto": 0.5, "van": 0.25}})
    {'car': 2, 'auto': 1, 'van': 0.5}
    """
    added: dict[str, float] = {}
    for term, others in related.items():
        for other, share in others.items():
            if other not in terms:
                added[other] = max(added.get(other, 0.0), share * terms.get(term, 0))
    return {**terms, **added}
