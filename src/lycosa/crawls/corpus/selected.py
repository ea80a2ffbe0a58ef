"""The pages of a crawl as an export has them: some left out, copies named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

from lycosa.crawls.answers import PageRow
from lycosa.crawls.corpus.filters import DUPLICATE, NEAR_DUPLICATE
from lycosa.crawls.corpus.firsts import Firsts, Known
from lycosa.crawls.corpus.selection import Selection
from lycosa.crawls.corpus.translated import Translated
from lycosa.model.nodes import Node
from lycosa.model.url import Url
from lycosa.store.history import History, Row

Visits = Iterator[tuple[Node, Row]]
"""Each with the node that made it, empty where one crawler made all."""


def visits_of(history: History, selection: Selection) -> Iterator[Row]:
    """The visits to choose from."""
    return history.rows(
        all_visits=selection.all_visits,
        nothing_new=selection.nothing_new,
        at=selection.at,
        best_first=selection.best_first,
    )


class Selected:
    """The rows of an export, to be gone through once; each is read when it is come to.

    Invariants, each the name of a property test:

    * all accounted for: what is given and what is `left_out` are together as many as the visits.
    * fewer pages, same rows: whichever are left out, a row that is given is as it is without any rule, but for the
      names of copies.
    """

    def __init__(
        self,
        visits: Visits,
        written: Callable[[Visits], Iterator[PageRow]],
        selection: Selection,
    ) -> None:
        """`written` makes rows of visits, in their order; it may read some ahead."""
        self._visits, self._written = visits, written
        self.selection = selection
        """What was asked for."""
        self._firsts, self._translated = Firsts(), Translated()
        self.given: Counter[str] = Counter()
        """How many of the rows given so far are copies: `duplicate` and `near_duplicate`, of pages given before."""
        self.left_out: Counter[str] = Counter()
        """How many pages each rule has left out so far: the fields of `Filters`, `duplicate` and `near_duplicate`."""

    def __iter__(self) -> Iterator[PageRow]:
        has_rules = bool(self.selection.given_rule)
        visits = self._worth_reading() if has_rules else self._visits
        for row in self._written(visits):
            if has_rules and (rule := self.selection.refused(row)):
                self.left_out[rule] += 1
                continue
            row, kind = self._named(row)
            row = self._alternate(row)
            if kind and self.selection.distinct:
                self.left_out[kind] += 1
                continue
            if kind:
                self.given[kind] += 1
            yield row

    def unnamed(self) -> Iterator[PageRow]:
        """All rows, and no page named as a copy of another: for whoever lists them and does not tell of copies. To look
        for these takes a third of the time of an export with texts. Of a selection without rules."""
        if self.selection.given_rule:
            raise ValueError(f"{self.selection.given_rule} leaves rows out")
        return self._written(self._visits)

    def _alternate(self, row: PageRow) -> PageRow:
        """The row with the page of which it is a copy in another language."""
        urls = [Url(each.partition(" ")[2]) for each in row.alternates]
        first = self._translated.first(row.url, row.final_url, urls)
        return row if first is None else replace(row, alternate_of=first)

    def _worth_reading(self) -> Visits:
        for node, visit in self._visits:
            if rule := self.selection.refused_unread(visit):
                self.left_out[rule] += 1
            else:
                yield node, visit

    def _named(self, row: PageRow) -> tuple[PageRow, str]:
        """The row with the page that it is a copy of, and which kind of copy; empty: none."""
        copy = self._firsts.copy(Known(url=row.url, digest=row.digest, text=row.text))
        if copy.duplicate_of is not None:
            return replace(row, duplicate_of=copy.duplicate_of), DUPLICATE
        if copy.near_duplicate_of is not None:
            return replace(row, near_duplicate_of=copy.near_duplicate_of), NEAR_DUPLICATE
        return row, ""
