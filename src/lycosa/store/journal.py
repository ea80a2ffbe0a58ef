"""The journal of a crawl: every step, in order, in one SQLite file that other tools can read."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from lycosa.crawl.memory import FOUND
from lycosa.model.errors import FolderError
from lycosa.model.events import Entry, Parcel, Received
from lycosa.model.nodes import Node
from lycosa.model.records import Arrival, Page
from lycosa.model.url import Url
from lycosa.store.codec import addressed, unpack_event
from lycosa.store.counted import count_on
from lycosa.store.database import (
    SHARED,
    Answering,
    FolderLock,
    folder_errors,
    lock_path,
    look_past,
    open_reader,
    open_writer,
)
from lycosa.store.history import History
from lycosa.store.page_memory import EVERYTHING, JournalMemory
from lycosa.store.rows import INSERT, Rehydrate, entry_of, insert_statement, row_of, step_errors

GROUP_STEPS = 64
GROUP_SECONDS = 0.5


def as_kept(page: Page) -> Page:
    """For journals whose pages need no text: leaves the page as the journal keeps it."""
    return page


class Journal:
    """Appends steps in groups and reads them back.

    A step is durable with the `flush` after it, which `append` calls itself every `GROUP_STEPS` steps or
    `GROUP_SECONDS`, whichever comes first (a caller that waits longer for its next step flushes itself). What a
    killed process loses is the last group; its visits are made again.

    Invariants, each the name of a test:

    * no gaps: steps count from 1.
    * record first: `before_commit` (the archive's flush) is called before each commit, so that no committed page
      lacks its WARC record.
    * one writer: a second one is refused while the first is open; readers are never kept out.
    * whole groups: after a crash the journal ends with a committed step, never with half of one.
    """

    def __init__(
        self,
        path: Path,
        *,
        rehydrate: Rehydrate = as_kept,
        before_commit: Callable[[], None] | None = None,
        before_harden: Callable[[], None] | None = None,
        waits: bool = False,
        read_only: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`before_harden` brings to the disk what the steps refer to. With `waits` each commit waits for the disk, so
        that a power cut takes none."""
        self.path = path
        self.rehydrate = rehydrate
        self._before_commit, self._before_harden = before_commit, before_harden
        self._synchronous = "FULL" if waits else "NORMAL"
        self._clock = clock
        with folder_errors(path):
            self._lock = None if read_only else FolderLock(lock_path(path))
        try:
            self._connection = open_reader(path) if read_only else open_writer(path)
        except FolderError:
            self._unlock()
            raise
        self._connection.row_factory = sqlite3.Row
        if waits:
            self._connection.execute("PRAGMA synchronous=FULL")
        self._statements = {kind: insert_statement(columns) for kind, columns in INSERT.items()}
        self._waiting: list[tuple[Any, ...]] = []
        self._pages: dict[Url, int] = {}
        self._hops: list[tuple[Url, int]] = []
        self._flushed_at = clock()
        self._asked = Answering(self._connection, path)
        self.memory = JournalMemory(self._asked, rehydrate)
        self.last_step = self._last_written()

    # -- writing -------------------------------------------------------------------------------

    def append(self, entry: Entry) -> None:
        """Add the next step. Raises FolderError when the disk is full: the step is kept for the next `flush`."""
        if entry.step != self.last_step + 1:
            raise ValueError(f"step {entry.step} does not follow step {self.last_step}")
        if not self._waiting:
            self._flushed_at = self._clock()
        self._waiting.append(row_of(entry))
        self.last_step = entry.step
        event = entry.event
        if isinstance(event, Page):
            self.memory.fresh.add(event)
            self._pages[event.url] = entry.step
        if isinstance(event, FOUND):
            self.memory.looked(event, entry.at)
        if isinstance(event, Arrival) and event.hops:
            self._hops += ((hop, entry.step) for hop in dict.fromkeys(event.hops))
        if len(self._waiting) >= GROUP_STEPS or self._clock() - self._flushed_at >= GROUP_SECONDS:
            self.flush()

    def remember(self, page: Page) -> None:
        self.memory.fresh.add(page)

    def rewind(self, step: int) -> None:
        """Let `memory` show the steps up to this one and no later, before the later ones are retraced."""
        self.flush()
        self.memory.look_back(EVERYTHING if step >= self.last_step else step)

    def retrace(self, entry: Entry) -> None:
        """Take in a step as it is replayed: from now on `memory` shows it."""
        if isinstance(entry.event, Page):
            self.memory.written({entry.event.url: entry.step})
        self.memory.horizon = EVERYTHING if entry.step >= self.last_step else entry.step

    @property
    def durable_step(self) -> int:
        """The last step that is committed."""
        return self.last_step - len(self._waiting)

    def flush(self) -> None:
        """Commit what was appended: it survives the end of the process, though not each power cut."""
        if not self._waiting:
            return
        with folder_errors(self.path, self._last_written()):
            if self._before_commit is not None:
                self._before_commit()
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                for row in self._waiting:
                    self._insert(row)
                connection.executemany("INSERT INTO hops VALUES (?, ?)", self._hops)
                count_on(connection, self.durable_step)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        self.memory.written(self._pages)
        self._waiting, self._pages, self._hops = [], {}, []

    def _insert(self, row: tuple[Any, ...]) -> None:
        statement = self._statements.get(row[2], self._statements["other"])
        try:
            self._connection.execute(statement, row)
        except UnicodeEncodeError:  # half a surrogate pair, as from a header that is not UTF-8
            self._connection.execute(
                statement, [v.encode("utf-8", "replace").decode() if isinstance(v, str) else v for v in row]
            )

    def harden(self) -> None:
        """Flush, and wait until the disk has it: what follows may rely on it even after a power cut."""
        self.flush()
        with folder_errors(self.path, self.last_step):
            if self._before_harden is not None:
                self._before_harden()
            self._connection.execute("PRAGMA synchronous=FULL")
            self.note("hardened", str(self.last_step))
            self._connection.execute(f"PRAGMA synchronous={self._synchronous}")

    def note(self, key: str, value: str) -> None:
        """Write down a fact about the whole crawl: its seed, when it began, why it ended."""
        with folder_errors(self.path, self._last_written()):
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def leave_word(self, ended: str) -> None:
        """Note why the crawl ended, also on a disk that is full."""
        try:
            self.note("ended", ended)
        except FolderError:
            if self._lock is not None:
                self._lock.leave_word(ended)
            raise

    def be_shared(self) -> None:
        """Have the indexes by which a node of a shared crawl looks things up."""
        with folder_errors(self.path, self._last_written()):
            for statement in SHARED:
                self._connection.execute(statement)

    def noted(self, key: str) -> str | None:
        found = self._asked.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return found["value"] if found else None

    def close(self) -> None:
        """Flush and let go of the folder. A journal that could not be flushed is closed all the same."""
        try:
            if self._lock is not None:
                self.flush()
        finally:
            if self._lock is not None:
                with suppress(
                    sqlite3.Error
                ):  # what cannot be brought home now stays in the log, and is read there
                    self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._connection.close()
            self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()

    # -- reading -------------------------------------------------------------------------------

    @property
    def history(self) -> History:
        """Questions to what is committed; `flush` first to include the rest."""
        return History(self._asked)

    def pass_over(self, steps: Iterable[int]) -> None:
        """Of a journal that is read: do not show these steps from now on, to `history` and `memory`. Once."""
        look_past(self._connection, steps)

    def entries(self, since: int = 0) -> Iterator[Entry]:
        """The steps after `since`, in order, the waiting ones too; pages whole, read again from the archive."""
        self.flush()
        for row in self._asked.execute("SELECT * FROM steps WHERE step > ? ORDER BY step", (since,)):
            with step_errors(self.path, row):
                entry = entry_of(row, self.rehydrate)
            yield entry

    def parcels(self, to: Node, after: int = 0, since: int = 0) -> Iterator[tuple[int, Parcel]]:
        """What was committed of parcels for a node, in order: those with higher numbers than `after`, and the step of
        each; `since`: of later steps only. Pages whole."""
        rows = self._asked.execute(
            "SELECT * FROM steps WHERE sent IS NOT NULL AND step > ? ORDER BY step", (since,)
        )
        for row in rows:
            with step_errors(self.path, row):
                if not any(there == to and number > after for there, number in addressed(row["sent"])):
                    continue
                entry = entry_of(row, self.rehydrate)
            yield from (
                (entry.step, parcel) for parcel in entry.sent if parcel.to == to and parcel.number > after
            )

    def known_from(self, node: Node, *, but: str = "") -> Iterator[Url]:
        """What was committed of URLs that a node, in all its lives `but` this one, said that it knows, as it handed
        over where they lie. One pass over the steps."""
        for row in self._asked.execute("SELECT step, event FROM steps WHERE kind = 'received' ORDER BY step"):
            with step_errors(self.path, row):
                event = unpack_event("received", row["event"])
            assert isinstance(event, Received)
            if event.origin.node == node and event.origin.life != but:
                yield from event.known

    def _last_written(self) -> int:
        found = self._asked.execute("SELECT max(step) AS last FROM steps").fetchone()
        return found["last"] or 0
