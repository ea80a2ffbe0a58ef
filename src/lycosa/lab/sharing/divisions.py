"""Who of many nodes sees to what, for arrays of pages of a generated web. Simple models of the partitions."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np

from lycosa.lab.sharing.host_queues import Flags, KnownPages, Numbers
from lycosa.web.made.chance import mix
from lycosa.web.made.ground_arrays import GroundArrays, mixed

Kind = Literal["host", "url", "topic", "ours"]
HOMES, PAGES, TOPICS = 1, 2, 3


class Division(Protocol):
    """Divides pages among the nodes that are alive."""

    routes: bool
    """Whether a URL has an owner who fetches it. Otherwise it is fetched where it was found, and the page has one."""

    def owners(self, pages: Numbers) -> Numbers:
        """Whose each page is."""
        ...

    def lose(self, node: int) -> None:
        """The node is gone: others own what it had."""
        ...


class ByUrl:
    """The hash of the URL."""

    routes = True

    def __init__(self, seed: int, nodes: int) -> None:
        self._key, self.alive = mix(seed, PAGES), np.ones(nodes, np.bool_)

    def owners(self, pages: Numbers) -> Numbers:
        return scattered(self._key, pages, self.alive)

    def lose(self, node: int) -> None:
        self.alive[node] = False


class ByHost:
    """The hash of the host."""

    routes = True

    def __init__(self, seed: int, nodes: int, host_of: Numbers, hosts: int) -> None:
        self._key, self.alive, self._host_of = mix(seed, HOMES), np.ones(nodes, np.bool_), host_of
        self.homes = scattered(self._key, np.arange(hosts), self.alive)

    def owners(self, pages: Numbers) -> Numbers:
        return self.homes[self._host_of[pages]]

    def lose(self, node: int) -> None:
        self.alive[node] = False
        theirs = np.flatnonzero(self.homes == node)
        self.homes[theirs] = scattered(self._key, theirs, self.alive)


class ByTopic:
    """What the page is about, by a classifier without error; a page about nothing goes to some topic, always the same.
    Topics are dealt out to the nodes in the order of their hashes, so each has as many as any other, or one more. (X4)
    """

    routes = False

    def __init__(self, seed: int, nodes: int, ground: GroundArrays) -> None:
        self._ground, self._key = ground, np.uint64(mix(seed, TOPICS))
        self.node_of = dealt(seed, len(ground.hosts_of_topic) - 1, nodes)

    def owners(self, pages: Numbers) -> Numbers:
        topics = self._ground.topics(pages)
        some = (mixed(self._key, pages) % np.uint64(len(self.node_of))).astype(np.int64)
        return self.node_of[np.where(topics < 0, some, topics)]

    def lose(self, node: int) -> None:
        raise NotImplementedError("what is lost with a node is counted for partitions of URLs only")


class ByHome(ByHost):
    """A host has its home by hash. After some pages of it are fetched it moves, once, to the node that has its topic,
    if that has not much more than its share by then. Links still go to the old home until the finder is told.
    """

    def __init__(self, seed: int, nodes: int, host_of: Numbers, ground: GroundArrays) -> None:
        hosts = len(ground.starts) - 1
        super().__init__(seed, nodes, host_of, hosts)
        about = np.searchsorted(ground.hosts_of_topic, np.arange(hosts), side="right") - 1
        self._goals = dealt(seed, len(ground.hosts_of_topic) - 1, nodes)[about]
        self._first = self.homes.copy()
        self._told = KnownPages(nodes, hosts)

    def moving(self, hosts: Numbers, may_grow: Flags) -> Numbers:
        """Of these hosts, of whose pages enough were seen: those that move now, to a node that may grow."""
        goals = self._goals[hosts]
        return hosts[(goals != self.homes[hosts]) & self.alive[goals] & may_grow[goals]]

    def move(self, hosts: Numbers) -> None:
        self.homes[hosts] = self._goals[hosts]

    def believed(self, finders: Numbers, pages: Numbers) -> Numbers:
        """Whom each finder takes for the owner of a page that it has a link to."""
        hosts = self._host_of[pages]
        knows = self._told.has(finders, hosts) | (finders == self.homes[hosts])
        return np.where(knows, self.homes[hosts], self._first[hosts])

    def tell(self, finders: Numbers, pages: Numbers) -> None:
        self._told.add(finders, self._host_of[pages])

    def lose(self, node: int) -> None:
        theirs = np.flatnonzero(self.homes == node)
        super().lose(node)
        self._first[theirs] = self.homes[theirs]
        orphans = np.flatnonzero(self._first == node)
        self._first[orphans] = self.homes[orphans]


def scattered(key: int, numbers: Numbers, alive: Flags) -> Numbers:
    """A node for each number, by hash, all alike likely; when one is gone, only what it had goes to others."""
    result = (mixed(np.uint64(key), numbers) % np.uint64(len(alive))).astype(np.int64)
    turn = 0
    while len(places := np.flatnonzero(~alive[result])):
        turn += 1
        again = mixed(np.uint64(mix(key, turn)), numbers[places])
        result[places] = (again % np.uint64(len(alive))).astype(np.int64)
    return result


def dealt(seed: int, topics: int, nodes: int) -> Numbers:
    """The node of each topic."""
    order = np.argsort(mixed(np.uint64(mix(seed, TOPICS)), np.arange(topics)), kind="stable")
    result = np.empty(topics, np.int64)
    result[order] = np.arange(topics) % nodes
    return result
