"""`lycosa changes`: which pages appeared, changed and went, and when."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import from_then
from lycosa.model.records import Millis

if TYPE_CHECKING:
    from lycosa.crawls.answers import Version


@click.command("changes")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("url", metavar="[URL]", default="")
@click.option(
    "--since",
    type=from_then,
    metavar="TIME",
    default="1970",
    help="From then on: 2026-11-20, or 2w for two weeks ago.  [default: all]",
)
@click.option("--json", is_flag=True, help="Write JSON, one object a line.")
def command(folder: Path, url: str, since: Millis, json: bool) -> None:
    """Tell which pages appeared, changed, went and came back, oldest first: of a crawl, or one page.

    Of a change it tells how important it is (from 0 to 1: the weighted difference of the page's blocks) and how many
    links came and went. Pages of which only a template, a date or a banner changed are left out.
    """
    from lycosa.cli.output import opened, say_json

    with opened(folder) as crawl:
        found = crawl.changes(url, since)
        if json:
            for version in found:
                say_json(version)
            return
        if not found:
            click.echo("nothing changed" if crawl.status().pages else "the crawl has no page yet")
    _tell(found)


def _tell(found: Sequence[Version]) -> None:
    from lycosa.report.wording import clean, minute

    colours = {"first": "green", "back": "green", "gone": "red"}
    for version in found:
        links = [f"{sign}{n}" for sign, n in (("+", version.new_links), ("-", version.lost_links)) if n]
        of_links = f"{' '.join(links)} links" if links else ""
        how_much = f"{version.importance:.2f}" if version.sight == "changed" else ""
        sight = click.style(f"{version.sight:<8}", fg=colours.get(version.sight))
        page = clean(f"{version.url}  {version.title}")
        click.echo(f"{minute(version.at)}  {sight} {how_much:>4} {of_links:>14}  {page}")
