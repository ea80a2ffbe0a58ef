"""`lycosa add`: give a crawl more start pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from lycosa.cli.completion import CRAWL

TOLD: Mapping[str, str] = {
    "new": "added",
    "again": "added, though it failed before",
    "fetched": "the crawl has it already",
}


@click.command("add")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
@click.option("--by", metavar="NAME", help="Say who adds them.  [default: your login name]")
@click.option("--json", is_flag=True, help="Write JSON, one object a URL.")
def command(folder: Path, urls: tuple[str, ...], by: str | None, json: bool) -> None:
    """Give a crawl more start pages, while it runs or while it is stopped.

    They are fetched before all that waits, as politeness allows, and their links are followed as those of the first
    start pages. What is outside the scope of the crawl is refused.
    """
    from lycosa.cli.block import login_name, when_it_counts
    from lycosa.cli.output import say_json
    from lycosa.crawls.opening import open_folder
    from lycosa.report.wording import clean

    with open_folder(folder) as crawl:
        added = crawl.add(*urls, by=login_name() if by is None else by)
        if json:
            for each in added:
                say_json(each)
            return
        for each in added:
            click.echo(f"{clean(each.url)}: {TOLD[each.state]}")
        if any(each.state != "fetched" for each in added):
            click.echo(when_it_counts(crawl.process, crawl.go_on))
