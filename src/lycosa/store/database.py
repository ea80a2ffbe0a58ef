"""One SQLite file: opening it for one writer and any readers, its format, and what to say when the disk is full."""

from __future__ import annotations

import errno
import fcntl
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lycosa.model.errors import FolderError
from lycosa.model.url import host_of
from lycosa.store import counted

FORMAT = 5
"""Version of the tables and of what is packed in them; 2 has visits that wait, and all that is said from outside; 3 has
pages that are visited again; 4 has crawls that several nodes share; 5 has
pages that a browser made, and what may be done with a page.

A folder written with a higher one is refused, not misread."""

ADDED = {
    "rank": "INTEGER",
    "due": "INTEGER",
    "etag": "TEXT",
    "last_modified": "TEXT",
    "change": "TEXT",
    "importance": "REAL",
    "divergence": "REAL",
    "new_links": "INTEGER",
    "lost_links": "INTEGER",
    "owner": "TEXT",
    "origin": "TEXT",
    "sent": "BLOB",
    "rendering": "TEXT",
    "rights": "TEXT",
}
"""Columns of `steps` that folders of earlier versions lack; their rows have none of these facts."""

IS_SAID = "kind IN ('marked', 'handed-off', 'operated', 'asked', 'told', 'searched', 'blocked')"
"""The condition of the index below: SQLite uses it for questions that have these words in them."""
SAID = f"CREATE INDEX steps_said ON steps (step) WHERE {IS_SAID}"

SHARED = (
    "CREATE INDEX IF NOT EXISTS steps_sent ON steps (step) WHERE sent IS NOT NULL",
    "CREATE INDEX IF NOT EXISTS steps_digest ON steps (digest) WHERE digest IS NOT NULL",
)
"""What the journal of a node of a shared crawl is asked besides."""

SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE steps (
    step INTEGER PRIMARY KEY,   -- from 1, without gaps
    at INTEGER NOT NULL,        -- all times and spans in milliseconds
    kind TEXT NOT NULL,         -- page, unchanged (the server said so), gone, failure, deferred, started, idled,
                                -- planned, recovered; by word from outside: marked, handed-off, operated, asked, told,
                                -- searched, blocked; of a shared crawl: received, joined, dismissed
    leased TEXT,                -- URLs leased since the step before, one a line
    url TEXT,                   -- from here on: pages and failures only
    final_url TEXT,             -- null if a page's is the URL requested, or a failure's unknown
    status INTEGER,
    reason TEXT,                -- of a failure
    detail TEXT,
    fetched_at INTEGER,
    via TEXT,                   -- the page that linked here
    anchor TEXT,
    depth INTEGER,
    score REAL,
    tier INTEGER,
    rank INTEGER,               -- better links that waited at closed hosts when it was leased, as far as counted
    attempt INTEGER,
    entered INTEGER,            -- counts the URLs that entered the frontier
    relevance REAL,             -- from here on: pages only
    title TEXT,                 -- and, with its place in the archive, of a failure that brought nothing new
    description TEXT,
    language TEXT,
    media_type TEXT,
    digest TEXT,
    fingerprint INTEGER,        -- 64 bits, as a signed number
    noindex INTEGER,
    address TEXT,               -- pages and failures again
    elapsed INTEGER,
    crawl_delay INTEGER,
    retry_after INTEGER,
    hops TEXT,                  -- URLs that redirected, one a line
    warc_file TEXT,
    warc_offset INTEGER,
    warc_length INTEGER,
    via_link BLOB,              -- msgpack: the rest of the link that led here
    event BLOB,                 -- msgpack: what other kinds of step hold
    links BLOB,                 -- zstd: the targets of the page's links in document order, one a line
    commands BLOB,              -- zstd of msgpack: what strategy and schedule answered
    due INTEGER,                -- of a revisit: when it was to be made, at the earliest
    etag TEXT,                  -- pages and unchanged ones: as received
    last_modified TEXT,
    change TEXT,                -- of a page fetched again: same, dressing (template, dates) or content
    importance REAL,            -- of the change, by blocks
    divergence REAL,            -- of the main text, by shingles
    new_links INTEGER,          -- targets that the page did not have
    lost_links INTEGER,
    owner TEXT,                 -- of a page that is another node's: that node, to which it was sent
    origin TEXT,                -- of a page that another node sent: node/life/number of the parcel
    sent BLOB,                  -- msgpack: the parcels that went to other nodes because of the step
    rendering TEXT,             -- JSON: what a browser had to do with the page, and where what it made of it lies
    rights TEXT                 -- JSON: what is said of the use of a page; null where nothing is
);
CREATE INDEX steps_url ON steps (url, step) WHERE url IS NOT NULL;
CREATE INDEX steps_final_url ON steps (final_url, step) WHERE final_url IS NOT NULL;
{SAID};
CREATE TABLE hops (url TEXT, step INTEGER, PRIMARY KEY (url, step)) WITHOUT ROWID;
{counted.TABLE};
CREATE VIEW pages AS
    SELECT step, at, url, coalesce(final_url, url) AS final_url, status, fetched_at, depth, via, anchor, score,
           tier, rank, attempt, relevance, title, description, language, media_type, digest, fingerprint, noindex,
           address, elapsed, warc_file, warc_offset, warc_length, rights
    FROM steps WHERE kind = 'page';
