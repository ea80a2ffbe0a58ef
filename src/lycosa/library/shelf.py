"""A library's crawls, opened to look at, for many questions at once."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.library.library import Library

OPEN: Final = 4
"""Folders of one crawl that are kept open, for as many questions at once."""

Told = TypeVar("Told")


class Shelf:
    """Asks crawls, each question in a thread of its own, with a folder that no other question uses meanwhile."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self._open: dict[Path, deque[Folder]] = {}

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
        kept = self._open.setdefault(path, deque())
        try:
            folder = kept.pop()
        except IndexError:
            folder = open_folder(path)
        try:
            yield folder
        except BaseException:
            folder.close()  # it may be the folder that is at fault
            raise
        if len(kept) < OPEN:
            kept.append(folder)
        else:
            folder.close()

    def close(self) -> None:
        """Let go of all folders."""
        for kept in self._open.values():
            while kept:
                kept.pop().close()
