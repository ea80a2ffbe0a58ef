"""What a shared crawl came to: known answers by hand, and what holds of any crawl."""

from __future__ import annotations

from itertools import pairwise
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lycosa.model.errors import InputError
from lycosa.scoring.graphs.analysis import kendall_tau
from lycosa.scoring.graphs.parts import agreement, ranks
from lycosa.sharing.measures import (
    Balance,
    Traffic,
    Volumes,
    all_together,
    balance,
    coverage,
    locality,
    overlap_coefficient,
    overlap_histogram,
    politeness,
)

# -- volumes -------------------------------------------------------------------------------------------------


def test_two_nodes_that_hash_contents() -> None:
    """Of two nodes each exports half of what it downloads and imports as much: .5 / .5 / 1."""
    one = Volumes(
        downloaded=Traffic(pages=10, bytes=1_000),
        retained=Traffic(pages=5, bytes=500),
        imported=Traffic(pages=5, bytes=500),
        exported=Traffic(pages=5, urls=3, bytes=500),
    )
    assert (one.export_ratio, one.transfer_ratio) == (0.5, 1.0)
    both = all_together([one, one])
    assert (both.downloaded.pages, both.exported.urls, both.transfer_ratio) == (20, 6, 1.0)
    assert Volumes().export_ratio == 0.0


# -- overlap -------------------------------------------------------------------------------------------------


def test_the_overlap_of_sport_and_business() -> None:
    """SPORT fetches S1, B1 and S2; BUSINESS fetches S2 again: four downloads for three pages."""
    histogram = overlap_histogram([["s1", "b1", "s2"], ["s2"]])
    assert histogram == [2, 1]
    assert overlap_coefficient(histogram) == pytest.approx(4 / 3)
    assert isnan(overlap_coefficient([0, 0]))


@given(st.lists(st.frozensets(st.integers(0, 9)), min_size=1, max_size=5))
def test_overlap_counts_every_url_once_and_every_download(downloads: list[frozenset[int]]) -> None:
    histogram = overlap_histogram(downloads)
    assert len(histogram) == len(downloads)
    assert sum(histogram) == len(frozenset().union(*downloads))
    assert sum(n * many for n, many in enumerate(histogram, 1)) == sum(map(len, downloads))


# -- locality ------------------------------------------------------------------------------------------------


def test_locality_by_class() -> None:
    """Class 0 has three links of known targets, two of them to its own; class 1 has one, to class 0; class 2 none."""
    found = locality([0, 0, 0, 1, 0, -1], [0, 0, 1, 0, -1, 0], 3)
    assert found.links == (3, 1, 0)
    assert found.by_class[:2] == (pytest.approx(2 / 3), 0.0)
    assert isnan(found.by_class[2])
    assert found.of_all == 0.5


# -- balance -------------------------------------------------------------------------------------------------


def test_known_balances() -> None:
    assert balance([3, 3, 3]) == Balance(most=1.0, gini=0.0)
    assert balance([0, 0, 0, 8]) == Balance(most=4.0, gini=0.75)
    assert balance([0, 0]) == Balance(most=1.0, gini=0.0)
    with pytest.raises(InputError, match="no nodes"):
        balance([])


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=12))
def test_gini_is_half_the_mean_difference_by_the_mean(loads: list[int]) -> None:
    if sum(loads):
        n, mean = len(loads), sum(loads) / len(loads)
        naive = sum(abs(a - b) for a in loads for b in loads) / (2 * n * n * mean)
        assert balance(loads).gini == pytest.approx(naive)


# -- politeness ----------------------------------------------------------------------------------------------


def test_how_often_hosts_were_asked() -> None:
    found = politeness({"b": [0, 400, 999, 1_000], "a": [5_000, 0]}, delay=500)
    assert (found.hosts, found.requests, found.busiest, found.most) == (2, 6, "b", 3)
    assert (found.nearest, found.too_near) == (1, 2)
    assert politeness({}).nearest is None


@given(st.lists(st.integers(0, 3_000), max_size=20))
def test_most_within_a_second_is_that_of_every_span(times: list[int]) -> None:
    naive = max((sum(t <= other < t + 1_000 for other in times) for t in times), default=0)
    found = politeness({"h": times})
    assert found.most == naive
    assert found.nearest == min((b - a for a, b in pairwise(sorted(times))), default=None)


# -- coverage ------------------------------------------------------------------------------------------------


def test_targets_that_some_node_has() -> None:
    assert coverage([{1, 2}, {2, 7}], {1, 2, 3, 4}) == 0.5
    assert isnan(coverage([{1}], ()))


# -- agreement -----------------------------------------------------------------------------------------------


def tau_b(one: list[int], other: list[int]) -> float:
    """Pair by pair."""
    pairs = [(a, b) for a in range(len(one)) for b in range(a)]
    signs = [(np.sign(one[a] - one[b]), np.sign(other[a] - other[b])) for a, b in pairs]
    told = sqrt(sum(x != 0 for x, _ in signs) * sum(y != 0 for _, y in signs))
    return float(sum(x * y for x, y in signs)) / told if told else float("nan")


def test_known_taus() -> None:
    assert kendall_tau([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(2 / 3)
    assert kendall_tau([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(0.912871, abs=1e-6)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=20))
def test_tau_is_that_of_all_pairs(scores: list[tuple[int, int]]) -> None:
    one, other = [a for a, _ in scores], [b for _, b in scores]
    assert kendall_tau(one, other) == pytest.approx(tau_b(one, other), nan_ok=True)


def links(n: int, *edges: tuple[int, int]) -> csr_array:
    rows, columns = zip(*edges, strict=True)
    return csr_array((np.ones(len(edges)), (rows, columns)), shape=(n, n))


def test_a_part_that_is_whole_agrees_wholly() -> None:
    graph = links(4, (0, 1), (2, 1), (3, 2), (1, 2))
    assert list(agreement(graph, [np.arange(4)])) == [pytest.approx(1.0)]


def test_a_part_without_its_in_links_knows_less() -> None:
    """1 is linked to by 0 from without, 2 by 1 and 3 from within: alone, the part sees 1 and 3 tie at the bottom.

    In the whole 1 < 2 and 3 < 1; in the part 1 = 3 < 2: τ-b = 2 / √(3 · 2).
    """
    graph = links(4, (0, 1), (1, 2), (3, 2))
    (found,) = agreement(graph, [np.array([1, 2, 3])])
    assert found == pytest.approx(2 / sqrt(6))


def test_pages_with_equal_in_links_tie_whatever_was_summed_first() -> None:
    graph = links(7, (0, 3), (1, 3), (2, 3), (2, 4), (1, 4), (0, 4), (3, 5), (4, 6))
    found = ranks(graph)
    assert found[3] == found[4]
    assert found[5] == found[6]
