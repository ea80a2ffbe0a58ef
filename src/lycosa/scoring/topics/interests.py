"""What somebody is interested in, as the pages that he has browsed tell."""

from __future__ import annotations

from lycosa.scoring.topics.keywords import damped
from lycosa.scoring.words.terms import Counts, cosine, norm

MOST_TERMS = 2_000
"""Terms that a profile keeps, the heaviest; it is cut when it has twice as many."""


class Interests:
    """The decaying sum of the pages seen, each of length 1 with counts as 1 + ln(count).

    After `half_life` further pages a page counts half. (Lieberman: Letizia: An Agent That Assists Web Browsing. IJCAI
    1995, keeps weighted keywords of the pages browsed; the decay is ours.)

    Invariants, each the name of a property test:

    * likeness lies in [0, 1].
    * the last page counts most: of two pages without a common term the one seen later is liked better.
    """

    def __init__(self, half_life: float = 20.0) -> None:
        self._keep = 0.5 ** (1.0 / half_life)
        self.weights: dict[str, float] = {}

    def see(self, terms: Counts) -> None:
        """Take in a page that was browsed."""
        if not terms:
            return
        page = damped(terms)
        length = norm(page)
        weights = {term: weight * self._keep for term, weight in self.weights.items()}
        for term, weight in page.items():
            weights[term] = weights.get(term, 0.0) + weight / length
        if len(weights) > 2 * MOST_TERMS:
            heaviest = sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:MOST_TERMS]
            weights = dict(heaviest)
        self.weights = weights

    def likeness(self, terms: Counts) -> float:
        """How much a page is like those seen: the cosine of the two."""
        return cosine(self.weights, damped(terms))
