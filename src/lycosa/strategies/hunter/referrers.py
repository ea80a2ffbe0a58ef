"""Several good pages that link to one count for more than their mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lycosa.scoring.links.smoothing import Floats, Ints
from lycosa.strategies.parts.columns import room_for

GOOD = 0.2
"""The share of pages that are good: the best ones."""


class Referrers:
    """How many good pages link to each node, beyond what chance gives to one with so many links.

    What a link inherits is multiplied by 1 + c · ln(1 + max(0, x)), with x as in `excess` and c the `weight`. Between
    two orderings a page that comes counts in full, whatever its host. Memory: 8 bytes a node.

    Invariant, the name of a property test:

    * never less: no factor lies below 1.
    """

    def __init__(self, weight: float) -> None:
        self._weight = weight
        self._excess: Floats = np.zeros(0)
        self._level, self._share = np.inf, 0.0

    def see(self, targets: Ints, score: float) -> None:
        """A page with this score has come and links to these nodes."""
        if len(targets):
            self._excess = room_for(int(targets.max()) + 1, self._excess)
            self._excess[targets] += float(score >= self._level) - self._share

    def learn(self, sources: Ints, targets: Ints, hosts: Ints, pages: Ints, scores: Floats) -> None:
        """Count anew: links, the host of each node, the pages and their scores."""
        self._level = float(np.quantile(scores, 1.0 - GOOD)) if len(scores) else np.inf
        good = np.zeros(len(hosts))
        good[pages] = scores >= self._level
        self._share = float(good[pages].mean()) if len(pages) else 0.0
        self._excess = excess(good, self._share, sources, targets, hosts)

    def factor(self, nodes: Ints) -> Floats:
        """By how much more these nodes inherit."""
        self._excess = room_for(int(nodes.max(initial=-1)) + 1, self._excess)
        found: Floats = 1.0 + self._weight * np.log1p(np.maximum(self._excess[nodes], 0.0))
        return found

    def save(self) -> Mapping[str, Any]:
        return {"excess": self._excess.tobytes(), "level": self._level, "share": self._share}

    def load(self, state: Mapping[str, Any]) -> None:
        self._excess = np.frombuffer(state["excess"], dtype=np.float64).copy()
        self._level, self._share = state["level"], state["share"]


def excess(good: Floats, share: float, sources: Ints, targets: Ints, hosts: Ints) -> Floats:
    """x(v) = Σ_{p links to v} (g(p) - ḡ) / √m, by node.

    g is 1 for good pages and 0 for others, ḡ the share of good ones among all, and m the number of pages of p's host
    that link to v: a site's voice grows with the root of its pages. A menu, to which the pages of a site link be they
    good or not, comes to about 0 (ours; hosts count as in Bharat and Henzinger, SIGIR 1998, but not as one vote).
    """
    count = len(hosts)
    if not len(sources):
        return np.zeros(count)
    pairs = hosts[sources].astype(np.int64) * count + targets
    _, which, times = np.unique(pairs, return_inverse=True, return_counts=True)
    voices = (good[sources] - share) / np.sqrt(times[which])
    return np.bincount(targets, weights=voices, minlength=count).astype(np.float64)
