"""`lycosa policies`: when pages can be visited again."""

from __future__ import annotations

import click

from lycosa.cli.completion import POLICY


@click.command("policies")
@click.argument("name", required=False, type=POLICY)
@click.option("--json", is_flag=True, help="Write JSON: a list, or one object for NAME.")
def command(name: str | None, json: bool) -> None:
    """List the policies of visiting pages again, or describe one."""
    from lycosa.cli.described import listed, manual
    from lycosa.cli.output import say_json
    from lycosa.revisit.registry import FAMILIES, describe, policy_names

    if name is not None:
        found = describe(name)
        say_json(found) if json else click.echo(manual(found))
        return
    infos = [describe(each) for each in policy_names()]
    if json:
        say_json(infos)
        return
    listed(infos, FAMILIES, {})
    click.echo("Parameters and sources of one: lycosa policies NAME")
