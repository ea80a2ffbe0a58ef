"""`lycosa taxonomy`: from examples to the good categories of a taxonomy."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from lycosa.cli.completion import WEB
from lycosa.cli.writing import FILE, is_stdout, refuse_both, write_out
from lycosa.model.errors import InputError

if TYPE_CHECKING:
    from lycosa.crawl.inputs import Taxonomy
    from lycosa.scoring.topics.taxonomy import TaxonomyClassifier
    from lycosa.scoring.words.terms import Counts

OFFERED = 3
"""Categories that are offered for an example."""


class Candidate(msgspec.Struct, frozen=True):
    """A category and how probable it is."""

    path: str
    probability: float


class Placed(msgspec.Struct, frozen=True, kw_only=True):
    """An example with the categories it may belong to, the likeliest first, and the one that was chosen."""

    example: str
    category: str
    candidates: tuple[Candidate, ...]


class Classified(msgspec.Struct, frozen=True, kw_only=True):
    """What `--json` tells."""

    taxonomy: str
    examples: tuple[Placed, ...]
    good: tuple[str, ...]
    written: str = ""


Ask = Callable[[str, str], str]
"""Puts a question with a default answer to a person."""


@click.group("taxonomy")
def command() -> None:
    """Find the categories of a taxonomy that fit your examples: what a crawl should look for."""


@command.command("classify")
@click.argument("place", metavar="TAXONOMY", type=click.Path(path_type=Path))
@click.option(
    "--like",
    "examples",
    multiple=True,
    required=True,
    metavar="URL|FILE",
    help="Give a page about the topic. Repeatable.",
)
@click.option(
    "--place",
    "places",
    multiple=True,
    metavar="EXAMPLE=PATH",
    help="Put an example where it belongs. Repeatable.",
)
@click.option("--good", multiple=True, metavar="PATH", help="Mark a category as good. Repeatable.")
@click.option("--accept", is_flag=True, help="Mark the categories of the examples as good.")
@click.option(
    "-o",
    "--out",
    type=FILE,
    metavar="FILE",
    help="Write the taxonomy, the examples in it and the good categories marked, as TOML; - is standard output.",
)
@click.option(
    "--web",
    type=WEB,
    default="live",
    metavar="WEB",
    help="Read URLs from the live web, or a recorded one: PATH[,PATH].  [default: live]",
)
@click.option("--json", is_flag=True, help="Write one JSON object, and ask nothing.")
def classify(
    place: Path,
    examples: tuple[str, ...],
    places: tuple[str, ...],
    good: tuple[str, ...],
    accept: bool,
    out: Path | None,
    web: str,
    json: bool,
) -> None:
    """Put example pages into the categories of a TAXONOMY (JSON, TOML or a folder), and mark the good ones.

    On a terminal lycosa asks you to correct the categories and to mark the good ones, unless you give --good or
    --accept. The file that it writes refers to the taxonomy: crawl with --taxonomy FILE.
    """
    from lycosa.cli.output import say_json, warn
    from lycosa.scoring.topics.taxonomy import TaxonomyClassifier
    from lycosa.sources.taxonomy import checked_good, outline_in

    refuse_both(out, json)
    outline = outline_in(place)
    corrected = _corrections(places, examples, outline.pages)
    if good:
        checked_good(good, outline.pages, str(place))  # before pages are fetched
    taxonomy, texts, notes = asyncio.run(_read(place, web, examples))
    for note in notes:
        warn(note)
    classifier = TaxonomyClassifier(taxonomy)
    found = [_placed(classifier, example, terms, corrected) for example, terms in texts.items()]
    marked = [*good, *(each.category for each in found if accept)]
    told_elsewhere = json or is_stdout(out)
    if not marked and not told_elsewhere and sys.stdin.isatty() and sys.stdout.isatty():
        found, marked = asked(found, outline.pages, _ask)
    elif not told_elsewhere:
        tell(found)
    chosen = checked_good(marked, outline.pages, str(place)) if marked or out else ()
    if out:
        _write(out, place, found, chosen)
    if json:
        told = Classified(
            taxonomy=str(place), examples=tuple(found), good=chosen, written=str(out) if out else ""
        )
        say_json(told)
    elif is_stdout(out):
        return
    elif out:
        click.echo(f"wrote {out}; crawl with: lycosa crawl --taxonomy {out} URL")
    elif chosen:
        options = " ".join(f"--good '{path}'" for path in chosen)
        click.echo(f"crawl with: lycosa crawl --taxonomy {place} {options} URL")
    else:
        click.echo("mark categories with --good PATH or --accept, and write them to a file with -o FILE")


async def _read(
    place: Path, web: str, examples: Sequence[str]
) -> tuple[Taxonomy, Mapping[str, Counts], Sequence[str]]:
    """The taxonomy with all its pages, the examples' words, and what could not be had."""
    from lycosa.compose.outside import Outside
    from lycosa.sources.reading import Reading
    from lycosa.sources.taxonomy import filled, outline_in
    from lycosa.spec.tree import CrawlSpec, TopicSpec

    async with Outside(CrawlSpec(web=web)) as outside:
        reading = Reading(TopicSpec(), outside.web, outside.robots(), outside.clock)
        texts = {example: (await reading.page(example)).terms for example in examples}
        taxonomy = await filled(outline_in(place), reading, (), str(place))
    return taxonomy, texts, reading.notes