CREATE VIEW failures AS
    SELECT step, at, url, coalesce(final_url, url) AS final_url, status, reason, detail, depth, via, anchor,
           score, tier, rank, attempt, address, elapsed, retry_after
    FROM steps WHERE kind = 'failure';
"""


PID_ROOM, WORD_ROOM = 32, 992
"""Bytes of a lock: the process that holds it, and its last word."""

_held: set[int] = set()  # descriptors of the locks of this process


def _close_in_child() -> None:
    """A forked worker must not keep the lock of a parent that was killed."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_in_child)


class FolderLock:
    """Lets one process write to a crawl folder. The system lets go of it when the process ends, however it ends."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        if not _try_lock(self._descriptor):
            holder = _holder(self._descriptor)
            os.close(self._descriptor)
            raise FolderError(
                f"{path.parent}: the crawl is in use by process {holder or 'unknown'}; "
                f"wait for it to end or stop it first"
            )
        _held.add(self._descriptor)
        self.leave_word("")
        os.pwrite(self._descriptor, _padded(f"{os.getpid()}\n", PID_ROOM), 0)

    def leave_word(self, text: str) -> None:
        """Say why the crawl ended where nothing else can be written: this room is kept for it from the start."""
        os.pwrite(self._descriptor, _padded(text, WORD_ROOM), PID_ROOM)

    def close(self) -> None:
        if self._descriptor in _held:
            _held.discard(self._descriptor)
            os.pwrite(self._descriptor, _padded("", PID_ROOM), 0)
            os.close(self._descriptor)


def _padded(text: str, room: int) -> bytes:
    return text.encode()[:room].ljust(room)


def word_left(database: Path) -> str:
    """What the last writer could say nowhere but in its lock, empty if nothing."""
    try:
        kept = lock_path(database).read_bytes()
    except FileNotFoundError:
        return ""
    return kept[PID_ROOM : PID_ROOM + WORD_ROOM].decode("utf-8", "ignore").strip()


def _try_lock(descriptor: int) -> bool:
    """Try a few times: someone who only looks whether the lock is taken holds it for a moment."""
    for pause in (0.005, 0.02, 0.1, 0.0):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(pause)
    return False


def _holder(descriptor: int) -> int | None:
    written = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
    return int(written) if written.isdigit() else None


def lock_path(database: Path) -> Path:
    return database.with_suffix(".lock")


def writer_of(database: Path) -> int | None:
    """The id of the process that writes to this database now, None if there is none."""
    try:
        descriptor = os.open(lock_path(database), os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None
    except BlockingIOError:
        return _holder(descriptor)
    finally:
        os.close(descriptor)


def open_writer(path: Path) -> sqlite3.Connection:
    """Open a journal to write, making it if it is not there.

    WAL with ``synchronous=NORMAL``: what was committed survives the end of the process, however sudden. A power
    cut can take the commits since the last checkpoint, in their order and whole; the file stays sound.
    """
    with folder_errors(path):
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
            connection.executescript(
                f"BEGIN IMMEDIATE;{SCHEMA};INSERT INTO meta VALUES ('format', '{FORMAT}');COMMIT"
            )
        connection = _checked(connection, path)
        _bring_up_to_date(connection)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'format'", (str(FORMAT),))
        return connection


def _lacking(connection: sqlite3.Connection) -> list[str]:
    """Columns that a folder of an earlier version has not got."""
    there = {column[1] for column in connection.execute("PRAGMA table_info(steps)")}
    return [column for column in ADDED if column not in there]


def _bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Give the tables of an earlier version what they lack."""
    for column in _lacking(connection):
        connection.execute(f"ALTER TABLE steps ADD COLUMN {column} {ADDED[column]}")
    index = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'steps_said'").fetchone()
    if index is None or "blocked" not in index[0]:
        connection.execute("DROP INDEX IF EXISTS steps_said")
        connection.execute(SAID)
    counted.catch_up(connection)


