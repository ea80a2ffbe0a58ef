"""Which terms tell classes of texts apart: scores by which a vocabulary is cut to the telling ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log2
from typing import Literal

from lycosa.scoring.words.terms import Counts

Texts = Sequence[Counts]
Selection = Literal["fisher", "information-gain"]

RARE = 2
"""Where there are enough texts to choose from, a term has to occur in so many of them: what one text alone says tells
that text from the others, not its class."""
ENOUGH = 10

_NO_VARIANCE = 1e-12


def fisher_indexes(classes: Sequence[Texts]) -> dict[str, float]:
    """How far the classes' mean shares of a term lie apart, against how much texts of one class differ.

    Fisher(t) = Σ_{c<c'} (μ_c - μ_c')² / Σ_c (1/|c|) Σ_{d∈c} (x_d - μ_c)², x_d = n(d, t) / Σ_t n(d, t).
    (Chakrabarti, Dom, Agrawal and Raghavan, VLDB Journal 7, 1998, sec. 3.1)
    """
    filled = [texts for texts in classes if texts]
    total: dict[str, float] = {}  # Σ μ
    squares: dict[str, float] = {}  # Σ μ²
    within: dict[str, float] = {}
    for texts in filled:
        for term, (mean, square) in _moments(texts).items():
            total[term] = total.get(term, 0.0) + mean
            squares[term] = squares.get(term, 0.0) + mean * mean
            within[term] = within.get(term, 0.0) + max(0.0, square - mean * mean)
    # Σ_{c<c'} (μ_c - μ_c')² = k Σ μ² - (Σ μ)², k being the number of classes
    return {
        term: max(0.0, len(filled) * squares[term] - mean**2) / (within[term] + _NO_VARIANCE)
        for term, mean in total.items()
    }


def _moments(texts: Texts) -> dict[str, tuple[float, float]]:
    """Means of the shares of each term and of their squares."""
    sums: dict[str, float] = {}
    squares: dict[str, float] = {}
    for terms in texts:
        length = sum(terms.values())
        for term, n in terms.items():
            share = n / length
            sums[term] = sums.get(term, 0.0) + share
            squares[term] = squares.get(term, 0.0) + share * share
    return {term: (each / len(texts), squares[term] / len(texts)) for term, each in sums.items()}


def information_gains(classes: Sequence[Texts]) -> dict[str, float]:
    """H(C) - Pr(t) H(C|t) - Pr(¬t) H(C|¬t) in bits: what it tells of a text's class whether it holds the term."""
    sizes = [len(texts) for texts in classes]
    holding: dict[str, list[int]] = {}
    for c, texts in enumerate(classes):
        for terms in texts:
            for term in terms:
                holding.setdefault(term, [0] * len(classes))[c] += 1
    total = sum(sizes)
    before = _entropy(sizes)
    gains = {}
    for term, counted in holding.items():
        without = [size - n for size, n in zip(sizes, counted, strict=True)]
        gains[term] = before - (sum(counted) * _entropy(counted) + sum(without) * _entropy(without)) / total
    return gains


def _entropy(counted: Sequence[int]) -> float:
    total = sum(counted)
    return -sum(n / total * log2(n / total) for n in counted if n)


_SCORES: Mapping[Selection, Callable[[Sequence[Texts]], dict[str, float]]] = {
    "fisher": fisher_indexes,
    "information-gain": information_gains,
}


def telling_terms(classes: Sequence[Texts], most: int, by: Selection = "fisher") -> list[str]:
    """The terms with the highest scores, at most so many, best first (ties by term)."""
    scores = _SCORES[by](classes)
    if sum(map(len, classes)) >= ENOUGH:
        holding: dict[str, int] = {}
        for texts in classes:
            for terms in texts:
                for term in terms:
                    holding[term] = holding.get(term, 0) + 1
        scores = {term: score for term, score in scores.items() if holding[term] >= RARE} or scores
    return sorted(scores, key=lambda term: (-scores[term], term))[:most]
