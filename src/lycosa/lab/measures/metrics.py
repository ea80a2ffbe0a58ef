"""How good a crawl was, page by page: arrays with one entry for each number of pages fetched.

Pages are numbers (see `lycosa.lab.measures.trajectory.Names`), in the order of the crawl. Sources: Pant, Srinivasan
and Menczer,
"Crawling the Web", 2004, section 4.2; Menczer, Pant and Srinivasan, ACM TOIT 4(4), 2004, sections 2.5 and 3.2.3,
equations 1, 2, 3, 8 and 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lycosa.lab.webs.link_graph import UNREACHABLE, Ints, LinkGraph, Marks
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.scoring.words.terms import Counts, cosine, tf_idf

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.floating[Any]]

WINDOW = 50
"""Pages of the running window. (Pant et al. 2004, section 4.2)"""

NEVER = float("inf")


# -- precision ----------------------------------------------------------------------------------------------


def first_hits(pages: Ints, wanted: Ints) -> Marks:
    """Which entries of a crawl are the first visit to a page that is wanted."""
    hits = np.zeros(len(pages), dtype=np.bool_)
    hits[np.unique(pages, return_index=True)[1]] = True
    hits &= np.isin(pages, wanted)
    return hits


def harvest_rate(relevant: Marks, neutral: Marks | None = None) -> Floats:
    """h(n) = #relevant / n after each page; also called acquisition rate. In [0, 1].

    Pages that are `neutral` (examples that the crawler was given, say) are not counted at all; while there are no
    others the rate is 0.
    """
    if neutral is None:
        return average_relevance(relevant.astype(np.float64))
    counted = np.cumsum(~neutral)
    rate: Floats = np.cumsum(relevant & ~neutral) / np.maximum(counted, 1)
    return rate


def average_relevance(relevance: Numbers) -> Floats:
    """mean r_i for i <= n after each page, of relevance by whatever measure."""
    means: Floats = np.cumsum(relevance, dtype=np.float64) / np.arange(1, len(relevance) + 1)
    return means


def running_window(relevance: Numbers, window: int = WINDOW) -> Floats:
    """The mean of the last `window` pages after each page, of all so far while there are fewer."""
    if window < 1:
        raise InputError(f"a running window of {window} pages: give at least 1")
    sums = np.cumsum(relevance, dtype=np.float64)
    before = np.concatenate([np.zeros(min(window, len(sums))), sums[:-window]])
    means: Floats = (sums - before) / np.minimum(np.arange(1, len(sums) + 1), window)
    return means


# -- recall -------------------------------------------------------------------------------------------------


def target_recall(pages: Ints, targets: Ints) -> Floats:
    """ρ(n) = |S(n) ∩ T| / |T| after each page. Never falls, in [0, 1]. (eq. 1)

    Targets that the web lacks must be numbered too, or the share is too high. InputError without targets.
    """
    sought = np.unique(targets)
    if not sought.size:
        raise InputError("recall needs a target; the task has none apart from its start pages")
    return np.cumsum(first_hits(pages, sought)) / sought.size


def reachable_share(graph: LinkGraph, seeds: Ints, targets: Ints, excluded: Ints | None = None) -> float:
    """The share of the targets to which a path leads from the seeds: what recall can reach at most."""
    if not len(targets):
        return 0.0
    return float(np.mean(graph.distances(seeds, excluded)[targets] != UNREACHABLE))


class SearchLength(Record, frozen=True, kw_only=True):
    """After how many pages a share of the relevant ones was found."""

    pages: float
    """Infinite if the crawl ended before."""
    crawled: int
    """The pages of the crawl: if `censored`, the search was longer than this, nobody knows how much."""

    @property
    def censored(self) -> bool:
        return self.pages == NEVER


def search_length(recall: Numbers, share: float) -> SearchLength:
    """The pages until `share` of the wanted ones was found, from a curve that never falls."""
    if not 0 < share <= 1:
        raise InputError(f"search length for a share of {share}: give one above 0, at most 1")
    # A share such as 3/10 and a curve made by division may differ in the last bit.
    at = int(np.searchsorted(recall, share - 1e-12))
    return SearchLength(pages=NEVER if at == len(recall) else at + 1, crawled=len(recall))


def hold(curve: Numbers, budget: int) -> Floats:
    """A curve cut to `budget` pages, or, of a crawl that ended before, held at its last value (0 without any)."""
    cut = np.asarray(curve[:budget], dtype=np.float64)
    last = cut[-1] if cut.size else 0.0
    return np.concatenate([cut, np.full(budget - len(cut), last)])


def area_under(curve: Numbers, budget: int) -> float:
    """AUC: the mean of a curve over the pages from 1 to `budget`, held where the crawl ended before."""
    if budget < 1:
        raise InputError(f"the area under a curve over {budget} pages: give at least 1")
    return float(hold(curve, budget).mean())


def area_over_time(curve: Numbers, times: Ints, span: int) -> float:
    """The mean of a curve over the time from 0 to `span`, where each value holds from its time to the next one's.

    `times` ascend and have the same unit as `span`. Before the first page the curve is 0.
    """
    if span < 1:
        raise InputError(f"the area under a curve over a time of {span}: give at least 1")
    ends = np.minimum(np.append(times, span)[1:], span) if len(times) else np.zeros(0)
    return float((np.asarray(curve) * (ends - np.minimum(times, span))).sum() / span)


def over_requests(curve: Numbers, requests: Ints, budget: int) -> Floats:
    """A curve over pages as one over the first `budget` requests, those that brought no page among them."""
    reached = np.searchsorted(requests, np.arange(1, budget + 1), side="right")
    return np.concatenate([[0.0], np.asarray(curve, dtype=np.float64)])[reached]


def distinct(kinds: Ints, counted: Marks) -> Ints:
    """How many different kinds of page were among the counted ones, after each page: relevant hosts, for example.

    `kinds` has the kind of each page of the crawl, such as the number of its host.
    """
    fresh = np.zeros(len(kinds), dtype=np.int64)
    places = np.flatnonzero(counted)
    fresh[places[np.unique(kinds[places], return_index=True)[1]]] = 1
    return np.cumsum(fresh)


def bytes_fetched(pages: Ints, sizes: Ints) -> Ints:
    """Bytes of all pages so far, after each page; `sizes` has those of every page of the web, by number."""
    return np.cumsum(sizes[pages], dtype=np.int64)


# -- robustness ---------------------------------------------------------------------------------------------


class Overlap(Record, frozen=True, kw_only=True):
    """How much two crawls have in common, in [0, 1] each; 0 of two empty ones."""

    of_union: float
    """|A ∩ B| / |A ∪ B|"""
    of_smaller: float
    """|A ∩ B| / min(|A|, |B|)"""


def overlap(one: Ints, other: Ints) -> Overlap:
    """Robustness: what two crawls from disjoint halves of the seeds have in common.

    Of pages, of hosts, or of relevant pages, by what is given.
    """
    a, b = np.unique(one), np.unique(other)
    common = np.intersect1d(a, b, assume_unique=True).size
    union, smaller = a.size + b.size - common, min(a.size, b.size)
    return Overlap(of_union=common / union if union else 0.0, of_smaller=common / smaller if smaller else 0.0)


def overlap_curve(one: Ints, other: Ints) -> Floats:
    """|A ∩ B| / |A ∪ B| of the first n pages of both, for each n up to the shorter one's length."""
    length = min(len(one), len(other))
    number = {page: at for at, page in enumerate(np.unique(np.concatenate([one, other])).tolist())}
    seen = np.zeros((2, len(number)), dtype=np.bool_)
    common = union = 0
    curve = np.zeros(length)
    for n in range(length):
        for mine, page in ((0, one[n]), (1, other[n])):
            at = number[int(page)]
            if not seen[mine, at]:
                seen[mine, at] = True
                common += int(seen[1 - mine, at])
                union += int(not seen[1 - mine, at])
        curve[n] = common / union
    return curve


