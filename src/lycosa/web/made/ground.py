"""The ground plan of the made-up topical web: where hosts begin, what pages are about, who links to whom."""

from __future__ import annotations

import random
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from math import isqrt, log
from typing import Final, NamedTuple

import numpy as np

from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.web.made.chance import Permutation, mix, uniform

MAX_LINKS = 30
"""Links of a page that is no hub, at most."""
HUB_PURITY = 0.9
"""Share of a hub's links that lead to its host's topic."""
PATIENCE = 600
"""Candidates that are looked at where only some in-links are asked for. About one in twenty is an in-link."""


class TopicalShape(Record, frozen=True, kw_only=True):
    """What the web looks like. Shares are in [0, 1]."""

    pages: int = 20_000
    hosts: int = 1_200
    """At least one for each topic, at most as many as pages."""
    unevenness: float = 0.7
    """The k-th largest host of a topic has a share of the topic's pages in proportion to k ** -unevenness."""
    topic_unevenness: float = 0.0
    """The hosts of the k-th topic have a share of all pages in proportion to k ** -topic_unevenness."""
    parents: int = 12
    """Main topics."""
    leaves: int = 8
    """Topics under each main topic."""
    links: float = 7.4
    """Links of a page that is no hub, on average, before copies are struck out. At most 30 on one page."""
    internal: float = 0.4
    """Share of links that stay on the host."""
    locality: float = 0.35
    """Share of a topical page's links that lead to its host's topic."""
    kinship: float = 0.08
    """Share of a topical page's links that lead to its host's main topic; what remains leads anywhere."""
    homes: float = 0.3
    """Share of links beyond the host that lead to home pages."""
    hubs: float = 0.02
    """Share of pages with many links, nine in ten of them to the host's topic."""
    hub_links: int = 40
    shy: float = 0.3
    """Share of hosts whose links beyond the host lead anywhere, those of hubs apart."""
    drift: float = 0.15
    """Share of pages that are on no topic."""
    siblings: float = 0.1
    """Share of pages that are on any topic under their host's main topic."""
    honesty: float = 0.6
    """Share of links to topical pages whose anchors say so."""
    duplicates: float = 0.03
    """Share of pages that have another page's words but for three in a hundred."""
    failures: float = 0.03
    """Share of URLs that bring no page: in turn no connection, no answer in time, 404 and 503."""
    redirects: float = 0.02
    """Share of URLs that redirect to another page of the host."""
    slow: float = 0.05
    """Share of hosts that take twenty times as long to answer."""
    traps: float = 0.02
    """Share of hosts with a calendar that never ends."""
    robots: float = 0.1
    """Share of hosts with a robots.txt that forbids ``/private/``, where one page in twenty lies."""
    words: int = 150
    """Words of a page."""


# What a draw is for: each has a key of its own.
KIND, TOPIC, SIBLING, DEGREE, CLASS, TARGET, HOMING, FATE, COPY, HOST, SLOW = range(11)
INTERNAL, LEAF, PARENT, WEB = range(4)
"""Where a link leads: to a page of the host, of its topic, of its main topic, anywhere."""


class Candidates(NamedTuple):
    """Pages that may have a link of one slot and class to a page."""

    slot: int
    kind: int
    home: bool
    """Whether the link must lead home."""
    start: int
    permutation: Permutation
    """Of the pages from the first one on."""
    places: range
    """Where the pages are, permuted."""


