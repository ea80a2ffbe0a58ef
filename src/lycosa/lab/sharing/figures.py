"""What a simulated cluster came to, in figures: of all nodes together, and node by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from lycosa.lab.sharing.ground import Ground
from lycosa.lab.sharing.light import Shared
from lycosa.lab.sharing.rules import FINDER, hashed
from lycosa.model.nodes import Handling
from lycosa.model.records import Record
from lycosa.scoring.graphs.parts import agreement
from lycosa.sharing.measures import (
    all_together,
    balance,
    locality,
    overlap_coefficient,
    politeness,
)

Ints = NDArray[np.integer[Any]]

MEASURES = (
    "downloads",
    "pages",
    "downloads a page",
    "coverage",
    "locality",
    "pages exported",
    "URLs exported",
    "bytes moved",
    "duplicates",
    "tau",
    "tau, host hash",
    "tau, content hash",
    "tau, as large",
    "nodes over host hash",
    "nodes over content hash",
    "nodes over as large",
    "balance",
    "Gini",
    "requests a second",
    "too near",
    "hours",
)
"""Pages and URLs exported, and bytes moved (out and in), are for each page or byte downloaded. The three other τ are of
the same pages in parts of the same number: by hash of host or content, or drawn at random as large as each node's."""
PER_NODE = (
    "downloaded",
    "retained",
    "imported",
    "exported",
    "imported URLs",
    "exported URLs",
    "locality",
    "tau",
    "tau, host hash",
    "tau, content hash",
    "tau, as large",
    "in-links from within",
)
DELAY = 1_000
"""Milliseconds that should lie between two requests to a host."""


class Figures(Record, frozen=True, kw_only=True):
    """All figures of one run."""

    values: Mapping[str, float]
    """By measure; what is not defined is left out."""
    nodes: Mapping[str, tuple[float | None, ...]]
    """By measure of single nodes."""
    overlap: tuple[int, ...]
    """How many URLs exactly 1, 2, … nodes downloaded."""
    classes: tuple[str, ...] = ()
    """By node its class, where each has one."""


def figures(
    ground: Ground, shared: Shared, seed: int = 0, hashes: Mapping[str, Ints] | None = None
) -> Figures:
    """Everything that is measured of a run. `seed` draws the parts at random; `hashes` are the nodes of all pages by
    the hash of their host and of their content, where they are at hand."""
    nodes = shared.rules.nodes
    told = hashes or {kind: hashed(kind, ground, nodes, seed) for kind in ("host", "content")}
    return _Measured(ground, shared, seed, told).figures()


