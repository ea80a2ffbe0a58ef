"""Ranking functions, the evidence they go by, and the strategy that uses them: known answers."""

from __future__ import annotations

import asyncio
import doctest
import json
from pathlib import Path

import numpy as np
import pytest
from tests.worlds import CosineTopic, by_table, drive, journal, make_crawl, u, visited

from lycosa.crawl.inputs import Query, Ranking
from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Page
from lycosa.scoring.links.ranking import BITS, FEATURES, RankingFunction, Term, best_first_ranking
from lycosa.sources.ranking import read_ranking
from lycosa.sources.reading import Reading
from lycosa.spec.tree import TopicSpec
from lycosa.strategies import evolved
from lycosa.strategies.evolved import Evolved, default_ranking
from lycosa.strategies.parts.in_links import InLinks
from lycosa.web.made.graph_web import GraphWeb

NONE = np.zeros((0, 3))


def ranking(**weights: float) -> Ranking:
    """A ranking by the names of features, spaces as underscores."""
    terms = [Term(weight=weights.get(name.replace(" ", "_"), 0.0)) for name in FEATURES]
    return Ranking(content=RankingFunction(terms, community=0.6).content())


def test_a_score_by_hand() -> None:
    """0.5 · 0.25² + (-1) · 0.36^½ + 1 · 0 as 0.3 is below its threshold."""
    terms = [Term(weight=0.0) for _ in FEATURES]
    terms[0] = Term(weight=0.5, exponent=2.0)
    terms[1] = Term(weight=-1.0, exponent=0.5)
    terms[2] = Term(weight=1.0, threshold=0.4)
    features = np.zeros((1, len(FEATURES)))
    features[0, :3] = 0.25, 0.36, 0.3
    assert RankingFunction(terms).scores(features).tolist() == pytest.approx([0.5 * 0.0625 - 0.6])


def test_a_chromosome_by_hand() -> None:
    """Eight bits each in Gray code: 0 is 0, 1000 0000 is 255, 0000 0011 is 2."""
    none = RankingFunction.of_bits(0)
    assert none.terms[0] == Term(weight=-1.0, exponent=0.25, threshold=0.0)
    assert none.community == 0.0
    full = RankingFunction.of_bits(sum(128 << 8 * i for i in range(BITS // 8)))
    assert full.terms[-1] == Term(weight=1.0, exponent=4.0, threshold=1.0)
    assert full.community == 1.0
    assert RankingFunction.of_bits(3).terms[0].weight == pytest.approx(2 / 127.5 - 1, abs=1e-6)


def test_features_by_hand() -> None:
    """Page 0 (relevance 0.5, depth 0) links to 2 and 3, page 1 (1.0, depth 2) to 2; the community begins at 0.6."""
    in_links = InLinks(0.6)
    both = np.array([[0.2, 0.0, 0.3], [0.0, 0.0, 0.0]])
    in_links.linked(0, 0.5, 0, np.array([2, 3]), both)
    in_links.linked(1, 1.0, 2, np.array([2]), np.array([[0.1, 0.7, 0.4]]))
    found = dict(zip(FEATURES, in_links.features(np.array([2]))[0].tolist(), strict=True))
    assert found == pytest.approx(
        {
            "greatest relevance": 1.0,
            "mean relevance": 0.75,
            "sum of relevances": 1.5 / 2.5,
            "pages linking here": 2 / 3,
            "relevant pages linking here": 1 / 2,
            "anchor": 0.2,
            "URL": 0.7,
            "context": 0.4,
            "siblings": 0.0,
            "nearness": 1 / 2,
            "hub": 0.0,
        }
    )
    in_links.led(1, 0.4)
    in_links.led(1, 0.8)
    in_links.led(0, 0.1)
    siblings_and_hub = in_links.features(np.array([2, 3]))[:, [8, 10]]
    assert siblings_and_hub.tolist() == [pytest.approx([0.6, 1 / 3]), pytest.approx([0.1, 0.0])]


def test_links_of_one_page_are_told_apart_and_siblings_count() -> None:
    """Of s's links x is relevant, so y and z, which stood beside it, are raised from 0 to its relevance.

    By siblings alone: x goes first (all are 0 and x came first); then y and z have 1, the mean of what s led to; when y
    turns out irrelevant z has 1/2.
    """
    crawl = make_crawl(Evolved(None, ranking(siblings=1.0)), topic=CosineTopic("apple"))
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table({"s": "xyz", "x": "", "y": "", "z": ""}, {"x": "apple"}))
    found = [(e.event.url, e.event.request.score) for e in journal(crawl) if isinstance(e.event, Page)]
    assert found == [(u("s"), 1.0), (u("x"), 0.0), (u("y"), 1.0), (u("z"), 0.5)]


def test_urls_and_anchors_count_by_the_query() -> None:
    """The URL http://b.test/apple-pie has four words of two letters or more, one of them the query's: 1/√4."""
    crawl = make_crawl(Evolved(Query(terms={"appl": 1}), ranking(URL=1.0)))
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table({"s": ["a", "b/apple-pie"], "a": [], "b/apple-pie": []}))
    assert visited(crawl) == [u("s"), u("b/apple-pie"), u("a")]
    request = next(
        e.event.request for e in journal(crawl) if isinstance(e.event, Page) and e.event.request.via
    )
    assert request.score == pytest.approx(0.5)
    assert crawl.strategy.explain(request, crawl.store.memory) == {"URL": pytest.approx(0.5)}


def test_start_pages_go_first_whatever_links_are_worth() -> None:
    crawl = make_crawl(Evolved(None, ranking(nearness=1.0, pages_linking_here=1.0)))
    crawl.start([u("s"), u("t"), u("x")], Millis(0))
    drive(crawl, by_table({"s": "xy", "t": "xy", "x": "", "y": ""}))
    assert visited(crawl) == [u(name) for name in "stxy"]


def test_what_is_no_ranking_is_refused(tmp_path: Path) -> None:
    good = best_first_ranking().content()
    for content, said in (
        ({}, "is no ranking"),
        ({**good, "format": 2}, "written in format 2"),
        ({**good, "features": {**good["features"], "anchor": {"weight": 9}}}, "<= 1"),
        ({**good, "features": {}}, "features do not fit"),
        ({**good, "community": "much"}, "Expected"),
    ):
        with pytest.raises(InputError, match=said):
            RankingFunction.of_content(content)
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "torn.json").write_text('{"kind')
    (tmp_path / "good.json").write_text(json.dumps(good))
    for name, said in (
        ("none.json", "cannot be read"),
        ("torn.json", "is not JSON"),
        ("list.json", "no ranking"),
    ):
        with pytest.raises(InputError, match=said):
            read(tmp_path / name)
    assert read(tmp_path / "good.json") == Ranking(content=good)
    assert read(None) is None


def read(path: Path | None) -> Ranking | None:
    topic = TopicSpec(keywords=("coral",), ranking=str(path) if path else "")
    return asyncio.run(read_ranking(Reading(topic, GraphWeb(), None, VirtualClock())))


def test_the_ranking_that_comes_with_lycosa_says_how_it_was_made() -> None:
    content = default_ranking()
    assert RankingFunction.of_content(content).terms
    made = content["evolved"]
    assert made["command"].startswith("lycosa evolve generated ")
    fitness = made["fitness"]
    assert fitness["evolved"]["test"] >= fitness["best-first"]["test"]


def test_docstring_example() -> None:
    assert doctest.testmod(evolved).failed == 0
