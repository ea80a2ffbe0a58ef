"""What was read of the papers of a crawl, in one SQLite file, so that no PDF is read twice for that."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from lycosa.model.errors import FolderError
from lycosa.model.url import Url
from lycosa.store.full_text import index_errors

FORMAT = 1
"""Version of the tables."""
SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE manuscripts (
    step INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, digest TEXT NOT NULL, packed BLOB NOT NULL
);
CREATE INDEX manuscripts_digest ON manuscripts (digest);
"""


class Kept(NamedTuple):
    """What was read of one page."""

    step: int
    url: Url
    digest: str
    packed: bytes


class Manuscripts:
    """What was read of pages, by their steps. A page fetched again takes the place of the one before.

    `reader` tells the version of what reads them: what another version read is thrown away, and can be read again from
    the archive, as all that is here.
    """

    def __init__(self, path: Path, reader: str, *, read_only: bool = False) -> None:
        self.path, self._version = path, f"{FORMAT} {reader}"
        with index_errors(path):
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
            writable = os.access(path.parent, os.W_OK)
            options = "?mode=rwc" if not read_only else "?mode=rw" if writable else "?mode=ro&immutable=1"
            self._connection = sqlite3.connect(
                path.resolve().as_uri() + options, uri=True, isolation_level=None, check_same_thread=False
            )
            try:
                self._make(read_only=read_only)
            except BaseException:
                self._connection.close()
                raise

    def _make(self, *, read_only: bool) -> None:
        has_tables = self._connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone()
        if has_tables and self._said("version") == self._version:
            return
        if read_only:
            raise FolderError(
                f"{self.path}: made by another version of lycosa; it is made anew where it may be written"
            )
        drop = "DROP TABLE manuscripts; DROP TABLE meta;" if has_tables else ""
        self._connection.executescript(f"BEGIN IMMEDIATE;{drop}{SCHEMA}COMMIT")
        self._say("version", self._version)

    def _said(self, key: str) -> str:
        found = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(found[0]) if found else ""

    def _say(self, key: str, value: str) -> None:
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    @property
    def last_step(self) -> int:
        """Up to which step all pages were looked at; 0 at the beginning."""
        with index_errors(self.path):
            return int(self._said("step") or 0)

    def add(self, pages: Sequence[Kept], last_step: int) -> None:
        """Keep what was read up to a step, in one transaction."""
        with index_errors(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.executemany("INSERT OR REPLACE INTO manuscripts VALUES (?, ?, ?, ?)", pages)
                self._say("step", str(max(last_step, int(self._said("step") or 0))))
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def of_digest(self, digest: str) -> bytes | None:
        """What was read of the same bytes before."""
        with index_errors(self.path):
            found = self._connection.execute(
                "SELECT packed FROM manuscripts WHERE digest = ?", (digest,)
            ).fetchone()
        return found[0] if found else None

    def __iter__(self) -> Iterator[Kept]:
        """All, in the order of the crawl."""
        with index_errors(self.path):
            found = self._connection.execute(
                "SELECT step, url, digest, packed FROM manuscripts ORDER BY step"
            )
            return iter([Kept(*row) for row in found])

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
