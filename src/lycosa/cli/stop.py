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
    from lycosa.crawls.place import running
    from lycosa.model.events import Wish
    from lycosa.store.paths import is_shared

    if is_shared(folder) and (stopped := _stop_leader(folder, patience)) is not None:
        _tell(folder, stopped)
        return
    process = ask(folder, Wish.STOP)
    if process is None:
        click.echo(f"{folder}: no crawl is running here")
        return
    _tell(folder, wait_until(lambda: process != running(folder), patience))


def _stop_leader(folder: Path, patience: float) -> bool | None:
    """Ask who leads a shared crawl to stop; whether it did. None: nobody leads it."""
    from lycosa.cluster import live
    from lycosa.cluster.place import Place

    return live.stop(Place(folder), lambda met: wait_until(met, patience))


def _tell(folder: Path, stopped: bool) -> None:
    from lycosa.model.errors import LycosaError
    from lycosa.store.paths import is_shared

    if not stopped:
        raise LycosaError(
            f"{folder}: the crawl was asked and still writes; `lycosa stop` again stops it at once"
        )
    go_on = f"lycosa cluster resume {folder}" if is_shared(folder) else f"lycosa resume {folder}"
    click.echo(f"{folder}: stopped; go on with: {go_on}")


def ask(folder: Path, wish: Wish) -> int | None:
    """Ask something of the crawl that runs here, by its inbox; the process that was asked, None if there is none."""
    from lycosa.crawls.opening import open_folder
    from lycosa.crawls.place import running

    if running(folder) is None:
        return None
    with open_folder(folder) as crawl:
        return crawl.ask(wish)


def wait_until(met: Callable[[], bool], patience: float) -> bool:
    """Look until it is so, or for so many seconds. Returns whether it is."""
    import time

    until = time.monotonic() + patience
    while not met():
        if time.monotonic() > until:
            return False
        time.sleep(LOOK_EVERY)
    return True
