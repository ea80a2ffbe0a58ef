"""How similar short texts are to a query: the words of links and the words around them."""

from __future__ import annotations

from unicodedata import is_normalized

from lycosa.scoring.words.terms import PLAIN, Vocabulary, Weights, cosine

CHANGED_BY_STEMMING = 2
"""Characters at a stem's end that its words may not have (Porter 1980): -biliti becomes -ble, others change one."""


class Similarity:
    """Cosine of a query's counts and those of a text (Pant, Srinivasan and Menczer 2004, eq. 1), in [0, 1].

    Most links say nothing of the topic. Texts that hold the beginning of no query term are told at a tenth of the cost
    of counting their words.

    Invariant, the name of a property test:

    * no shortcut shows: `of(text)` is `cosine(query, counts(text))`, counts by the same `vocabulary` as the query's.

    >>> Similarity({"rock": 1, "climb": 1}).of("Climbing gear for rock climbers")
    0.7071067811865475
    """

    def __init__(self, query: Weights, vocabulary: Vocabulary = PLAIN) -> None:
        self.query, self._vocabulary = query, vocabulary
        self._beginnings = tuple(
            dict.fromkeys(term[: max(1, len(term) - CHANGED_BY_STEMMING)] for term in query)
        )
        self._is_ascii = all(term.isascii() for term in query)

    def of(self, text: str) -> float:
        return cosine(self.query, self._vocabulary.counts(text)) if self.may_find(text) else 0.0

    def may_find(self, text: str) -> bool:
        """False only if `of(text)` is 0."""
        # Beyond ASCII, lower case and composition have several forms; ASCII letters have one in a text in NFKC.
        if not text.isascii() and not (self._is_ascii and is_normalized("NFKC", text)):
            return True
        return any(map(text.lower().__contains__, self._beginnings))
