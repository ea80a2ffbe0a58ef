"""Strategies of other crawlers, and strategies made of an estimator."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.worlds import by_table, drive, made_page, make_crawl, u, visited

from lycosa.crawl.inputs import Examples, Query
from lycosa.crawl.strategy import Strategy
from lycosa.lab.kit.conformance import (
    Make,
    check_finite_scores_and_budget,
    check_save_and_load_equals_run,
    maker,
)
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.model.url import Url
from lycosa.scoring.learning.linear import LinearModel, fitted
from lycosa.spec.registry import PEERS, strategy_names
from lycosa.strategies.estimator import EstimatorScorer, features, matrix, scored_by
from lycosa.strategies.other_crawlers import LinkClassifier, ParentCosine, Sample, UrlKeywords, words_of


def test_peers_are_not_listed_as_ours() -> None:
    assert not PEERS.keys() & set(strategy_names())


# -- crawl4ai ------------------------------------------------------------------------------------------------


def test_keywords_are_sought_in_the_url_only() -> None:
    """.7 × 1 of 2 keywords, without regard to case; the page's and the anchor's words do not matter."""
    inner = UrlKeywords(Query(terms={"wolf": 1, "den": 1})).inner
    assert inner.score(Url("http://a.test/Wolves/x")) == 0.0  # type: ignore[attr-defined]
    assert inner.score(Url("http://a.test/WOLF/x")) == pytest.approx(0.35)  # type: ignore[attr-defined]
    assert inner.score(Url("http://wolfden.test/")) == pytest.approx(0.7)  # type: ignore[attr-defined]


def test_of_equal_urls_the_shallower_goes_first() -> None:
    graph = {"s": ["a", "b"], "a": ["deep"], "b": [], "deep": ["deeper"], "deeper": []}
    crawl = make_crawl(UrlKeywords(Query(terms={"wolf": 1}), n=1))
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table(graph))
    assert visited(crawl) == [u("s"), u("a"), u("b"), u("deep"), u("deeper")]


# -- Nutch ---------------------------------------------------------------------------------------------------


def test_all_links_of_a_page_have_its_cosine_to_the_gold_standard() -> None:
    """Gold standard: wolf 1 from the query and wolf 1, den 2 from an example; the page has den once: 2 / √8."""
    made = ParentCosine(Query(terms={"wolf": 1}), Examples(pages=({"wolf": 1, "den": 2},)))
    page = made_page(Request(url=u("s"), order=0), u("a"), u("b"), text="den")
    commands = list(made.inner.on_page(page, None))  # type: ignore[arg-type]
    assert [command.score for command in commands] == pytest.approx([2 / math.sqrt(8)] * 2)  # type: ignore[union-attr]


# -- ACHE ----------------------------------------------------------------------------------------------------


def test_baseline_first() -> None:
    """Before the first model all links of a relevant page stand above all of one that is not."""
    good = Graph(
        {"s": ["good", "bad"], "good": ["g1", "g2"], "bad": ["b1", "b2"]}, {"good": "wolf", "bad": "x"}
    )
    crawl = make_crawl(LinkClassifier(), topic=good.topic)
    crawl.start([u("s")], Millis(0))
    drive(crawl, good.answer)
    order = visited(crawl)
    assert max(order.index(u("g1")), order.index(u("g2"))) < len(order)
    scores = good.scores
    assert min(scores[u("g1")], scores[u("g2")]) >= 1 > max(scores[u("b1")], scores[u("b2")])


class Graph:
    """A graph with words on its pages, which notes with what score each page was asked for."""

    def __init__(self, graph: dict[str, list[str]], texts: dict[str, str]) -> None:
        from tests.worlds import CosineTopic

        every = {
            name: graph.get(name, []) for name in {*graph, *(to for links in graph.values() for to in links)}
        }
        self.topic = CosineTopic("wolf")
        self.scores: dict[Url, float] = {}
        self._answer = by_table(every, texts)

    def answer(self, request: Request) -> Page:
        self.scores[request.url] = request.score
        found = self._answer(request)
        assert isinstance(found, Page)
        return found


def test_balanced() -> None:
    """Three good samples, thirty bad ones: three of each are trained on, and at most `most` good ones are kept."""
    made = LinkClassifier(learn=10, most=10)
    made._samples = {True: [("a",)] * 3, False: [("b", str(n)) for n in range(30)]}
    kinds = [sample.good for sample in made.training_set()]
    assert (kinds.count(True), kinds.count(False)) == (3, 3)
    chance = View()
    for number in range(50):
        made._note(Sample((str(number),), True), chance)  # type: ignore[arg-type]
    assert len(made._samples[True]) == 10


class View:
    def __init__(self) -> None:
        import random

        self.rng = random.Random(1)


def test_words_that_led_to_relevant_pages_raise_a_link() -> None:
    made = LinkClassifier(learn=10)
    wolf, tax = link("wolf den"), link("tax form")
    for number in range(6):
        made._note(Sample(words_of(link(f"wolf {number}x")), True), View())  # type: ignore[arg-type]
        made._note(Sample(words_of(link(f"tax {number}x")), False), View())  # type: ignore[arg-type]
    assert made._train()
    assert made._probability(wolf) > 0.5 > made._probability(tax)


def link(anchor: str) -> Link:
    return Link(source=u("s"), target=u(anchor.replace(" ", "-") + "/x"), anchor=anchor)


def test_logistic_regression_finds_the_known_minimum() -> None:
    """One word in all good samples, none in the bad: by symmetry b = -w / 2, and w = c·n·σ(-w/2) with n = 4, c = 1."""
    model = fitted([("w",), ("w",), ("w",), ("w",), (), (), (), ()], [True] * 4 + [False] * 4)
    weight = model.weights["w"]
    assert model.bias == pytest.approx(-weight / 2, abs=1e-3)
    assert weight == pytest.approx(4 / (1 + math.exp(weight / 2)), abs=1e-3)
    assert model.probability(["w"]) == pytest.approx(1 / (1 + math.exp(-weight / 2)), abs=1e-3)
    assert LinearModel({"w": -1e6}, 0.0).probability(["w"]) < 1e-300


# -- estimators ----------------------------------------------------------------------------------------------


class Counting:
    """A regressor that predicts how often a column occurred in samples with a high value, and counts its calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, float]] = []
        self.sums: dict[int, float] = {}

    def partial_fit(self, rows: object, values: np.ndarray) -> None:
        self.calls.append((rows.shape[0], float(values.sum())))  # type: ignore[attr-defined]
        for row, value in zip(rows, values, strict=True):  # type: ignore[call-overload]
            for column in row.indices:
                self.sums[int(column)] = self.sums.get(int(column), 0.0) + float(value)

    def predict(self, rows: object) -> np.ndarray:
        return np.array([sum(self.sums.get(int(c), 0.0) for c in row.indices) for row in rows])  # type: ignore[attr-defined]


