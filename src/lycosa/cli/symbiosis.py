"""`lycosa symbiosis`: a crawl and its search engine feed each other."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole

if TYPE_CHECKING:
    from lycosa.uses.symbiosis import Round


@click.command("symbiosis")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("query", nargs=-1, required=True)
@click.option("--rounds", type=Whole(1), default=3, metavar="N", help="Take so many rounds.  [default: 3]")
@click.option(
    "--pages", type=Whole(1), default=100, metavar="P", help="Crawl so many pages a round.  [default: 100]"
)
@click.option("--json", is_flag=True, help="Write JSON, one object a round.")
def command(folder: Path, query: tuple[str, ...], rounds: int, pages: int, json: bool) -> None:
    """Search a crawl for QUERY, crawl on from the top answers, and so on for some rounds.

    Each round tells how good the top 10 answers are: their mean relevance to the crawl's topic, the share of them that
    is relevant, and how many of them are new. The crawl goes on in its folder and can be resumed.
    """
    from lycosa.cli.output import say_json
    from lycosa.crawls.place import refuse_shared
    from lycosa.uses.symbiosis import symbiosis

    refuse_shared(folder, "symbiosis")
    symbiosis(folder, " ".join(query), rounds=rounds, pages=pages, tell=say_json if json else _say)


def _say(told: Round) -> None:
    if not told.number:
        click.echo("round   pages   mean relevance of the top 10   relevant   fresh")
    click.echo(
        f"{told.number:>5}  {told.pages:>6,}   {told.relevance:>28.3f}   {told.precision:>8.0%}   {told.fresh:>5}"
    )
