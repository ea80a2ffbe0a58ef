"""`lycosa search`: full text over the pages of a crawl."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole, as_of, from_then
from lycosa.model.records import Millis

if TYPE_CHECKING:
    from lycosa.crawls.answers import Facet, Found, FoundPage, Hit, Order, Search

NARROWED_BY = {
    "host": "HOST",
    "language": "CODE",
    "type": "TYPE",
    "date": "DATE",
    "depth": "N",
    "category": "PATH",
    "concept": "NAME",
    "cluster": "NAME",
    "node": "NODE",
}
"""Facets that have an option of their own."""


def _narrowing(command: Any) -> Any:
    told = {
        "host": "Only pages of this host; may be given several times, as all of these.",
        "language": "Only pages in this language (ISO 639-1: en).",
        "type": "Only pages of this media type (text/html).",
        "date": "Only pages that changed last, as far as servers tell, in this year or month: 2026, 2026-11.",
        "depth": "Only pages so many links from a start page.",
        "category": "Only pages of this category of the crawl's taxonomy, and below it.",
        "concept": "Only pages that mention this concept of the crawl's ontology, or one below it.",
        "cluster": "Only pages of this cluster: see lycosa browse.",
        "node": "Of a shared crawl: only the pages of this node.",
    }
    for name, metavar in reversed(NARROWED_BY.items()):
        option = click.option(f"--{name}", name, metavar=metavar, multiple=True, help=told[name])
        command = option(command)
    return command


@click.command("search")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("query", nargs=-1)
@click.option("-n", "limit", type=Whole(1), default=10, help="Show so many answers.  [default: 10]")
@click.option("--from", "start", type=Whole(1), metavar="N", help="Begin with the Nth answer.")
@_narrowing
@click.option(
    "--since", type=from_then, metavar="TIME", help="Only pages that changed from then on: 2026-11, 2w."
)
@click.option("--until", type=as_of, metavar="TIME", help="Only pages that changed until then.")
@click.option(
    "--sort",
    type=click.Choice(["rank", "relevance", "date"]),
    help="Which answers come first: those that fit the words best, the most relevant, the newest.  [default: rank]",
)
@click.option("--facets", is_flag=True, help="Count all that is found by host, language, date, and so on.")
@click.option("--copies", is_flag=True, help="Show copies and near copies, too, not only the first of them.")
@click.option(
    "--json", is_flag=True, help="Write JSON, one object an answer; with --facets one object for all."
)
def command(
    folder: Path,
    query: tuple[str, ...],
    limit: int,
    start: int | None,
    since: Millis | None,
    until: Millis | None,
    sort: Order | None,
    facets: bool,
    copies: bool,
    json: bool,
    **narrowed: tuple[str, ...],
) -> None:
    """Search the full text of the pages of a crawl, best answers first.

    An answer has all the words. Use "quotes" for phrases, OR, NOT or a minus, parentheses, and a star for the end of a
    word. New pages are indexed first. Without words, but with one of the options that narrow, all pages are looked at.
    """
    from lycosa.cli.indexing import bring_up_to_date
    from lycosa.cli.output import opened
    from lycosa.crawls.answers import Search

    words = " ".join(query)
    within = {name: values for name, values in narrowed.items() if values}
    asked = any((within, since is not None, until is not None, sort, facets, copies, start))
    if not words and not asked:
        raise click.UsageError("give words to search for, or something to narrow by, such as --host")
    search = Search(
        words=words,
        within=within,
        since=since,
        until=until,
        order=sort or "rank",
        start=(start or 1) - 1,
        limit=limit,
        folded=not copies,
        facets=None if facets else (),
    )
    with opened(folder) as crawl:
        bring_up_to_date(crawl)
        hits = [] if asked else crawl.search(words, limit)
        if asked or not (hits or json):  # the longer way tells why nothing is found
            _tell_found(crawl.find(search, index=False), search, json=json, facets=facets)
        else:
            _tell_hits(hits, json=json)


def _tell_hits(hits: Sequence[Hit], *, json: bool) -> None:
    from lycosa.cli.output import say_json

    if json:
        for hit in hits:
            say_json(hit)
        return
    for number, hit in enumerate(hits, 1):
        tell_hit(number, hit, [getattr(hit, "node", "") and f"node {getattr(hit, 'node', '')}"])


def _tell_found(found: Found, search: Search, *, json: bool, facets: bool) -> None:
    from lycosa.cli.output import say_json
    from lycosa.report.wording import counted

    if json:
        for told in [found] if facets else found.hits:
            say_json(told)
        return
    if not found.hits:
        _tell_nothing(found, search)
        return
    without = f", {counted(found.distinct, 'page')} without copies" if found.distinct < found.pages else ""
    click.echo(f"{counted(found.pages, 'page')} of {found.collection:,}{without}\n")
    for number, hit in enumerate(found.hits, search.start + 1):
        tell_hit(number, hit, _besides(hit))
    for facet in found.facets:
        _tell_facet(facet)


def _besides(hit: FoundPage) -> list[str]:
    from lycosa.model.moments import iso
    from lycosa.report.wording import counted

    copies = counted(hit.copies, "copy", "copies") if hit.copies else ""
    return [iso(hit.date)[:10], hit.language, hit.node and f"node {hit.node}", copies]


def tell_hit(number: int, hit: Hit, besides: Sequence[str]) -> None:
    """One answer: title, URL, and some of its words."""
    from lycosa.report.wording import clean

    click.echo(click.style(f"{number:>2}. {clean(hit.title) or '(no title)'}", bold=True))
    told = ", ".join(clean(each) for each in (f"relevance {hit.relevance:.3f}", *besides) if each)
    click.echo(f"    {clean(hit.url)}  {click.style(told, dim=True)}")
    click.echo(f"    {_marked(clean(hit.snippet))}\n")


def _tell_facet(facet: Facet) -> None:
    from lycosa.report.wording import clean

    if not facet.values:
        return
    click.echo(click.style(facet.name, bold=True))
    for each in facet.values:
        name = clean(each.label or each.value) or "(not known)"
        click.echo(f"  {each.pages:>8,}  {name}{'  ✓' if each.chosen else ''}")
    if facet.more:
        click.echo(f"            and {facet.more:,} more")


def _tell_nothing(found: Found, search: Search) -> None:
    """Why nothing is found, and what might help."""
    from lycosa.report.wording import clean, counted

    if search.start and found.pages:
        click.echo(f"there are only {counted(found.distinct if search.folded else found.pages, 'answer')}")
        return
    click.echo("no page matches")
    for word in found.words:
        if not word.pages:
            instead = f"; did you mean {' or '.join(map(clean, word.instead))}?" if word.instead else ""
            click.echo(f"  no page has {clean(word.word)}{instead}")
    if found.without_facets:
        click.echo(f"  {counted(found.without_facets, 'page')} would match without what narrows the search")
    elif found.words and all(word.pages for word in found.words):
        click.echo("  each word stands on some page, but never all together; put OR between them")


def _marked(snippet: str) -> str:
    """The words found, in bold on a terminal (click leaves escape codes out of a pipe)."""
    bold = click.style("\0", bold=True).split("\0")
    return snippet.replace("«", f"«{bold[0]}").replace("»", f"{bold[1]}»")
