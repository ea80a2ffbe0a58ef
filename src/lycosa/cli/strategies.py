"""`lycosa strategies`: which there are, and what each needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import STRATEGY

if TYPE_CHECKING:
    from lycosa.spec.registry import Parameter, StrategyInfo


@click.command("strategies")
@click.argument("name", required=False, type=STRATEGY)
@click.option("--wrappers", is_flag=True, help="List wrappers, which change any strategy in one way.")
@click.option("--json", is_flag=True, help="Write JSON: a list, or one object for NAME.")
def command(name: str | None, wrappers: bool, json: bool) -> None:
    """List the crawling strategies, or describe one."""
    from lycosa.cli.output import say_json
    from lycosa.spec.registry import FAMILIES, describe, strategy_names, wrapper_names

    if name is not None:
        found = describe(name)
        say_json(found) if json else click.echo(_manual(found))
        return
    infos = [describe(each) for each in (wrapper_names() if wrappers else strategy_names())]
    if json:
        say_json(infos)
        return
    width = max(len(info.name) for info in infos)
    for family in [*FAMILIES, ""]:
        members = [info for info in infos if info.family == family]
        if members and not wrappers:
            click.echo(click.style(f"{(family or 'of other packages').capitalize()}:", bold=True))
        for info in members:
            needs = f" Needs {', '.join(info.inputs)}." if info.inputs else ""
            click.echo(f"  {info.name:<{width}}  {info.summary}{click.style(needs, dim=True)}")
        if members:
            click.echo()
    click.echo("Parameters, costs and sources of one: lycosa strategies NAME")
    if wrappers:
        click.echo("Use one with: lycosa crawl … --strategy NAME+WRAPPER:parameter=value,…")
    else:
        click.echo("Use one with: lycosa crawl … --strategy NAME:parameter=value,…")
        click.echo("What can be put around any of them: lycosa strategies --wrappers")


def _manual(info: StrategyInfo) -> str:
    lines = [click.style(info.name, bold=True), "", info.manual]
    if info.parameters:
        lines += ["", "Parameters", *(f"    {_parameter(each)}" for each in info.parameters)]
    if info.inputs:
        lines += ["", f"Needs: {', '.join(info.inputs)}"]
    return "\n".join([*lines, "", f"Reference: {info.reference}"] if info.reference else lines)


def _parameter(parameter: Parameter) -> str:
    allowed = bounds_in_words(parameter)
    default = "" if parameter.default is None else f", default {parameter.default}"
    return f"{parameter.name}: {type_in_words(parameter)}{f' {allowed}' if allowed else ''}{default}"


def type_in_words(parameter: Parameter) -> str:
    """`soft or hard` for a choice of these two, else as Python has it."""
    name, _, values = parameter.type.rstrip("]").partition("[")
    return (
        " or ".join(value.strip(" '") for value in values.split(",")) if name == "Literal" else parameter.type
    )


def bounds_in_words(parameter: Parameter) -> str:
    """`from 1 to 1,000,000`; empty without bounds."""
    least = f"from {parameter.least:,.10g}" if parameter.least is not None else ""
    most = f"to {parameter.most:,.10g}" if parameter.most is not None else ""
    return " ".join(filter(None, (least, most)))
