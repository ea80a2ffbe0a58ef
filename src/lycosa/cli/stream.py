"""`lycosa stream`: what a crawl stored, in the order in which it was stored."""

from __future__ import annotations

import sys
import time
from itertools import islice
from pathlib import Path

import click

from lycosa.cli.completion import CRAWL
from lycosa.cli.values import Whole


@click.command("stream")
@click.argument("folder", metavar="DIR", type=CRAWL)
@click.option(
    "--from", "token", metavar="TOKEN", default="", help="Go on behind this place: a token of this stream."
)
@click.option("--where", metavar="EXPR", default="", help="Only what this is true of, see below.")
@click.option("--limit", type=Whole(1), metavar="N", help="So many records at most.")
@click.option(
    "--to",
    "kind",
    type=click.Choice(["warc", "jsonl", "text"]),
    help="WARC records as they are stored, a JSON object a line, or texts.  [default: warc; on a terminal jsonl]",
)
@click.option("--follow", is_flag=True, help="Wait for more while the crawl runs.")
@click.option(
    "--serve",
    "port",
    type=click.IntRange(0, 65535),
    metavar="PORT",
    help="Serve it over HTTP. 0: any free port.",
)
def command(
    folder: Path, token: str, where: str, limit: int | None, kind: str | None, follow: bool, port: int | None
) -> None:
    """Stream what a crawl stored, in the order in which it was stored, at the speed of the disk.

    The crawl may run, and any number of streams may be read at once. Each JSON line has a token: go on behind it with
    --from. Of WARC and texts the last token is told at the end, on standard error. Texts come after a line with URL,
    size in bytes and time.

    \b
    --where 'page and relevance > .5 and host("example.org")'
    tests    url(r"…"), host("…", …), type("text/html", "image/*"), since("2026-11-20"), until("…"),
             page (it is a page of the crawl), revisit (it refers to an earlier record)
    numbers  status, relevance, length (bytes)
    joined   by and, or, not, parentheses, < <= > >= == !=

    With --serve the same is at http://127.0.0.1:PORT/?from=TOKEN&where=EXPR&limit=N&to=KIND&follow. An answer with a
    limit has the header Lycosa-Token, which says where to go on.
    """
    from lycosa.model.errors import InputError

    if port is not None:
        if token or where or limit or kind or follow:
            raise click.UsageError(
                "with --serve each reader says in the URL what it wants: give --serve alone"
            )
        _serve(folder, port)
        return
    is_terminal = sys.stdout.isatty()
    if kind == "warc" and is_terminal:
        raise InputError("WARC is not for a terminal; write it to a file with > pages.warc.gz")
    _write(folder, token, where, limit, kind or ("jsonl" if is_terminal else "warc"), follow)


def _write(folder: Path, token: str, where: str, limit: int | None, kind: str, follow: bool) -> None:
    from lycosa.cli.output import opened, warn
    from lycosa.uses.streaming import KINDS, PAUSE, packed, stream_of

    to = next(each for each in KINDS if each == kind)
    out, left = sys.stdout.buffer, limit or sys.maxsize
    with opened(folder) as crawl:
        stream = stream_of(crawl, to, token, where)
        try:
            grows = True
            while grows and left:
                grows = follow and stream.is_growing  # asked before, so that nothing is missed
                for record in islice(stream, left):
                    out.write(packed(record, to))
                    left -= 1
                out.flush()
                if grows and left:
                    time.sleep(PAUSE)
        finally:
            if to != "jsonl":
                warn(f"go on with --from {stream.token}")


def _serve(folder: Path, port: int) -> None:
    import asyncio
    from contextlib import suppress

    from lycosa.crawls.opening import open_folder
    from lycosa.drive.live import loop_factory
    from lycosa.uses.streaming import serve

    open_folder(folder).close()
    with suppress(KeyboardInterrupt), asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serve(folder, port, click.echo))
