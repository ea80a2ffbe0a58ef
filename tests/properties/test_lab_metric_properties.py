"""What holds of metrics and of distances whatever a crawl was."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.lab.measures.metrics import (
    area_under,
    average_relevance,
    distinct,
    first_hits,
    harvest_rate,
    mean_similarity,
    mean_similarity_by_rows,
    overlap,
    overlap_curve,
    relative_cost,
    running_window,
    search_length,
    target_recall,
)
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.url import Url

CRAWLS = st.lists(st.integers(0, 12), min_size=1, max_size=30).map(np.array)
WANTED = st.lists(st.integers(0, 12), min_size=1, max_size=8).map(np.array)
GRAPHS = st.lists(st.lists(st.integers(0, 11), max_size=5), min_size=12, max_size=12)


def graph_of(table: list[list[int]]) -> LinkGraph:
    names = [Url(f"http://{n}.test/") for n in range(len(table))]
    return LinkGraph.of((names[n], [names[to] for to in targets]) for n, targets in enumerate(table))


@given(CRAWLS, WANTED)
def test_recall_never_falls_and_ends_at_what_was_found(pages: np.ndarray, targets: np.ndarray) -> None:
    curve = target_recall(pages, targets)
    assert np.all(np.diff(curve) >= 0)
    assert curve[0] >= 0
    assert curve[-1] == pytest.approx(
        len(set(pages.tolist()) & set(targets.tolist())) / len(set(targets.tolist()))
    )


@given(CRAWLS, WANTED, st.integers(1, 10))
def test_search_length_is_where_recall_gets_there(
    pages: np.ndarray, targets: np.ndarray, tenths: int
) -> None:
    curve, share = target_recall(pages, targets), tenths / 10
    found = search_length(curve, share)
    if found.censored:
        assert curve[-1] < share
    else:
        at = int(found.pages) - 1
        assert curve[at] >= share - 1e-9
        assert at == 0 or curve[at - 1] < share


@given(CRAWLS, WANTED, st.integers(1, 40))
def test_the_area_lies_between_the_curves_ends(pages: np.ndarray, targets: np.ndarray, budget: int) -> None:
    curve = target_recall(pages, targets)
    assert curve[0] - 1e-12 <= area_under(curve, budget) <= curve[-1] + 1e-12


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60).map(np.array), st.integers(1, 70))
def test_a_running_window_is_the_mean_of_the_last(relevance: np.ndarray, window: int) -> None:
    curve = running_window(relevance, window)
    for n in range(1, len(relevance) + 1):
        assert curve[n - 1] == pytest.approx(relevance[max(0, n - window) : n].mean(), abs=1e-9)
    assert average_relevance(relevance)[-1] == pytest.approx(relevance.mean())


@given(CRAWLS, WANTED)
def test_harvest_times_pages_is_a_count(pages: np.ndarray, wanted: np.ndarray) -> None:
    hits = first_hits(pages, wanted)
    counts = harvest_rate(hits) * np.arange(1, len(pages) + 1)
    assert np.allclose(counts, np.cumsum(hits))
    assert hits.sum() == len(set(pages.tolist()) & set(wanted.tolist()))


@given(CRAWLS, WANTED)
def test_distinct_kinds_are_those_of_the_counted(kinds: np.ndarray, wanted: np.ndarray) -> None:
    counted = np.isin(kinds, wanted)
    curve = distinct(kinds, counted)
    for n in range(len(kinds)):
        assert curve[n] == len(set(kinds[: n + 1][counted[: n + 1]].tolist()))


@given(CRAWLS, CRAWLS)
def test_overlap_is_the_same_both_ways_and_within_bounds(one: np.ndarray, other: np.ndarray) -> None:
    found = overlap(one, other)
    assert found == overlap(other, one)
    assert 0 <= found.of_union <= found.of_smaller <= 1
    assert overlap(one, one).of_union == 1


@given(CRAWLS, CRAWLS)
def test_overlap_over_time_is_the_overlap_of_beginnings(one: np.ndarray, other: np.ndarray) -> None:
    for n, value in enumerate(overlap_curve(one, other), 1):
        assert value == pytest.approx(overlap(one[:n], other[:n]).of_union)


@given(st.lists(st.lists(st.floats(0.001, 9), min_size=1, max_size=5), min_size=1, max_size=5))
def test_the_mean_relative_cost_at_the_end_is_one(times: list[list[float]]) -> None:
    costs = relative_cost([np.cumsum(each) for each in times])
    assert np.mean([cost[-1] for cost in costs]) == pytest.approx(1)


@given(st.lists(CRAWLS, min_size=1, max_size=3), st.dictionaries(st.sampled_from("abcde"), st.integers(1, 3)))
def test_similarity_is_a_mean_of_cosines(crawls: list[np.ndarray], description: dict[str, int]) -> None:
    """In [0, 1]; two passes over the union and no more."""
    asked: list[int] = []

    def terms(page: int) -> dict[str, int]:
        asked.append(page)
        return {"abcdefgh"[(page + n) % 8]: 1 + page % 3 for n in range(3)}

    for curve, crawl in zip(mean_similarity(crawls, description, terms), crawls, strict=True):
        assert len(curve) == len(crawl)
        assert np.all((curve >= 0) & (curve <= 1 + 1e-12))
    assert len(asked) == 2 * len(set(np.concatenate(crawls).tolist()))


class Rows(NamedTuple):
    vocabulary: list[str]
    indptr: np.ndarray
    numbers: np.ndarray
    counts: np.ndarray


@given(
    st.lists(CRAWLS, min_size=1, max_size=3),
    st.dictionaries(st.sampled_from("abcdexyz"), st.integers(1, 3)),
    st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 9)), min_size=13, max_size=13),
    st.integers(1, 5),
)
def test_similarity_by_rows_is_that_by_dictionaries(
    crawls: list[np.ndarray], description: dict[str, int], texts: list[dict[str, int]], at_once: int
) -> None:
    rows = Rows(
        list("abcdefghx"),
        np.cumsum([0, *map(len, texts)]),
        np.array(["abcdefgh".index(word) for text in texts for word in text], dtype=np.int32),
        np.array([count for text in texts for count in text.values()], dtype=np.int32),
    )
    slow = mean_similarity(crawls, description, texts.__getitem__)
    fast = mean_similarity_by_rows(crawls, description, rows, at_once=at_once)
    for one, other in zip(slow, fast, strict=True):
        assert one == pytest.approx(other, abs=1e-12)


@given(GRAPHS)
def test_there_and_back(table: list[list[int]]) -> None:
    graph = graph_of(table)
    again = graph.backwards.backwards
    for page in range(len(graph)):
        assert sorted(graph.out(page).tolist()) == again.out(page).tolist()
        assert page not in graph.out(page)


@given(GRAPHS, st.sets(st.integers(0, 11), min_size=1, max_size=3), st.sets(st.integers(0, 11), max_size=3))
def test_as_a_walk_finds_it(table: list[list[int]], sources: set[int], avoid: set[int]) -> None:
    graph = graph_of(table)
    got = graph.distances(np.array(sorted(sources)), np.array(sorted(avoid), dtype=int))
    known = dict.fromkeys(sources - avoid, 0)
    queue = deque(known)
    while queue:
        page = queue.popleft()
        for to in set(table[page]) - avoid - known.keys():
            known[to] = known[page] + 1
            queue.append(to)
    assert got.tolist() == [known.get(page, -1) for page in range(12)]
