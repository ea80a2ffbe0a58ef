"""`lycosa lab`: the laboratory, each of its verbs loaded when it is used."""

from __future__ import annotations

import click

from lycosa.cli.group import LateVerbs

VERBS = {
    "tasks": ("lab_tasks", "Make tasks from a recorded or generated web, or check tasks."),
    "run": ("lab_run", "Run an experiment, and report what it came to."),
    "compare": ("lab_compare", "Tell whether one strategy is better than another, and how sure that is."),
    "tune": ("lab_tune", "Search for the best parameters of a strategy, on topics set apart for that."),
    "report": ("lab_report", "Write the report and the tables of an experiment anew."),
    "bounds": ("lab_bounds", "Tell what was possible on a web: chance, clairvoyant, oracle."),
}
"""Module of `lycosa.cli` that has the verb as `command`, and what it does, in a line."""


class LabVerbs(LateVerbs):
    """The verbs of the laboratory."""

    verbs = VERBS

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, does) for name, (_, does) in VERBS.items()])


@click.group("lab", cls=LabVerbs)
def command() -> None:
    """Measure crawlers on recorded webs: make tasks, run experiments, compare and tune strategies."""
