"""How popular pages are by the links between them: in-degree, PageRank, HITS, as `lycosa.scoring.graphs.analysis` has
them."""

from __future__ import annotations

import numpy as np

from lycosa.lab.measures.metrics import Floats
from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.scoring.graphs import analysis

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
    ranks = analysis.pagerank(graph.matrix(), gamma=damping, tolerance=TOLERANCE, rounds=MOST_ROUNDS)
    return ranks / max(len(graph), 1)


def authorities(graph: LinkGraph) -> Floats:
    """HITS authority of each page, of Euclidean length 1 (zeros if there is no link)."""
    return analysis.hits(graph.matrix(), tolerance=TOLERANCE, rounds=MOST_ROUNDS)[0]
