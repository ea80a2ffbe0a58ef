"""Metrics: known answers, worked by hand."""

from __future__ import annotations

from math import inf, isnan, log, sqrt

import numpy as np
import pytest

from lycosa.lab.measures.metrics import (
    area_under,
    average_relevance,
    bytes_fetched,
    distinct,
    first_hits,
    harvest_rate,
    hold,
    mean_similarity,
    overlap,
    overlap_curve,
    performance_per_cost,
    reachable_share,
    relative_cost,
    running_window,
    search_length,
    target_recall,
)
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.model.errors import InputError
from lycosa.model.url import Url


def close(got: object, wanted: object) -> bool:
    return bool(np.allclose(got, wanted, rtol=1e-12, atol=0))  # type: ignore[arg-type]


def test_harvest_rate_fifty_of_five_hundred_is_a_tenth() -> None:
    relevant = np.zeros(500, dtype=bool)
    relevant[::10] = True
    curve = harvest_rate(relevant)
    assert curve[-1] == 0.1
    assert close(curve[:4], [1, 1 / 2, 1 / 3, 1 / 4])


def test_neutral_pages_are_neither_good_nor_bad() -> None:
    relevant, neutral = np.array([0, 1, 1, 0, 0], dtype=bool), np.array([1, 0, 0, 1, 0], dtype=bool)
    assert close(harvest_rate(relevant, neutral), [0, 1, 1, 1, 2 / 3])


def test_average_relevance_and_running_window() -> None:
    relevance = np.array([1.0, 0.0, 0.5, 0.5])
    assert close(average_relevance(relevance), [1, 0.5, 0.5, 0.5])
    assert close(running_window(relevance, 2), [1, 0.5, 0.25, 0.5])
    assert close(running_window(relevance, 50), average_relevance(relevance))
    assert running_window(np.array([]), 3).size == 0
    with pytest.raises(InputError, match="at least 1"):
        running_window(relevance, 0)


def test_target_recall_of_two_among_four_at_steps_three_and_nine() -> None:
    pages = np.array([10, 11, 2, 12, 13, 14, 15, 16, 4])
    curve = target_recall(pages, np.array([1, 2, 3, 4]))
    assert close(curve, [0, 0, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.5])
    with pytest.raises(InputError, match="needs a target"):
        target_recall(pages, np.array([], dtype=int))


def test_a_page_fetched_twice_is_found_once() -> None:
    assert first_hits(np.array([5, 7, 5, 9]), np.array([9, 5])).tolist() == [True, False, False, True]
    assert close(target_recall(np.array([5, 5]), np.array([5, 5, 6])), [0.5, 0.5])


def test_reachable_share() -> None:
    """0 -> 1 -> 2, 3 -> 0: from 0 the pages 1 and 2 are reached, without 1 none is."""
    graph = LinkGraph([Url(f"http://{n}/") for n in range(4)], np.array([0, 1, 2, 2, 3]), np.array([1, 2, 0]))
    seeds, targets = np.array([0]), np.array([1, 2, 3])
    assert reachable_share(graph, seeds, targets) == pytest.approx(2 / 3)
    assert reachable_share(graph, seeds, np.array([2, 3]), np.array([1])) == 0
    assert reachable_share(graph, seeds, np.array([], dtype=int)) == 0


def test_search_length_and_what_is_censored() -> None:
    recall = np.array([0, 0.1, 0.1, 0.3, 0.5])
    assert search_length(recall, 0.1).pages == 2
    assert search_length(recall, 0.25).pages == 4
    assert search_length(recall, 0.5).pages == 5
    never = search_length(recall, 0.51)
    assert (never.pages, never.crawled, never.censored) == (inf, 5, True)
    thirds = target_recall(np.array([1, 2, 3]), np.array([1, 2, 3]))
    assert search_length(thirds, 2 / 3).pages == 2
    with pytest.raises(InputError, match="above 0"):
        search_length(recall, 0)


