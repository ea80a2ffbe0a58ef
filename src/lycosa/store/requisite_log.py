"""What became of what pages show, one a line: so that nothing is asked for twice, and it can be counted."""

from __future__ import annotations

from pathlib import Path

import msgspec

from lycosa.model.decoding import json_reader
from lycosa.model.errors import FolderError
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.store.database import folder_errors


class Fetched(Record, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One requisite that was asked for, or, with a `page`, word that all of that page were."""

    url: Url
    page: bool = False
    status: int = 0
    """0: there was no answer."""
    bytes: int = 0
    why: str = ""
    """Why there was none."""


_decode = json_reader(Fetched)
_encode = msgspec.json.Encoder().encode


class RequisiteLog:
    """A file of requisites, one a line as JSON. One process writes, any may read.

    Invariants, each the name of a test:

    * torn lines: what a killed process left half written is dropped by the next that writes, and never read.
    """

    def __init__(self, path: Path) -> None:
        """Raises `FolderError` for a file that cannot be read."""
        self.path = path
        with folder_errors(path):
            held = path.read_bytes() if path.exists() else b""
        self._whole = held.rfind(b"\n") + 1
        try:
            lines = [_decode(line) for line in held[: self._whole].splitlines()]
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise FolderError(f"{path}: a line is no requisite ({error}); take it out") from None
        self.pages = {each.url for each in lines if each.page}
        """Whose requisites were all asked for."""
        self._asked = {each.url: each for each in lines if not each.page}

    def __contains__(self, url: Url) -> bool:
        """Whether a requisite was asked for."""
        return url in self._asked

    def get(self, url: Url) -> Fetched | None:
        return self._asked.get(url)

    def note(self, fetched: Fetched) -> None:
        """Add a line, handed to the operating system when this returns. Raises `FolderError`."""
        line = _encode(fetched) + b"\n"
        with folder_errors(self.path), self.path.open("ab") as file:
            file.truncate(self._whole)
            file.write(line)
        self._whole += len(line)
        if fetched.page:
            self.pages.add(fetched.url)
        else:
            self._asked[fetched.url] = fetched

    def counts(self) -> dict[str, int]:
        """How many were fetched and were not to be had, their bytes, and of how many pages all were asked for."""
        came = [each for each in self._asked.values() if 200 <= each.status < 300]
        moved = sum(300 <= each.status < 400 for each in self._asked.values())
        return {
            "fetched": len(came),
            "missing": len(self._asked) - len(came) - moved,
            "bytes": sum(each.bytes for each in came),
            "pages": len(self.pages),
        }
