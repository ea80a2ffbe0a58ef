"""How well the parts of a collection know which of their pages are popular in the whole.

After Chung and Clarke, "Topic-oriented collaborative crawling", CIKM 2002, section 6: a node of a shared crawl that
ranks its pages by the links among them alone should order them as one that knows all links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lycosa.scoring.graphs.analysis import kendall_tau, pagerank

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Vector = NDArray[np.float64]
    Ints = NDArray[np.integer[Any]]

DAMPING, TOLERANCE, MOST_ROUNDS = 0.85, 1e-12, 500
DIGITS = 9
"""To so many decimals ranks are told apart, of a mean of 1: pages with equal in-links tie, in whatever order they were
summed."""


def agreement(links: csr_array, parts: Iterable[Ints]) -> Iterator[float]:
    """Kendall's τ-b between PageRank within each part, rows of `links`, and PageRank of the whole on the same pages.

    In [-1, 1]; NaN where it is not defined, as for a part of one page. τ-b, as all pages without in-links tie.
    """
    whole = ranks(links)
    for part in parts:
        yield kendall_tau(ranks(links[part][:, part]), whole[part])


def ranks(links: csr_array) -> Vector:
    """PageRank with what differs by rounding alone made equal; its mean is 1."""
    found = pagerank(links, gamma=DAMPING, tolerance=TOLERANCE, rounds=MOST_ROUNDS)
    return np.round(found, DIGITS)
