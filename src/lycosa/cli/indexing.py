"""Progress while the full-text index is brought up to date."""

from __future__ import annotations

import sys
import time

from lycosa.crawls.interface import Folder

SHOW_AFTER = 1.0
SHOW_EVERY = 0.2


def bring_up_to_date(folder: Folder) -> None:
    """Index what is new; on a terminal say how far it is once it takes longer than a second."""
    began = shown = time.monotonic()
    is_terminal = sys.stderr.isatty()

    def progress(indexed: int, of: int) -> None:
        nonlocal shown
        now = time.monotonic()
        if is_terminal and now - began > SHOW_AFTER and now - shown > SHOW_EVERY:
            shown = now
            sys.stderr.write(f"\rindexing {indexed:,} of {of:,} pages")
            sys.stderr.flush()

    try:
        folder.index_pages(progress)
    finally:
        if shown > began:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