def open_reader(path: Path) -> sqlite3.Connection:
    """Open a journal to look at, also while another process writes to it."""
    if not path.exists():
        raise FolderError(
            f"{path.parent}: no crawl here ({path.name} is missing); give the folder of a crawl"
        )
    with folder_errors(path):
        if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
            return _looking_whole(_checked(connect_to_look(path), path))
        try:
            return _looking_whole(_checked(_connect(path, "mode=ro"), path))
        except sqlite3.OperationalError as error:
            # A folder that may not be written to: WAL needs its index file, unless nobody can be writing.
            log = path.with_name(f"{path.name}-wal")
            if log.exists() and log.stat().st_size:
                raise FolderError(
                    f"{log}: its steps can be read only where the folder may be written to; "
                    "copy the folder to a place of your own"
                ) from error
            return _looking_whole(_checked(_connect(path, "mode=ro&immutable=1"), path))


def connect_to_look(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, but tidies up as it closes: the last one takes SQLite's log with it."""
    connection = _connect(path, "mode=rw")
    connection.execute("PRAGMA query_only=ON")
    return connection


def _looking_whole(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Let a journal of an earlier version look as if it had all columns, and counts: to this connection alone."""
    if lacking := _lacking(connection):
        nothing = ", ".join(f"NULL AS {column}" for column in lacking)
        connection.execute("PRAGMA query_only=OFF")
        connection.execute(f"CREATE TEMP VIEW steps AS SELECT *, {nothing} FROM main.steps")
        connection.execute("PRAGMA query_only=ON")
    if not counted.has_all(connection):
        _count_alone(connection)
    return connection


def _count_alone(connection: sqlite3.Connection) -> None:
    """Have this connection count what it sees of the steps, whatever was counted as they were written."""
    connection.execute("PRAGMA query_only=OFF")
    connection.execute(counted.VIEW)
    connection.execute("PRAGMA query_only=ON")


def look_past(connection: sqlite3.Connection, steps: Iterable[int]) -> None:
    """Let a journal look as if it lacked some steps: to this connection alone."""
    connection.execute("PRAGMA query_only=OFF")
    connection.execute("CREATE TEMP TABLE passed_over (step INTEGER PRIMARY KEY)")
    connection.executemany("INSERT INTO passed_over VALUES (?)", ((step,) for step in steps))
    connection.execute(
        "CREATE TEMP VIEW steps AS SELECT * FROM main.steps WHERE step NOT IN (SELECT step FROM passed_over)"
    )
    _count_alone(connection)


def _connect(path: Path, options: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.resolve().as_uri()}?{options}", uri=True, isolation_level=None, check_same_thread=False
    )


def _checked(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").fetchone():
        connection.close()
        raise FolderError(
            f"{path.parent}: this crawl has hardly begun; lycosa resume {path.parent} begins it, if nobody does"
        )
    found = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    if found is None or int(found[0]) > FORMAT:
        connection.close()
        version = found[0] if found else "unknown"
        raise FolderError(
            f"{path}: written in format {version}, this lycosa reads up to {FORMAT}; use a newer lycosa"
        )
    connection.create_function("host_of", 1, host_of, deterministic=True)
    return connection


class Answering:
    """A journal to put questions to: whatever is wrong with its file is a `FolderError` of one line."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection, self.path = connection, path

    def execute(self, question: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> Answer:
        with folder_errors(self.path):
            return Answer(self._connection.execute(question, values), self.path)


class Answer:
    """The rows that answer a question, read as they are asked for."""

    def __init__(self, cursor: sqlite3.Cursor, path: Path) -> None:
        self._cursor, self._path = cursor, path

    def __iter__(self) -> Iterator[sqlite3.Row]:
        with folder_errors(self._path):
            # Not `yield from`: given up, that closes the cursor, which may be after the connection was closed.
            for row in self._cursor:  # noqa: UP028
                yield row

    def fetchone(self) -> Any:
        with folder_errors(self._path):
            return self._cursor.fetchone()


@contextmanager
def folder_errors(path: Path, step: int | None = None) -> Iterator[None]:
    """Say in one line what is wrong with the folder and what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _folder_error(path, step, error, getattr(error, "sqlite_errorname", "")) from error
    except OSError as error:
        raise _folder_error(path, step, error, errno.errorcode.get(error.errno or 0, "")) from error


def _folder_error(path: Path, step: int | None, error: Exception, name: str) -> FolderError:
    if name in ("SQLITE_FULL", "ENOSPC", "EDQUOT"):
        after = f" after step {step}" if step is not None else ""
        return FolderError(
            f"{path}: the disk is full; the crawl halted{after}, make room and resume it, nothing saved is lost"
        )
    if name == "SQLITE_NOTADB" or name.startswith("SQLITE_CORRUPT"):
        return FolderError(
            f"{path}: this is not a crawl's journal, or it is damaged ({error}); bring back a copy, "
            f"or save what is left of it with sqlite3's .recover"
        )
    if name in ("EROFS", "EACCES", "EPERM", "SQLITE_READONLY", "SQLITE_CANTOPEN"):
        return FolderError(
            f"{path.parent}: it may not be opened or written to here; copy it to a place of your own"
        )
    return FolderError(f"{path}: {error}")
