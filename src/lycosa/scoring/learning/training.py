"""From texts of two classes to a classifier. Only support vector machines and logistic regression need scikit-learn."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING, Any

from lycosa.model.errors import InputError
from lycosa.scoring.learning.bayes import NaiveBayes, root_of_words
from lycosa.scoring.learning.classifiers import KINDS, Bayes, Classifier, Lewis, Linear, Rocchio, unit_tf_idf
from lycosa.scoring.learning.quality import Quality, quality_of
from lycosa.scoring.words.terms import Weights, document_frequencies, idf, norm

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Texts = Sequence[Weights]

TERMS: Mapping[str, int] = {
    "nb": 10_000,
    "lewis": 2_000,
    "rocchio": 10_000,
    "svm": 20_000,
    "logistic": 20_000,
}
"""How many terms a classifier knows, those of the highest information gain."""

ROCCHIO_TOPIC, ROCCHIO_OTHER = 16.0, 4.0
"""β and γ of Buckley, Salton and Allan (1994), as recalled."""

FOLDS, INNER_FOLDS = 5, 3


def trained(kind: str, topic: Texts, other: Texts, *, terms: int | None = None, seed: int = 0) -> Classifier:
    """Learn to tell texts about a topic from others. Raises `InputError` for a class of less than two texts."""
    topic, other = [text for text in topic if text], [text for text in other if text]
    for name, texts in (("positive", topic), ("negative", other)):
        if len(texts) < 2:
            raise InputError(f"{len(texts)} {name} pages with words: give at least 2 to learn from")
    if kind not in KINDS:
        raise InputError(f"there is no kind of model {kind!r}; there are: {', '.join(KINDS)}")
    vocabulary = informative(topic, other, terms or TERMS[kind])
    learn: Mapping[str, Callable[..., Classifier]] = {"nb": _bayes, "lewis": _lewis, "rocchio": _rocchio}
    if kind in learn:
        return learn[kind](topic, other, vocabulary)
    return _linear(kind, topic, other, vocabulary, seed)


def informative(topic: Texts, other: Texts, most: int) -> dict[str, tuple[int, int]]:
    """The terms of the highest information gain, with how many texts of each class hold them; ties by term."""
    n, m = len(topic), len(other)
    held, held_by_others = document_frequencies(topic), document_frequencies(other)  # type: ignore[arg-type]
    gains = {
        term: information_gain(held.get(term, 0), held_by_others.get(term, 0), n, m)
        for term in {**held, **held_by_others}
    }
    best = sorted(gains, key=lambda term: (-gains[term], term))[:most]
    return {term: (held.get(term, 0), held_by_others.get(term, 0)) for term in best}


def information_gain(with_topic: int, with_other: int, topics: int, others: int) -> float:
    """In nats: how much a term's presence tells of the class. H(C) - P(t) H(C|t) - P(not t) H(C|not t)."""
    total, present = topics + others, with_topic + with_other
    after = present / total * _entropy(with_topic, with_other)
    after += (total - present) / total * _entropy(topics - with_topic, others - with_other)
    return _entropy(topics, others) - after


def _entropy(one: int, other: int) -> float:
    total = one + other
    return -sum(n / total * log(n / total) for n in (one, other) if n)


Vocabulary = Mapping[str, tuple[int, int]]


def _idfs(topic: Texts, other: Texts, vocabulary: Vocabulary) -> dict[str, float]:
    documents = len(topic) + len(other)
    return {term: idf(documents, held + others) for term, (held, others) in vocabulary.items()}


def _bayes(topic: Texts, other: Texts, vocabulary: Vocabulary) -> Bayes:
    classes = [_summed(texts, vocabulary) for texts in (other, topic)]
    return Bayes(
        NaiveBayes(
            classes,  # type: ignore[arg-type] # weighted counts do as well
            vocabulary=list(vocabulary),
            priors=[float(len(other)), float(len(topic))],
            effective_length=root_of_words,
        )
    )


def _summed(texts: Texts, vocabulary: Vocabulary) -> dict[str, float]:
    total: dict[str, float] = {}
    for text in texts:
        for term, n in text.items():
            if term in vocabulary:
                total[term] = total.get(term, 0.0) + n
    return total


def _lewis(topic: Texts, other: Texts, vocabulary: Vocabulary) -> Lewis:
    n, m = len(topic), len(other)
    words = {
        term: (smoothed(held, n), smoothed(others, m), smoothed(held + others, n + m))
        for term, (held, others) in vocabulary.items()
    }
    return Lewis(n / (n + m), words)


def smoothed(n: int, total: int) -> float:
    """(n + .5) / (N + 1): neither 0 nor 1."""
    return (n + 0.5) / (total + 1)


def _rocchio(topic: Texts, other: Texts, vocabulary: Vocabulary) -> Rocchio:
    idfs = _idfs(topic, other, vocabulary)
    means = [_mean([unit_tf_idf(text, idfs, damped=False) for text in texts]) for texts in (topic, other)]
    own, others = rocchio_prototype(means[0], means[1]), rocchio_prototype(means[1], means[0])
    lengths = norm(own) or 1.0, norm(others) or 1.0
    words = {
        term: (idfs[term], own.get(term, 0.0) / lengths[0], others.get(term, 0.0) / lengths[1])
        for term in vocabulary
    }
    return Rocchio(words)


