"""`lycosa lab compare`: is A better than B, by how much, how sure."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lycosa.cli.group import DONE, FAILED, INTERRUPTED

if TYPE_CHECKING:
    from lycosa.lab.experiments.experiment import Experiment
    from lycosa.lab.experiments.results import Results
    from lycosa.lab.measures.statistics import Comparison

Decorated = TypeVar("Decorated", bound=Callable[..., Any])
_PATH = click.Path(path_type=Path)
TOPICS = ("all", "tuning", "reporting")


def about_web(function: Decorated) -> Decorated:
    """The options that say on what a strategy is measured."""
    options = (
        click.option("--web", required=True, metavar="PATH", help="A recorded web: a folder or a WARC file."),
        click.option("--tasks", type=_PATH, help="A file of tasks.  [default: topics.jsonl of the web]"),
        click.option(
            "-D", "distance", type=click.IntRange(0), default=3, help="Links to the targets.  [default: 3]"
        ),
        click.option(
            "--pages", type=click.IntRange(1), default=1_000, help="Of each crawl.  [default: 1000]"
        ),
        click.option(
            "--topics", type=click.Choice(TOPICS), default="all", help="A side of the split.  [default: all]"
        ),
        click.option(
            "--most", type=click.IntRange(0), default=0, help="So many topics at most.  [default: all]"
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def one_recording(web: str) -> Path:
    """The recorded web that a strategy is measured on. Raises `InputError` for any other number of them than one."""
    from lycosa.model.errors import InputError
    from lycosa.spec.webs import web_of

    named = web_of(web)
    if not named.is_recorded or len(named.recordings) != 1:
        raise InputError(
            f"web {web!r}: crawlers are measured on one recorded web; give the path of its folder or file"
        )
    return named.recordings[0]


def experiment_from(
    strategies: Mapping[str, str],
    web: str,
    tasks: Path | None,
    distance: int,
    pages: int,
    topics: str,
    most: int,
    **more: Any,
) -> Experiment:
    """An experiment on one web from options. Raises `InputError`."""
    import msgspec

    from lycosa.lab.experiments.design import WebSpec
    from lycosa.lab.experiments.experiment import Experiment, with_tuned

    place = one_recording(web).resolve()
    spec = WebSpec(path=str(place), tasks=str(tasks.resolve()) if tasks else "")
    experiment = Experiment(
        name=" and ".join(strategies),
        strategies=strategies,
        webs={place.name.removesuffix(".warc.gz"): spec},
        pages=pages,
        distances=(distance,),
        most_topics=most,
        **more,
    )
    return with_tuned(msgspec.structs.replace(experiment, topics=topics)).checked()


def read_web(experiment: Experiment, *, quiet: bool = False) -> None:
    """Read the pages of the experiment's webs if that was not done before, and say so."""
    from lycosa.cli.output import say_aside
    from lycosa.lab.experiments.runner import web_of

    for spec in experiment.webs.values():
        web_of(spec, (lambda line: None) if quiet else say_aside)


