"""Hosts that are alike live together: a page of each decides, by its words. Needs no training.

Every node has a **profile**: how often each word occurs on pages of the territories that live with it, words counted in
4,096 buckets by a hash. A page that is fetched of a territory at its home is compared with all profiles: by the
likelihood of its words under each (a multinomial with a Dirichlet prior, which is what all profiles say together), by
where the territories live that it links to, and by how many territories its home gave to each node before.

    score(k) = 1/|d| Σ_w d_w ln((p_kw + μ g_w) / (|p_k| + μ) / g_w)
             + α ln(ε + links to k / links) + γ ln(1 - given_k / most_k)

It begins with a **founding**: each node tells the first of them the words of the first pages that it sees, and once
that one has two for each node it parts them into groups that are alike and tells all others. Without it every home
would begin with topics of its own for the same nodes. From then on the first page of a territory decides; of those that
came before, the next. And each node tells its profile whenever it has grown by as many pages as it had: that takes less
than a kilobyte. So topics arise by themselves, as in k-means of pages that come one by one. Homes are drawn by a hash,
so what each of them gives to the others evenly is even in all.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

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
LINKED: Final = 0.03
"""α: what links weigh, beside the average word."""
UNLINKED: Final = 0.05
"""ε: the share of links of a node to which there are none."""
CROWDED: Final = 0.03
"""γ: what it weighs that a node was given much."""
FEW: Final = 4
SLACK: Final = 0.5
"""A home gives no node more than 1 + `SLACK` times its share of what it gave, or of `FEW` a node."""
FOUNDING: Final = 2
"""Pages for each node with which profiles begin."""
TELLS: Final = 4
"""A node first tells its profile when so many pages came to it since the founding."""
ROUNDS: Final = 8
"""How often these are parted anew, at most."""
LATE: Final = 8
"""A territory with so many pages stays where it is: what was fetched of it remains there."""

Counts = NDArray[np.float64]
_COUNTS: Final[Counts] = np.expm1(np.arange(256) / FINENESS)


class Words(NamedTuple):
    """A page's words: their buckets, ascending, and how often they occur."""

    buckets: NDArray[np.intp]
    counts: Counts


