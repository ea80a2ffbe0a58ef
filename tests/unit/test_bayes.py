"""Naive Bayes: the known answers, and scikit-learn as its twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.model.errors import InputError
from lycosa.scoring.learning.bayes import NaiveBayes, root_of_words

TERMS = "abcd"
texts = st.dictionaries(st.sampled_from(TERMS), st.integers(1, 9))


def test_the_posterior_worked_by_hand() -> None:
    # θ_0 = (3/6, 2/6, 1/6), θ_1 = (1/5, 2/5, 2/5): Pr(0|ab) = (1/6) / (1/6 + 2/25)
    bayes = NaiveBayes([{"a": 2, "b": 1}, {"b": 1, "c": 1}])
    assert bayes.posterior({"a": 1, "b": 1}) == pytest.approx([0.675676, 0.324324], abs=1e-6)


def test_an_effective_length_flattens_the_posterior() -> None:
    # Of "x x" with layers "x x x" and "y y y": θ = (.8, .2). Both words: .64 / .68. √2 of 2 words:
    # odds 4^√2 = 7.10299, so 7.10299 / 8.10299
    layers = [{"x": 3}, {"y": 3}]
    assert NaiveBayes(layers).posterior({"x": 2})[0] == pytest.approx(0.941176, abs=1e-6)
    flat = NaiveBayes(layers, effective_length=root_of_words)
    assert flat.posterior({"x": 2})[0] == pytest.approx(0.876589, abs=1e-6)


def test_unknown_words_say_nothing() -> None:
    bayes = NaiveBayes([{"a": 1}, {"b": 1}], priors=[3, 1])
    assert bayes.posterior({"z": 9}) == pytest.approx([0.75, 0.25])
    assert bayes.posterior({}) == pytest.approx([0.75, 0.25])


def test_only_the_vocabulary_counts() -> None:
    # "c" is left out: θ_0(a) = (1 + 1) / (2 + 1), θ_1(a) = 1 / (2 + 2)
    bayes = NaiveBayes([{"a": 1, "c": 5}, {"b": 2}], vocabulary=["a", "b"])
    assert bayes.posterior({"a": 1, "c": 4})[0] == pytest.approx((2 / 3) / (2 / 3 + 1 / 4))


def test_a_long_text_does_not_underflow() -> None:
    assert NaiveBayes([{"a": 1}, {"b": 1}]).posterior({"a": 100_000}) == [1.0, 0.0]


def test_evidence_names_the_words_that_decide() -> None:
    said = NaiveBayes([{"a": 4, "b": 1}, {"b": 1, "c": 4}]).evidence({"a": 1, "b": 1, "z": 1}, of=0)
    assert list(said) == ["a", "b"]
    assert said["a"] == pytest.approx(np.log(5 / 1))
    assert said["b"] == pytest.approx(0)


@pytest.mark.parametrize(("classes", "priors"), [([], None), ([{"a": 1}], [0.0]), ([{"a": 1}], [1.0, 1.0])])
def test_what_cannot_be_trained_is_refused(classes: list[dict[str, int]], priors: list[float] | None) -> None:
    with pytest.raises(InputError):
        NaiveBayes(classes, priors=priors)


@given(st.lists(texts, min_size=2, max_size=4), texts)
def test_it_is_scikit_learns(classes: list[dict[str, int]], text: dict[str, int]) -> None:
    from sklearn.naive_bayes import MultinomialNB

    bayes = NaiveBayes(classes, vocabulary=TERMS)
    twin = MultinomialNB(alpha=1.0, fit_prior=False)
    twin.fit([[c.get(t, 0) for t in TERMS] for c in classes], range(len(classes)))
    wanted = twin.predict_proba([[text.get(t, 0) for t in TERMS]])[0]
    assert bayes.posterior(text) == pytest.approx(list(wanted), abs=1e-9)


@given(st.lists(texts, min_size=1, max_size=4), texts)
def test_saved_and_loaded_it_says_the_same(classes: list[dict[str, int]], text: dict[str, int]) -> None:
    bayes = NaiveBayes(classes, effective_length=root_of_words)
    again = NaiveBayes.load(bayes.save(), effective_length=root_of_words)
    assert again.posterior(text) == bayes.posterior(text)
    assert sum(bayes.posterior(text)) == pytest.approx(1)


def test_given_evidence_takes_the_place_of_the_effective_length() -> None:
    # θ = (.8, .2) and (.2, .8); each of the two known words counts half: odds 4
    bayes = NaiveBayes([{"x": 3}, {"y": 3}], effective_length=root_of_words)
    assert bayes.posterior({"x": 2, "z": 2}, evidence=0.5)[0] == pytest.approx(0.8)
