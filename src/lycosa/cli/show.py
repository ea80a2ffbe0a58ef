"""`lycosa show`: a page as it was, and what changed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import as_of
from lycosa.model.records import Millis

if TYPE_CHECKING:
    from lycosa.crawls.captured import Captured
    from lycosa.crawls.interface import Folder
    from lycosa.crawls.word_difference import Piece


@click.command("show")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.argument("url")
@click.option(
    "--at",
    type=as_of,
    metavar="TIME",
    help="As it was then: 2026-11-20, or 2w for two weeks ago.  [default: now]",
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(["text", "html", "dom", "warc"]),
    help="Its text, the bytes that the server sent, what a browser made of them, or its WARC record.  "
    "[default: text]",
)
@click.option(
    "--text",
    "part",
    type=click.Choice(["all", "main", "markdown"]),
    help="All its text, the main text without menus and the like, or that as Markdown.  [default: all]",
)
@click.option(
    "--diff", "times", type=as_of, nargs=2, metavar="TIME TIME", help="What changed between two times."
)
@click.option(
    "--json",
    is_flag=True,
    help="Write one JSON object, with the text, and of the main text also with title, authors, dates and the like; "
    "with --diff one object a piece.",
)
def command(
    folder: Path,
    url: str,
    at: Millis | None,
    kind: str | None,
    part: str | None,
    times: tuple[Millis, Millis] | None,
    json: bool,
) -> None:
    """Show a page as it was: its latest capture not after a time.

    The URL may be a citation, archive:20261120/URL. What else was fetched can be shown too: redirects, error pages,
    robots.txt. With --diff the words that were removed stand after a minus, those that were added after a plus.
    """
    from lycosa.archive.citation import is_citation, read_citation
    from lycosa.cli.output import opened

    if is_citation(url):
        if at is not None:
            raise click.UsageError("a citation has a time of its own: leave --at out")
        cited = read_citation(url)
        url, at = cited.url, cited.at
    if times is not None and (at is not None or kind is not None or part is not None):
        raise click.UsageError(
            "--diff shows words at two times: give it without another time, --as or --text"
        )
    if part is not None and kind not in (None, "text"):
        raise click.UsageError("--text is a way to show the text: leave --as out")
    if json and kind not in (None, "text"):
        raise click.UsageError("--json has the text: leave --as out")
    with opened(folder) as crawl:
        if times is not None:
            _tell_difference(crawl.difference(url, *times), json)
            return
        found = crawl.capture(url, at)
        if found is None:
            raise _missing(crawl, url, at)
        _show(crawl, url, found, kind or "text", part or "all", json)


def _missing(crawl: Folder, url: str, at: Millis | None) -> Exception:
    from lycosa.model.errors import InputError
    from lycosa.report.wording import minute

    first = crawl.timemap(url).captures[0]  # raises where there is none at all
    when = f" by {minute(at)}" if at is not None else ""
    return InputError(f"{url}: was not fetched{when}; the first capture is of {minute(first.at)}")


def _show(crawl: Folder, url: str, found: Captured, kind: str, part: str, json: bool) -> None:
    from lycosa.cli.output import say_aside
    from lycosa.crawl.rights import quoted
    from lycosa.report.wording import clean, minute

    if json:
        _say_json(found, part)
        return
    match kind:
        case "text":
            lines = _text(found, part).splitlines()
            shown = "".join(f"{clean(line)}\n" for line in lines).encode("utf-8", "replace")
        case "html":
            shown = found.response.body
        case "dom":
            shown = found.rendered.body
        case _:
            shown = found.raw
    if kind != "warc":
        say_aside(clean(f"{found.url}, {minute(found.at)}, status {found.status}{_since(crawl, url, found)}"))
        for rule in found.rights:
            say_aside(clean(f"said of its use, {quoted(rule)}"))
    sys.stdout.buffer.write(shown)


def _text(found: Captured, part: str) -> str:
    if part == "all":
        return found.text
    main = found.main_text(markdown=part == "markdown")
    return main.markdown if part == "markdown" else main.text


def _say_json(found: Captured, part: str) -> None:
    from lycosa.cli.output import say_json
    from lycosa.crawl.rights import quoted
    from lycosa.model.moments import iso

    facts = {"url": found.url, "fetched_at": iso(found.at), "status": found.status}
    facts |= {"media_type": found.media_type, "digest": found.capture.digest}
    facts |= {"rights": [quoted(rule) for rule in found.rights]}
    if part == "all":
        say_json({**facts, "text": found.text})
        return
    main = found.main_text(markdown=part == "markdown")
    text = main.markdown if part == "markdown" else main.text
    say_json({**facts, "text": text, "share": main.share, "about": main.about})


def _since(crawl: Folder, url: str, found: Captured) -> str:
    """What became of the page afterwards."""
    from lycosa.report.wording import minute

    later = next((each for each in crawl.changes(url) if each.at > found.at), None)
    return f"; {later.sight} {minute(later.at)}" if later is not None else ""


def _tell_difference(pieces: Sequence[Piece], json: bool) -> None:
    from lycosa.cli.output import say_aside, say_json
    from lycosa.report.differing import changed_lines

    if json:
        for piece in pieces:
            say_json(piece)
        return
    if all(piece.kind == "same" for piece in pieces):
        say_aside("no word differs")
        return
    for sign, words in changed_lines(pieces):
        colour = {"+": "green", "-": "red"}.get(sign)
        click.echo(click.style(f"{sign} {words}", fg=colour))
