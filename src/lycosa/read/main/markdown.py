"""Runs of words as Markdown: CommonMark 0.31, and the tables of GitHub's dialect (GFM 0.29, section 4.10).

Each block stands in some quotes and items of lists; what it takes to be in them is written before each of its lines.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lycosa.model.url import Url
from lycosa.read.boxes.outline import HEADINGS, PREFORMATTED, Box, Outline, Run
from lycosa.read.main.inline import escaped, fence, inline, safe
from lycosa.read.resolve import LinkResolver

MAX_NESTED: Final = 12
"""Quotes and items within one another; what is deeper is written as if in the last of these."""
MAX_CELL: Final = 300
"""Characters of a cell of data. A table with a longer one is for layout, and what it holds are paragraphs."""
MAX_IN_CELL: Final = 4
"""Runs in a cell of data."""
_BAR = re.compile(r"(?<!\\)\|")
"""One in code, where it is not escaped yet."""
_CELLS: Final = frozenset({"td", "th"})
_NOT_IN_CELLS: Final = frozenset({"table", "ul", "ol", "blockquote", *HEADINGS, *PREFORMATTED})

Chain = tuple[Box, ...]
"""Quotes and items of lists around a block, outermost first."""


def markdown(runs: Sequence[Run], page: Outline, base: Url) -> str:
    """Some runs of a page, in document order, as Markdown. Links are absolute."""
    return _Writer(page, LinkResolver(base)).written(runs)


def paragraphs(lines: Iterable[str]) -> str:
    """Lines of plain text as paragraphs of Markdown."""
    return "\n\n".join(safe(escaped(line)) for line in lines if line)


class _Writer:
    def __init__(self, page: Outline, resolver: LinkResolver) -> None:
        self._page = page
        self._resolver = resolver
        self._marks: dict[Box, str] = {}
        """The marks of items that have begun."""
        self._numbers: Counter[Box] = Counter()
        """Items of each ordered list so far."""
        self._data: dict[Box, bool] = {}
        """Of each table, whether it is one of data."""
        self._around: dict[Box | None, tuple[Chain, Box | None]] = {None: ((), None)}
        """Of each box, the quotes and items, and the innermost table, that it stands in, itself included."""
        for box in page.boxes:
            chain, table = self._around[box.above]
            if box.tag in ("li", "blockquote") and len(chain) < MAX_NESTED:
                chain = (*chain, box)
            self._around[box] = chain, box if box.tag == "table" else table

    def written(self, runs: Sequence[Run]) -> str:
        pieces: list[str] = []
        before: Chain = ()
        for lines, chain in self._blocks(runs):
            if pieces:
                pieces.append("\n" if _is_tight(before, chain) else f"\n{self._between(before, chain)}\n")
            pieces.append(self._placed(lines, chain))
            before = chain
        return "".join(pieces)

    def _blocks(self, runs: Sequence[Run]) -> Iterator[tuple[list[str], Chain]]:
        at = 0
        while at < len(runs):
            run = runs[at]
            table = self._table_of(run.box)
            if table is None:
                yield self._lines(run), self._around[run.box][0]
                at += 1
            else:
                until = self._until(runs, at, table)
                yield self._rows(runs[at:until], table), self._around[table][0]
                at = until

    def _until(self, runs: Sequence[Run], at: int, table: Box) -> int:
        """The place of the first run, from a place on, that is behind the table."""
        while at < len(runs) and self._around[runs[at].box][1] is table:
            at += 1
        return at

    def _lines(self, run: Run) -> list[str]:
        tag = run.box.tag
        if tag in PREFORMATTED:
            ticks = fence(run.text, 3)
            return [ticks, *run.text.split("\n"), ticks]
        lines = inline(run, self._resolver)
        if tag in HEADINGS:
            return [f"{'#' * int(tag[1])} {' '.join(lines)}"]
        return [*(f"{line}\\" for line in lines[:-1]), lines[-1]]

    # -- quotes and lists

    def _placed(self, lines: Sequence[str], chain: Chain) -> str:
        """The lines, each behind what tells of its quotes and items. An item's mark is written once."""
        first = rest = ""
        for box in chain:
            if box.tag == "blockquote":
                first, rest = f"{first}> ", f"{rest}> "
                continue
            begun = box in self._marks
            mark = self._marks[box] if begun else self._mark(box)
            first += " " * len(mark) if begun else mark
            rest += " " * len(mark)
        return "\n".join(f"{rest if at else first}{line}".rstrip() for at, line in enumerate(lines))

    def _mark(self, item: Box) -> str:
        """A dash, or the number; only lists that begin with 1 may follow a paragraph at once (CommonMark, 5.3)."""
        above = item.above
        mark = "- "
        if above is not None and above.tag == "ol":
            self._numbers[above] += 1
            mark = f"{self._numbers[above]}. "
        self._marks[item] = mark
        return mark

    def _between(self, before: Chain, chain: Chain) -> str:
        """A blank line between two blocks, within the quotes that both are in."""
        both = [one for one, other in zip(before, chain, strict=False) if one is other]
        if not any(box.tag == "blockquote" for box in both):
            return ""
        signs = ("> " if box.tag == "blockquote" else " " * len(self._marks[box]) for box in both)
        return "".join(signs).rstrip()

    # -- tables

    def _table_of(self, box: Box) -> Box | None:
        """The table of data around a box."""
        table = self._around[box][1]
        if table is not None and table not in self._data:
            self._data[table] = self._is_data(table)
        return table if table is not None and self._data[table] else None

    def _is_data(self, table: Box) -> bool:
        """Whether it has rows and columns of short cells, and nothing that Markdown has no place for in a cell."""
        boxes = self._page.boxes[table.place + 1 : table.until]
        if any(box.tag in _NOT_IN_CELLS for box in boxes):
            return False
        cells = [box for box in boxes if box.tag in _CELLS]
        if any(cell.letters > MAX_CELL or cell.end - cell.begin > MAX_IN_CELL for cell in cells):
            return False
        rows = Counter(cell.above for cell in cells)
        return len(rows) > 1 and max(rows.values()) > 1

    def _rows(self, chosen: Sequence[Run], table: Box) -> list[str]:
        """The first row is the head, as Markdown has no table without. What stands in no cell goes before it."""
        columns: dict[Box, dict[Box, list[str]]] = {}
        above: list[str] = []
        for run in chosen:
            words = _BAR.sub(r"\\|", " ".join(inline(run, self._resolver)))
            cell = next((box for box in _upward(run.box) if box.tag in _CELLS or box is table), table)
            if cell is table or cell.above is None:
                above += (words, "")
            else:
                columns.setdefault(cell.above, {}).setdefault(cell, []).append(words)
        rows = [
            [" ".join(cells.get(cell, ())) for cell in self._page.inner(row) if cell.tag in _CELLS]
            for row, cells in columns.items()
        ]
        width = max(map(len, rows), default=0)
        lines = [f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |" for cells in rows]
        return [*above, *lines[:1], *([f"|{' --- |' * width}"] if lines else []), *lines[1:]]


def _is_tight(before: Chain, chain: Chain) -> bool:
    """Whether two blocks are items of one list, or an item and the first that is in it."""
    if not before or not chain or chain[-1].tag != "li" or chain[-1] in before:
        return False
    return chain[:-1] == before or any(box.above is chain[-1].above for box in before)


def _upward(box: Box | None) -> Iterator[Box]:
    while box is not None:
        yield box
        box = box.above
