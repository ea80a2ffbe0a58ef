"""`lycosa resume`: go on with a crawl."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.crawl import output_options
from lycosa.cli.values import duration


@click.command("resume")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--pages", type=click.IntRange(1), metavar="N", help="A new budget: pages in all.")
@click.option("--time", type=duration, metavar="TIME", help="The longest this run may take: 10m, 1h.")
@output_options
def command(
    folder: Path, pages: int | None, time: float | None, json: bool, quiet: bool, verbose: bool
) -> int:
    """Go on with a crawl that was interrupted, or with a larger budget.

    No page is fetched again. After a crash the folder is mended first, and what had to be mended is told.
    """
    from lycosa import session
    from lycosa.cli.running import run, view_for
    from lycosa.cli.tally import Tally
    from lycosa.folder import CrawlFolder

    tally = Tally(0.0)

    async def opening() -> session.Session:
        opened = await session.resume(folder, pages=pages, seconds=time)
        with CrawlFolder.open(folder) as before:  # now that it is mended, and even if it had hardly begun
            tally.relevant_from = before.spec.relevant_from
            tally.take_over(before.status(), before.best(tally.keep))
        return opened

    return run(opening, view_for(json=json, quiet=quiet, verbose=verbose), tally)
