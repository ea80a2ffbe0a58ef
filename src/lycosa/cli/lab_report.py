"""`lycosa lab report`: the report and the tables of an experiment that was run."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("report")
@click.argument("folder", metavar="RUN", type=click.Path(path_type=Path))
@click.option("-q", "--quiet", is_flag=True, help="No summary.")
def command(folder: Path, quiet: bool) -> None:
    """Write the report and the tables of an experiment anew, of what is finished so far.

    RUN is the folder that `lycosa lab run` made. The experiment's webs must still be where they were.
    """
    from lycosa.cli.lab_run import conclude
    from lycosa.lab.experiments.results import Results

    conclude(Results.of(folder), folder, quiet=quiet)
