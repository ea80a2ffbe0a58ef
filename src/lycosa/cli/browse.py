"""`lycosa browse`: the pages of a crawl by category, concept, cluster, date, host, and so on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole

if TYPE_CHECKING:
    from lycosa.crawls.answers import Browsed


@click.command("browse")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("at", metavar="[PLACE]", default="")
@click.option(
    "--by",
    metavar="FACET",
    default="",
    help="category, concept, cluster, date, host, language, type, depth, relevance.  [default: the first there is]",
)
@click.option(
    "--learn", is_flag=True, help="Learn clusters of all pages first; the same pages give the same."
)
@click.option("-n", "limit", type=Whole(0), default=10, help="Show so many pages, best first.  [default: 10]")
@click.option("--json", is_flag=True, help="Write JSON, one object.")
def command(folder: Path, at: str, by: str, learn: bool, limit: int, json: bool) -> None:
    """Browse the pages of a crawl: what there is below a place, with counts, and the most relevant pages there.

    A place is a category of the taxonomy, a concept of the ontology, a cluster, a year or month, a host. Without
    one it is the top.
    """
    from lycosa.cli.indexing import bring_up_to_date
    from lycosa.cli.output import opened, say_json
    from lycosa.crawls.answers import Browse
    from lycosa.model.errors import InputError

    with opened(folder) as crawl:
        bring_up_to_date(crawl)
        if learn:
            if not crawl.learn_clusters():
                raise InputError("there are too few pages for clusters; thirty-two are the least")
            by = by or "cluster"
        found = crawl.browse(Browse(by=by, at=at, limit=limit), index=False)
    if json:
        say_json(found)
    else:
        _tell(found)


def _tell(found: Browsed) -> None:
    from lycosa.cli.search import tell_hit
    from lycosa.report.wording import clean, counted

    click.echo(f"by {found.by}; also by {', '.join(way for way in found.ways if way != found.by)}")
    way = [*found.above, *([found.at] if found.at else [])]
    click.echo(click.style(" › ".join(map(clean, way)) or "all", bold=True) + f"  {found.found.pages:,}")
    for value in found.below:
        called = clean(value.value) or "(not known)"
        click.echo(f"  {value.pages:>8,}  {called}{f': {clean(value.label)}' if value.label else ''}")
    if found.more:
        click.echo(f"            and {found.more:,} more")
    if found.found.hits:
        click.echo(f"\nThe most relevant of {counted(found.found.distinct, 'page')}:\n")
    for number, hit in enumerate(found.found.hits, 1):
        tell_hit(number, hit, [])
