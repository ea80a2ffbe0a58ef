"""Link analysis as plain functions on sparse matrices: PageRank, topic-sensitive PageRank, HITS; and Kendall's tau.

A graph of n pages is an n × n matrix; row u, column v holds the weight of the link from u to v, 0 if there is none.
Weights are not negative. One round of any of these costs O(links).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lycosa.model.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    Vector = NDArray[np.float64]

GAMMA, TOLERANCE = 0.8, 0.01
"""Of PageRank, as Menczer, Pant and Srinivasan (2004) have them."""


def pagerank(
    links: csr_array,
    *,
    gamma: float = GAMMA,
    tolerance: float = TOLERANCE,
    teleport: ArrayLike | None = None,
    dangling: ArrayLike | None = None,
    rounds: int = 1_000,
) -> Vector:
    """PR(p) = (1 - γ) + γ Σ_{d links to p} PR(d) / |out(d)|: n numbers of sum n (Menczer et al. 2004, eq. 5).

    `gamma`, 0 to below 1, is the chance that the reader follows a link (the paper's text calls it that of a jump, its
    equation says otherwise). `teleport`, n weights, says where he jumps to else; None: anywhere alike. A page without
    links passes its rank on to the pages that `dangling`, n weights, names; None: to where he jumps. With `dangling`
    all 0 it passes on nothing, and the sum stays below n. Links of one page share by weight. It ends when no rank
    changes by more than `tolerance` in a round, or after so many `rounds`.
    """
    n = links.shape[0]
    if not n:
        return np.zeros(0)
    if not 0 <= gamma < 1:
        raise InputError(f"PageRank with gamma={gamma}: give a number from 0 to below 1")
    to = np.full(n, 1.0 / n) if teleport is None else _shares("teleport", teleport, n)
    sink = to if dangling is None else _shares("dangling", dangling, n, zero=True)
    out = links.sum(axis=1)
    empty = np.flatnonzero(out == 0)
    share = np.divide(gamma, out, out=np.zeros(n), where=out > 0)
    into = links.T.tocsr()
    jump = (1.0 - gamma) * n * to
    ranks = np.ones(n)
    for _ in range(rounds):
        before = ranks
        ranks = jump + into @ (share * before) + gamma * before[empty].sum() * sink
        if np.abs(ranks - before).max() <= tolerance:
            break
    return ranks


def topic_sensitive_pagerank(
    links: csr_array, relevance: ArrayLike, *, gamma: float = GAMMA, tolerance: float = TOLERANCE
) -> Vector:
    """PageRank of a reader who jumps to pages in proportion to their relevance (Haveliwala 2002); its sum is n.

    If nothing is relevant he jumps anywhere.
    """
    weights = np.asarray(relevance, dtype=np.float64)
    return pagerank(links, gamma=gamma, tolerance=tolerance, teleport=weights if weights.any() else None)


def hits(
    to_authorities: csr_array,
    to_hubs: csr_array | None = None,
    *,
    tolerance: float = 1e-8,
    rounds: int = 50,
) -> tuple[Vector, Vector]:
    """Authorities a(v) = Σ_u w_uv h(u) and hubs h(u) = Σ_v w'_uv a(v), each of length 1 (Kleinberg 1999).

    Both matrices have a link from u to v in row u, column v; `to_hubs` holds w', and is the same as the first if None.
    It ends when the authorities change by less than `tolerance` in sum, or after so many `rounds`. Without links all
    are 0.
    """
    back = to_authorities if to_hubs is None else to_hubs
    forth = to_authorities.T.tocsr()
    hubs = _unit(np.ones(to_authorities.shape[0]))
    authorities = np.zeros_like(hubs)
    for _ in range(rounds):
        before = authorities
        authorities = _unit(forth @ hubs)
        hubs = _unit(back @ authorities)
        if np.abs(authorities - before).sum() < tolerance:
            break
    return authorities, hubs


def weighted_by_host(
    links: csr_array, hosts: Sequence[object], *, within: bool = False
) -> tuple[csr_array, csr_array]:
    """Weights for `hits` that give every host one vote (Bharat and Henzinger 1998, section 3.1).

    Where k pages of one host link to a page, each counts 1/k for its authority; where a page links to l pages of one
    host, each counts 1/l for its being a hub. `hosts` names the host of each page. Links within a host say nothing
    of others' esteem and are left out, unless `within`. The weights that `links` has are multiplied.
    """
    from scipy.sparse import csr_array

    names = {host: number for number, host in enumerate(dict.fromkeys(hosts))}
    host = np.fromiter((names[each] for each in hosts), dtype=np.int64, count=len(hosts))
    given = links.tocoo()
    kept = (given.data != 0) & (within | (host[given.row] != host[given.col]))
    row, column, data = given.row[kept], given.col[kept], given.data[kept]
    made = []
    for pairs in (host[row] * len(hosts) + column, row * np.int64(len(names)) + host[column]):
        _, which, times = np.unique(pairs, return_inverse=True, return_counts=True)
        made.append(csr_array((data / times[which], (row, column)), shape=links.shape))
    return made[0], made[1]


def kendall_tau(one: ArrayLike, other: ArrayLike) -> float:
    """Kendall's τ-b of two sets of scores of the same things, in [-1, 1]; ties are allowed for. O(n log n).

    NaN where it is not defined: for fewer than two things, or if one side ties all of them.
    """
    from scipy.stats import kendalltau

    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if first.shape != second.shape:
        raise InputError(
            f"Kendall's tau of {first.size} and {second.size} scores; give as many on either side"
        )
    return float(kendalltau(first, second, variant="b").statistic) if first.size > 1 else float("nan")


def _shares(name: str, weights: ArrayLike, n: int, *, zero: bool = False) -> Vector:
    """Weights, scaled to sum 1."""
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (n,) or not np.isfinite(given).all() or given.min() < 0:
        raise InputError(f"PageRank of {n} pages: {name} must be {n} numbers, none of them below 0")
    total = given.sum()
    if not total and not zero:
        raise InputError(f"PageRank: {name} is 0 everywhere; give a weight above 0 to one page at least")
    return given / total if total else given


def _unit(vector: Vector) -> Vector:
    """Scaled to Euclidean length 1; 0 stays 0."""
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