class Ground:
    """Hosts, topics and links. Pages of one topic's hosts, and hosts of one main topic, have numbers that follow each
    other. Memory: 8 bytes a host.

    A link is drawn in two steps: a permutation of the pages that it may lead to, then x → x² / n, which makes some
    pages many times as popular as others. Both can be undone, so in-links are found without a search.
    """

    def __init__(self, shape: TopicalShape, seed: int) -> None:
        """Raises `InputError` if there are fewer hosts than topics or fewer pages than hosts."""
        self.shape = shape
        self.topics: Final = shape.parents * shape.leaves
        if not 0 < self.topics <= shape.hosts <= shape.pages:
            raise InputError(
                f"{self.topics} topics, {shape.hosts} hosts, {shape.pages} pages: "
                "give each topic at least one host and each host at least one page"
            )
        self.keys = [mix(seed & (1 << 64) - 1, 1000 + what) for what in range(11)]
        self.hosts_of_topic = [topic * shape.hosts // self.topics for topic in range(self.topics + 1)]
        self.starts = _starts(shape, self.hosts_of_topic)
        self._topic_starts = [self.starts[host] for host in self.hosts_of_topic]
        self.most_links = max(MAX_LINKS, shape.hub_links)

    def draw(self, what: int, number: int) -> float:
        """One draw from [0, 1), always the same for the same number."""
        return uniform(self.keys[what], number)

    # -- hosts and topics ------------------------------------------------------------------------------------

    def host(self, number: int) -> int:
        return bisect_right(self.starts, number) - 1

    def is_home(self, number: int) -> bool:
        return number == self.starts[self.host(number)]

    def neighbour(self, number: int, what: int) -> int:
        """A page of the same host, at random."""
        host = self.host(number)
        start = self.starts[host]
        return start + mix(self.keys[what], ~number & (1 << 64) - 1) % (self.starts[host + 1] - start)

    @lru_cache(maxsize=65536)  # noqa: B019 - bounded, and a web lives as long as its crawls
    def topic(self, number: int) -> int | None:
        """What a page is about, copies apart. A host's home is about the host's topic."""
        topic = bisect_right(self._topic_starts, number) - 1
        draw = self.draw(TOPIC, number)
        if draw >= self.shape.drift + self.shape.siblings or self.is_home(number):
            return topic
        if draw < self.shape.drift:
            return None
        parent = topic // self.shape.leaves
        return parent * self.shape.leaves + mix(self.keys[SIBLING], number) % self.shape.leaves

    def kin(self, number: int) -> range:
        """The pages of all hosts that are about what the page's host is about."""
        topic = bisect_right(self._topic_starts, number) - 1
        return range(self._topic_starts[topic], self._topic_starts[topic + 1])

    @lru_cache(maxsize=65536)  # noqa: B019 - bounded, and a web lives as long as its crawls
    def is_hub(self, number: int) -> bool:
        return self.draw(KIND, number) < self.shape.hubs

    # -- links -----------------------------------------------------------------------------------------------

    def links(self, number: int) -> list[int]:
        """Where the links of a page lead, each once, itself left out."""
        targets = [self._target(number, slot) for slot in range(self._degree(number))]
        return [target for target in dict.fromkeys(targets) if target != number]

    @lru_cache(maxsize=16384)  # noqa: B019 - bounded, and a web lives as long as its crawls
    def in_links(self, number: int) -> Sequence[int]:
        """The pages that link to a page, ascending. Time grows with their number."""
        found = {
            source
            for candidates in self._candidates(number)
            for place in candidates.places
            if (source := self._source(candidates, place)) is not None
        }
        return sorted(found - {number})

    def some_in_links(self, number: int, n: int, chance: random.Random) -> Sequence[int]:
        """Up to n of the pages that link to a page. Of popular ones, 600 candidates are looked at, by chance."""
        ranges = self._candidates(number)
        weights = [len(candidates.places) for candidates in ranges]
        if sum(weights) <= PATIENCE:
            found = self.in_links(number)
        else:
            drawn = chance.choices(ranges, weights, k=PATIENCE)
            sources = (self._source(candidates, chance.choice(candidates.places)) for candidates in drawn)
            found = sorted({source for source in sources if source is not None} - {number})
        return found if len(found) <= n else sorted(chance.sample(found, n))

    @lru_cache(maxsize=65536)  # noqa: B019 - bounded, and a web lives as long as its crawls
    def _degree(self, number: int) -> int:
        """1 + ⌊an exponential draw⌋, with the mean asked for."""
        if self.is_hub(number):
            return self.shape.hub_links
        if self.shape.links <= 0:
            return 0
        draw = -log(1 - self.draw(DEGREE, number)) * max(self.shape.links - 0.5, 0.1)
        return min(1 + int(draw), MAX_LINKS)

    def _class(self, number: int, slot: int) -> int:
        """Whereto a page's link of this number leads."""
        shape, draw = self.shape, self.draw(CLASS, number * 64 + slot)
        if self.is_hub(number):
            return LEAF if draw < HUB_PURITY else INTERNAL
        if draw < shape.internal:
            return INTERNAL
        if self.topic(number) is None or self.draw(HOST, self.host(number) * 4 + 3) < shape.shy:
            return WEB
        draw -= shape.internal
        return LEAF if draw < shape.locality else PARENT if draw < shape.locality + shape.kinship else WEB

    def _leads_home(self, number: int, slot: int) -> bool:
        return self.draw(HOMING, number * 64 + slot) < self.shape.homes

    def _span(self, number: int, kind: int) -> tuple[int, int]:
        """The pages among which links of a class are drawn, for all pages that are among them."""
        if kind == WEB:
            return 0, self.shape.pages
        if kind == INTERNAL:
            host = self.host(number)
            return self.starts[host], self.starts[host + 1]
        topic = bisect_right(self._topic_starts, number) - 1
        if kind == LEAF:
            return self._topic_starts[topic], self._topic_starts[topic + 1]
        first = topic - topic % self.shape.leaves
        return self._topic_starts[first], self._topic_starts[first + self.shape.leaves]

    @lru_cache(maxsize=16384)  # noqa: B019 - bounded, and a web lives as long as its crawls
    def _permutation(self, kind: int, slot: int, start: int, n: int) -> Permutation:
        return Permutation(n, mix(self.keys[TARGET] ^ start, kind * 64 + slot))

    def _target(self, number: int, slot: int) -> int:
        kind = self._class(number, slot)
        start, end = self._span(number, kind)
        n = end - start
        place = self._permutation(kind, slot, start, n).there(number - start)
        target = start + place * place // n
        if kind != INTERNAL and self._leads_home(number, slot):
            return self.starts[self.host(target)]
        return target

    def _candidates(self, number: int) -> list[Candidates]:
        """The places of all pages that may link here, by slot and class: those x with first <= x² / n < last."""
        found: list[Candidates] = []
        host = self.host(number)
        is_home = number == self.starts[host]
        for kind in (INTERNAL, LEAF, PARENT, WEB):
            start, end = self._span(number, kind)
            spans = [(False, number - start, number - start + 1)]
            if is_home and kind != INTERNAL:
                spans.append((True, number - start, self.starts[host + 1] - start))
            for home, first, last in spans:
                places = range(_root(first * (end - start)), _root(last * (end - start)))
                found += [
                    Candidates(
                        slot, kind, home, start, self._permutation(kind, slot, start, end - start), places
                    )
                    for slot in range(self.most_links if places else 0)
                ]
        return found

    def _source(self, candidates: Candidates, place: int) -> int | None:
        """The page at a permuted place, if it has the link in question."""
        slot, kind, home, start, permutation, _ = candidates
        source = start + permutation.back(place)
        if slot >= self._degree(source) or self._class(source, slot) != kind:
            return None
        return source if kind == INTERNAL or self._leads_home(source, slot) == home else None


def _root(n: int) -> int:
    """⌈√n⌉"""
    return isqrt(n - 1) + 1 if n > 0 else 0


def _starts(shape: TopicalShape, hosts_of_topic: list[int]) -> array[int]:
    """Where each host's pages begin, and where the last one's end. Every host has one page at least."""
    topics = len(hosts_of_topic) - 1
    starts = array("q", [0])
    weights = np.arange(1, topics + 1, dtype=np.float64) ** -shape.topic_unevenness
    shared = np.floor((shape.pages - shape.hosts) * np.cumsum(weights) / weights.sum()).astype(np.int64)
    shared[-1] = shape.pages - shape.hosts
    for topic, share in enumerate(np.diff(shared, prepend=0).tolist()):
        hosts = hosts_of_topic[topic + 1] - hosts_of_topic[topic]
        weights = np.arange(1, hosts + 1, dtype=np.float64) ** -shape.unevenness
        passed = np.rint(share * np.cumsum(weights) / weights.sum()).astype(np.int64)
        passed[-1] = share
        begin = starts[-1]
        starts.extend((begin + passed + np.arange(1, hosts + 1)).tolist())
    return starts
