"""A crawl's pages as files of other programs: JSON lines, CSV, Parquet, a page at a time."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, Final

import msgspec

from lycosa.crawls.answers import PageRow
from lycosa.crawls.frames import arrow_schema, arrow_tables, columns_of, encodable, fields_of, values_of
from lycosa.model.moments import iso


def write_jsonl(rows: Iterable[PageRow], file: BinaryIO, row_type: type[PageRow] | None = None) -> int:
    """One JSON object a line, whatever the type of the rows. Returns how many."""
    encode = msgspec.json.Encoder().encode
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - the count outlives the loop
        try:
            line = encode(_told(fields_of(row)))
        except UnicodeEncodeError:  # half a surrogate pair
            line = encode(_told(values_of(row)))
        file.write(line + b"\n")
    return count


def write_csv(rows: Iterable[PageRow], file: BinaryIO, row_type: type[PageRow] | None = None) -> int:
    """Comma-separated values as in RFC 4180, in UTF-8, a line of names first: those of `PageRow`, or of the type of the
    rows. Several authors or licences are parted by `; `. Returns how many pages.

    No cell is a formula to a spreadsheet (OWASP, CSV injection), and none holds control characters.
    """
    return _write_csv(rows, file, _harmless, row_type)


def write_raw_csv(rows: Iterable[PageRow], file: BinaryIO, row_type: type[PageRow] | None = None) -> int:
    """As `write_csv`, with all cells as they are: for programs."""
    return _write_csv(rows, file, _plain, row_type)


def _write_csv(
    rows: Iterable[PageRow], file: BinaryIO, cell: Callable[[Any], Any], row_type: type[PageRow] | None
) -> int:
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text)
    writer.writerow(columns_of(row_type or PageRow))
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - the count outlives the loop
        writer.writerow(map(cell, _told(fields_of(row)).values()))
    text.detach()
    return count


def write_parquet(rows: Iterable[PageRow], file: BinaryIO, row_type: type[PageRow] | None = None) -> int:
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


def _told(fields: dict[str, Any]) -> dict[str, Any]:
    """A row's fields with its time as a person writes it."""
    fields["fetched_at"] = iso(fields["fetched_at"])
    return fields


def _plain(value: Any) -> Any:
    """A cell as it is; what is several is joined."""
    if isinstance(value, tuple):
        return "; ".join(map(encodable, value))
    return encodable(value)


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that a spreadsheet takes for a formula; the last four are full-width forms of the first."""
_DOUBTFUL = (" ", *FORMULA)
_CONTROLS = {code: " " for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}


def _harmless(value: Any) -> Any:
    """A cell that a spreadsheet shows and does not run: text gets an apostrophe before it where it must."""
    if isinstance(value, str) and value.isascii() and value.isprintable() and not value.startswith(_DOUBTFUL):
        return value
    cell = _plain(value)
    if not isinstance(cell, str):
        return cell
    shown = cell.translate(_CONTROLS)
    return f"'{shown}" if shown.lstrip(" ").startswith(FORMULA) else shown
