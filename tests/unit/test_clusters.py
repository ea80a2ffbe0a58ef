"""Clusters of texts: vectors, parts, their number and labels."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials

from lycosa.scoring.learning.clusters import (
    NONE,
    TermSpace,
    directions,
    labels,
    learn,
    silhouette,
    spherical,
    unit,
)
from lycosa.scoring.words.terms import stem

THEMES = {
    "reefs": ["coral", "reef", "fish", "lagoon", "sponge", "anemone", "urchin", "plankton"],
    "courts": ["judge", "court", "verdict", "appeal", "witness", "lawyer", "statute", "trial"],
    "bread": ["flour", "yeast", "oven", "crust", "dough", "loaf", "bake", "sourdough"],
    "rails": ["train", "rail", "station", "locomotive", "signal", "track", "wagon", "tunnel"],
}


def texts(seed: int, each: int = 12) -> tuple[list[list[str]], list[str]]:
    rng = random.Random(seed)
    made = [(theme, rng.choices(words, k=20)) for theme, words in THEMES.items() for _ in range(each)]
    rng.shuffle(made)
    return [words for _, words in made], [theme for theme, _ in made]


def test_weights_by_hand() -> None:
    """ln 4/2 and ln 4/3 for terms of two and three of four texts; one that stands in one text is left out."""
    space = TermSpace.of([{"a": 1, "b": 2}, {"a": 1}, {"b": 1, "c": 1}, {"d": 3, "a": 1}])
    assert space.places == {"b": 0}  # a is in more than half, c and d in one
    assert space.idf == pytest.approx(np.log([4 / 2]))
    space = TermSpace.of([{"a": 1, "b": 1}, {"a": 1, "b": 1}, {"c": 1}, {"c": 1}])
    row = space.vectors([{"a": 1, "c": 2, "unknown": 5}]).toarray()[0]
    expected = np.array([1.0, 0.0, 1 + np.log(2)])
    assert row == pytest.approx(expected / np.linalg.norm(expected), rel=1e-5)
    assert not space.vectors([{"unknown": 1}]).toarray().any()


def test_two_directions_part_two_kinds_of_points() -> None:
    rng = np.random.default_rng(0)
    points = unit(np.array([[1, 0.1, 0], [1, 0, 0.1], [0, 1, 0.1], [0.1, 1, 0]], np.float32))
    found = spherical(points, 2, rng)
    assert found.labels[0] == found.labels[1] != found.labels[2] == found.labels[3]
    from scipy import sparse

    axes = directions(sparse.csr_matrix(points), 2, rng)
    assert axes.shape == (3, 2)
    assert (axes.T @ axes) == pytest.approx(np.eye(2), abs=1e-5)


def test_silhouette_by_hand() -> None:
    """Two orthogonal centres with two points each: own distance 0, other 1. Points that are alone count nothing."""
    points = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], np.float32)
    found = spherical(points, 2, np.random.default_rng(0))
    assert silhouette(points, found) == pytest.approx(1.0)
    assert silhouette(points[1:3], spherical(points[1:3], 2, np.random.default_rng(0))) == 0.0


def test_finds_the_themes_and_calls_them_by_their_words() -> None:
    words, themes = texts(0)
    found = learn(words)
    assert found is not None
    assert len(found.labels) == 4
    of = found.assign([{stem(word): each.count(word) for word in each} for each in words])
    assert len(set(zip(of.tolist(), themes, strict=True))) == 4
    for label in found.labels:
        said = {word for some in label for word in some.split()}
        assert any(said <= set(theme) for theme in THEMES.values())


def test_a_text_without_known_words_is_in_none() -> None:
    found = learn(texts(0)[0])
    assert found is not None
    assert found.assign([{"zebra": 3}]).tolist() == [NONE]


def test_too_few_texts_tell_nothing() -> None:
    assert learn([["a", "b"]] * 5) is None
    assert learn([]) is None
    assert learn([["only", "these"]] * 40) is None  # no word parts them


def test_phrases_stand_for_their_words() -> None:
    same = [["prime", "minister", "speaks"]] * 4
    (label, _) = labels([*same, *[["weather", "today"]] * 4], np.array([0] * 4 + [1] * 4, np.int32), 2)
    assert label[0] == "minister speaks"
    assert "prime" in label


class TestClusters:
    @settings(max_examples=trials(5), deadline=None)
    @given(seed=st.integers(0, 99))
    def test_repeatable(self, seed: int) -> None:
        """The same texts and seed give the same clusters."""
        words, _ = texts(seed)
        one, other = learn(words, seed=seed), learn(words, seed=seed)
        assert one is not None
        assert other is not None
        assert one.labels == other.labels

    @settings(max_examples=trials(5), deadline=None)
    @given(seed=st.integers(0, 99))
    def test_each_in_the_nearest(self, seed: int) -> None:
        """A text is in the cluster whose centre has the greatest cosine with it."""
        rng = np.random.default_rng(seed)
        points = unit(rng.standard_normal((40, 5)).astype(np.float32))
        found = spherical(points, 4, rng)
        assert (points @ found.centres.T).argmax(axis=1).tolist() == found.labels.tolist()
