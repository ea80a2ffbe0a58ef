"""Classifiers of two classes, pages about a topic and others, as they are applied: no library, plain values to save.

Texts are weights of terms (`scoring.features`). Each classifier gives the probability of being about the topic, and
tells which terms of a text speak for it (above 0) or against it (below).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log, log1p, sqrt
from typing import Any, Protocol, Self

from lycosa.scoring.learning.bayes import NaiveBayes, root_of_words
from lycosa.scoring.words.terms import Weights


class Classifier(Protocol):
    """Judges texts."""

    def probability(self, text: Weights) -> float:
        """Of being about the topic, in [0, 1]."""
        ...

    def evidence(self, text: Weights) -> dict[str, float]:
        """What each known term of the text says."""
        ...

    def terms(self) -> dict[str, float]:
        """What each known term would say, standing alone."""
        ...

    def save(self) -> Mapping[str, Any]:
        """Plain values."""
        ...

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Self:
        """Take back what `save` returned."""
        ...


class Bayes:
    """Multinomial naive Bayes (`scoring.bayes`). √|d| words of a text count as independent evidence, so that the
    probabilities of whole pages are not all 0 or 1."""

    def __init__(self, inner: NaiveBayes) -> None:
        self._inner = inner

    def probability(self, text: Weights) -> float:
        return self._inner.posterior(text)[1]  # type: ignore[arg-type] # weighted counts do as well

    def evidence(self, text: Weights) -> dict[str, float]:
        return self._inner.evidence(text, of=1)  # type: ignore[arg-type]

    def terms(self) -> dict[str, float]:
        return self._inner.evidence(dict.fromkeys(self._inner.vocabulary, 1), of=1)

    def save(self) -> Mapping[str, Any]:
        return self._inner.save()

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Self:
        return cls(NaiveBayes.load(state, effective_length=root_of_words))


def lewis_factor(in_class: float, anywhere: float, in_text: float) -> float:
    """P(W=1|c)/P(W=1) · P(W=1|d) + P(W=0|c)/P(W=0) · P(W=0|d): what one word does to the probability of a class."""
    return in_class / anywhere * in_text + (1 - in_class) / (1 - anywhere) * (1 - in_text)


class Lewis:
    """P(c|d) = P(c) Π_i lewis_factor(P(W_i|c), P(W_i), P(W_i|d)) over all words i known, in the class and not.

    (Lewis 1992, after Fuhr's probabilistic indexing; the details are recalled, as Chung and Clarke 2002 use it.)
    P(W_i=1|d) is 1 if the text holds the word, else 0. (A share of the largest tf · idf of the text, as one also reads
    it, makes most words that are there count as absent, and the classifier guess.) The products are no probabilities
    of a whole: they are scaled to sum 1 over the two classes. A text costs as many steps as it has words.
    """

    def __init__(self, prior: float, words: Mapping[str, tuple[float, float, float]]) -> None:
        self.prior = prior
        self._words = dict(words)
        """By term: P(W=1|topic), P(W=1|other), P(W=1)."""
        self._said = {
            term: _log_ratio(each, 1.0) - _log_ratio(each, 0.0) for term, each in self._words.items()
        }
        self._odds_of_none = log(prior / (1 - prior)) + sum(
            _log_ratio(each, 0.0) for each in self._words.values()
        )

    def probability(self, text: Weights) -> float:
        said = self._said
        return logistic(self._odds_of_none + sum(said[term] for term in text if term in said))

    def evidence(self, text: Weights) -> dict[str, float]:
        """The change of the log odds against the word's absence."""
        return _ranked({term: self._said[term] for term in text if term in self._said})

    def terms(self) -> dict[str, float]:
        return _ranked(self._said)

    def save(self) -> Mapping[str, Any]:
        return {"prior": self.prior, "words": {term: list(each) for term, each in self._words.items()}}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Self:
        """Models that an earlier lycosa saved have each word's idf before the probabilities."""
        return cls(state["prior"], {term: tuple(each[-3:]) for term, each in state["words"].items()})


def _log_ratio(word: tuple[float, float, float], in_text: float) -> float:
    """The log of what a word does to the topic's probability, against what it does to the others'."""
    topic, other, anywhere = word
    return log(lewis_factor(topic, anywhere, in_text)) - log(lewis_factor(other, anywhere, in_text))


class Rocchio:
    """Two prototypes w_c of tf · idf vectors; the text belongs to the one with the larger cosine (Joachims 1997).

    The probability is the topic's share of the two cosines, above 1/2 where it is the larger; 0 for a text without any
    known term. It is not calibrated.
    """

    def __init__(self, words: Mapping[str, tuple[float, float, float]]) -> None:
        self._words = dict(words)
        """By term: idf, weight in the topic's prototype, weight in the other one; both of length 1, or 0."""

    def probability(self, text: Weights) -> float:
        words = self._words
        topic = other = 0.0
        for term, n in text.items():
            if (known := words.get(term)) is not None:
                weight = n * known[0]
                topic += weight * known[1]
                other += weight * known[2]
        return topic / (topic + other) if topic else 0.0

    def evidence(self, text: Weights) -> dict[str, float]:
        words = self._words
        held = {term: n * words[term][0] for term, n in text.items() if term in words}
        length = sqrt(sum(weight * weight for weight in held.values())) or 1.0
        return _ranked({t: weight * (words[t][1] - words[t][2]) / length for t, weight in held.items()})

    def terms(self) -> dict[str, float]:
        return _ranked({term: topic - other for term, (_, topic, other) in self._words.items()})

    def save(self) -> Mapping[str, Any]:
        return {"words": {term: list(each) for term, each in self._words.items()}}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Self:
        return cls({term: tuple(each) for term, each in state["words"].items()})


class Linear:
    """1 / (1 + exp(-(A · m + B))) with the margin m = b + Σ_t w_t x_t; x is (1 + ln n_t) · idf_t, scaled to length 1.

    A and B make the margins of a linear support vector machine, or of logistic regression, probabilities (Platt 1999).
    """

    def __init__(
        self, words: Mapping[str, tuple[float, float]], bias: float, scale: float = 1.0, shift: float = 0.0
    ) -> None:
        self._words = dict(words)
        """By term: idf, weight w."""
        self.bias, self.scale, self.shift = bias, scale, shift

    def probability(self, text: Weights) -> float:
        return logistic(self.scale * self.margin(text) + self.shift)

    def margin(self, text: Weights) -> float:
        words = self._words
        dot = length = 0.0
        for term, n in text.items():
            if (known := words.get(term)) is not None:
                x = (1.0 + log(n) if n >= 1.0 else n) * known[0]
                length += x * x
                dot += x * known[1]
        return self.bias + (dot / sqrt(length) if length else 0.0)

    def evidence(self, text: Weights) -> dict[str, float]:
        vector = unit_tf_idf(text, {term: known[0] for term in text if (known := self._words.get(term))})
        return _ranked({term: self.scale * x * self._words[term][1] for term, x in vector.items()})

    def terms(self) -> dict[str, float]:
        return _ranked({term: self.scale * weight for term, (_, weight) in self._words.items()})

    def save(self) -> Mapping[str, Any]:
        words = {term: list(each) for term, each in self._words.items()}
        return {"words": words, "bias": self.bias, "scale": self.scale, "shift": self.shift}

    @classmethod
    def load(cls, state: Mapping[str, Any]) -> Self:
        words = {term: tuple(each) for term, each in state["words"].items()}
        return cls(words, state["bias"], state["scale"], state["shift"])


def unit_tf_idf(text: Weights, idfs: Weights, *, damped: bool = True) -> dict[str, float]:
    """tf · idf of the terms that have one, scaled to length 1; `damped`: tf is 1 + ln n."""
    weights = {
        term: (1.0 + log(n) if damped and n >= 1.0 else n) * idfs[term]
        for term, n in text.items()
        if term in idfs
    }
    length = sqrt(sum(weight * weight for weight in weights.values()))
    return {term: weight / length for term, weight in weights.items()} if length else {}


def logistic(odds: float) -> float:
    """1 / (1 + exp(-x)), for numbers of any size."""
    return exp(-log1p(exp(-odds))) if odds > 0 else exp(odds - log1p(exp(odds)))


def _ranked(said: Mapping[str, float]) -> dict[str, float]:
    """The weightiest first, whatever the sign; ties by term."""
    return dict(sorted(said.items(), key=lambda item: (-abs(item[1]), item[0])))


KINDS: Mapping[str, type[Bayes] | type[Lewis] | type[Rocchio] | type[Linear]] = {
    "nb": Bayes,
    "lewis": Lewis,
    "rocchio": Rocchio,
    "svm": Linear,
    "logistic": Linear,
}
"""The kinds of classifier that can be trained, by their names."""
