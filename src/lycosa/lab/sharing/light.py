"""Clusters without crawls: only who fetches, keeps and sends what, so that a million downloads take seconds.

Each node downloads one page after the other at its bandwidth, breadth-first or, where its links are ranked, the best
first. Hosts, failures and robots.txt are left out, but it is noted when which host was asked. `Cluster` runs whole
crawls.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from lycosa.lab.sharing.ground import Ground
from lycosa.lab.sharing.post import Batch, Delivery, Post
from lycosa.lab.sharing.rules import FINDER, Rules
from lycosa.model.nodes import Handling
from lycosa.model.records import Record
from lycosa.sharing.measures import Traffic, Volumes

Ints = NDArray[np.integer[Any]]

LINK_BYTES = 50
"""What a link takes in a parcel, its page apart; measured by `benchmarks/sharing/links.py`."""
BANDWIDTH = 16_000
"""Bytes a second of each node (Chung and Clarke)."""
ENDLESS = 1 << 62


class Rates(Record, frozen=True, kw_only=True):
    """How fast, how far, and how what is sent arrives."""

    budget: int = ENDLESS
    """Pages that all nodes together download."""
    bandwidth: Annotated[int, msgspec.Meta(ge=1)] = BANDWIDTH
    """Bytes a second of each node."""
    delivery: Delivery = Delivery()
    marks: bool = True
    """Whether a page that another node sent need not be fetched any more. False: only its content is compared."""


class Shared(Record, frozen=True, kw_only=True):
    """What became of a cluster; everything by node."""

    rules: Rules
    downloads: tuple[Ints, ...]
    """Pages by number, in the order of their downloads."""
    times: tuple[Ints, ...]
    """When each download began, in virtual milliseconds."""
    kept: tuple[Ints, ...]
    """The collection: retained and imported."""
    volumes: tuple[Volumes, ...]
    duplicates: int
    """Pages that were sent to a node that had them."""
    batches: int
    ended_at: int


class Light:
    """One cluster on one web.

    Invariants, each the name of a property test:

    * as the closure: run to its end, without marks, a node has downloaded exactly its start pages and what the pages
      that it followed link to, as far as it is to fetch them.
    * within the budget: no more pages are downloaded than it allows.
    * each page at its owner: where pages are sent whole, every page downloaded is in its owner's collection.
    """

    def __init__(self, ground: Ground, rules: Rules, rates: Rates | None = None) -> None:
        self._rules, self._rates = rules, rates or Rates()
        self._graph = ground.graph
        self._bytes, nodes, count = ground.bytes.tolist(), rules.nodes, len(ground)
        self._of_url = None if rules.of_url is None else rules.of_url.tolist()
        self._of_page = None if rules.of_page is None else rules.of_page.tolist()
        self._likely = _likely(ground, rules)
        self._known = [bytearray(count) for _ in range(nodes)]
        self._have = [bytearray(count) for _ in range(nodes)]
        self._followed = [bytearray(count) for _ in range(nodes)]
        self._sent = [bytearray(count) for _ in range(nodes)]
        self._waiting: list[deque[int]] = [deque() for _ in range(nodes)]
        self._ranked: list[list[tuple[float, int, int]]] = [[] for _ in range(nodes)]
        self._order = 0
        self._idle = [True] * nodes
        self._ends: list[tuple[int, int, int]] = []  # when a download ends, node, page
        self._begun = 0
        self._downloads: list[list[int]] = [[] for _ in range(nodes)]
        self._times: list[list[int]] = [[] for _ in range(nodes)]
        self._kept: list[list[int]] = [[] for _ in range(nodes)]
        self._in, self._out = np.zeros((nodes, 3), np.int64), np.zeros((nodes, 3), np.int64)
        self._retained = np.zeros((nodes, 2), np.int64)
        self._duplicates = 0
        self._post: Post[tuple[int, bool]] = Post(self._rates.delivery)
        self._now = 0

    def run(self, seeds: Sequence[Sequence[int]]) -> Shared:
        """`seeds`: the start pages of each node. Where URLs have owners, all nodes know of all of them: each begins
        with its own, and sends none."""
        for node, pages in enumerate(seeds):
            for page in pages:
                self._seed(node, page)
        for node in range(self._rules.nodes):
            self._begin(node)
        while True:
            arrives = self._post.next_at()
            if self._ends and (arrives is None or self._ends[0][0] <= arrives):
                self._now, node, page = heapq.heappop(self._ends)
                self._arrive(node, page)
                self._begin(node)
            elif arrives is not None:
                self._now = int(arrives)
                for batch in self._post.arrivals(self._now):
                    self._take_in(batch)
            else:
                return self._shared()

    def _seed(self, node: int, page: int) -> None:
        if self._of_url is None:
            self._find(node, page, None)
            return
        for sent in self._sent:
            sent[page] = 1
        self._find(self._of_url[page], page, None)

    # -- visits ----------------------------------------------------------------------------------------------

    def _begin(self, node: int) -> None:
        """Begin the node's next download, if it may and has any."""
        page = self._next(node) if self._begun < self._rates.budget else None
        self._idle[node] = page is None
        if page is None:
            return
        self._begun += 1
        self._times[node].append(self._now)
        self._downloads[node].append(page)
        takes = max(1, self._bytes[page] * 1000 // self._rates.bandwidth)
        heapq.heappush(self._ends, (self._now + takes, node, page))

    def _next(self, node: int) -> int | None:
        waiting, ranked, have = self._waiting[node], self._ranked[node], self._have[node]
        while waiting or ranked:
            page = waiting.popleft() if waiting else heapq.heappop(ranked)[2]
            if not (self._rates.marks and have[page]):
                return page
        return None

    def _arrive(self, node: int, page: int) -> None:
        """A page was downloaded: keep or send it, and follow its links where they are to be followed."""
        owner = node if self._of_page is None else self._of_page[page]
        if owner in (node, FINDER):
            self._retain(node, page)
            self._follow(node, page)
            return
        match self._rules.handling:
            case Handling.WHOLE:
                self._ship(node, owner, page)
            case Handling.COPY:
                self._ship(node, owner, page)
                self._follow(node, page)
            case Handling.LINKS:
                self._retain(node, page)
                links = int(self._graph.indptr[page + 1] - self._graph.indptr[page])
                self._send(node, owner, (page, False), links, links * LINK_BYTES)

    def _retain(self, node: int, page: int) -> None:
        self._retained[node] += (1, self._bytes[page])
        self._keep(node, page)

    def _keep(self, node: int, page: int) -> None:
        if self._have[node][page]:
            self._duplicates += 1
        else:
            self._have[node][page] = 1
            self._kept[node].append(page)

    def _ship(self, node: int, owner: int, page: int) -> None:
        size = self._bytes[page]
        self._out[node, 0] += 1
        self._out[node, 2] += size
        self._post.send(node, owner, (page, True), self._now, size=size)

    def _send(self, node: int, owner: int, item: tuple[int, bool], links: int, size: int) -> None:
        self._out[node, 1] += links
        self._out[node, 2] += size
        self._post.send(node, owner, item, self._now, links=links, size=size)

    # -- links -----------------------------------------------------------------------------------------------

    def _follow(self, node: int, page: int) -> None:
        """Take in the links of a page, once."""
        if self._followed[node][page]:
            return
        self._followed[node][page] = 1
        start, end = self._graph.indptr[page], self._graph.indptr[page + 1]
        for target in self._graph.indices[start:end].tolist():
            self._find(node, target, page)

    def _find(self, node: int, page: int, source: int | None) -> None:
        """A URL was found: fetch it in its turn, or send it to who does."""
        if self._of_url is not None and (owner := self._of_url[page]) != node:
            if not self._sent[node][page]:
                self._sent[node][page] = 1
                self._send(node, owner, (page, False), 1, LINK_BYTES)
            return
        if self._known[node][page]:
            return
        self._known[node][page] = 1
        if self._likely is None:
            self._waiting[node].append(page)
            return
        self._order += 1
        score = 1.0 if source is None else self._likely[source][node]
        heapq.heappush(self._ranked[node], (-score, self._order, page))

    def _take_in(self, batch: Batch[tuple[int, bool]]) -> None:
        node = batch.to
        pages = sum(whole for _, whole in batch.items)
        self._in[node] += (pages, 0, batch.bytes)
        for page, whole in batch.items:
            if whole:
                self._keep(node, page)
                if self._rates.marks:
                    self._known[node][page] = 1
                if self._rules.handling is Handling.WHOLE:
                    self._follow(node, page)
            elif self._of_url is None:
                self._in[node, 1] += int(self._graph.indptr[page + 1] - self._graph.indptr[page])
                self._follow(node, page)
            else:
                self._in[node, 1] += 1
                self._find(node, page, None)
        if self._idle[node]:
            self._begin(node)

    # -- the end ---------------------------------------------------------------------------------------------

    def _shared(self) -> Shared:
        downloads = tuple(np.array(each, np.int64) for each in self._downloads)
        sizes = np.asarray(self._bytes)
        volumes = tuple(
            Volumes(
                downloaded=Traffic(pages=len(pages), bytes=int(sizes[pages].sum())),
                retained=Traffic(pages=int(retained[0]), bytes=int(retained[1])),
                imported=_traffic(brought),
                exported=_traffic(sent),
            )
            for pages, retained, brought, sent in zip(
                downloads, self._retained, self._in, self._out, strict=True
            )
        )
        return Shared(
            rules=self._rules,
            downloads=downloads,
            times=tuple(np.array(each, np.int64) for each in self._times),
            kept=tuple(np.array(each, np.int64) for each in self._kept),
            volumes=volumes,
            duplicates=self._duplicates,
            batches=self._post.batches,
            ended_at=self._now,
        )


def _traffic(row: Ints) -> Traffic:
    pages, urls, size = row.tolist()
    return Traffic(pages=pages, urls=urls, bytes=size)


def _likely(ground: Ground, rules: Rules) -> list[list[float]] | None:
    """How likely each page is of a class of each node, where links are ranked by that."""
    if not rules.focused or ground.posterior is None:
        return None
    found = np.zeros((len(ground), rules.nodes), np.float32)
    for number, node in enumerate(rules.owners):
        found[:, node] += ground.posterior[:, number]
    told: list[list[float]] = found.tolist()
    return told
