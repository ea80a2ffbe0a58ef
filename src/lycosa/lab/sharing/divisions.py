"""Who of many nodes sees to what, for arrays of pages of a generated web. Simple models of the partitions."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
import numpy.typing as npt

from lycosa.lab.sharing.host_queues import Flags, KnownPages, Narrow, Numbers
from lycosa.web.made.chance import mix
from lycosa.web.made.ground_arrays import GroundArrays, mixed

Kind = Literal["host", "url", "topic", "neighbours"]
HOMES, PAGES, TOPICS = 1, 2, 3
STAGES = (8, 16, 32, 64)
"""Pages of a host after which it may move."""
MOST_MOVES, LEAST, MARGIN, SLACK, FEW = 3, 2, 0.2, 0.25, 50
"""Moves of one host; links that must have been seen, and by what share of them another node must be ahead; by how much
a node may exceed its share, of no fewer URLs than this."""


class Division(Protocol):
    """Divides pages among the nodes that are alive."""

    routes: bool
    """Whether a URL has an owner who fetches it. Otherwise it is fetched where it was found, and the page has one."""

    def owners(self, pages: Numbers) -> Numbers:
        """Whose each page is."""
        ...


class ByUrl:
    """The hash of the URL."""

    routes = True

    def __init__(self, seed: int, nodes: int) -> None:
        self._key, self.alive = mix(seed, PAGES), np.ones(nodes, np.bool_)

    def owners(self, pages: Numbers) -> Numbers:
        return scattered(self._key, pages, self.alive)

    def lose(self, node: int) -> None:
        """The node is gone: others own what it had."""
        self.alive[node] = False


class ByHost:
    """The hash of the host."""

    routes = True

    def __init__(self, seed: int, nodes: int, host_of: Narrow, hosts: int) -> None:
        self._key, self.alive, self._host_of = mix(seed, HOMES), np.ones(nodes, np.bool_), host_of
        self.homes = scattered(self._key, np.arange(hosts), self.alive)

    def owners(self, pages: Numbers) -> Numbers:
        return self.homes[self._host_of[pages]]

    def lose(self, node: int) -> None:
        """The node is gone: others own what it had."""
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


class ByNeighbours(ByHost):
    """A host has a home by hash. Who finds it first sees to it, if not full. When 8, 16, 32, 64 pages of it were
    fetched, it moves to where most of the hosts live that it links to. A rule that was tried, and gave way to
    `lycosa.sharing.alike`; links to a host are not weighed, and all nodes know how full the others are. Who was not
    told of the last move sends links to the home, and is told by it.
    """

    def __init__(self, seed: int, nodes: int, host_of: Narrow, hosts: int) -> None:
        super().__init__(seed, nodes, host_of, hosts)
        self._first = self.homes.copy()
        self._told = KnownPages(nodes, hosts)
        self.loads: Numbers = np.zeros(nodes, np.int64)
        """How many URLs each node sees to, fetched and waiting."""
        self._moves = np.zeros(hosts, np.int8)
        self._is_found = np.zeros(hosts, np.bool_)

    def taken_in(self, pages: Numbers) -> None:
        """These are new to their owners."""
        self.loads += np.bincount(self.owners(pages), minlength=len(self.loads))
        self._is_found[self._host_of[pages]] = True

    def claimed(self, finders: Numbers, pages: Numbers) -> tuple[Numbers, Numbers]:
        """Of the hosts of pages that others told their homes of: those nobody had found before and that move to whom
        found them, and whereto."""
        hosts, first = np.unique(self._host_of[pages].astype(np.int64), return_index=True)
        moving = ~self._is_found[hosts] & (self.room()[finders[first]] > 0)
        return hosts[moving], finders[first][moving]

    def better(self, hosts: Numbers, rows: Numbers, targets: Numbers) -> tuple[Numbers, Numbers]:
        """Which hosts move by the links on their pages, and whereto; `rows` are the places in `hosts` of the links."""
        others = self._host_of[targets] != hosts[rows]
        rows, nodes = rows[others], self.owners(targets[others])
        shape, here = (len(hosts), len(self.loads)), self.homes[hosts]
        links = np.bincount(rows * shape[1] + nodes, minlength=shape[0] * shape[1]).reshape(shape)
        total, each = links.sum(axis=1), np.arange(len(hosts))
        pull = links / np.maximum(total, 1)[:, None]
        room = self.room()
        score = pull * room
        best = np.where(score[each, here] >= score.max(axis=1), here, score.argmax(axis=1))
        clear = pull[each, best] - pull[each, here] > MARGIN
        moving = clear & (room[best] > 0) & (total >= LEAST) & (self._moves[hosts] < MOST_MOVES)
        return hosts[moving], best[moving]

    def room(self) -> npt.NDArray[np.float64]:
        """Of each node, which share of what it may see to is free yet."""
        most = (1 + SLACK) * max(FEW, float(self.loads[self.alive].mean()))
        return np.where(self.alive, np.maximum(0.0, 1 - self.loads / most), 0.0)

    def move(self, hosts: Numbers, to: Numbers, urls: Numbers) -> None:
        """Hosts move, with so many URLs each."""
        np.subtract.at(self.loads, self.homes[hosts], urls)
        np.add.at(self.loads, to, urls)
        for host in hosts[self._moves[hosts] > 0].tolist():
            self._told.forget_page(host)
        self._told.add(self.homes[hosts], hosts)
        self._moves[hosts] += 1
        self.homes[hosts] = to

    def believed(self, finders: Numbers, pages: Numbers) -> Numbers:
        """Whom each finder takes for the owner of a page that it has a link to."""
        hosts = self._host_of[pages].astype(np.int64)
        first, now = self._first[hosts], self.homes[hosts]
        knows = (finders == now) | (finders == first) | self._told.has(finders, hosts)
        return np.where(knows, now, first)

    def tell(self, finders: Numbers, pages: Numbers) -> None:
        self._told.add(finders, self._host_of[pages].astype(np.int64))

    def lose(self, node: int) -> None:
        theirs = np.flatnonzero(self.homes == node)
        super().lose(node)
        self._first[theirs] = self.homes[theirs]
        orphans = np.flatnonzero(self._first == node)
        self._first[orphans] = self.homes[orphans]

    def count(self, pages: Numbers) -> None:
        """These are all that the nodes see to."""
        self.loads = np.bincount(self.owners(pages), minlength=len(self.loads))


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
