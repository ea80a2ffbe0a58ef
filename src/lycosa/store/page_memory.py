"""The memory of a crawl on disk: pages by URL, links in both directions, without holding them all."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import ItemsView, Iterator, Mapping, Sequence
from itertools import chain, islice

from msgspec.structs import replace

from lycosa.crawl.looks import MOST_LOOKS, look_of
from lycosa.crawl.memory import PageMemory, capture_of
from lycosa.model.records import Gone, LastCapture, Look, Millis, Page, Unchanged
from lycosa.model.url import Url
from lycosa.store.codec import names_target, unpack_targets
from lycosa.store.database import Answering
from lycosa.store.looks import CAPTURED, LOOKED_AT, captured, looks_of
from lycosa.store.rows import Rehydrate, page_of, step_errors

CACHED_PAGES = 64
"""Pages kept whole, last used; one takes some 100 KB with its links and their contexts."""

LAST_VISIT = (
    "kind = 'page' AND step <= :horizon AND NOT EXISTS (SELECT 1 FROM steps AS later "
    "WHERE later.url = steps.url AND later.step > steps.step AND later.step <= :horizon AND later.kind = 'page')"
)

_LINKED = "SELECT step, url, final_url, links FROM steps WHERE step > ? AND step <= ? AND kind = 'page'"

EVERYTHING = (1 << 62) - 1
"""A horizon beyond all steps."""


class PostingRuns:
    """Which steps mention a URL: 8 bytes a mention, in sorted runs that are merged as they grow.

    An item is 38 bits of the URL's hash and 26 bits of step. So an answer holds all steps that mention the URL
    and, rarely, one that does not: the caller looks at the page anyway.
    """

    STEP_BITS = 26
    FRESH = 1 << 15
    LARGEST = 1 << 22  # merging makes Python integers for a moment, five times the size

    def __init__(self) -> None:
        self._runs: list[array[int]] = []
        self._fresh: dict[int, list[int]] = {}
        self._count = 0

    def add(self, step: int, urls: Sequence[Url]) -> None:
        for url in urls:
            self._fresh.setdefault(self._key(url), []).append(step)
        self._count += len(urls)
        if self._count >= self.FRESH:
            items = (key | step for key, steps in self._fresh.items() for step in steps)
            self._runs.append(array("Q", sorted(items)))
            self._fresh, self._count = {}, 0
            self._merge()

    def _merge(self) -> None:
        while len(self._runs) > 1 and 2 * len(self._runs[-1]) > len(self._runs[-2]):
            if len(self._runs[-2]) >= self.LARGEST:
                return
            last, before = self._runs.pop(), self._runs.pop()
            self._runs.append(array("Q", sorted(chain(before, last))))

    def steps(self, url: Url) -> list[int]:
        """Ascending, if they were added so."""
        key = self._key(url)
        found: list[int] = []
        for run in self._runs:
            at = bisect_left(run, key)
            while at < len(run) and run[at] >> self.STEP_BITS == key >> self.STEP_BITS:
                found.append(run[at] - key)
                at += 1
        found += self._fresh.get(key, ())
        return sorted(found)

    def _key(self, url: Url) -> int:
        return (hash(url) & ((1 << 38) - 1)) << self.STEP_BITS


class JournalMemory:
    """Implements `Memory` over the journal: what is not written yet in `fresh`, the rest by SQL.

    Promises what `PageMemory` promises and gives the same answers.
    """

    def __init__(self, connection: Answering, rehydrate: Rehydrate) -> None:
        self._connection = connection
        self._rehydrate = rehydrate
        self.fresh = PageMemory()
        self.horizon = EVERYTHING
        """Steps after this one are not shown: while a journal is replayed they have not happened yet."""
        self._unwritten: dict[Url, list[tuple[Page | Unchanged | Gone, Millis]]] = {}
        self._cached: OrderedDict[int, Page] = OrderedDict()
        self._mentions: PostingRuns | None = None
        self._indexed = 0

    # -- the journal's side --------------------------------------------------------------------

    def look_back(self, horizon: int) -> None:
        """Show the steps up to `horizon` only."""
        self.horizon = horizon
        self._mentions, self._indexed = None, 0

    def looked(self, arrival: Page | Unchanged | Gone, at: Millis) -> None:
        """A visit's step is over, but not on disk yet."""
        self._unwritten.setdefault(arrival.url, []).append((arrival, at))

    def written(self, steps: Mapping[Url, int]) -> None:
        """These pages are on disk now, under these steps: what is left stays fresh."""
        self._unwritten.clear()
        before, self.fresh = self.fresh, PageMemory()
        for page in before:
            step = steps.get(page.url)
            if step is None:
                self.fresh.add(page)
            else:
                self._cache(step, page)

    def _cache(self, step: int, page: Page) -> Page:
        self._cached[step] = page
        self._cached.move_to_end(step)
        if len(self._cached) > CACHED_PAGES:
            self._cached.popitem(last=False)
        return page

    # -- pages ---------------------------------------------------------------------------------

    def page(self, url: Url) -> Page | None:
        if (fresh := self.fresh.requested(url)) is not None:
            return fresh
        if (step := self._step_requested(url)) is not None:
            return self._page_at(step)
        if (fresh := self.fresh.landed(url)) is not None:
            return fresh
        step = self._step_landed(url)
        return self._page_at(step) if step is not None else None

    def _step_requested(self, url: Url) -> int | None:
        found = self._connection.execute(
            "SELECT step FROM steps WHERE url = ? AND kind = 'page' AND step <= ? ORDER BY step DESC LIMIT 1",
            (url, self.horizon),
        ).fetchone()
        return found["step"] if found else None

    def _step_landed(self, url: Url) -> int | None:
        rows = self._connection.execute(
            f"SELECT step, url FROM steps WHERE final_url = :url AND {LAST_VISIT} ORDER BY step DESC",
            {"url": url, "horizon": self.horizon},
        )
        return next((row["step"] for row in rows if row["url"] not in self.fresh), None)

    def _page_at(self, step: int) -> Page:
        if step in self._cached:
            self._cached.move_to_end(step)
            return self._cached[step]
        row = self._connection.execute("SELECT * FROM steps WHERE step = ?", (step,)).fetchone()
        with step_errors(self._connection.path, row):
            page = page_of(row, self._rehydrate)
        return self._cache(step, page)

    def recent(self, n: int) -> Sequence[Url]:
        found = dict.fromkeys(self.fresh.recent(n))
        rows = self._connection.execute(
            "SELECT url FROM steps WHERE kind = 'page' AND step <= ? ORDER BY step DESC", (self.horizon,)
        )
        for row in rows if len(found) < n else ():
            found[row["url"]] = None
            if len(found) >= n:
                break
        return list(islice(found, max(n, 0)))

    # -- visits --------------------------------------------------------------------------------

    def visits(self, url: Url) -> Sequence[Look]:
        rows = self._connection.execute(
            f"SELECT {LOOKED_AT} FROM steps WHERE url = ? AND step <= ? "
            "AND kind IN ('page', 'unchanged', 'gone') ORDER BY step DESC LIMIT ?",
            (url, self.horizon, MOST_LOOKS + 1),
        )
        looks = looks_of(reversed(list(rows)))
        for arrival, at in self._unwritten.get(url, ()):
            looks.append(look_of(arrival, looks, at))
        return tuple(looks[-MOST_LOOKS:])

    def capture(self, url: Url) -> LastCapture | None:
        told: Unchanged | None = None
        for arrival, _ in reversed(self._unwritten.get(url, ())):
            if isinstance(arrival, Page):
                return capture_of(arrival, told)
            told = told or (arrival if isinstance(arrival, Unchanged) else None)
        newest = self._newest(url, "kind IN ('page', 'unchanged')")
        if newest is None:
            return None
        page = newest if newest["kind"] == "page" else self._newest(url, "kind = 'page'")
        if page is None:
            return None
        found = captured(page, newest)
        return found if told is None else replace(found, etag=told.etag, last_modified=told.last_modified)

    def _newest(self, url: Url, of: str) -> sqlite3.Row | None:
        """What a capture is made of, from the last step of the URL that is of a kind."""
        found: sqlite3.Row | None = self._connection.execute(
            f"SELECT {CAPTURED} FROM steps WHERE url = ? AND step <= ? AND {of} ORDER BY step DESC LIMIT 1",
            (url, self.horizon),
        ).fetchone()
        return found

    def holder(self, digest: str) -> Url | None:
        found = self._connection.execute(
            "SELECT url FROM steps WHERE digest = ? AND owner IS NULL AND step <= ? LIMIT 1",
            (digest, self.horizon),
        ).fetchone()
        return found["url"] if found else self.fresh.holder(digest)

    # -- links ---------------------------------------------------------------------------------

    def out_links(self, url: Url) -> Sequence[Url]:
        if url in self.fresh:
            return self.fresh.out_links(url)
        step = self._step_requested(url)
        if step is None:
            if (landed := self.fresh.landed(url)) is not None:
                return landed.out
            step = self._step_landed(url)
        return self._out_at(step)[1] if step is not None else ()

    def _out_at(self, step: int) -> tuple[Url, Sequence[Url]]:
        if step in self._cached:
            return self._cached[step].url, self._cached[step].out
        row = self._connection.execute(
            "SELECT url, final_url, links FROM steps WHERE step = ?", (step,)
        ).fetchone()
        return row["url"], distinct_targets(row)

    def in_links(self, url: Url) -> Sequence[Url]:
        mentions = self._catch_up()
        older: list[Url] = []
        for step in mentions.steps(url):
            source, targets = self._out_at(step)
            if url in targets and source not in self.fresh and self._step_requested(source) == step:
                older.append(source)
        return (*older, *self.fresh.in_links(url))

    def first_in_links(self, url: Url, most: int) -> Sequence[Url]:
        """The first of `in_links`: for whoever asks once, without an index of all links, which is kept for further
        questions."""
        if self._mentions is not None:
            return self.in_links(url)[:most]
        rows = self._connection.execute(f"{_LINKED} ORDER BY step", (0, self.horizon))
        naming = (row for row in rows if names_target(row["links"], url) and url in distinct_targets(row))
        older = (row["url"] for row in naming if self._is_last(row))
        return tuple(islice(chain(older, self.fresh.in_links(url)), most))

    def _is_last(self, row: sqlite3.Row) -> bool:
        """Whether a step is the last visit of its URL."""
        return row["url"] not in self.fresh and self._step_requested(row["url"]) == row["step"]

    def _catch_up(self) -> PostingRuns:
        if self._mentions is None:
            self._mentions = PostingRuns()
        rows = self._connection.execute(f"{_LINKED} ORDER BY step", (self._indexed, self.horizon))
        for row in rows:
            self._mentions.add(row["step"], distinct_targets(row))
            self._indexed = row["step"]
        return self._mentions

    def graph(self) -> Mapping[Url, Sequence[Url]]:
        return JournalGraph(self, self._connection)


