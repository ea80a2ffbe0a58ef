"""`lycosa classes`: models that tell pages of several classes apart."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lycosa.cli.completion import WEB
from lycosa.cli.values import Whole, as_share, seed_option
from lycosa.cli.writing import FILE, is_stdout, refuse_both, write_out

if TYPE_CHECKING:
    from lycosa.compose.classes import Progress, Trained
    from lycosa.scoring.learning.classes import Classes, ClassKind, Rules
    from lycosa.scoring.learning.quality import ClassQuality
    from lycosa.sources.classes import Labelled, Made

SHOWN = 8
"""Terms of each class."""
MAGIC = b"\x28\xb5\x2f\xfd"
"""How a file of classes begins."""

Command = TypeVar("Command", bound=Callable[..., object])


@click.group("classes")
def command() -> None:
    """Train a model that tells classes of pages apart, test it, or describe it.

    Several crawlers share a crawl by it: lycosa crawl --nodes 4 --partition topic --classes FILE
    """


def _labelled(wanted: Command) -> Command:
    """The options that say which pages, and in which classes they are."""
    for option in (
        click.option(
            "--web",
            type=WEB,
            default="live",
            metavar="WEB",
            help="Read URLs from the live web, or a recorded one: PATH.  [default: live]",
        ),
        click.option(
            "--column",
            default="",
            metavar="NAME",
            help="Take the classes from this column of a table.  [default: the second]",
        ),
        click.option(
            "--level",
            type=Whole(1),
            default=1,
            show_default=True,
            help="Take categories this far below the top for classes.",
        ),
    ):
        wanted = option(wanted)
    return wanted


@command.command("train")
@click.argument("labels", type=click.Path(path_type=Path))
@_labelled
@click.option(
    "--kind",
    type=click.Choice(["nb", "nb-root", "lewis", "rocchio", "svm"]),
    default="nb",
    show_default=True,
    help="Train this kind of model; svm needs scikit-learn: pip install 'lycosa[learn]'.",
)
@click.option(
    "-o",
    "--out",
    type=FILE,
    default=Path("classes.json.zst"),
    metavar="FILE",
    help="Write the model to this file; - is standard output.  [default: classes.json.zst]",
)
@click.option(
    "--most", type=Whole(1), default=500, show_default=True, help="Learn from so many pages of a class."
)
@click.option(
    "--aside",
    type=as_share,
    default="50%",
    show_default=True,
    metavar="SHARE",
    help="Set this share of each class aside to test the model on; 0: learn from all.",
)
@click.option(
    "--least",
    type=Whole(2),
    default=10,
    show_default=True,
    help="Leave out classes with fewer pages to learn from.",
)
@click.option(
    "--terms",
    type=Whole(1),
    metavar="N",
    help="Keep so many of the most informative terms.  [default: by kind]",
)
@click.option(
    "--short-words",
    type=Whole(0),
    default=50,
    show_default=True,
    metavar="N",
    help="Do not tell pages of fewer words by their words …",
)
@click.option(
    "--short", default="", metavar="CLASS", help="… but put them into this class.  [default: into none]"
)
@click.option(
    "--gate",
    type=click.Choice(["words", "detector"]),
    help="Tell by common words, or by the detector, whether a page is in English.  [default: do not ask]",
)
@click.option(
    "--foreign",
    default="WORLD",
    show_default=True,
    metavar="CLASS",
    help="With --gate: put pages that are not in English into this class.",
)
@click.option(
    "--english",
    type=as_share,
    metavar="SHARE",
    help="With --gate words: of an English page this share of words, at least, is common.  [default: 10%]",
)
@seed_option
@click.option("--json", is_flag=True, help="Write one JSON object.")
def train(
    labels: Path,
    web: str,
    column: str,
    level: int,
    kind: ClassKind,
    out: Path,
    most: int,
    aside: float,
    least: int,
    terms: int | None,
    short_words: int,
    short: str,
    gate: str | None,
    foreign: str,
    english: float | None,
    seed: int,
    json: bool,
) -> None:
    """Train a model on pages whose classes are known.

    LABELS is a taxonomy (JSON, TOML, or a folder with a folder of pages for each class), or a table (TSV, CSV) of URLs
    and classes with a heading. Pages of several classes are left out.
    """
    from lycosa.compose.classes import Training, trained_classes
    from lycosa.sources.classes import labelled_in, packed

    refuse_both(out, json)
    _refuse_other_file(out)
    labelled = labelled_in(labels, level=level, column=column)
    training = Training(
        kind=kind,
        terms=terms,
        most=most,
        aside=aside,
        least=least,
        seed=seed,
        rules=_rules(short_words, short, gate, foreign, english),
    )
    with _progress() as step:
        trained = asyncio.run(trained_classes(labelled, web, training, step))
    write_out(out, packed(trained.classes, trained.made))
    _tell_left_out(labelled, trained, least)
    if not is_stdout(out):
        _tell_model(out, trained.classes, trained.made, json)


@command.command("test")
@click.argument("model", type=click.Path(path_type=Path))
@click.argument("labels", type=click.Path(path_type=Path))
@_labelled
@click.option("--json", is_flag=True, help="Write one JSON object.")
def test(model: Path, labels: Path, web: str, column: str, level: int, json: bool) -> None:
    """Test a model on pages that it was not trained on: how often is it right?"""
    from lycosa.cli.output import say_json, warn
    from lycosa.compose.classes import examined_classes
    from lycosa.report.wording import clean, counted
    from lycosa.sources.classes import labelled_in, read_made

    classes, made = read_made(model)
    labelled = labelled_in(labels, level=level, column=column)
    with _progress() as step:
        tested = asyncio.run(examined_classes(classes, made, labelled, web, step))
    if tested.known:
        warn(f"{counted(tested.known, 'page')} left out, as the model was trained on them")
    if tested.strange:
        warn(f"classes left out that the model does not have: {clean(', '.join(tested.strange))}")
    _tell_problems(tested.problems)
    if json:
        say_json(tested.quality)
    else:
        _tell_quality(tested.quality)


@command.command("show")
@click.argument("model", type=click.Path(path_type=Path))
@click.option("--json", is_flag=True, help="Write one JSON object.")
def show(model: Path, json: bool) -> None:
    """Describe a model: its kind, its classes, how good it is, and its digest."""
    from lycosa.sources.classes import read_made

    _tell_model(model, *read_made(model), json)


# -- reading -------------------------------------------------------------------------------------------------------


def _rules(short_words: int, short: str, gate: str | None, foreign: str, english: float | None) -> Rules:
    from lycosa.scoring.learning.classes import THOUSAND, Rules

    common = Rules().english if english is None else round(english * THOUSAND)
    return Rules(least=short_words, short=short, gate=gate or "", foreign=foreign, english=common)  # type: ignore[arg-type] # a choice


@contextmanager
def _progress() -> Iterator[Progress]:
    """A bar on a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return
    with click.progressbar(length=1, label="reading", file=sys.stderr) as bar:

        def step(done: int, total: int) -> None:
            bar.length = total
            bar.update(1)

        yield step


