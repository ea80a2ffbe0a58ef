"""`lycosa export`: the pages of a crawl for other programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import as_of
from lycosa.model.records import Millis


@click.command("export")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option("--to", "kind", type=click.Choice(["jsonl", "csv", "parquet", "wacz"]), required=True)
@click.argument("file", metavar="[FILE]", type=click.Path(path_type=Path), required=False)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The same as FILE.  [default: standard output]",
)
@click.option("--no-text", is_flag=True, help="Leave the texts empty: much faster, as no page is read again.")
@click.option("--all-visits", is_flag=True, help="Each visit of a page, not only the latest.")
@click.option(
    "--nothing-new", is_flag=True, help="Also pages that count as failures, as they brought nothing new."
)
@click.option("--at", type=as_of, metavar="TIME", help="As it was then: 2026-11-20, or 2w for two weeks ago.")
@click.option("--raw-csv", is_flag=True, help="CSV cells as they are, formulas and control characters too.")
def command(
    folder: Path,
    kind: str,
    file: Path | None,
    out: Path | None,
    no_text: bool,
    all_visits: bool,
    nothing_new: bool,
    at: Millis | None,
    raw_csv: bool,
) -> None:
    """Write the pages of a crawl, in the order of the crawl, with their text.

    Columns: step, url, final_url, status, fetched_at, depth, via, anchor, score, relevance, title, text, language,
    digest, warc_file, warc_offset, nothing_new; of a crawl that several nodes share also node. Times are ISO 8601 in
    UTC. In CSV a cell that a spreadsheet would take for a formula begins with an apostrophe.

    WACZ is the whole archive in one file, with its pages, the most relevant first. ReplayWeb.page shows it in a
    browser.
    """
    from lycosa.cli.output import opened
    from lycosa.model.errors import InputError

    if file is not None and out is not None:
        raise InputError(f"{file} and {out} are two files; name one")
    out = out or file
    if kind in ("parquet", "wacz") and out is None and sys.stdout.isatty():
        raise InputError(f"{kind} is not for a terminal; name a file with -o pages.{kind}")
    if kind == "wacz":
        _write_wacz(folder, out, text=not no_text, all_visits=all_visits, nothing_new=nothing_new, at=at)
        return
    from lycosa.report.exported import write_csv, write_jsonl, write_parquet, write_raw_csv

    csv = write_raw_csv if raw_csv else write_csv
    write = {"jsonl": write_jsonl, "csv": csv, "parquet": write_parquet}[kind]
    with opened(folder) as crawl, _sink(out) as sink:
        rows = crawl.rows(text=not no_text, all_visits=all_visits, nothing_new=nothing_new, at=at)
        written = write(rows, sink, crawl.row_type)
    if out is not None:
        click.echo(f"{out}: {written:,} pages", err=True)


def _write_wacz(
    folder: Path,
    out: Path | None,
    *,
    text: bool,
    all_visits: bool,
    nothing_new: bool,
    at: Millis | None,
) -> None:
    import time

    from lycosa.cli.output import opened
    from lycosa.crawls.packed import write_packed
    from lycosa.report.wording import counted

    now = Millis(time.time_ns() // 1_000_000)
    with opened(folder) as crawl, _sink(out) as sink:
        written = write_packed(
            crawl, sink, now, text=text, all_visits=all_visits, nothing_new=nothing_new, at=at
        )
    if out is not None:
        apart = f", {written.others:,} of them not relevant" if written.others else ""
        pages = counted(written.pages + written.others, "page")
        click.echo(f"{out}: {pages}{apart}, {counted(written.captures, 'capture')}", err=True)


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
