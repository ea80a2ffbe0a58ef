"""What all views and all operations work with: the library, its crawls opened to look at, and who follows them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from lycosa.console.inert_seal import Seal
from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.library.library import Library
from lycosa.watch.hub import Hub

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import HTTPConnection

OPEN: Final = 4
"""Folders of one crawl that are kept open, for as many questions at once."""

Told = TypeVar("Told")


class Desk:
    """Asks crawls, each question in a thread of its own, with a folder that no other question uses meanwhile."""

    def __init__(self, library: Library, *, archive_origin: str = "", lab: Path | None = None) -> None:
        """`archive_origin` is the other origin, on which archived pages are shown; empty: there is none, they are
        shown as text. `lab` is the folder with experiments; None: there are none."""
        self.library, self.archive_origin, self.lab = library, archive_origin, lab
        self.seal = Seal(archive_origin)
        self.hub = Hub(library.open)
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


def desk_of(request: HTTPConnection) -> Desk:
    """The desk of the app that a request came to."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)
    return desk