def test_a_crawl_that_ended_early_holds_its_last_value() -> None:
    assert close(hold(np.array([0.5, 1.0]), 4), [0.5, 1, 1, 1])
    assert close(hold(np.array([0.5, 1.0]), 1), [0.5])
    assert close(hold(np.array([]), 2), [0, 0])


def test_area_under_the_recall_curve() -> None:
    """Targets at 3 and 9 of 10 pages: 2 × 0 + 6 × 1/4 + 2 × 1/2, over 10."""
    curve = target_recall(np.array([0, 0, 2, 0, 0, 0, 0, 0, 4]), np.array([1, 2, 3, 4]))
    assert area_under(curve, 10) == pytest.approx(0.25)
    assert area_under(curve, 3) == pytest.approx(0.25 / 3)
    with pytest.raises(InputError, match="at least 1"):
        area_under(curve, 0)


def test_distinct_relevant_hosts_and_bytes() -> None:
    hosts, relevant = np.array([0, 0, 1, 2, 1, 2]), np.array([1, 1, 0, 1, 1, 1], dtype=bool)
    assert distinct(hosts, relevant).tolist() == [1, 1, 1, 2, 3, 3]
    assert bytes_fetched(np.array([2, 0, 2]), np.array([10, 20, 30])).tolist() == [30, 40, 70]


def test_overlap_of_two_crawls() -> None:
    """{1, 2, 3, 4} and {3, 4, 5}: 2 of 5, and 2 of the smaller 3."""
    found = overlap(np.array([1, 2, 3, 4]), np.array([3, 4, 5, 5]))
    assert (found.of_union, found.of_smaller) == (2 / 5, 2 / 3)
    nothing = overlap(np.array([], dtype=int), np.array([], dtype=int))
    assert (nothing.of_union, nothing.of_smaller) == (0, 0)


def test_overlap_over_time() -> None:
    """After 1: {1}, {2}. After 2: {1, 2}, {2, 1}. After 3: {1, 2, 3}, {1, 2}."""
    assert close(overlap_curve(np.array([1, 2, 3]), np.array([2, 1, 1, 9])), [0, 1, 2 / 3])


def test_mean_similarity_uses_the_union_of_the_crawls() -> None:
    """Documents "a b", "a c", description "b": idf(a) = 1, idf(b) = 1 + ln 2, so cos = 1.6931 / √(1 + 1.6931²)."""
    texts = [{"a": 1, "b": 1}, {"a": 1, "c": 1}]
    first, second, both = mean_similarity(
        [np.array([0]), np.array([1]), np.array([1, 0, 0])], {"b": 1}, texts.__getitem__
    )
    weight = 1 + log(2)
    assert first[0] == pytest.approx(weight / sqrt(1 + weight**2))
    assert first[0] == pytest.approx(0.8610, abs=5e-5)
    assert second[0] == 0
    assert close(both, [0, first[0] / 2, first[0] * 2 / 3])
    (alone,) = mean_similarity([np.array([0])], {"b": 1}, texts.__getitem__)
    assert alone[0] == pytest.approx(1 / sqrt(2))  # every idf is 1 where there is one document


def test_relative_cost_of_ten_twenty_and_thirty_seconds() -> None:
    costs = relative_cost([np.array([5.0, 10.0]), np.array([20.0]), np.array([1.0, 2.0, 30.0])])
    assert [cost[-1] for cost in costs] == pytest.approx([0.5, 1.0, 1.5])
    assert costs[0][0] == pytest.approx(0.25)
    with pytest.raises(InputError, match="none was measured"):
        relative_cost([np.zeros(3), np.zeros(2)])


def test_performance_per_cost_takes_means_first() -> None:
    """<ρ> = .5, <σ> = .1, <c> = .5: .5 · .1 / .5 = .1. The mean of the ratios would be .1083."""
    value = performance_per_cost(np.array([0.4, 0.6]), np.array([0.05, 0.15]), np.array([0.4, 0.6]))
    assert value == pytest.approx(0.1)
    assert isnan(performance_per_cost(np.array([1.0]), np.array([1.0]), np.array([0.0])))
