"""The DNS history in a file, one fact a line as JSON, written as it is learned."""

from __future__ import annotations

from collections.abc import Iterator
from os import SEEK_END
from pathlib import Path

import msgspec

from lycosa.model.decoding import json_reader
from lycosa.model.errors import FolderError
from lycosa.web.http.dns_history import DnsFact, DnsHistory, DnsRow, facts_of

_fact = json_reader(DnsFact)
_row = json_reader(DnsRow)
_write = msgspec.json.Encoder().encode


class DnsFile:
    """Keeps a history on disk. Lines are only ever added, one for each new answer of a name.

    Opening only reads: whose turn it is to write is not known before the folder's lock is held. Folders of before
    have lines of rows instead, the lowest of which holds: these stay, and are read as the facts they speak of.

    Invariants, each the name of a test:

    * as learned: after `add`, a file that is read again holds the history of that moment.
    * grows by facts only: the same answer again adds nothing, also after the file was read again.
    * whole lines: what a killed process left half written is dropped and told, no line is ever joined to it, and what
      is lost is the facts that were being written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.history = DnsHistory()
        self.notes: list[str] = []
        """What has to be mended, a line each."""
        self._torn_at: int | None = None
        self._waiting = b""

    @classmethod
    def open(cls, path: Path) -> DnsFile:
        """The history that a file holds, an empty one if there is no file. Raises `FolderError`."""
        file = cls(path)
        try:
            held = path.read_bytes() if path.exists() else b""
        except OSError as error:
            raise _not_usable(path, error) from None
        whole = held.rfind(b"\n") + 1
        if whole < len(held):
            file._torn_at = whole
            file.notes.append(f"{path.name}: the last line was torn and was dropped")
        rows: dict[tuple[object, ...], DnsRow] = {}
        facts = []
        for line in file._lines(held[:whole]):
            if isinstance(line, DnsFact):
                facts.append(line)
            else:
                rows[line.value, line.kind, line.machine, line.entered] = line
        file.history = DnsHistory([*facts_of(list(rows.values())), *facts])
        return file

    def _lines(self, held: bytes) -> Iterator[DnsFact | DnsRow]:
        """The lines that can be read; the others are told, and left as they are."""
        for number, line in enumerate(held.splitlines(), 1):
            try:
                yield _row(line) if b'"kind"' in line else _fact(line)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                self.notes.append(f"{self.path}, line {number}: {error}; it is left out from now on")

    def add(self) -> None:
        """Write what the history learned since the last time. Raises `FolderError`; what could not be written is
        written the next time."""
        self._waiting += b"".join(_write(fact) + b"\n" for fact in self.history.news())
        if not self._waiting:
            return
        try:
            with self.path.open("ab") as file:
                if self._torn_at is not None:
                    file.truncate(self._torn_at)
                self._torn_at = file.seek(0, SEEK_END)  # until all of it is there
                file.write(self._waiting)
        except OSError as error:
            raise _not_usable(self.path, error) from None
        self._torn_at, self._waiting = None, b""


def _not_usable(path: Path, error: OSError) -> FolderError:
    return FolderError(f"{path}: cannot be read or written: {error.strerror}")
