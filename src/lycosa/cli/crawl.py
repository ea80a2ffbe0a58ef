"""`lycosa crawl`: begin a crawl and run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lycosa.cli.crawl_options import SECTIONS, crawl_options
from lycosa.cli.values import SectionedCommand
from lycosa.cli.writing import is_stdout

if TYPE_CHECKING:
    from lycosa.spec.tree import CrawlSpec

_SHOWN = ("json", "log_json", "quiet", "verbose")


@click.command("crawl", cls=SectionedCommand)
@click.argument("words", nargs=-1, metavar="TOPIC [URL]...")
@crawl_options(*SECTIONS)
def command(**given: Any) -> int:
    """Crawl a web for a topic, best pages first.

    Write TOPIC as one argument: words in quotes, phrases separated by commas. Leave it out if --like or --topic-file
    gives the topic. The URLs are the start pages. Ctrl-C stops the crawl once the visits under way are finished; lycosa
    resume goes on with it.
    """
    from lycosa.spec.options import spec_from_options

    shown = {name: bool(given.pop(name)) for name in _SHOWN}
    serves = bool(given.pop("serve"))
    spec = spec_from_options(**given)
    if spec.seeds_from:
        from lycosa.crawls.start_pages import start_pages_of

        given["words"] += tuple(start_pages_of(spec))
        spec = spec_from_options(**given)  # its scope and its ports may go by them

    from lycosa.cli.page_beside import page_beside
    from lycosa.cli.running import run, view_for
    from lycosa.compose.topic import default_folder
    from lycosa.crawls import session
    from lycosa.watch.tally import Tally

    if is_stdout(given["out"]):
        raise click.UsageError(
            "--out: a crawl needs a folder; lycosa export writes its pages to standard output"
        )
    out = given["out"] or default_folder(spec)
    if spec.cluster.nodes > 1:
        from lycosa.cli.cluster import begin

        return begin(spec, out, json=shown["json"], quiet=shown["quiet"])

    with page_beside() as page:

        async def opening() -> session.Session:
            begun = await session.begin(spec, out)
            begun.notes[:0] = warnings_about(spec)
            if serves:
                begun.notes.append(page.show(out))
            return begun

        code = run(opening, view_for(**shown), Tally(spec.relevant_from))
        page.stay()
        return code


def warnings_about(spec: CrawlSpec) -> list[str]:
    """What a person should know about the crawl that begins."""
    from lycosa.spec.webs import web_of

    told = []
    if spec.politeness.robots == "ignore":
        told.append("robots.txt is ignored: do this on your own sites only")
    asks = not web_of(spec.web).is_recorded
    if asks and not (spec.fetch.contact or spec.fetch.agent or spec.fetch.connect_to):
        told.append("no contact given: with --contact URL|MAIL whoever is asked can reach you")
    return told
