"""`lycosa topic`: models that judge pages, made of examples of what is wanted and what is not."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lycosa.cli.completion import WEB
from lycosa.cli.values import Whole, seed_option
from lycosa.cli.writing import FILE, is_stdout, refuse_both, write_out

if TYPE_CHECKING:
    from lycosa.scoring.learning.quality import Quality
    from lycosa.sources.training_pages import TrainingPages

SHOWN = 15
"""Terms on either side."""

Command = TypeVar("Command", bound=Callable[..., object])


@click.group("topic")
def command() -> None:
    """Train a model that judges pages, test it, or describe it.

    Crawl with it: lycosa crawl --model FILE
    """


def _pages(wanted: Command) -> Command:
    """The options that say which pages."""
    what = "file, folder, URL, or @FILE with one of these a line. Repeatable."
    for option in (
        click.option(
            "--web",
            type=WEB,
            default="live",
            metavar="WEB",
            help="Read URLs from the live web, or a recorded one: PATH.  [default: live]",
        ),
        click.option(
            "--negative",
            multiple=True,
            required=True,
            metavar="PAGES",
            help=f"Give pages that are not: {what}",
        ),
        click.option(
            "--positive",
            multiple=True,
            required=True,
            metavar="PAGES",
            help=f"Give pages that are wanted: {what}",
        ),
    ):
        wanted = option(wanted)
    return wanted


@command.command("train")
@_pages
@click.option(
    "--kind",
    type=click.Choice(["nb", "lewis", "rocchio", "svm", "logistic"]),
    default="logistic",
    show_default=True,
    help="Train this kind of model; svm and logistic need scikit-learn: pip install 'lycosa[learn]'.",
)
@click.option(
    "-o",
    "--out",
    type=FILE,
    default=Path("model.json"),
    metavar="FILE",
    help="Write the model to this file; - is standard output.  [default: model.json]",
)
@click.option(
    "--folds",
    type=Whole(0),
    default=5,
    show_default=True,
    help="Cross-validate the model in so many parts; 0: not at all.",
)
@click.option(
    "--terms",
    type=Whole(1),
    metavar="N",
    help="Keep so many of the most informative terms.  [default: by kind]",
)
@click.option(
    "--plain", is_flag=True, help="Count words alike wherever they stand, in the title or elsewhere."
)
@seed_option
@click.option("--json", is_flag=True, help="Write one JSON object.")
def train(
    positive: tuple[str, ...],
    negative: tuple[str, ...],
    web: str,
    kind: str,
    out: Path,
    folds: int,
    terms: int | None,
    plain: bool,
    seed: int,
    json: bool,
) -> None:
    """Train a model on pages that are wanted and pages that are not."""
    import msgspec

    from lycosa.scoring.learning.features import PLAIN_FIELDS, Fields, features
    from lycosa.scoring.learning.training import cross_validated, trained
    from lycosa.scoring.topics.trained import packed

    refuse_both(out, json)
    _refuse_other_file(out)
    fields = PLAIN_FIELDS if plain else Fields()
    wanted, others = _read(positive, negative, web)
    texts = [[features(page, fields) for page in corpus.pages] for corpus in (wanted, others)]
    made = trained(kind, *texts, terms=terms, seed=seed)
    quality = cross_validated(kind, *texts, folds=folds, terms=terms, seed=seed) if folds else None
    content = packed(kind, made, fields, (len(texts[0]), len(texts[1])), quality)
    write_out(out, msgspec.json.format(msgspec.json.encode(content), indent=1))
    _tell_problems(wanted, others)
    if not is_stdout(out):
        _tell_model(out, content, json)


@command.command("test")
@click.argument("model", type=click.Path(path_type=Path))
@_pages
@click.option("--json", is_flag=True, help="Write one JSON object.")
def test(model: Path, positive: tuple[str, ...], negative: tuple[str, ...], web: str, json: bool) -> None:
    """Test a model on pages that it was not trained on: how often is it right?"""
    from lycosa.cli.output import say_json
    from lycosa.scoring.learning.quality import quality_of
    from lycosa.scoring.topics.trained import TrainedTopic
    from lycosa.sources.models import model_in

    topic = TrainedTopic(model_in(str(model)))
    wanted, others = _read(positive, negative, web)
    told = [topic.relevance(page) for page in (*wanted.pages, *others.pages)]
    quality = quality_of(told, [True] * len(wanted.pages) + [False] * len(others.pages))
    _tell_problems(wanted, others)
    if json:
        say_json(quality)
    else:
        _tell_quality(quality)


@command.command("show")
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--json", is_flag=True, help="Write one JSON object.")
def show(model: Path, json: bool) -> None:
    """Describe a model: its kind, how good it is, and which terms decide."""
    from lycosa.sources.models import model_in

    _tell_model(model, model_in(str(model)), json)


# -- reading -------------------------------------------------------------------------------------------------


def _read(positive: Sequence[str], negative: Sequence[str], web: str) -> tuple[TrainingPages, TrainingPages]:
    """The pages of both sides. A page on both is refused."""
    from lycosa.model.errors import InputError
    from lycosa.report.wording import counted
    from lycosa.sources.training_pages import names_in

    sides = names_in(positive), names_in(negative)
    if both := [name for name in sides[0] if name in set(sides[1])]:
        raise InputError(f"{both[0]}: is given as positive and as negative ({len(both)} pages are)")
    corpora = asyncio.run(_corpora(sides, web))
    for side, names, corpus in zip(("--positive", "--negative"), sides, corpora, strict=True):
        if not corpus.pages:
            raise InputError(
                f"{side}: of {counted(len(names), 'page')} none can be read; {corpus.problems[0]}"
            )
    return corpora


async def _corpora(sides: tuple[list[str], list[str]], web: str) -> tuple[TrainingPages, TrainingPages]:
    from lycosa.compose.outside import Outside
    from lycosa.sources.reading import Reading
    from lycosa.sources.training_pages import read_corpus
    from lycosa.spec.tree import CrawlSpec, TopicSpec

    total = len(sides[0]) + len(sides[1])
    async with Outside(CrawlSpec(web=web)) as outside:
        reading = Reading(TopicSpec(), outside.web, outside.robots(), outside.clock)
        with _progress(total) as step:
            wanted = await read_corpus(reading, sides[0], step)
            others = await read_corpus(reading, sides[1], step)
    return wanted, others


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    with click.progressbar(length=total, label="reading", file=sys.stderr) as bar:
        yield lambda: bar.update(1)


def _refuse_other_file(out: Path) -> None:
    """A model may take the place of a model, but of nothing else."""
    from lycosa.model.errors import InputError
    from lycosa.scoring.topics.trained import MARK

    if is_stdout(out):
        return
    if out.is_dir():
        raise InputError(f"{out}: is a folder; name a file with --out")
    if out.exists() and MARK.encode() not in out.read_bytes()[:200]:
        raise InputError(f"{out}: exists and is no topic model; name another file with --out")


# -- telling -------------------------------------------------------------------------------------------------


def _tell_problems(*corpora: TrainingPages) -> None:
    from lycosa.cli.output import warn
    from lycosa.report.wording import clean, counted

    problems = [problem for corpus in corpora for problem in corpus.problems]
    if problems:
        warn(f"{counted(len(problems), 'page')} left out, the first: {clean(problems[0])}")


def _tell_model(file: Path, content: Any, json: bool) -> None:
    from lycosa.cli.output import say_json, say_pairs
    from lycosa.report.wording import clean
    from lycosa.scoring.topics.trained import classifier_of, quality_in

    terms = classifier_of(content)[0].terms()
    speaking = {
        "for": {term: weight for term, weight in terms.items() if weight > 0},
        "against": {term: weight for term, weight in terms.items() if weight < 0},
    }
    deciding = {side: dict(list(said.items())[:SHOWN]) for side, said in speaking.items()}
    if json:
        facts = {
            key: content[key] for key in ("kind", "format", "fields", "positives", "negatives", "quality")
        }
        say_json({"model": str(file), **facts, "terms": len(terms), "deciding": deciding})
        return
    say_pairs(
        {
            "model": str(file),
            "kind": content["kind"],
            "made of": f"{content['positives']:,} positive and {content['negatives']:,} negative pages",
            "terms": f"{len(terms):,}",
            **{side: clean(", ".join(said)) for side, said in deciding.items()},
        }
    )
    if (quality := quality_in(content)) is not None:
        click.echo(f"\ncross-validated over {quality.folds} folds")
        _tell_quality(quality)


def _tell_quality(quality: Quality) -> None:
    from lycosa.cli.output import say_pairs

    share = quality.positives / quality.pages
    say_pairs(
        {
            "pages": f"{quality.pages:,}, {quality.positives:,} of them positive",
            "precision": f"{quality.precision:.3f}",
            "recall": f"{quality.recall:.3f}",
            "F1": f"{quality.f1:.3f}",
            "accuracy": f"{quality.accuracy:.3f}",
            "Brier": f"{quality.brier:.4f} ({share * (1 - share):.4f} is had without looking at a page)",
            "calibration": f"{quality.calibration_error:.3f} mean distance",
        }
    )
    click.echo("\nsaid         pages  mean said  positive")
    for each in quality.reliability:
        span = f"{each.low:.1f} to {each.high:.1f}"
        click.echo(f"{span}  {each.pages:>8,}  {each.mean_probability:>9.3f}  {each.positive:>8.3f}")
