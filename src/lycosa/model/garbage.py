"""How often Python looks for objects that only refer to one another."""

from __future__ import annotations

import atexit
import gc

COLLECTED_AFTER = (50_000, 20, 50)
"""After so many new objects. A page makes thousands and leaves no cycles behind: with Python's own 700 a crawl of
manuals spent 5 to 12 % more CPU, and what is imported first was gone through dozens of times."""


def collect_rarely() -> None:
    """For the rest of this process: best before it imports much."""
    gc.set_threshold(*COLLECTED_AFTER)


def end_at_once() -> None:
    """At the end of this process nothing is looked for: Python goes through all that was imported then, in a tenth of
    the time of a command that answers one question, and the system takes it back anyway."""
    atexit.register(gc.freeze)
