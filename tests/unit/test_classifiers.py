"""Classifiers and their training: known answers worked by hand."""

from __future__ import annotations

import math
import tomllib
from functools import cache
from pathlib import Path

import msgspec
import pytest

from lycosa.archive.collection import Collection
from lycosa.model.errors import InputError
from lycosa.model.records import Link, Page, Request
from lycosa.model.url import Url
from lycosa.read.html import read
from lycosa.scoring.learning.bayes import NaiveBayes
from lycosa.scoring.learning.classifiers import (
    KINDS,
    Bayes,
    Lewis,
    Linear,
    Rocchio,
    lewis_factor,
    logistic,
    unit_tf_idf,
)
from lycosa.scoring.learning.features import PLAIN_FIELDS, Fields, features
from lycosa.scoring.learning.quality import quality_of
from lycosa.scoring.learning.training import (
    cross_validated,
    folds_of,
    information_gain,
    informative,
    rocchio_prototype,
    trained,
)
from lycosa.scoring.words.terms import counts


def page(text: str = "", title: str = "", via: Link | None = None, **more: object) -> Page:
    from tests.worlds import made_page, u

    made = made_page(Request(url=u("a"), order=1, via=via), text=f"{title} {text}")
    return msgspec.structs.replace(made, title=title, **more)


# -- features ------------------------------------------------------------------------------------------------


def test_words_count_by_where_they_stand() -> None:
    """§2.6: x in title, heading and text, (4, 2, 1): 7. Description and anchor are not in the text."""
    made = page("xx xx", "xx", headings=("xx",), description="yy")  # text: title, heading, body
    assert features(made) == {"xx": 4.0 + 2.0 + 1.0, "yy": 1.0}


@pytest.mark.parametrize(("source", "weight"), [("http://b.test/", 3.0), ("http://a.test/z", 1.0)])
def test_anchors_count_more_from_another_host(source: str, weight: float) -> None:
    via = Link(source=Url(source), target=Url("http://a.test/"), anchor="zebra")
    assert features(page("lion", via=via)) == {"lion": 1.0, "zebra": weight}


def test_plain_fields_are_the_plain_counts() -> None:
    via = Link(source=Url("http://b.test/"), target=Url("http://a.test/"), anchor="zebra")
    made = page("lion lion", "lion", via, headings=("lion",), description="bear")
    assert features(made, PLAIN_FIELDS) == made.terms


def test_a_field_without_weight_is_left_out() -> None:
    assert features(page("", "lion"), Fields(title=0.0)) == {}


# -- each kind -----------------------------------------------------------------------------------------------


def test_lewis_of_one_word() -> None:
    """KAT §4.3: .5 · (.8/.5 · .9 + .2/.5 · .1) = .74."""
    assert 0.5 * lewis_factor(0.8, 0.5, 0.9) == pytest.approx(0.74)


def test_lewis_of_two_classes() -> None:
    """One word, P(W|topic) .8, P(W|other) .2, P(W) .5, in the text: .8/.5 against .2/.5 is 4 to 1. Absent: 1 to 4."""
    model = Lewis(0.5, {"jazz": (0.8, 0.2, 0.5)})
    assert model.probability({"jazz": 3.0}) == pytest.approx(0.8)
    assert model.probability({"blues": 3.0}) == pytest.approx(0.2)
    assert model.evidence({"jazz": 3.0})["jazz"] == pytest.approx(math.log(16))


def test_lewis_goes_by_presence_of_words() -> None:
    """Each says 4 to 1, however often it stands there: 16 to 1."""
    model = Lewis(0.5, {"a": (0.8, 0.2, 0.5), "b": (0.8, 0.2, 0.5)})
    assert model.probability({"a": 2.0, "b": 1.0}) == pytest.approx(16 / 17)
    assert model.probability({"a": 200.0, "b": 0.1}) == pytest.approx(16 / 17)


