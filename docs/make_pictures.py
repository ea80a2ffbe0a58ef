"""Draws the picture of the live display that README shows: runs a crawl of a recorded web and records its terminal.

python docs/make_pictures.py RECORDED_WEB TOPIC START_PAGE [docs/images/live.svg]
"""

from __future__ import annotations

import asyncio
import io
import re
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from lycosa import session
from lycosa.cli.live_view import LiveView
from lycosa.cli.options import CrawlOptions, spec_from_options
from lycosa.cli.tally import Tally
from lycosa.model.records import Visit

PAGES, SHOWN_AT = 300, 200
WIDTH, HEIGHT = 100, 26


def blank_terminal() -> Console:
    return Console(file=io.StringIO(), record=True, force_terminal=True, width=WIDTH, height=HEIGHT)


async def picture(web: str, topic: str, start: str, folder: Path) -> str:
    """The display as SVG, two thirds of the way through a crawl."""
    spec = spec_from_options(CrawlOptions(words=(topic, start), web=f"recorded:{web}", pages=PAGES))
    crawl = await session.begin(spec, folder)
    tally, view, terminal = Tally(spec.relevant_from), LiveView(blank_terminal()), blank_terminal()
    tally.look(began := time.monotonic())
    view.open(crawl, tally)

    def watch(visit: Visit) -> None:
        tally.visit(visit, crawl.crawl.failures)
        if tally.pages % 8 == 0:
            tally.look(time.monotonic())
            view.tick(time.monotonic() - began)
        if tally.pages == SHOWN_AT:
            terminal.print(view)

    await crawl.run(watch)
    view.close()
    drawn = terminal.export_svg(title=f"lycosa crawl {topic!r}")
    return re.sub(r"@font-face\s*{[^}]*}", "", drawn)  # a picture must not fetch fonts from elsewhere


def main(web: str, topic: str, start: str, out: str = "docs/images/live.svg") -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(out).write_text(
            asyncio.run(picture(web, topic, start, Path(folder) / "crawl")), encoding="utf-8"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
