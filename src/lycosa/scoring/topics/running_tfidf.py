"""Cosine with document frequencies that are learned from the crawl itself, as far as it has come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt
from operator import attrgetter
from typing import Any

from lycosa.crawl.topic import TopicModel
from lycosa.model.records import Page
from lycosa.scoring.topics.wrapped import WrappedTopic
from lycosa.scoring.words.terms import PRIOR_TEXTS, Counts, Weights, idf

MOST_TERMS = 500_000
"""When so many terms are known, those that one page alone held are forgotten: they weigh as if they were new."""


class Frequencies:
    """In how many of the pages that came in each term occurs.

    What is known of a language counts as `PRIOR_TEXTS` ordinary texts that came in before: a word that a share p of
    such texts holds was in p · PRIOR_TEXTS of them.
    """

    def __init__(self, shares: Weights | None = None) -> None:
        self.documents = 0
        self._of: dict[str, int] = {}
        self._shares = shares or {}
        self._prior = PRIOR_TEXTS if shares else 0

    def add(self, terms: Counts) -> None:
        self.documents += 1
        of = self._of
        for term in terms:
            of[term] = of.get(term, 0) + 1
        if len(of) > MOST_TERMS:
            self._of = {term: n for term, n in of.items() if n > 1}

    def idf(self, term: str, *, here: bool) -> float:
        """1 + ln(N / df) with the page that is judged counted in, so that there is always one; `here`: it has it."""
        before = self._prior * self._shares.get(term, 0.0)
        return idf(self.documents + 1 + self._prior, self._of.get(term, 0) + here + before)

    def save(self) -> Mapping[str, Any]:
        return {"documents": self.documents, "of": dict(self._of)}

    def load(self, state: Mapping[str, Any]) -> None:
        self.documents, self._of = state["documents"], dict(state["of"])


class TfIdfTopic:
    """Cosine of the query and the page, both f_kd · (1 + ln(N / df_k)) (Menczer et al. 2004, eq. 3, running).

    N and df are of the pages that came in before, and the page itself. So a word that all pages share weighs little
    soon, and early pages are judged almost by their counts alone.
    """

    def __init__(
        self,
        query: Weights,
        frequencies: Frequencies,
        terms_of: Callable[[Page], Counts] = attrgetter("terms"),
    ) -> None:
        """`terms_of` counts a page's words as those of the query were counted."""
        self.query, self._frequencies, self._terms_of = query, frequencies, terms_of

    def relevance(self, page: Page) -> float:
        return min(1.0, sum(self.explain(page).values()))

    def explain(self, page: Page) -> dict[str, float]:
        terms, weight = self._terms_of(page), self._frequencies.idf
        if not any(term in terms for term in self.query):
            return {}
        length = sqrt(sum((n * weight(term, here=True)) ** 2 for term, n in terms.items()))
        query = {term: n * weight(term, here=term in terms) for term, n in self.query.items()}
        length *= sqrt(sum(each * each for each in query.values()))
        shares = {
            term: each * terms[term] * weight(term, here=True) / length
            for term, each in query.items()
            if term in terms
        }
        return dict(sorted(shares.items(), key=lambda item: (-item[1], item[0])))


class Running(WrappedTopic):
    """A topic whose parts share frequencies that grow with every page.

    Invariant, the name of a property test:

    * replay equals run: the same pages in the same order are judged alike, also by what was saved and loaded between.
    """

    def __init__(self, inner: TopicModel, frequencies: Frequencies) -> None:
        super().__init__(inner)
        self._frequencies = frequencies

    def observe(self, page: Page) -> None:
        self._frequencies.add(page.terms)
        super().observe(page)

    def save(self) -> Mapping[str, Any]:
        return {**self._frequencies.save(), **super().save()}

    def load(self, state: Mapping[str, Any]) -> None:
        self._frequencies.load(state)
        super().load(state)
