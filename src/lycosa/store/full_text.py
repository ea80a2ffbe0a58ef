"""Full-text search over a crawl's pages, in one SQLite file with FTS5."""

from __future__ import annotations

import difflib
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from heapq import nlargest
from itertools import chain, islice, zip_longest
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeVar

import msgspec
import zstandard

from lycosa.model.errors import FolderError
from lycosa.model.spaceless import spaced, unspaced
from lycosa.model.url import Url
from lycosa.scoring.words.terms import stem
from lycosa.store.database import folder_errors
from lycosa.store.extract import extract
from lycosa.store.query import match_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Steps = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

FORMAT = 2
"""Version of the tables. An index of an older version is made anew, one of a newer version is refused."""

TITLE_WEIGHT = 5.0
"""How much more a word counts in a title than in the text."""
LONGEST_TITLE: Final = 1_000
"""Characters of a title that are indexed: nobody writes longer ones for people."""

K, B = 1.2, 0.75
"""Of BM25, as FTS5 has them."""

LOOKS_LIKE = 0.75
"""From 0 to 1 (`difflib`): how much alike a word and one that might have been meant are at least."""

WAIT: Final = 30.0
"""Seconds for which a new index is waited for that somebody else makes at the same moment."""

SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('format', '{FORMAT}');
CREATE TABLE pages (step INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, title TEXT NOT NULL, packed BLOB NOT NULL);
CREATE VIEW contents AS SELECT step AS rowid, spaced(title) AS title, spaced(unpacked(packed)) AS text FROM pages;
CREATE VIRTUAL TABLE words USING fts5 (
    title, text, content = 'contents', content_rowid = 'rowid',
    tokenize = "porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);
"""
DROP = "DROP TABLE words; DROP VIEW contents; DROP TABLE pages; DROP TABLE meta;"

_squeeze = zstandard.ZstdCompressor(level=3, write_content_size=True).compress
_widen = zstandard.ZstdDecompressor().decompress


Entry = tuple[int, Url, str, str]
"""Step, URL, title and text of a page."""


Number = TypeVar("Number", float, "Floats")
"""One number, or many at once."""


class TextHit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One page that a query found."""

    step: int
    url: Url
    title: str
    snippet: str
    """Some words of the text around the matches, which stand between « and »."""
    rank: float
    """BM25, higher is better."""


class Vocabulary(msgspec.Struct, frozen=True, gc=False):
    """How often the phrases of a query stand on the pages of an index, or of several together."""

    pages: int = 0
    words: int = 0
    """Of all pages, titles included."""
    with_phrase: tuple[int, ...] = ()
    """How many pages each phrase stands on."""

    def __add__(self, other: Vocabulary) -> Vocabulary:
        both = zip_longest(self.with_phrase, other.with_phrase, fillvalue=0)
        return Vocabulary(
            self.pages + other.pages, self.words + other.words, tuple(one + more for one, more in both)
        )

    def idf(self, phrase: int) -> float:
        """Of the phrase at this place, as FTS5 has it: at least 10⁻⁶."""
        n = self.with_phrase[phrase]
        idf = log((self.pages - n + 0.5) / (n + 0.5))
        return idf if idf > 0 else 1e-6

    def _damping(self, length: Number) -> Number:
        return K * (1 - B + B * length * self.pages / self.words)

    def part(self, often: Number, length: Number) -> Number:
        """A phrase's part of BM25, idf apart, on a page of so many words."""
        return often * (K + 1) / (often + self._damping(length))

    def often(self, part: Number, length: Number) -> Number:
        """How often a phrase stands on a page: the inverse of `part`."""
        return part * self._damping(length) / (K + 1 - part)


def _use_wal(connection: sqlite3.Connection) -> None:
    """Let readers and a writer work side by side. A file becomes so once; whoever asks meanwhile is told that it is
    locked at once, without the wait that SQLite keeps elsewhere."""
    give_up = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
        time.sleep(0.005)


class TextIndex:
    """The texts of pages and an index of their words (Porter's stems, letters without their accents; signs where a
    script has no blanks between words).

    Pages are added in the order of their steps. A page fetched again takes the place of the one before. After a crash,
    begin again after `last_step`: the index can always be built anew from the archive.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        if read_only and not path.exists():
            raise FolderError(
                f"{path}: no full-text index here yet; run a search or resume the crawl to build it"
            )
        with index_errors(path):
            if not read_only:
                path.parent.mkdir(parents=True, exist_ok=True)
            # Where nothing may be written, nobody can be writing, and there is no place for WAL's index file.
            writable = os.access(path.parent, os.W_OK)
            options = "?mode=rwc" if not read_only else "?mode=rw" if writable else "?mode=ro&immutable=1"
            self._connection = sqlite3.connect(
                path.resolve().as_uri() + options, uri=True, isolation_level=None, check_same_thread=False
            )
            try:
                self._connection.create_function("unpacked", 1, _unpacked, deterministic=True)
                self._connection.create_function("spaced", 1, spaced, deterministic=True)
                self._connection.create_function("extracted", 1, extract, deterministic=True)
                if not read_only:
                    self._make()
                self._check()
            except BaseException:
                self._connection.close()
                raise

    def _make(self) -> None:
        _use_wal(self._connection)
        self._connection.execute("PRAGMA synchronous=NORMAL")
        if (self._format() or 0) < FORMAT:
            self._connection.execute("BEGIN IMMEDIATE")
            found = self._format()  # another process may have made them meanwhile
            old = DROP if found is not None else ""
            for statement in _statements(old + SCHEMA) if (found or 0) < FORMAT else ():
                self._connection.execute(statement)
            self._connection.execute("COMMIT")

    def _format(self) -> int | None:
        """The version of the tables, None if there are none yet."""
        if not self._connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
            return None
        (found,) = self._connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
        return int(found)

    def _check(self) -> None:
        if (found := self._format()) != FORMAT:
            what = (
                "use a newer lycosa" if (found or 0) > FORMAT else "it is made anew where it may be written"
            )
            raise FolderError(
                f"{self.path}: a text index of format {found}, this lycosa uses {FORMAT}; {what}"
            )

    # -- filling -------------------------------------------------------------------------------

    @property
    def last_step(self) -> int:
        """The step of the last page added, 0 if there is none."""
        with index_errors(self.path):
            (found,) = self._connection.execute("SELECT max(step) FROM pages").fetchone()
        return found or 0

    def note_reader(self, name: str) -> None:
        """Note what reads the texts that are added from now on."""
        with index_errors(self.path):
            found = name if not self.last_step else self.read_by
            self._connection.execute(
                "INSERT OR REPLACE INTO meta VALUES ('read by', ?)", (name if found == name else "",)
            )

    @property
    def read_by(self) -> str:
        """What read all the texts; empty if they are of several readers, or that was not noted."""
        with index_errors(self.path):
            found = self._connection.execute("SELECT value FROM meta WHERE key = 'read by'").fetchone()
        return found[0] if found else ""

    def add(self, pages: Iterable[Entry]) -> None:
        """Index pages in one transaction: some hundreds at once go fastest.

        A step that is in the index already is passed over.
        """
        connection = self._connection
        with index_errors(self.path):
            connection.execute("BEGIN IMMEDIATE")
            try:
                for page in pages:
                    self._add(*page)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def _add(self, step: int, url: Url, title: str, text: str) -> None:
        title, text = storable(title[:LONGEST_TITLE]), storable(text)
        self._replace(url, step)
        kept = self._connection.execute(
            "INSERT OR IGNORE INTO pages VALUES (?, ?, ?, ?)", (step, url, title, _squeeze(text.encode()))
        )
        if kept.rowcount:
            self._connection.execute(
                "INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)", (step, spaced(title), spaced(text))
            )

    def _replace(self, url: Url, step: int) -> None:
        before = self._connection.execute(
            "SELECT step, title, packed FROM pages WHERE url = ? AND step < ?", (url, step)
        ).fetchone()
        if before is not None:
            gone = (before[0], spaced(before[1]), spaced(_unpacked(before[2])))
            self._connection.execute(
                "INSERT INTO words (words, rowid, title, text) VALUES ('delete', ?, ?, ?)", gone
            )
            self._connection.execute("DELETE FROM pages WHERE step = ?", (before[0],))

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # -- asking --------------------------------------------------------------------------------

    def search(self, query: str, limit: int = 10) -> list[TextHit]:
        """The pages that fit the query, best first: see `lycosa.store.query.match_of` for how it is written.

        Raises `InputError` for a query without a word to look for, and for one that cannot be understood.
        """
        words = match_of(storable(query))
        with index_errors(self.path):
            rows = self._connection.execute(
                "SELECT pages.step, pages.url, pages.title, extracted(highlight(words, 1, '«', '»')), "
                "-bm25(words, ?, 1.0) FROM words JOIN pages ON pages.step = words.rowid "
                "WHERE words MATCH ? ORDER BY bm25(words, ?, 1.0), pages.step LIMIT ?",
                (TITLE_WEIGHT, words, TITLE_WEIGHT, limit),
            ).fetchall()
        return [
            TextHit(step=s, url=u, title=t, snippet=unspaced(words), rank=rank)
            for s, u, t, words, rank in rows
        ]

    def ranked(self, query: str, limit: int) -> list[tuple[Url, float]]:
        """The URLs that `search` finds, and their ranks: what costs in an answer is to cut its words from the text."""
        words = match_of(storable(query))
        with index_errors(self.path):
            return self._connection.execute(
                "SELECT pages.url, -bm25(words, ?, 1.0) FROM words JOIN pages ON pages.step = words.rowid "
                "WHERE words MATCH ? ORDER BY bm25(words, ?, 1.0), pages.step LIMIT ?",
                (TITLE_WEIGHT, words, TITLE_WEIGHT, limit),
            ).fetchall()

    def vocabulary(self, phrases: Sequence[str]) -> Vocabulary:
        """How often phrases stand on the pages."""
        with index_errors(self.path):
            (block,) = self._connection.execute("SELECT block FROM words_data WHERE id = 1").fetchone()
            pages, *words = [*_numbers(block), 0, 0, 0][:3]
            with_phrase = (
                self._connection.execute(
                    "SELECT count(*) FROM words WHERE words MATCH ?", (phrase,)
                ).fetchone()
                for phrase in phrases
            )
            return Vocabulary(pages, sum(words), tuple(found for (found,) in with_phrase))

    def ranked_by(
        self, expression: str, phrases: Sequence[str], whole: Vocabulary, limit: int
    ) -> list[tuple[int, float]]:
        """The steps of the pages that fit an expression, and their ranks by the words of several indexes together:

            rank(d) = Σ_p idf(p) · f (k + 1) / (f + k (1 - b + b |d| / mean |d|)),
            idf(p) = ln((N - n(p) + ½) / (n(p) + ½)), at least 10⁻⁶

        with N, n and the mean of `whole`. How often f a phrase stands on a page is taken from its rank in this index,
        so titles count as they do in `search`.
        """
        here = self.vocabulary(phrases)
        ranks: dict[int, float] = {}
        with index_errors(self.path):
            for place, phrase in enumerate(phrases):
                rows = self._connection.execute(
                    "SELECT words.rowid, -bm25(words, ?, 1.0), sz FROM words JOIN words_docsize ON id = words.rowid "
                    "WHERE words MATCH ? AND +words.rowid IN (SELECT rowid FROM words WHERE words MATCH ?)",
                    (TITLE_WEIGHT, phrase, expression),
                )
                for step, rank, size in rows:
                    length = sum(_numbers(size))
                    often = here.often(rank / here.idf(place), length)
                    ranks[step] = ranks.get(step, 0.0) + whole.idf(place) * whole.part(often, length)
        return nlargest(limit, ranks.items(), key=lambda found: (found[1], -found[0]))

    def postings(self, phrase: str) -> tuple[Steps, Floats]:
        """The steps of the pages on which a phrase stands, ascending, and its part of BM25 there, idf and all.

        `Vocabulary.idf` of this index and of one phrase, and the page's length, tell how often it stands there.
        """
        import numpy as np

        with index_errors(self.path):
            rows = self._connection.execute(
                "SELECT rowid, -bm25(words, ?, 1.0) FROM words WHERE words MATCH ? ORDER BY rowid",
                (TITLE_WEIGHT, phrase),
            )
            found = np.fromiter(chain.from_iterable(rows), np.float64).reshape(-1, 2)
        return found[:, 0].astype(np.int64), found[:, 1]

    def lengths(self, since: int = 0) -> tuple[Steps, Floats]:
        """The pages that were added after a step, ascending, and how many words each has, its title's too."""
        import numpy as np

        with index_errors(self.path):
            rows = self._connection.execute(
                "SELECT id, sz FROM words_docsize WHERE id > ? ORDER BY id", (since,)
            ).fetchall()
        steps = np.fromiter((step for step, _ in rows), np.int64, len(rows))
        return steps, np.fromiter((sum(_numbers(size)) for _, size in rows), np.float64, len(rows))

    def similar(self, word: str, most: int = 3) -> list[str]:
        """Words that look like one and stand on at least two pages: those that look most like it first.

        They begin with the same two letters. The index knows stems only: each is told as some page has it.
        """
        wanted = stem(word.lower())
        first = wanted[:2]
        with index_errors(self.path):
            self._connection.execute(
                "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')"
            )
            rows = self._connection.execute(
                "SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND doc >= 2 "
                "AND length(term) BETWEEN ? AND ?",
                (first, first + "\U0010ffff", len(wanted) - 2, len(wanted) + 2),
            )
            close = difflib.get_close_matches(wanted, [term for (term,) in rows], n=most, cutoff=LOOKS_LIKE)
            return list(dict.fromkeys(filter(None, map(self._as_written, close))))

    def _as_written(self, term: str) -> str:
        """How some page writes a stem; empty where its own stem is another one."""
        found = self._connection.execute(
            "SELECT highlight(words, 1, '«', '»') || ' ' || highlight(words, 0, '«', '»') FROM words "
            "WHERE words MATCH ? LIMIT 1",
            (f'"{term}"',),
        ).fetchone()
        marked = re.search("«([^»]*)»", found[0]) if found else None
        return unspaced(marked[1]).lower() if marked else ""

    def hit(self, step: int, expression: str, rank: float) -> TextHit | None:
        """A page that an expression found, with its words; None if it is not in the index any more."""
        with index_errors(self.path):
            found = self._connection.execute(
                "SELECT pages.url, pages.title, extracted(highlight(words, 1, '«', '»')) "
                "FROM words JOIN pages ON pages.step = words.rowid WHERE words MATCH ? AND words.rowid = ?",
                (expression, step),
            ).fetchone()
        if found is None:
            return None
        url, title, snippet = found
        return TextHit(step=step, url=url, title=title, snippet=unspaced(snippet), rank=rank)

    def beginning(self, step: int, most: int) -> TextHit | None:
        """A page, with its first characters; None if it is not in the index."""
        found = self._connection.execute(
            "SELECT url, title, packed FROM pages WHERE step = ?", (step,)
        ).fetchone()
        if found is None:
            return None
        url, title, packed = found
        text = " ".join(_unpacked(packed)[: 4 * most].split())
        return TextHit(step=step, url=url, title=title, snippet=text[:most], rank=0.0)

    def text_of(self, step: int) -> str | None:
        """The text of a page, None if it is not in the index (any more)."""
        with index_errors(self.path):
            found = self._connection.execute("SELECT packed FROM pages WHERE step = ?", (step,)).fetchone()
            return _unpacked(found[0]) if found else None

    def pages_since(self, step: int, apart: int = 1) -> Iterator[tuple[int, str, str]]:
        """Step, title and text of each page after a step, in order; of so many in a row only the first."""
        rows = self._connection.execute(
            "SELECT step, title, packed FROM pages WHERE step > ? ORDER BY step", (step,)
        )
        return ((at, title, _unpacked(packed)) for at, title, packed in islice(rows, 0, None, apart))

    def texts(self, steps: Iterable[int]) -> dict[int, str]:
        """The texts of several pages, for exports; steps that are not in the index are left out."""
        wanted = list(steps)
        marks = ", ".join("?" * len(wanted))
        rows = self._connection.execute(f"SELECT step, packed FROM pages WHERE step IN ({marks})", wanted)
        return {step: _unpacked(packed) for step, packed in rows}

    def __len__(self) -> int:
        (count,) = self._connection.execute("SELECT count(*) FROM pages").fetchone()
        return int(count)


def remove_index(path: Path) -> None:
    """Take an index away with SQLite's own files: it can be built anew from the archive."""
    for file in (path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))):
        file.unlink(missing_ok=True)


