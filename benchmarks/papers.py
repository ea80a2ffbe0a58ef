"""How well parts of papers are told, and how honest the chances are that come with them.

    python -m benchmarks.papers
    python -m benchmarks.papers --calibrate --more LABELS

Papers that nobody wrote (`tests/made_papers.py`: 4 layouts, 5 styles of citing) and files that are no papers. Of every
forty, twenty calibrate and twenty are reported. LABELS is a JSON file of papers that are: by path `is_paper`, `title`,
`authors`, `year`, how the `abstract` begins and ends, and `judged`: pairs of a rule and whether it
told a reference right. Every second one calibrates. `--calibrate` prints the table of
`lycosa.read.rules` instead, from the halves that calibrate.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from msgspec.structs import replace
from tests.made_papers import Made, made_others, made_papers

from lycosa.read.citing import citations
from lycosa.read.names import family_of, folded, same_people
from lycosa.read.papers import Manuscript, manuscript
from lycosa.read.pdf_apart import printed_apart
from lycosa.read.rules import confidence

PAPERS, OTHERS, BLOCK = 240, 80, 20
WEIGHT = 5
"""How often a file of LABELS counts: so forty of them weigh as much as the made ones, which are more alike."""
Told = tuple[str, str, bool]
"""Part, rule, and whether it was right."""


def of_made(made: Made, found: Manuscript) -> Iterator[Told]:
    rules = found.rules
    yield "paper", rules["paper"], made.is_paper
    if not made.is_paper:
        return
    if found.title:
        yield "title", rules["title"], letters(found.title) == letters(made.title)
    if found.authors:
        yield "authors", rules["authors"], same_people(found.authors, made.authors)
    if found.abstract:
        yield "abstract", rules["abstract"], alike(found.abstract, made.abstract)
    if found.year is not None:
        yield "year", rules["year"], found.year == made.year
    if found.venue:
        yield "venue", rules["venue"], folded(found.venue) == folded(made.venue)
    if found.references:
        yield "references", rules["references"], len(found.references) == len(made.references)
    known = {letters(cited.title): cited for cited in made.references}
    for cited, rule in zip(found.references, found.reference_rules, strict=True):
        true = known.get(letters(cited.title))
        first = cited.authors[0] if cited.authors else ""
        is_right = (
            true is not None and cited.year == true.year and family_of(first) == family_of(true.authors[0])
        )
        yield "reference", rule, is_right


def of_citations(files: Sequence[tuple[Made, Manuscript]]) -> tuple[list[Told], int]:
    """Of a collection who cites whom, as told, once of the references as they are and once as if they could not be
    told apart; and how many citations that would be."""
    cited = [{reference.title for reference in made.references} for made, _ in files]
    titles = [made.title for made, _ in files]
    papers = [read for _, read in files]
    unparsed = [
        replace(read, references=tuple(replace(each, title="", year=None) for each in read.references))
        for read in papers
    ]
    found = [*citations(papers), *citations(unparsed)]
    told = [("citation", each.rule, titles[each.cited] in cited[each.citing]) for each in found]
    return told, 2 * sum(title in some for title in set(titles) for some in cited)


def letters(title: str) -> str:
    """What two titles must share to be the same: a hyphen at the end of a row may be the word's own, or not."""
    return folded(title).replace(" ", "")


def alike(one: str, other: str) -> bool:
    """Whether at most a twentieth of the words differs."""
    words, others = Counter(folded(one).split()), Counter(folded(other).split())
    shared = (words & others).total()
    return 2 * shared >= 0.95 * (words.total() + others.total())


def of_labelled(true: dict[str, object], found: Manuscript) -> Iterator[Told]:
    rules = found.rules
    yield "paper", rules["paper"], bool(true["is_paper"])
    if not true["is_paper"]:
        return
    if found.title:
        yield "title", rules["title"], letters(found.title) == letters(str(true["title"]))
    if found.authors:
        yield "authors", rules["authors"], same_people(found.authors, list(true["authors"]))  # type: ignore[call-overload]
    if found.year is not None and true["year"]:
        yield "year", rules["year"], found.year == true["year"]
    if found.abstract:
        begins, ends = map(folded, true.get("abstract") or ("-", "-"))  # type: ignore[misc]
        is_right = folded(found.abstract).startswith(begins) and folded(found.abstract).rstrip(
            "0123456789 "
        ).endswith(ends)
        yield "abstract", rules["abstract"], bool(begins and ends and is_right)
    for rule, is_right in true.get("judged", ()):  # type: ignore[attr-defined]
        yield "reference", rule, is_right