def test_lewis_reads_what_an_earlier_version_saved() -> None:
    model = Lewis.load({"prior": 0.5, "words": {"jazz": [1.7, 0.8, 0.2, 0.5]}})
    assert model.probability({"jazz": 3.0}) == pytest.approx(0.8)


SAMPLE = Path("examples")


@cache
def sample_texts() -> dict[str, list[dict[str, int]]]:
    """Counts of the words of four pages in each of seven categories of the sample web."""
    categories = tomllib.loads((SAMPLE / "sample-taxonomy.toml").read_text("utf-8"))["categories"]
    web = Collection.open([SAMPLE / "sample-web"])
    return {
        name: [dict(read(found.body, url).terms) for url in urls if (found := web.find(url))]
        for name, urls in categories.items()
    }


@pytest.mark.parametrize("kind", ["nb", "lewis", "rocchio"])
def test_tells_a_few_classes_apart(kind: str) -> None:
    """Two pages of each class are judged by models made of the three others: chance has 2 of 14 right."""
    texts, right = sample_texts(), 0
    for left_out in range(2):
        kept = {name: [t for i, t in enumerate(of) if i != left_out] for name, of in texts.items()}
        models = {
            name: trained(kind, of, [t for other in kept if other != name for t in kept[other]])
            for name, of in kept.items()
        }
        for name, of in texts.items():
            right += name == max(models, key=lambda each: models[each].probability(of[left_out]))
    assert right >= 7  # of 14


def test_lewis_is_trained_by_counting_pages() -> None:
    """4 pages, 2 and 2. jazz in both positive: (2 + .5)/3, 0.5/3, 2.5/5."""
    model = trained("lewis", [{"jazz": 1.0}, {"jazz": 9.0}], [{"rock": 1.0}, {"rock": 1.0}])
    assert model.save()["words"]["jazz"] == pytest.approx([2.5 / 3, 0.5 / 3, 0.5])
    assert model.save()["prior"] == 0.5


def test_rocchio_prototype() -> None:
    """KAT §4.3: positive (1, 0), negative (.5, .5): 16 - 2 = 14, and -2, which is clipped."""
    assert rocchio_prototype({"a": 1.0}, {"a": 0.5, "b": 0.5}) == {"a": 14.0}


def test_rocchio_by_hand() -> None:
    """Pages a, a against b, b: prototypes (1, 0) and (0, 1). A text a b lies between, a a b has cosines 2 to 1."""
    model = trained("rocchio", [{"aa": 1.0}, {"aa": 2.0}], [{"bb": 1.0}, {"bb": 2.0}])
    assert model.probability({"aa": 1.0, "bb": 1.0}) == pytest.approx(0.5)
    assert model.probability({"aa": 2.0, "bb": 1.0}) == pytest.approx(2 / 3)
    assert model.probability({"cc": 1.0}) == 0.0
    assert model.evidence({"aa": 2.0, "bb": 1.0}) == pytest.approx({"aa": 2 / 5**0.5, "bb": -1 / 5**0.5})


def test_linear_by_hand() -> None:
    """x = (1 + ln 1, 1 + ln e) = (1, 2) / √5, m = -1 + (3 + 2 · 4) / √5; probability of 2 m + .5."""
    model = Linear({"a": (1.0, 3.0), "b": (1.0, 4.0)}, bias=-1.0, scale=2.0, shift=0.5)
    margin = -1 + 11 / math.sqrt(5)
    text = {"a": 1.0, "b": math.e, "unknown": 7.0}
    assert model.margin(text) == pytest.approx(margin)
    assert model.probability(text) == pytest.approx(1 / (1 + math.exp(-(2 * margin + 0.5))))
    assert model.margin({}) == -1.0
    assert model.evidence(text) == pytest.approx({"b": 2 * 8 / 5**0.5, "a": 2 * 3 / 5**0.5})


