"""Links of made-up pages."""

from __future__ import annotations

import numpy as np

from lycosa.scoring.links.smoothing import NO_PAGE, Ints, Neighbours


def listed(sources: Ints, targets: Ints, count: int) -> Neighbours:
    """Links of pages by their places, ascending, to nodes, of which none is taken for the page itself."""
    lengths = np.bincount(sources, minlength=count)
    pages = np.full(count, NO_PAGE, dtype=np.int32)
    return Neighbours(pages, targets.astype(np.int32), np.concatenate([[0], np.cumsum(lengths)]), count)
