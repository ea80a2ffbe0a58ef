"""What somebody outside says to a crawl, on its way to the process that crawls."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from lycosa.model.decoding import json_reader
from lycosa.model.errors import FolderError
from lycosa.model.events import Asked, Blocked, HandedOff, Marked, Operated, Said, Searched, Told
from lycosa.store.database import folder_errors

Kind = TypeVar("Kind", bound=Marked | HandedOff | Operated | Asked | Told | Searched | Blocked)

_decode = json_reader(Said)
_encode = msgspec.json.Encoder().encode


class Inbox:
    """A file of what was said, one thing a line as JSON, that any process may add to and one reads while it crawls.

    The journal has one writer, so nothing can go there at once. All that is said has a number, which the crawl writes
    into the journal with the step that takes it in: so the journal itself tells what is still to come, and nothing is
    ever removed here. Who may write to the file may speak to the crawl: another user, another container.

    Invariants, each the name of a test:

    * numbers rise: whoever adds, and however many do so at once.
    * whole lines: what a killed process left half written is dropped by the next to add, and never read.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._name = path, str(path)
        self._seen = 0  # bytes that were read

    def add(self, said: Sequence[Kind], *, after: int) -> list[Kind]:
        """Add them, durable when this returns, and give them as numbered; `after` is the last number in the journal.

        Raises `FolderError` for a folder that may not be written to.
        """
        with folder_errors(self.path), self.path.open("ab+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            held = file.read()
            whole = held.rfind(b"\n") + 1
            file.truncate(whole)
            first = 1 + max((each.number for each in self._read(held[:whole])), default=0)
            first = max(first, after + 1)
            numbered = [msgspec.structs.replace(each, number=first + n) for n, each in enumerate(said)]
            file.write(b"".join(_encode(each) + b"\n" for each in numbered))
            file.flush()
            os.fsync(file.fileno())
        return numbered

    @property
    def has_grown(self) -> bool:
        """Whether something came since `news` was asked for last. Costs one look at the file's size.

        It is asked before each lease, and to most crawls nobody says anything: an exception would take longer than the
        look.
        """
        if not os.access(self._name, os.F_OK):
            return False
        try:
            return self.path.stat().st_size != self._seen
        except FileNotFoundError:
            return False

    def news(self, after: int) -> list[Said]:
        """What has a higher number and came since this was asked last, in its order."""
        if not self.has_grown:
            return []
        with folder_errors(self.path), self.path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < self._seen:  # somebody wrote it anew
                self._seen = 0
            file.seek(self._seen)
            held = file.read()
        whole = held.rfind(b"\n") + 1
        self._seen += whole
        return [each for each in self._read(held[:whole]) if each.number > after]

    def _read(self, lines: bytes) -> list[Said]:
        try:
            return [_decode(line) for line in lines.splitlines()]
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise FolderError(
                f"{self.path}: a line is not what a crawl is told ({error}); take it out"
            ) from None
