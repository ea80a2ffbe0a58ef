"""`lycosa map`: a crawl as a tree and a graph, for people and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole
from lycosa.cli.writing import FILE, is_stdout, write_out

if TYPE_CHECKING:
    from lycosa.uses.map.places import SiteMap

KINDS = (".html", ".json", ".graphml")


@click.command("map")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option("--site", metavar="HOST", default="", help="Show only the pages of this host.")
@click.option(
    "-o",
    "--out",
    type=FILE,
    metavar="FILE",
    help="Write to this file: its ending, .html, .json or .graphml, says what. - is HTML on standard output.  "
    "[default: DIR/map.html]",
)
@click.option(
    "--most",
    type=Whole(1),
    metavar="N",
    help="Show so many pages: the most relevant, and those on the way to them.  [default: 2000 in HTML, else all]",
)
@click.option("--open", "show", is_flag=True, help="Show the map in the browser.")
def command(folder: Path, site: str, out: Path | None, most: int | None, show: bool) -> None:
    """Draw the map of a crawl: its pages as a tree, relevant ones marked.

    To map a site for a topic, crawl it first:

    \b
    lycosa crawl TOPIC URL --same-host --strategy shark
    """
    from lycosa.crawls.opening import open_folder
    from lycosa.model.errors import InputError
    from lycosa.uses.map.page import words_of
    from lycosa.uses.map.places import map_of

    path = out or folder / "map.html"
    if show and is_stdout(path):
        raise click.UsageError("--open shows a file: name one with -o, or leave -o out")
    kind = ".html" if is_stdout(path) else path.suffix.lower()
    if kind not in KINDS:
        raise InputError(f"{path}: end the name in .html, .json or .graphml, which says what to write")
    with open_folder(folder) as crawl:
        found = map_of(crawl, site)
    write_out(path, _written(found, kind, most))
    if not is_stdout(path):
        click.echo(str(path))
    click.echo(words_of(found), err=True)
    if show:
        click.launch(path.resolve().as_uri())


def _written(found: SiteMap, kind: str, most: int | None) -> bytes:
    from lycosa.uses.map.formats import as_graphml, as_json
    from lycosa.uses.map.page import MOST_PLACES, as_html
    from lycosa.uses.map.places import tailored

    if kind == ".html":
        return as_html(found, most or MOST_PLACES).encode("utf-8", "replace")
    return (as_json if kind == ".json" else as_graphml)(tailored(found, most) if most else found)
