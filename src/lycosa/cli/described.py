"""What can be chosen by name, as the command line tells it: strategies, wrappers, policies."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lycosa.model.naming import Info, Parameter


def listed(infos: Sequence[Info], families: Collection[str], needs: dict[str, Sequence[str]]) -> None:
    """A line each, under their families; no headings without families."""
    width = max(len(info.name) for info in infos)
    for family in [*families, ""]:
        members = [info for info in infos if info.family == family]
        if members and families:
            click.echo(click.style(f"{(family or 'of other packages').capitalize()}:", bold=True))
        for info in members:
            needed = f" Needs {', '.join(needs[info.name])}." if needs.get(info.name) else ""
            click.echo(f"  {info.name:<{width}}  {info.summary}{click.style(needed, dim=True)}")
        if members:
            click.echo()


def manual(info: Info, needs: Sequence[str] = ()) -> str:
    """The page of one, as text."""
    lines = [click.style(info.name, bold=True), "", info.manual]
    if info.parameters:
        lines += ["", "Parameters", *(f"    {_parameter(each)}" for each in info.parameters)]
    if needs:
        lines += ["", f"Needs: {', '.join(needs)}"]
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
