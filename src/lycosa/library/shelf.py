"""A library's crawls, opened to look at, for many questions at once."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from lycosa.crawls.answers import Status
from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.library.library import Library
from lycosa.model.errors import LycosaError
from lycosa.store.paths import is_shared
from lycosa.watch.standing import Standing, journals

OPEN: Final = 4
"""Folders of one crawl that are kept open, for as many questions at once."""

Told = TypeVar("Told")
Journals = dict[str, int]
"""Which files a crawl's journals are, by node."""


class Shelf:
    """Asks crawls, each question in a thread of its own, with a folder that no other question uses meanwhile."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._open: dict[Path, deque[tuple[Journals, Folder]]] = {}
        self._standings: dict[Path, Standing] = {}
        self._counting: dict[str, Future[Status]] = {}
        self._counters = ThreadPoolExecutor(2, "counting")

    async def asked(self, name: str, question: Callable[[Folder], Told]) -> Told:
        """What a crawl answers. Raises `LycosaError`: there is no such crawl, or it cannot answer."""
        return await asyncio.to_thread(self._asked, name, question)

    def _asked(self, name: str, question: Callable[[Folder], Told]) -> Told:
        with self.opened(name) as folder:
            return question(folder)

    @contextmanager
    def opened(self, name: str) -> Iterator[Folder]:
        """A crawl's folder, for this thread alone. Raises `FolderError`."""
        path = self.library.place(name)
        kept, there = self._open.setdefault(path, deque()), journals(path)
        folder = _kept(kept, there) or open_folder(path)
        try:
            yield folder
        except BaseException:
            folder.close()  # it may be the folder that is at fault
            raise
        # What a shared crawl's folder knows of pages that several nodes have is as of when it was opened.
        if len(kept) < OPEN and not is_shared(path):
            kept.append((there, folder))
        else:
            folder.close()

    def standing(self, name: str) -> Status:
        """How a crawl stands, or stood a moment ago: for those that ask often. Raises `LycosaError`."""
        with self.opened(name) as folder:
            return self._standings.setdefault(folder.path, Standing()).of(folder)

    def standings(self, seconds: float) -> dict[str, Status | LycosaError | None]:
        """How all crawls stand, or why that cannot be told. None of those that take longer to count than there are
        seconds: they are counted meanwhile, for whoever asks next."""
        until = time.monotonic() + seconds
        names = [place.name for place in self.library.crawls()]
        for name in names:
            if name not in self._counting:
                self._counting[name] = self._counters.submit(self.standing, name)
        return {name: self._counted(name, until) for name in names}

    def _counted(self, name: str, until: float) -> Status | LycosaError | None:
        try:
            found: Status | LycosaError = self._counting[name].result(max(0.0, until - time.monotonic()))
        except TimeoutError:
            return None
        except LycosaError as error:
            found = error
        except KeyError:  # somebody else asked at the same time, and took the answer
            return None
        self._counting.pop(name, None)
        return found

    def close(self) -> None:
        """Let go of all folders."""
        self._counters.shutdown(wait=False, cancel_futures=True)
        for kept in self._open.values():
            while kept:
                kept.pop()[1].close()


def _kept(kept: deque[tuple[Journals, Folder]], there: Journals) -> Folder | None:
    """A folder that was opened before, if it is the one that is there now."""
    with suppress(IndexError):
        while True:
            which, folder = kept.pop()
            if which == there:
                return folder
            folder.close()
    return None
