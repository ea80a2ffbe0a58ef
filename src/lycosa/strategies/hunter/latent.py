"""Words that stand with the topic's: the query seen through the main directions of the crawl's pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lycosa.scoring.links.smoothing import Floats
from lycosa.strategies.parts.rhythm import Rhythm

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DIRECTIONS = 50
"""At most; and no more than a third of the pages."""
FIRST, GROWTH = 30, 1.25
"""Pages of the first decomposition, and by how much a crawl grows until the next."""
SEED = 1
DIGITS = 7
"""Of weights: what a decomposition differs in by where numbers lie in memory decides nothing."""
_LEAST = 1e-9


class LatentQuery:
    """The query folded into the latent space of the pages and out again, anew whenever the crawl has grown by a
    quarter.

    Invariant, the name of a property test:

    * of length 1: or 0, where there are too few pages or none holds the query's words.
    """

    def __init__(self) -> None:
        self._rhythm = Rhythm(every=FIRST, growth=GROWTH)
        self._vector: Floats = np.zeros(0)

    def vector(self, rows: csr_array, rarity: Floats, query: Floats) -> Floats:
        """Weights of all terms, of length 1, for the pages' terms (1 + ln count), their rarities and the query."""
        if self._rhythm.due(rows.shape[0]):
            self._vector = folded_out(rows, rarity, query)
        found = np.zeros(len(rarity))
        found[: len(self._vector)] = self._vector  # words that came since stand nowhere yet
        return found

    def save(self) -> Mapping[str, Any]:
        return {"rhythm": self._rhythm.save(), "vector": self._vector.tobytes()}

    def load(self, state: Mapping[str, Any]) -> None:
        self._rhythm.load(state["rhythm"])
        self._vector = np.frombuffer(state["vector"], dtype=np.float64).copy()


def folded_out(rows: csr_array, rarity: Floats, query: Floats, directions: int = DIRECTIONS) -> Floats:
    """V Vᵀ q, scaled to length 1, for X ≈ U Σ Vᵀ, the TF-IDF rows of the pages, each of length 1.

    The product with a page x is that of the two in the latent space, (Vᵀ x)·(Vᵀ q) (Deerwester, Dumais, Furnas,
    Landauer and Harshman, "Indexing by latent semantic analysis", JASIS 41(6), 1990). So a page, and the words of a
    link, can be compared with it as with any other query.
    """
    from scipy.sparse import diags_array
    from scipy.sparse.linalg import svds

    most = min(directions, rows.shape[0] // 3, min(rows.shape) - 1)
    if most < 1 or not query.any() or not rows.nnz:
        return np.zeros(rows.shape[1])
    weighted = (rows @ diags_array(rarity)).astype(np.float64)
    lengths = np.maximum(np.sqrt((weighted * weighted).sum(axis=1)), _LEAST)
    weighted = diags_array(1.0 / lengths) @ weighted
    start = np.random.default_rng(SEED).normal(size=min(rows.shape))
    _, strengths, main = svds(weighted, k=most, v0=start)
    main = main[strengths > _LEAST * strengths.max()]
    found: Floats = main.T @ (main @ query)
    length = float(np.linalg.norm(found))
    if length <= _LEAST:
        return np.zeros(rows.shape[1])
    rounded: Floats = (found / length).round(DIGITS) + 0.0  # -0 is 0
    return rounded
