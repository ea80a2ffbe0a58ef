"""`lycosa search`: full text over the pages of a crawl."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("search")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "limit", type=click.IntRange(1), default=10, help="So many answers.  [default: 10]")
@click.option("--json", is_flag=True, help="One JSON object a line.")
def command(folder: Path, query: tuple[str, ...], limit: int, json: bool) -> None:
    """Search the full text of the pages of a crawl, best answers first.

    The index is brought up to date first. All words must occur; "words in quotes" are a phrase; OR, NOT (or a minus)
    and parentheses work, and a star stands for the end of a word.
    """
    from lycosa.cli.indexing import bring_up_to_date
    from lycosa.cli.text import say_json
    from lycosa.folder import CrawlFolder
    from lycosa.report.text import clean

    with CrawlFolder.open(folder) as crawl:
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
        click.echo(f"    {clean(hit.url)}  " + click.style(f"relevance {hit.relevance:.3f}", dim=True))
        click.echo(f"    {_marked(clean(hit.snippet))}\n")


def _marked(snippet: str) -> str:
    """The words found, in bold on a terminal (click leaves escape codes out of a pipe)."""
    bold = click.style("\0", bold=True).split("\0")
    return snippet.replace("«", f"«{bold[0]}").replace("»", f"{bold[1]}»")
