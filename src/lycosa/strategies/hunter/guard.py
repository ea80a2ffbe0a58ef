"""Whether words that were learned may be trusted: how near the topic's own words they stand, and what they brought."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lycosa.scoring.links.smoothing import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

NEITHER, WORDS, LESSONS = -1, 0, 1
"""What a link was followed for: nothing that is known, the query's words, the words that were learned."""
PAGES = 5.0
"""So many average pages are added where few are known."""
_LEAST = 1e-9


class Guard:
    """Learned words count by what the query's words say of them: of each word, and of what all of them brought.

    `strength` s, from 0 to 1, says how much of that is taken over: what counts f counts 1 - s + s · f. The query's
    words vouch for what was learned, never what was learned for itself.

    Invariant, the name of a property test:

    * trust is a share: whatever was brought, it lies between 1 - s and 1.
    """

    def __init__(self, strength: float) -> None:
        self._strength = strength
        self._followed_for = array("b")  # of pages, in the order in which they came
        self.trust = 1.0
        """The share of their weight that lessons have."""

    def fetched(self, words: float, lessons: float) -> None:
        """The next page has come. Its link had so much of its score from the query's words, so much from lessons."""
        followed_for = LESSONS if lessons > words else WORDS if words > 0 else NEITHER
        self._followed_for.append(followed_for)

    def check(self, evidence: Floats) -> None:
        """Measure what lessons brought: `evidence` is that for the query's words, of all pages fetched."""
        followed_for = np.array(self._followed_for)
        ratio = brought(evidence, followed_for == LESSONS) / max(
            brought(evidence, followed_for == WORDS), _LEAST
        )
        self.trust = 1.0 - self._strength * (1.0 - float(np.clip(ratio, 0.0, 1.0)))

    def guarded(
        self, learned: Floats, rows: csr_array, words: Sequence[int], weights: Floats, best: Ints
    ) -> Floats:
        """The learned words, of length 1 or 0, each counting by its `nearness`; as they are without a query."""
        if not len(words):
            return learned
        far = 1.0 - nearness(rows, words, weights, best)
        found: Floats = learned * (1.0 - self._strength * far)
        length = float(np.linalg.norm(found))
        return found / length if length else found

    def save(self) -> Mapping[str, Any]:
        return {"followed": self._followed_for.tobytes(), "trust": self.trust}

    def load(self, state: Mapping[str, Any]) -> None:
        self._followed_for = array("b")
        self._followed_for.frombytes(state["followed"])
        self.trust = state["trust"]


def brought(evidence: Floats, which: Any) -> float:
    """(Σ e + κ ē) / (n + κ) over n of the pages, ē being the mean of all and κ `PAGES`."""
    if not len(evidence):
        return 0.0
    return float((evidence[which].sum() + PAGES * evidence.mean()) / (which.sum() + PAGES))


def nearness(rows: csr_array, words: Sequence[int], weights: Floats, best: Ints) -> Floats:
    """How near the query's words each term stands, in [0, 1]: 0 for one that stands no nearer than any, 1 for one that
    does as the best pages do.

    h(p) is the share of the query that page p holds, Σ_{w in p} weight(w) / Σ_w weight(w), and n(t) its mean over the
    pages that hold t, (Σ_{p with t} h(p) + κ h̄) / (df(t) + κ). The nearness is (n(t) - h̄) / (h* - h̄), cut, where h̄ is
    the mean of h over all pages, h* that over the best ones, and κ `PAGES` (ours; it asks what pointwise mutual
    information does, but stays within bounds for rare terms).
    """
    holds = rows.copy()
    holds.data = np.ones(len(holds.data))
    query = np.zeros(rows.shape[1])
    query[list(words)] = weights / max(float(weights.sum()), _LEAST)
    held = holds @ query
    frequencies = np.bincount(holds.indices, minlength=rows.shape[1])
    average, of_best = float(held.mean()), float(held[best].mean())
    near = (holds.T @ held + PAGES * average) / (frequencies + PAGES)
    found: Floats = np.clip((near - average) / max(of_best - average, _LEAST), 0.0, 1.0)
    return found
