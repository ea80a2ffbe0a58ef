"""Naive Bayes down a tree of categories, and how its words are chosen: worked by hand."""

from __future__ import annotations

import pickle

import pytest
from tests.worlds import made_page, u

from lycosa.crawl.inputs import Category, Taxonomy
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.scoring.learning.selection import fisher_indexes, information_gains, telling_terms
from lycosa.scoring.topics.taxonomy import TaxonomyClassifier, TaxonomyTopic, topic_of

TREE = (
    Category(path=""),
    Category(path="Animals"),
    Category(path="Animals/Birds", examples=({"wing": 3, "nest": 1}, {"wing": 1, "egg": 2})),
    Category(path="Animals/Fish", examples=({"fin": 3, "egg": 1}, {"fin": 2, "scale": 1})),
    Category(path="Cars", examples=({"wheel": 3, "wing": 1}, {"engine": 2, "wheel": 1})),
)


def page(text: str) -> Page:
    return made_page(Request(url=u("p"), order=0), text=text)


def flat(*classes: dict[str, int], textbook: bool = True) -> Taxonomy:
    named = (Category(path=f"c{i}", examples=(terms,)) for i, terms in enumerate(classes))
    return Taxonomy(categories=(Category(path=""), *named), good=("c0",), textbook=textbook)


def test_the_posterior_of_the_textbook_by_hand() -> None:
    """KAT §3.7: class 0 "a a b", class 1 "b c", V = {a, b, c}, priors ½: Pr(0|"a b") = 0.675676."""
    found = TaxonomyClassifier(flat({"a": 2, "b": 1}, {"b": 1, "c": 1})).posterior({"a": 1, "b": 1})
    assert found == pytest.approx({"": 1.0, "c0": 0.675676, "c1": 0.324324}, abs=1e-6)


def test_the_posterior_with_a_flattened_length_by_hand() -> None:
    """Log-likelihoods of two words divided by √2: odds (25/12)^(1/√2) = 1.680152."""
    found = TaxonomyClassifier(flat({"a": 2, "b": 1}, {"b": 1, "c": 1}, textbook=False))
    odds = (25 / 12) ** (2**-0.5)
    assert found.posterior({"a": 1, "b": 1})["c0"] == pytest.approx(odds / (1 + odds))


def test_priors_are_shares_of_the_examples() -> None:
    categories = (
        Category(path=""),
        Category(path="many", examples=({"a": 1}, {"a": 1}, {"a": 1})),
        Category(path="one", examples=({"b": 1},)),
    )
    classifier = TaxonomyClassifier(Taxonomy(categories=categories, good=("one",)))
    assert classifier.posterior({"unknown": 3}) == pytest.approx({"": 1.0, "many": 0.75, "one": 0.25})


def test_a_node_shares_out_what_it_has_by_hand() -> None:
    """Of "wing": Animals against Cars with V of both, then Birds against Fish with V of these two.

    Above: n_wing = 4, n = 14 against 1, 7, |V| = 7 (wing nest egg fin scale wheel engine): θ = 5/21 and 2/14, priors
    4/6 and 2/6: 0.769231. Below: θ = 5/(5 + 7) and 1/(5 + 7): 5/6.
    """
    classifier = TaxonomyClassifier(Taxonomy(categories=TREE, good=("Cars",)))
    found = classifier.posterior({"wing": 1})
    assert found["Animals"] == pytest.approx((4 / 6 * 5 / 21) / (4 / 6 * 5 / 21 + 2 / 6 * 2 / 14))
    assert found["Animals/Birds"] == pytest.approx(found["Animals"] * 5 / 6)
    assert found["Animals/Fish"] == pytest.approx(found["Animals"] / 6)


def test_relevance_adds_up_over_the_good_leaves() -> None:
    both = topic_of(Taxonomy(categories=TREE, good=("Animals/Birds", "Cars")))
    birds = topic_of(Taxonomy(categories=TREE, good=("Animals/Birds",)))
    cars = topic_of(Taxonomy(categories=TREE, good=("Cars",)))
    given = page("wing wheel egg")
    assert both.relevance(given) == pytest.approx(birds.relevance(given) + cars.relevance(given))
    assert topic_of(Taxonomy(categories=TREE, good=("",))).relevance(given) == 1.0