# -- similarity ---------------------------------------------------------------------------------------------


def mean_similarity(
    crawls: Sequence[Ints], description: Counts, terms: Callable[[int], Counts]
) -> list[Floats]:
    """σ(n) = Σ cos(p, V) / |S(n)| for each crawl, after each page. (eq. 2 and 3)

    The inverse document frequency comes from the union of the crawls, so values of other sets of crawls must not be
    compared with these. Two passes over the union: `terms` is asked twice for each page's counts, and one page's are in
    memory at a time. IDF is 1 + ln(N / df), as the paper prints none; a word that no page holds counts with df = 1.
    """
    pool = np.unique(np.concatenate([np.asarray(crawl, dtype=np.int64) for crawl in crawls]))
    frequencies: dict[str, int] = {}
    for page in pool.tolist():
        for term in terms(page):
            frequencies[term] = frequencies.get(term, 0) + 1
    topic = tf_idf(description, frequencies, len(pool))
    similar = np.array([cosine(topic, tf_idf(terms(page), frequencies, len(pool))) for page in pool.tolist()])
    return [average_relevance(similar[np.searchsorted(pool, crawl)]) for crawl in crawls]


class TermRows(Protocol):
    """The terms of all pages of a web in compressed rows: page i has `counts[j]` times the word
    `vocabulary[numbers[j]]`, for j from `indptr[i]` to `indptr[i + 1]`. `LabWeb.all_terms` gives them.
    """

    @property
    def vocabulary(self) -> Sequence[str]: ...
    @property
    def indptr(self) -> npt.NDArray[np.int64]: ...
    @property
    def numbers(self) -> npt.NDArray[np.int32]: ...
    @property
    def counts(self) -> npt.NDArray[np.int32]: ...


