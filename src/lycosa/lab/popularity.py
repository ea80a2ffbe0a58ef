"""How popular pages are by the links between them: in-degree, PageRank, HITS.

Sums over links are `numpy.bincount` with weights, which is a product with a sparse matrix.
"""

from __future__ import annotations

import numpy as np

from lycosa.lab.links import Ints, LinkGraph
from lycosa.lab.metrics import Floats

DAMPING = 0.85
TOLERANCE = 1e-12
MOST_ROUNDS = 500


def in_degrees(graph: LinkGraph) -> Floats:
    """How many pages link to each."""
    return np.bincount(graph.indices, minlength=len(graph)).astype(np.float64)


def pagerank(graph: LinkGraph, damping: float = DAMPING) -> Floats:
    """The share of time that a random surfer spends on each page; sums to 1.

    From a page without links the surfer goes anywhere. (Brin and Page, Computer Networks 30, 1998)
    """
    n = len(graph)
    out = np.diff(graph.indptr)
    sources = np.repeat(np.arange(n), out)
    rank = np.full(n, 1.0 / max(n, 1))
    for _ in range(MOST_ROUNDS):
        flow = rank / np.maximum(out, 1)
        lost = float(rank[out == 0].sum())
        before, rank = rank, _into(graph, flow[sources]) * damping + (1 - damping + damping * lost) / n
        if np.abs(rank - before).sum() < TOLERANCE:
            break
    return rank


def authorities(graph: LinkGraph) -> Floats:
    """HITS authority of each page, of Euclidean length 1 (zeros if there is no link).

    a = Σ hubs that link here, h = Σ authorities linked to, from equal hubs on. (Kleinberg, Journal of the ACM 46, 1999)
    """
    n = len(graph)
    sources = np.repeat(np.arange(n), np.diff(graph.indptr))
    hubs, authority = np.ones(n), np.zeros(n)
    for _ in range(MOST_ROUNDS):
        before, authority = authority, _scaled(_into(graph, hubs[sources]))
        hubs = _scaled(_sums(sources, authority[graph.indices], n))
        if np.abs(authority - before).sum() < TOLERANCE:
            break
    return authority


def _into(graph: LinkGraph, along: Floats) -> Floats:
    """The sum of what comes along the links into each page."""
    return _sums(graph.indices, along, len(graph))


def _sums(places: Ints, values: Floats, size: int) -> Floats:
    return np.bincount(places, weights=values, minlength=size).astype(np.float64, copy=False)


def _scaled(values: Floats) -> Floats:
    length = float(np.sqrt((values**2).sum()))
    return values / length if length else values
