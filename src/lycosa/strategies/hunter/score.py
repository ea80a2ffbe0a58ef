"""Columns of evidence put together to one number: some of each word is worth more than much of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from lycosa.model.records import Record
from lycosa.scoring.links.smoothing import Floats
from lycosa.scoring.words.terms import Counts
from lycosa.strategies.hunter.hunting import HUNTING, WEIGHS_WORDS, weighed

FAINT = 0.05
"""Where even the best page has less evidence, it counts as if it had so much: a first trace is no proof."""
NO_COLUMN = -1
_LEAST = 1e-9
_LEAST_MEAN = 1e-4


class EvidenceRules(Record, frozen=True, kw_only=True):
    """See `lycosa.strategies.hunter.hunter.Hunter`."""

    above: float
    below: float
    beside: float
    saturation: float
    lessons: float
    likeness: float
    chosen: int
    terms: int
    first_lesson: int
    context: float
    guard: float = 0.0
    referrers: float = 0.0
    lsa: float = 0.0


class Score:
    """Evidence, nodes × columns, put together: the query's words, likeness to examples, the crawl's judgement, with
    `lsa` likeness to the query in the latent space, and lessons, each measured by the most that any page has.

    Most crawls have neither examples nor a judgement of their own, so `NO_COLUMN` for these until there are some.
    """

    def __init__(self, words: Counts, tuning: EvidenceRules, *, like: bool, judged: bool) -> None:
        self._tuning = tuning
        self.count = count = len(words)
        self.words = slice(0, count)
        # Beside lessons there are always two columns: the sums of one alone are added up in another order.
        like, judged = like or count < 2, judged or count < 1
        self.like = count if like else NO_COLUMN
        self.judged = count + like if judged else NO_COLUMN
        self.main = count + like + judged
        self.lessons = self.main + bool(tuning.lsa)
        self.columns = self.lessons + 1
        self._emphasis = np.array([1.0 + np.log(count) for count in words.values()])
        self.weights: Floats = np.zeros(count)
        """Of the words: rarity(w) · (1 + ln n_w); 0 while there are no pages."""
        self.mean = np.ones(count)
        self.most = np.ones(5)
        """Of the words together, likeness, judgement, lessons, lsa: the most of any page."""
        self.trust = 1.0
        """The share of their weight that lessons have."""

    def measured_as(self, other: Score) -> None:
        """Measure as another one does that has other columns."""
        self.weights, self.mean, self.most, self.trust = other.weights, other.mean, other.most, other.trust

    def weigh(self, rarities: Floats) -> None:
        """The words are so rare."""
        self.weights = rarities * self._emphasis

    def measure(self, evidence: Floats) -> None:
        """Go by the means and the greatest values of these pages."""
        words = evidence[:, self.words]
        self.mean = np.maximum(words.mean(axis=0), _LEAST_MEAN) if self.count else self.mean
        like, judged, main = (
            FAINT if at == NO_COLUMN else max(float(evidence[:, at].max()), FAINT)
            for at in (self.like, self.judged, self.main)
        )
        self.most = np.array([1.0, like, judged, self.most[3], main])
        if self.count:
            faint = self.of_words(np.full((1, self.count), FAINT))
            self.most[0] = max(float(self.of_words(words).max()), float(faint[0]), _LEAST)

    def measure_lessons(self, evidence: Floats) -> None:
        self.most[3] = max(float(evidence[:, self.lessons].max()), FAINT)

    def of(self, evidence: Floats) -> Floats:
        """Of each row."""
        found = self.from_words(evidence)
        if self.like != NO_COLUMN:
            found += self._tuning.likeness * self.of_examples(evidence[:, self.like])
        if self.judged != NO_COLUMN:
            found += evidence[:, self.judged] / self.most[2]
        found += self.from_lessons(evidence)
        if self._tuning.lsa:
            found += self._from_main(evidence)
        return found

    def rounded(self, evidence: Floats, most: float, digits: int) -> Floats:
        """Of each row, at most so much."""
        if HUNTING is None or self._tuning.lsa:
            found: Floats = np.minimum(self.of(evidence), most).round(digits)
            return found
        words: Any = None
        if self.count:
            words = self._measure if WEIGHS_WORDS else self.of_words(evidence[:, self.words])
        weights = self._tuning.likeness, self._tuning.lessons * self.trust
        parts = *self.most[:4].tolist(), *weights
        whole = evidence, self.columns, words, self.like, self.judged, self.lessons, parts
        return np.frombuffer(HUNTING.score(*whole, most, 10.0**digits))

    def from_words(self, evidence: Floats) -> Floats:
        """The query's part of it."""
        if not self.count:
            return np.zeros(len(evidence))
        found: Floats = self.of_words(evidence[:, self.words]) / self.most[0]
        return found

    def from_lessons(self, evidence: Floats) -> Floats:
        """The part of the words that were learned."""
        found: Floats = self._tuning.lessons * self.trust * evidence[:, self.lessons] / self.most[3]
        return found

    def _from_main(self, evidence: Floats) -> Floats:
        found: Floats = self._tuning.lsa * evidence[:, self.main] / self.most[4]
        return found

    def of_examples(self, likeness: Floats) -> Floats:
        """Measured by the most of any page; but likeness to bad examples is a cosine, however little there is of it."""
        found: Floats = np.where(likeness > 0, likeness / self.most[1], likeness)
        return found

    def of_words(self, evidence: Floats) -> Floats:
        """Σ_w rarity(w) · (1 + ln n_w) · ln(1 + e_w / (c · mean e_w)): some of each is worth more than much of one."""
        return weighed(evidence, *self._measure)

    @property
    def _measure(self) -> tuple[Floats, float, Floats]:
        """What words are measured by."""
        return self.mean, self._tuning.saturation, self.weights

    def parts(self, evidence: Floats, names: list[str]) -> dict[str, float]:
        """What the score of one row is made of, by the words of the query, which have these names, and the other
        columns."""
        row = evidence[None, :]
        parts = {}
        for column, name in enumerate(names):
            only = np.zeros((1, self.count))
            only[0, column] = evidence[column]
            parts[f"word {name}"] = float(self.of_words(only)[0] / self.most[0])
        if self.like != NO_COLUMN:
            like = self.of_examples(row[:, self.like])[0]
            parts["like the examples"] = float(self._tuning.likeness * like)
        if self.judged != NO_COLUMN:
            parts["the crawl's judgement of pages that link here"] = float(
                evidence[self.judged] / self.most[2]
            )
        parts["words of the best pages"] = float(self.from_lessons(row)[0])
        if self._tuning.lsa:
            parts["words that stand with the topic's"] = float(self._from_main(row)[0])
        return parts
