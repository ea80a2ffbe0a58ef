"""`lycosa strategies`: which there are, and what each needs."""

from __future__ import annotations

import click

from lycosa.cli.completion import STRATEGY


@click.command("strategies")
@click.argument("name", required=False, type=STRATEGY)
@click.option("--wrappers", is_flag=True, help="List wrappers, which change any strategy in one way.")
@click.option("--json", is_flag=True, help="Write JSON: a list, or one object for NAME.")
def command(name: str | None, wrappers: bool, json: bool) -> None:
    """List the crawling strategies, or describe one."""
    from lycosa.cli.described import listed, manual
    from lycosa.cli.output import say_json
    from lycosa.spec.registry import FAMILIES, describe, strategy_names, wrapper_names

    if name is not None:
        found = describe(name)
        say_json(found) if json else click.echo(manual(found, found.inputs))
        return
    infos = [describe(each) for each in (wrapper_names() if wrappers else strategy_names())]
    if json:
        say_json(infos)
        return
    listed(infos, [] if wrappers else FAMILIES, {info.name: info.inputs for info in infos})
    click.echo("Parameters, costs and sources of one: lycosa strategies NAME")
    if wrappers:
        click.echo("Use one with: lycosa crawl … --strategy NAME+WRAPPER:parameter=value,…")
    else:
        click.echo("Use one with: lycosa crawl … --strategy NAME:parameter=value,…")
        click.echo("What can be put around any of them: lycosa strategies --wrappers")