def rocchio_prototype(inside: Weights, outside: Weights) -> dict[str, float]:
    """w_c = 16 · mean(inside) - 4 · mean(outside), what falls below 0 left out."""
    weights = {t: ROCCHIO_TOPIC * w - ROCCHIO_OTHER * outside.get(t, 0.0) for t, w in inside.items()}
    return {term: weight for term, weight in weights.items() if weight > 0}


def _mean(vectors: Texts) -> dict[str, float]:
    total: dict[str, float] = {}
    for vector in vectors:
        for term, weight in vector.items():
            total[term] = total.get(term, 0.0) + weight
    return {term: weight / len(vectors) for term, weight in total.items()}


# -- by scikit-learn -----------------------------------------------------------------------------------------


def _linear(kind: str, topic: Texts, other: Texts, vocabulary: Vocabulary, seed: int) -> Linear:
    """Weights learned on all texts; A and B on margins of texts that were left out meanwhile (Platt 1999)."""
    import numpy as np

    idfs = _idfs(topic, other, vocabulary)
    matrix = matrix_of([unit_tf_idf(text, idfs) for text in (*topic, *other)], vocabulary)
    labels = np.array([1] * len(topic) + [0] * len(other))
    margins = np.zeros(len(labels))
    for held_out in folds_of(len(topic), len(other), INNER_FOLDS, seed):
        left = np.setdiff1d(np.arange(len(labels)), held_out)
        margins[held_out] = fitted(kind, matrix[left], labels[left]).decision_function(matrix[held_out])
    platt = fitted("platt", margins.reshape(-1, 1), labels)
    scale, shift = float(platt.coef_[0, 0]), float(platt.intercept_[0])
    model = fitted(kind, matrix, labels)
    weights = model.coef_[0].tolist()
    words = {term: (idfs[term], weight) for term, weight in zip(vocabulary, weights, strict=True) if weight}
    return Linear(words, float(model.intercept_[0]), max(scale, 1e-3), shift)


def fitted(kind: str, x: Any, y: Any) -> Any:
    """A model of scikit-learn; of several classes each against all others. Raises `InputError` without the library."""
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC
    except ImportError:
        raise InputError("svm and logistic need scikit-learn: pip install 'lycosa[learn]'") from None
    models = {
        "svm": lambda: LinearSVC(C=1.0, random_state=0),
        "logistic": lambda: LogisticRegression(C=10.0, max_iter=1_000),
        "platt": lambda: LogisticRegression(C=100.0),
    }
    return models[kind]().fit(x, y)


def matrix_of(vectors: Texts, vocabulary: Collection[str]) -> csr_array:
    """A row for each text, a column for each term of the vocabulary, in its order."""
    import numpy as np
    from scipy.sparse import csr_array

    place = {term: n for n, term in enumerate(vocabulary)}
    columns = np.array([place[term] for vector in vectors for term in vector], dtype=np.int32)
    ends = np.cumsum([0, *map(len, vectors)], dtype=np.int32)  # LinearSVC takes no wider ones
    weights = [weight for vector in vectors for weight in vector.values()]
    return csr_array((weights, columns, ends), shape=(len(vectors), len(place)))


# -- how good it is ------------------------------------------------------------------------------------------


def cross_validated(
    kind: str,
    topic: Texts,
    other: Texts,
    *,
    folds: int = FOLDS,
    terms: int | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Quality:
    """Each text judged by a classifier that was trained without its fold. Fewer folds where a class is small."""
    topic, other = [text for text in topic if text], [text for text in other if text]
    texts = [*topic, *other]
    labels = [True] * len(topic) + [False] * len(other)
    count = min(folds, len(topic), len(other))
    if count < 2 or min(len(topic), len(other)) - -(-min(len(topic), len(other)) // count) < 2:
        raise InputError("too few pages to cross-validate: give at least 4 of each class, or --folds 0")
    told = [0.0] * len(texts)
    for done, held_out in enumerate(folds_of(len(topic), len(other), count, seed)):
        progress(done, count)
        without = set(held_out)
        kept = [i for i in range(len(texts)) if i not in without]
        model = trained(
            kind,
            [texts[i] for i in kept if labels[i]],
            [texts[i] for i in kept if not labels[i]],
            terms=terms,
            seed=seed,
        )
        for i in held_out:
            told[i] = model.probability(texts[i])
    progress(count, count)
    return quality_of(told, labels, folds=count)


def folds_of(topics: int, others: int, folds: int, seed: int) -> list[list[int]]:
    """Places 0 … topics + others - 1, dealt out by chance so that each fold has its part of either class."""
    return dealt((topics, others), folds, seed)


def dealt(sizes: Sequence[int], folds: int, seed: int) -> list[list[int]]:
    """Places of the texts of classes of these sizes, one after the other, dealt out so that each fold has its part."""
    chance = random.Random(seed)
    hands: list[list[int]] = [[] for _ in range(folds)]
    turn = first = 0
    for size in sizes:
        shuffled = list(range(first, first + size))
        chance.shuffle(shuffled)
        for place in shuffled:
            hands[turn % folds].append(place)
            turn += 1
        first += size
    return [sorted(hand) for hand in hands]