def distinct_targets(row: sqlite3.Row) -> Sequence[Url]:
    """As `Page.out`: in document order, the page itself left out."""
    targets = dict.fromkeys(unpack_targets(row["links"]))
    targets.pop(row["url"], None)
    targets.pop(row["final_url"], None)
    return tuple(targets)


class JournalGraph(Mapping[Url, Sequence[Url]]):
    """The link graph as a live view: read from the journal page by page, never whole in memory."""

    def __init__(self, memory: JournalMemory, connection: Answering) -> None:
        self._memory = memory
        self._connection = connection

    def __getitem__(self, url: Url) -> Sequence[Url]:
        if url not in self:
            raise KeyError(url)
        return self._memory.out_links(url)

    def __contains__(self, url: object) -> bool:
        if not isinstance(url, str):
            return False
        return Url(url) in self._memory.fresh or self._memory._step_requested(Url(url)) is not None

    def __iter__(self) -> Iterator[Url]:
        rows = self._connection.execute(
            f"SELECT url FROM steps WHERE {LAST_VISIT} ORDER BY step", {"horizon": self._memory.horizon}
        )
        fresh = self._memory.fresh
        yield from (row["url"] for row in rows if row["url"] not in fresh)
        yield from (page.url for page in fresh)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def items(self) -> ItemsView[Url, Sequence[Url]]:
        return _Streamed(self)

    def stream(self) -> Iterator[tuple[Url, Sequence[Url]]]:
        """All pages with their targets in one pass, in the order of the last visits."""
        rows = self._connection.execute(
            f"SELECT url, final_url, links FROM steps WHERE {LAST_VISIT} ORDER BY step",
            {"horizon": self._memory.horizon},
        )
        fresh = self._memory.fresh
        yield from ((row["url"], distinct_targets(row)) for row in rows if row["url"] not in fresh)
        yield from ((page.url, page.out) for page in fresh)


class _Streamed(ItemsView[Url, Sequence[Url]]):
    _mapping: JournalGraph

    def __iter__(self) -> Iterator[tuple[Url, Sequence[Url]]]:
        return self._mapping.stream()