class DamagedIndex(FolderError):
    """The index is not as it was written. It can be built anew from the archive."""

    def __init__(self, path: Path, what: object) -> None:
        super().__init__(f"{path}: the index is damaged ({what}); delete it, it is built anew")


@contextmanager
def index_errors(path: Path) -> Iterator[None]:
    """Say in one line what is wrong with the index, and what to do."""
    try:
        with folder_errors(path):
            yield
    except FolderError as error:
        name = getattr(error.__cause__, "sqlite_errorname", "")
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")):
            raise DamagedIndex(path, error.__cause__) from error
        raise
    except (zstandard.ZstdError, UnicodeDecodeError) as error:
        raise DamagedIndex(path, error) from error


def storable(text: str) -> str:
    """Without what SQLite or UTF-8 cannot hold: zero characters and halves of surrogate pairs."""
    if "\0" in text:
        text = text.replace("\0", " ")
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _numbers(packed: bytes) -> list[int]:
    """The whole numbers of a record of FTS5, of 7 bits a byte, the higher first (9 bytes hold 64 bits).

    >>> _numbers(bytes([5, 0x81, 0x00]))
    [5, 128]
    """
    found, number, length = [], 0, 0
    for byte in packed:
        length += 1
        if length == 9:
            number, byte = number << 8 | byte, 0
        else:
            number = number << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(number)
            number, length = 0, 0
    return found


def _statements(script: str) -> list[str]:
    """The statements of a script, so that they can be run within a transaction."""
    return [statement for statement in script.split(";") if statement.strip()]


def _unpacked(packed: bytes) -> str:
    return _widen(packed).decode()
