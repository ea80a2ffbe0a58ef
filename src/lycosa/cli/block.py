"""`lycosa block`: have nothing fetched from a host while a crawl goes on."""

from __future__ import annotations

from pathlib import Path

import click

from lycosa.cli.completion import CRAWL


@click.command("block")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("hosts", metavar="[HOST]...", nargs=-1)
@click.option("--off", is_flag=True, help="Let them in again.")
@click.option("--by", metavar="NAME", help="Say who blocks them.  [default: your login name]")
@click.option("--json", is_flag=True, help="Write JSON, one object a host.")
def command(folder: Path, hosts: tuple[str, ...], off: bool, by: str | None, json: bool) -> None:
    """Have a crawl fetch nothing more from these hosts, while it runs or while it is stopped.

    What waits there is set aside, and comes back where it stood when you let the host in again (--off). Pages that were
    fetched stay. A URL will do for its host; hosts with other names, also below this one, are other hosts. Without HOST
    the blocked hosts are listed. To say from the beginning where a crawl may not go: lycosa crawl --exclude.
    """
    from lycosa.cli.output import say_json
    from lycosa.crawls.opening import open_folder
    from lycosa.report.wording import clean, counted

    if off and not hosts:
        raise click.UsageError("say which hosts to let in again")
    with open_folder(folder) as crawl:
        said = login_name() if by is None else by
        if off:
            found, done = crawl.unblock(*hosts, by=said), "let in again"
        else:
            found, done = (crawl.block(*hosts, by=said) if hosts else crawl.blocks()), "blocked"
        if json:
            for block in found:
                say_json(block)
            return
        for block in found:
            by_whom = f" by {clean(block.by)}" if block.by and not off else ""
            links = f", {counted(block.links, 'link')} set aside" if block.links else ""
            click.echo(f"{clean(block.host)}: {done}{by_whom}{links}")
        if not found:
            click.echo("these hosts were not blocked" if off else "no host is blocked")
        elif hosts:
            click.echo(when_it_counts(crawl.process, crawl.go_on))


def login_name() -> str:
    """The name of who is logged in; empty where the system has none."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def when_it_counts(process: int | None, go_on: str) -> str:
    """What to say of what a crawl was told, and will hear."""
    if process is not None:
        return "the crawl takes this in before it asks for its next page"
    return f"it counts when the crawl goes on: {go_on}"
