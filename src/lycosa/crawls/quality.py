"""By how much a visit changes the answers to queries: the crawl's own index as the engine, a log of queries as people.

Pandey & Olston, User-centric web crawling, WWW 2005. For a page p whose new version enters the index

    |ΔQ| = Σ_q share(q) · |V(rank after) - V(rank before)| · rel(p, q)

where rel is p's score by that of the query's best answer, in [0, 1], of the two versions the better one's. Only p's own
ranks are counted: that others move up when p goes down is the same change once more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.revisit.user_centric import attention
from lycosa.sources.queries import Asked
from lycosa.store.full_text import Entry, TextIndex

DEPTH: Final = 100
"""Answers of a query that are looked at: the hundredth gets a thousandth of the attention of the first."""


class Standing(Record, frozen=True, kw_only=True, gc=False):
    """How a page answers one query."""

    rank: int = 0
    """From 1; 0: not among the first answers."""
    score: float = 0.0
    """In [0, 1]: by that of the best answer."""


NOWHERE: Final = Standing()


class Noticed(Record, frozen=True, kw_only=True, gc=False):
    """What people notice of a page."""

    gain: float
    """|ΔQ| of its last visit."""
    standing: float
    """Σ_q share(q) · V(rank) · rel: what the page is to the answers now."""


def gain(share: float, before: Standing, after: Standing) -> float:
    """One query's part of |ΔQ|.

    >>> gain(1.0, Standing(rank=1, score=1.0), Standing(rank=4, score=0.5))
    0.875
    """
    moved = abs(attention(after.rank) - attention(before.rank))
    return share * moved * max(before.score, after.score)


class Engine:
    """A full-text index and those who ask it.

    Invariants, each the name of a property test:

    * a page in no query's answers gains nothing.
    * the same text again gains nothing.
    """

    def __init__(self, index: TextIndex, queries: Sequence[Asked], depth: int = DEPTH) -> None:
        self._index, self._queries, self._depth = index, queries, depth

    def take_in(self, pages: Iterable[Entry]) -> Mapping[int, Noticed]:
        """Add pages to the index; by step, what is noticed of each.

        Two searches a query, however many pages there are: so pages that come together are told apart from all that was
        there, but not from one another.
        """
        entries = list(pages)
        urls = {url for _, url, _, _ in entries}
        before = self._answered(urls)
        self._index.add(entries)
        after = self._answered(urls)
        return {
            step: Noticed(
                gain=self._gain(before.get(url, {}), after.get(url, {})),
                standing=self._gain({}, after.get(url, {})),
            )
            for step, url, _, _ in entries
        }

    def standing(self) -> Mapping[Url, float]:
        """What each page is to the answers: Σ_q share(q) · V(rank) · rel. Those in no answer are left out."""
        return {url: self._gain({}, answered) for url, answered in self._answered().items()}

    def _answered(self, urls: set[Url] | None = None) -> Mapping[Url, Mapping[int, Standing]]:
        """How these pages, or all, answer the queries, which are told by their number; only what they do answer."""
        found: dict[Url, dict[int, Standing]] = {}
        for number, query in enumerate(self._queries):
            answers = self._index.ranked(query.words, self._depth)
            best = answers[0][1] if answers else 0.0
            for rank, (url, score) in enumerate(answers, 1):
                if urls is None or url in urls:
                    relative = score / best if best > 0 else 1.0
                    found.setdefault(url, {})[number] = Standing(rank=rank, score=relative)
        return found

    def _gain(self, before: Mapping[int, Standing], after: Mapping[int, Standing]) -> float:
        return sum(
            gain(self._queries[number].share, before.get(number, NOWHERE), after.get(number, NOWHERE))
            for number in sorted({*before, *after})
        )
