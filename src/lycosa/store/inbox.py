"""What people say of a crawl's pages, on its way to the process that crawls."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from lycosa.model.errors import FolderError
from lycosa.model.events import Marked
from lycosa.model.url import Url
from lycosa.store.database import folder_errors

_read = msgspec.json.Decoder(Marked).decode
_write = msgspec.json.Encoder().encode


class Inbox:
    """A file of marks, one a line as JSON, that any process may add to and one reads while it crawls.

    The journal has one writer, so marks cannot go there at once. Each has a number, which the crawl writes into the
    journal with the step that takes it in: so the journal itself tells which are still to come, and nothing is ever
    removed here.

    Invariants, each the name of a test:

    * numbers rise: whoever adds, and however many do so at once.
    * whole lines: what a killed process left half written is dropped by the next to add, and never read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen = 0  # bytes that were read

    def add(self, urls: Sequence[Url], good: bool | None, *, after: int) -> list[Marked]:
        """Add a mark for each of the URLs, durable when this returns; `after` is the last number in the journal.

        Raises `FolderError` for a folder that may not be written to.
        """
        with folder_errors(self.path), self.path.open("ab+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            held = file.read()
            whole = held.rfind(b"\n") + 1
            file.truncate(whole)
            first = 1 + max((mark.number for mark in self._marks(held[:whole])), default=0)
            first = max(first, after + 1)
            marks = [Marked(url=url, good=good, number=first + n) for n, url in enumerate(urls)]
            file.write(b"".join(_write(mark) + b"\n" for mark in marks))
            file.flush()
            os.fsync(file.fileno())
        return marks

    @property
    def has_grown(self) -> bool:
        """Whether something came since `news` was asked for last. Costs one look at the file's size."""
        try:
            return self.path.stat().st_size != self._seen
        except FileNotFoundError:
            return False

    def news(self, after: int) -> list[Marked]:
        """The marks with a higher number that came since this was asked last, in their order."""
        if not self.has_grown:
            return []
        with folder_errors(self.path), self.path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < self._seen:  # somebody wrote it anew
                self._seen = 0
            file.seek(self._seen)
            held = file.read()
        whole = held.rfind(b"\n") + 1
        self._seen += whole
        return [mark for mark in self._marks(held[:whole]) if mark.number > after]

    def _marks(self, lines: bytes) -> list[Marked]:
        try:
            return [_read(line) for line in lines.splitlines()]
        except msgspec.MsgspecError as error:
            raise FolderError(f"{self.path}: a line is no mark ({error}); take it out") from None
