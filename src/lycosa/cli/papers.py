"""`lycosa papers`: the papers of a crawl, as CORA knew them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole, as_share

if TYPE_CHECKING:
    from lycosa.crawls.answers import Paper

MOST_AUTHORS = 4
DOUBTFUL = 0.75
"""A part whose chance to be right is less is followed by a question mark."""


@click.command("papers")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option("-n", "limit", type=Whole(1), default=20, help="Show so many papers.  [default: 20]")
@click.option(
    "--least",
    type=as_share,
    default="0.5",
    metavar="SHARE",
    help="The chance to be a paper that a PDF must have.  [default: 0.5]",
)
@click.option(
    "--json", is_flag=True, help="Write JSON, one object a paper: all of them, with abstracts and references."
)
def command(folder: Path, limit: int, least: float, json: bool) -> None:
    """List the papers among a crawl's PDFs, the most cited first: title, authors, year, venue, and how many papers of
    the crawl cite each.

    All is read of the PDFs, and may be wrong: "?" follows what is less than three quarters sure. New PDFs are read
    first.
    """
    from lycosa.cli.indexing import told
    from lycosa.cli.output import opened, say_json
    from lycosa.report.wording import counted

    with opened(folder) as crawl, told("reading", "PDFs") as progress:
        papers = crawl.papers(least, progress)
    if json:
        for paper in papers:
            say_json(paper)
        return
    for number, paper in enumerate(papers[:limit], 1):
        _show(number, paper)
    unlike = (
        f"; {counted(len(papers) - limit, 'more', 'more')}: -n {len(papers)}" if len(papers) > limit else ""
    )
    click.echo(
        f"{counted(len(papers), 'paper')}{unlike}" if papers else "no paper among the PDFs of this crawl"
    )


def _show(number: int, paper: Paper) -> None:
    from lycosa.report.wording import clean, counted

    people = ", ".join(map(clean, paper.authors[:MOST_AUTHORS])) + (
        " and others" if len(paper.authors) > MOST_AUTHORS else ""
    )
    told = {"authors": people, "year": str(paper.year or ""), "venue": clean(paper.venue)}
    parts = [f"{text}{_doubt(paper, part)}" for part, text in told.items() if text]
    title = f"{clean(paper.title) or '(no title)'}{_doubt(paper, 'title')}"
    click.echo(click.style(f"{number:>2}. {title}", bold=True))
    if parts:
        click.echo(f"    {'. '.join(parts)}")
    cited = f"cited by {counted(paper.citations, 'paper')} here" if paper.citations else "not cited here"
    a_copy = f", a copy of {clean(paper.copy_of)}" if paper.copy_of else ""
    told_last = f"{cited}, {counted(len(paper.references), 'reference')}{_doubt(paper, 'references')}{a_copy}"
    click.echo(f"    {clean(paper.url)}  {click.style(told_last, dim=True)}\n")


def _doubt(paper: Paper, part: str) -> str:
    return "?" if paper.confidence.get(part, 1.0) < DOUBTFUL else ""
