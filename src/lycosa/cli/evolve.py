"""`lycosa evolve`: a ranking function for the strategy `evolved`, by a genetic algorithm."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.values import Whole, seed_option
from lycosa.cli.writing import is_stdout

if TYPE_CHECKING:
    from lycosa.lab.evolution.evolve import Evolution, Rehearsal

GENERATED = "generated"


@click.command("evolve")
@click.argument("web", metavar="WEB")
@click.option(
    "--topics",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Read topics from this file of JSON lines; not for `generated`.",
)
@click.option(
    "-o",
    "--out",
    "output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="Write the ranking to this file.",
)
@click.option(
    "--pages",
    type=Whole(4),
    default=300,
    show_default=True,
    help="Fetch so many pages in each simulated crawl.",
)
@click.option(
    "--generations", type=Whole(0), default=40, show_default=True, help="Evolve so many generations in all."
)
@click.option(
    "--population", type=Whole(2), default=50, show_default=True, help="Keep so many rankings in each."
)
@seed_option
@click.option(
    "--webs", type=Whole(2), default=6, show_default=True, help="Generate so many webs; only for `generated`."
)
@click.option("--json", is_flag=True, help="Write the outcome as JSON.")
@click.option("-q", "--quiet", is_flag=True, help="Write nothing but errors.")
def command(
    web: str,
    topics: Path | None,
    output: Path,
    pages: int,
    generations: int,
    population: int,
    seed: int,
    webs: int,
    json: bool,
    quiet: bool,
) -> int:
    """Evolve a function that ranks links, on WEB: a recorded web, or the word `generated`.

    Each line of the topics file is a JSON object with `keywords`, `seeds` and `targets`: the words and start pages that
    a crawl is given, and the pages that it should find. Every other topic is kept for the test. Use the ranking in a
    crawl with --strategy evolved --ranking FILE.

    After Ctrl-C the same command goes on: at most one generation is lost. With more --generations a finished evolution
    goes on, too.
    """
    from lycosa.cli.group import DONE, INTERRUPTED
    from lycosa.cli.output import warn
    from lycosa.lab.evolution import evolve
    from lycosa.model.errors import InputError

    if (web == GENERATED) == (topics is not None):
        raise InputError("give --topics FILE for a recorded web, and none for `generated`")
    if is_stdout(output):
        raise InputError("-o: name a file: how far the evolution came is kept beside it")
    if not output.absolute().parent.is_dir():
        raise InputError(f"{output}: there is no folder {output.parent}")
    described = f"{GENERATED}, {webs} webs" if web == GENERATED else web
    settings = evolve.Settings(
        web=described, topics=str(topics or ""), pages=pages, population=population, seed=seed
    )
    progress = output.with_name(f"{output.name}.progress")
    evolution = evolve.load(progress, settings)
    say = (lambda line: None) if quiet or json else click.echo
    say("reading pages …")
    training, testing = evolve.split(_rehearsals(web, topics, webs))
    try:
        evolution = evolution or _kept(evolve.begin(settings, training), progress)
        while evolution.population.generation < generations:
            say(_line(evolution))
            evolution = _kept(evolve.advance(evolution, training), progress)
    except KeyboardInterrupt:
        warn("interrupted; the same command goes on after the last whole generation")
        return INTERRUPTED
    say(_line(evolution))
    options = f" --topics {shlex.quote(str(topics))}" if topics else f" --webs {webs}"
    made_by = (
        f"lycosa evolve {shlex.quote(web)}{options} --pages {pages} --generations {generations}"
        f" --population {population} --seed {seed} -o {shlex.quote(output.name)}"
    )
    _conclude(evolution, training, testing, output, made_by, quiet, json)
    return DONE


def _rehearsals(web: str, topics: Path | None, webs: int) -> list[Rehearsal]:
    import asyncio

    from lycosa.cli.lab_compare import one_recording
    from lycosa.lab.evolution import evolve

    if topics is None:
        return asyncio.run(evolve.generated_rehearsals(webs))
    return asyncio.run(evolve.recorded_rehearsals(one_recording(web), evolve.load_topics(topics)))


def _kept(evolution: Evolution, progress: Path) -> Evolution:
    from lycosa.lab.evolution import evolve

    evolve.save(evolution, progress)
    return evolution


def _line(evolution: Evolution) -> str:
    population = evolution.population
    fitness = [individual.fitness for individual in population.individuals]
    restarts = f", {population.restarts} restarts" if population.restarts else ""
    mean = sum(fitness) / len(fitness)
    return f"generation {population.generation}: best {fitness[0]:.4f}, mean {mean:.4f}{restarts}"


def _conclude(
    evolution: Evolution,
    training: list[Rehearsal],
    testing: list[Rehearsal],
    output: Path,
    made_by: str,
    quiet: bool,
    json: bool,
) -> None:
    """Compare with best-first on both halves, and write the ranking."""
    import msgspec

    from lycosa.cli.output import say_json
    from lycosa.lab.evolution.evolve import fitness_of, outcome
    from lycosa.scoring.links.ranking import RankingFunction, best_first_ranking
    from lycosa.spec.files import write_whole

    function = RankingFunction.of_bits(evolution.population.best.number)
    pages = evolution.settings.pages
    fitness = {
        name: {"train": fitness_of(one, training, pages), "test": fitness_of(one, testing, pages)}
        for name, one in (("evolved", function), ("best-first", best_first_ranking()))
    }
    content = outcome(evolution, {"command": made_by, "fitness": fitness})
    write_whole(output, msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n")
    if json:
        say_json(content)
    elif not quiet:
        for name, found in fitness.items():
            click.echo(f"{name:<10}  train {found['train']:.4f}  test {found['test']:.4f}")
        click.echo(f"wrote {output}: use it with --strategy evolved --ranking {output}")
