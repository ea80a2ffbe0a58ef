"""Hosts that are alike live together: the first page of each decides, by its words. Needs no training.

Every node has a **profile**: how often each word occurs on the first pages of the territories that live with it, words
counted in 4,096 buckets by a hash. It tells it to all others whenever it has twice as many such pages, in less than a
kilobyte. A territory's first page is fetched at its home, which compares it with all profiles: by the likelihood of
its words under each (a multinomial with a Dirichlet prior, which is what all profiles say together), by where the
territories live that it links to, and by how many territories it gave to each node before. So topics arise by
themselves, as in k-means of pages that come one by one; and as homes are drawn by a hash, what each of them gives to
the others evenly is even in all.

    score(k) = 1/|d| Σ_w d_w ln((p_kw + μ g_w) / (|p_k| + μ) / g_w)
             + α ln(ε + links to k / links) + γ ln(1 - given_k / most_k)
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from lycosa.crawl.housing import Neighbourhood
from lycosa.model.nodes import Node
from lycosa.model.records import Page

BUCKETS: Final = 4096
FINENESS: Final = 16
"""A count c is told as ⌊16 ln(1 + c) + ½⌋, one byte: within some 3 %, up to eight million."""
SMOOTHING: Final = 300.0
"""μ, in words: so much of what all profiles say is in each of them."""
LINKED: Final = 0.1
"""α: what links weigh, beside the average word."""
UNLINKED: Final = 0.05
"""ε: the share of links of a node to which there are none."""
CROWDED: Final = 0.1
"""γ: what it weighs that a node was given much."""
FEW: Final = 8
SLACK: Final = 0.5
"""A home gives no node more than 1 + `SLACK` times its share of what it gave, or of `FEW` a node."""

Counts = NDArray[np.float64]
_COUNTS: Final[Counts] = np.expm1(np.arange(256) / FINENESS)


class Alike:
    """See above; a `Housing`. Memory: 4 kB a node, and a string for each territory of which a page came."""

    def __init__(self) -> None:
        self._own = np.zeros(BUCKETS, np.int64)
        self._pages = 0
        """First pages in the own profile."""
        self._tells_at = 1
        self._levels: dict[Node, NDArray[np.uint8]] = {}
        """The others' profiles, as they were told."""
        self._given: dict[Node, int] = {}
        self._settled: set[str] = set()
        """Territories of which a page came, and that live here."""

    def belongs(self, territory: str, page: Page, around: Neighbourhood) -> Node:
        if territory in self._settled or around.moved(territory):
            return around.here
        words, counts = _words(page)
        pull = self._pull(territory, page, around)
        if not len(words) and not pull:
            return around.here
        names = around.members.names
        found = fits(words, counts, np.array([self._profile(name, around) for name in names]))
        found += LINKED * np.log([UNLINKED + pull.get(name, 0.0) for name in names])
        room = self._room(around)
        found += np.where(room > 0, CROWDED * np.log(np.where(room > 0, room, 1.0)), -np.inf)
        best = found.max()
        if not np.isfinite(best) or found[names.index(around.here)] == best:
            return around.here
        return names[int(found.argmax())]

    def _profile(self, name: Node, around: Neighbourhood) -> Counts:
        if name == around.here:
            return self._own.astype(np.float64)
        levels = self._levels.get(name)
        return np.zeros(BUCKETS) if levels is None else _COUNTS[levels]

    def _pull(self, territory: str, page: Page, around: Neighbourhood) -> Mapping[Node, float]:
        """Of the page's links to other territories, the share that leads to what lives with each node."""
        others = {around.territory(url) for url in page.out} - {territory}
        pull: dict[Node, float] = {}
        for other in sorted(others):
            node = around.lives(other)
            pull[node] = pull.get(node, 0.0) + 1 / len(others)
        return pull

    def _room(self, around: Neighbourhood) -> Counts:
        """For each member, which share is free of what it may be given; 0 or less: none."""
        members = around.members
        weights = np.array([members.weight(name) for name in members.names])
        given = np.array([self._given.get(name, 0) for name in members.names])
        total = max(given.sum(), FEW * len(given))
        room: Counts = 1 - given / ((1 + SLACK) * total * weights / weights.sum())
        return room

    def seen(self, territory: str, page: Page, node: Node, around: Neighbourhood) -> bytes | None:
        at_home = page.origin is None
        if territory in self._settled or (at_home and around.moved(territory)):
            return None
        if at_home:
            self._given[node] = self._given.get(node, 0) + 1
        if node != around.here:
            return None
        self._settled.add(territory)
        words, counts = _words(page)
        self._own[words] += counts.astype(np.int64)
        self._pages += 1
        if self._pages < self._tells_at:
            return None
        self._tells_at = 2 * self._pages
        levels = np.rint(FINENESS * np.log1p(self._own)).clip(0, 255)
        return zlib.compress(levels.astype(np.uint8).tobytes())

    def heard(self, peer: Node, told: bytes) -> None:
        self._levels[peer] = np.frombuffer(zlib.decompress(told), np.uint8)

    def save(self) -> Mapping[str, Any]:
        return {
            "own": zlib.compress(self._own.astype("<i8").tobytes()),
            "pages": self._pages,
            "tells_at": self._tells_at,
            "levels": {name: levels.tobytes() for name, levels in self._levels.items()},
            "given": dict(self._given),
            "settled": sorted(self._settled),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        self._own = np.frombuffer(zlib.decompress(saved["own"]), "<i8").astype(np.int64)
        self._pages, self._tells_at = saved["pages"], saved["tells_at"]
        self._levels = {
            Node(name): np.frombuffer(levels, np.uint8) for name, levels in saved["levels"].items()
        }
        self._given = {Node(name): number for name, number in saved["given"].items()}
        self._settled = set(saved["settled"])


def fits(words: NDArray[np.intp], counts: Counts, profiles: Counts) -> Counts:
    """How much likelier a page's words are under each profile (row) than under all together, in logarithms, on average
    over its words; `counts` of each of its `words`, which are columns. A page without words fits all alike: 0."""
    if not len(words):
        return np.zeros(len(profiles))
    together = profiles.sum(axis=0) + 0.5
    usual = SMOOTHING * together[words] / together.sum()
    ratios = SMOOTHING * (profiles[:, words] + usual) / (profiles.sum(axis=1)[:, None] + SMOOTHING) / usual
    found: Counts = np.log(ratios) @ counts / counts.sum()
    return found


def _words(page: Page) -> tuple[NDArray[np.intp], Counts]:
    """The buckets of a page's words, ascending, and how often they occur."""
    counted: dict[int, int] = {}
    for word, count in page.terms.items():
        bucket = zlib.crc32(word.encode()) % BUCKETS
        counted[bucket] = counted.get(bucket, 0) + count
    buckets = sorted(counted)
    return np.array(buckets, np.intp), np.array([counted[bucket] for bucket in buckets], np.float64)
