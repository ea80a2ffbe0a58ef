"""Progress while an index is brought up to date."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lycosa.crawls.interface import Folder, TellProgress

SHOW_AFTER = 1.0
SHOW_EVERY = 0.2


def bring_up_to_date(folder: Folder) -> None:
    """Index what is new; on a terminal say how far it is once it takes longer than a second."""
    with told("indexing", "pages") as progress:
        folder.index_pages(progress)


@contextmanager
def told(verb: str, things: str) -> Iterator[TellProgress]:
    """Who is to be told how far it is: `indexing 12 of 40 pages`."""
    began = shown = time.monotonic()
    is_terminal = sys.stderr.isatty()

    def progress(done: int, of: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if is_terminal and now - began > SHOW_AFTER and now - shown > SHOW_EVERY:
            shown = now
            sys.stderr.write(f"\r{verb} {done:,} of {of:,} {things}")
            sys.stderr.flush()

    try:
        yield progress
    finally:
        if shown > began:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