@click.command("compare")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@about_web
@click.option(
    "--frontier", type=click.IntRange(0), default=0, help="URLs that may wait.  [default: no limit]"
)
@click.option(
    "--seeds", type=click.IntRange(1), default=1, help="Crawls of each topic, for random strategies."
)
@click.option("--examples", type=click.IntRange(0), default=0, help="Example pages given with the keywords.")
@click.option(
    "--metric",
    default="auc",
    help="What decides: auc, auc@N, recall@N, harvest@N, similarity.  [default: auc]",
)
@click.option("-o", "--out", type=_PATH, help="Folder of the results.  [default: one in the cache folder]")
@click.option("--workers", type=click.IntRange(0), default=0, help="Processes.  [default: one a processor]")
@click.option("--json", is_flag=True, help="The comparison as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
def command(
    a: str,
    b: str,
    web: str,
    tasks: Path | None,
    distance: int,
    pages: int,
    topics: str,
    most: int,
    frontier: int,
    seeds: int,
    examples: int,
    metric: str,
    out: Path | None,
    workers: int,
    json: bool,
    quiet: bool,
) -> int:
    """Tell whether strategy A is better than B on a recorded web, by how much, and how sure that is.

    A and B are written as for `lycosa crawl --strategy`, or @FILE for what `lycosa lab tune` wrote. Crawls that were
    run before are not run again. Exit code 1 if a crawl failed.
    """
    from lycosa.cli.lab_progress import progress
    from lycosa.cli.output import say_aside
    from lycosa.lab.experiments.results import Results
    from lycosa.lab.experiments.runner import run

    experiment = experiment_from(
        {a: a, b: b},
        web,
        tasks,
        distance,
        pages,
        topics,
        most,
        frontiers=(frontier,),
        seeds=tuple(range(seeds)),
        examples=examples,
        baseline=b,
    )
    folder = out or cached_folder()
    say = (lambda line: None) if quiet else say_aside
    try:
        with progress(quiet=quiet) as tell:
            run(experiment, folder, workers=workers, command=shlex.join(sys.argv[1:]), tell=tell, say=say)
    except KeyboardInterrupt:
        click.echo("interrupted; what is finished is kept, the same command goes on", err=True)
        return INTERRUPTED
    results = Results(experiment, folder)
    _tell(results, a, b, metric, json)
    return FAILED if results.failed else DONE


def cached_folder() -> Path:
    """Where crawls are kept that no folder was named for: they need not be run again."""
    from lycosa.lab.webs.cache import cache_folder

    return cache_folder() / "lab"


def _tell(results: Results, a: str, b: str, metric: str, json: bool) -> None:
    from lycosa.cli.output import say_json
    from lycosa.model.errors import InputError

    if not results.groups or a == b:
        problem = "they are the same" if a == b else f"all crawls failed: {results.failed[0].problem}"
        raise InputError(f"{a} and {b} cannot be compared: {problem}")
    (group,) = results.groups
    known = {name for each in results.groups[group] for name in each.values}
    if metric not in known:
        raise InputError(f"there is no metric {metric!r}; there are: {', '.join(sorted(known))}")
    found = results.compare(a, b, group, metric)
    if json:
        say_json(
            {"a": a, "b": b, "metric": metric, "group": group, "failed": len(results.failed), **_plain(found)}
        )
        return
    for line in _lines(results, a, b, metric, found):
        click.echo(line)


def _plain(found: Comparison) -> dict[str, Any]:
    """A comparison as values that JSON has; what is not a number becomes null."""
    import msgspec

    return {
        **msgspec.to_builtins(found),
        "significant": found.significant,
        "p": found.p,
    }


def _lines(results: Results, a: str, b: str, metric: str, found: Comparison) -> list[str]:
    from lycosa.lab.report.paper_tables import title_of
    from lycosa.lab.report.verdict import share_of_possible
    from lycosa.report.wording import clean, counted

    (group,) = results.groups
    name = title_of(metric)
    sentence = re.sub(r"\b[AB]\b", lambda m: a if m[0] == "A" else b, str(found), count=2)
    pages = counted(results.experiment.pages, "page")
    lines = [f"{sentence}.", f"{name}: {found.a} against {found.b} on {group}, {pages} a crawl."]
    lines.append(f"Better on {found.wins} topics, equal on {found.ties}, worse on {found.losses}.")
    if found.t.p is not None:
        signed = "no test" if found.wilcoxon.p is None else f"p = {found.wilcoxon.p:.2g}"
        lines.append(
            f"Wilcoxon: {signed}. Effect size: d = {found.d:.2f}, rank-biserial {found.rank_biserial:+.2f}."
        )
    if not found.significant and found.pairs_needed:
        lines.append(
            f"An effect of this size would need about {counted(found.pairs_needed, 'topic')} to be seen."
        )
    if metric == "auc":
        for label in (a, b):
            if (share := share_of_possible(results, group, label)) is not None:
                lines.append(f"{label} went {share:.0%} of the way from chance to the one-step clairvoyant.")
    if results.failed:
        lines.append(
            f"{counted(len(results.failed), 'crawl')} failed, the first: {results.failed[0].problem}"
        )
    return [clean(line) for line in lines]
