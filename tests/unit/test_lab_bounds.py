"""The bounds on small webs, worked by hand. `benchmarks/bounds.py` has them on the recorded webs."""

from __future__ import annotations

from math import isnan

import numpy as np

from lycosa.lab.measures.bounds import chance, clairvoyant, oracle, share_of_the_possible
from lycosa.lab.webs.link_graph import Ints, LinkGraph
from lycosa.model.url import Url


def graph(*links: list[int]) -> LinkGraph:
    """The targets of each page, in their order."""
    indptr = np.cumsum([0, *map(len, links)])
    names = [Url(f"http://{n}.test/") for n in range(len(links))]
    return LinkGraph(names, indptr, np.array([to for each in links for to in each]))


def pages(*numbers: int) -> Ints:
    return np.array(numbers, dtype=np.int64)


def test_chance_is_a_share_of_what_can_be_reached() -> None:
    """From 0 the pages 0 to 3 are reached, one of the two targets among them: n / 4 · 1 / 2."""
    web = graph([1], [2], [3], [], [0])
    assert chance(web, pages(0), pages(3, 4), 5).tolist() == [0.125, 0.25, 0.375, 0.5, 0.5]
    assert chance(web, pages(0), pages(3), 2, pages(2)).tolist() == [0, 0]
    assert chance(web, pages(), pages(3), 2).tolist() == [0, 0]


def test_the_clairvoyant_takes_relevant_pages_first() -> None:
    """0 -> 1, 2, 3; 3 is relevant and leads to 4; 4 is as good as 1 and 2, but was linked by a relevant page."""
    web = graph([1, 2, 3], [5], [], [4], [], [])
    assert clairvoyant(web, pages(0), pages(3, 5), 9).tolist() == [0, 3, 4, 1, 5, 2]
    plain = clairvoyant(web, pages(0), pages(3, 5), 9, heeds_parents=False)
    assert plain.tolist() == [0, 3, 1, 5, 2, 4]
    assert clairvoyant(web, pages(0), pages(3, 5), 2).tolist() == [0, 3]
    assert clairvoyant(web, pages(0), pages(3, 5), 9, pages(3)).tolist() == [0, 1, 5, 2]


def test_the_clairvoyant_counts_relevant_parents() -> None:
    """0 -> 1, 2 (both relevant) -> 3 by 1, 4 by both: 4 goes before 3, which was found first."""
    web = graph([1, 2], [3, 4], [4], [], [])
    assert clairvoyant(web, pages(0), pages(1, 2), 9).tolist() == [0, 1, 2, 4, 3]


def test_the_oracle_goes_the_shortest_way_and_what_it_fetched_serves_the_next() -> None:
    """Seeds 0 and 5. Target 4 is 0 1 2 4 (four fetches), target 6 is 5 6 (two), target 3 is 2 3: one more then."""
    web = graph([1], [2], [3, 4], [], [], [6], [])
    assert oracle(web, pages(0, 5), pages(3, 4, 6), 9).tolist() == [5, 6, 0, 1, 2, 3, 4]
    assert oracle(web, pages(0, 5), pages(3, 4, 6), 3).tolist() == [5, 6, 0]
    assert oracle(web, pages(0, 5), pages(3, 4, 6), 9, pages(2)).tolist() == [5, 6]
    assert oracle(web, pages(3), pages(0), 9).tolist() == []


def test_the_oracle_finds_a_target_that_is_a_seed_and_one_on_the_way() -> None:
    web = graph([1], [2], [])
    assert oracle(web, pages(0), pages(0, 1, 2), 9).tolist() == [0, 1, 2]


def test_the_share_of_what_was_possible() -> None:
    assert share_of_the_possible(0.5, 0.25, 0.75) == 0.5
    assert share_of_the_possible(0.25, 0.25, 0.75) == 0
    assert isnan(share_of_the_possible(0.5, 0.75, 0.75))
