"""`lycosa serve`: the page of one or many crawls."""

from __future__ import annotations

import logging
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import click

from lycosa.cli.completion import WEB
from lycosa.cli.values import Whole
from lycosa.model.errors import InputError


@click.command("serve")
@click.argument("folders", nargs=-1, metavar="[DIR]...", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=Whole(0, 65_535),
    default=8_900,
    metavar="N",
    help="Listen on this port; 0: any.  [default: 8900]",
)
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="HOST",
    help="Listen on this address; any but loopback needs a token.  [default: 127.0.0.1]",
)
@click.option(
    "--token",
    default="",
    envvar="LYCOSA_TOKEN",
    metavar="TEXT",
    help="Let in only who shows this.  [default: on loopback none, else one is made up]",
)
@click.option("--open", "opens", is_flag=True, help="Open the page in your browser.")
@click.option(
    "--lab", type=click.Path(path_type=Path), metavar="DIR", help="Show the experiments in this folder, too."
)
@click.option(
    "--log-json", is_flag=True, help="Write a log of all requests to standard error, one JSON object a line."
)
@click.option(
    "--web",
    type=WEB,
    metavar="WEB",
    help="Let new crawls crawl a recorded web: PATH[,PATH].  [default: live]",
)
def command(
    folders: tuple[Path, ...],
    port: int,
    host: str,
    token: str,
    opens: bool,
    lab: Path | None,
    log_json: bool,
    web: str | None,
) -> None:
    """Show crawls in your browser: watch them, steer them, search and browse what they found, and begin new ones.

    DIR is the folder of a crawl, or one that holds such folders; without any it is the current folder. Crawls that run
    are shown live, and go on when the page is closed.
    """
    from lycosa.library.library import Library

    try:
        from lycosa.console.running import Server
    except ModuleNotFoundError as error:
        raise InputError(
            f"the page needs {error.name}, which is not installed: pip install 'lycosa[serve]'"
        ) from None

    for folder in folders:
        if not folder.is_dir():
            raise click.UsageError(f"{folder}: there is no such folder")
    if log_json:
        from lycosa.watch.log import Log, LogHandler

        logging.basicConfig(handlers=[LogHandler(Log(sys.stderr))], level=logging.INFO)
    places = folders or (Path(),)
    library = Library(places, given={"web": web} if web else None)
    server = Server(library, host=host, port=port, token=token, lab=lab)
    only = [place.name for place in library.crawls()] if library.home is None else []
    address = server.address.at(f"/crawls/{quote(only[0])}" if len(only) == 1 else "/")
    click.echo(f"lycosa is at {address}")
    if not server.address.is_local:
        click.echo("Whoever has this address can read these crawls, and begin new ones; it is not encrypted.")
    click.echo("Ctrl-C ends the page; crawls that run go on.")
    if opens:
        import webbrowser

        webbrowser.open(address)
    with suppress(KeyboardInterrupt):  # that is how it ends
        server.run()
