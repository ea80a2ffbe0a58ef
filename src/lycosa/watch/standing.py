"""How a crawl stands, for faces that ask often: counted anew only if something changed, and not all the time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from lycosa.crawls.answers import Status
from lycosa.crawls.interface import Folder
from lycosa.model.errors import FolderError
from lycosa.store.paths import crawlers_in

SHARE: Final = 20
"""How a crawl that runs stands is counted anew after as many times the seconds that it took."""


class Standing:
    """Of one crawl.

    Invariants, each the name of a test:

    * nothing twice: a crawl that nothing happened to is not counted again.
    * a share of the time: one that runs is counted for a twentieth of the time at most, however often it is asked.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last: Status | None = None
        self._of: tuple[str, int | None] = ("", None)
        self._at, self._took = 0.0, 0.0

    def counted(self, folder: Folder, token: str, *, now: bool = False) -> Status | None:
        """How the crawl stands at a token, if something changed and it is time to count again, or it must be `now`."""
        state = (token, process := folder.process)
        began = self._clock()
        waits = began - self._at < SHARE * self._took and process is not None
        if self._last is not None and not now and (state == self._of or waits):
            return None
        status = self._last = folder.status()
        self._of, self._at = state, self._clock()
        self._took = self._at - began
        return status

    def of(self, folder: Folder) -> Status:
        """How the crawl stands, or stood a moment ago."""
        with self._lock:
            self.counted(folder, folder.token())
            assert self._last is not None
            return self._last


def journals(path: Path) -> dict[str, int]:
    """Which files a crawl's journals are. Raises `FolderError` if there are none."""
    try:
        found = {one.folder.name: one.journal.stat().st_ino for one in crawlers_in(path)}
    except OSError:
        found = {}
    if not found:
        raise FolderError(f"{path}: the crawl's folder is gone")
    return found
