"""Promises of what a hunter can be switched to, on webs of all kinds."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array
from tests.properties.test_hunter_properties import NAMES, World, crawled, scored, webs
from tests.trials import trials
from tests.worlds import u

from lycosa.crawl.inputs import Query
from lycosa.strategies.hunter.guard import Guard
from lycosa.strategies.hunter.hunter import START, Hunter
from lycosa.strategies.hunter.latent import folded_out
from lycosa.strategies.hunter.learners import SIZE
from lycosa.strategies.hunter.referrers import Referrers
from lycosa.strategies.hunter.ways import LEARNERS, By

SHARES = st.floats(0, 1)
learners = st.sampled_from(sorted(LEARNERS))


def switched(by: By) -> Hunter:
    """All on."""
    query = Query(terms={"coral": 1, "reef": 1})
    return Hunter(query, None, first_lesson=3, guard=1, referrers=1, lsa=1, rank=1, ways=by)


@given(webs, st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True), learners)
@settings(max_examples=trials(25), deadline=None)
def test_finite_scores_and_start_pages_first(world: World, seeds: list[str], by: By) -> None:
    starts = {u(name) for name in seeds}
    for url, score in scored(crawled(world, switched(by), seeds)):
        assert math.isfinite(score)
        assert score == START if url in starts else 0 <= score < START


@given(webs, st.sampled_from(NAMES), learners)
@settings(max_examples=trials(25), deadline=None)
def test_loaded_as_saved(world: World, seed: str, by: By) -> None:
    hunter = switched(by)
    crawled(world, hunter, [seed])
    again = switched(by)
    again.load(msgspec.msgpack.decode(msgspec.msgpack.encode(hunter.save())))
    assert msgspec.msgpack.encode(again.save()) == msgspec.msgpack.encode(hunter.save())
    nodes = np.arange(len(hunter.corpus.graph))
    assert (again._scores(nodes) == hunter._scores(nodes)).all()


@given(webs, st.sampled_from(NAMES), learners)
@settings(max_examples=trials(25), deadline=None)
def test_from_0_to_1(world: World, seed: str, by: By) -> None:
    hunter = switched(by)
    crawled(world, hunter, [seed])
    nodes = np.arange(len(hunter.corpus.graph))
    for _, further in hunter._further:
        found = further.of(nodes)
        assert ((found >= 0) & (found <= 1)).all()


@given(SHARES, st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9), st.floats(0, 9)), max_size=20))
def test_trust_is_a_share(strength: float, fetched: list[tuple[float, float, float]]) -> None:
    guard = Guard(strength)
    for words, lessons, _ in fetched:
        guard.fetched(words, lessons)
    guard.check(np.array([evidence for _, _, evidence in fetched]))
    assert 1 - strength <= guard.trust <= 1


@given(SHARES, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=30), st.data())
def test_never_less(weight: float, links: list[tuple[int, int]], data: st.DataObject) -> None:
    referrers = Referrers(weight)
    sources, targets = np.array(links, dtype=np.int64).reshape(-1, 2).T
    hosts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=10, max_size=10)))
    scores = np.array(data.draw(st.lists(st.floats(0, 9), min_size=10, max_size=10)))
    referrers.learn(sources, targets, hosts, np.arange(10), scores)
    referrers.see(np.arange(5), data.draw(st.floats(0, 9)))
    assert (referrers.factor(np.arange(12)) >= 1).all()


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=12))
def test_of_length_1(counts: list[list[int]]) -> None:
    found = folded_out(csr_array(np.array(counts, dtype=np.float32)), np.ones(4), np.array([1.0, 0, 0, 0]))
    assert np.isfinite(found).all()
    assert float(np.linalg.norm(found)) in (0.0, pytest.approx(1.0, abs=1e-6))


@given(
    learners,
    st.lists(st.tuples(st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=5), SHARES), max_size=20),
)
@settings(deadline=None)
def test_values_from_0_to_1(by: By, followed: list[tuple[list[int], float]]) -> None:
    learner = LEARNERS[by]()
    for features, reward in followed:
        learner.learn(np.array(features), reward)
    learner.draw(np.arange(3), Random(1))
    found = learner.values(np.arange(5), np.arange(5))
    assert ((found >= 0) & (found <= 1)).all()


def of_before(hunter: Hunter) -> dict[str, Any]:
    """The state as versions saved it that wrote whole tables, all of them by node."""
    hunter.evidence._have_columns(like=True, judged=True)
    corpus, evidence = hunter.corpus, hunter.evidence
    graph, count = corpus.graph, len(corpus.graph)
    pages = [*graph.pages]
    nose: dict[str, Any] = {}

    def whole(name: str, table: NDArray[np.float64]) -> None:
        nose[name] = [list(table.shape), table.tobytes()]

    def by_node(of_pages: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.zeros((count, *of_pages.shape[1:]))
        found[pages] = of_pages[: len(pages)]
        return found

    score, queries = evidence._score, evidence._queries
    whole("mean", score.mean)
    whole("most", score.most)
    whole("average", evidence._average)
    whole("from", evidence._inherited.sums(np.arange(count), evidence._page))
    whole("degree", evidence._inherited.degree[:count])
    for name in ("wording", "context", "url", "beside"):
        whole(name, getattr(evidence, f"_{name}")[np.arange(count)])
    for name in ("page", "judgements", "worth"):
        whole(name, by_node(getattr(evidence, f"_{name}")))
    whole("rarity", queries.rarity)
    whole("queries", np.array([queries.column(column) for column in range(queries.columns)]).T)
    nose["seen"] = [evidence._met, evidence._seen_urls, evidence._seen_wordings]
    nose["marks"] = [*evidence._marks.items()]
    nose |= {name: part.save() for name, part in evidence._switched()}
    known = sorted(owner << 32 | mark for owner, mark in zip(corpus.owners, corpus._sums, strict=True))
    grounds = {
        **corpus.save(),
        "graph": {
            **graph.save(),
            "numbers": {url: number for number, url in enumerate(graph.urls)} | graph._also,
            "urls": [*graph.urls],
            "pages": pages,
        },
        "terms": [*corpus.terms],
        "known": known,
    }
    del grounds["sums"]
    state = {**hunter.save(), "nose": nose, "grounds": grounds, "news": by_node(hunter._news).tobytes()}
    del state["news of pages"]
    return state


@given(webs, st.sampled_from(NAMES), learners)
@settings(max_examples=trials(25), deadline=None)
def test_snapshots_of_earlier_versions_load(world: World, seed: str, by: By) -> None:
    hunter, again, anew = switched(by), switched(by), switched(by)
    crawled(world, hunter, [seed])
    again.load(msgspec.msgpack.decode(msgspec.msgpack.encode(of_before(hunter))))
    nodes = np.arange(len(hunter.corpus.graph))
    assert (again._scores(nodes) == hunter._scores(nodes)).all()
    assert again.corpus._known.add(np.array([0], dtype=np.int64)) == [0]
    anew.load(msgspec.msgpack.decode(msgspec.msgpack.encode(again.save())))
    assert (anew._scores(nodes) == hunter._scores(nodes)).all()
    assert anew.facts() == hunter.facts()
    assert [*anew.corpus.graph.urls] == [*hunter.corpus.graph.urls]
    assert anew.corpus.graph._also == hunter.corpus.graph._also
