"""On how many occasions the relevant pages of a crawl link to each URL, in bounded memory: for capture–recapture."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

from lycosa.crawl.recall import Catch
from lycosa.model.compiled import compiled
from lycosa.model.url import Url

_SKETCHING: Final = compiled("lycosa.crawl._sketching")
OCCASIONS = 16
"""Relevant pages fall into so many groups by a hash of their URLs; each group is one occasion to catch the URLs that
its pages link to. Groups, and not single pages, so that 16 bits tell all, and a page fetched again counts once."""

MOST = 65_536
"""URLs that are remembered. Beyond that a sample is kept: those whose hash lies in one half of the range, then in a
quarter, and so on (the adaptive sampling of Wegman; Flajolet, Computing 43, 1990)."""

RECENT = 200
"""Relevant pages over which `fresh` is taken."""

_ALL = 1 << 32
_GROUPS = (1 << OCCASIONS) - 1
_WAITING, _OTHER, _RELEVANT, _ALIAS = range(4)
"""What became of a URL, in the bits above those of the groups. An alias is another name of a page that has one."""


def always(url: Url) -> bool:
    """Where each target counts."""
    return True


class Captures:
    """Counts URLs by the number of occasions on which relevant pages linked to them, and by what became of them.

    Memory: at most some 12 MB, however long the crawl. Invariants, each the name of a property test:

    * as counted by hand: while no more than `most` URLs are known, `catches` are the exact counts.
    * once: telling the same again does not change `catches`.
    * bounded: never more than `most` URLs are remembered.
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._below = _ALL  # only URLs whose hash is below are remembered
        self._known: dict[int, int] = {}
        self._counts = _no_counts()
        self._fresh: deque[int] = deque(maxlen=RECENT)

    def linked(
        self, source: Url, targets: Sequence[Url], *, relevant: bool, counts: Callable[[Url], bool] = always
    ) -> None:
        """A page links to these URLs. Only links of relevant pages are occasions; all make a URL known. `counts` says
        of a target whether it is one that counts; it is asked of those alone of which that would change anything."""
        bit = 1 << crc32(source.encode()) % OCCASIONS if relevant else 0
        known, before = self._known, len(self._known)
        for target, key, held in caught(known, tuple(targets), self._below, bit):
            if counts(target):
                self._put(key, held | bit)
        if relevant:
            self._fresh.append((len(known) - before) * (_ALL // self._below))
        self._trim()

    def fetched(self, url: Url, *, relevant: bool) -> None:
        """A visit to a URL is over: it brought a relevant page, or something else."""
        self._settle(url, _RELEVANT if relevant else _OTHER)

    def alias(self, url: Url) -> None:
        """A URL that was not fetched itself leads to a page that goes by another one: it does not wait any more."""
        key = crc32(url.encode())
        if self._known.get(key, 0) >> OCCASIONS == _WAITING:
            self._settle(url, _ALIAS)

    def catches(self) -> list[Catch]:
        """By the number of occasions, from none to all. Of a sample, if there were too many URLs."""
        return [
            Catch(relevant=counts[_RELEVANT], other=counts[_OTHER], waiting=counts[_WAITING])
            for counts in self._counts
        ]

    @property
    def fresh(self) -> float:
        """How many URLs that nobody knew a relevant page shows: the mean of the last 200; 0 before the first."""
        return sum(self._fresh) / len(self._fresh) if self._fresh else 0.0

    def __len__(self) -> int:
        """URLs that are remembered."""
        return len(self._known)

    def _settle(self, url: Url, state: int) -> None:
        key = crc32(url.encode())
        if key < self._below:
            self._put(key, self._known.get(key, 0) & _GROUPS | state << OCCASIONS)
            self._trim()

    def _put(self, key: int, held: int) -> None:
        before = self._known.get(key)
        if before is not None:
            self._count(before, -1)
        self._known[key] = held
        self._count(held, 1)

    def _count(self, held: int, by: int) -> None:
        self._counts[(held & _GROUPS).bit_count()][held >> OCCASIONS] += by

    def _trim(self) -> None:
        while len(self._known) > self.most:
            self._below //= 2
            for key in [key for key in self._known if key >= self._below]:
                self._count(self._known.pop(key), -1)

    def save(self) -> Mapping[str, Any]:
        keys, held = (
            struct.pack(f"<{len(self._known)}I", *part) for part in (self._known.keys(), self._known.values())
        )
        return {"below": self._below, "fresh": list(self._fresh), "urls": keys, "held": held}

    def load(self, state: Mapping[str, Any]) -> None:
        self._below, count = state["below"], len(state["urls"]) // 4
        self._known, self._counts = {}, _no_counts()
        self._fresh = deque(state["fresh"], maxlen=RECENT)
        keys, held = (struct.unpack(f"<{count}I", state[part]) for part in ("urls", "held"))
        for key, value in zip(keys, held, strict=True):
            self._put(key, value)


def caught(
    known: dict[int, int], targets: tuple[Url, ...], below: int, bit: int
) -> Iterable[tuple[Url, int, int]]:
    """Those of the targets whose hash is `below` that and of which this `bit` is not known yet, each with its hash and
    what is known of it, 0 for nothing."""
    if _SKETCHING is not None:
        found: list[tuple[Url, int, int]] = _SKETCHING.caught(known, targets, below, bit)
        return found
    hashed = [(target, crc32(target.encode())) for target in targets]
    return [
        (target, key, known.get(key, 0))
        for target, key in hashed
        if key < below and (key not in known or known[key] | bit != known[key])
    ]


def _no_counts() -> list[list[int]]:
    """URLs by how many groups linked there, and by what became of them."""
    return [[0] * 4 for _ in range(OCCASIONS + 1)]
