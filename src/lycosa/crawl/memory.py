"""A crawl's history kept in memory: for the lab, for simulations and for tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import msgspec

from lycosa.crawl.looks import MOST_LOOKS, look_of
from lycosa.model.decoding import from_msgpack
from lycosa.model.events import Entry, Snapshot
from lycosa.model.records import Gone, LastCapture, Look, Millis, Page, Unchanged
from lycosa.model.url import Url

FOUND: Final = (Page, Unchanged, Gone)
"""Arrivals that are looks at a page."""


class OutLinks(Mapping[Url, Sequence[Url]]):
    """The link graph as a live view of the pages, by the URL that was requested. It copies nothing."""

    def __init__(self, pages: Mapping[Url, Page]) -> None:
        self._pages = pages

    def __getitem__(self, url: Url) -> Sequence[Url]:
        return self._pages[url].out

    def __iter__(self) -> Iterator[Url]:
        return iter(self._pages)

    def __len__(self) -> int:
        return len(self._pages)


class PageMemory:
    """Implements `Memory` with dicts.

    Invariants, each the name of a property test:

    * last visit counts: a page fetched again replaces the one before, in `recent` and in the link graph too.
    * both ways agree: a is in `in_links(b)` exactly when a was fetched by that URL and b is in `out_links(a)`.
    """

    def __init__(self) -> None:
        self._pages: dict[Url, Page] = {}  # by the URL requested, in the order of the last visits
        self._landed: dict[Url, dict[Url, None]] = {}  # URLs requested, by another URL where they ended
        self._into: dict[Url, dict[Url, None]] | None = None  # built when first asked for
        self._looks: dict[Url, list[Look]] = {}
        self._told: dict[Url, Unchanged] = {}  # the last 304, where it came after the last page
        self._holders: dict[str, Url] | None = None  # by content, built when first asked for

    def page(self, url: Url) -> Page | None:
        return self.requested(url) or self.landed(url)

    def requested(self, url: Url) -> Page | None:
        """The page last fetched for this URL."""
        return self._pages.get(url)

    def landed(self, url: Url) -> Page | None:
        """The last page whose redirects ended here."""
        sources = self._landed.get(url)
        return self._pages[next(reversed(sources))] if sources else None

    def recent(self, n: int) -> Sequence[Url]:
        return list(islice(reversed(self._pages), max(n, 0)))

    def out_links(self, url: Url) -> Sequence[Url]:
        found = self.page(url)
        return found.out if found is not None else ()

    def in_links(self, url: Url) -> Sequence[Url]:
        if self._into is None:
            self._into = {}
            for page in self._pages.values():
                self._link(page, self._into)
        return tuple(self._into.get(url, ()))

    def graph(self) -> Mapping[Url, Sequence[Url]]:
        return OutLinks(self._pages)

    def visits(self, url: Url) -> Sequence[Look]:
        return tuple(self._looks.get(url, ()))

    def capture(self, url: Url) -> LastCapture | None:
        page = self._pages.get(url)
        return None if page is None else capture_of(page, self._told.get(url))

    def holder(self, digest: str) -> Url | None:
        if self._holders is None:
            self._holders = {}
            for page in self._pages.values():
                self._hold(page, self._holders)
        return self._holders.get(digest)

    def take_in(self, entry: Entry) -> None:
        """A step is over: its page has its relevance now."""
        if isinstance(entry.event, Page):
            self.add(entry.event)
        if isinstance(entry.event, FOUND):
            self.looked(entry.event, entry.at)

    def looked(self, arrival: Page | Unchanged | Gone, at: Millis) -> None:
        """Add a look to the history of a page; its step is over."""
        looks = self._looks.setdefault(arrival.url, [])
        looks.append(look_of(arrival, looks, at))
        if len(looks) > MOST_LOOKS:
            del looks[0]
        if isinstance(arrival, Page):
            self._told.pop(arrival.url, None)
        elif isinstance(arrival, Unchanged):
            self._told[arrival.url] = arrival

    def add(self, page: Page) -> None:
        """Take in a page. Adding the same visit a second time, its relevance set, changes nothing else."""
        before = self._pages.pop(page.url, None)
        if before is not None:
            self._remove_links(before)
        self._pages[page.url] = page
        if page.final_url != page.url:
            self._landed.setdefault(page.final_url, {})[page.url] = None
        if self._into is not None:
            self._link(page, self._into)
        if self._holders is not None:
            self._hold(page, self._holders)

    def _remove_links(self, page: Page) -> None:
        if page.final_url != page.url:
            self._landed[page.final_url].pop(page.url)
        if self._into is not None:
            for target in page.out:
                self._into[target].pop(page.url)

    def __contains__(self, url: Url) -> bool:
        return url in self._pages

    def __iter__(self) -> Iterator[Page]:
        """The pages in the order of their last visits."""
        return iter(self._pages.values())

    @staticmethod
    def _hold(page: Page, holders: dict[str, Url]) -> None:
        if not page.owner:
            holders.setdefault(page.digest, page.url)

    @staticmethod
    def _link(page: Page, into: dict[Url, dict[Url, None]]) -> None:
        for target in page.out:
            into.setdefault(target, {})[page.url] = None


def capture_of(page: Page, told: Unchanged | None) -> LastCapture:
    """What a revisit of a page is compared with; `told` is the last 304 since, which may bring newer validators."""
    latest = told or page
    return LastCapture(
        url=page.final_url,
        at=page.fetched_at,
        digest=page.payload,
        etag=latest.etag,
        last_modified=latest.last_modified,
        record=page.record,
        dom=page.dom,
    )


class MemoryStore:
    """Implements `Store` without a disk: entries in a list, pages in a dict, the last snapshot kept."""

    def __init__(self) -> None:
        self.memory = PageMemory()
        self.snapshot: Snapshot | None = None
        self._entries: list[Entry] = []

    def append(self, entry: Entry) -> None:
        if entry.step != len(self._entries) + 1:
            raise ValueError(f"step {entry.step} does not follow step {len(self._entries)}")
        self._entries.append(entry)
        self.memory.take_in(entry)

    def remember(self, page: Page) -> None:
        self.memory.add(page)

    def rewind(self, step: int) -> None:
        kept, self._entries, self.memory = self._entries[:step], [], PageMemory()
        for entry in kept:
            self.append(entry)

    def retrace(self, entry: Entry) -> None:
        self.append(entry)

    def entries(self, since: int = 0) -> Iterator[Entry]:
        return islice(iter(self._entries), since, None)

    def flush(self) -> None:
        """Nothing to do: there is no disk."""

    def keep(self, snapshot: Snapshot) -> None:
        """Takes a copy: parts of a snapshot may be as the crawl is, and change with it."""
        self.snapshot = from_msgpack(msgspec.msgpack.encode(snapshot), Snapshot)

    def __len__(self) -> int:
        return len(self._entries)
