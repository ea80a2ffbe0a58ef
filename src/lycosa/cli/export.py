"""`lycosa export`: the pages of a crawl for other programs."""

from __future__ import annotations

import io
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import SectionedCommand, SectionedOption, Whole, as_of, as_share
from lycosa.model.records import Millis

if TYPE_CHECKING:
    from lycosa.crawls.corpus.selection import Selection
    from lycosa.report.card import Card

FILE, PAGES, QUALITY = "File", "Pages", "Rules for corpora, each off until it is given"
CARD = ".card.md"
"""What a card is named after the file that it describes."""
BLOCK = 1 << 16
"""Bytes written at a time."""

file_option = partial(click.option, cls=SectionedOption, section=FILE)
page_option = partial(click.option, cls=SectionedOption, section=PAGES)
rule = partial(click.option, cls=SectionedOption, section=QUALITY)


class Noting(SectionedCommand):
    """A command that knows how it was written."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        written = shlex.join(["lycosa", info_name or "", *args])
        made = super().make_context(info_name, args, parent, **extra)
        made.meta[__name__] = written
        return made


@click.command("export", cls=Noting)
@click.argument("folder", metavar="DIR", type=CRAWL)
@file_option("--to", "kind", type=click.Choice(["jsonl", "csv", "parquet", "wacz"]), required=True)
@click.argument("file", metavar="[FILE]", type=click.Path(path_type=Path), required=False)
@file_option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The same as FILE.  [default: standard output]",
)
@file_option(
    "--card",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Write the card there.  [default: FILE{CARD}; none to standard output]",
)
@file_option("--raw-csv", is_flag=True, help="CSV cells as they are, formulas and control characters too.")
@page_option(
    "--text",
    type=click.Choice(["all", "main", "markdown"]),
    default="all",
    help="All words of a page, its main text without menus and the like, or that as Markdown.  [default: all]",
)
@page_option("--no-text", is_flag=True, help="Leave the texts empty: much faster, as no page is read again.")
@page_option("--all-visits", is_flag=True, help="Each visit of a page, not only the latest.")
@page_option(
    "--nothing-new", is_flag=True, help="Also pages that count as failures, as they brought nothing new."
)
@page_option("--at", type=as_of, metavar="TIME", help="As it was then: 2026-11-20, or 2w for two weeks ago.")
@rule("--distinct", is_flag=True, help="Leave out copies and near copies of pages that come before.")
@rule("--min-relevance", type=as_share, metavar="SHARE", help="Of at least this relevance: 0.5, 50%.")
@rule(
    "--language",
    multiple=True,
    metavar="NAME",
    help="In this language: en, German. Several times: in one of them.",
)
@rule(
    "--language-confidence",
    type=as_share,
    metavar="SHARE",
    help="Whose main text is in its language with at least this probability: 0.65.",
)
@rule("--min-words", type=Whole(0), metavar="N", help="With at least so many words.")
@rule("--max-words", type=Whole(0), metavar="N", help="With at most so many words.")
@rule(
    "--max-repetition",
    type=as_share,
    metavar="SHARE",
    help="With at most this share of the text in lines, or runs of five words, that stood before in it: 20%.",
)
@rule(
    "--max-boilerplate",
    type=as_share,
    metavar="SHARE",
    help="With at most this share of the page outside its main text: 70%.",
)
@rule(
    "--licence",
    multiple=True,
    metavar="GLOB",
    help="With a licence that fits: '*creativecommons.org/*'. Several times: one of them.",
)
def command(
    folder: Path,
    kind: str,
    file: Path | None,
    out: Path | None,
    card: Path | None,
    text: str,
    no_text: bool,
    raw_csv: bool,
    **rules: Any,
) -> None:
    """Write the pages of a crawl, in the order of the crawl, with their text.

    Columns: step, url, final_url, status, fetched_at, depth, via, anchor, score, relevance, title, text, language,
    digest, warc_file, warc_offset, nothing_new, rights, media_type, duplicate_of, near_duplicate_of; of a crawl
    that several nodes share also node. Where main texts are read (--text main or markdown) also what pages say of
    themselves: authors, published, modified, site_name, canonical, alternates, licences, language_confidence, kind;
    boilerplate, the share of the page that its main text leaves out; and alternate_of. Times are ISO 8601 in UTC.
    In CSV a cell that a spreadsheet would take for a formula begins with an apostrophe.

    Beside a file a card is written, FILE.card.md and FILE.card.json: what the file holds, how it came to be, what each
    rule left out, and how to cite it.

    WACZ is the whole archive in one file, with its pages, the most relevant first. ReplayWeb.page shows it in a
    browser.
    """
    from lycosa.model.errors import InputError

    if file is not None and out is not None:
        raise InputError(f"{file} and {out} are two files; name one")
    out = out or file
    if kind in ("parquet", "wacz") and out is None and sys.stdout.isatty():
        raise InputError(f"{kind} is not for a terminal; name a file with -o pages.{kind}")
    chosen = _selection(_texts(text, no_text=no_text), rules)
    if kind == "wacz":
        _write_wacz(folder, out, chosen)
        return
    told = click.get_current_context().meta[__name__]
    _write_rows(folder, "raw-csv" if raw_csv and kind == "csv" else kind, out, card, chosen, told)


def _texts(text: str, *, no_text: bool) -> str | bool:
    from lycosa.model.errors import InputError

    if no_text and text != "all":
        raise InputError(f"--no-text and --text {text} exclude each other; name one")
    return False if no_text else text


def _selection(text: str | bool, rules: dict[str, Any]) -> Selection:
    """What was written, with languages by their codes."""
    from lycosa.crawls.corpus.selection import selection
    from lycosa.read.language_names import language_code

    given = {name: value for name, value in rules.items() if value is not None}
    return selection({**given, "text": text, "language": tuple(map(language_code, rules["language"]))})


def _write_rows(
    folder: Path, kind: str, out: Path | None, card: Path | None, chosen: Selection, told: str
) -> None:
    from lycosa.cli.output import opened
    from lycosa.report.card import Measured, Tally, card_of
    from lycosa.report.exported import WRITERS

    with opened(folder) as crawl:
        rows, tally = crawl.select(chosen), Tally()
        with _sink(out) as sink:
            measured = Measured(sink)
            with io.BufferedWriter(measured, BLOCK) as file:
                written = WRITERS[kind](tally.counted(rows.lines()), file, crawl.row_type)
        if out is not None:
            left = rows.left_out.total()
            click.echo(f"{out}: {written:,} pages{f', {left:,} left out' if left else ''}", err=True)
        if out is not None or card is not None:
            about = card_of(crawl, rows, tally, measured.told(out.name if out else "", kind, _now()), told)
            _write_card(about, card or Path(f"{out}{CARD}"))


def _write_card(card: Card, file: Path) -> None:
    """As Markdown, and beside it as JSON."""
    import msgspec

    from lycosa.report.card_text import as_markdown

    with _sink(file) as sink:
        sink.write(as_markdown(card).encode())
    with _sink(file.with_suffix(".json")) as sink:
        sink.write(msgspec.json.format(msgspec.json.encode(card)) + b"\n")


def _write_wacz(folder: Path, out: Path | None, chosen: Selection) -> None:
    from lycosa.cli.output import opened
    from lycosa.crawls.packed import write_packed
    from lycosa.report.wording import counted

    with opened(folder) as crawl, _sink(out) as sink:
        written = write_packed(crawl, sink, _now(), chosen)
    if out is not None:
        apart = f", {written.others:,} of them not relevant" if written.others else ""
        pages = counted(written.pages + written.others, "page")
        click.echo(f"{out}: {pages}{apart}, {counted(written.captures, 'capture')}", err=True)


def _now() -> Millis:
    return Millis(time.time_ns() // 1_000_000)


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
