"""The compiled form of what a page costs in small numbers (`native/hunting.c`), where it adds up as numpy here does."""

from __future__ import annotations

from types import ModuleType
from typing import Final

import numpy as np

from lycosa.model.compiled import compiled

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


HUNTING: Final = hunting()