def test_the_best_leaf_and_what_is_good() -> None:
    topic = TaxonomyTopic(Taxonomy(categories=TREE, good=("Animals",)))
    assert topic.classifier.best_leaf({"fin": 2})[0] == "Animals/Fish"
    assert topic.classifier.best_leaf({"engin": 1, "wheel": 2})[0] == "Cars"
    assert topic.is_good("Animals/Fish")
    assert topic.is_good("Animals")
    assert not topic.is_good("Cars")
    assert not TaxonomyTopic(Taxonomy(categories=TREE, good=("Car",))).is_good("Cars")


def test_a_category_without_examples_gets_nothing() -> None:
    empty = (Category(path="Empty"), Category(path="Empty/Inside"))
    found = TaxonomyClassifier(Taxonomy(categories=(*TREE, *empty), good=("Cars",))).posterior({"wing": 1})
    assert (found["Empty"], found["Empty/Inside"]) == (0.0, 0.0)
    assert found["Animals"] + found["Cars"] == pytest.approx(1.0)


def test_an_explanation_names_categories_the_likeliest_first() -> None:
    told = topic_of(Taxonomy(categories=TREE, good=("Animals/Birds",))).explain(page("wing nest"))
    assert next(iter(told)) == "good: Animals/Birds"
    assert list(told.values()) == sorted(told.values(), reverse=True)


def test_without_a_good_category_there_is_no_topic() -> None:
    with pytest.raises(InputError, match="no good category; mark at least one with --good"):
        topic_of(Taxonomy(categories=TREE, good=()))


def test_it_can_be_pickled() -> None:
    topic = topic_of(Taxonomy(categories=TREE, good=("Animals/Birds",)))
    given = page("wing nest")
    before = topic.relevance(given)
    assert pickle.loads(pickle.dumps(topic)).relevance(given) == before


def test_fisher_by_hand() -> None:
    """x: shares 1 and ½ in class 0 (mean ¾, variance 1/16), 0 in class 1: (¾)² / (1/16) = 9."""
    scores = fisher_indexes([[{"x": 2}, {"x": 1, "y": 1}], [{"y": 1}, {"y": 3}]])
    # y: shares 0 and ½ in class 0 (mean ¼, variance 1/16), 1 and 1 in class 1: (¾)² / (1/16) = 9
    assert scores == pytest.approx({"x": 9.0, "y": 9.0})


def test_fisher_of_three_classes_by_hand() -> None:
    """Means ½, ½ and 0 of z: squared differences 0 + ¼ + ¼; variances ¼ (shares 1 and 0), 0 and 0."""
    classes = [[{"z": 1}, {"o": 1}], [{"z": 1, "o": 1}, {"z": 2, "o": 2}], [{"o": 1}]]
    assert fisher_indexes(classes)["z"] == pytest.approx(2.0)


def test_information_gain_by_hand() -> None:
    """Two classes of two: a term of all of one tells everything, 1 bit; one of half of both tells nothing."""
    gains = information_gains([[{"all": 1}, {"all": 1, "half": 1}], [{"half": 1}, {"none": 1}]])
    assert gains["all"] == pytest.approx(1.0)
    assert gains["half"] == pytest.approx(0.0)
    # of "none": 1 of 4 texts holds it; the other three are 2 and 1: 1 - ¾ · 0.918296
    assert gains["none"] == pytest.approx(1 - 0.75 * 0.9182958, abs=1e-6)


def test_the_telling_terms_are_the_best_and_no_chance_words() -> None:
    pets = [{"cat": 1, "the": 1, f"only{i}": 1} for i in range(6)]
    cars = [{"car": 1, "the": 1, f"only{i + 6}": 1} for i in range(6)]
    assert telling_terms([pets, cars], 2) == ["car", "cat"]
    assert not any(term.startswith("only") for term in telling_terms([pets, cars], 99))
    assert telling_terms([[{"a": 1}], [{"b": 1}]], 9, "information-gain") == ["a", "b"]
