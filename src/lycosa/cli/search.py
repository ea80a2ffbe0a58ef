"""`lycosa search`: full text over the pages of a crawl."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole


@click.command("search")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "limit", type=Whole(1), default=10, help="Show so many answers.  [default: 10]")
@click.option("--json", is_flag=True, help="Write JSON, one object an answer.")
def command(folder: Path, query: tuple[str, ...], limit: int, json: bool) -> None:
    """Search the full text of the pages of a crawl, best answers first.

    An answer has all the words. Use "quotes" for phrases, OR, NOT or a minus, parentheses, and a star for the end of a
    word. New pages are indexed first.
    """
    from lycosa.cli.indexing import bring_up_to_date
    from lycosa.cli.output import opened, say_json
    from lycosa.crawls.shared.answers import SharedHit
    from lycosa.report.wording import clean

    with opened(folder) as crawl:
        bring_up_to_date(crawl)
        hits = crawl.search(" ".join(query), limit)
    if json:
        for hit in hits:
            say_json(hit)
        return
    if not hits:
        click.echo("no page matches")
    for number, hit in enumerate(hits, 1):
        click.echo(click.style(f"{number:>2}. {clean(hit.title) or '(no title)'}", bold=True))
        at = f", node {clean(hit.node)}" if isinstance(hit, SharedHit) else ""
        told = click.style(f"relevance {hit.relevance:.3f}{at}", dim=True)
        click.echo(f"    {clean(hit.url)}  {told}")
        click.echo(f"    {_marked(clean(hit.snippet))}\n")


def _marked(snippet: str) -> str:
    """The words found, in bold on a terminal (click leaves escape codes out of a pipe)."""
    bold = click.style("\0", bold=True).split("\0")
    return snippet.replace("«", f"«{bold[0]}").replace("»", f"{bold[1]}»")
