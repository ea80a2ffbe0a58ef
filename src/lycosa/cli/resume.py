"""`lycosa resume`: go on with a crawl."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.crawl import output_options, stop_options
from lycosa.cli.values import SectionedCommand, duration

if TYPE_CHECKING:
    from lycosa.spec import StopSpec


@click.command("resume", cls=SectionedCommand)
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--pages", type=click.IntRange(1), metavar="N", help="A new budget: pages in all.")
@click.option("--time", type=duration, metavar="TIME", help="The longest this run may take: 10m, 1h.")
@stop_options
@output_options
def command(
    folder: Path, pages: int | None, time: float | None, json: bool, quiet: bool, verbose: bool, **rules: Any
) -> int:
    """Go on with a crawl that was interrupted, with a larger budget, or under other rules for when to stop.

    A rule that is not given stays as it was; 0 turns it off. No page is fetched again. After a crash the folder is
    mended first, and what had to be mended is told.
    """
    from lycosa import session
    from lycosa.cli.running import run, view_for
    from lycosa.cli.tally import Tally
    from lycosa.folder import CrawlFolder

    tally = Tally(0.0)
    stop = _stop(folder, rules) if any(rule is not None for rule in rules.values()) else None

    async def opening() -> session.Session:
        opened = await session.resume(folder, pages=pages, seconds=time, stop=stop)
        with CrawlFolder.open(folder) as before:  # now that it is mended, and even if it had hardly begun
            tally.relevant_from = before.spec.relevant_from
            tally.take_over(before.status(), before.best(tally.keep))
        return opened

    return run(opening, view_for(json=json, quiet=quiet, verbose=verbose), tally)


def _stop(folder: Path, rules: dict[str, Any]) -> StopSpec | None:
    """The crawl's stopping rules with those that were written in their place; None if there is no crawl."""
    from lycosa.cli.options import CrawlOptions, stop_of
    from lycosa.paths import Paths
    from lycosa.spec import CrawlSpec, load

    written = Paths(folder).specification
    return stop_of(CrawlOptions(**rules), load(written, CrawlSpec).stop) if written.exists() else None
