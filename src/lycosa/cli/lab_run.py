"""`lycosa lab run`: all crawls of an experiment, and its report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.group import DONE, FAILED, INTERRUPTED

if TYPE_CHECKING:
    from lycosa.lab.experiments.results import Results

SHOWN = 5
"""Failures that are told, of each strategy and problem the first."""


@click.command("run")
@click.argument("file", metavar="EXPERIMENT.toml", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the results.  [default: as the file, less .toml]",
)
@click.option("--workers", type=click.IntRange(0), default=0, help="Processes.  [default: one a processor]")
@click.option("--again", is_flag=True, help="Repeat crawls that another version of the source ran.")
@click.option("-q", "--quiet", is_flag=True, help="No progress, no summary.")
def command(file: Path, out: Path | None, workers: int, again: bool, quiet: bool) -> int:
    """Run all crawls of an experiment and report what they came to.

    What is finished stays finished: interrupted by Ctrl-C or a crash, the same command goes on. A strategy that fails
    marks its crawls as failed, and the others go on. The folder then has report.html, tables for a paper (table.md,
    table.tex, table.csv), results and trajectories as Parquet, or as CSV and JSON lines where pyarrow is missing.
    Exit code 1 if a crawl failed.

    A file with a table [revisit] is an experiment with policies of visiting pages again, one with a table [sharing] an
    experiment with crawlers that share a crawl: light simulations in one process, whose tables go to table.md.
    """
    from lycosa.cli.lab_progress import progress
    from lycosa.cli.output import say_aside
    from lycosa.lab.experiments.experiment import load_experiment
    from lycosa.lab.experiments.results import Results
    from lycosa.lab.experiments.runner import run
    from lycosa.lab.sharing.design import has_sharing
    from lycosa.lab.time.design import has_revisits

    if has_revisits(file):
        return _run_revisits(file, out or file.with_suffix(""), again=again, quiet=quiet)
    if has_sharing(file):
        return _run_sharing(file, out or file.with_suffix(""), again=again, quiet=quiet)
    experiment = load_experiment(file)
    folder = out or file.with_suffix("")
    written = shlex.join(["lycosa", *sys.argv[1:]])
    say = (lambda line: None) if quiet else say_aside
    try:
        with progress(quiet=quiet) as tell:
            run(experiment, folder, workers=workers, again=again, command=written, tell=tell, say=say)
    except KeyboardInterrupt:
        click.echo(f"interrupted; what is finished is kept in {folder}, the same command goes on", err=True)
        return INTERRUPTED
    results = Results(experiment, folder)
    conclude(results, folder, quiet=quiet)
    return FAILED if results.failed else DONE


def _run_revisits(file: Path, folder: Path, *, again: bool, quiet: bool) -> int:
    """An experiment with revisits: one simulation after the other, and the tables of what they came to."""
    from lycosa.lab.time.design import load_revisits
    from lycosa.lab.time.runner import run
    from lycosa.lab.time.tables import tables

    design = load_revisits(file)
    return _run_light(folder, lambda tell: tables(run(design, folder, again=again, tell=tell)), quiet=quiet)


def _run_sharing(file: Path, folder: Path, *, again: bool, quiet: bool) -> int:
    """An experiment with shared crawls, likewise."""
    from lycosa.lab.sharing.design import load_sharing
    from lycosa.lab.sharing.runner import run
    from lycosa.lab.sharing.tables import tables

    design = load_sharing(file)
    return _run_light(folder, lambda tell: tables(run(design, folder, again=again, tell=tell)), quiet=quiet)


def _run_light(folder: Path, run: Callable[[Callable[[str], None]], str], *, quiet: bool) -> int:
    """Light simulations, one after the other; `run` gives their tables."""
    from lycosa.cli.output import say_aside

    try:
        made = run((lambda line: None) if quiet else say_aside)
    except KeyboardInterrupt:
        click.echo(f"interrupted; what is finished is kept in {folder}, the same command goes on", err=True)
        return INTERRUPTED
    told = folder / "table.md"
    told.write_text(made, encoding="utf-8")
    if not quiet:
        click.echo(made + str(told))
    return DONE


def conclude(results: Results, folder: Path, *, quiet: bool = False) -> None:
    """Write all that is made of the results, and say where it is and what it says."""
    from lycosa.lab.report.exports import write_files
    from lycosa.lab.report.page import write_report
    from lycosa.lab.report.paper_tables import write_tables
    from lycosa.lab.report.verdict import verdicts
    from lycosa.report.wording import clean, counted

    written = [*write_files(results, folder), *write_tables(results, folder)]
    report = folder / "report.html"
    write_report(results, report)
    if quiet:
        return
    for line in verdicts(results):
        click.echo(clean(line))
    kinds = {(each.cell.label, each.problem): each.cell for each in reversed(results.failed)}
    for (label, problem), cell in list(kinds.items())[:SHOWN]:
        where = f"{label} on {cell.web}, {cell.task}, D = {cell.distance}"
        click.echo(click.style(clean(f"failed: {where}: {problem}"), fg="red"))
    if results.failed:
        click.echo(f"{counted(len(results.failed), 'crawl')} failed, see the report")
    click.echo(f"{report} (and {', '.join(path.name for path in written)})")
