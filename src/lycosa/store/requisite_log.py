"""What became of what pages show, one a line: so that nothing is asked for twice, and it can be counted."""

from __future__ import annotations

from pathlib import Path

from lycosa.model.decoding import json_reader
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.store.lines import Lines


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


class RequisiteLog:
    """A file of requisites, as `Lines` are."""

    def __init__(self, path: Path) -> None:
        """Raises `FolderError` for a file that cannot be read."""
        self.path = path
        self._lines = Lines(path, _decode, "requisite")
        self.pages = {each.url for each in self._lines.held if each.page}
        """Whose requisites were all asked for."""
        self._asked = {each.url: each for each in self._lines.held if not each.page}

    def __contains__(self, url: Url) -> bool:
        """Whether a requisite was asked for."""
        return url in self._asked

    def get(self, url: Url) -> Fetched | None:
        return self._asked.get(url)

    def note(self, fetched: Fetched) -> None:
        """Add a line, handed to the operating system when this returns. Raises `FolderError`."""
        self._lines.add(fetched)
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