class Alike:
    """See above; a `Housing`. Memory: 4 kB a node, and a string for each territory of which a page came."""

    def __init__(self) -> None:
        self._levels: dict[Node, NDArray[np.uint8]] = {}
        """The profiles that were told; empty before the founding."""
        self._own = np.zeros(BUCKETS, np.int64)
        """What came to this node's since."""
        self._pages = 0
        """From so many pages."""
        self._tells_at = TELLS
        self._first: list[bytes] = []
        """Of the first of the members: what the founding is to be made of."""
        self._given: dict[Node, int] = {}
        self._waiting: dict[str, int] = {}
        """Territories that live here and are not decided, and how many pages came."""
        self._settled: set[str] = set()
        """Territories that live here and stay."""

    def belongs(self, territory: str, page: Page, around: Neighbourhood) -> Node:
        if not self._levels or territory in self._settled or around.moved(territory):
            return around.here
        if self._waiting.get(territory, 0) >= LATE:
            return around.here
        names, words, pull = around.members.names, words_of(page), self._pull(territory, page, around)
        if not len(words.buckets) and not pull:
            return around.here
        profiles = np.array([self._profile(name, around.here) for name in names])
        found = fits(words, profiles, profiles.sum(axis=0), profiles.sum(axis=1))
        found += LINKED * np.log([UNLINKED + pull.get(name, 0.0) for name in names])
        found += _crowding(self._room(around))
        best = found.max()
        if not np.isfinite(best) or found[names.index(around.here)] == best:
            return around.here
        return names[int(found.argmax())]

    def _profile(self, name: Node, here: Node) -> Counts:
        levels = self._levels.get(name)
        told = np.zeros(BUCKETS) if levels is None else _COUNTS[levels]
        return told + self._own if name == here else told

    def _pull(self, territory: str, page: Page, around: Neighbourhood) -> Mapping[Node, float]:
        """Of the territories to which the page links, itself apart, the share that lives with each node."""
        others = {around.territory(url) for url in page.out} - {territory}
        pull: dict[Node, float] = {}
        for other in others:
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

    def seen(
        self, territory: str, page: Page, node: Node, around: Neighbourhood
    ) -> Mapping[Node, Mapping[str, Any]]:
        if territory in self._settled:
            return {}
        if page.origin is not None:
            return self._settle(territory, page, around)
        if around.moved(territory):  # the page was under way when it moved
            return {}
        if not self._levels:
            return self._wait(territory, page, around)
        pages = self._waiting.pop(territory, 0)
        if pages < LATE:
            self._given[node] = self._given.get(node, 0) + 1
        return self._settle(territory, page, around) if node == around.here else {}

    def _wait(self, territory: str, page: Page, around: Neighbourhood) -> Mapping[Node, Mapping[str, Any]]:
        """Before the founding: the first page of each territory is told to who makes it."""
        pages = self._waiting[territory] = self._waiting.get(territory, 0) + 1
        names = around.members.names
        if pages > 1 or len(names) == 1:
            return {}
        told = _sealed(words_of(page))
        if around.here != names[0]:
            return {names[0]: {"page": told}}
        self._first.append(told)
        if len(self._first) < FOUNDING * len(names):
            return {}
        groups = parted([_opened(each) for each in self._first], len(names))
        profiles = {name: sealed_profile(group) for name, group in zip(names, groups, strict=True)}
        self._first.clear()
        self._hear(profiles)
        return {name: {"profiles": profiles} for name in names[1:]}

    def _settle(self, territory: str, page: Page, around: Neighbourhood) -> Mapping[Node, Mapping[str, Any]]:
        """The territory stays here. When there are twice as many, all others hear what they say."""
        self._settled.add(territory)
        words = words_of(page)
        self._own[words.buckets] += words.counts.astype(np.int64)
        self._pages += 1
        if self._pages < self._tells_at:
            return {}
        self._tells_at = 2 * self._pages
        here = around.here
        told = {"profiles": {here: sealed_profile(self._profile(here, here))}}
        return {name: told for name in around.members.names if name != here}

    def heard(self, peer: Node, told: Mapping[str, Any]) -> None:
        if "page" in told and not self._levels:
            self._first.append(told["page"])
        self._hear(told.get("profiles", {}))

    def _hear(self, profiles: Mapping[Node, bytes]) -> None:
        for name, levels in profiles.items():
            self._levels[Node(name)] = np.frombuffer(zlib.decompress(levels), np.uint8)

    def save(self) -> Mapping[str, Any]:
        return {
            "levels": {name: levels.tobytes() for name, levels in self._levels.items()},
            "own": zlib.compress(self._own.astype("<i8").tobytes()),
            "pages": self._pages,
            "tells_at": self._tells_at,
            "first": list(self._first),
            "given": dict(self._given),
            "waiting": dict(self._waiting),
            "settled": sorted(self._settled),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        self._levels = {Node(name): np.frombuffer(each, np.uint8) for name, each in saved["levels"].items()}
        self._own = np.frombuffer(zlib.decompress(saved["own"]), "<i8").astype(np.int64)
        self._pages, self._tells_at = saved["pages"], saved["tells_at"]
        self._first = list(saved["first"])
        self._given = {Node(name): number for name, number in saved["given"].items()}
        self._waiting = dict(saved["waiting"])
        self._settled = set(saved["settled"])


def words_of(page: Page) -> Words:
    counted: dict[int, int] = {}
    for word, count in page.terms.items():
        bucket = zlib.crc32(word.encode()) % BUCKETS
        counted[bucket] = counted.get(bucket, 0) + count
    buckets = sorted(counted)
    return Words(np.array(buckets, np.intp), np.array([counted[bucket] for bucket in buckets], np.float64))


def fits(words: Words, profiles: Counts, together: Counts, sizes: Counts) -> Counts:
    """How much likelier a page's words are under each profile (row) than under all `together`, in logarithms, on
    average over its words; `sizes`: the words of each profile. A page without words fits all alike: 0."""
    if not len(words.buckets):
        return np.zeros(len(profiles))
    usual = SMOOTHING * (together[words.buckets] + 0.5) / (together.sum() + 0.5 * len(together))
    ratios = SMOOTHING * (profiles[:, words.buckets] + usual) / (sizes[:, None] + SMOOTHING) / usual
    found: Counts = np.log(ratios) @ words.counts / words.counts.sum()
    return found


def parted(pages: Sequence[Words], groups: int) -> Counts:
    """The words of pages that are alike, a row a group: one by one each page goes to the group that it fits best, and
    again, until none goes elsewhere. No group gets more than 1 + `SLACK` times its share."""
    profiles, together = np.zeros((groups, BUCKETS)), np.zeros(BUCKETS)
    for page in pages:
        together[page.buckets] += page.counts
    sizes, members, most = np.zeros(groups), np.zeros(groups), (1 + SLACK) * max(1.0, len(pages) / groups)

    def put(page: Words, group: int, sign: int) -> None:
        profiles[group, page.buckets] += sign * page.counts
        sizes[group] += sign * page.counts.sum()
        members[group] += sign

    at: dict[int, int] = {}
    for _ in range(ROUNDS):
        before = dict(at)
        for number, page in enumerate(pages):
            if number in at:
                put(page, at[number], -1)
            found = fits(page, profiles, together, sizes) + _crowding(1 - members / most)
            at[number] = int(found.argmax())
            put(page, at[number], 1)
        if at == before:
            break
    return profiles


def _crowding(room: Counts) -> Counts:
    """What it weighs that a node has only this share of its room left: nothing goes where there is none."""
    return np.where(room > 0, CROWDED * np.log(np.where(room > 0, room, 1.0)), -np.inf)


def sealed_profile(profile: Counts) -> bytes:
    """A profile as it is told."""
    levels = np.rint(FINENESS * np.log1p(profile)).clip(0, 255)
    return zlib.compress(levels.astype(np.uint8).tobytes())


def _sealed(words: Words) -> bytes:
    """A page's words as they are told."""
    both = np.concatenate([words.buckets, words.counts.clip(0, 65_535)])
    return zlib.compress(both.astype("<u2").tobytes())


def _opened(told: bytes) -> Words:
    both = np.frombuffer(zlib.decompress(told), "<u2")
    half = len(both) // 2
    return Words(both[:half].astype(np.intp), both[half:].astype(np.float64))
