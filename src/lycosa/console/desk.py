"""What all views and all operations work with: the library, its crawls opened to look at, and who follows them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lycosa.console.inert_seal import Seal
from lycosa.library.library import Library
from lycosa.library.shelf import Shelf
from lycosa.watch.hub import Hub

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection


class Desk(Shelf):
    """The crawls to look at, and what pages need besides."""

    def __init__(self, library: Library, *, archive_origin: str = "", lab: Path | None = None) -> None:
        """`archive_origin` is the other origin, on which archived pages are shown; empty: there is none, they are
        shown as text. `lab` is the folder with experiments; None: there are none."""
        super().__init__(library)
        self.archive_origin, self.lab = archive_origin, lab
        self.seal = Seal(archive_origin)
        self.hub = Hub(library.open)


def desk_of(request: HTTPConnection) -> Desk:
    """The desk of the app that a request came to."""
    desk = request.app.state.desk
    assert isinstance(desk, Desk)
    return desk
