"""The ground plan of the made-up topical web for many pages at once: the same web, some hundred times as fast."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from lycosa.web.made.ground import (
    CLASS,
    DEGREE,
    HOMING,
    HOST,
    HUB_PURITY,
    INTERNAL,
    KIND,
    LEAF,
    MAX_LINKS,
    PARENT,
    SIBLING,
    TARGET,
    TOPIC,
    WEB,
    Ground,
)

Numbers: TypeAlias = npt.NDArray[np.int64]
Keys: TypeAlias = npt.NDArray[np.uint64]

GOLDEN, FIRST, SECOND = (
    np.uint64(0x9E3779B97F4A7C15),
    np.uint64(0xBF58476D1CE4E5B9),
    np.uint64(0x94D049BB133111EB),
)


class GroundArrays:
    """Hosts, topics and links of arrays of pages, as `Ground` has them for one page. Memory: 8 bytes a host.

    Invariants, each the name of a property test:

    * one web: hosts, topics and links are those of `Ground` of the same shape and seed, in the same order.
    """

    def __init__(self, ground: Ground) -> None:
        self.shape, self._keys = ground.shape, ground.keys
        self.starts = np.array(ground.starts, np.int64)
        self.hosts_of_topic = np.array(ground.hosts_of_topic, np.int64)
        self._topic_starts = self.starts[self.hosts_of_topic]

    # -- hosts and topics ------------------------------------------------------------------------------------

    def hosts(self, pages: Numbers) -> Numbers:
        return np.searchsorted(self.starts, pages, side="right") - 1

    def topics_of_hosts(self, pages: Numbers) -> Numbers:
        """What the host of each page is about."""
        return np.searchsorted(self._topic_starts, pages, side="right") - 1

    def topics(self, pages: Numbers) -> Numbers:
        """What each page is about, -1 for nothing."""
        shape, own, draw = self.shape, self.topics_of_hosts(pages), self._draw(TOPIC, pages)
        kin = own - own % shape.leaves
        kin += (self._mixed(SIBLING, pages) % np.uint64(shape.leaves)).astype(np.int64)
        drifts, strays = draw < shape.drift, draw < shape.drift + shape.siblings
        is_home = self.starts[self.hosts(pages)] == pages
        return np.where(is_home | ~strays, own, np.where(drifts, -1, kin))

    # -- links -----------------------------------------------------------------------------------------------

    def links(self, pages: Numbers) -> tuple[Numbers, Numbers]:
        """The links of all pages, page after page in the order they are drawn: the place of the page in `pages`, and
        the page that the link names. Each target once a page, the page itself left out. 0.5 µs a link."""
        degrees = self._degrees(pages)
        rows = np.repeat(np.arange(len(pages)), degrees)
        slots = np.arange(len(rows)) - np.repeat(np.cumsum(degrees) - degrees, degrees)
        targets = self._targets(pages, rows, slots)
        first = np.unique(rows * self.shape.pages + targets, return_index=True)[1]
        first.sort()
        first = first[targets[first] != pages[rows[first]]]
        return rows[first], targets[first]

    def _degrees(self, pages: Numbers) -> Numbers:
        shape = self.shape
        if shape.links > 0:
            draws = -np.log(1 - self._draw(DEGREE, pages)) * max(shape.links - 0.5, 0.1)
            usual = np.minimum(1 + draws.astype(np.int64), MAX_LINKS)
        else:
            usual = np.zeros(len(pages), np.int64)
        return np.where(self._hubs(pages), shape.hub_links, usual)

    def _hubs(self, pages: Numbers) -> npt.NDArray[np.bool_]:
        return self._draw(KIND, pages) < self.shape.hubs

    def _targets(self, pages: Numbers, rows: Numbers, slots: Numbers) -> Numbers:
        hosts, topics = self.hosts(pages), self.topics_of_hosts(pages)
        kinds = self._classes(pages, hosts, rows, slots)
        start, end = self._spans(kinds, hosts[rows], topics[rows])
        n = end - start
        keys = mixed(np.uint64(self._keys[TARGET]) ^ start.astype(np.uint64), kinds * 64 + slots)
        place = permuted(n, keys, pages[rows] - start)
        targets = start + place * place // n
        leads_home = (self._draw(HOMING, pages[rows] * 64 + slots) < self.shape.homes) & (kinds != INTERNAL)
        targets[leads_home] = self.starts[self.hosts(targets[leads_home])]
        return targets

    def _classes(self, pages: Numbers, hosts: Numbers, rows: Numbers, slots: Numbers) -> Numbers:
        """Whereto each link leads."""
        shape, draw = self.shape, self._draw(CLASS, pages[rows] * 64 + slots)
        shy = self._draw(HOST, hosts * 4 + 3) < shape.shy
        anywhere = ((self.topics(pages) < 0) | shy)[rows]
        beyond = draw - shape.internal
        kind = np.where(
            beyond < shape.locality, LEAF, np.where(beyond < shape.locality + shape.kinship, PARENT, WEB)
        )
        kind[anywhere] = WEB
        kind[beyond < 0] = INTERNAL
        return np.where(self._hubs(pages)[rows], np.where(draw < HUB_PURITY, LEAF, INTERNAL), kind)

    def _spans(self, kinds: Numbers, hosts: Numbers, topics: Numbers) -> tuple[Numbers, Numbers]:
        """The pages among which each link is drawn: the first, and the one after the last."""
        first = topics - topics % self.shape.leaves
        leads = [kinds == INTERNAL, kinds == LEAF, kinds == PARENT]
        start = np.select(
            leads, [self.starts[hosts], self._topic_starts[topics], self._topic_starts[first]], 0
        )
        ends = (
            self.starts[hosts + 1],
            self._topic_starts[topics + 1],
            self._topic_starts[first + self.shape.leaves],
        )
        return start, np.select(leads, ends, self.shape.pages)

    def _mixed(self, what: int, numbers: Numbers) -> Keys:
        return mixed(np.uint64(self._keys[what]), numbers)

    def _draw(self, what: int, numbers: Numbers) -> npt.NDArray[np.float64]:
        return (self._mixed(what, numbers) >> np.uint64(11)) / 9007199254740992.0


def mixed(keys: Keys | np.uint64, numbers: Numbers | Keys) -> Keys:
    """`mix` of each key and number, or of one key and each number."""
    z = numbers.astype(np.uint64)
    z *= GOLDEN
    z = z + keys
    z ^= z >> np.uint64(30)
    z *= FIRST
    z ^= z >> np.uint64(27)
    z *= SECOND
    z ^= z >> np.uint64(31)
    return z


def permuted(n: Numbers, keys: Keys, x: Numbers) -> Numbers:
    """Where each x goes, in its own `Permutation` of n numbers by its own key."""
    result = x.copy()
    left_over = np.arange(len(x))
    bits = np.maximum(2, np.frexp((n - 1).astype(np.float64))[1]).astype(np.uint64)
    rounds = [mixed(keys, np.full(1, turn)) for turn in range(4)]
    while len(left_over):
        result[left_over] = _sent_through(
            bits[left_over], [each[left_over] for each in rounds], result[left_over].astype(np.uint64)
        ).astype(np.int64)
        left_over = left_over[result[left_over] >= n[left_over]]
    return result


def _sent_through(bits: Keys, rounds: list[Keys], x: Keys) -> Keys:
    """Once through the network of four rounds."""
    one = np.uint64(1)
    low = bits // np.uint64(2)
    mask_low, mask_high = (one << low) - one, (one << bits - low) - one
    right, left = x & mask_low, x >> low
    left ^= mixed(rounds[0], right) & mask_high
    right ^= mixed(rounds[1], left) & mask_low
    left ^= mixed(rounds[2], right) & mask_high
    right ^= mixed(rounds[3], left) & mask_low
    left <<= low
    left |= right
    return left
