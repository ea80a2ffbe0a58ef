"""The compiled form of what a page costs in small numbers (`native/hunting.c`), where it adds up as numpy here does."""

from __future__ import annotations

from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lycosa.model.compiled import compiled

Floats = NDArray[np.float64]

_LENGTHS = (1, 2, 8, 9, 10, 17, 130, 300, 2_000)
"""Of sums that are tried: numpy adds up few numbers, some and many each in another order."""


def hunting() -> ModuleType | None:
    """The compiled module; None where there is none, or numpy's sums are not those that it was written for: scores
    may not depend on the machine."""
    module = compiled("lycosa.scoring._hunting")
    return module if module is not None and adds_up_alike(module) else None


def adds_up_alike(module: ModuleType) -> bool:
    """Whether its sums are numpy's to the last bit."""
    numbers = 1.0 / np.arange(1.0, 3.0 * _LENGTHS[-1] + 1.0)
    for length in _LENGTHS:
        some = numbers[:length]
        table = numbers[: 3 * length].reshape(length, 3)
        if (
            module.total(some) != np.add.reduceat(some, [0])[0]
            or module.total(table[:, 1].copy()) != np.add.reduceat(table, [0], axis=0)[0, 1]
            or (np.add.reduce(table, axis=0) != np.add.accumulate(table, axis=0)[-1]).any()
        ):
            return False
    return True


def weighs_words_alike(module: ModuleType) -> bool:
    """Whether it takes logarithms, and adds up as many of them as a query has words, as numpy does to the last bit:
    that has its own for some processors."""
    for count in (1, 2, 3, 7, 8, 9, 12):
        evidence = 1.0 / np.arange(1.0, 40.0 * count + 1.0).reshape(40, count)
        means, weights = evidence[7] / 3.0, np.sqrt(np.arange(2.0, count + 2.0))
        found = np.frombuffer(module.words(evidence, count, (means, 3.0, weights)))
        if (found != weighed(evidence, means, 3.0, weights)).any():
            return False
    return True


def weighed(evidence: Floats, means: Floats, saturation: float, weights: Floats) -> Floats:
    """Σ_w weight(w) · ln(1 + e_w / (c · mean e_w)) of each row."""
    found: Floats = np.einsum("nw,w->n", np.log1p(evidence / (saturation * means)), weights)
    return found


HUNTING: Final = hunting()
WEIGHS_WORDS: Final = HUNTING is not None and weighs_words_alike(HUNTING)
"""Whether the compiled module does so too."""
