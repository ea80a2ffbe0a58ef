"""A crawl's pages as files of other programs: JSON lines, CSV, Parquet, a page at a time."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from operator import itemgetter
from types import SimpleNamespace
from typing import Any, BinaryIO, Final

import msgspec
from msgspec import structs

from lycosa.crawls.answers import PageRow
from lycosa.crawls.frames import Line, arrow_schema, arrow_tables, column_types, encodable, shape_of
from lycosa.model.moments import iso

AT_A_TIME: Final = 100
"""Rows that are written together."""


def write_jsonl(rows: Iterable[Line], file: BinaryIO, row_type: type[PageRow] | None = None) -> int:
    """One JSON object a line: the columns of `PageRow`, or of the type of the rows. Returns how many."""
    names, cells = shape_of(row_type or PageRow)
    line: Any = msgspec.defstruct("Line", [(name, Any) for name in names], gc=False)
    encode = msgspec.json.Encoder().encode_lines
    count, stream = 0, iter(rows)
    while group := [line(*cells(row)) for row in islice(stream, AT_A_TIME)]:
        for each in group:
            each.fetched_at = iso(each.fetched_at)
        try:
            file.write(encode(group))
        except UnicodeEncodeError:  # half a surrogate pair
            file.write(encode([line(*map(encodable, structs.astuple(each))) for each in group]))
        count += len(group)
    return count


def write_csv(rows: Iterable[Line], file: BinaryIO, row_type: type[PageRow] | None = None) -> int:
    """Comma-separated values as in RFC 4180, in UTF-8, a line of names first: those of `PageRow`, or of the type of the
    rows. Several authors or licences are parted by `; `. Returns how many pages.

    No cell is a formula to a spreadsheet (OWASP, CSV injection), and none holds control characters.
    """
    return _write_csv(rows, file, _harmless, row_type)


def write_raw_csv(rows: Iterable[Line], file: BinaryIO, row_type: type[PageRow] | None = None) -> int:
    """As `write_csv`, with all cells as they are: for programs."""
    return _write_csv(rows, file, _plain, row_type)


def _write_csv(
    rows: Iterable[Line], file: BinaryIO, cell: Callable[[Any], Any], row_type: type[PageRow] | None
) -> int:
    names, cells = shape_of(row_type or PageRow)
    types = column_types(row_type or PageRow)
    lists = [place for place, name in enumerate(names) if types[name] == "list<string>"]
    texts = itemgetter(*(place for place, name in enumerate(names) if "string" in types[name]))
    time = names.index("fetched_at")
    whole, parts = names.index("text"), list[str]()
    writer = csv.writer(SimpleNamespace(write=parts.append))
    writer.writerow(names)
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - the count outlives the loop
        line = list(cells(row))
        line[time] = iso(line[time])
        for place in lists:
            line[place] = _plain(line[place])
        text, line[whole] = line[whole], ""
        if not _need_no_care(texts(line)):
            line = list(map(cell, line))
        if text:
            writer.writerows((line[:whole], line[whole + 1 :]))
            parts[-2:] = parts[-2].removesuffix("\r\n"), ",", _quoted(cell(text)), ",", parts[-1]
        else:
            writer.writerow(line)
        file.write("".join(parts).encode())
        parts.clear()
    file.write("".join(parts).encode())
    return count


def _quoted(cell: str) -> str:
    """A cell as `csv` writes it, which looks at each of its letters twice: of a long text that takes a third of the
    export."""
    return '"' + cell.replace('"', '""') + '"' if any(sign in cell for sign in '\n,"\r') else cell


def write_parquet(rows: Iterable[Line], file: BinaryIO, row_type: type[PageRow] | None = None) -> int:
    """A Parquet file; times are timestamps in milliseconds, UTC. Returns how many pages."""
    schema = arrow_schema(row_type or PageRow)
    import pyarrow.parquet as pq  # type: ignore[import-not-found, import-untyped, unused-ignore]

    count = 0
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        for table in arrow_tables(rows, row_type or PageRow):
            writer.write_table(table)
            count += table.num_rows
    return count


WRITERS: Final[Mapping[str, Callable[..., int]]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "raw-csv": write_raw_csv,
    "parquet": write_parquet,
}
"""By the names of the formats."""


def _plain(value: Any) -> Any:
    """A cell as it is; what is several is joined."""
    if isinstance(value, tuple):
        return "; ".join(map(encodable, value))
    return encodable(value)


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that a spreadsheet takes for a formula; the last four are full-width forms of the first."""
_CONTROLS = {code: " " for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}


_PART = "|"
_DOUBTFUL = tuple(_PART + start for start in (" ", *FORMULA))


def _need_no_care(cells: Iterable[str | None]) -> bool:
    """Whether all of these cells, most of which are short, may be written as they are: looked through as one text."""
    together = _PART + _PART.join(filter(None, cells))
    return together.isascii() and together.isprintable() and not any(each in together for each in _DOUBTFUL)


def _harmless(value: Any) -> Any:
    """A cell that a spreadsheet shows and does not run: text gets an apostrophe before it where it must."""
    cell = _plain(value)
    if not isinstance(cell, str):
        return cell
    shown = cell.translate(_CONTROLS)
    return f"'{shown}" if shown.lstrip(" ").startswith(FORMULA) else shown
