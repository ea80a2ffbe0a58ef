"""`lycosa mark`: say of pages of a crawl whether they are on topic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import duration

if TYPE_CHECKING:
    from lycosa.crawls.answers import Mark
    from lycosa.crawls.interface import Folder

LOOK_EVERY = 0.1


@click.command("mark")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option("--good", "said", flag_value="good", help="Say that they are on topic.")
@click.option("--bad", "said", flag_value="bad", help="Say that they are not.")
@click.option("--forget", "said", flag_value="forget", help="Take back what was said of them.")
@click.option(
    "--time",
    "patience",
    type=duration,
    default="2m",
    metavar="TIME",
    help="Wait so long for a running crawl to take them in.  [default: 2m]",
)
@click.option("--json", is_flag=True, help="Write JSON, one object a page.")
def command(folder: Path, urls: tuple[str, ...], said: str | None, patience: float, json: bool) -> None:
    """Tell a crawl that pages it fetched are on topic, or not, while it runs or while it is stopped.

    A strategy that learns from marks puts all waiting links into a new order, and the crawl may judge pages anew. The
    journal keeps every mark.
    """
    from lycosa.cli.output import say_json
    from lycosa.crawls.opening import open_folder

    if said is None:
        raise click.UsageError("say what they are: --good, --bad or --forget")
    with open_folder(folder) as crawl:
        marks = crawl.mark(*urls, good={"good": True, "bad": False}.get(said))
        taken = taken_in(crawl, marks, patience)
        if json:
            for mark in taken:
                say_json(mark)
            return
        for mark in taken:
            click.echo(f"{mark.url}: {told(mark)}")
        if any(mark.step is None for mark in taken):
            click.echo(when_it_counts(crawl))


def taken_in(crawl: Folder, marks: Sequence[Mark], patience: float) -> Sequence[Mark]:
    """The marks as the journal has them, as soon as a running crawl took them in, or after so many seconds."""
    import time

    asked = {_of(mark) for mark in marks}
    until = time.monotonic() + patience
    while True:
        runs = crawl.process is not None
        found = [mark for mark in crawl.marks() if _of(mark) in asked]
        if not runs or all(mark.step is not None for mark in found) or time.monotonic() > until:
            return found
        time.sleep(LOOK_EVERY)


def _of(mark: Mark) -> tuple[str, int]:
    """What tells a mark from others: of a shared crawl each node counts its own."""
    return getattr(mark, "node", ""), mark.number


def when_it_counts(crawl: Folder) -> str:
    """What to say of marks that were not taken in yet."""
    if crawl.process is not None:
        return "the crawl is busy; it takes this in before it asks for its next page"
    return f"it counts when the crawl goes on: {crawl.go_on}"


def told(mark: Mark) -> str:
    """`marked good, 112 waiting links moved`."""
    from lycosa.report.wording import counted

    said = {True: "marked good", False: "marked bad", None: "no longer marked"}[mark.good]
    return said if mark.step is None else f"{said}, {counted(mark.moved, 'waiting link')} moved"
