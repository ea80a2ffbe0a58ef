"""`lycosa ontology`: what an ontology holds, and a crawl's pages as it sees them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole

if TYPE_CHECKING:
    from lycosa.crawl.inputs import Ontology
    from lycosa.crawls.interface import Folder
    from lycosa.scoring.topics.facets import FacetView, Shelf

SHOWN = 5
"""Pages of a cluster that are told."""

_CRAWL = click.argument("folder", metavar="DIR", type=CRAWL)
_FILE = click.argument("file", metavar="[ONTOLOGY]", required=False, type=click.Path(path_type=Path))
_FOCUS = click.option(
    "--focus",
    multiple=True,
    metavar="CONCEPT",
    help="Look near this concept, if ONTOLOGY is given. Repeatable.",
)
_JSON = click.option("--json", is_flag=True, help="Write JSON, one object a line.")


class Shelved(NamedTuple):
    """A crawl's pages with their mentions, by their places in the order of the crawl, and what they are called."""

    shelf: Shelf
    titles: dict[int, str]
    urls: dict[int, str]


@click.group("ontology")
def command() -> None:
    """List the concepts of an ontology, and sort the pages of a crawl by them.

    Without ONTOLOGY the one that the crawl was made with is taken.
    """


@command.command("show")
@click.argument("file", metavar="ONTOLOGY", type=click.Path(path_type=Path))
@click.option(
    "--language",
    multiple=True,
    metavar="NAME",
    help="Show only labels in this language, such as en or German. Repeatable.",
)
@_JSON
def show(file: Path, language: tuple[str, ...], json: bool) -> None:
    """List the concepts of an OWL, RDF or SKOS file, as crawls read it."""
    from lycosa.cli.output import say_json, warn
    from lycosa.sources.ontology import ontology_in

    found = ontology_in(file, languages=language)
    for concept in found.ontology.concepts:
        if json:
            say_json(concept)
            continue
        labels = ", ".join(" ".join(label) for label in concept.labels) or "no label"
        above = f"  is a {', '.join(concept.broader)}" if concept.broader else ""
        beside = f"  related to {', '.join(concept.related)}" if concept.related else ""
        click.echo(f"{concept.name}  ({labels}){above}{beside}")
    for warning in found.warnings:
        warn(warning)


@command.command("suggest")
@_CRAWL
@_FILE
@_FOCUS
@click.option("-n", "most", type=Whole(1), default=20, help="Suggest so many.  [default: 20]")
@click.option("--least", type=Whole(1), default=3, help="Leave out terms on fewer pages.  [default: 3]")
@_JSON
def suggest(
    folder: Path, file: Path | None, focus: tuple[str, ...], most: int, least: int, json: bool
) -> None:
    """Suggest concepts that an ontology lacks: terms that are frequent near the concepts in focus."""
    from lycosa.cli.output import opened, say_json
    from lycosa.scoring.topics.new_concepts import Gleaner

    with opened(folder) as crawl:
        gleaner = Gleaner(_ontology(crawl, file, focus, needs_focus=True))
        for row in crawl.rows():
            gleaner.add(row.final_url, f"{row.title}\n{row.text}")
    found = gleaner.suggestions(most, least)
    if json:
        for each in found:
            say_json(each)
        return
    click.echo(f"{'term':<28} count  pages  near")
    for each in found:
        near = ", ".join(f"{name} {n}" for name, n in list(each.near.items())[:3])
        click.echo(f"{each.term:<28} {each.count:>5}  {each.pages:>5}  {near}")


@command.command("facets")
@_CRAWL
@_FILE
@click.option(
    "--with",
    "chosen",
    multiple=True,
    metavar="CONCEPT",
    help="Count only pages with this concept. Repeatable.",
)
@click.option("--query", metavar="WORDS", help="Count only pages with these words.")
@_JSON
def facets(folder: Path, file: Path | None, chosen: tuple[str, ...], query: str | None, json: bool) -> None:
    """Count a crawl's pages by concept, all of them or those with some concepts or words."""
    from lycosa.cli.output import opened, say_json

    with opened(folder) as crawl:
        shelved = _shelved(crawl, _ontology(crawl, file, chosen))
        among = shelved.shelf.with_all(_named(crawl, file, chosen))
        if query:
            found = {hit.url for hit in crawl.search(query, len(shelved.titles) or 1)}
            among = [place for place in among if shelved.urls[place] in found]
    pages = [{"url": shelved.urls[place], "title": shelved.titles[place]} for place in among]
    if json:
        say_json({"facets": shelved.shelf.facets(among), "pages": pages if chosen or query else []})
        return
    for facet in shelved.shelf.facets(among):
        click.echo(f"{facet.pages:>6}  {'  ' * facet.level}{facet.name}")
    if chosen or query:
        click.echo()
        _list(shelved, among)