def _refuse_other_file(out: Path) -> None:
    """Classes may take the place of classes, but of nothing else."""
    from lycosa.model.errors import InputError

    if is_stdout(out):
        return
    if out.is_dir():
        raise InputError(f"{out}: is a folder; name a file with --out")
    if out.exists() and not out.read_bytes().startswith(MAGIC):
        raise InputError(f"{out}: exists and is no file of classes; name another file with --out")


# -- telling -------------------------------------------------------------------------------------------------------


def _tell_left_out(labelled: Labelled, trained: Trained, least: int) -> None:
    from lycosa.cli.output import warn
    from lycosa.report.wording import clean, counted

    if labelled.several:
        warn(f"{counted(labelled.several, 'page')} of several classes left out")
    if trained.left_out:
        told = ", ".join(f"{name} ({n})" for name, n in trained.left_out.items())
        warn(f"classes left out that have fewer than {least} pages to learn from: {clean(told)}")
    if trained.too_short:
        warn(f"{counted(trained.too_short, 'page')} with too few words to learn from left out")
    _tell_problems(trained.problems)


def _tell_problems(problems: Sequence[str]) -> None:
    from lycosa.cli.output import warn
    from lycosa.report.wording import clean, counted

    if problems:
        warn(f"{counted(len(problems), 'page')} left out, the first: {clean(problems[0])}")


def _tell_model(file: Path, classes: Classes, made: Made, json: bool) -> None:
    from lycosa.cli.output import say_json, say_pairs
    from lycosa.report.wording import clean

    learned = classes.learned
    if json:
        say_json(_facts(file, classes, made))
        return
    say_pairs(
        {
            "classes": str(file),
            "digest": classes.digest,
            "kind": learned.kind,
            "made of": f"{sum(made.pages.values()):,} pages of {len(made.pages)} classes",
            "terms": f"{len(learned.terms):,}",
            "rules": _rules_in_words(classes.rules),
        }
    )
    width = max(map(len, classes.names))
    for place, name in enumerate(classes.names):
        told = ", ".join(classes.telling(place, SHOWN)) if name in learned.names else "told by rule"
        click.echo(f"  {clean(name):<{width}}  {made.pages.get(name, 0):>5,} pages  {clean(told)}")
    if made.quality is not None:
        click.echo("\non pages that were set aside")
        _tell_quality(made.quality)


def _facts(file: Path, classes: Classes, made: Made) -> dict[str, Any]:
    learned = classes.learned
    return {
        "classes": str(file),
        "digest": classes.digest,
        "kind": learned.kind,
        "names": classes.names,
        "pages": made.pages,
        "terms": len(learned.terms),
        "rules": classes.rules,
        "telling": {name: classes.telling(place, SHOWN) for place, name in enumerate(learned.names)},
        "quality": made.quality,
    }


def _rules_in_words(rules: Rules) -> str:
    short = f"pages of fewer than {rules.least} words are in {rules.short or 'no class'}"
    how = {
        "words": f"of fewer than {rules.english / 10:g} % common English words",
        "detector": "in another language than English",
    }
    return f"{short}, those {how[rules.gate]} in {rules.foreign}" if rules.gate else short


def _tell_quality(quality: ClassQuality) -> None:
    from lycosa.cli.output import say_pairs
    from lycosa.report.wording import clean

    say_pairs(
        {
            "pages": f"{quality.pages:,}" + (f", {quality.untold:,} in no class" if quality.untold else ""),
            "accuracy": f"{quality.accuracy:.3f}",
            "balanced": f"{quality.balanced_accuracy:.3f} (mean recall of the classes)",
        }
    )
    width = max(len("class"), *(len(each.name) for each in quality.classes))
    click.echo(f"\n{'class':<{width}}  pages  recall  precision")
    for each in quality.classes:
        name = clean(each.name)
        click.echo(f"{name:<{width}}  {each.pages:>5,}  {each.recall:>6.3f}  {each.precision:>9.3f}")
    for mistake in quality.mistakes[:3]:
        click.echo(clean(f"{mistake.pages:,} of {mistake.of} taken for {mistake.told}"))
