"""`lycosa lab tasks`: make tasks from a recorded web, or check tasks against one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.group import DONE, FAILED
from lycosa.model.errors import InputError

if TYPE_CHECKING:
    from lycosa.lab.tasks.seeds import SeedRules
    from lycosa.lab.tasks.task import Task
    from lycosa.lab.webs.lab_web import LabWeb
    from lycosa.lab.webs.link_graph import LinkGraph
    from lycosa.sources.labels import Label

SOURCES = ("labels", "hubs", "phrases", "dmoz")
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command("tasks")
@click.argument("paths", metavar="[WEB]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--generated",
    default="",
    metavar="KEY=VALUE,...",
    help="Instead of a recorded web one that is made up, such as pages=1000000,seed=1.",
)
@click.option("-o", "--out", type=_FILE, help="Where the tasks go, one JSON object a line.")
@click.option("--from", "source", type=click.Choice(SOURCES), help="What topics are made of.")
@click.option(
    "--file", "files", type=_FILE, multiple=True, help="Labels (.tsv, .csv, .json), or RDF of a directory."
)
@click.option(
    "--column",
    default="",
    help="Of a table of labels, the column, or several parted by commas.  [default: the second]",
)
@click.option("--below", default="", help="Of a directory, only topics below this, such as Top/Sports.")
@click.option(
    "-D",
    "distances",
    default="1,2,3",
    help="Links from start pages to the nearest target, 0 to 4.  [default: 1,2,3]",
)
@click.option("--least", type=click.IntRange(1), help="Pages of a topic, at least.")
@click.option(
    "--named",
    type=click.FloatRange(0, 1),
    default=0.0,
    help="Of hubs, the share of the targets that each word of the title occurs in, at least.  [default: 0]",
)
@click.option("--words", type=click.IntRange(1), help="Of hubs, keywords at most.  [default: no limit]")
@click.option(
    "--per-host", type=click.IntRange(1), default=6, help="Hubs of one host, at most.  [default: 6]"
)
@click.option(
    "--reachable",
    type=click.FloatRange(0, 1),
    default=0.3,
    help="Targets that can be reached, at least this share.  [default: 0.3]",
)
@click.option(
    "--apart-from",
    "others",
    type=_FILE,
    multiple=True,
    help="Leave out topics that share more than a fifth of their targets with a task of this file or with each other.",
)
@click.option("--topics", type=click.IntRange(1), help="So many tasks at most, drawn at random.")
@click.option("--seed", type=int, default=20040911, help="Of all that is drawn at random.")
@click.option("--check", "checked", type=_FILE, help="Check the tasks of this file instead of making some.")
@click.option("--json", is_flag=True, help="What --check finds as JSON, one task a line.")
def command(
    paths: tuple[Path, ...],
    generated: str,
    out: Path | None,
    source: str | None,
    files: tuple[Path, ...],
    distances: str,
    reachable: float,
    topics: int | None,
    seed: int,
    checked: Path | None,
    json: bool,
    column: str,
    below: str,
    least: int | None,
    named: float,
    words: int | None,
    others: tuple[Path, ...],
    per_host: int,
) -> int:
    """Make tasks from a recorded or a generated web, or check tasks against a recorded one.

    A task is a topic: keywords for the crawlers, targets that they should find, a description to measure similarity to,
    and start pages exactly D links away. Topics come from labels that people gave to pages, from hub pages, from
    phrases that pages have in common, or from a web directory in the RDF format of DMOZ. Every task is checked: a path
    leads from its start pages to a target.

    Of a generated web (--generated, with the keys that an experiment has for it) tasks are made by what its generator
    knows, for --topics of its topics.
    """
    if generated:
        return _of_generated(generated, paths, out, _numbers(distances), topics)
    if not paths:
        raise click.UsageError("name a recorded web, or make one up with --generated")
    from lycosa.cli.output import say_aside
    from lycosa.lab.tasks.seeds import SeedRules
    from lycosa.lab.tasks.task import write_tasks
    from lycosa.lab.webs.lab_web import open_web

    if checked is None and (source is None or out is None):
        raise click.UsageError("say what topics are made of with --from, and where they go with -o")
    rules = SeedRules(distances=_numbers(distances), least_reachable=reachable, seed=seed)
    web = open_web(paths, tell=say_aside)
    if checked is not None:
        return _tell_checks(checked, web.graph(), json)
    assert source is not None
    assert out is not None
    if source == "hubs":
        made = _of_hubs(web, least, named, words, apart=bool(others), per_host=per_host, seed=seed)
    else:
        made = _made(source, web, files, column=column, below=below, least=least, seed=seed)
    kept = list(_apart(_with_seeds(made, web.graph(), rules), others))
    if not kept:
        raise InputError(
            f"no {source} of this web make a task; lower --least or --reachable, or give other -D"
        )
    kept = _drawn(kept, topics, seed)
    write_tasks(kept, out)
    _tell(kept, out)
    return DONE


def _of_generated(
    written: str, paths: tuple[Path, ...], out: Path | None, distances: tuple[int, ...], topics: int | None
) -> int:
    import msgspec

    from lycosa.lab.tasks.made_up import tasks_made
    from lycosa.lab.tasks.task import write_tasks
    from lycosa.lab.webs.generated import generated_from

    if paths or out is None:
        raise click.UsageError("with --generated name no recorded web, and say with -o where the tasks go")
    spec = generated_from(written)
    made = list(tasks_made(msgspec.structs.replace(spec, topics=topics or spec.topics), distances))
    write_tasks(made, out)
    _tell(made, out)
    return DONE


def _numbers(written: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in written.split(","))
    except ValueError:
        raise InputError(f"-D {written!r}: give whole numbers parted by commas, such as 1,2,3") from None


def _of_hubs(
    web: LabWeb,
    least: int | None,
    named: float,
    words: int | None,
    *,
    apart: bool,
    per_host: int,
    seed: int,
) -> Iterator[Task]:
    from msgspec.structs import replace

    from lycosa.lab.tasks.hubs import HubRules, from_hubs

    rules = HubRules(per_host=per_host, seed=seed, named=named)
    if least is not None:
        rules = replace(rules, links=(least, rules.links[1]))
    if words is not None:
        rules = replace(rules, words=(1, words))
    if apart:  # what is shared is looked at later, of the topics that can be started from somewhere
        rules = replace(rules, shared=1)
    return from_hubs(web, rules)


def _made(
    source: str,
    web: LabWeb,
    files: tuple[Path, ...],
    *,
    column: str,
    below: str,
    least: int | None,
    seed: int,
) -> Iterator[Task]:
    if source == "phrases":
        return _of_phrases(web, files, column, least, seed)
    if not files:
        raise InputError(
            f"--from {source} needs --file with the {'labels' if source == 'labels' else 'directory'}"
        )
    if source == "labels":
        from lycosa.lab.tasks.labelled import LabelRules, from_labels

        rules = LabelRules(seed=seed) if least is None else LabelRules(seed=seed, least=least)
        return from_labels(_labels(files, column), web, rules)
    from lycosa.lab.tasks.dmoz import DmozRules, from_directory, read_directory

    return from_directory(read_directory(files, below), web, DmozRules(least=least or DmozRules().least))


def _of_phrases(
    web: LabWeb, files: tuple[Path, ...], column: str, least: int | None, seed: int
) -> Iterator[Task]:
    """Of all pages of the web, or of those that carry a label each."""
    from lycosa.lab.tasks.labelled import LabelRules, from_labels
    from lycosa.lab.tasks.narrowed import NarrowRules, narrowed
    from lycosa.sources.labels import Label

    most = NarrowRules().pages[1]
    pages = (least or NarrowRules().pages[0], most)
    wide = _labels(files, column) or [Label(path=(), pages=tuple(web.urls))]
    found = narrowed(wide, web, NarrowRules(pages=pages))
    return from_labels(found, web, LabelRules(seed=seed, least=pages[0], most=most, examples=0.2))


def _labels(files: tuple[Path, ...], column: str) -> list[Label]:
    from lycosa.sources.labels import read_labels

    return [label for file in files for label in read_labels(file, column)]


def _apart(tasks: Iterator[Task], files: tuple[Path, ...]) -> Iterator[Task]:
    """Those that are not the topics of these files, nor each other's; all, if no file is named."""
    from lycosa.lab.tasks.apart import apart
    from lycosa.lab.tasks.task import read_tasks

    return apart(tasks, [task for file in files for task in read_tasks(file)]) if files else tasks