def mean_similarity_by_rows(
    crawls: Sequence[Ints], description: Counts, rows: TermRows, *, at_once: int = 4096
) -> list[Floats]:
    """What `mean_similarity` gives, some twenty times faster, where the terms of all pages are at hand as arrays.

    All pages must have a row; `at_once` of them are worked on together, which bounds memory.
    """
    pool = np.unique(np.concatenate([np.asarray(crawl, dtype=np.int64) for crawl in crawls]))
    parts = [pool[at : at + at_once] for at in range(0, len(pool), at_once)]
    frequencies = np.zeros(len(rows.vocabulary), dtype=np.int64)
    for part in parts:
        frequencies += np.bincount(rows.numbers[_places(rows, part)[1]], minlength=len(frequencies))
    idf = 1.0 + np.log(max(len(pool), 1) / np.maximum(frequencies, 1))
    topic = np.zeros(len(frequencies))
    unseen = dict(description)
    for number, word in enumerate(rows.vocabulary):
        if (count := unseen.pop(word, 0)) > 0:
            topic[number] = count * idf[number]
    rest = sum((count * (1.0 + log(max(len(pool), 1)))) ** 2 for count in unseen.values())
    length = sqrt(float((topic**2).sum()) + rest)
    similar = np.concatenate([_cosines(rows, part, topic, idf, length) for part in parts] or [np.zeros(0)])
    return [average_relevance(similar[np.searchsorted(pool, crawl)]) for crawl in crawls]


def _places(rows: TermRows, pages: Ints) -> tuple[Ints, Ints]:
    """For each term of these pages: which of the pages, and its place in the rows."""
    starts = rows.indptr[pages]
    lengths = rows.indptr[pages + 1] - starts
    before = np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.repeat(np.arange(len(pages)), lengths), np.arange(lengths.sum()) - before + np.repeat(
        starts, lengths
    )


def _cosines(rows: TermRows, pages: Ints, topic: Floats, idf: Floats, length: float) -> Floats:
    row, places = _places(rows, pages)
    words = rows.numbers[places]
    weights = rows.counts[places] * idf[words]
    squares = np.bincount(row, weights=weights**2, minlength=len(pages))
    dots = np.bincount(row, weights=weights * topic[words], minlength=len(pages))
    lengths = np.sqrt(squares) * length
    return np.divide(dots, lengths, out=np.zeros(len(pages)), where=lengths > 0)


# -- cost ---------------------------------------------------------------------------------------------------


def relative_cost(seconds: Sequence[Numbers]) -> list[Floats]:
    """c_p(i) = t_p(i) |C| / Σ_i' t_P(i'): cumulative CPU time of each crawler after each page, as a share of the mean
    of all crawlers at their ends. (eq. 8)

    The mean over the crawlers is 1 at the last page. InputError if no time was measured.
    """
    total = sum(float(times[-1]) for times in seconds if len(times))
    if total <= 0:
        raise InputError("relative cost needs the CPU time of the crawlers, and none was measured")
    return [np.asarray(times, dtype=np.float64) * len(seconds) / total for times in seconds]


def performance_per_cost(recall: Numbers, similarity: Numbers, cost: Numbers) -> float:
    """P = <ρ> · <σ> / <c> over topics: means are taken before the product and the ratio. (eq. 9)

    NaN if the mean cost is 0.
    """
    mean_cost = float(np.mean(cost))
    if mean_cost == 0:
        return float("nan")
    return float(np.mean(recall)) * float(np.mean(similarity)) / mean_cost
