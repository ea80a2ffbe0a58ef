"""`lycosa ask`: the pages that a person should mark to help a crawl most."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole

if TYPE_CHECKING:
    from lycosa.crawls.answers import Question
    from lycosa.crawls.interface import Folder

PATIENCE = 10.0
"""Seconds for which an answer waits to be taken in before the next question is asked."""


@click.command("ask")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option("-n", "most", type=Whole(1), default=5, show_default=True, help="List so many pages.")
@click.option(
    "--interactive", is_flag=True, help="Ask about one page after the other, and mark them by your answers."
)
@click.option("--json", is_flag=True, help="Write JSON, one object a page.")
def command(folder: Path, most: int, interactive: bool, json: bool) -> None:
    """List the pages that you should mark to help a crawl most: are they on topic or not?

    The crawl itself is in doubt about these pages, many of their links wait, and no two of them are alike. Works while
    a crawl runs, too, and then tells how it stood at its last checkpoint.
    """
    from lycosa.cli.output import opened, say_json

    if interactive and json:
        raise click.UsageError("--interactive and --json: give one of them")
    with opened(folder) as crawl:
        questions = crawl.questions(most)
        if json:
            for question in questions:
                say_json(question)
        elif not questions:
            click.echo("no page is in doubt: there is nothing to ask")
        elif interactive:
            _interview(crawl, questions)
        else:
            _list(crawl, questions)


def _list(crawl: Folder, questions: Sequence[Question]) -> None:
    place = shlex.quote(str(crawl.path))
    for number, question in enumerate(questions, 1):
        click.echo(_told(crawl, question, f"{number:>2}"))
        click.echo(f"    lycosa mark {place} {shlex.quote(question.url)} --good  # or --bad")
    click.echo(f"\nto answer one by one: lycosa ask {place} --interactive")


def _told(crawl: Folder, question: Question, label: str) -> str:
    from lycosa.report.wording import clean

    counts_from = f"relevance {question.relevance:.3f} (pages count from {crawl.spec.relevant_from:g})"
    return (
        f"{label}  {clean(question.title) or '(no title)'}\n"
        f"    {clean(question.url)}\n"
        f"    {counts_from}, waiting links: {question.waiting:,}"
    )


def _interview(crawl: Folder, questions: Sequence[Question]) -> None:
    """Ask about each page and mark it at once: a crawl that runs need not wait for the last answer."""
    from lycosa.cli.mark import taken_in, told, when_it_counts
    from lycosa.report.wording import clean

    waits = False
    for number, question in enumerate(questions, 1):
        click.echo(_told(crawl, question, f"{number} of {len(questions)}"))
        click.echo(f"    {clean(question.extract)}")
        answer = click.prompt(
            "    on topic? y/n, s to skip, q to end", type=click.Choice(list("ynsq")), show_choices=False
        )
        if answer == "q":
            break
        if answer != "s":
            marks = taken_in(crawl, crawl.mark(question.url, good=answer == "y"), PATIENCE)
            waits = waits or any(mark.step is None for mark in marks)
            click.echo("".join(f"    {told(mark)}\n" for mark in marks))
    if waits:
        click.echo(when_it_counts(crawl))
