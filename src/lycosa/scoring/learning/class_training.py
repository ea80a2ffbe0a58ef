"""From pages of several classes to `Classes`. Only the support vector machine needs scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from math import log
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from lycosa.model.errors import InputError
from lycosa.scoring.learning.bayes import NaiveBayes
from lycosa.scoring.learning.classes import FINE, THOUSAND, UNIT, ClassKind, Learned
from lycosa.scoring.learning.classifiers import lewis_factor, unit_tf_idf
from lycosa.scoring.learning.selection import telling_terms
from lycosa.scoring.learning.training import (
    INNER_FOLDS,
    TERMS,
    dealt,
    fitted,
    matrix_of,
    rocchio_prototype,
    smoothed,
)
from lycosa.scoring.words.terms import Counts, Weights, document_frequencies, idf, norm, together

Texts = Sequence[Sequence[Counts]]
"""By class."""
Floats = NDArray[np.float64]

KINDS: tuple[ClassKind, ...] = get_args(ClassKind)

LEAST = 2
"""Pages of a class."""


def learned(
    kind: ClassKind, texts: Mapping[str, Sequence[Counts]], *, terms: int | None = None, seed: int = 0
) -> Learned:
    """Learn to tell classes of texts, by their names, from one another. All are equally likely beforehand.

    The same texts in the same order give the same model; in which order their words were counted does not matter.
    Raises `InputError` for less than two classes, or a class of less than two texts.
    """
    if kind not in KINDS:
        raise InputError(f"there is no kind of classes {kind!r}; there are: {', '.join(KINDS)}")
    if len(texts) < 2:
        raise InputError(f"{len(texts)} classes: give at least 2 to tell apart")
    for name, given in texts.items():
        if len(given) < LEAST:
            raise InputError(
                f"class {name!r}: {len(given)} pages with words are too few, give at least {LEAST}"
            )
    names = tuple(sorted(texts))
    ordered = [[dict(sorted(text.items())) for text in texts[name]] for name in names]
    vocabulary = sorted(
        telling_terms(ordered, terms or TERMS[kind.removesuffix("-root")], by="information-gain")
    )
    learn: Mapping[str, Callable[[Texts, Sequence[str]], Parts]] = {
        "nb": _bayes,
        "nb-root": _bayes,
        "lewis": _lewis,
        "rocchio": _rocchio,
        "svm": lambda texts, vocabulary: _linear(texts, vocabulary, seed),
    }
    parts = learn[kind](ordered, vocabulary)
    return Learned(
        kind=kind,
        names=names,
        terms=tuple(vocabulary),
        weights=_whole(parts.weights, UNIT),
        bias=_whole(parts.bias, UNIT),
        idfs=tuple(_whole(parts.idfs, FINE).tolist()),
        sharpness=round(parts.sharpness * THOUSAND),
    )


def parted(names: Sequence[str], most: int, aside: float, seed: int = 0) -> tuple[list[str], list[str]]:
    """Which pages to learn from and which to test on: at most so many of either, a share of all `aside` for the test.

    Which ones depends on their names alone, and not on where they stand in the list.
    """
    drawn = sorted(dict.fromkeys(names), key=lambda name: sha256(f"{seed}/{name}".encode()).digest())
    cut = len(drawn) - int(aside * len(drawn))
    return drawn[:cut][:most], drawn[cut:][:most]


class Parts:
    """What a kind learned, in real numbers: weights by term and class, a bias by class."""

    def __init__(self, weights: Any, bias: Any, idfs: Sequence[float] = (), sharpness: float = 1.0) -> None:
        self.weights: Floats = np.array(weights, np.float64)
        self.bias: Floats = np.array(bias, np.float64)
        self.idfs: Floats = np.array(idfs, np.float64)
        self.sharpness = sharpness


def _whole(numbers: Floats, unit: int) -> NDArray[np.int64]:
    return np.rint(numbers * unit).astype(np.int64)


def _bayes(texts: Texts, vocabulary: Sequence[str]) -> Parts:
    """θ_ct = (1 + n_ct) / (|V| + n_c)."""
    told = NaiveBayes([together(each) for each in texts], vocabulary=vocabulary).save()
    return Parts([told["log_thetas"][term] for term in vocabulary], told["log_priors"])


def _lewis(texts: Texts, vocabulary: Sequence[str]) -> Parts:
    """P(c|d) = P(c) Π_i lewis_factor, over all known words i. See `classifiers.Lewis`."""
    held = [document_frequencies(each) for each in texts]
    sizes = [len(each) for each in texts]
    weights, bias = [], [log(1 / len(texts))] * len(texts)
    for term in vocabulary:
        anywhere = smoothed(sum(each.get(term, 0) for each in held), sum(sizes))
        inside = [smoothed(each.get(term, 0), n) for each, n in zip(held, sizes, strict=True)]
        there, absent = (
            [log(lewis_factor(p, anywhere, is_there)) for p in inside] for is_there in (1.0, 0.0)
        )
        weights.append([one - other for one, other in zip(there, absent, strict=True)])
        bias = [sum_ + each for sum_, each in zip(bias, absent, strict=True)]
    return Parts(weights, bias)


def _rocchio(texts: Texts, vocabulary: Sequence[str]) -> Parts:
    """w_c of length 1, times idf: the cosine's numerator for plain counts. Its denominator is the text's own."""
    idfs = _idfs(texts, vocabulary)
    sums = [_sum(unit_tf_idf(text, idfs, damped=False) for text in each) for each in texts]
    total, size = _sum(sums), sum(map(len, texts))
    prototypes = []
    for own, each in zip(sums, texts, strict=True):
        n = len(each)
        inside = {term: weight / n for term, weight in own.items()}
        outside = {term: (weight - own.get(term, 0.0)) / (size - n) for term, weight in total.items()}
        made = rocchio_prototype(inside, outside)
        length = norm(made) or 1.0
        prototypes.append({term: weight / length for term, weight in made.items()})
    return Parts(
        [[idfs[term] * each.get(term, 0.0) for each in prototypes] for term in vocabulary], [0.0] * len(texts)
    )


def _idfs(texts: Texts, vocabulary: Sequence[str]) -> dict[str, float]:
    found = document_frequencies(text for each in texts for text in each)
    size = sum(map(len, texts))
    return {term: idf(size, found[term]) for term in vocabulary}


def _sum(vectors: Any) -> dict[str, float]:
    total: dict[str, float] = {}
    for vector in vectors:
        for term, weight in vector.items():
            total[term] = total.get(term, 0.0) + weight
    return total


# -- by scikit-learn -----------------------------------------------------------------------------------------------


def _linear(texts: Texts, vocabulary: Sequence[str], seed: int) -> Parts:
    """One class against all others, for each. Margins of texts that were left out tell how sharp they are."""
    idfs = _idfs(texts, vocabulary)
    vectors: list[Weights] = [unit_tf_idf(text, idfs) for each in texts for text in each]
    matrix = matrix_of(vectors, vocabulary)
    labels = np.repeat(np.arange(len(texts)), [len(each) for each in texts])
    margins = np.zeros((len(labels), len(texts)))
    for held_out in dealt([len(each) for each in texts], INNER_FOLDS, seed):
        left = np.setdiff1d(np.arange(len(labels)), held_out)
        if len(set(labels[left].tolist())) == len(texts):
            margins[held_out] = _margins(fitted("svm", matrix[left], labels[left]), matrix[held_out])
    made = fitted("svm", matrix, labels)
    weights, bias = _both(made.coef_.T), _both(made.intercept_)
    return Parts(weights, bias, [idfs[term] for term in vocabulary], _sharpness(margins, labels))


def _margins(model: Any, matrix: Any) -> Floats:
    told = model.decision_function(matrix)
    return _both(told.reshape(-1, 1) if told.ndim == 1 else told)


def _both(told: Any) -> Floats:
    """By class, where of two classes only the second one is told."""
    numbers: Floats = np.asarray(told, np.float64)
    return numbers if numbers.shape[-1] > 1 else np.concatenate([-numbers, numbers], axis=-1)


def _sharpness(margins: Floats, labels: NDArray[np.int64]) -> float:
    """The τ for which softmax(τ m) tells most of the true classes: -Σ log softmax(τ m)_y is least."""
    from scipy.optimize import minimize_scalar
    from scipy.special import log_softmax

    def loss(exponent: float) -> float:
        told = log_softmax(np.exp(exponent) * margins, axis=1)
        return -float(told[np.arange(len(labels)), labels].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-3.0, 4.0), method="bounded").x))
