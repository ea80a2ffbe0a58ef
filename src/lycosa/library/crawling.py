"""The process of one crawl that a face began: `python -m lycosa.library.crawling`, with an `Errand` on standard input.

It tells on standard output, in one line, that the crawl has begun, or why it cannot. From then on it depends on nobody:
who began it may go away. It ends as any crawl does, or by `lycosa stop`, or by SIGTERM. What it has to say goes into a
file of the crawl's folder, one JSON object a line.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

from lycosa.crawls import session
from lycosa.drive.live import loop_factory
from lycosa.drive.loop import unwatched
from lycosa.model.decoding import from_json
from lycosa.model.errors import LycosaError
from lycosa.model.garbage import collect_rarely
from lycosa.model.records import Record
from lycosa.report.ending import run_to_the_end
from lycosa.spec.tree import CrawlSpec
from lycosa.store.paths import Paths
from lycosa.watch.log import JsonLines, Log
from lycosa.watch.tally import Tally

BEGUN: Final = "begun"


class Errand(Record, frozen=True, kw_only=True):
    """What the process is to do."""

    folder: str
    spec: CrawlSpec | None = None
    """Of a new crawl; None: go on with the one that is there."""
    pages: int | None = None
    """Of one that goes on, the new budget; None: as before."""
    seconds: float | None = None


def main() -> int:
    """Do the errand. Returns the exit code: 0, or 2 if it could not begin, or 1 if it failed."""
    errand = from_json(sys.stdin.buffer.read(), Errand)
    collect_rarely()
    with asyncio.Runner(loop_factory=loop_factory()) as runner:
        try:
            opened = runner.run(_opened(errand))
        except LycosaError as error:
            _tell(str(error))
            return 2
        _leave(Paths(Path(errand.folder)))
        log = Log(sys.stderr, opened.path.name)
        try:
            runner.run(_run(opened, log))
        except LycosaError as error:
            log.write(event="error", text=str(error))
            return 1
    return 0


async def _opened(errand: Errand) -> session.Session:
    place = Path(errand.folder)
    if errand.spec is not None:
        return await session.begin(errand.spec, place)
    changes: dict[str, Any] = {"pages": errand.pages, "seconds": errand.seconds}
    return await session.resume(place, **changes)


async def _run(opened: session.Session, log: Log) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, opened.halt.ask, "by a signal")
    lines = JsonLines(log.write)
    lines.open(opened, Tally(opened.spec.relevant_from))
    for note in opened.notes:
        lines.say(note)
    with await run_to_the_end(opened, unwatched) as folder:
        for line in opened.told:
            lines.say(line)
        log.write(event="ended", status=folder.status())


def _leave(paths: Paths) -> None:
    """Tell that the crawl has begun, and write to its own file from now on."""
    log = os.open(paths.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    _tell(BEGUN)
    for stream in (1, 2):
        os.dup2(log, stream)
    os.close(log)


def _tell(line: str) -> None:
    print(" ".join(line.split()), flush=True)


if __name__ == "__main__":
    sys.exit(main())
