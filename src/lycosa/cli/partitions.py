"""`lycosa partitions`: how several crawlers can share one crawl."""

from __future__ import annotations

import click

from lycosa.cli.completion import PARTITION


@click.command("partitions")
@click.argument("name", required=False, type=PARTITION)
@click.option("--json", is_flag=True, help="Write JSON: a list, or one object for NAME.")
def command(name: str | None, json: bool) -> None:
    """List the ways to share a crawl among several crawlers, or describe one."""
    from lycosa.cli.described import listed, manual
    from lycosa.cli.output import say_json
    from lycosa.sharing.registry import FAMILIES, describe, needs_classes, partition_names

    def needs(of: str) -> list[str]:
        return ["classes"] if needs_classes(of) else []

    if name is not None:
        found = describe(name)
        say_json(found) if json else click.echo(manual(found, needs(name)))
        return
    infos = [describe(each) for each in partition_names()]
    if json:
        say_json(infos)
        return
    listed(infos, FAMILIES, {info.name: needs(info.name) for info in infos})
    click.echo("Parameters and sources of one: lycosa partitions NAME")
