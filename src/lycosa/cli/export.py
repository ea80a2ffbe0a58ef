"""`lycosa export`: the pages of a crawl for other programs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

if TYPE_CHECKING:
    from lycosa.account import PageRow

ROW_GROUP = 2_000
"""Pages held in memory at a time while a Parquet file is written."""


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--to", "kind", type=click.Choice(["jsonl", "csv", "parquet"]), required=True)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="[default: standard output]"
)
@click.option("--no-text", is_flag=True, help="Leave the texts empty: much faster, as no page is read again.")
@click.option("--all-visits", is_flag=True, help="Each visit of a page, not only the latest.")
@click.option("--raw-csv", is_flag=True, help="CSV cells as they are, formulas and control characters too.")
def command(
    folder: Path, kind: str, out: Path | None, no_text: bool, all_visits: bool, raw_csv: bool
) -> None:
    """Write the pages of a crawl, in the order of the crawl, with their text.

    Columns: step, url, final_url, status, fetched_at, depth, via, anchor, score, relevance, title, text, language,
    digest, warc_file, warc_offset. Times are ISO 8601 in UTC. In CSV a cell that a spreadsheet would take for a formula
    begins with an apostrophe.
    """
    from lycosa.cli.text import opened
    from lycosa.model.errors import InputError

    if kind == "parquet" and out is None and sys.stdout.isatty():
        raise InputError("Parquet is not for a terminal; name a file with -o pages.parquet")
    csv = write_raw_csv if raw_csv else write_csv
    write = {"jsonl": write_jsonl, "csv": csv, "parquet": write_parquet}[kind]
    with opened(folder) as crawl, _sink(out) as file:
        written = write(crawl.rows(text=not no_text, all_visits=all_visits), file)
    if out is not None:
        click.echo(f"{out}: {written:,} pages", err=True)


def write_jsonl(rows: Iterable[PageRow], file: BinaryIO) -> int:
    """One JSON object a line. Returns how many."""
    import msgspec

    encode = msgspec.json.Encoder().encode
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - the count outlives the loop
        file.write(encode(_fields(row)) + b"\n")
    return count


def write_csv(rows: Iterable[PageRow], file: BinaryIO) -> int:
    """Comma-separated values as in RFC 4180, in UTF-8, a line of names first. Returns how many pages.

    No cell is a formula to a spreadsheet (OWASP, CSV injection), and none holds control characters.
    """
    return _write_csv(rows, file, _harmless)


def write_raw_csv(rows: Iterable[PageRow], file: BinaryIO) -> int:
    """As `write_csv`, with all cells as they are: for programs."""
    return _write_csv(rows, file, _encodable)


def _write_csv(rows: Iterable[PageRow], file: BinaryIO, cell: Callable[[Any], Any]) -> int:
    import csv
    import io

    from lycosa.account import PageRow

    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.DictWriter(text, PageRow.__struct_fields__)
    writer.writeheader()
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007 - the count outlives the loop
        writer.writerow({name: cell(value) for name, value in _fields(row).items()})
    text.detach()
    return count


def write_parquet(rows: Iterable[PageRow], file: BinaryIO) -> int:
    """A Parquet file; times are timestamps in milliseconds, UTC. Returns how many pages."""
    try:
        import pyarrow as pa  # type: ignore[import-not-found, import-untyped, unused-ignore]
        import pyarrow.parquet as pq  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        from lycosa.model.errors import InputError

        raise InputError(
            "Parquet needs pyarrow, which is not installed: pip install 'lycosa[parquet]'"
        ) from None
    from itertools import islice

    schema = pa.schema(_parquet_columns(pa))
    count = 0
    stream = iter(rows)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := [_values(row) for row in islice(stream, ROW_GROUP)]:
            writer.write_table(pa.Table.from_pylist(group, schema))
            count += len(group)
    return count


def _parquet_columns(pa: Any) -> list[tuple[str, Any]]:
    """The columns of `PageRow` with their types."""
    from typing import get_type_hints

    from lycosa.account import PageRow

    types = {int: pa.int64(), float: pa.float64()}
    hints = get_type_hints(PageRow)
    columns = [(name, types.get(hints[name], pa.string())) for name in PageRow.__struct_fields__]
    return [(name, pa.timestamp("ms", "UTC") if name == "fetched_at" else kind) for name, kind in columns]


def _values(row: PageRow) -> dict[str, Any]:
    import msgspec

    return {name: _encodable(value) for name, value in msgspec.structs.asdict(row).items()}


def _fields(row: PageRow) -> dict[str, Any]:
    from lycosa.report.text import iso

    return _values(row) | {"fetched_at": iso(row.fetched_at)}


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""How a cell begins that a spreadsheet takes for a formula; the last four are full-width forms of the first."""
_CONTROLS = {code: " " for code in (*range(32), *range(127, 160)) if chr(code) not in "\t\n\r"}


def _harmless(value: Any) -> Any:
    """A cell that a spreadsheet shows and does not run: text gets an apostrophe before it where it must."""
    if not isinstance(value, str):
        return value
    plain = _encodable(value).translate(_CONTROLS)
    return f"'{plain}" if plain.lstrip(" ").startswith(FORMULA) else plain


def _encodable(value: Any) -> Any:
    """Text without halves of surrogate pairs, which UTF-8 cannot hold."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


@contextmanager
def _sink(out: Path | None) -> Iterator[BinaryIO]:
    """Where the bytes go: standard output, or a file that appears only once it is whole."""
    from lycosa.model.errors import InputError

    if out is None:
        yield sys.stdout.buffer
        return
    unfinished = out.with_name(out.name + ".part")
    try:
        with unfinished.open("wb") as file:
            yield file
        unfinished.replace(out)
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror}; choose another with -o") from None
    finally:
        unfinished.unlink(missing_ok=True)