Mine = scored_by(Counting, "Mine")


def test_an_estimator_is_a_strategy_in_one_line() -> None:
    assert issubclass(Mine, EstimatorScorer)
    assert issubclass(Mine, Strategy)
    assert matrix([features(link("wolf"), 0.5)] * 2).shape == (2, 2**18 + 3)


def test_learns() -> None:
    made = Mine(batch=2)
    for words, value in (("wolf den", 1.0), ("wolf cave", 1.0), ("tax form", 0.0), ("tax office", 0.0)):
        made._samples.append((*features(link(words), 0.0), value))
    made._fit(made._samples)
    wolf, tax = made._scores([features(link("wolf run"), 0.0), features(link("tax law"), 0.0)], 0.0)
    assert wolf > tax


def test_fitted_alike() -> None:
    graph = {f"n{n}": [f"n{2 * n + 1}", f"n{2 * n + 2}"] for n in range(40)}
    crawl = make_crawl(Mine(batch=4), budget=30)
    crawl.start([u("n0")], Millis(0))
    drive(crawl, by_table(graph))
    first = crawl.strategy
    assert isinstance(first, EstimatorScorer)
    second = Mine(batch=4)
    second.load(first.save())
    assert second.estimator.calls == first.estimator.calls != []
    assert second.estimator.sums == first.estimator.sums
    assert second.save() == first.save()


def made_of_sgd() -> Strategy:
    from sklearn.linear_model import SGDClassifier

    return scored_by(lambda: SGDClassifier(loss="log_loss", random_state=0))(batch=50)


LEARNING = (check_save_and_load_equals_run, check_finite_scores_and_budget)
"""Checks that meet a strategy after it has learned; the others are made on it before."""


@pytest.mark.parametrize("check", LEARNING, ids=lambda check: check.__name__)
def test_the_link_classifier_conforms_when_it_has_learned(check: object) -> None:
    check(maker("ache-links:learn=100"))  # type: ignore[operator]


@pytest.mark.parametrize("check", LEARNING, ids=lambda check: check.__name__)
def test_a_classifier_of_scikit_learn_conforms(check: object) -> None:
    pytest.importorskip("sklearn")
    make: Make = made_of_sgd
    check(make)  # type: ignore[operator]
