"""`lycosa stop`: ask a running crawl to stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import duration

if TYPE_CHECKING:
    from lycosa.model.events import Wish

LOOK_EVERY = 0.1


@click.command("stop")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option(
    "--time",
    "patience",
    type=duration,
    default="2m",
    metavar="TIME",
    help="Wait so long for it to end.  [default: 2m]",
)
def command(folder: Path, patience: float) -> None:
    """Stop a running crawl once its visits are finished, and wait until it has ended. Ask twice to stop it at once.

    It works from another user or container too, as long as the folder may be written to.
    """
    from lycosa.model.errors import LycosaError
    from lycosa.model.events import Wish

    process = ask(folder, Wish.STOP)
    if process is None:
        click.echo(f"{folder}: no crawl is running here")
        return
    if not wait_until(lambda: process != running(folder), patience):
        raise LycosaError(
            f"{folder}: the crawl was asked and still writes; `lycosa stop` again stops it at once"
        )
    click.echo(f"{folder}: stopped; go on with: lycosa resume {folder}")


def running(folder: Path) -> int | None:
    """The process that crawls here, None if there is none. Raises `FolderError` where there is no crawl."""
    from lycosa.model.errors import FolderError
    from lycosa.store.database import writer_of
    from lycosa.store.paths import Paths

    journal = Paths(folder).journal
    if not journal.exists():
        raise FolderError(f"{folder}: no crawl here; give the folder of a crawl")
    return writer_of(journal)


def ask(folder: Path, wish: Wish) -> int | None:
    """Ask something of the crawl that runs here, by its inbox; the process that was asked, None if there is none."""
    from lycosa.crawls.folder import CrawlFolder
    from lycosa.model.events import Asked
    from lycosa.store.inbox import Inbox
    from lycosa.store.paths import Paths

    process = running(folder)
    if process is not None:
        with CrawlFolder.open(folder) as crawl:
            Inbox(Paths(folder).inbox).add([Asked(wish=wish)], after=crawl.history.heard())
    return process


def wait_until(met: Callable[[], bool], patience: float) -> bool:
    """Look until it is so, or for so many seconds. Returns whether it is."""
    import time

    until = time.monotonic() + patience
    while not met():
        if time.monotonic() > until:
            return False
        time.sleep(LOOK_EVERY)
    return True
