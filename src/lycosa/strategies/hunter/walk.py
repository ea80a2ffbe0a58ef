"""Where somebody gets to who sets out from good pages again and again: personalised PageRank of what waits."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lycosa.model.records import Link, Page
from lycosa.scoring.graphs.analysis import GAMMA, pagerank
from lycosa.scoring.links.smoothing import Floats, Ints
from lycosa.strategies.hunter.corpus import Corpus
from lycosa.strategies.hunter.evidence import Evidence
from lycosa.strategies.hunter.further import FurtherEvidence
from lycosa.strategies.parts.columns import room_for

MENU = 0.3
"""A link that more than this share of a site's pages have stands in its menu."""
SITE = 5
"""A site of fewer pages than this has no menu that could be told."""
_LEAST = 1e-9


class Walk(FurtherEvidence):
    """The rank of a node, measured by the greatest of any that waits, times the evidence of the best of these, up to 1:
    while nothing is known of the topic, a walk knows nothing either.

    Ranks are those of a reader who sets out from pages in proportion to what their evidence exceeds the mean, follows
    links of crawled pages, menus left out, and sets out again where a page was not fetched (Haveliwala,
    "Topic-sensitive PageRank", WWW 2002). Between two orderings a page that comes hands its rank on once. Cost:
    O(links) at each ordering. Memory: 8 bytes a node.
    """

    name: ClassVar[str] = "walks from good pages lead here"

    def __init__(self, corpus: Corpus, evidence: Evidence) -> None:
        self._corpus, self._evidence = corpus, evidence
        self._ranks: Floats = np.zeros(0)
        self._most = self._best = 1.0

    def see(self, page: Page, node: int, fresh: Mapping[int, Link]) -> None:
        targets = self._corpus.graph.targets(node)
        self._ranks = room_for(len(self._corpus.graph), self._ranks)
        if targets:
            self._ranks[targets] += GAMMA * self._ranks[node] / len(targets)

    def learn(self, rng: Random) -> None:
        from scipy.sparse import csr_array

        graph = self._corpus.graph
        nodes, scores = self._evidence.of_pages()
        sources, targets = graph.edges()
        followed = ~in_menus(self._corpus.hosts(), sources, targets, nodes)
        links = csr_array(
            (np.ones(int(followed.sum())), (sources[followed], targets[followed])), shape=(len(graph),) * 2
        )
        good = np.zeros(len(graph))
        good[nodes] = np.maximum(scores - scores.mean(), 0.0)
        self._ranks = pagerank(links, teleport=good if good.any() else None)
        waiting = np.ones(len(graph), dtype=bool)
        waiting[nodes] = False
        if waiting.any():
            self._most = max(float(self._ranks[waiting].max()), _LEAST)
            scores = self._evidence.scores(np.flatnonzero(waiting))
            self._best = min(max(float(scores.max()), 0.0), 1.0)

    def of(self, nodes: Ints) -> Floats:
        self._ranks = room_for(int(nodes.max(initial=-1)) + 1, self._ranks)
        found: Floats = self._best * np.minimum(self._ranks[nodes] / self._most, 1.0)
        return found

    def save(self) -> Mapping[str, Any]:
        return {"ranks": self._ranks.tobytes(), "most": self._most, "best": self._best}

    def load(self, state: Mapping[str, Any]) -> None:
        self._ranks = np.frombuffer(state["ranks"], dtype=np.float64).copy()
        self._most, self._best = state["most"], state["best"]


def in_menus(hosts: Ints, sources: Ints, targets: Ints, pages: Ints) -> NDArray[np.bool_]:
    """Of each link whether it stands in a site's menu: more than `MENU` of its host's pages link there, where it has
    `SITE` pages or more."""
    if not len(sources):
        return np.zeros(0, dtype=bool)
    count = len(hosts)
    of_host = np.bincount(hosts[pages], minlength=count)[hosts[sources]]
    pairs = hosts[sources].astype(np.int64) * count + targets
    _, which, times = np.unique(pairs, return_inverse=True, return_counts=True)
    found: NDArray[np.bool_] = (of_host >= SITE) & (times[which] > MENU * of_host)
    return found
