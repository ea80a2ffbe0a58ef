"""How good probabilities are, measured against what is true."""

from __future__ import annotations

from collections.abc import Sequence

from lycosa.model.records import Record

BINS = 10


class Bin(Record, frozen=True, kw_only=True):
    """Pages with probabilities from `low` to below `high`."""

    low: float
    high: float
    pages: int
    mean_probability: float
    positive: float
    """The share that is about the topic: near the mean probability, if that can be trusted."""


class Quality(Record, frozen=True, kw_only=True):
    """What a classifier got right; a page counts as found from a probability of 1/2 on."""

    pages: int
    positives: int
    accuracy: float
    precision: float
    """Of what was found, the share that is about the topic; 0 if nothing was found."""
    recall: float
    """Of what is about the topic, the share that was found."""
    f1: float
    brier: float
    """Mean of (probability - truth)²: 0 is perfect, p (1 - p) is had by always telling the share p of positives."""
    calibration_error: float
    """Mean distance between probability and share of positives over the bins, weighted by pages."""
    reliability: tuple[Bin, ...]
    folds: int = 0
    """Of the cross-validation; 0: measured on pages that were not trained on."""


def quality_of(probabilities: Sequence[float], labels: Sequence[bool], *, folds: int = 0) -> Quality:
    """Compare probabilities with the truth, page by page; at least one page."""
    pages, positives = len(labels), sum(labels)
    found = [p >= 0.5 for p in probabilities]
    hits = sum(f and label for f, label in zip(found, labels, strict=True))
    precision = hits / sum(found) if any(found) else 0.0
    recall = hits / positives if positives else 0.0
    bins = _bins(probabilities, labels)
    return Quality(
        pages=pages,
        positives=positives,
        accuracy=sum(f == label for f, label in zip(found, labels, strict=True)) / pages,
        precision=precision,
        recall=recall,
        f1=2 * precision * recall / (precision + recall) if hits else 0.0,
        brier=sum((p - label) ** 2 for p, label in zip(probabilities, labels, strict=True)) / pages,
        calibration_error=sum(b.pages * abs(b.mean_probability - b.positive) for b in bins) / pages,
        reliability=bins,
        folds=folds,
    )


def _bins(probabilities: Sequence[float], labels: Sequence[bool]) -> tuple[Bin, ...]:
    """Ten of equal width; those without pages are left out."""
    held: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for p, label in zip(probabilities, labels, strict=True):
        held[min(BINS - 1, int(p * BINS))].append((p, label))
    return tuple(
        Bin(
            low=n / BINS,
            high=(n + 1) / BINS,
            pages=len(pairs),
            mean_probability=sum(p for p, _ in pairs) / len(pairs),
            positive=sum(label for _, label in pairs) / len(pairs),
        )
        for n, pairs in enumerate(held)
        if pairs
    )
