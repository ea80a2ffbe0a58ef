"""`lycosa web`: recorded webs, to look at and to serve."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lycosa.archive.collection import Collection, WebInfo

_PATHS = click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))


@click.group("web")
def command() -> None:
    """Look at a recorded web, or serve it over HTTP.

    A recorded web is a folder of WARC files, a WARC file, or the folder of a crawl; several make one web.
    """


@command.command("info")
@_PATHS
@click.option("--json", is_flag=True, help="As one JSON object.")
def info(paths: tuple[Path, ...], json: bool) -> None:
    """Count what a recorded web holds."""
    from lycosa.cli.output import say_json, warn

    collection = _open(paths)
    found = collection.info()
    collection.close()
    if json:
        say_json(found)
        return
    _tell(found)
    for warning in found.warnings:
        warn(warning)


@command.command("serve")
@_PATHS
@click.option("--port", type=click.IntRange(0, 65535), default=8080, help="0: any free one.  [default: 8080]")
@click.option("--host", default="127.0.0.1", help="The address to listen on.  [default: 127.0.0.1]")
def serve(paths: tuple[Path, ...], port: int, host: str) -> None:
    """Serve a recorded web over HTTP, all its hosts on one port, and as an HTTP proxy. Ctrl-C or SIGTERM ends.

    Crawl it with: lycosa crawl TOPIC URL --connect-to '*:*:127.0.0.1:8080'
    """
    import asyncio
    from contextlib import suppress

    from lycosa.cli.output import warn
    from lycosa.drive.live import loop_factory
    from lycosa.web.recorded import RecordedWeb
    from lycosa.web.serve import serve as serving

    collection = _open(paths)
    for warning in collection.warnings:
        warn(warning)
    with suppress(KeyboardInterrupt), asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(serving(RecordedWeb(collection), host, port, say=click.echo, hosts=collection.hosts))
    collection.close()


def _open(paths: Sequence[Path]) -> Collection:
    from lycosa.archive.collection import Collection

    return Collection.open(paths)


def _tell(found: WebInfo) -> None:
    from lycosa.cli.output import reasons_in_words, say_pairs
    from lycosa.report.wording import clean, minute

    recorded = (
        f"{minute(found.first)} to {minute(found.last)}"
        if found.first is not None and found.last is not None
        else ""
    )
    statuses = {str(status or "unknown"): number for status, number in found.statuses.items()}
    say_pairs(
        {
            "captures": f"{found.captures:,}",
            "urls": f"{found.urls:,}",
            "hosts": f"{found.hosts:,}",
            "files": f"{found.files:,}, {found.bytes / 1e6:,.1f} MB",
            "recorded": recorded,
            "statuses": reasons_in_words(statuses, 8),
            "media types": clean(reasons_in_words(found.media_types, 6)),
            "largest hosts": clean(reasons_in_words(found.largest_hosts, 5)),
            "index": "complete" if found.indexed else "incomplete: the files were scanned",
        }
    )
