"""A crawl's history in the laboratory: its pages, and nothing that only a resumed crawl would need."""

from __future__ import annotations

from collections.abc import Iterator

from lycosa.crawl.memory import PageMemory
from lycosa.model.events import Entry, Snapshot
from lycosa.model.records import Page


class PagesOnly:
    """Implements `Store` for crawls that are watched while they run, and never replayed: it keeps no entries.

    Pages are kept whole, some 25 KB each, as a strategy may look back at any of them.
    """

    def __init__(self) -> None:
        self.memory = PageMemory()

    def append(self, entry: Entry) -> None:
        """The page of the entry was remembered before its strategy thought of it; now it has its relevance."""
        self.memory.take_in(entry)

    def remember(self, page: Page) -> None:
        self.memory.add(page)

    def rewind(self, step: int) -> None:
        raise RuntimeError("a crawl of the laboratory is not replayed: it keeps no journal")

    def retrace(self, entry: Entry) -> None:
        self.append(entry)

    def entries(self, since: int = 0) -> Iterator[Entry]:
        return iter(())

    def flush(self) -> None:
        """Nothing to do: there is no disk."""

    def keep(self, snapshot: Snapshot) -> None:
        """A crawl of the laboratory is made again, not resumed."""