def _corrections(
    places: Sequence[str], examples: Sequence[str], paths: Mapping[str, object]
) -> dict[str, str]:
    """Categories by example. Raises `InputError` for an example or a category that there is not."""
    from lycosa.sources.taxonomy import closest_path

    corrected = {}
    for written in places:
        example, _, path = written.rpartition("=")
        if example not in examples:
            raise InputError(f"--place {written}: {example!r} is no example; give it with --like as well")
        if path not in paths:
            raise InputError(f"--place {written}: there is no category {path!r}{closest_path(path, paths)}")
        corrected[example] = path
    return corrected


def _placed(
    classifier: TaxonomyClassifier, example: str, terms: Counts, corrected: Mapping[str, str]
) -> Placed:
    shares = classifier.posterior(terms)
    ranked = sorted(classifier.leaves(), key=lambda path: (-shares[path], path))[:OFFERED]
    candidates = tuple(Candidate(path, round(shares[path], 4)) for path in ranked)
    return Placed(example=example, category=corrected.get(example, ranked[0]), candidates=candidates)


def tell(found: Sequence[Placed]) -> None:
    """Each example with its category and how sure that is."""
    for each in found:
        click.echo(each.example)
        for number, candidate in enumerate(each.candidates, 1):
            mark = "*" if candidate.path == each.category else " "
            click.echo(f"  {mark} {number}  {candidate.probability:6.1%}  {candidate.path}")
        if each.category not in (candidate.path for candidate in each.candidates):
            click.echo(f"  *    as told  {each.category}")


# -- the dialogue ------------------------------------------------------------------------------------------------


def asked(found: Sequence[Placed], paths: Mapping[str, object], ask: Ask) -> tuple[list[Placed], list[str]]:
    """Let a person correct the categories of examples, then mark the good ones. Asks until an answer makes sense."""
    corrected = []
    for each in found:
        tell([each])
        offered = [candidate.path for candidate in each.candidates]
        category = _answer(ask, "category, by number or path", each.category, offered, paths)[0]
        corrected.append(msgspec.structs.replace(each, category=category))
    proposed = list(dict.fromkeys(each.category for each in corrected))
    click.echo("\ncategories of the examples:")
    for number, path in enumerate(proposed, 1):
        click.echo(f"  {number}  {path}")
    question = "which are good, by numbers or paths, with commas between"
    return corrected, _answer(ask, question, ", ".join(proposed), proposed, paths)


def _ask(question: str, default: str) -> str:
    return str(click.prompt(question, default=default))


def _answer(
    ask: Ask, question: str, default: str, offered: Sequence[str], paths: Mapping[str, object]
) -> list[str]:
    """One or several categories; numbers are those of what was offered."""
    from lycosa.sources.taxonomy import checked_good

    while True:
        words = [word.strip() for word in ask(question, default).split(",") if word.strip()]
        chosen = [
            offered[int(word) - 1] if word.isdigit() and 0 < int(word) <= len(offered) else word
            for word in words
        ]
        try:
            return list(checked_good(chosen, paths, "here"))
        except InputError as error:
            click.echo(f"  {error}")


# -- the file ----------------------------------------------------------------------------------------------------


def _write(out: Path, place: Path, found: Sequence[Placed], good: Sequence[str]) -> None:
    """A taxonomy that builds on the one given: examples where they belong, good categories marked."""
    import tomli_w

    from lycosa.sources.reading import is_url

    def seen_from_there(name: str) -> str:
        return name if is_url(name) else os.path.relpath(name, out.parent)

    categories: dict[str, list[str]] = {}
    for each in found:
        categories.setdefault(each.category, []).append(seen_from_there(each.example))
    content = {"builds_on": seen_from_there(str(place)), "good": list(good), "categories": categories}
    write_out(out, tomli_w.dumps(content).encode())
