"""How similar short texts are to a query: the words of links and the words around them."""

from __future__ import annotations

from typing import Final
from unicodedata import is_normalized

from lycosa.model.compiled import compiled
from lycosa.scoring.words.terms import PLAIN, Vocabulary, Weights, cosine

_HUNTING: Final = compiled("lycosa.scoring._hunting")
_MOST_COMPILED = 64
"""Beginnings that the compiled form looks for at once."""
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

    def places_that_may(self, texts: list[str]) -> list[int]:
        """The places of those that `may_find` is true of."""
        if _HUNTING is None or len(self._beginnings) > _MOST_COMPILED:
            return [place for place, text in enumerate(texts) if self.may_find(text)]
        found = _HUNTING.holding(texts, self._beginnings)
        return [place for place in found if texts[place].isascii() or self.may_find(texts[place])]
