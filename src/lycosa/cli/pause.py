"""`lycosa pause`: have a running crawl wait, and go on."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.completion import CRAWL


@click.command("pause")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option("--off", is_flag=True, help="Let it go on.")
def command(folder: Path, off: bool) -> None:
    """Ask a running crawl to begin no more visits, or to go on (--off).

    The visits that are out are finished. A crawl that is stopped while it is paused goes on when it is resumed.
    """
    from lycosa.cli.stop import ask
    from lycosa.model.events import Wish

    if ask(folder, Wish.GO_ON if off else Wish.PAUSE) is None:
        click.echo(f"{folder}: no crawl is running here")
    else:
        click.echo(f"{folder}: {'it goes on' if off else f'paused; go on with: lycosa pause {folder} --off'}")
