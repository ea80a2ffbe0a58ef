"""`lycosa lab tune`: the best parameters of a strategy, searched on topics set apart for that."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.group import DONE, INTERRUPTED

if TYPE_CHECKING:
    from lycosa.lab.experiments.tune import Sensitivity, Tuning

_PATH = click.Path(path_type=Path)
SHOWN = 5


@click.command("tune")
@click.argument("strategy")
@click.option("--web", required=True, metavar="PATH", help="A recorded web: a folder or a WARC file.")
@click.option("--tasks", type=_PATH, help="A file of tasks.  [default: topics.jsonl of the web]")
@click.option(
    "--param",
    "params",
    multiple=True,
    help="Values of a parameter: name=low:high, name=low:high:log, name=a,b,c.  [default: all that have bounds]",
)
@click.option("--trials", type=click.IntRange(1), default=30, help="Sets of parameters.  [default: 30]")
@click.option(
    "--metric", default="auc", help="What is to be high: auc, auc@N, recall@N, harvest@N.  [default: auc]"
)
@click.option("-D", "distance", type=click.IntRange(0), default=3, help="Links to the targets.  [default: 3]")
@click.option("--pages", type=click.IntRange(1), default=1_000, help="Of each crawl.  [default: 1000]")
@click.option(
    "--frontier", type=click.IntRange(0), default=0, help="URLs that may wait.  [default: no limit]"
)
@click.option(
    "--seeds", type=click.IntRange(1), default=1, help="Crawls of each topic, for random strategies."
)
@click.option("--examples", type=click.IntRange(0), default=0, help="Example pages given with the keywords.")
@click.option("--seed", type=int, default=0, help="Of the parameters that are tried.")
@click.option("-o", "--out", type=_PATH, help="The record.  [default: STRATEGY.tuned.json]")
@click.option("--keep", type=_PATH, help="Folder of the crawls.  [default: one in the cache folder]")
@click.option("--workers", type=click.IntRange(0), default=0, help="Processes.  [default: one a processor]")
@click.option("--json", is_flag=True, help="All trials as JSON, one a line, best first.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(
    strategy: str,
    web: str,
    tasks: Path | None,
    params: tuple[str, ...],
    trials: int,
    metric: str,
    distance: int,
    pages: int,
    frontier: int,
    seeds: int,
    examples: int,
    seed: int,
    out: Path | None,
    keep: Path | None,
    workers: int,
    json: bool,
    quiet: bool,
) -> int:
    """Search for the best parameters of a strategy, on topics set apart for that.

    About a quarter of the topics are for tuning, by the hash of their ids; no others are used. What is found goes into
    a file that says which topics it was tuned on. Write @FILE for a strategy in an experiment: those topics are then
    kept out of its report. Interrupted, the same command goes on.
    """
    from lycosa.cli.lab_compare import cached_folder, experiment_from, read_web
    from lycosa.cli.lab_progress import progress
    from lycosa.lab.experiments.ranges import ranges_of
    from lycosa.lab.experiments.tune import sensitivity, tune
    from lycosa.lab.tasks.split import write_tuned

    ranges = ranges_of(strategy, params)
    experiment = experiment_from(
        {strategy: strategy},
        web,
        tasks,
        distance,
        pages,
        "tuning",
        0,
        frontiers=(frontier,),
        seeds=tuple(range(seeds)),
        examples=examples,
    )
    read_web(experiment, quiet=quiet)
    try:
        with progress(quiet=quiet) as tell:
            found = tune(
                experiment,
                strategy,
                ranges,
                keep or cached_folder(),
                trials=trials,
                metric=metric,
                seed=seed,
                workers=workers,
                tell=tell,
            )
    except KeyboardInterrupt:
        click.echo("interrupted; what is finished is kept, the same command goes on", err=True)
        return INTERRUPTED
    file = out or Path(f"{strategy.partition(':')[0].partition('+')[0]}.tuned.json")
    write_tuned(found.record, file)
    _tell(found, sensitivity(found, ranges), file, json)
    return DONE


def _tell(found: Tuning, sensitive: list[Sensitivity], file: Path, json: bool) -> None:
    from lycosa.cli.output import say_json
    from lycosa.lab.report.paper_tables import title_of
    from lycosa.report.wording import clean, counted

    if json:
        for trial in found.trials:
            say_json(trial)
        return
    name = title_of(found.metric)
    for trial in found.trials[:SHOWN]:
        value = trial.values[-1]
        click.echo(clean(f"{name} {value} on {counted(value.count, 'topic')}: {trial.specification}"))
    default = found.default.values[-1]
    click.echo(clean(f"as it was: {name} {default} on {counted(default.count, 'topic')}"))
    for each in sensitive:
        told = ", ".join(f"{values}: {mean:.4f}" for values, mean in each.means.items())
        ranks = "" if each.correlation is None else f" (rank correlation {each.correlation:+.2f})"
        click.echo(clean(f"{each.name}{ranks}: {told}"))
    click.echo(f"{file}: for an experiment write @{file}")