class _Measured:
    def __init__(self, ground: Ground, shared: Shared, seed: int, hashes: Mapping[str, Ints]) -> None:
        self._ground, self._shared, self._seed, self._hashes = ground, shared, seed, hashes
        self._rules = shared.rules
        self._count = len(ground)

    def figures(self) -> Figures:
        values = {**self._of_volumes(), **self._of_collections(), **self._of_requests()}
        told = {name: float(value) for name, value in values.items() if not isnan(value)}
        nodes = {
            name: tuple(None if isnan(each) else float(each) for each in column)
            for name, column in self._by_node().items()
        }
        return Figures(
            values={name: told[name] for name in MEASURES if name in told},
            nodes={name: nodes[name] for name in PER_NODE},
            overlap=tuple(self._overlap),
            classes=self._classes(),
        )

    def _classes(self) -> tuple[str, ...]:
        owners, names = self._rules.owners, self._ground.names
        if sorted(owners) != list(range(self._rules.nodes)):
            return ()
        return tuple(names[owners.index(node)] for node in range(self._rules.nodes))

    # -- what was downloaded and moved -----------------------------------------------------------------------

    @cached_property
    def _times_downloaded(self) -> Ints:
        found = np.zeros(self._count, np.int64)
        for pages in self._shared.downloads:
            found[np.unique(pages)] += 1
        return found

    @cached_property
    def _overlap(self) -> Sequence[int]:
        counts = np.bincount(self._times_downloaded, minlength=self._rules.nodes + 1)
        told: list[int] = counts[1 : self._rules.nodes + 1].tolist()
        return told

    def _of_volumes(self) -> dict[str, float]:
        together = all_together(self._shared.volumes)
        downloads = together.downloaded.pages
        return {
            "downloads": downloads,
            "pages": len(self._union),
            "downloads a page": overlap_coefficient(self._overlap),
            "coverage": len(self._union) / max(1, int(self._ground.answers.sum())),
            "pages exported": together.export_ratio,
            "URLs exported": together.exported.urls / downloads if downloads else nan,
            "bytes moved": together.transfer_ratio,
            "duplicates": self._shared.duplicates / downloads if downloads else nan,
            "hours": self._shared.ended_at / 3_600_000,
        }

    # -- collections and links -------------------------------------------------------------------------------

    @cached_property
    def _union(self) -> Ints:
        """All pages that were downloaded by some node, ascending."""
        return np.flatnonzero(self._times_downloaded)

    @cached_property
    def _owners(self) -> Ints:
        """Where each page of the union is, in the order of their numbers; of copies, at the first node by number unless
        the rules tell. Pages without an owner of their own are with their finder."""
        found = np.full(self._count, self._rules.nodes, np.int64)
        for node in reversed(range(self._rules.nodes)):
            found[self._shared.kept[node]] = node
        if self._rules.handling is Handling.LINKS and self._rules.of_page is not None:
            told = self._rules.of_page != FINDER
            found[told] = self._rules.of_page[told]
        return found[self._union]

    @cached_property
    def _links(self) -> csr_array:
        """Between the pages of the union."""
        return self._ground.graph.matrix()[self._union][:, self._union]

    @cached_property
    def _ends(self) -> tuple[Ints, Ints]:
        """The owner of the page where each link stands, and of that to which it leads."""
        links = self._links.tocoo()
        return self._owners[links.row], self._owners[links.col]

    @cached_property
    def _locality(self) -> tuple[float, tuple[float, ...]]:
        found = locality(*self._ends, self._rules.nodes)
        return found.of_all, found.by_class

    @cached_property
    def _taus(self) -> dict[str, list[float]]:
        """By way to share the same pages: τ of each part."""
        nodes, union = self._rules.nodes, self._union
        rng = np.random.default_rng(self._seed)
        shares = {
            "tau": self._owners,
            "tau, host hash": self._hashes["host"][union],
            "tau, content hash": self._hashes["content"][union],
            "tau, as large": rng.permutation(self._owners),
        }
        return {
            name: list(agreement(self._links, [np.flatnonzero(of == node) for node in range(nodes)]))
            for name, of in shares.items()
        }

    def _of_collections(self) -> dict[str, float]:
        found = {name: _mean(taus) for name, taus in self._taus.items()}
        own = self._taus["tau"]
        for other in ("host hash", "content hash", "as large"):
            pairs = zip(own, self._taus[f"tau, {other}"], strict=True)
            found[f"nodes over {other}"] = sum(mine > theirs for mine, theirs in pairs)
        even = balance([len(pages) for pages in self._shared.kept])
        return {**found, "locality": self._locality[0], "balance": even.most, "Gini": even.gini}

    def _by_node(self) -> dict[str, list[float]]:
        volumes = self._shared.volumes
        sources, targets = self._ends
        nodes = self._rules.nodes
        arriving = np.bincount(targets, minlength=nodes)
        within = np.bincount(targets[sources == targets], minlength=nodes)
        return {
            "downloaded": [each.downloaded.pages for each in volumes],
            "retained": [each.retained.pages for each in volumes],
            "imported": [each.imported.pages for each in volumes],
            "exported": [each.exported.pages for each in volumes],
            "imported URLs": [each.imported.urls for each in volumes],
            "exported URLs": [each.exported.urls for each in volumes],
            "locality": list(self._locality[1]),
            **self._taus,
            "in-links from within": [
                int(own) / int(all_) if all_ else nan
                for own, all_ in zip(within[:nodes], arriving[:nodes], strict=True)
            ],
        }

    # -- what hosts saw --------------------------------------------------------------------------------------

    def _of_requests(self) -> dict[str, float]:
        pages, times = np.concatenate(self._shared.downloads), np.concatenate(self._shared.times)
        hosts = self._ground.hosts[pages]
        order = np.argsort(hosts, kind="stable")
        ends = np.flatnonzero(np.diff(hosts[order])) + 1
        parts = np.split(times[order], ends)
        found = politeness({str(number): part for number, part in enumerate(parts)}, DELAY)
        return {"requests a second": found.most, "too near": found.too_near / max(1, found.requests)}


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not isnan(value)]
    return sum(known) / len(known) if known else nan
