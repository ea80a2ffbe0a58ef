"""`lycosa why`: what a crawl decided about one URL, and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from lycosa.cli.completion import CRAWL


@click.command("why")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("url")
@click.option("--json", is_flag=True, help="Write one JSON object.")
def command(folder: Path, url: str, json: bool) -> None:
    """Explain what a crawl decided about a URL.

    It tells whether the URL was fetched, and by which rule it was not; the place at which it waits; the links that lead
    to it from a start page; and what its score and its relevance are made of. Of a crawl that several nodes share also
    which of them fetched it, whose it is, and by which parcels they told one another of it.
    """
    from lycosa.cli.output import opened, say_json, say_pairs
    from lycosa.crawls.shared.answers import SharedExplanation
    from lycosa.report.refreshing import again
    from lycosa.report.rendering import how
    from lycosa.report.sharing import elsewhere, leg, whose
    from lycosa.report.wording import clean, counted, minute

    with opened(folder) as crawl:
        told = crawl.why(url)
    if json:
        say_json(told)
        return
    place = f"{told.place:,} of {told.pending or told.place:,} that wait" if told.place is not None else ""
    when = f"{told.step:,}" + (f", {minute(told.at)}" if told.at is not None else "") if told.step else ""
    passed = (
        f", while {counted(told.rank, 'better link')} or more waited for their hosts" if told.rank else ""
    )
    tier = f", tier {told.tier}" if told.tier else ""
    say_pairs(
        {
            "url": clean(told.url),
            "state": told.state,
            "reason": clean(told.reason),
            **(
                {"node": whose(told), "others": elsewhere(told)}
                if isinstance(told, SharedExplanation)
                else {}
            ),
            "title": clean(told.title),
            "links": f"{told.links_left_out:,} left out: the page has too many"
            if told.links_left_out
            else "",
            "rendered": how(told.rendering),
            "marked": {True: "good", False: "bad", None: ""}[told.marked],
            "place": place,
            "step": f"{when}{passed}",
            "again": again(told),
            "score": f"{told.score:.4f}{tier}{_parts(told.score_parts)}" if told.score is not None else "",
            "relevance": f"{told.relevance:.4f}{_parts(told.relevance_parts)}"
            if told.relevance is not None
            else "",
        }
    )
    if isinstance(told, SharedExplanation) and told.came:
        click.echo("\nhow it came there")
        for each in told.came:
            click.echo(f"      {leg(each)}")
    if told.rights:
        click.echo("\nwhat may be done with it")
        for said in told.rights:
            click.echo(f"      {clean(said)}")
    if told.path:
        click.echo("\nthe way to it")
        for depth, point in enumerate(told.path):
            anchor = f"  by the link {clean(point.anchor)!r}" if point.anchor else ""
            click.echo(f"  {depth:>2}  {clean(point.url)}{anchor}")
    if told.linked_from:
        click.echo("\nshown by" if told.state == "embedded" else "\nlinked from")
        for source in told.linked_from:
            click.echo(f"      {clean(source)}")


def _parts(parts: Mapping[str, float]) -> str:
    from lycosa.report.wording import clean

    return " = " + ", ".join(f"{clean(name)} {value:.4g}" for name, value in parts.items()) if parts else ""
