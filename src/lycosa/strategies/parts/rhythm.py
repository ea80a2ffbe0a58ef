"""When to do again what costs time in proportion to the crawl."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any


class Rhythm:
    """Due every so many pages at first, then whenever the crawl has grown by a factor.

    Done every K pages for ever, work in proportion to the crawl grows with its square; done at each growth by a factor
    g, all of it together stays below g / (g - 1) times the last.

    Invariant, the name of a property test:

    * linear work: over n pages the sizes at which it was due sum to at most n · (1 + n_0 / every + g / (g - 1)), n_0
      being the size from which the factor rules.

    >>> rhythm = Rhythm(every=200, growth=1.1)
    >>> [n for n in range(1, 3001) if rhythm.due(n)]
    [200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2420, 2662, 2929]
    """

    def __init__(self, every: int, growth: float = 1.1) -> None:
        self.every, self.growth = every, growth
        self._next = every

    def due(self, n: int) -> bool:
        """Whether it is time, at size n. Asked once for each size; after a yes it is time again later."""
        if n < self._next:
            return False
        self._next = max(n + self.every, ceil(n * self.growth - 1e-9))
        return True

    def until_next(self, n: int) -> int:
        """How much the size n lacks until it is time again."""
        return max(self._next - n, 0)

    def save(self) -> Mapping[str, Any]:
        return {"next": self._next}

    def load(self, state: Mapping[str, Any]) -> None:
        self._next = state["next"]
