"""What holds of link analysis on any graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from lycosa.scoring.graphs.analysis import (
    hits,
    kendall_tau,
    pagerank,
    topic_sensitive_pagerank,
    weighted_by_host,
)

N = 8
links_of = st.sets(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=30)
orders = st.permutations(range(N))


def matrix(links: set[tuple[int, int]]) -> csr_array:
    made = np.zeros((N, N))
    for u, v in links:
        made[u, v] = u != v
    return csr_array(made)


@given(links_of, st.floats(0, 0.95), st.lists(st.floats(0.01, 1), min_size=N, max_size=N))
def test_ranks_sum_to_the_number_of_pages(
    links: set[tuple[int, int]], gamma: float, weights: list[float]
) -> None:
    graph = matrix(links)
    assert pagerank(graph, gamma=gamma).sum() == pytest.approx(N)
    assert pagerank(graph, gamma=gamma, dangling=weights).sum() == pytest.approx(N)
    assert topic_sensitive_pagerank(graph, weights, gamma=gamma).sum() == pytest.approx(N)


@given(links_of, orders)
def test_names_do_not_matter(links: set[tuple[int, int]], order: list[int]) -> None:
    graph = matrix(links)
    moved = csr_array(graph.toarray()[np.ix_(order, order)])
    assert pagerank(moved, tolerance=1e-12) == pytest.approx(pagerank(graph, tolerance=1e-12)[order])
    for one, other in zip(hits(moved, rounds=20), hits(graph, rounds=20), strict=True):
        assert one == pytest.approx(other[order], abs=1e-9)


@given(links_of)
def test_ranks_solve_their_equation(links: set[tuple[int, int]]) -> None:
    """Against a dense solution of (I - γ Pᵀ) PR = (1 - γ) 1, pages without links leading to all."""
    graph = matrix(links).toarray()
    graph[graph.sum(axis=1) == 0] = 1.0
    step = (graph / graph.sum(axis=1, keepdims=True)).T
    wanted = np.linalg.solve(np.eye(N) - 0.8 * step, np.full(N, 0.2))
    assert pagerank(matrix(links), tolerance=1e-12) == pytest.approx(wanted)


@given(links_of, st.lists(st.integers(0, 2), min_size=N, max_size=N))
def test_a_hosts_votes_for_a_page_sum_to_one(links: set[tuple[int, int]], hosts: list[int]) -> None:
    forth, back = weighted_by_host(matrix(links), hosts)
    dense = matrix(links).toarray()
    for host in range(3):
        members = [p for p in range(N) if hosts[p] == host]
        for page in range(N):
            linked = hosts[page] != host and dense[members, page].any()
            assert forth.toarray()[members, page].sum() == pytest.approx(float(linked))
            leads = hosts[page] != host and dense[page][members].any()
            assert back.toarray()[page][members].sum() == pytest.approx(float(leads))


scores = st.lists(st.integers(0, 4), min_size=N, max_size=N)


@given(scores, scores, orders)
def test_tau_is_symmetric_and_blind_to_the_order_of_things(
    one: list[int], other: list[int], order: list[int]
) -> None:
    tau = kendall_tau(one, other)
    assert kendall_tau(other, one) == pytest.approx(tau, nan_ok=True)
    moved = kendall_tau([one[i] for i in order], [other[i] for i in order])
    assert moved == pytest.approx(tau, nan_ok=True)
