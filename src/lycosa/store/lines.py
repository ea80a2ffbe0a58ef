"""A file of records, one a line as JSON, that grows at its end and outlives a writer that is killed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from lycosa.model.errors import FolderError
from lycosa.model.records import Record
from lycosa.store.database import folder_errors

Line = TypeVar("Line", bound=Record)
_encode = msgspec.json.Encoder().encode


class Lines(Generic[Line]):
    """Records of one kind. One process writes, any may read.

    Invariants, each the name of a test:

    * torn lines: what a killed process left half written is dropped by the next that writes, and never read.
    """

    def __init__(self, path: Path, decode: Callable[[bytes], Line], what: str) -> None:
        """`what` a line should be is said of one that is not. Raises `FolderError` for a file that cannot be read."""
        self.path = path
        with folder_errors(path):
            held = path.read_bytes() if path.exists() else b""
        self._whole = held.rfind(b"\n") + 1
        try:
            self.held = [decode(line) for line in held[: self._whole].splitlines()]
            """Those that were there when it was opened."""
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise FolderError(f"{path}: a line is no {what} ({error}); take it out") from None

    def add(self, line: Line, *, durable: bool = False) -> None:
        """Add a line, handed to the operating system when this returns; if `durable`, on disk. Raises `FolderError`."""
        written = _encode(line) + b"\n"
        with folder_errors(self.path), self.path.open("ab") as file:
            file.truncate(self._whole)
            file.write(written)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        self._whole += len(written)
