"""`lycosa mcp`: crawls as tools for AI agents."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.completion import WEB
from lycosa.cli.values import Whole, duration
from lycosa.model.errors import InputError


@click.command("mcp")
@click.argument("folder", metavar="[DIR]", default=Path(), type=click.Path(path_type=Path))
@click.option("--http", is_flag=True, help="Serve any number of agents over HTTP, not one over stdio.")
@click.option(
    "--port",
    type=Whole(0, 65_535),
    default=8_910,
    metavar="N",
    help="With --http, listen on this port; 0: any.  [default: 8910]",
)
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="HOST",
    help="With --http, listen on this address; any but loopback needs a token.  [default: 127.0.0.1]",
)
@click.option(
    "--token",
    default="",
    envvar="LYCOSA_TOKEN",
    metavar="TEXT",
    help="With --http, let in only who shows this.  [default: on loopback none, else one is made up]",
)
@click.option("--look-only", is_flag=True, help="Let agents search and read, but begin and change nothing.")
@click.option(
    "--max-pages",
    type=Whole(1),
    default=1_000,
    metavar="N",
    help="Let a crawl fetch so many pages, at most.  [default: 1000]",
)
@click.option(
    "--max-hosts",
    type=Whole(1),
    default=100,
    metavar="N",
    help="Let a crawl ask so many hosts, at most.  [default: 100]",
)
@click.option(
    "--max-time",
    type=duration,
    default="1h",
    metavar="TIME",
    help="Let a run take so long, at most: 30m, 2h.  [default: 1h]",
)
@click.option(
    "--max-crawls",
    type=Whole(1),
    default=2,
    metavar="N",
    help="Let so many crawls run at once.  [default: 2]",
)
@click.option(
    "--domain",
    "domains",
    multiple=True,
    metavar="DOMAIN",
    help="Let crawls go to this domain and the hosts below it only. Repeatable.",
)
@click.option(
    "--contact",
    default="",
    envvar="LYCOSA_CONTACT",
    metavar="TEXT",
    help="Tell site owners your URL or e-mail address.",
)
@click.option(
    "--web",
    type=WEB,
    metavar="WEB",
    help="Let crawls crawl a recorded web: PATH[,PATH].  [default: live]",
)
def command(
    folder: Path,
    http: bool,
    port: int,
    host: str,
    token: str,
    look_only: bool,
    max_pages: int,
    max_hosts: int,
    max_time: float,
    max_crawls: int,
    domains: tuple[str, ...],
    contact: str,
    web: str | None,
) -> None:
    """Give AI agents tools to crawl, search and read (MCP), over stdio or HTTP.

    DIR is the folder for the crawls; agents reach nothing outside it. It is made if it is not there; without one it is
    the current folder. Agents cannot go beyond the limits given here, and robots.txt is always obeyed.
    """
    from lycosa.library.library import Library
    from lycosa.library.new_crawl import Limits

    try:
        from lycosa.mcp.running import Http, over_stdio
    except ModuleNotFoundError as error:
        raise InputError(
            f"tools for agents need {error.name}, which is not installed: pip install 'lycosa[mcp]'"
        ) from None

    _make(folder)
    limits = Limits(
        pages=max_pages,
        hosts=max_hosts,
        seconds=max_time,
        crawls=max_crawls,
        domains=tuple(domain.lower().strip(".") for domain in domains),
        polite=True,
    )
    library = Library([folder], limits=limits, given={"web": web or "live", "contact": contact})
    if not http:
        over_stdio(library, looks_only=look_only)
        return
    server = Http(library, host=host, port=port, token=token, looks_only=look_only)
    click.echo(f"lycosa is at {server.url}")
    if server.token and not token:
        click.echo(f"Agents must send this token: Authorization: Bearer {server.token}")
    click.echo("Ctrl-C ends the server; crawls that run go on.")
    server.run()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}; give a folder for the crawls") from None
