"""Relevance to a topic, worked by hand."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from math import sqrt

import pytest
from tests.worlds import made_page

from lycosa.crawl.topic import TopicModel
from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.model.url import Url
from lycosa.scoring.topics.keywords import ExampleTopic, KeywordTopic, MixedTopic, topic_model
from lycosa.scoring.words.terms import Vocabulary


def page(text: str) -> Page:
    return made_page(Request(url=Url("http://example.org/"), order=1), text=text)


def test_keywords_that_are_stop_words_only_are_looked_for() -> None:
    """Query to 2, be 2, or 1, not 1; a page of to 1, be 1: cosine 4 / (√10 √2) = 2 / √5."""
    topic = KeywordTopic("to be or not to be")
    assert topic.relevance(page("to be")) == pytest.approx(2 / sqrt(5))
    assert topic.relevance(page("coral reefs")) == 0.0
    assert pickle.loads(pickle.dumps(topic)).relevance(page("to be")) == pytest.approx(2 / sqrt(5))


def test_keywords_are_compared_by_plain_cosine() -> None:
    topic = KeywordTopic("rock climbing")
    assert topic.relevance(page("rock, rock music")) == pytest.approx(2 / (sqrt(2) * sqrt(5)))
    assert topic.relevance(page("climbing rocks: climb gear")) == pytest.approx(0.866025, abs=5e-7)
    assert topic.relevance(page("")) == 0.0


def test_keywords_explain_themselves_by_word() -> None:
    explained = KeywordTopic("rock climbing").explain(page("climbing rocks: climb gear"))
    assert list(explained) == ["climb", "rock"]
    assert explained["climb"] == pytest.approx(2 / sqrt(12))
    assert explained["rock"] == pytest.approx(1 / sqrt(12))


def test_without_stemming_the_text_is_counted_again() -> None:
    topic = KeywordTopic("climbing", Vocabulary(stemming=False))
    assert topic.relevance(page("climb")) == 0.0
    assert topic.relevance(page("climbing")) == 1.0


def test_examples_by_centroid() -> None:
    topic = ExampleTopic([{"silk": 1}, {"web": 5}, {}])
    # Each example has length 1: the centroid is (silk 1/2, web 1/2) however often a word stands in it.
    assert topic.centroid == {"silk": 0.5, "web": 0.5}
    assert topic.relevance(page("silk web")) == pytest.approx(1.0)
    assert topic.relevance(page("silk")) == pytest.approx(1 / sqrt(2))
    assert topic.relevance(page("stone")) == 0.0


def test_a_mix_is_the_weighted_mean() -> None:
    mixed = MixedTopic({"words": (3.0, KeywordTopic("silk")), "like": (1.0, ExampleTopic([{"web": 1}]))})
    assert mixed.relevance(page("silk")) == pytest.approx(0.75)
    assert mixed.explain(page("silk")) == {"words: silk": pytest.approx(0.75)}


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"keywords": "silk"}, KeywordTopic),
        ({"description": "all about silk"}, KeywordTopic),
        ({"examples": [{"silk": 1}]}, ExampleTopic),
        ({"keywords": "silk", "examples": [{"silk": 1}]}, MixedTopic),
    ],
)
def test_the_topic_asked_for(given: Mapping[str, object], kind: type) -> None:
    assert type(topic_model(**given)) is kind  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "topic",
    [
        KeywordTopic("silk web"),
        KeywordTopic("silk web", Vocabulary((), stemming=False)),
        topic_model("silk", "threads of a web", [{"silk": 2, "spin": 1}]),
    ],
)
def test_topics_pickle_and_explain_their_relevance(topic: TopicModel) -> None:
    again: TopicModel = pickle.loads(pickle.dumps(topic))
    for text in ("silk web", "silk silk spinning", "stone", ""):
        relevance = topic.relevance(page(text))
        assert again.relevance(page(text)) == relevance
        assert sum(topic.explain(page(text)).values()) == pytest.approx(relevance)


@pytest.mark.parametrize(
    "build", [lambda: KeywordTopic("?!"), lambda: ExampleTopic([{}]), topic_model, lambda: MixedTopic({})]
)
def test_nothing_to_go_by_is_an_input_error(build: object) -> None:
    with pytest.raises(InputError):
        build()  # type: ignore[operator]
