"""Promises of taxonomies, focus, distiller, context graphs and learnt link values, on webs and trees of all kinds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.trials import trials
from tests.worlds import by_table, drive, made_page, make_crawl, u, visited

from lycosa.crawl.inputs import Category, ContextGraph, KnownGraph, KnownLink, Taxonomy
from lycosa.model.records import Millis, Request
from lycosa.model.url import Url
from lycosa.scoring.graphs.distiller import hub_scores
from lycosa.scoring.links.future_reward import link_values
from lycosa.scoring.topics.taxonomy import TaxonomyClassifier, topic_of
from lycosa.strategies.context_graph import ContextFocused
from lycosa.strategies.focused import Focused
from lycosa.strategies.rl import ReinforcementLearning, bin_floors

NAMES = "abcdefgh"
WORDS = ("reef", "coral", "car", "road")

graphs = st.fixed_dictionaries(
    {name: st.lists(st.sampled_from(NAMES), max_size=4, unique=True) for name in NAMES}
)
texts = st.fixed_dictionaries(
    {name: st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join) for name in NAMES}
)
counted = st.dictionaries(st.sampled_from("abcd"), st.integers(1, 5), min_size=1)
paths = st.lists(st.sampled_from(["p", "q", "p/x", "p/y", "q/x", "q/x/z", "p/y/z"]), min_size=1, unique=True)


@st.composite
def taxonomies(draw: st.DrawFn) -> Taxonomy:
    named = {""}
    for path in draw(paths):
        parts = path.split("/")
        named.update("/".join(parts[: depth + 1]) for depth in range(len(parts)))
    categories = tuple(
        Category(path=path, examples=tuple(draw(st.lists(counted, max_size=2)))) for path in sorted(named)
    )
    assume(any(category.examples for category in categories))
    return Taxonomy(
        categories=categories, good=(), textbook=draw(st.booleans()), features=draw(st.integers(1, 5))
    )


@given(taxonomies(), counted)
@settings(deadline=None)
def test_leaves_share_one(taxonomy: Taxonomy, terms: dict[str, int]) -> None:
    classifier = TaxonomyClassifier(taxonomy)
    found = classifier.posterior(terms)
    assert sum(found[leaf] for leaf in classifier.leaves()) == pytest.approx(1.0)
    assert min(found.values()) >= 0.0


@given(taxonomies(), counted)
@settings(deadline=None)
def test_a_node_has_what_its_children_have(taxonomy: Taxonomy, terms: dict[str, int]) -> None:
    classifier = TaxonomyClassifier(taxonomy)
    found = classifier.posterior(terms)
    for path, share in found.items():
        below = [s for each, s in found.items() if each and each.rpartition("/")[0] == path]
        if path not in classifier.leaves() and any(below):
            assert sum(below) == pytest.approx(share)


@given(taxonomies(), counted)
@settings(deadline=None)
def test_the_best_leaf_found_by_bounds_is_the_best_of_all_leaves(
    taxonomy: Taxonomy, terms: dict[str, int]
) -> None:
    classifier = TaxonomyClassifier(taxonomy)
    found = classifier.posterior(terms)
    path, share = classifier.best_leaf(terms)
    assert path in classifier.leaves()
    assert share == pytest.approx(max(found[leaf] for leaf in classifier.leaves()))


REEFS = Taxonomy(
    categories=(
        Category(path=""),
        Category(path="Reefs", examples=({"reef": 2, "coral": 3},)),
        Category(path="Towns", examples=({"car": 2, "road": 3},)),
    ),
    good=("Reefs",),
)


@given(graphs, texts)
@settings(max_examples=trials(60), deadline=None)
def test_hard_is_within_soft(graph: dict[str, list[str]], words: dict[str, str]) -> None:
    """And hard focus is exactly what good pages and the start page lead to."""
    topic = topic_of(REEFS)
    got: dict[str, set[Url]] = {}
    for mode in ("soft", "hard"):
        crawl = make_crawl(Focused(REEFS, mode=mode), topic=topic)  # type: ignore[arg-type]
        crawl.start([u("a")], Millis(0))
        drive(crawl, by_table(graph, words))
        got[mode] = set(visited(crawl))
    assert got["hard"] <= got["soft"]
    page = {name: made_page(Request(url=u(name), order=0), text=words[name]) for name in NAMES}
    good = {name for name in NAMES if topic.classifier.best_leaf(page[name].terms)[0] == "Reefs"}
    reached, waiting = {"a"}, ["a"]
    for name in waiting:  # grows meanwhile
        for target in graph[name] if name in good or name == "a" else ():
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    assert got["hard"] == {u(name) for name in reached}


@given(graphs, st.lists(st.integers(0, 2), min_size=8, max_size=8))
@settings(deadline=None)
def test_distilling_with_all_relevances_1_is_hits_on_the_graph_of_links_between_hosts(
    graph: dict[str, list[str]], sites: list[int]
) -> None:
    number = {name: i for i, name in enumerate(NAMES)}
    links = np.zeros((8, 8))
    for name, targets in graph.items():
        for target in targets:
            links[number[name], number[target]] = 1.0
    hubs, authorities = hub_scores(csr_array(links), np.ones(8), np.array(sites), rho=0.1, iterations=7)
    naive_hubs, naive_authorities = [1 / 8] * 8, [0.0] * 8
    away = [(s, t) for s in range(8) for t in range(8) if links[s, t] and sites[s] != sites[t]]
    for _ in range(7):
        naive_authorities = to_one([sum(naive_hubs[s] for s, t in away if t == v) for v in range(8)])
        naive_hubs = to_one([sum(naive_authorities[t] for s, t in away if s == v) for v in range(8)])
    assert hubs == pytest.approx(naive_hubs)
    assert authorities == pytest.approx(naive_authorities)


def to_one(values: Sequence[float]) -> list[float]:
    return [value / sum(values) for value in values] if sum(values) else list(values)


LAYERS = ContextGraph(
    layers=(({"reef": 3, "coral": 2},), ({"car": 3, "reef": 1},), ({"road": 2},)), documents=9, frequencies={}
)


@given(graphs, texts, st.sampled_from([0.0, 0.5, 0.8]))
@settings(max_examples=trials(60), deadline=None)
def test_nearest_first_and_the_top_pages_links(
    graph: dict[str, list[str]], words: dict[str, str], theta: float
) -> None:
    """A twin that holds queues of pages, as published, allows each pick."""
    strategy = ContextFocused(LAYERS, vocab_layers=3, theta=theta)
    crawl = make_crawl(strategy)
    crawl.start([u("a")], Millis(0))
    drive(crawl, by_table(graph, words))
    order = [url.removeprefix("http://")[0] for url in visited(crawl)]
    known: dict[str, tuple[int, float]] = {}
    for before, (name, following) in enumerate(pairwise(order), 1):
        terms = made_page(Request(url=u(name), order=0), text=words[name]).terms
        shares = strategy.shares(terms)
        known[name] = (strategy.layer(terms), -max(shares))
        open_pages = {n: rank for n, rank in known.items() if set(graph[n]) - set(order[:before])}
        best = min(open_pages.values())
        assert any(following in graph[n] for n, rank in open_pages.items() if rank == best)


@st.composite
def known_graphs(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[float]]:
    n = draw(st.integers(2, 6))
    pairs = [(s, t) for s in range(n) for t in range(n) if s != t]
    links = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=12, unique=True))
    rewards = draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=n, max_size=n))
    return links, rewards


def values(
    known: tuple[list[tuple[int, int]], list[float]], gamma: float, depth: int, backup: str
) -> list[float]:
    links, rewards = known
    sources, targets = [s for s, _ in links], [t for _, t in links]
    made = link_values(sources, targets, rewards, gamma=gamma, depth=depth, backup=backup)  # type: ignore[arg-type]
    return [float(value) for value in made]


@given(known_graphs(), st.floats(0, 1), st.integers(0, 4), st.sampled_from(["max", "sum"]))
@settings(deadline=None)
def test_values_are_those_of_the_recursion(
    known: tuple[list[tuple[int, int]], list[float]], gamma: float, depth: int, backup: str
) -> None:
    links, rewards = known

    def q(source: int, target: int, k: int) -> float:
        ways = [q(target, w, k - 1) for s, w in links if s == target and w != source] if k else []
        later = (max if backup == "max" else sum)(ways) if ways else 0.0
        return rewards[target] + gamma * later

    assert values(known, gamma, depth, backup) == pytest.approx([q(s, t, depth) for s, t in links])


@given(known_graphs(), st.floats(0, 1), st.floats(0, 1), st.sampled_from(["max", "sum"]))
@settings(deadline=None)
def test_values_grow_with_gamma(
    known: tuple[list[tuple[int, int]], list[float]], one: float, other: float, backup: str
) -> None:
    less, more = sorted((one, other))
    for small, great in zip(values(known, less, 4, backup), values(known, more, 4, backup), strict=True):
        assert small <= great + 1e-12


@given(known_graphs(), st.data())
@settings(deadline=None)
def test_looking_no_link_ahead_is_immediate_reward(
    known: tuple[list[tuple[int, int]], list[float]], data: st.DataObject
) -> None:
    links, rewards = known
    graph = KnownGraph(
        pages=tuple(u(f"k/{i}") for i in range(len(rewards))),
        rewards=tuple(rewards),
        links=tuple(KnownLink(source=s, target=t, terms=data.draw(counted)) for s, t in links),
    )
    now = ReinforcementLearning(graph, gamma=0.0)
    nothing_ahead = ReinforcementLearning(graph, gamma=0.9, depth=0)
    asked = data.draw(counted)
    assert now.worth(asked) == nothing_ahead.worth(asked)
    assert min(rewards) - 1e-12 <= now.worth(asked) <= max(rewards) + 1e-12


@given(
    st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.7, 1.0]), min_size=1, max_size=30),
    st.integers(2, 6),
    st.booleans(),
)
def test_bins_take_in_everything(values: list[float], bins: int, tail: bool) -> None:
    """At most as many as asked for, none empty, the lowest from the least value on, equal values together."""
    floors = bin_floors(values, bins, "tail" if tail else "quantile")
    assert floors == sorted(set(floors))
    assert floors[0] == min(values)
    assert len(floors) <= bins
    assert set(floors) <= set(values)
