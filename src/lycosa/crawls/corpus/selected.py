"""The pages of a crawl as an export has them: some left out, copies named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypedDict, TypeVar

from msgspec import structs

from lycosa.crawls.answers import PageRow
from lycosa.crawls.corpus.filters import DUPLICATE, NEAR_DUPLICATE
from lycosa.crawls.corpus.firsts import NO_COPY, Firsts
from lycosa.crawls.corpus.selection import Selection
from lycosa.crawls.corpus.translated import Translated
from lycosa.crawls.frames import Line, fields_of
from lycosa.model.nodes import Node
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.store.history import History, Listed, Row

Visit = TypeVar("Visit", Row, Listed)
Visits = Iterator[tuple[Node, Visit]]
"""Each with the node that made it, empty where one crawler made all."""


def visits_of(history: History, selection: Selection) -> Iterator[Row]:
    """The visits to choose from."""
    return history.rows(**_chosen(selection))


def listed_of(history: History, selection: Selection) -> Iterator[Listed]:
    """The same, where no page is read."""
    return history.listed(**_chosen(selection))


class _Chosen(TypedDict):
    all_visits: bool
    nothing_new: bool
    at: Millis | None
    best_first: bool


def _chosen(selection: Selection) -> _Chosen:
    return {
        "all_visits": selection.all_visits,
        "nothing_new": selection.nothing_new,
        "at": selection.at,
        "best_first": selection.best_first,
    }


class Selected:
    """The rows of an export, to be gone through once; each is read when it is come to.

    Invariants, each the name of a property test:

    * all accounted for: what is given and what is `left_out` are together as many as the visits.
    * fewer pages, same rows: whichever are left out, a row that is given is as it is without any rule, but for the
      names of copies.
    """

    def __init__(
        self,
        visits: Visits[Visit],
        written: Callable[[Visits[Visit]], Iterator[Line]],
        selection: Selection,
    ) -> None:
        """`written` makes rows of visits, in their order; it may read some ahead."""
        self.selection = selection
        """What was asked for."""
        self._firsts, self._translated = Firsts(), Translated()
        self.given: Counter[str] = Counter()
        """How many of the rows given so far are copies: `duplicate` and `near_duplicate`, of pages given before."""
        self.left_out: Counter[str] = Counter()
        """How many pages each rule has left out so far: the fields of `Filters`, `duplicate` and `near_duplicate`."""
        self._lines = written(self._worth_reading(visits) if selection.given_rule else visits)

    def __iter__(self) -> Iterator[PageRow]:
        return map(_as_row, self.lines())

    def lines(self) -> Iterator[Line]:
        """The same for whoever only writes their columns down: where no page is read they are made sooner."""
        has_rules = bool(self.selection.given_rule)
        for row in self._lines:
            if has_rules and (rule := self.selection.refused(row)):
                self.left_out[rule] += 1
                continue
            line, kind = self._named(row)
            if line.alternates:
                line = self._alternate(line)
            if kind and self.selection.distinct:
                self.left_out[kind] += 1
                continue
            if kind:
                self.given[kind] += 1
            yield line

    def unnamed(self) -> Iterator[Line]:
        """All rows, and no page named as a copy of another: for whoever lists them and does not tell of copies. To look
        for these takes a third of the time of an export with texts. Of a selection without rules."""
        if self.selection.given_rule:
            raise ValueError(f"{self.selection.given_rule} leaves rows out")
        return self._lines

    def _alternate(self, row: Line) -> Line:
        """The row with the page of which it is a copy in another language."""
        urls = [Url(each.partition(" ")[2]) for each in row.alternates]
        first = self._translated.first(row.url, row.final_url, urls)
        return row if first is None else _with(row, alternate_of=first)

    def _worth_reading(self, visits: Visits[Visit]) -> Visits[Visit]:
        for node, visit in visits:
            if rule := self.selection.refused_unread(visit):
                self.left_out[rule] += 1
            else:
                yield node, visit

    def _named(self, row: Line) -> tuple[Line, str]:
        """The row with the page that it is a copy of, and which kind of copy; empty: none."""
        copy = self._firsts.copy(row)
        if copy is NO_COPY:
            return row, ""
        if copy.duplicate_of is not None:
            return _with(row, duplicate_of=copy.duplicate_of), DUPLICATE
        return _with(row, near_duplicate_of=copy.near_duplicate_of), NEAR_DUPLICATE


def _with(row: Line, **columns: Any) -> Line:
    return structs.replace(row, **columns) if isinstance(row, Listed) else replace(row, **columns)


def _as_row(line: Line) -> PageRow:
    return line if isinstance(line, PageRow) else PageRow(**fields_of(line))
