"""`lycosa resume`: go on with a crawl."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.crawl_options import JUDGE, OUTPUT, STOP, crawl_options
from lycosa.cli.values import SectionedCommand, SectionedOption, duration, number_or_more

if TYPE_CHECKING:
    from lycosa.crawls.session import Session
    from lycosa.spec.tree import JudgeSpec, StopSpec
    from lycosa.watch.tally import Tally


@click.command("resume", cls=SectionedCommand)
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option(
    "--pages",
    "budget",
    cls=SectionedOption,
    section="Limits",
    type=number_or_more,
    metavar="N|+N",
    help="Stop at N pages in all, earlier ones included, or after N more.  [default: as before]",
)
@click.option(
    "--requests",
    cls=SectionedOption,
    section="Limits",
    type=number_or_more,
    metavar="N|+N",
    help="Stop at N requests in all, earlier ones included, or after N more.  [default: as before]",
)
@click.option(
    "--time",
    cls=SectionedOption,
    section="Limits",
    type=duration,
    metavar="TIME",
    help="Stop this run after so long: 10m, 1h30m.  [default: as before]",
)
@crawl_options(STOP, JUDGE, default="as before")
@crawl_options(OUTPUT)
def command(
    folder: Path,
    budget: tuple[int, bool] | None,
    requests: tuple[int, bool] | None,
    time: float | None,
    json: bool | None,
    log_json: bool | None,
    quiet: bool | None,
    verbose: bool | None,
    **rules: Any,
) -> int:
    """Go on with a crawl: after an interruption, for more pages, or with other rules for when to stop.

    No page is fetched again. Options that are not given stay as they were; 0 turns a rule off. After a crash the folder
    is mended first, and lycosa tells what it had to mend.
    """
    from lycosa.cli.running import run, view_for
    from lycosa.crawls.place import asked, fetched, refuse_shared
    from lycosa.watch.tally import Tally

    refuse_shared(folder, "resume")
    pages, most = _in_all(budget, fetched, folder), _in_all(requests, asked, folder)
    tally = Tally(0.0)
    stop, judge = (
        _changed(folder, rules) if any(rule is not None for rule in rules.values()) else (None, None)
    )

    view = view_for(json=bool(json), quiet=bool(quiet), verbose=bool(verbose), log_json=bool(log_json))
    changes = {"pages": pages, "requests": most, "seconds": time, "stop": stop, "judge": judge}
    return run(taken_up(folder, tally, **changes), view, tally)


def taken_up(folder: Path, tally: Tally, **changes: Any) -> Callable[[], Awaitable[Session]]:
    """Opens a crawl to go on with it, with what has changed, and lets the tally begin where it ended."""
    from lycosa.crawls import session
    from lycosa.crawls.folder import CrawlFolder

    async def opening() -> Session:
        opened = await session.resume(folder, **changes)
        with CrawlFolder.open(folder) as before:  # now that it is mended, and even if it had hardly begun
            tally.relevant_from = before.spec.relevant_from
            tally.take_over(before.status(), before.best(tally.keep))
        return opened

    return opening


def _in_all(written: tuple[int, bool] | None, so_far: Callable[[Path], int], folder: Path) -> int | None:
    """A budget in all; None if none was written."""
    number, more = written or (None, False)
    return number + so_far(folder) if number is not None and more else number


def _changed(folder: Path, rules: dict[str, Any]) -> tuple[StopSpec | None, JudgeSpec | None]:
    """When the crawl stops and whom it asks, with what was written in their place; None if there is no crawl."""
    from lycosa.spec.files import load
    from lycosa.spec.options import judge_of, stop_of
    from lycosa.spec.tree import CrawlSpec
    from lycosa.store.paths import Paths

    written = Paths(folder).specification
    if not written.exists():
        return None, None
    before = load(written, CrawlSpec)
    return stop_of(before.stop, **rules), judge_of(before.judge, **rules)
