"""How similar short texts are to a query: the words of links and the words around them."""

from __future__ import annotations

from lycosa.scoring.terms import Counts, cosine, counts

CHANGED_BY_STEMMING = 2
"""Characters at a stem's end that its words may not have (Porter 1980): -biliti becomes -ble, others change one."""


class Similarity:
    """Cosine of a query's counts and those of a text (Pant, Srinivasan and Menczer 2004, eq. 1), in [0, 1].

    Most links say nothing of the topic. An ASCII text in which no query term begins any word is told by looking for
    the terms' first letters, at a tenth of the cost of counting its words.

    Invariant, the name of a property test:

    * no shortcut shows: `of(text)` is `cosine(query, counts(text))`.

    >>> Similarity({"rock": 1, "climb": 1}).of("Climbing gear for rock climbers")
    0.7071067811865475
    """

    def __init__(self, query: Counts) -> None:
        self.query = query
        # A word of ASCII letters has a stem of ASCII letters: a term with others needs not be looked for there.
        self._beginnings = tuple(
            dict.fromkeys(term[: max(1, len(term) - CHANGED_BY_STEMMING)] for term in query if term.isascii())
        )

    def of(self, text: str) -> float:
        return cosine(self.query, counts(text)) if self._may_hold(text) else 0.0

    def _may_hold(self, text: str) -> bool:
        if not text.isascii():
            return True
        return any(map(text.lower().__contains__, self._beginnings))
