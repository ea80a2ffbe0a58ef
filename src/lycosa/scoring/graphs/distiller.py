"""Which crawled pages are good lists of what a crawl looks for: hubs by links that carry relevance."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Vector = NDArray[np.float64]

ITERATIONS = 10
"""Chakrabarti et al. report that five to ten suffice."""


def hub_scores(
    links: csr_array, relevance: Vector, sites: NDArray[np.int64], rho: float, iterations: int = ITERATIONS
) -> tuple[Vector, Vector]:
    """Hub and authority scores of n nodes, each vector of sum 1, or all 0 where no link counts.

    a(v) = Σ_{u→v} h(u) · E_F(u→v), of v with R(v) > ρ only, with E_F(u→v) = R(v);
    h(u) = Σ_{u→v} a(v) · E_B(u→v), with E_B(u→v) = R(u): a page is no better an authority than it is relevant, and an
    irrelevant page that links to good ones by chance is no hub. Links between URLs of one site do not count.
    (Chakrabarti et al. 1999, sec. 2.4; with all R = 1 and ρ < 1 this is HITS, Kleinberg 1999.)

    `links`: n × n, row u, column v not 0 where u links to v. `relevance`: R in [0, 1]. `sites`: equal numbers for
    nodes of one site. O(iterations · links).
    """
    import numpy as np
    from scipy.sparse import csr_array

    from lycosa.scoring.graphs.analysis import hits

    coo = links.tocoo()
    away = sites[coo.row] != sites[coo.col]
    source, target = coo.row[away], coo.col[away]
    forward = csr_array(
        (np.where(relevance > rho, relevance, 0.0)[target], (source, target)), shape=links.shape
    )
    back = csr_array((relevance[source], (source, target)), shape=links.shape)
    authorities, hubs = hits(forward, back, tolerance=0.0, rounds=iterations)
    return _to_sum_one(hubs), _to_sum_one(authorities)


def _to_sum_one(vector: Vector) -> Vector:
    total = vector.sum()
    return vector / total if total > 0.0 else vector
