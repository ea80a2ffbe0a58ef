"""Link analysis: answers worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.sparse import csr_array

from lycosa.model.errors import InputError
from lycosa.scoring.graphs.analysis import (
    hits,
    kendall_tau,
    pagerank,
    topic_sensitive_pagerank,
    weighted_by_host,
)

EXACT = 1e-12


def graph(n: int, *links: tuple[int, int]) -> csr_array:
    rows, columns = [u for u, _ in links], [v for _, v in links]
    return csr_array((np.ones(len(links)), (rows, columns)), shape=(n, n))


A, B, C, D = range(4)
TRIANGLE = graph(3, (A, B), (A, C), (B, C), (C, A))
WITH_DANGLING = graph(4, (A, B), (A, C), (B, C), (C, A), (C, D))


def test_pagerank_of_a_triangle() -> None:
    """A = .2 + .8 C, B = .2 + .4 A, C = .2 + .4 A + .8 B."""
    assert pagerank(TRIANGLE, tolerance=EXACT) == pytest.approx([1.150943, 0.660377, 1.188679], abs=1e-6)
    other = pagerank(TRIANGLE, gamma=0.85, tolerance=EXACT)
    assert other == pytest.approx([1.163369, 0.644432, 1.192199], abs=1e-6)


def test_a_page_without_links_leads_to_all() -> None:
    """D's rank goes to all four alike: A = D = .2 + .8 (C/2 + D/4)."""
    ranks = pagerank(WITH_DANGLING, tolerance=EXACT)
    assert ranks == pytest.approx([0.934783, 0.760870, 1.369565, 0.934783], abs=1e-6)


def test_a_page_without_links_can_lead_to_some_only() -> None:
    """B has none and leads to A alone: A = .2 + .8 B, B = .2 + .8 A; both 1."""
    assert pagerank(graph(2, (A, B)), dangling=[1, 0], tolerance=EXACT) == pytest.approx([1, 1])


def test_a_page_without_links_can_lead_nowhere() -> None:
    """A = .2, B = .2 + .8 · .2."""
    assert pagerank(graph(2, (A, B)), dangling=[0, 0], tolerance=EXACT) == pytest.approx([0.2, 0.36])


def test_links_share_by_their_weights() -> None:
    """A gives B three quarters: B = .2 + .6 A, C = .2 + .2 A, A = .2 + .8 (B + C) = .52 + .64 A."""
    links = csr_array(([3.0, 1.0, 1.0, 1.0], ([A, A, B, C], [B, C, A, A])), shape=(3, 3))
    a = 0.52 / 0.36
    assert pagerank(links, tolerance=EXACT) == pytest.approx([a, 0.2 + 0.6 * a, 0.2 + 0.2 * a])


def test_the_tolerance_ends_the_rounds() -> None:
    """From (1, 1) one round of A -> B with all to A changes nothing; A -> B with nothing back changes .8."""
    assert pagerank(graph(2, (A, B)), dangling=[0, 0], tolerance=0.8) == pytest.approx([0.2, 1.0])


def test_topic_sensitive_pagerank_jumps_to_what_is_relevant() -> None:
    """A and B link to each other, only A is relevant: A = .4 + .8 B, B = .8 A, so A = .4 / .36."""
    ranks = topic_sensitive_pagerank(graph(2, (A, B), (B, A)), [0.5, 0.0], tolerance=EXACT)
    assert ranks == pytest.approx([10 / 9, 8 / 9])


def test_topic_sensitive_pagerank_where_nothing_is_relevant_is_pagerank() -> None:
    ranks = topic_sensitive_pagerank(TRIANGLE, [0, 0, 0], tolerance=EXACT)
    assert ranks == pytest.approx(pagerank(TRIANGLE, tolerance=EXACT))


def test_hits_of_two_hubs() -> None:
    """h1 -> a1, a2; h2 -> a2: the golden ratio rules."""
    authorities, hubs = hits(graph(4, (0, 2), (0, 3), (1, 3)))
    assert authorities == pytest.approx([0, 0, 0.5257, 0.8507], abs=1e-4)
    assert hubs == pytest.approx([0.8507, 0.5257, 0, 0], abs=1e-4)


def test_hits_takes_one_weight_forth_and_another_back() -> None:
    """0 -> 1, 2 with weights 3 and 4: a = (3, 4) / 5 whatever the way back, which makes h(0) = 1."""
    forth = csr_array(([3.0, 4.0], ([0, 0], [1, 2])), shape=(3, 3))
    authorities, hubs = hits(forth, graph(3, (0, 1), (0, 2)))
    assert authorities == pytest.approx([0, 0.6, 0.8])
    assert hubs == pytest.approx([1, 0, 0])


def test_hits_without_links_is_zero() -> None:
    authorities, hubs = hits(graph(2))
    assert authorities.tolist() == hubs.tolist() == [0, 0]


def test_every_host_has_one_vote() -> None:
    """0 and 1 of host x, 2 of host y link to 3 of host z: 1/2, 1/2 and 1. 0 also links to 4 of z: 1/2 each back."""
    links = graph(5, (0, 3), (1, 3), (2, 3), (0, 4), (0, 1))
    forth, back = weighted_by_host(links, ["x", "x", "y", "z", "z"])
    assert forth.toarray()[:, 3].tolist() == [0.5, 0.5, 1, 0, 0]
    assert forth[0, 4] == 1
    assert back.toarray()[0].tolist() == [0, 0, 0, 0.5, 0.5]
    assert (back[1, 3], back[2, 3]) == (1, 1)


def test_links_within_a_host_count_on_request_only() -> None:
    links = graph(2, (0, 1))
    assert weighted_by_host(links, ["x", "x"])[0].nnz == 0
    assert weighted_by_host(links, ["x", "x"], within=True)[0].nnz == 1


def test_one_host_cannot_make_an_authority_alone() -> None:
    """Ten pages of one host praise page 10, three of three hosts praise page 11."""
    links = graph(14, *((i, 10) for i in range(9)), *((i, 11) for i in (9, 12, 13)))
    hosts = [*"xxxxxxxxx", "a", "t", "u", "b", "c"]
    assert hits(links)[0].argmax() == 10
    assert hits(*weighted_by_host(links, hosts))[0].argmax() == 11


@pytest.mark.parametrize(
    ("one", "other", "tau"),
    [([1, 2, 3, 4], [1, 3, 2, 4], 2 / 3), ([1, 2, 2, 3], [1, 2, 3, 4], 0.912871), ([1, 2], [5, 4], -1)],
)
def test_kendall_tau(one: list[int], other: list[int], tau: float) -> None:
    assert kendall_tau(one, other) == pytest.approx(tau, abs=1e-6)


def test_kendall_tau_of_what_has_no_order_is_not_a_number() -> None:
    assert math.isnan(kendall_tau([1, 1], [1, 2]))
    assert math.isnan(kendall_tau([1], [1]))


def test_what_cannot_be_ranked_is_told() -> None:
    with pytest.raises(InputError, match="teleport must be 3 numbers"):
        pagerank(TRIANGLE, teleport=[1, 1])
    with pytest.raises(InputError, match="0 everywhere"):
        pagerank(TRIANGLE, teleport=[0, 0, 0])
    with pytest.raises(InputError, match="gamma=1"):
        pagerank(TRIANGLE, gamma=1)
    with pytest.raises(InputError, match="2 and 1 scores"):
        kendall_tau([1, 2], [1])


def test_no_pages_have_no_rank() -> None:
    assert pagerank(graph(0)).size == 0
