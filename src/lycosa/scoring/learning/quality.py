"""How good probabilities are, measured against what is true."""

from __future__ import annotations

from collections import Counter
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


# -- of several classes --------------------------------------------------------------------------------------------


class OfClass(Record, frozen=True, kw_only=True):
    """How well one of several classes is told."""

    name: str
    pages: int
    """That belong to it."""
    recall: float
    """Of these, the share that was told so."""
    precision: float
    """Of what was told to be of the class, the share that is; 0 if nothing was."""


class Mistake(Record, frozen=True, kw_only=True):
    """Pages of one class that were taken for another's."""

    pages: int
    of: str
    told: str


class ClassQuality(Record, frozen=True, kw_only=True):
    """What a classifier of several classes got right."""

    pages: int
    accuracy: float
    """The share of pages whose class was told."""
    balanced_accuracy: float
    """Mean recall of the classes that have pages: each counts alike, however large."""
    untold: int
    """Pages that were told to be in no class: none of them counts as right."""
    classes: tuple[OfClass, ...]
    mistakes: tuple[Mistake, ...]
    """The most frequent ones, the first first."""


MISTAKES = 10


def class_quality_of(told: Sequence[int | None], labels: Sequence[int], names: Sequence[str]) -> ClassQuality:
    """Compare classes, by their places in `names`, with the truth, page by page; at least one page."""
    pairs = Counter(zip(labels, told, strict=True))
    pages, guesses = Counter(labels), Counter(told)
    right = {place: pairs[place, place] for place in range(len(names))}
    wrong = [(n, label, guess) for (label, guess), n in pairs.items() if guess is not None and guess != label]
    return ClassQuality(
        pages=len(labels),
        accuracy=sum(right.values()) / len(labels),
        balanced_accuracy=sum(right[place] / n for place, n in pages.items()) / len(pages),
        untold=guesses[None],
        classes=tuple(
            OfClass(
                name=name,
                pages=pages[place],
                recall=right[place] / max(1, pages[place]),
                precision=right[place] / max(1, guesses[place]),
            )
            for place, name in enumerate(names)
        ),
        mistakes=tuple(
            Mistake(pages=n, of=names[label], told=names[guess])
            for n, label, guess in sorted(wrong, key=lambda each: (-each[0], *each[1:]))[:MISTAKES]
        ),
    )