def halves(labels: Path | None) -> Iterator[tuple[str, int, list[Told], set[str]]]:
    """Of each file: its set, its half, what was told, and the parts that it has."""
    every = {"papers": made_papers(PAPERS), "others": made_others(OTHERS)}
    collections: dict[int, list[tuple[Made, Manuscript]]] = {0: [], 1: []}
    for name, files in every.items():
        for number, made in enumerate(files):
            has = {part for part in ("title", "authors", "abstract", "year", "venue") if getattr(made, part)}
            found = manuscript(printed_apart(made.body))
            told = list(of_made(made, found))
            if made.is_paper:
                collections[number // BLOCK % 2].append((made, found))
            yield f"made {name}", number // BLOCK % 2, told, has if made.is_paper else set()
    for half, files in collections.items():
        told, there = of_citations(files)
        yield f"made collection, with {there} citations", half, told, set()
    if labels is None:
        return
    for number, (path, true) in enumerate(sorted(json.loads(labels.read_text("utf-8")).items())):
        found = manuscript(printed_apart(Path(path).read_bytes()))
        has = {part for part in ("title", "authors", "abstract", "year") if true.get(part)}
        yield "from the web", number % 2, list(of_labelled(true, found)), has


@click.command()
@click.option("--calibrate", is_flag=True, help="Print the table of rules.")
@click.option("--more", type=click.Path(exists=True, path_type=Path), help="Labels of papers that are.")
def main(calibrate: bool, more: Path | None) -> None:
    found = list(halves(more))
    if calibrate:
        weight = {"from the web": WEIGHT}
        _print_rules([told for of, half, some, _ in found if half == 0 for told in some * weight.get(of, 1)])
        return
    for name in dict.fromkeys(name for name, half, *_ in found if half == 1):
        _report(name, [(some, has) for of, half, some, has in found if of == name and half == 1])


def _print_rules(told: Sequence[Told]) -> None:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for part, rule, is_right in told:
        counts[f"{part}: {rule}"][0] += is_right
        counts[f"{part}: {rule}"][1] += 1
    for rule, (right, of) in sorted(counts.items()):
        print(f'    "{rule}": ({right}, {of}),')


def _report(name: str, files: Sequence[tuple[Sequence[Told], set[str]]]) -> None:
    print(f"\n{name}: {len(files)} files")
    print(f"{'part':<12}{'there':>6}{'told':>6}{'right':>7}{'precision':>11}{'confidence':>12}{'error':>8}")
    for part in (
        "paper",
        "title",
        "authors",
        "abstract",
        "year",
        "venue",
        "references",
        "reference",
        "citation",
    ):
        told = [(rule, right) for some, _ in files for of, rule, right in some if of == part]
        if not told:
            continue
        there = sum(part in has for _, has in files) or len(told)
        right = sum(is_right for _, is_right in told)
        believed = [confidence(part, rule) for rule, _ in told]
        print(
            f"{part:<12}{there:>6}{len(told):>6}{right:>7}{right / len(told):>11.3f}"
            f"{sum(believed) / len(told):>12.3f}{_error(part, told):>8.3f}"
        )


def _error(part: str, told: Sequence[tuple[str, bool]]) -> float:
    """Expected calibration error: Σ n(c) / n · |right(c) / n(c) - c| over the confidences c that occur."""
    by: dict[float, list[bool]] = defaultdict(list)
    for rule, is_right in told:
        by[confidence(part, rule)].append(is_right)
    return sum(abs(sum(some) - believed * len(some)) for believed, some in by.items()) / len(told)


if __name__ == "__main__":
    main()
