"""`lycosa report`: the report of a crawl as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.writing import FILE, is_stdout, write_out


@click.command("report")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option(
    "-o",
    "--out",
    type=FILE,
    metavar="FILE",
    help="Write to this file; - is standard output.  [default: DIR/report.html]",
)
@click.option("--open", "show", is_flag=True, help="Show the report in the browser.")
def command(folder: Path, out: Path | None, show: bool) -> None:
    """Write a crawl's report: one HTML page that needs no other file. Works while a crawl runs, too."""
    from lycosa.crawls.opening import open_folder
    from lycosa.report.page import report_of
    from lycosa.store.paths import Paths

    path = out or Paths(folder).report
    if show and is_stdout(path):
        raise click.UsageError("--open shows a file: name one with -o, or leave -o out")
    with open_folder(folder) as crawl:
        write_out(path, report_of(crawl).encode())
    if is_stdout(path):
        return
    click.echo(str(path))
    if show:
        click.launch(path.resolve().as_uri())
