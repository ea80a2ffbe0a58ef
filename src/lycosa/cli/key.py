"""`lycosa key`: keys that sign requests, so that servers can tell who asks."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.values import duration

FILE = click.Path(path_type=Path)


@click.group("key")
def command() -> None:
    """Make a key that signs the requests of a crawl (Web Bot Auth), and the file in which your site shows it.

    Crawl with it: lycosa crawl --sign-key FILE --sign-agent https://YOUR-SITE
    """


@command.command("new")
@click.argument("file", metavar="FILE", type=FILE)
def new(file: Path) -> None:
    """Make a key, in a new file that only you can read.

    Whoever has the file can ask in your name: keep it apart from what you publish.
    """
    import os

    from lycosa.model.errors import InputError
    from lycosa.web.http.signature import SigningKey

    key = SigningKey.made()
    try:
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise InputError(f"{file}: cannot be made: {error.strerror}; name a new file") from None
    with os.fdopen(handle, "wb") as secret:
        secret.write(key.pem())
    click.echo(f"{file}: the key {key.thumbprint}")


@command.command("show")
@click.argument("file", metavar="FILE", type=FILE)
def show(file: Path) -> None:
    """Show the public part of a key, as JSON (JWK). Its `kid` is the name that servers see."""
    from lycosa.cli.output import say_json
    from lycosa.web.http.signature import SigningKey

    say_json(SigningKey.read(file).public)


@command.command("directory")
@click.argument("files", metavar="FILE...", type=FILE, nargs=-1, required=True)
@click.option(
    "--agent", required=True, metavar="URL", help="The site that shows the keys: https://crawler.example.org."
)
@click.option(
    "-o",
    "--out",
    type=FILE,
    default=Path(),
    metavar="DIR",
    help="Write below this folder, the root of the site.  [default: this folder]",
)
@click.option(
    "--valid",
    type=duration,
    default="90d",
    metavar="TIME",
    show_default=True,
    help="Let the signatures of the file hold so long.",
)
def directory(files: tuple[Path, ...], agent: str, out: Path, valid: float) -> None:
    """Write the file in which your site shows its keys, and tell the headers to send with it.

    Give the old key and the new one while you change from one to the other. Do this again before the signatures end.
    """
    import time

    from lycosa.cli.writing import write_out
    from lycosa.model.errors import InputError
    from lycosa.web.http.signature import WELL_KNOWN, SigningKey, directory_headers
    from lycosa.web.http.signature import directory as shown

    keys = [SigningKey.read(file) for file in files]
    headers = directory_headers(keys, agent, created=int(time.time()), seconds=int(valid))
    place = out / WELL_KNOWN
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{place.parent}: cannot be made: {error.strerror}; choose another with -o"
        ) from None
    write_out(place, shown(keys))
    click.echo(f"{place}: {len(keys)} key{'s' * (len(keys) != 1)}. Serve it over https with these headers:")
    for name, value in headers:
        click.echo(f"{name}: {value}")
