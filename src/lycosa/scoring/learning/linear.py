"""Logistic regression on words that are there or not: trained whole, asked one text at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp
from typing import Any

import numpy as np

MOST_STEPS = 100
"""Of the solver; a handful of dozens is enough for sparse words."""


class LinearModel:
    """P(good | words) = 1 / (1 + exp(-(b + Σ w)))."""

    def __init__(self, weights: Mapping[str, float], bias: float) -> None:
        self.weights, self.bias = weights, bias

    def probability(self, words: Iterable[str]) -> float:
        """In (0, 1); words that were not in training say nothing."""
        total = self.bias + sum(self.weights.get(word, 0.0) for word in words)
        return 1.0 / (1.0 + exp(-total)) if total >= 0 else exp(max(total, -700.0)) / (1.0 + exp(total))

    def save(self) -> dict[str, Any]:
        return {"weights": dict(self.weights), "bias": self.bias}

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> LinearModel:
        return cls(state["weights"], state["bias"])


def fitted(texts: Sequence[Sequence[str]], good: Sequence[bool], c: float = 1.0) -> LinearModel:
    """The model that minimises ½|w|² + c Σ ln(1 + exp(-y(b + w·x))), found by L-BFGS; the bias is not held small.

    `texts` are the distinct words of each sample. Deterministic: the same samples in the same order give the same
    model.
    """
    from scipy import optimize, sparse

    numbers: dict[str, int] = {}
    columns = [numbers.setdefault(word, len(numbers)) for words in texts for word in words]
    indptr = np.concatenate([[0], np.cumsum([len(words) for words in texts])])
    rows = sparse.csr_matrix((np.ones(len(columns)), columns, indptr), shape=(len(texts), len(numbers)))
    turned = rows.T.tocsr()
    signs = np.where(np.asarray(good), 1.0, -1.0)

    def loss(point: Any) -> tuple[float, Any]:
        weights, bias = point[:-1], point[-1]
        margins = signs * (rows @ weights + bias)
        slope = -c * signs * np.exp(-np.logaddexp(0.0, margins))
        value = 0.5 * float(weights @ weights) + c * float(np.logaddexp(0.0, -margins).sum())
        return value, np.concatenate([weights + turned @ slope, [slope.sum()]])

    start = np.zeros(len(numbers) + 1)
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": MOST_STEPS}).x
    return LinearModel(dict(zip(numbers, found[:-1].tolist(), strict=True)), float(found[-1]))