@command.command("cluster")
@_CRAWL
@_FILE
@click.option("--view", "chosen", multiple=True, metavar="A,B,…", help="Group by these concepts. Repeatable.")
@click.option(
    "--views", type=Whole(1), default=3, help="Choose so many views, if --view names none.  [default: 3]"
)
@click.option(
    "-k", "clusters", type=Whole(2), default=5, help="Make so many groups in each view.  [default: 5]"
)
@_JSON
def cluster(
    folder: Path, file: Path | None, chosen: tuple[str, ...], views: int, clusters: int, json: bool
) -> None:
    """Group a crawl's pages by the concepts that they mention, in several ways: each view looks at some concepts."""
    from lycosa.cli.output import opened, say_json

    asked = [tuple(name.strip() for name in view.split(",")) for view in chosen]
    with opened(folder) as crawl:
        shelved = _shelved(crawl, _ontology(crawl, file, [name for view in asked for name in view]))
        wanted = [tuple(_named(crawl, file, view)) for view in asked] or shelved.shelf.choices(views)
    for names in wanted:
        view = shelved.shelf.view(names, clusters)
        if json:
            say_json(_with_urls(view, shelved))
        else:
            _tell(view, shelved)


def _tell(view: FacetView, shelved: Shelved) -> None:
    click.echo(click.style(f"by {', '.join(view.concepts)}", bold=True) + f"  (silhouette {view.silhouette})")
    for group in view.clusters:
        told = ", ".join(f"{name} {weight:.2f}" for name, weight in group.concepts.items())
        click.echo(f"  {len(group.pages)} pages: {told}")
        _list(shelved, list(group.pages[:SHOWN]), "    ")
    if view.without:
        click.echo(f"  {view.without} pages mention none of them")
    click.echo()


def _list(shelved: Shelved, places: list[int], indent: str = "") -> None:
    from lycosa.report.wording import clean

    for place in places:
        click.echo(f"{indent}{clean(shelved.titles[place]) or '(no title)'}  {clean(shelved.urls[place])}")


def _with_urls(view: FacetView, shelved: Shelved) -> dict[str, Any]:
    clusters = [
        {"concepts": group.concepts, "pages": [shelved.urls[place] for place in group.pages]}
        for group in view.clusters
    ]
    about = {"concepts": view.concepts, "silhouette": view.silhouette, "without": view.without}
    return {**about, "clusters": clusters}


# -- what is looked at -----------------------------------------------------------------------------------------


def _shelved(crawl: Folder, ontology: Ontology) -> Shelved:
    from lycosa.scoring.topics.facets import Shelf
    from lycosa.scoring.topics.ontology import Lexicon

    lexicon = Lexicon(ontology.concepts)
    titles: dict[int, str] = {}
    urls: dict[int, str] = {}

    def mentions() -> Iterator[tuple[int, dict[int, int]]]:
        for place, row in enumerate(crawl.rows()):
            titles[place], urls[place] = row.title, row.final_url
            yield place, lexicon.in_text(f"{row.title}\n{row.text}")[0]

    return Shelved(Shelf(ontology.concepts, dict(mentions())), titles, urls)


def _ontology(crawl: Folder, file: Path | None, focus: Any = (), *, needs_focus: bool = False) -> Ontology:
    """That of the file, else that of the crawl. Concepts that a person names are known by label too, in a file."""
    from lycosa.crawl.inputs import Ontology
    from lycosa.model.errors import InputError
    from lycosa.sources.kinds import load_inputs
    from lycosa.sources.ontology import ontology_in

    if file is not None:
        found = ontology_in(file, focus, crawl.spec.topic.languages).ontology
        if needs_focus and not found.focus:
            raise InputError(f"{file}: say which concepts to look near with --focus CONCEPT")
        return found
    own = [given for given in load_inputs(crawl.paths.inputs) if isinstance(given, Ontology)]
    if not own:
        raise InputError(f"{crawl.path}: the crawl has no ontology of its own; name a file")
    return own[0]


def _named(crawl: Folder, file: Path | None, names: Any) -> list[str]:
    """The names of the concepts that a person named."""
    return list(_ontology(crawl, file, names).focus) if file is not None and names else list(names)
