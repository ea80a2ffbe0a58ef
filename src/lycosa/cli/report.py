"""`lycosa report`: the report of a crawl as one HTML page."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="[default: DIR/report.html]"
)
@click.option("--open", "show", is_flag=True, help="Show it in the browser.")
def command(folder: Path, out: Path | None, show: bool) -> None:
    """Write a crawl's report: one HTML page that needs nothing else. Works beside a running crawl."""
    from lycosa.folder import CrawlFolder
    from lycosa.model.errors import InputError
    from lycosa.paths import Paths
    from lycosa.report.page import write_report

    with CrawlFolder.open(folder) as crawl:
        path = out or Paths(folder).report
        try:
            write_report(crawl, path)
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}; choose another with -o") from None
    click.echo(str(path))
    if show:
        click.launch(path.resolve().as_uri())
