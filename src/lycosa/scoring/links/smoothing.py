"""How much speaks for a page, or one that is only linked to, being on topic: its own words and its neighbours'.

A page's own words are a poor witness: pages about a theatre need not say "literature", and pages that do need not be
about it. Pages of one topic link to each other, though (Menczer, "Lexical and semantic clustering by Web links",
JASIST 55(14), 2004), so the evidence for each word of the topic is first smoothed over the link graph, and only then
are the words put together, in such a way that some of each counts more than much of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
Marks = NDArray[np.bool_]

_LEAST = 1e-9
AGAINST = 0.03
"""Weight of likeness to bad examples against likeness to good ones (`benchmarks/feedback.py`): pages that are nearly
right lead to those that are."""


def rarity(pages: int, frequencies: Floats) -> Floats:
    """ln(1 + (N + 1) / (df + ½)) of each term: the weight of a word by the pages crawled so far. Above 0."""
    found: Floats = np.log1p((pages + 1) / (frequencies + 0.5))
    return found


def lengths(rows: csr_array, weights: Floats) -> Floats:
    """√Σ_t (x_t w_t)² of each row."""
    squared = rows.copy()
    squared.data = squared.data.astype(np.float64) ** 2
    found: Floats = np.maximum(np.sqrt(squared @ weights**2), _LEAST)
    return found


def likeness(rows: csr_array, weights: Floats, queries: Floats) -> Floats:
    """Cosine of each row, its terms weighted, with each column of `queries` (terms × queries, columns of length 1)."""
    if not rows.shape[0]:
        return np.zeros((0, queries.shape[1]))
    found: Floats = rows @ (weights[:, None] * queries)
    return found / lengths(rows, weights)[:, None]


def example_query(good: Floats, bad: Floats) -> Floats:
    """g - `AGAINST` · b of the sums of good and of bad examples over the terms, each sum scaled to length 1 or 0.

    The cosine with it is likeness to the good examples less likeness to the bad ones (Rocchio, in Salton, "The SMART
    retrieval system", 1971): from -`AGAINST` to 1.
    """
    found: Floats = _unit(good) - AGAINST * _unit(bad)
    return found


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def greatest_by_owner(values: Floats, owners: Ints, count: int) -> Floats:
    """The greatest value of each owner, column by column; 0 for an owner of none."""
    best = np.zeros((count, values.shape[1]))
    if len(owners):
        order = np.argsort(owners, kind="stable")
        sorted_ = owners[order]
        starts = np.flatnonzero(np.r_[True, sorted_[1:] != sorted_[:-1]])
        best[sorted_[starts]] = np.maximum.reduceat(values[order], starts, axis=0)
    return best


class Neighbours:
    """The links between known nodes, as operators that average over neighbours."""

    def __init__(self, sources: Ints, targets: Ints, count: int) -> None:
        from scipy.sparse import csr_array

        ones = np.ones(len(sources))
        self.in_degrees = np.bincount(targets, minlength=count)
        out_degrees = np.bincount(sources, minlength=count)
        self._into = csr_array(
            (ones / np.maximum(self.in_degrees, 1)[targets], (targets, sources)), shape=(count, count)
        )
        self._out = csr_array(
            (ones / np.maximum(out_degrees, 1)[sources], (sources, targets)), shape=(count, count)
        )

    def of_sources(self, values: Floats) -> Floats:
        """The mean over the pages that link to each node; 0 without any."""
        found: Floats = self._into @ values
        return found

    def of_targets(self, values: Floats) -> Floats:
        """The mean over what each page links to; 0 without any."""
        found: Floats = self._out @ values
        return found


def smoothed(
    base: Floats, pages: Marks, worth: Floats, around: Neighbours, *, above: float, below: float
) -> Floats:
    """The evidence of each page (nodes × words), and of the pages around it: those that link there, those it links to.

    e = w · (b + α · mean of the pages that link here + β · mean of what is linked to), done twice, so that it reaches
    two links far; w, in [0, 1], is what a page is worth. What is linked to and was not fetched is taken for the mean of
    the pages that link to it. 0 for all but pages.
    """
    is_page = pages[:, None]
    weight = np.where(pages, worth, 0.0)[:, None]
    found = weight * base
    for _ in range(2):
        inherited = around.of_sources(found)
        expected = np.where(is_page, found, inherited)
        found = weight * (base + above * inherited + below * around.of_targets(expected))
    return found


def mean_of_siblings(
    values: Floats, sources: Ints, targets: Ints, known: Marks, reach: int
) -> tuple[Floats, Floats]:
    """What is known of the pages that lists of links name beside each node: means, and the mean of all known ones.

    `sources` and `targets` are links, page by page in document order. Of each list those at most `reach` places before
    and after count, a page as often as it stands there; `known` says of which nodes the rows of `values` are known. The
    mean of all counts as one page more, so that a single neighbour is no proof: (μ + Σ v) / (1 + n).
    """
    count = len(known)
    average: Floats = values[known].mean(axis=0) if known.any() else np.zeros(values.shape[1])
    if not len(targets):
        return np.tile(average, (count, 1)), average
    here = known[targets].astype(np.float64)
    summed = np.vstack([np.zeros(values.shape[1]), np.cumsum(values[targets] * here[:, None], axis=0)])
    counted = np.r_[0.0, np.cumsum(here)]
    begins = np.r_[True, sources[1:] != sources[:-1]]
    first = np.flatnonzero(begins)
    of_list = np.cumsum(begins) - 1
    end = np.r_[first[1:], len(targets)][of_list]
    places = np.arange(len(targets))
    since, until = np.maximum(places - reach, first[of_list]), np.minimum(places + reach + 1, end)
    around = summed[until] - summed[since] - values[targets] * here[:, None]
    number = counted[until] - counted[since] - here
    total = np.zeros((count, values.shape[1]))
    for column in range(values.shape[1]):
        total[:, column] = np.bincount(targets, weights=around[:, column], minlength=count)
    times = np.bincount(targets, weights=number, minlength=count)
    found: Floats = np.maximum(total + average, 0.0) / (1.0 + times)[:, None]
    return found, average


def distinguishing_terms(
    holding: Floats, chosen: int, frequencies: Floats, pages: int, most: int, least: float
) -> Floats:
    """The terms that tell `chosen` pages from all, of length 1: log-odds, cut to the `most` telling ones.

    `holding` says how many of the chosen pages have each term. A term counts that at least `least` of them have, and
    three of them, and whose odds there are at least e times those among all pages (ours; after Robertson and Sparck
    Jones, JASIS 27(3), 1976). The background tells a topic's words from those that every page of a site has, which a
    mere sum of good pages does not.
    """
    inside = (holding + 0.1) / (chosen + 0.2)
    outside = (frequencies + 0.5) / (pages + 1)
    odds = np.log(inside / (1 - inside)) - np.log(outside / np.maximum(1 - outside, _LEAST))
    odds[(odds < 1.0) | (holding < max(3.0, least * chosen))] = 0.0
    odds = np.minimum(odds, 6.0)
    if len(odds) > most:
        weight = odds * holding
        keep = np.argsort(-weight, kind="stable")[:most]
        kept = np.zeros_like(odds)
        kept[keep] = odds[keep]
        odds = kept
    length = float(np.linalg.norm(odds))
    found: Floats = odds / length if length else odds
    return found
