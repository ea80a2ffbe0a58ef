"""The DNS history in a file, one row a line as JSON, written as it is learned."""

from __future__ import annotations

from pathlib import Path

import msgspec

from lycosa.model.errors import FolderError
from lycosa.web.http.dns_history import DnsHistory, DnsRow

_read = msgspec.json.Decoder(DnsRow).decode
_write = msgspec.json.Encoder().encode


class DnsFile:
    """Keeps a history on disk. A row that ended is written again, below; the lowest line on a row holds.

    Opening only reads: whose turn it is to write is not known before the folder's lock is held.

    Invariants, each the name of a test:

    * as learned: after `add`, a file that is read again holds the history of that moment.
    * whole lines: what a killed process left half written is dropped and told, and no line is ever joined to it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.history = DnsHistory()
        self.notes: list[str] = []
        """What has to be mended, a line each."""
        self._torn_at: int | None = None

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
        file.history = DnsHistory(file._rows(held[:whole]))
        return file

    def _rows(self, lines: bytes) -> list[DnsRow]:
        """The rows that can be read; the others are told, and left as they are."""
        kept: dict[tuple[object, ...], DnsRow] = {}
        for number, line in enumerate(lines.splitlines(), 1):
            try:
                row = _read(line)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                self.notes.append(f"{self.path}, line {number}: {error}; it is left out from now on")
            else:
                kept[row.value, row.kind, row.machine, row.entered] = row
        return list(kept.values())

    def add(self) -> None:
        """Write what the history learned since the last time. Raises `FolderError`."""
        if changes := self.history.changes():
            try:
                with self.path.open("ab") as file:
                    if self._torn_at is not None:
                        file.truncate(self._torn_at)
                    file.write(b"".join(_write(row) + b"\n" for row in changes))
                self._torn_at = None
            except OSError as error:
                raise _not_usable(self.path, error) from None


def _not_usable(path: Path, error: OSError) -> FolderError:
    return FolderError(f"{path}: cannot be read or written: {error.strerror}")