def _with_seeds(tasks: Iterator[Task], graph: LinkGraph, rules: SeedRules) -> Iterator[Task]:
    """Those tasks that can be started from somewhere."""
    from lycosa.lab.tasks.seeds import with_seeds

    left_out = 0
    for task in tasks:
        ready = with_seeds(task, graph, rules)
        left_out += not ready.seeds
        if ready.seeds:
            yield ready
    if left_out:
        click.echo(
            f"{left_out} topics were left out: too few start pages from which their targets can be reached",
            err=True,
        )


def _drawn(tasks: list[Task], most: int | None, seed: int) -> list[Task]:
    import random

    if most is None or len(tasks) <= most:
        return tasks
    places = sorted(random.Random(f"{seed}/topics").sample(range(len(tasks)), most))
    return [tasks[place] for place in places]


def _tell(tasks: list[Task], out: Path) -> None:
    from collections import Counter

    from lycosa.cli.output import say_pairs

    distances = Counter(d for task in tasks for d in task.seeds)
    shares = [share for task in tasks for share in task.reachable.values()]
    say_pairs(
        {
            "tasks": f"{len(tasks):,} in {out}",
            "targets": f"{sum(len(task.targets) for task in tasks) / len(tasks):.1f} a task",
            "with start pages": ", ".join(f"{n} at D = {d}" for d, n in sorted(distances.items())),
            "reachable": f"{sum(shares) / len(shares):.0%} of the targets, {min(shares):.0%} at least"
            if shares
            else "not looked at",
        }
    )


def _tell_checks(path: Path, graph: LinkGraph, json: bool) -> int:
    """A line for each task that has a problem, and how many there are; gives the exit code."""
    from lycosa.cli.output import say_json
    from lycosa.lab.tasks.seeds import check
    from lycosa.lab.tasks.task import read_tasks
    from lycosa.report.wording import clean, counted

    checks = [check(task, graph) for task in read_tasks(path)]
    bad = [found for found in checks if found.problems]
    if json:
        for found in checks:
            say_json(
                {
                    **{name: getattr(found, name) for name in found.__struct_fields__},
                    "problems": found.problems,
                }
            )
    else:
        for found in bad:
            click.echo(clean(f"{found.task}: {'; '.join(found.problems)}"))
        click.echo(f"{counted(len(checks), 'task')}, {len(bad):,} with problems")
    return FAILED if bad else DONE
