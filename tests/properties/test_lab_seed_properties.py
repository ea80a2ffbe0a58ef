"""Start pages lie where they should, in any graph; and what the bounds promise holds of any crawl."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lycosa.lab.measures.bounds import chance, clairvoyant, oracle
from lycosa.lab.measures.metrics import reachable_share, target_recall
from lycosa.lab.tasks.seeds import SeedRules, check, halves, with_seeds
from lycosa.lab.tasks.task import Task
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.errors import InputError
from lycosa.model.url import Url

SIZE = 25
PAGES = st.integers(0, SIZE - 1)
GRAPHS = st.lists(st.lists(PAGES, max_size=3), min_size=SIZE, max_size=SIZE)
SETS = st.sets(PAGES, min_size=1, max_size=4)
RULES = SeedRules(distances=(0, 1, 2, 3, 4), least=1)


def name(page: int) -> Url:
    return Url(f"http://{page}.test/")


def graph_of(table: list[list[int]]) -> LinkGraph:
    return LinkGraph.of((name(page), map(name, targets)) for page, targets in enumerate(table))


def task_of(targets: set[int], excluded: set[int], relevant: set[int], examples: set[int]) -> Task:
    return Task(
        id="t",
        keywords=("k",),
        targets=tuple(map(name, sorted(targets))),
        relevant=tuple(map(name, sorted(targets | relevant))),
        examples=tuple(map(name, sorted(examples))),
        excluded=tuple(map(name, sorted(excluded))),
    )


def walked(table: list[list[int]], start: int, avoid: set[int]) -> dict[int, int]:
    """Distances from a page, found link by link."""
    known = {start: 0}
    queue = deque([start])
    while queue:
        page = queue.popleft()
        for to in table[page]:
            if to not in known and to not in avoid:
                known[to] = known[page] + 1
                queue.append(to)
    return known


@given(GRAPHS, SETS, SETS, st.sets(PAGES, max_size=2), st.sets(PAGES, max_size=3))
def test_from_each_seed_the_nearest_target_is_exactly_so_many_links_away(
    table: list[list[int]], targets: set[int], relevant: set[int], excluded: set[int], examples: set[int]
) -> None:
    assume(targets - excluded)
    graph = graph_of(table)
    task = with_seeds(task_of(targets, excluded, relevant, examples), graph, RULES)
    for distance, urls in task.seeds.items():
        assert len(set(urls)) == len(urls) <= RULES.drawn
        for url in urls:
            seed = graph.number(url)
            assert seed is not None
            assert seed not in excluded
            known = walked(table, seed, excluded)
            assert min(known[page] for page in targets - excluded if page in known) == distance
            if distance:
                assert seed not in targets | relevant | examples
        assert not check(task, graph).inexact


@given(GRAPHS, SETS)
def test_the_share_that_is_reachable_is_told(table: list[list[int]], targets: set[int]) -> None:
    graph = graph_of(table)
    task = with_seeds(task_of(targets, set(), set(), set()), graph, RULES)
    for distance, urls in task.seeds.items():
        known = {page for url in urls for page in walked(table, graph.numbers([url])[0], set())}
        wanted = {graph.number(url) for url in task.wanted(distance)}
        share = len(wanted & known) / len(wanted) if wanted else 0
        assert task.reachable[distance] == pytest.approx(share, abs=1e-4)


@given(GRAPHS, SETS)
def test_a_tasks_draws_are_its_own(table: list[list[int]], targets: set[int]) -> None:
    graph = graph_of(table)
    task = task_of(targets, set(), set(), set())
    assert with_seeds(task, graph, RULES) == with_seeds(task, graph, RULES)
    everything = with_seeds(task, graph, RULES).seeds
    alone = with_seeds(task, graph, SeedRules(distances=(2,), least=1)).seeds
    assert alone.get(2) == everything.get(2)


@given(GRAPHS, SETS, SETS, st.sets(PAGES, max_size=3), st.integers(1, SIZE))
def test_bounds_are_crawls_that_could_be_made(
    table: list[list[int]], seeds: set[int], targets: set[int], closed: set[int], budget: int
) -> None:
    """Each page was linked from one before it or is a seed, none comes twice, none is excluded."""
    graph = graph_of(table)
    given_ = [np.array(sorted(each), dtype=np.int64) for each in (seeds, targets, closed)]
    for bound in (oracle, clairvoyant):
        order = bound(graph, given_[0], given_[1], budget, given_[2]).tolist()
        assert len(order) == len(set(order)) <= budget
        assert not set(order) & closed
        known = set(seeds)
        for page in order:
            assert page in known
            known |= set(table[page])


@given(GRAPHS, SETS, SETS, st.sets(PAGES, max_size=3))
def test_in_the_end_the_bounds_find_what_can_be_reached(
    table: list[list[int]], seeds: set[int], targets: set[int], closed: set[int]
) -> None:
    graph = graph_of(table)
    start, wanted, out = (np.array(sorted(each), dtype=np.int64) for each in (seeds, targets, closed))
    share = reachable_share(graph, start, wanted, out)
    for bound in (oracle, clairvoyant):
        order = bound(graph, start, wanted, SIZE, out)
        recall = target_recall(order, wanted)[-1] if order.size else 0.0
        assert recall == pytest.approx(share)
    assert chance(graph, start, wanted, SIZE, out)[-1] == pytest.approx(share)


@given(GRAPHS, SETS, SETS)
def test_nobody_finds_the_first_target_before_the_oracle(
    table: list[list[int]], seeds: set[int], targets: set[int]
) -> None:
    graph = graph_of(table)
    start, wanted = np.array(sorted(seeds)), np.array(sorted(targets))
    known = [walked(table, seed, set()) for seed in sorted(seeds)]
    nearest = min((k[t] for k in known for t in targets if t in k), default=None)
    order = oracle(graph, start, wanted, SIZE).tolist()
    if nearest is None:
        assert order == []
    else:
        assert min(order.index(t) for t in targets if t in order) == nearest


@given(st.lists(PAGES.map(name), max_size=11), st.integers(0, 9))
def test_halves_are_disjoint_and_all_there_is(seeds: list[Url], seed: int) -> None:
    one, other = halves(seeds, seed)
    assert {*one, *other} == set(seeds)
    assert len(one) + len(other) == len(set(seeds))
    assert 0 <= len(one) - len(other) <= 1


def test_a_task_whose_targets_are_not_in_the_web() -> None:
    graph = graph_of([[1], []])
    nowhere = Task(
        id="t", keywords=("k",), targets=(Url("http://else.test/"),), seeds={1: (name(0), name(7))}
    )
    with pytest.raises(InputError, match="none of its 1 targets"):
        with_seeds(nowhere, graph)
    assert check(nowhere, graph).problems == [
        "1 target not in the web",
        "D = 1: 1 start page not in the web",
        "D = 1: no path leads to any target",
        "D = 1: 1 start page not 1 link from the nearest target",
    ]
    with pytest.raises(InputError, match="from 0 to 4"):
        with_seeds(nowhere, graph, SeedRules(distances=(5,)))
