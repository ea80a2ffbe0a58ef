"""The link graph of a recorded web, from the columns in which its pages are kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from lycosa.lab.webs.link_graph import LinkGraph
from lycosa.lab.webs.pages import Pages
from lycosa.model.url import Url


def graph_of(
    pages: Pages,
    urls: Sequence[Url],
    hidden: Collection[int] = (),
    index: Callable[[Url], int | None] = lambda url: None,
) -> LinkGraph:
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
    edges = _distinct(sources[linked] * count + found[linked])
    starts, targets = edges // max(count, 1), edges % max(count, 1)
    other = starts != targets
    return LinkGraph(
        urls,
        _ends(np.bincount(starts[other], minlength=count)),
        targets[other],
        index,
        np.bincount(lost, minlength=count),
    )


def _distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each once, in the order in which they first occur."""
    _, first = np.unique(values, return_index=True)
    return values[np.sort(first)]


def _ends(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
