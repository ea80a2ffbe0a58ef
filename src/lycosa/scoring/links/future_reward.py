"""What it is worth to follow a link, where all links are known: the reward at its end and what comes after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float64]
    Numbers = NDArray[np.int64]

Backup = Literal["max", "sum"]


def link_values(
    sources: Sequence[int],
    targets: Sequence[int],
    rewards: Sequence[float],
    *,
    gamma: float,
    depth: int,
    backup: Backup = "max",
) -> Vector:
    """Q of each link, for rewards of n pages and distinct links between them.

    Q_0(u→v) = r(v); Q_k(u→v) = r(v) + γ · max_{v→w, w ≠ u} Q_{k-1}(v→w), k up to `depth`; with `sum` all links of v
    count instead of the best. The page that one comes from is not counted again, longer ways round are: the true
    optimum, each reward but once, is intractable (Rennie and McCallum 1999, sec. 3.1). O(depth · links).

    >>> link_values([0, 1, 2], [1, 2, 3], [0, 0, 0, 1], gamma=0.5, depth=6).tolist()
    [0.25, 0.5, 1.0]
    """
    import numpy as np

    source, target = np.asarray(sources, dtype=np.int64), np.asarray(targets, dtype=np.int64)
    reward = np.asarray(rewards, dtype=np.float64)
    if not len(source):
        return np.zeros(0)
    order = np.lexsort((target, source))
    ways = _Ways(source[order], target[order], len(reward))
    at_end = reward[ways.target]
    values = at_end
    for _ in range(depth if gamma else 0):
        values = at_end + gamma * (ways.best(values) if backup == "max" else ways.total(values))
    unordered = np.empty_like(values)
    unordered[order] = values
    return unordered


class _Ways:
    """Links sorted by source, and how each goes on."""

    def __init__(self, source: Numbers, target: Numbers, pages: int) -> None:
        import numpy as np

        self.source, self.target = source, target
        degree = np.bincount(source, minlength=pages)
        self._starts = np.concatenate([[0], np.cumsum(degree)[:-1]])
        self._with_links = np.flatnonzero(degree)
        self._pages = pages
        keys = source * pages + target
        place = np.searchsorted(keys, target * pages + source)
        place[place == len(keys)] = 0
        self._has_return = keys[place] == target * pages + source
        self._return = place  # where the link back is, if there is one

    def total(self, values: Vector) -> Vector:
        """Σ over the links of each link's target but the one back."""
        import numpy as np

        total: Vector = np.bincount(self.source, weights=values, minlength=self._pages).astype(np.float64)
        back = np.where(self._has_return, values[self._return], 0.0)
        return np.asarray(total[self.target] - back)

    def best(self, values: Vector) -> Vector:
        """The greatest among the links of each link's target but the one back; 0 where there are no others."""
        import numpy as np

        first = self._greatest(values)
        is_first = values == first[self.source]
        # Of several greatest links one alone is taken out, so that the next is as great.
        taken = np.full(self._pages, -1, dtype=np.int64)
        places = np.flatnonzero(is_first)[::-1]
        taken[self.source[places]] = places
        rest = values.copy()
        rest[taken[self._with_links]] = 0.0
        second = self._greatest(rest)
        goes_back = self._has_return & (taken[self.target] == self._return)
        return np.where(goes_back, second[self.target], first[self.target])

    def _greatest(self, values: Vector) -> Vector:
        """By page; 0 for a page without links. Values are not negative."""
        import numpy as np

        greatest = np.zeros(self._pages)
        greatest[self._with_links] = np.maximum.reduceat(values, self._starts[self._with_links])
        return greatest
