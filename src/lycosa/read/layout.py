"""From words with places on printed pages to rows in reading order: columns, running heads.

Most files hold their text in reading order already, but not all, and none says where a column ends. So rows are put in
order by where they stand. A page has columns if a gutter parts much of its text into rows left and right of it; rows
that cross the gutter (title, wide tables) part it into zones, which are read from the top, and in each the left side
first. Sides are looked at in the same way, so there may be more than two columns. The idea is the recursive cut of
Nagy and Seth ("Hierarchical representation of optically scanned documents", ICPR 1984), with the edges of rows instead
of white space as candidates: those are few, so the work is linear in the rows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import Final

from lycosa.model.records import Record

SAME_LINE: Final = 0.5
"""Of the larger size: baselines nearer than this are one line, so that raised figures stay in theirs."""
WORD_GAP: Final = 1.2
"""Of the size: a wider gap between two words begins another row, as it may be a gutter."""
CANDIDATES: Final = 8
LEAST_SIDE: Final = 0.15
"""Of the characters of a region, on each side of a gutter."""
LEAST_ROW: Final = 2.5
"""Words a row on each side: with fewer it is a table, or a list with its numbers."""
OVERHANG: Final = 6.0
"""Points by which a row may reach over a gutter."""
DEEPEST: Final = 3
"""Gutters within gutters."""
MARGIN: Final = 0.12
"""Of the page's height, at top and bottom: where running heads stand."""
LONGEST: Final = 200
"""Rows of a paragraph: what is longer is none, and would be put together slowly."""
_DIGITS = re.compile(r"\d+")


class Word(Record, frozen=True, gc=False):
    """A word on a page. Lengths are points, from the left and from the top of the page as it is shown."""

    text: str
    left: float
    right: float
    base: float
    """Of its baseline."""
    size: float
    bold: bool = False


class Row(Record, frozen=True, dict=True):
    """Words that stand side by side, from the left."""

    words: tuple[Word, ...]
    page: int
    running: bool = False
    """It is a running head, a page number, or text that runs upwards in the margin."""

    @cached_property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @cached_property
    def left(self) -> float:
        return self.words[0].left

    @cached_property
    def right(self) -> float:
        return max(word.right for word in self.words)

    @cached_property
    def base(self) -> float:
        return self.words[0].base

    @cached_property
    def size(self) -> float:
        """That of most of its characters."""
        sizes = Counter[float]()
        for word in self.words:
            sizes[word.size] += len(word.text)
        return max(sizes, key=lambda size: (sizes[size], size))

    @cached_property
    def bold(self) -> bool:
        return 2 * sum(word.bold for word in self.words) > len(self.words)

    @cached_property
    def letters(self) -> int:
        return sum(len(word.text) for word in self.words)


class Sheet(Record, frozen=True):
    """A printed page: its columns in reading order, each of rows from the top."""

    width: float
    height: float
    columns: tuple[tuple[Row, ...], ...]

    @property
    def rows(self) -> Iterator[Row]:
        return (row for column in self.columns for row in column)


def sheet(words: Sequence[Word], page: int, width: float, height: float) -> Sheet:
    """The page of words that are given in the order of the file."""
    return Sheet(width, height, tuple(tuple(_joined(column)) for column in _ordered(_runs(words, page), 0)))


def _runs(words: Sequence[Word], page: int) -> list[Row]:
    """Rows of words that follow each other in the file and on the page."""
    runs: list[list[Word]] = []
    for word in words:
        if runs and _follows(runs[-1][-1], word):
            runs[-1].append(word)
        else:
            runs.append([word])
    return [Row(tuple(run), page) for run in runs]


def _follows(before: Word, word: Word) -> bool:
    size = max(before.size, word.size)
    gap = word.left - before.right
    return abs(word.base - before.base) < SAME_LINE * size and -0.5 * size < gap < WORD_GAP * size


def _ordered(rows: list[Row], depth: int) -> list[list[Row]]:
    gutter = _gutter(rows) if depth < DEEPEST and len(rows) > 5 else None
    if gutter is None:
        return [rows] if rows else []
    columns: list[list[Row]] = []
    sides: tuple[list[Row], list[Row]] = ([], [])
    across: list[Row] = []

    def flush() -> None:
        for side in sides:
            columns.extend(_ordered(list(side), depth + 1))
            side.clear()

    for row in sorted(rows, key=lambda row: row.base):
        if row.right <= gutter + OVERHANG or row.left >= gutter - OVERHANG:
            if across:
                columns.append(list(across))
                across.clear()
            sides[row.left >= gutter - OVERHANG].append(row)
        else:
            flush()
            across.append(row)
    flush()
    return [*columns, across] if across else columns


def _gutter(rows: Sequence[Row]) -> float | None:
    """Where a column begins that is not the first, None if there is one column."""
    left, right = min(row.left for row in rows), max(row.right for row in rows)
    total = sum(row.letters for row in rows)
    starts = Counter(round(row.left / 3) * 3.0 for row in rows)
    best, found = 0, None
    for start, often in starts.most_common(CANDIDATES):
        if often < 3 or not left + 0.2 * (right - left) < start < left + 0.85 * (right - left):
            continue
        at = start - 1.5
        parted = [
            [row for row in rows if row.right <= at + OVERHANG],
            [row for row in rows if row.left >= at - 1.5],
        ]
        least = min(sum(row.letters for row in side) for side in parted)
        if (
            least > best
            and least >= LEAST_SIDE * total
            and all(map(_is_column, parted))
            and _abreast(*parted)
        ):
            best, found = least, at
    return found