def test_bayes_takes_the_root_of_the_words_for_evidence() -> None:
    """a a a a speaks twice, as √4 = 2: θ are 3/4 and 1/4 (of 2 words each, vocabulary of 2), so 9 to 1."""
    model = trained("nb", [{"a": 1.0}, {"a": 1.0}], [{"b": 1.0}, {"b": 1.0}])
    assert model.probability({"a": 4.0}) == pytest.approx(0.9)
    assert isinstance(model, Bayes)


def test_bayes_agrees_with_the_class_below() -> None:
    inner = NaiveBayes([{"b": 2}, {"a": 2}], effective_length=math.sqrt)
    model = trained("nb", [{"a": 1.0}, {"a": 1.0}], [{"b": 1.0}, {"b": 1.0}])
    assert model.probability({"a": 2.0, "b": 1.0}) == pytest.approx(inner.posterior({"a": 2, "b": 1})[1])


def test_logistic_of_any_size() -> None:
    assert logistic(0.0) == 0.5
    assert logistic(math.log(3)) == pytest.approx(0.75)
    assert (logistic(1e6), logistic(-1e6)) == (1.0, 0.0)


def test_unit_vectors() -> None:
    assert unit_tf_idf({"a": 3.0, "b": 4.0, "c": 1.0}, {"a": 1.0, "b": 1.0}, damped=False) == pytest.approx(
        {"a": 0.6, "b": 0.8}
    )
    assert unit_tf_idf({"c": 1.0}, {"a": 1.0}) == {}


# -- training ------------------------------------------------------------------------------------------------


def test_information_gain() -> None:
    """2 and 2: a term in all of one class tells all, ln 2; one in half of either nothing; one in a single page
    ln 2 - 3/4 H(1/3)."""
    assert information_gain(2, 0, 2, 2) == pytest.approx(math.log(2))
    assert information_gain(1, 1, 2, 2) == pytest.approx(0.0)
    third = -(1 / 3 * math.log(1 / 3) + 2 / 3 * math.log(2 / 3))
    assert information_gain(1, 0, 2, 2) == pytest.approx(math.log(2) - 0.75 * third)


def test_the_most_informative_terms_are_kept() -> None:
    topic = [{"jazz": 1.0, "the": 1.0}, {"jazz": 1.0, "the": 1.0, "odd": 1.0}]
    other = [{"the": 1.0}, {"the": 1.0}]
    assert informative(topic, other, 2) == {"jazz": (2, 0), "odd": (1, 0)}


WORDS = ("jazz", "trumpet", "swing"), ("engine", "wheel", "brake"), ("page", "home", "link")


def corpus(n: int) -> tuple[list[dict[str, float]], list[dict[str, float]]]:
    """Pages that share some words, and have one or two of their own."""
    own, others, shared = WORDS
    topic = [{own[i % 3]: 1.0 + i % 2, shared[i % 3]: 2.0, shared[(i + 1) % 3]: 1.0} for i in range(n)]
    rest = [{others[i % 3]: 1.0 + i % 2, shared[i % 3]: 2.0, shared[(i + 1) % 3]: 1.0} for i in range(2 * n)]
    return topic, rest


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_tells_two_subjects_apart(kind: str) -> None:
    topic, rest = corpus(12)
    model = trained(kind, topic, rest)
    assert (
        model.probability({"jazz": 1.0, "page": 2.0}) > 0.5 > model.probability({"brake": 1.0, "page": 2.0})
    )
    assert model.evidence({"jazz": 1.0, "brake": 1.0})["jazz"] > 0
    assert model.evidence({"jazz": 1.0, "brake": 1.0})["brake"] < 0
    assert set(list(model.terms())[:6]) == {*WORDS[0], *WORDS[1]}
    quality = cross_validated(kind, topic, rest, folds=4)
    assert (quality.precision, quality.folds) == (1.0, 4)
    assert quality.recall >= 0.7  # two thirds are negative, and half of each text is common to both
    assert quality.brier < 0.15


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_comes_back_from_json(kind: str) -> None:
    topic, rest = corpus(6)
    model = trained(kind, topic, rest)
    again = KINDS[kind].load(msgspec.json.decode(msgspec.json.encode(model.save())))
    for text in (*topic, *rest, {"new": 1.0}, {}):
        assert again.probability(text) == model.probability(text)
        assert 0.0 <= model.probability(text) <= 1.0


