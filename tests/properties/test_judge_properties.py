"""What holds of classifiers and predicates on any page."""

from __future__ import annotations

from functools import cache

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import made_page, u

from lycosa.model.errors import InputError
from lycosa.model.records import Page, Request
from lycosa.scoring.learning.classifiers import KINDS, Classifier
from lycosa.scoring.learning.quality import quality_of
from lycosa.scoring.learning.training import trained
from lycosa.scoring.topics.predicate import PredicateTopic
from lycosa.scoring.topics.running_tfidf import Frequencies, Running, TfIdfTopic

TOPIC = [{"jazz": 2.0, "home": 1.0}, {"swing": 1.0, "page": 3.0}, {"jazz": 1.0, "swing": 1.0, "link": 1.0}]
OTHER = [{"wheel": 2.0, "home": 1.0}, {"brake": 1.0, "page": 3.0}, {"wheel": 1.0, "brake": 1.0, "link": 1.0}]

words = st.sampled_from(["jazz", "swing", "home", "page", "wheel", "brake", "xylophone"])
texts = st.dictionaries(words, st.floats(0.1, 1e4))
page_texts = st.lists(words, max_size=8).map(" ".join)


@cache
def model_of(kind: str) -> Classifier:
    return trained(kind, TOPIC, OTHER)


def page(text: str) -> Page:
    return made_page(Request(url=u("a"), order=1), text=text)


@pytest.mark.parametrize("kind", KINDS)
@given(texts, st.sampled_from(["jazz", "swing"]))
@settings(deadline=None, max_examples=trials(40))
def test_probabilities_are_probabilities_and_know_their_words(
    kind: str, text: dict[str, float], word: str
) -> None:
    model = model_of(kind)
    assert 0.0 <= model.probability(text) <= 1.0
    assert set(model.evidence(text)) <= set(text)
    assert "xylophone" not in model.evidence(text)
    assert model.probability({**text, "xylophone": 9.0}) == model.probability({**text, "zither": 9.0})


@pytest.mark.parametrize("kind", KINDS)
@given(texts)
@settings(deadline=None, max_examples=trials(40))
def test_saved_as_json_it_says_the_same(kind: str, text: dict[str, float]) -> None:
    model = model_of(kind)
    again = KINDS[kind].load(msgspec.json.decode(msgspec.json.encode(model.save())))
    assert again.probability(text) == model.probability(text)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
def test_bins_hold_every_page_once(told: list[tuple[float, bool]]) -> None:
    quality = quality_of([p for p, _ in told], [label for _, label in told])
    assert sum(each.pages for each in quality.reliability) == quality.pages == len(told)
    assert sum(each.pages * each.positive for each in quality.reliability) == pytest.approx(quality.positives)
    assert 0.0 <= quality.brier <= 1.0
    assert 0.0 <= quality.calibration_error <= 1.0


def running() -> Running:
    frequencies = Frequencies()
    return Running(TfIdfTopic({"jazz": 1, "home": 2}, frequencies), frequencies)


@given(st.lists(page_texts, max_size=8), st.integers(0, 8))
@settings(deadline=None, max_examples=trials(40))
def test_replay_equals_run(seen: list[str], cut: int) -> None:
    """Judged in one go, or saved and loaded after some pages."""
    one, other, told = running(), running(), []
    for n, text in enumerate(seen):
        if n == cut:
            kept = msgspec.msgpack.decode(msgspec.msgpack.encode(other.save()))
            other = running()
            other.load(kept)
        told.append((one.relevance(page(text)), other.relevance(page(text))))
        one.observe(page(text))
        other.observe(page(text))
    assert all(a == b and 0.0 <= a <= 1.0 for a, b in told)


pieces = st.sampled_from(
    [
        'word("jazz")',
        'url(r"/a")',
        "length()",
        "0.5",
        " and ",
        " or ",
        "not ",
        "(",
        ")",
        " > ",
        " < ",
        "\n",
        "é",
    ]
)


@given(st.lists(pieces, max_size=9).map("".join) | st.text(max_size=30), page_texts)
@settings(deadline=None, max_examples=trials(100))
def test_a_predicate_is_refused_in_one_line_or_holds_or_not(expression: str, text: str) -> None:
    try:
        topic = PredicateTopic(expression, {})
    except InputError:  # all that it may raise
        return
    assert topic.relevance(page(text)) in (0.0, 1.0)
    opposite = PredicateTopic(f"not ({expression})", {})
    assert opposite.relevance(page(text)) == 1.0 - topic.relevance(page(text))
