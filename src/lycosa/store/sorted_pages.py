"""Where in a taxonomy or an ontology the pages of a crawl belong, kept beside its full-text index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from lycosa.model.decoding import from_json
from lycosa.store.database import folder_errors

_SCHEMA = """
CREATE TABLE IF NOT EXISTS sorted (step INTEGER PRIMARY KEY, category TEXT, concepts TEXT NOT NULL);
"""


class SortedPage(NamedTuple):
    """What a page is about."""

    step: int
    category: str | None
    """Its most probable leaf in the taxonomy; None without one."""
    concepts: tuple[str, ...] = ()
    """Those of the ontology that it mentions, and what is above them."""


class SortedPages:
    """A small SQLite file, opened for each question: it can always be made anew from the full-text index."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, pages: Iterable[SortedPage]) -> None:
        """Keep some; a step that is there already is passed over."""
        rows = [(page.step, page.category, msgspec.json.encode(page.concepts).decode()) for page in pages]
        with folder_errors(self.path), closing(sqlite3.connect(self.path)) as connection, connection:
            connection.executescript(_SCHEMA)
            connection.executemany("INSERT OR IGNORE INTO sorted VALUES (?, ?, ?)", rows)

    def since(self, step: int) -> list[SortedPage]:
        """Those of later steps, in order."""
        if not self.path.exists():
            return []
        with folder_errors(self.path), closing(sqlite3.connect(self._to_read(), uri=True)) as connection:
            rows = connection.execute("SELECT * FROM sorted WHERE step > ? ORDER BY step", (step,))
            return [
                SortedPage(at, category, from_json(concepts, tuple[str, ...]))
                for at, category, concepts in rows
            ]

    @property
    def last_step(self) -> int:
        """The last that was kept, 0 if none was."""
        if not self.path.exists():
            return 0
        with folder_errors(self.path), closing(sqlite3.connect(self._to_read(), uri=True)) as connection:
            (found,) = connection.execute("SELECT max(step) FROM sorted").fetchone()
            return found or 0

    def _to_read(self) -> str:
        return f"{self.path.resolve().as_uri()}?mode=ro"
