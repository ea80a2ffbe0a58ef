"""How true a collection is now, as far as that can be told from the looks at its pages: an estimate.

Of a page that changes at rate λ (Poisson) and was looked at t days ago (Cho & Garcia-Molina 2003, "Effective page
refresh policies for web crawlers"): the copy is still true with probability exp(-λt), and it has been wrong for
t - (1 - exp(-λt)) / λ days, on average.
"""

from __future__ import annotations

import numpy as np

from lycosa.model.records import Record
from lycosa.revisit.estimators import LEAST, MOST
from lycosa.revisit.policy import Floats


class Freshness(Record, frozen=True, kw_only=True):
    """Estimates for the pages that were looked at more than once; of the others nothing is known."""

    pages: int
    """How many these are."""
    fresh: float
    """In [0, 1]: the share of their copies that are still true."""
    age: float
    """Days since when their copies have been wrong, 0 for one that is true; the mean of all."""
    changes: float
    """Changes a day and page."""


def estimated(intervals: Floats, changes: Floats, days: Floats, since: Floats) -> Freshness:
    """The estimate for pages with so many `intervals` between looks, of which `changes` had a change, and which are
    `days` long together; the last look was `since` days ago. Pages without an interval are left out.

    The rates are those of `lycosa.revisit.estimators.cgm`.

    >>> one = np.ones(1)
    >>> estimated(4 * one, 0 * one, 4 * one, one).fresh > 0.999
    True
    """
    known = (intervals > 0) & (days > 0)
    n, since = intervals[known], np.maximum(since[known], 0.0)
    if not len(n):
        return Freshness(pages=0, fresh=0.0, age=0.0, changes=0.0)
    rates = -np.log((n - changes[known] + 0.5) / (n + 0.5)) * n / days[known]
    rates = np.clip(rates, LEAST, MOST)
    unseen = -np.expm1(-rates * since)
    return Freshness(
        pages=len(n),
        fresh=float(np.mean(1.0 - unseen)),
        age=float(np.mean(np.maximum(since - unseen / rates, 0.0))),
        changes=float(np.mean(rates)),
    )
