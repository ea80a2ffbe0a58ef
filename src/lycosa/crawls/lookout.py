"""What only the crawling process knows, told to whoever looks on from another: which hosts rest, what is being fetched.

A face that looks on touches a file of the folder now and then. While that file is young, the crawling process writes
another one, once a second. So a crawl that nobody looks at does nothing for it but ask for a file's time each second.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from heapq import nsmallest
from typing import Final

import msgspec

from lycosa.crawls.answers import Outlook
from lycosa.model.decoding import from_json
from lycosa.model.records import Millis
from lycosa.model.url import Host
from lycosa.spec.files import unfinished
from lycosa.store.paths import Paths

EVERY: Final = 1.0
"""Seconds between two looks of the crawling process."""
SPARING: Final = 50.0
"""It looks for at most one part in so many of the time."""
WATCHED_FOR: Final = 10.0
"""Seconds for which a look from outside counts."""
TOUCHED_EVERY: Final = 3.0
"""Seconds after which who looks on says so again."""
MOST_RESTING, MOST_FETCHING, MOST_WAITING, MOST_MEMBERS = 200, 100, 50, 300


class Lookout:
    """Of the crawling process: writes what it knows while somebody looks on."""

    def __init__(self, paths: Paths, outlook: Callable[[], Outlook]) -> None:
        self._paths, self._outlook = paths, outlook
        self._due = 0.0

    def look(self) -> None:
        """Write if it is time and somebody looks on. Costs next to nothing if not."""
        now = time.monotonic()
        if now < self._due:
            return
        with suppress(OSError):  # nobody looks on, or the disk is full: the crawl itself will meet that
            if time.time() - self._paths.watched.stat().st_mtime < WATCHED_FOR:
                self._write()
        done = time.monotonic()
        self._due = done + max(EVERY, SPARING * (done - now))

    def _write(self) -> None:
        new = unfinished(self._paths.outlook)
        new.write_bytes(msgspec.json.encode(self._outlook(), enc_hook=str))
        new.replace(self._paths.outlook)

    def close(self) -> None:
        """The run is over: what was written is true no more."""
        with suppress(OSError):
            self._paths.outlook.unlink(missing_ok=True)
            self._paths.watched.unlink(missing_ok=True)


def earliest(times: Mapping[Host, Millis], most: int) -> dict[Host, Millis]:
    """The hosts that open first, in their order."""
    return dict(nsmallest(most, times.items(), key=lambda item: (item[1], item[0])))


def looked_at(paths: Paths) -> Outlook | None:
    """What the crawling process told last, and say that somebody looks on; None if it told nothing of late.

    It tells from the next second on. Where nothing may be written, it is told only if somebody else looks on too.
    """
    with suppress(OSError):
        _touch(paths)
    try:
        found = from_json(paths.outlook.read_bytes(), Outlook)
    except (OSError, msgspec.DecodeError):
        return None
    return found if time.time() * 1000 - found.written < WATCHED_FOR * 1000 else None


def _touch(paths: Paths) -> None:
    try:
        if time.time() - paths.watched.stat().st_mtime < TOUCHED_EVERY:
            return
        os.utime(paths.watched)
    except FileNotFoundError:
        paths.watched.touch()