@pytest.mark.parametrize("kind", ["svm", "logistic"])
def test_what_is_applied_is_what_was_learned(kind: str) -> None:
    """Margins by plain arithmetic are those of scikit-learn."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    topic, rest = corpus(12)
    model = trained(kind, topic, rest)
    assert isinstance(model, Linear)
    words = list(informative(topic, rest, 100))
    idfs = {term: model.save()["words"][term][0] for term in words}
    vectors = [unit_tf_idf(text, idfs) for text in (*topic, *rest)]
    x = np.array([[vector.get(term, 0.0) for term in words] for vector in vectors])
    y = [1] * len(topic) + [0] * len(rest)
    made = LinearSVC(random_state=0) if kind == "svm" else LogisticRegression(C=10.0, max_iter=1000)
    wanted = made.fit(x, y).decision_function(x)
    assert [model.margin(text) for text in (*topic, *rest)] == pytest.approx(wanted.tolist(), abs=1e-3)


@pytest.mark.parametrize(
    ("topic", "other", "told"),
    [
        ([], [{"a": 1.0}] * 3, "0 positive pages"),
        ([{"a": 1.0}], [{"b": 1.0}] * 3, "1 positive pages"),
        ([{"a": 1.0}] * 3, [{}, {"b": 1.0}], "1 negative pages"),
    ],
)
def test_classes_of_less_than_two_pages_are_refused(
    topic: list[dict[str, float]], other: list[dict[str, float]], told: str
) -> None:
    with pytest.raises(InputError, match=f"{told} with words: give at least 2"):
        trained("nb", topic, other)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InputError, match="there is no kind of model 'tree'; there are: nb, lewis"):
        trained("tree", *corpus(2))


def test_too_few_to_cross_validate() -> None:
    with pytest.raises(InputError, match="at least 4 of each class"):
        cross_validated("nb", *corpus(1))


def test_folds_deal_out_both_classes() -> None:
    folds = folds_of(10, 20, 5, seed=3)
    assert sorted(place for fold in folds for place in fold) == list(range(30))
    assert [sum(place < 10 for place in fold) for fold in folds] == [2] * 5
    assert folds_of(10, 20, 5, seed=3) == folds != folds_of(10, 20, 5, seed=4)


# -- quality -------------------------------------------------------------------------------------------------


def test_quality_by_hand() -> None:
    """.9 right, .8 wrong, .3 wrong, .1 right: 1 of 2 found, 1 of 2 there; Brier (.01 + .64 + .49 + .01) / 4."""
    told = quality_of([0.9, 0.8, 0.3, 0.1], [True, False, True, False])
    assert (told.accuracy, told.precision, told.recall, told.f1) == (0.5, 0.5, 0.5, 0.5)
    assert told.brier == pytest.approx(1.15 / 4)
    assert told.calibration_error == pytest.approx((0.1 + 0.8 + 0.7 + 0.1) / 4)
    assert [(b.low, b.pages, b.positive) for b in told.reliability] == [
        (0.1, 1, 0.0),
        (0.3, 1, 1.0),
        (0.8, 1, 0.0),
        (0.9, 1, 1.0),
    ]


def test_quality_of_certainty_and_of_nothing_found() -> None:
    assert quality_of([1.0, 0.0], [True, False]).brier == 0.0
    assert quality_of([1.0], [True]).reliability[0].high == 1.0
    missed = quality_of([0.1], [True])
    assert (missed.precision, missed.recall, missed.f1) == (0.0, 0.0, 0.0)


def test_counts_can_be_classified_too() -> None:
    assert Rocchio({"jazz": (1.0, 1.0, 0.0)}).probability(counts("jazz jazz")) == 1.0
