"""`lycosa ping`: tell a crawl that pages changed."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.completion import CRAWL


@click.command("ping")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("urls", metavar="URL...", nargs=-1, required=True)
def command(folder: Path, urls: tuple[str, ...]) -> None:
    """Tell a crawl that pages changed just now.

    A running refresh visits them again at once, as politeness allows. One that does not run does so when it begins. A
    URL that is new to the crawl enters as a link.
    """
    from lycosa.crawls.opening import open_folder
    from lycosa.report.wording import clean

    with open_folder(folder) as crawl:
        for url in crawl.ping(*urls):
            click.echo(f"{clean(url)}: told")
        runs = crawl.process is not None
        refreshes = crawl.spec.revisit.is_on
    if not (runs and refreshes):
        click.echo(
            "the crawl that runs visits no pages again: only new pages are of use to it"
            if runs
            else f"it counts when the crawl goes on: lycosa refresh {folder}"
        )
