"""Requests shared out by a plain rule: the same for all pages, or by how often they change."""

from __future__ import annotations

import numpy as np

from lycosa.revisit.paced import Paced
from lycosa.revisit.policy import Floats, Pages

CHO = "Cho & Garcia-Molina, Effective page refresh policies for web crawlers, ACM TODS 28(4), 2003"


class Uniform(Paced):
    """Visits all pages equally often.

    Use it when nothing is known of the pages, and as the baseline: keeping a collection fresh, it is better than visits
    in proportion to changes, whatever the rates are.

    Every page has the rate budget / pages. With `times=poisson` the order of visits is random, else fixed; a fixed
    order keeps pages fresher at the same price.
    """

    reference = CHO

    def price(self, pages: Pages, budget: float) -> float:
        return len(pages) / budget

    def rates(self, pages: Pages, price: float) -> Floats:
        return np.full(len(pages), 1 / price)


class Proportional(Paced):
    """Visits pages in proportion to how often they change.

    Use it for comparison only. It seems natural, and it is worse than `uniform`: visits to pages that change all the
    time are in vain, as the copy is soon old again.

    A page that changes Δ times a day has the rate Δ · budget / ΣΔ.
    """

    reference = CHO

    def price(self, pages: Pages, budget: float) -> float:
        return float(pages.changes.sum()) / budget

    def rates(self, pages: Pages, price: float) -> Floats:
        return pages.changes / price
