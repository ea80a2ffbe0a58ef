"""Runs of words as Markdown: CommonMark 0.31, and the tables of GitHub's dialect (GFM 0.29, section 4.10).

Each run stands in some quotes and items of lists; what it takes to be in them is written before each of its lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from lycosa.model.url import Url
from lycosa.read.boxes.outline import BREAK, LINK, LINK_END, PREFORMATTED, Box, Run
from lycosa.read.resolve import LinkResolver

MAX_NESTED: Final = 12
"""Quotes and lists within one another; deeper ones are written as the deepest that is told."""
MAX_CELL: Final = 300
"""Characters of a cell of data; a table with a longer one is laid out by a table, and its cells are paragraphs."""
_LEVELS: Final = {f"h{level}": level for level in range(1, 7)}
_BIG: Final = frozenset({"table", "ul", "ol", "blockquote", *_LEVELS, *PREFORMATTED})
"""What has no place in a cell of a table."""
_MARKS = re.compile("(\0.)")
_SPECIAL = re.compile(r"([\\`*_\[\]<>~|])|&(?=[#A-Za-z])|!(?=\\?\[)")
_BEGINNING = re.compile(r"(?=[#+=-])|(?<=\d)(?=[.)](?:\s|$))")
_STYLES: Final = {"\0e": ("\0E", "*"), "\0s": ("\0S", "**"), "\0c": ("\0C", "`")}


def markdown(runs: Sequence[Run], base: Url) -> str:
    """The runs, in document order, as Markdown. Links are absolute, and left out where they lead nowhere else."""
    resolver = LinkResolver(base)
    written = ""
    before: tuple[Box, ...] = ()
    begun: set[Box] = set()
    for lines, chain in _blocks(runs, resolver):
        joint = "\n" if _is_tight(before, chain) else "\n\n"
        if joint == "\n\n" and before and chain and before[0] is not chain[0]:
            joint = "\n\n"
        written += (joint if written else "") + _placed(lines, chain, begun)
        before = chain
    return written


def _blocks(runs: Sequence[Run], resolver: LinkResolver) -> Iterator[tuple[list[str], tuple[Box, ...]]]:
    """Lines of each block, and the quotes and items that it stands in, outermost first."""
    at = 0
    data: dict[Box, bool] = {}
    while at < len(runs):
        run = runs[at]
        table = _table_of(run, data)
        if table is None:
            yield _lines(run, resolver), _chain(run.box)
            at += 1
            continue
        until = at
        while until < len(runs) and _within(runs[until].box, table):
            until += 1
        yield _rows(runs[at:until], table, resolver), _chain(table)
        at = until


def _chain(box: Box | None) -> tuple[Box, ...]:
    found: list[Box] = []
    while box is not None:
        if box.tag in ("li", "blockquote", "dd"):
            found.append(box)
        box = box.above
    return tuple(reversed(found))[:MAX_NESTED]


def _placed(lines: list[str], chain: tuple[Box, ...], begun: set[Box]) -> str:
    """The lines behind what tells of their quotes and items; an item's mark is written once."""
    first = rest = ""
    for box in chain:
        if box.tag == "li" or box.tag == "dd":
            mark = _mark(box)
            first += " " * len(mark) if box in begun else mark
            rest += " " * len(mark)
            begun.add(box)
        else:
            first, rest = f"{first}> ", f"{rest}> "
    return "\n".join(f"{rest if at else first}{line}".rstrip() for at, line in enumerate(lines))


def _mark(item: Box) -> str:
    above = item.above
    if above is None or above.tag != "ol":
        return "- "
    place = sum(1 for each in _until(above.items, item) if isinstance(each, Box) and each.tag == "li")
    return f"{min(place, 999_999_999)}. "


def _until(items: Iterable[Box | Run], last: Box) -> Iterator[Box | Run]:
    for each in items:
        yield each
        if each is last:
            return


def _is_tight(before: tuple[Box, ...], chain: tuple[Box, ...]) -> bool:
    """Whether two blocks are items of one list, or an item and its first inner one."""
    if not before or not chain or before[-1] is chain[-1]:
        return False
    lists = {box.above for box in before if box.tag == "li"}
    return chain[-1].tag == "li" and (chain[-1].above in lists or chain[:-1] == before)


def _lines(run: Run, resolver: LinkResolver) -> list[str]:
    if run.box.tag in PREFORMATTED:
        fence = "`" * max(3, 1 + max(map(len, re.findall("`+", run.text)), default=0))
        return [fence, *run.text.split("\n"), fence]
    text = inline(run, resolver)
    if level := _LEVELS.get(run.box.tag):
        return [f"{'#' * level} {text.replace(chr(10), ' ')}"]
    return text.split("\n")


def inline(run: Run, resolver: LinkResolver, *, cell: bool = False) -> str:
    """The words of a run with emphasis, code, links and line breaks."""
    if "\0" not in run.raw:
        return _safe_start(_escaped(run.text))
    text = _Inline(run, resolver).written()
    lines = [" ".join(line.split()) for line in text.split("\n")]
    lines = [line for line in lines if line]
    if cell:
        return " ".join(lines)
    return "\\\n".join(_safe_start(line) for line in lines)


