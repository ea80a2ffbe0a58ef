"""Pages that earlier searches found, kept for later ones: one SQLite file with one table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from lycosa.crawl.inputs import KnownPage
from lycosa.model.errors import FolderError
from lycosa.model.records import Record
from lycosa.model.url import Url
from lycosa.store.database import folder_errors

MARK = 0x6C796364
"""SQLite's application id of such a file: `lycd`."""

FORMAT = 1

SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE pages (
    url TEXT NOT NULL,
    score REAL NOT NULL,      -- in [0, 1], as the classifier had it
    label INTEGER NOT NULL,   -- 1: of the topic
    community TEXT NOT NULL,  -- the topic of the search that found it
    PRIMARY KEY (url, community)
) WITHOUT ROWID;
PRAGMA application_id = {MARK};
PRAGMA user_version = {FORMAT};
COMMIT;
"""


class Community(Record, frozen=True, kw_only=True):
    """The pages found for one topic."""

    name: str
    pages: int
    members: int
    """Those labelled as of the topic."""
    best: float
    """The highest score."""


class KnownPages:
    """A page database. Open it, close it, or use it in a `with`; several crawls may be put in, of several topics.

    Invariants, each the name of a test:

    * last judgement counts: a page put in again for the same community replaces the one before.
    * all or nothing: what is put in together is in together, whatever happens meanwhile.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path, self._connection = path, connection

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> Self:
        """Raises `FolderError` for what is no page database, or, to be read only, for what is not there."""
        if read_only and not path.is_file():
            raise FolderError(f"{path}: no page database here; `lycosa database update` makes one")
        with folder_errors(path):
            try:
                mode = "ro" if read_only else "rwc"
                connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True)
                tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
                if not tables and not read_only:
                    connection.executescript(SCHEMA)
                (mark,) = connection.execute("PRAGMA application_id").fetchone()
                (version,) = connection.execute("PRAGMA user_version").fetchone()
            except sqlite3.DatabaseError as error:
                raise FolderError(f"{path}: no page database: {error}; choose another file") from None
        if mark != MARK or version > FORMAT:
            connection.close()
            raise FolderError(f"{path}: no page database, or one of a newer lycosa; choose another file")
        return cls(path, connection)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def put(self, pages: Iterable[KnownPage]) -> None:
        rows = [(page.url, page.score, int(page.label), page.community) for page in pages]
        with folder_errors(self._path), self._connection:
            self._connection.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?)", rows)

    def best(self, community: str, limit: int) -> list[KnownPage]:
        """The members of a community, best first, of equals by URL."""
        rows = self._connection.execute(
            "SELECT url, score, label, community FROM pages WHERE community = ? AND label "
            "ORDER BY score DESC, url LIMIT ?",
            (community, limit),
        )
        return [
            KnownPage(url=Url(url), score=score, label=bool(label), community=name)
            for url, score, label, name in rows
        ]

    def communities(self) -> list[Community]:
        """All topics with their counts, by name."""
        rows = self._connection.execute(
            "SELECT community, count(*), sum(label), max(score) FROM pages GROUP BY community ORDER BY community"
        )
        return [Community(name=name, pages=n, members=members, best=best) for name, n, members, best in rows]
