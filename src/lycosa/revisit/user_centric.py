"""What a visit is worth to those who search: by how much it changes the answers that they look at.

The quality of an index is Q = Σ_q freq(q) · Σ_p V(rank(p, q)) · rel(p, q) over the queries that people ask, where the
attention V(r) that the r-th answer gets falls as r^(-3/2). An index that holds an old version ranks the page by it; a
visit changes that, by ΔQ. A page that no query finds is worth no visit, however often it changes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import msgspec

from lycosa.revisit.estimators import Estimator
from lycosa.revisit.history import History, is_change
from lycosa.revisit.longevity import Insured, Risk, waits
from lycosa.revisit.paced import Part, Times
from lycosa.revisit.policy import Estimates, Floats, Pages

BY_ATTENTION = -1.5
"""Of clicks by rank (Pandey & Olston 2005, after Lempel & Moran 2003)."""
Answers = Annotated[int, msgspec.Meta(ge=1)]


def attention(rank: int) -> float:
    """V(rank): the share of attention that an answer gets, of that of the first; 0 for rank 0, no answer.

    >>> attention(1) - attention(4)
    0.875
    """
    return rank**BY_ATTENTION if rank > 0 else 0.0


class UserCentric(Insured):
    """Visits pages whose changes people would notice in the answers to their queries.

    Use it when the crawl is searched and it is known what for, from a log of queries. A page that none of them finds is
    visited by `explore` alone. Give the log with `--queries FILE`: a query a line, or how often it was asked, a tab and
    the query. Without a log the worth of a page stands for what a visit brings.

    The engine is the full-text index of the crawl. It takes in the pages that changed once an hour, and is asked all
    queries then: what it answers is journaled.

    Each visit that found a change tells by how much it changed the answers: |ΔQ|, the sum over all queries of how
    often each is asked, times by how much the attention moved that the page gets, times how well it answers. A page
    is expected to bring as much again with its next change: the mean g of these, with all that the page is to the
    answers now as one more, as if it went. Changes come at the rate λ (`estimator`), so after t days ΔQ(t) = g · (1
    - exp(-λt)), and the priority of a visit is t·ΔQ(t) - ∫ΔQ. A page is due when that comes to T, which is the same
    for all and follows from the budget, or when it waits for so long that `risk` times T could be lost.
    """

    reference = "Pandey & Olston, User-centric web crawling, WWW 2005"
    goes_by_queries = True

    def __init__(
        self,
        *,
        risk: Risk = 10.0,
        times: Times = "fixed",
        estimator: Estimator = "mle",
        signals: bool = True,
        explore: Part = 0.05,
    ) -> None:
        super().__init__(risk=risk, times=times, signals=signals, explore=explore)
        self._estimator = estimator

    def estimate(self, history: History) -> Estimates:
        row = super().estimate(history)
        kept = 0.5**history.times_gone
        return msgspec.structs.replace(row, worth=kept * expected(history), curve=(1.0, 1.0), is_told=False)

    def rates(self, pages: Pages, price: float) -> Floats:
        return self.at_risk(pages, waits(pages.worth, pages, price), price)


def expected(history: History) -> float:
    """The mean |ΔQ| of the looks that found a change, as far as it is known, the page's standing counted as one; its
    worth if that is not known."""
    if history.standing is None:
        return history.worth
    changed = [
        gain
        for gain, (before, look) in zip(history.gains[1:], pairwise(history.looks), strict=False)
        if gain is not None and is_change(before.sight, look.sight)
    ]
    return (history.standing + sum(changed)) / (1 + len(changed))
