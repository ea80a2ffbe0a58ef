"""How much speaks for a page, or one that is only linked to, being on topic: its own words and its neighbours'.

A page's own words are a poor witness: pages about a theatre need not say "literature", and pages that do need not be
about it. Pages of one topic link to each other, though (Menczer, "Lexical and semantic clustering by Web links",
JASIST 55(14), 2004), so the evidence for each word of the topic is first smoothed over the link graph, and only then
are the words put together, in such a way that some of each counts more than much of one.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from lycosa.model.compiled import compiled

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_HUNTING: Final = compiled("lycosa.scoring._hunting")

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
Marks = NDArray[np.bool_]

_LEAST = 1e-9
NO_PAGE = -1
BLOCK = 1 << 18
"""Links that are looked at together."""
AGAINST = 0.03
"""Weight of likeness to bad examples against likeness to good ones (`benchmarks/feedback.py`): pages that are nearly
right lead to those that are."""


def rarity(pages: int, frequencies: Floats) -> Floats:
    """ln(1 + (N + 1) / (df + ½)) of each term: the weight of a word by the pages crawled so far. Above 0."""
    found: Floats = np.log1p((pages + 1) / (frequencies + 0.5))
    return found


def example_query(good: Floats, bad: Floats) -> Floats:
    """g - `AGAINST` · b of the sums of good and of bad examples over the terms, each sum scaled to length 1 or 0.

    The cosine with it is likeness to the good examples less likeness to the bad ones (Rocchio, in Salton, "The SMART
    retrieval system", 1971): from -`AGAINST` to 1.
    """
    found: Floats = _unit(good) - AGAINST * _unit(bad)
    return found


def _unit(vector: Floats) -> Floats:
    length = _length(vector)
    return vector / length if length else vector


def _length(vector: Floats) -> float:
    """√Σ v². (`np.linalg.norm` wakes the threads of BLAS for long vectors, which costs more than it saves.)"""
    return float(np.sqrt(np.square(vector).sum()))


def begins(numbers: Ints) -> Ints:
    """The places in ascending numbers where others begin."""
    changes = np.empty(len(numbers), dtype=bool)
    changes[:1] = True
    np.not_equal(numbers[1:], numbers[:-1], out=changes[1:])
    return changes.nonzero()[0]


def greatest_by_owner(values: Floats, places: Ints, owners: Ints) -> tuple[Ints, Floats]:
    """The greatest value of each owner, column by column, of those who have a value that is not 0, ascending.

    `values` are those at some `places`, all others are 0; `owners` has the owner of every place.
    """
    if not len(places):
        return places, values
    mine = owners[places]
    order = np.argsort(mine, kind="stable")
    sorted_ = mine[order]
    starts = begins(sorted_)
    who = sorted_[starts]
    best: Floats = np.maximum.reduceat(values[order], starts, axis=0)
    if best.min() < 0:
        silent = np.bincount(owners)[who] > np.diff(starts, append=len(sorted_))
        best[silent] = np.maximum(best[silent], 0.0)
    return who, best


class Neighbours:
    """The links from pages to known nodes, as operators that average over neighbours. Compiled, few of them are in
    memory once more.

    `pages` are the nodes of pages by their places; the page at place p links to `targets[ends[p]:ends[p + 1]]`. For
    each of these `nodes`, if given, has the node that stands for it, one of `count`. Links of a page to itself do not
    count.
    """

    def __init__(
        self, pages: Ints, targets: Ints, ends: Ints, count: int, nodes: NDArray[np.int32] | None = None
    ) -> None:
        self.pages, self._lists, self.count = pages, (targets, ends, nodes), count

    @property
    def in_degrees(self) -> Floats:
        """How many pages link to each node."""
        return self._degrees[0]

    @property
    def out_degrees(self) -> Floats:
        """How many nodes each page links to."""
        return self._degrees[1]

    @property
    def linking(self) -> NDArray[np.int32]:
        """Of each node the last page that links to it, by place; `NO_PAGE` where none does."""
        return self._degrees[2]

    @cached_property
    def _degrees(self) -> tuple[Floats, Floats, NDArray[np.int32]]:
        into, out, linking = (
            np.zeros(self.count),
            np.zeros(len(self.pages)),
            np.full(self.count, NO_PAGE, np.int32),
        )
        if _HUNTING is not None:
            _HUNTING.degrees(self.pages, *self._lists, into, out, linking)
            return into, out, linking
        for start, end in _blocks(self._lists[1][1:]):
            places, targets = self.between(start, end)
            into += np.bincount(targets, minlength=len(into))
            out += np.bincount(places, minlength=len(out))
            linking[targets] = places
        return into, out, linking

    def blocks(self) -> Iterator[tuple[Ints, Ints]]:
        """The places of pages that link and the nodes that they link to: whole lists, some `BLOCK` links at a time."""
        if self._is_short:
            yield from self._few
            return
        for start, end in _blocks(np.cumsum(self.out_degrees)):
            yield self.between(start, end)

    @property
    def _is_short(self) -> bool:
        return len(self._lists[0]) <= BLOCK

    @cached_property
    def condensed(self) -> Condensed:
        """The same links, with fewer rows of sums."""
        return Condensed(self)

    def told_by(self, nodes: NDArray[np.int32]) -> tuple[Ints, Ints, NDArray[np.int32]]:
        """The links in lists as they are kept, and for each target what `nodes` has for the node that stands for
        it."""
        targets, ends, standing = self._lists
        return targets, ends, nodes if standing is None else nodes[standing]

    @cached_property
    def _few(self) -> list[tuple[Ints, Ints]]:
        """All blocks, where that is one or none: it is asked for several times."""
        found = self.between(0, len(self.pages))
        return [found] if len(found[1]) else []

    def between(self, start: int, end: int) -> tuple[Ints, Ints]:
        """The links of some pages, as places of pages and nodes."""
        targets, ends, nodes = self._lists
        found = targets[ends[start] : ends[end]]
        found = found if nodes is None else nodes[found]
        places = np.repeat(np.arange(start, end, dtype=np.int32), np.diff(ends[start : end + 1]))
        others = found != self.pages[places]
        return (places, found) if others.all() else (places[others], found[others])

    def from_sources(self, values: Floats) -> Floats:
        """For each node the sum over the pages that link to it, of values by place."""
        return self._summed(values, self.count, into=True)

    def from_targets(self, values: Floats) -> Floats:
        """For each page the sum over what it links to, of values by node."""
        return self._summed(values, len(self.pages), into=False)

    def _summed(self, values: Floats, rows: int, *, into: bool) -> Floats:
        if _HUNTING is None:
            whole = self._matrix
            product: Floats = (whole.T if into else whole) @ values
            return product
        found = np.zeros((rows, values.shape[1]))
        _HUNTING.linked(self.pages, *self._lists, np.ascontiguousarray(values), values.shape[1], into, found)
        return found

    @cached_property
    def _matrix(self) -> csr_array:
        """Pages × nodes: a 1 for each link."""
        from scipy.sparse import csr_array

        places, targets = self.between(0, len(self.pages))
        ends = np.concatenate([[0], np.cumsum(np.bincount(places, minlength=len(self.pages)))])
        return csr_array((np.ones(len(targets)), targets, ends), shape=(len(self.pages), self.count))


class Condensed:
    """What the neighbours of pages say, in a row for each page and each other node to which several pages link.

    Three of four nodes have one page that links to them, and what pages say of them is what that one says: they are
    told by a second row of it.
    """

    def __init__(self, around: Neighbours) -> None:
        degrees, pages = around.in_degrees, len(around.pages)
        several = degrees > 1
        several[around.pages] = False
        nodes = several.nonzero()[0]
        rows = around.linking + np.int32(pages + len(nodes))
        rows[nodes] = np.arange(pages, pages + len(nodes), dtype=np.int32)
        rows[around.pages] = np.arange(pages, dtype=np.int32)
        self._rows, self._single = rows, pages + len(nodes)  # from there on the second rows
        places, (targets, ends, told) = np.arange(pages, dtype=np.int32), around.told_by(rows)
        self._links = Neighbours(places, targets, ends, self._single + pages, told)
        self._degrees = np.maximum(degrees[np.concatenate([around.pages, nodes])], 1.0)[:, None]
        self._out_degrees = np.maximum(around.out_degrees, 1.0)[:, None]

    def sums(self, values: Floats, nodes: Ints) -> Floats:
        """For some nodes, to which none or several pages link or which are pages, the sum over the pages that link
        there, of values by place."""
        found: Floats = self._links.from_sources(values)[self._rows[nodes]]
        return found

    def around(self, values: Floats) -> tuple[Floats, Floats]:
        """For each page the mean over the pages that link to it, of values by place; and over what it links to, where
        what is no page counts as the mean of the pages that link to it."""
        pages = len(values)
        table = self._links.from_sources(values)
        table[: self._single] /= self._degrees
        inherited = table[:pages].copy()
        table[:pages] = table[self._single :] = values
        linked = self._links.from_targets(table)
        linked /= self._out_degrees
        return inherited, linked


def some_columns(values: Floats) -> slice:
    """The columns from the first that is not all 0 to the last. Of several at least two are told: the sum of one alone
    is added up in another order."""
    columns = values.shape[1]
    live = np.flatnonzero((values != 0.0).any(axis=0))
    start, end = (int(live[0]), int(live[-1]) + 1) if len(live) else (0, 0)
    end = max(end, min(start + 2, columns))
    return slice(min(start, max(end - 2, 0)), end)


def smoothed(base: Floats, worth: Floats, around: Neighbours, *, above: float, below: float) -> Floats:
    """The evidence of each page (pages × words), and of the pages around it: those that link there, those it links to.

    e = w · (b + α · mean of the pages that link here + β · mean of what is linked to), done twice, so that it reaches
    two links far; w, in [0, 1], is what a page is worth. What is linked to and was not fetched is taken for the mean of
    the pages that link to it.
    """
    weight = worth[:, None]
    found = weight * base
    for _ in range(2):
        told, linked = around.condensed.around(found)
        told *= above
        told += base
        linked *= below
        told += linked
        told *= weight
        found = told
    return found


class Siblings:
    """What is known of the pages that lists of links name beside each node, as an operator.

    `places` has the place of each node among the pages, `NO_PAGE` of others. Of each list of links those at most
    `reach` places before and after count, a page as often as it stands there.
    """

    def __init__(self, around: Neighbours, places: Ints, reach: int) -> None:
        self._around, self._places, self._reach = around, places, reach
        times = self._times_of_nodes()
        self.nodes = np.flatnonzero(times)
        """Those that stand beside a page."""
        self._times = 1.0 + times[self.nodes, None]
        self._rows = np.zeros(len(places), dtype=np.int32)
        self._rows[self.nodes] = np.arange(len(self.nodes), dtype=np.int32)

    def _blocks(self) -> Iterator[tuple[Ints, Ints, Ints, int]]:
        """The lists in parts, each told as the whole: the pairs of some `BLOCK` links are in memory at once."""
        for sources, targets in self._around.blocks():
            yield sources, targets, self._places, self._reach

    def _times_of_nodes(self) -> Ints:
        """How often a page stands beside each node."""
        count = len(self._places)
        times = np.zeros(count, dtype=np.int64)
        for lists in self._blocks():
            if _HUNTING is not None:
                _HUNTING.beside(*lists, None, None, 1, times)
                continue
            for there, _ in _pairs(*lists):
                times += np.bincount(there, minlength=count)
        return times

    def _sums(self, values: Floats) -> Floats:
        """Of each of `nodes` the sum of the values of all pages beside it."""
        found = np.zeros((len(self.nodes), values.shape[1]))
        whole = np.ascontiguousarray(values, dtype=np.float64)
        for lists in self._blocks():
            if _HUNTING is not None:
                _HUNTING.beside(*lists, self._rows, whole, values.shape[1], found)
                continue
            for there, whose in _pairs(*lists):
                np.add.at(found, self._rows[there], whole[whose])
        return found

    def means(self, values: Floats) -> tuple[Floats, Floats]:
        """Of values of pages by place: the means of `nodes`, and the mean of all pages.

        That counts as one page more, so that a single neighbour is no proof: (μ + Σ v) / (1 + n), at least 0. For all
        other nodes it is all that is known.
        """
        average: Floats = values.mean(axis=0)
        found = self._sums(values)
        found += average
        np.maximum(found, 0.0, out=found)
        found /= self._times
        return found, average


def _blocks(ends: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Pages by place, from one to another, whose lists have some `BLOCK` links together."""
    links = int(ends[-1]) if len(ends) else 0
    starts = np.unique(np.searchsorted(ends, np.arange(0, links, BLOCK), side="right")).tolist()
    yield from zip(starts, [*starts[1:], len(ends)], strict=False)


def _pairs(sources: Ints, targets: Ints, places: Ints, reach: int) -> Iterator[tuple[Ints, Ints]]:
    """The nodes that stand beside a page in a list, and the place of that page, by how far apart they are."""
    whose = places[targets]
    known = np.flatnonzero(whose != NO_PAGE)
    for step, near in _near(known, sources, reach):
        here = known[near]
        yield targets[here + step], whose[here]


def _near(known: Ints, sources: Ints, reach: int) -> Iterator[tuple[int, Marks]]:
    """How far apart links may stand, and which of the known ones have one so far off in the same list."""
    own, last = sources[known], len(sources) - 1
    for step in (*range(-reach, 0), *range(1, reach + 1)):
        there = known + step
        inside = (there >= 0) & (there <= last)
        yield step, inside & (sources[np.clip(there, 0, last)] == own)


def distinguishing_terms(
    holding: Floats, chosen: int, frequencies: NDArray[Any], pages: int, most: int, least: float
) -> Floats:
    """The terms that tell `chosen` pages from all, of length 1: log-odds, cut to the `most` telling ones.

    `holding` says how many of the chosen pages have each term. A term counts that at least `least` of them have, and
    three of them, and whose odds there are at least e times those among all pages (ours; after Robertson and Sparck
    Jones, JASIS 27(3), 1976). The background tells a topic's words from those that every page of a site has, which a
    mere sum of good pages does not.
    """
    often = np.flatnonzero(holding >= max(3.0, least * chosen))
    inside = (holding[often] + 0.1) / (chosen + 0.2)
    outside = (frequencies[often] + 0.5) / (pages + 1)
    telling = np.log(inside / (1 - inside)) - np.log(outside / np.maximum(1 - outside, _LEAST))
    telling[telling < 1.0] = 0.0
    telling = np.minimum(telling, 6.0)
    keep = np.argsort(-telling * holding[often], kind="stable")[:most]
    odds = np.zeros(len(holding))
    odds[often[keep]] = telling[keep]
    length = _length(odds)
    found: Floats = odds / length if length else odds
    return found
