"""`lycosa stop`: ask a running crawl to stop."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.values import duration

LOOK_EVERY = 0.1


@click.command("stop")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--time",
    "patience",
    type=duration,
    default="2m",
    metavar="TIME",
    help="Wait this long.  [default: 2m]",
)
def command(folder: Path, patience: float) -> None:
    """Ask a running crawl to finish its visits and stop, as Ctrl-C does, and wait until it has let go."""
    import os
    import signal
    import time

    from lycosa.model.errors import FolderError, LycosaError
    from lycosa.paths import Paths
    from lycosa.store.database import writer_of

    journal = Paths(folder).journal
    if not journal.exists():
        raise FolderError(f"{folder}: no crawl here; give the folder of a crawl")
    process = writer_of(journal)
    if process is None:
        click.echo(f"{folder}: no crawl is running here")
        return
    try:
        os.kill(process, signal.SIGINT)
    except PermissionError:
        raise LycosaError(
            f"{folder}: process {process} belongs to somebody else; stop it as that user"
        ) from None
    except ProcessLookupError:
        pass  # it ended in this very moment
    until = time.monotonic() + patience
    while writer_of(journal) == process:
        if time.monotonic() > until:
            raise LycosaError(
                f"{folder}: process {process} was asked and still writes; `lycosa stop` again stops it at once"
            )
        time.sleep(LOOK_EVERY)
    click.echo(f"{folder}: stopped; go on with: lycosa resume {folder}")