def _is_column(rows: Sequence[Row]) -> bool:
    wordy = sum(any(map(str.isalpha, word.text)) for row in rows for word in row.words)
    lines = len({round(row.base / 3) for row in rows})
    return lines >= 4 and wordy / lines >= LEAST_ROW


def _abreast(one: Sequence[Row], other: Sequence[Row]) -> bool:
    """Whether two sides stand beside each other for a good part of the lower one."""
    spans = [(min(row.base for row in side), max(row.base for row in side)) for side in (one, other)]
    shared = min(end for _, end in spans) - max(begin for begin, _ in spans)
    return shared >= 0.3 * min(end - begin for begin, end in spans)


def _joined(column: list[Row]) -> Iterator[Row]:
    """Rows from the top; what stands on one line is one row."""
    line: list[Row] = []
    for row in sorted(column, key=lambda row: row.base):
        if line and row.base - line[0].base >= SAME_LINE * min(line[0].size, row.size):
            yield _one(line)
            line = []
        line.append(row)
    if line:
        yield _one(line)


def _one(line: list[Row]) -> Row:
    if len(line) == 1:
        return line[0]
    line.sort(key=lambda row: row.left)
    return Row(tuple(word for row in line for word in row.words), line[0].page)


def with_running(sheets: Sequence[Sheet]) -> tuple[Sheet, ...]:
    """The pages with their running heads told apart: rows in the margins that stand on several pages with other
    figures, and lone figures there."""
    heads = Counter(key for one in sheets for key in {_head(row) for row in one.rows if _in_margin(row, one)})
    often = max(2, min(3, len(sheets) // 2))

    def told(row: Row, one: Sheet) -> Row:
        if not _in_margin(row, one):
            return row
        is_number = row.text.strip("-–— .").isdigit()
        same = heads[_head(row)] >= often
        return Row(row.words, row.page, running=True) if is_number or same else row

    return tuple(
        Sheet(one.width, one.height, tuple(tuple(told(row, one) for row in column) for column in one.columns))
        for one in sheets
    )


def _in_margin(row: Row, one: Sheet) -> bool:
    return not MARGIN * one.height < row.base < (1 - MARGIN) * one.height


def _head(row: Row) -> str:
    return _DIGITS.sub("#", row.text.casefold())


def body_size(sheets: Iterable[Sheet]) -> float:
    """The size of most characters, in points; 0 without any."""
    sizes = Counter[float]()
    for one in sheets:
        for row in one.rows:
            sizes[row.size] += row.letters
    return max(sizes, key=lambda size: (sizes[size], size), default=0.0)


# -- paragraphs ----------------------------------------------------------------------------------------------

_ENDS = re.compile(r"[.!?:;…。！？][\"'”’)\]]*$")
_ITEM = re.compile(r"(?:\[\w{1,12}\+?\]|\(?\d{1,3}[.)]|[•▪◦‣·*–—-])(?:\s|$)")


class Paragraph(Record, frozen=True):
    """Rows that belong together. It may go on in the next column or on the next page."""

    rows: tuple[Row, ...]

    @property
    def running(self) -> bool:
        return self.rows[0].running


def paragraphs(sheets: Sequence[Sheet]) -> Iterator[Paragraph]:
    """The rows of all pages in paragraphs, running heads apart in theirs."""
    waiting: list[Row] = []
    for one in sheets:
        for column in one.columns:
            for is_running, rows in groupby(column, key=lambda row: row.running):
                if is_running:
                    yield from (Paragraph((row,)) for row in rows)
                    continue
                for part in _parts(list(rows)):
                    if waiting and not _goes_on(waiting, part):
                        yield Paragraph(tuple(waiting))
                        waiting = []
                    waiting += part
    if waiting:
        yield Paragraph(tuple(waiting))


def _goes_on(before: Sequence[Row], part: Sequence[Row]) -> bool:
    """Whether a paragraph goes on elsewhere. Within a column it was decided before: there the rows touch."""
    last, first = before[-1], part[0]
    if len(before) + len(part) > LONGEST:
        return False
    beneath = last.page == first.page and first.base > last.base
    if beneath or abs(last.size - first.size) > 0.1 * last.size or last.bold != first.bold:
        return False
    return first.text[:1].islower() and not _ENDS.search(last.text)


def _parts(column: Sequence[Row]) -> Iterator[list[Row]]:
    """The paragraphs of one column."""
    left, right = min(row.left for row in column), max(row.right for row in column)
    steps = Counter(round(b.base - a.base) for a, b in pairwise(column))
    leading = max(steps, key=lambda step: (steps[step], -step), default=0)
    part: list[Row] = []
    for row in column:
        if part and _begins(part, row, left, right, leading):
            yield part
            part = []
        part.append(row)
    yield part


def _begins(part: Sequence[Row], row: Row, left: float, right: float, leading: float) -> bool:
    before = part[-1]
    size = max(before.size, row.size)
    if abs(before.size - row.size) > 0.12 * size or len(part) >= LONGEST:
        return True
    if row.base - before.base > max(1.3 * leading, 1.6 * size) or _ITEM.match(row.text):
        return True
    ends_short = before.right < right - 0.12 * (right - left)
    if before.bold != row.bold and (ends_short or before.bold):
        return True
    indented = row.left > before.left + 0.8 * size
    if indented:  # a hanging indent follows on the first row of a paragraph, any other indent begins one
        return len(part) > 1 or ends_short
    outdented = row.left < before.left - 0.8 * size
    if outdented and len(part) > 1:  # back from a hanging indent
        return True
    return ends_short and bool(_ENDS.search(before.text)) and not row.text[:1].islower()
