"""A crawl's whole history on disk: journal and frontier, kept consistent with each other."""

from __future__ import annotations

from collections.abc import Iterator

from lycosa.crawl.ports import Memory
from lycosa.model.errors import FolderError
from lycosa.model.events import Entry, Snapshot
from lycosa.model.free_memory import give_back
from lycosa.model.records import Page
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.journal import Journal


class CrawlStore:
    """Implements `Store` by a journal, and by a frontier that is checkpointed together with snapshots.

    To resume, take `snapshot`, then replay `entries(snapshot.step)`; without a snapshot replay all.

    Invariant, the name of a property test:

    * never ahead of the journal: the checkpoint, not even after a power cut, for the journal is hardened first.
    """

    def __init__(self, journal: Journal, frontier: DiskFrontier) -> None:
        self._journal = journal
        self._frontier = frontier
        kept = frontier.kept_step
        if kept is not None and kept > journal.last_step:
            raise FolderError(
                f"{journal.path}: ends at step {journal.last_step}, but the frontier stands at step {kept}; "
                f"part of the journal is missing: restore it, or remove {frontier.path} to rebuild the frontier"
            )

    @property
    def memory(self) -> Memory:
        return self._journal.memory

    @property
    def snapshot(self) -> Snapshot | None:
        """What `keep` kept last, read anew."""
        return self._frontier.snapshot

    @property
    def overfull(self) -> bool:
        """The next `keep` is due: the frontier holds as many changes in memory as it should."""
        return self._frontier.overfull

    def append(self, entry: Entry) -> None:
        self._journal.append(entry)

    def remember(self, page: Page) -> None:
        self._journal.remember(page)

    def rewind(self, step: int) -> None:
        self._journal.rewind(step)

    def retrace(self, entry: Entry) -> None:
        self._journal.retrace(entry)

    def entries(self, since: int = 0) -> Iterator[Entry]:
        return self._journal.entries(since)

    def flush(self) -> None:
        self._journal.flush()

    def keep(self, snapshot: Snapshot) -> None:
        """Make a checkpoint; memory that it and what came before left free goes back to the system."""
        self._journal.harden()
        short = self._frontier.shortened(snapshot)
        del snapshot  # what the frontier writes then need not lie beside it in memory
        self._frontier.checkpoint_with(short)
        give_back()

    def close(self) -> None:
        """Flush and let go of the folder; changes of the frontier since the last `keep` are for a replay to make."""
        try:
            self._journal.close()
        finally:
            self._frontier.close()
