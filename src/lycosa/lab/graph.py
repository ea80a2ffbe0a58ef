"""The link graph of a recorded web, as arrays."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from lycosa.lab.pages import Pages
from lycosa.model.records import Record
from lycosa.model.url import Url


class Graph(Record, frozen=True, kw_only=True):
    """Who links to whom, in compressed rows: page i links to `indices[indptr[i]:indptr[i + 1]]`.

    Each link counts once a page, links of a page to itself are left out, indices ascend within a row.
    """

    urls: Sequence[Url]
    """The recorded pages, in the order of the archive's index."""
    indptr: NDArray[np.int64]
    """One more than there are pages."""
    indices: NDArray[np.int32]
    missing: NDArray[np.int32]
    """Of each page: distinct URLs it links to that bring no page of this web."""

    def __len__(self) -> int:
        return len(self.urls)

    def targets(self, page: int) -> NDArray[np.int32]:
        """The pages that a page links to."""
        return self.indices[self.indptr[page] : self.indptr[page + 1]]

    def reversed(self) -> Graph:
        """The same links the other way round; nothing is `missing` there."""
        order = np.argsort(self.indices, kind="stable")
        sources = np.repeat(np.arange(len(self.urls), dtype=np.int32), np.diff(self.indptr))
        counts = np.bincount(self.indices, minlength=len(self.urls))
        return Graph(
            urls=self.urls,
            indptr=_ends(counts),
            indices=sources[order],
            missing=np.zeros(len(self.urls), np.int32),
        )


def graph_of(pages: Pages, urls: Sequence[Url], hidden: Collection[int] = ()) -> Graph:
    """The graph between the first `len(urls)` rows. Links from and to the rows in `hidden` are left out, those to them
    count as missing.
    """
    count = len(urls)
    ends = pages.links_ends[: count + 1].astype(np.int64)
    numbers = pages.targets[: ends[-1]].astype(np.int64)
    sources = np.repeat(np.arange(count, dtype=np.int64), np.diff(ends))
    nodes = pages.nodes.astype(np.int64)
    shown = np.ones(count + 1, bool)  # the last one stands for what is no page
    shown[[*hidden]] = False
    kept = shown[sources]
    sources, numbers = sources[kept], numbers[kept]
    found = nodes[numbers]
    linked = (found >= 0) & shown[found]
    width = max(len(nodes), 1)
    lost = np.unique(sources[~linked] * width + numbers[~linked]) // width
    edges = np.unique(sources[linked] * count + found[linked]) if count else sources
    starts, targets = edges // max(count, 1), edges % max(count, 1)
    other = starts != targets
    return Graph(
        urls=urls,
        indptr=_ends(np.bincount(starts[other], minlength=count)),
        indices=targets[other].astype(np.int32),
        missing=np.bincount(lost, minlength=count).astype(np.int32),
    )


def _ends(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