class _Inline:
    """Writes the pieces between the marks."""

    def __init__(self, run: Run, resolver: LinkResolver) -> None:
        self._hrefs = iter(run.hrefs)
        self._resolver = resolver
        self._pieces = _MARKS.split(run.raw)
        self._out: list[str] = []
        self._open: list[tuple[str, str, int]] = []
        """What closes it, what it is written with, and where in `_out` it began."""

    def written(self) -> str:
        for piece in self._pieces:
            if piece[:1] != "\0":
                self._out.append(
                    " ".join(f".{piece}.".split())[1:-1] if self._in_code else _escaped(f"{piece}")
                )
            elif piece == BREAK:
                self._out.append(" " if self._open else "\n")
            elif piece == LINK:
                self._open.append(
                    (LINK_END, self._resolver.resolve(next(self._hrefs, "")) or "", len(self._out))
                )
            elif piece in _STYLES and not self._in_code:
                self._open.append((*_STYLES[piece], len(self._out)))
            else:
                self._close(piece)
        while self._open:
            self._close(self._open[-1][0])
        return "".join(self._out).replace("\t", " ")

    @property
    def _in_code(self) -> bool:
        return any(closes == "\0C" for closes, _, _ in self._open)

    def _close(self, mark: str) -> None:
        """Close what is open innermost, if this mark does; marks that overlap are left out."""
        if not self._open or self._open[-1][0] != mark:
            return
        _, sign, since = self._open.pop()
        inside = "".join(self._out[since:])
        words = inside.strip()
        del self._out[since:]
        if not words or not sign:
            self._out.append(inside)
            return
        before = inside[: len(inside) - len(inside.lstrip())]
        behind = inside[len(inside.rstrip()) :]
        self._out.append(f"{before}{_wrapped(' '.join(words.split()), sign)}{behind}")


def _wrapped(words: str, sign: str) -> str:
    if sign == "`":
        fence = "`" * (1 + max(map(len, re.findall("`+", words)), default=0))
        edge = " " if words[0] == "`" or words[-1] == "`" else ""
        return f"{fence}{edge}{words}{edge}{fence}"
    if sign[0] == "*":
        return f"{sign}{words}{sign}" if words[0].isalnum() and words[-1].isalnum() else words
    return f"[{words}](<{sign}>)" if re.search(r"[()\s]", sign) else f"[{words}]({sign})"


def _escaped(text: str) -> str:
    """Text of which no sign means anything in Markdown."""
    return _SPECIAL.sub(lambda found: f"\\{found[0]}", text)


def _safe_start(line: str) -> str:
    """A line that begins no heading, list or rule."""
    head, tail = line[:12], line[12:]
    found = re.match(r"\s*(?:(?=[#+=-])|\d{1,9}(?=[.)](?:\s|$)))", head)
    return f"{head[: found.end()]}\\{head[found.end() :]}{tail}" if found else line


# -- tables


def _table_of(run: Run, known: dict[Box, bool]) -> Box | None:
    """The table of data that a run stands in."""
    box: Box | None = run.box
    while box is not None:
        if box.tag == "table":
            if box not in known:
                known[box] = _is_data(box)
            return box if known[box] else None
        box = box.above
    return None


def _is_data(table: Box) -> bool:
    """Whether it has rows and columns of short cells, and nothing that Markdown has no place for in a cell."""
    rows = 0
    columns = 0
    for box in table.boxes():
        if box is not table and box.tag in (
            "table",
            "ul",
            "ol",
            "blockquote",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            *PREFORMATTED,
        ):
            return False
        if box.tag == "tr":
            cells = [each for each in box.items if isinstance(each, Box)]
            rows += bool(cells)
            columns = max(columns, len(cells))
        elif box.tag in ("td", "th") and (box.letters > MAX_CELL or sum(1 for each in box.runs()) > 4):
            return False
    return rows > 1 and columns > 1


def _rows(runs: Sequence[Run], table: Box, resolver: LinkResolver) -> list[str]:
    """A table: its caption as a line above, its first row as the head."""
    chosen = set(map(id, runs))
    above = [
        inline(run, resolver)
        for box in table.boxes()
        if box.tag == "caption"
        for run in box.runs()
        if id(run) in chosen
    ]
    written = []
    for row in table.boxes():
        if row.tag != "tr":
            continue
        cells = [
            " ".join(inline(run, resolver, cell=True) for run in cell.runs() if id(run) in chosen)
            for cell in row.items
            if isinstance(cell, Box)
        ]
        if any(cells):
            written.append(cells)
    stray = [
        inline(run, resolver)
        for run in runs
        if not any(each.tag in ("td", "th", "caption") for each in _up_to(run.box, table))
    ]
    width = max(map(len, written), default=0)
    lines = [f"| {' | '.join([*cells, *[''] * (width - len(cells))])} |" for cells in written]
    if lines:
        lines.insert(1, f"|{' --- |' * width}")
    return [*(line for each in [*above, *stray] for line in (each, "")), *lines]


def _up_to(box: Box | None, top: Box) -> Iterator[Box]:
    while box is not None and box is not top:
        yield box
        box = box.above


def _within(box: Box | None, table: Box) -> bool:
    while box is not None:
        if box is table:
            return True
        box = box.above
    return False


def as_markdown(paragraphs: Iterable[str]) -> str:
    """Lines of plain text as paragraphs of Markdown."""
    return "\n\n".join(_safe_start(_escaped(line)) for line in paragraphs if line)
