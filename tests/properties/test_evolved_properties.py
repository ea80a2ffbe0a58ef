"""What ranking functions, their evidence and their evolution promise, for any input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials

from lycosa.lab.evolution.chc import Chc, Population
from lycosa.lab.kit.conformance import Trial, kit_inputs
from lycosa.scoring.links.ranking import BITS, FEATURES, RankingFunction
from lycosa.spec.registry import strategy
from lycosa.strategies.evolved import Evolved
from lycosa.strategies.parts.in_links import InLinks

CHROMOSOMES = st.integers(0, 2**BITS - 1)
TABLES = st.lists(
    st.lists(st.floats(0, 1), min_size=len(FEATURES), max_size=len(FEATURES)), min_size=1, max_size=5
).map(np.array)
PAGES = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.25, 0.5, 1.0]),
        st.integers(0, 4),
        st.lists(st.integers(0, 12), unique=True, max_size=6),
        st.integers(-1, 12),
    ),
    min_size=1,
    max_size=12,
)


@given(CHROMOSOMES, TABLES)
def test_finite(bits: int, features: np.ndarray) -> None:  # type: ignore[type-arg]
    function = RankingFunction.of_bits(bits)
    weights = [term.weight for term in function.terms]
    scores = function.scores(features)
    assert (scores >= sum(min(0, w) for w in weights) - 1e-9).all()
    assert (scores <= sum(max(0, w) for w in weights) + 1e-9).all()


@given(CHROMOSOMES, TABLES)
def test_there_and_back(bits: int, features: np.ndarray) -> None:  # type: ignore[type-arg]
    function = RankingFunction.of_bits(bits)
    again = RankingFunction.of_content(function.content())
    assert again.scores(features).tolist() == function.scores(features).tolist()


@given(PAGES, st.sampled_from([0.0, 0.3, 0.5]))
def test_as_counted(pages: list[tuple[float, int, list[int], int]], community: float) -> None:
    """Page i has a relevance, a depth, targets, and a page by way of whose links it was fetched (or none)."""
    in_links = InLinks(community)
    for number, (relevance, depth, targets, by) in enumerate(pages):
        if by >= 0:
            in_links.led(by, relevance)
        texts = np.full((len(targets), 3), relevance / 2)
        in_links.linked(number, relevance, depth, np.array(targets, dtype=np.int64), texts)
    met = sorted({target for _, _, targets, _ in pages for target in targets})
    again = InLinks(community)
    again.load(in_links.save())
    for each in (in_links, again):
        for url, found in zip(met, each.features(np.array(met, dtype=np.int64)).tolist(), strict=True):
            assert found == pytest.approx(counted(url, pages, community))


def counted(url: int, pages: list[tuple[float, int, list[int], int]], community: float) -> list[float]:
    """The definitions, looked up one by one."""
    linking = [(r, n, depth) for n, (r, depth, targets, _) in enumerate(pages) if url in targets]
    relevances = [r for r, _, _ in linking]
    members = sum(r >= community for r in relevances)
    hub = max(linking, key=lambda each: (each[0], -each[1]))[1]
    led = [r for r, _, _, by in pages if by == hub]
    return [
        max(relevances),
        sum(relevances) / len(relevances),
        sum(relevances) / (1 + sum(relevances)),
        len(relevances) / (1 + len(relevances)),
        members / (1 + members),
        *[max(relevances) / 2] * 3,
        sum(led) / len(led) if led else 0.0,
        1 / (1 + min(depth + 1 for _, _, depth in linking)),
        sum(r >= community for r in led) / (2 + sum(r >= community for r in led)),
    ]


def fitness(bits: int) -> float:
    return float((bits * 2654435761) % 1009)


def generations(chc: Chc, count: int) -> list[Population]:
    """The first and so many more."""
    found = [chc.first(fitness)]
    for _ in range(count):
        found.append(chc.next(found[-1], fitness))
    return found


@settings(max_examples=trials(20))
@given(st.integers(0, 1000), st.integers(2, 9))
def test_never_worse(seed: int, size: int) -> None:
    found = generations(Chc(bits=24, size=size, seed=seed), 15)
    best = [generation.best.fitness for generation in found]
    assert best == sorted(best)
    assert all(len(generation.individuals) == size for generation in found)


@settings(max_examples=trials(20))
@given(st.integers(0, 1000), st.integers(2, 9))
def test_by_seed(seed: int, size: int) -> None:
    chc = Chc(bits=24, size=size, seed=seed)
    found = generations(chc, 9)
    assert generations(Chc(bits=24, size=size, seed=seed), 9) == found
    assert chc.next(found[7], fitness) == found[8]


def test_up_to_date() -> None:
    """At the end of a crawl: what waits has the score of its features but for URLs whose features changed since by
    another page that they do not hang on; those were told a score that was true when it was told."""
    made = strategy("evolved", kit_inputs())
    assert isinstance(made, Evolved)
    crawl = Trial(lambda: made, budget=150).whole()
    told = 0
    for request in crawl.frontier.pending():
        number = made._graph.number(request.url)
        if number is not None and request.via is not None:
            (score,) = made._scores(np.array([number]))
            assert request.score == pytest.approx(made._told[number])
            told += score == pytest.approx(request.score)
    assert told > 0.95 * len(crawl.frontier)
