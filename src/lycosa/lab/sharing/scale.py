"""A crawl by many nodes of a web of ten million pages and more, counted: who fetches what, who tells whom.

No page is made and no `Crawl` is run. Time goes in turns, each as long as a host rests between two visits. In a turn a
host is asked once, by whichever node, and a node visits no more pages than its pace allows, what has waited longest
first. What a node has for others lies in a box for each; all boxes are emptied every few turns.
"""

from __future__ import annotations

import numpy as np

from lycosa.lab.sharing.divisions import (
    HOMES,
    STAGES,
    ByHost,
    ByNeighbours,
    ByTopic,
    ByUrl,
    Division,
    Kind,
    scattered,
)
from lycosa.lab.sharing.host_queues import Flags, HostQueues, KnownPages, Narrow, Numbers
from lycosa.model.errors import InputError
from lycosa.model.records import Record
from lycosa.web.made.chance import mix
from lycosa.web.made.ground import Ground, TopicalShape
from lycosa.web.made.ground_arrays import GroundArrays

SEEDS = 5
ENTRY_BITS = 32
NOTICE = -1


class Plan(Record, frozen=True, kw_only=True):
    """Which crawl is counted."""

    shape: TopicalShape
    seed: int = 0
    nodes: int = 64
    partition: Kind = "host"
    pace: float = 50.0
    """Pages that a node can fetch and take in a second."""
    interval: float = 1.3
    """Seconds from one visit to a host to the next: the delay, and the time that an answer takes. One turn."""
    box_turns: int = 4
    """Boxes are emptied every so many turns."""
    box_links: int = 1000
    """What one message holds, links or pages."""
    budget: int = 0
    """Pages that the nodes fetch, all together. 0: no bound."""
    seeds: int = 1000
    """Home pages, of hosts drawn at random, from which the crawl starts."""
    losses: tuple[tuple[int, int], ...] = ()
    """Turns, and the node that is lost with its folder after each."""


COUNTS = (
    "downloads",
    "kept",
    "found",
    "local",
    "sent_links",
    "sent_pages",
    "forwarded",
    "got",
    "taken_in",
    "sent_messages",
    "got_messages",
    "known",
    "asks",
    "sent_again",
    "lost_pages",
    "moves",
    "moved_known",
)


class Counts:
    """By node.

    `downloads` pages fetched, `kept` of them or of those sent by others that are the node's own; `found` links on
    pages it took in, `local` those to pages of its own; `sent_links`, `sent_pages`, `forwarded` links that came to an
    old owner; `got` of all these, `taken_in` of what it got; messages; URLs `known`; `asks` visits before which the
    host's warden had to be asked, as another node had visited it last; links `sent_again` because a node was lost,
    `lost_pages` it had; hosts that moved away, and the URLs known of them.
    """

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._by_name = {name: np.zeros(nodes, np.int64) for name in COUNTS}
        self.parcels = 0
        """Steps of one node that had something for one other."""

    def __getitem__(self, name: str) -> Numbers:
        return self._by_name[name]

    def add(self, name: str, nodes: Numbers) -> None:
        """One for each of these nodes."""
        self._by_name[name] += np.bincount(nodes, minlength=self._nodes)

    def total(self, name: str) -> int:
        return int(self._by_name[name].sum())


class Outcome(Record, frozen=True, kw_only=True):
    """What was counted."""

    plan: Plan
    counts: Counts
    fetched: tuple[int, ...]
    """Downloads by the end of each turn."""
    busy: tuple[int, ...]
    """Hosts at which something waited at the beginning of each turn."""
    last_fetch: int
    """The turn of the last download."""
    quiet: int
    """The turn by which all that was sent had been taken in."""
    times: tuple[int, ...]
    """How many pages were fetched by one node, by two, and so on."""
    hosts: Numbers
    """Downloads by host."""


def counted(plan: Plan) -> Outcome:
    """Crawl until the budget is spent or nothing waits. Memory: some 40 bytes a page, and a bit a page and node. Raises
    `InputError` for a plan that cannot be counted."""
    if plan.losses and plan.partition == "topic":
        raise InputError(
            "what is lost with a node is counted for partitions of URLs only: choose host or url"
        )
    crawl = _Rounds(plan)
    while crawl.goes_on:
        crawl.turn()
    return crawl.outcome()


class _Rounds:
    """The crawl, turn by turn."""

    def __init__(self, plan: Plan) -> None:
        shape = plan.shape
        self.plan, self.now, self.last_fetch = plan, 0, 0
        self.counts = Counts(plan.nodes)
        self.ground = GroundArrays(Ground(shape, plan.seed))
        self.host_of = np.repeat(np.arange(shape.hosts, dtype=np.int32), np.diff(self.ground.starts))
        self.division = _division(plan, self.ground, self.host_of)
        self.alive = np.ones(plan.nodes, np.bool_)
        self.queues = HostQueues(shape.hosts)
        self.known = KnownPages(plan.nodes, shape.pages)
        self.times = np.zeros(shape.pages, np.uint16)
        self.kept, self.entered = np.zeros((2, shape.pages), np.bool_)
        """Which pages their owners have, and which URLs their owners were told of."""
        self.keepers = np.zeros(shape.pages, np.int16)
        """Who took in each page that is kept."""
        self.visits = np.zeros(shape.hosts, np.int32)
        self.holders = scattered(mix(plan.seed, HOMES), np.arange(shape.hosts), self.alive)
        """Who may visit each host without asking: at first its warden."""
        self.boxes = _Boxes()
        self.fetched, self.busy = list[int](), list[int]()
        self._start()

    def _start(self) -> None:
        homes = self.ground.starts[:-1]
        drawn = np.random.default_rng(mix(self.plan.seed, SEEDS)).permutation(len(homes))[: self.plan.seeds]
        self.seeds = homes[np.sort(drawn)]
        self._take_in(self.division.owners(self.seeds), self.seeds)

    @property
    def left(self) -> int:
        """Of the budget. What a lost node had does not count."""
        everything = self.plan.budget or self.plan.shape.pages * self.plan.nodes
        return everything - self.counts.total("downloads") + self.counts.total("lost_pages")

    @property
    def goes_on(self) -> bool:
        return len(self.boxes) > 0 or (len(self.queues.busy) > 0 and self.left > 0)

    def outcome(self) -> Outcome:
        times = np.bincount(self.times)
        return Outcome(
            plan=self.plan,
            counts=self.counts,
            fetched=tuple(self.fetched),
            busy=tuple(self.busy),
            last_fetch=self.last_fetch,
            quiet=self.now,
            times=tuple(times[1:].tolist()),
            hosts=self.visits.astype(np.int64),
        )

    # -- a turn ----------------------------------------------------------------------------------------------

    def turn(self) -> None:
        self.now += 1
        self.busy.append(len(self.queues.busy))
        if self.left > 0 and len(self.queues.busy):
            self._visit(*self._leased())
        if self.now % self.plan.box_turns == 0:
            self._deliver()
        for turn, node in self.plan.losses:
            if turn == self.now:
                self._lose(node)
        self.fetched.append(self.counts.total("downloads"))

    def _leased(self) -> tuple[Numbers, Numbers]:
        """Who visits which pages in this turn: nodes and pages, what has waited longest first."""
        hosts, entries = self.queues.busy, self.queues.offers()
        pace = self.plan.pace * self.plan.interval
        room = self.alive * (int(self.now * pace) - int((self.now - 1) * pace))
        chosen = oldest(entries, self._visitors(hosts, entries), room)[: self.left]
        if len(chosen) < room.sum() and self.plan.partition in ("url", "topic"):
            self.queues.pass_over(hosts[~np.isin(entries, chosen)])
        pages = self.queues.pages(chosen)
        self.queues.take(self.host_of[pages])
        return self._visitors(self.host_of[pages], chosen), pages

    def _visitors(self, hosts: Numbers | Narrow, entries: Numbers) -> Numbers:
        """The node that is to fetch each entry, of these hosts."""
        if isinstance(self.division, ByHost):
            return self.division.homes[hosts]
        return (
            self.division.owners(self.queues.pages(entries))
            if self.division.routes
            else self.queues.nodes(entries)
        )

    def _visit(self, nodes: Numbers, pages: Numbers) -> None:
        if not self.division.routes:  # what others sent in the meantime is here already
            owners = self.division.owners(pages)
            needed = ~(self.kept[pages] & (owners == nodes))
            nodes, pages, owners = nodes[needed], pages[needed], owners[needed]
        if not len(pages):
            return
        self.last_fetch = self.now
        self.counts.add("downloads", nodes)
        self.times[pages] += 1
        hosts = self.host_of[pages]
        self.visits[hosts] += 1
        self.counts.add("asks", nodes[self.holders[hosts] != nodes])
        self.holders[hosts] = nodes
        if self.division.routes:
            self._keep(nodes, pages)
        else:
            own = owners == nodes
            self._keep(nodes[own], pages[own])
            self._send("sent_pages", nodes[~own], owners[~own], pages[~own])
        if isinstance(self.division, ByNeighbours):
            self._reconsider(
                self.division, np.unique(hosts[np.isin(self.visits[hosts], STAGES)]).astype(np.int64)
            )

    def _keep(self, nodes: Numbers, pages: Numbers) -> None:
        """These pages are their nodes' own: follow their links."""
        self.counts.add("kept", nodes)
        self.kept[pages], self.keepers[pages] = True, nodes
        rows, targets = self.ground.links(pages)
        finders = nodes[rows]
        self.counts.add("found", finders)
        self.counts.add("local", finders[self.division.owners(targets) == finders])
        new = self.known.add_new(finders, targets)
        finders, targets, rows = finders[new], targets[new], rows[new]
        self.counts.add("known", finders)
        if not self.division.routes:
            self._wait(finders, targets)
            return
        owners = self._believed(finders, targets)
        here = owners == finders
        self._take_in(finders[here], targets[here])
        self.counts.parcels += len(np.unique(rows[~here] * self.plan.nodes + owners[~here]))
        self._send("sent_links", finders[~here], owners[~here], targets[~here])

    def _believed(self, finders: Numbers, pages: Numbers) -> Numbers:
        if isinstance(self.division, ByNeighbours):
            return self.division.believed(finders, pages)
        return self.division.owners(pages)

    def _wait(self, nodes: Numbers, pages: Numbers) -> None:
        self.queues.add(self.host_of[pages], pages, nodes)

    def _take_in(self, nodes: Numbers, pages: Numbers) -> Numbers:
        """Links for those who own them; answers the places of those that were not there."""
        self.counts.add("known", nodes[self.known.add_new(nodes, pages)])
        new = np.sort(np.unique(pages, return_index=True)[1])
        new = new[~self.entered[pages[new]]]
        self.entered[pages[new]] = True
        if isinstance(self.division, ByNeighbours):
            self.division.taken_in(pages[new])
        self._wait(nodes[new], pages[new])
        return new

    # -- boxes -----------------------------------------------------------------------------------------------

    def _send(self, what: str, sources: Numbers, to: Numbers, pages: Numbers) -> None:
        self.counts.add(what, sources)
        self.boxes.put(sources, to, pages)

    def _deliver(self) -> None:
        """Empty all boxes. What comes to an old owner goes on with the next emptying."""
        sources, to, pages = self.boxes.emptied()
        self._count_messages(sources, to)
        told = pages >= 0
        sources, to, pages = sources[told], to[told], pages[told]
        self.counts.add("got", to)
        if not self.division.routes:
            self._take_in_pages(to, pages)
            return
        right = self.division.owners(pages) == to
        if isinstance(self.division, ByNeighbours):
            claimed = self.division.claimed(sources[right], pages[right])
        new = self._take_in(to[right], pages[right])
        self.counts.add("taken_in", to[right][new])
        if isinstance(self.division, ByNeighbours):
            self._move(self.division, *claimed)
            self._forward(self.division, sources[~right], to[~right], pages[~right])

    def _count_messages(self, sources: Numbers, to: Numbers) -> None:
        pairs, counts = np.unique(sources * self.plan.nodes + to, return_counts=True)
        messages = -(-counts // self.plan.box_links)
        for name, nodes in (
            ("sent_messages", pairs // self.plan.nodes),
            ("got_messages", pairs % self.plan.nodes),
        ):
            np.add.at(self.counts[name], nodes, messages)

    def _take_in_pages(self, nodes: Numbers, pages: Numbers) -> None:
        new = np.sort(np.unique(pages, return_index=True)[1])
        new = new[~self.kept[pages[new]]]
        nodes, pages = nodes[new], pages[new]
        self.counts.add("taken_in", nodes)
        self.counts.add("known", nodes[self.known.add_new(nodes, pages)])
        self._keep(nodes, pages)

    # -- hosts that move, nodes that are lost ----------------------------------------------------------------

    def _reconsider(self, division: ByNeighbours, hosts: Numbers) -> None:
        """Hosts of which enough was fetched move to where their links lead."""
        places, pages = self._pages(hosts)
        places, pages = places[self.kept[pages]], pages[self.kept[pages]]
        rows, targets = self.ground.links(pages)
        self._move(division, *division.better(hosts, places[rows], targets))

    def _move(self, division: ByNeighbours, hosts: Numbers, to: Numbers) -> None:
        """Hosts move, with the URLs that are known of them."""
        old = division.homes[hosts]
        places, pages = self._pages(hosts)
        division.move(hosts, to, np.bincount(places[self.entered[pages]], minlength=len(hosts)))
        self.counts.add("moves", old)
        self._notify(old, to)
        known = self.known.has(old[places], pages)
        places, pages = places[known], pages[known]
        self.counts.add("moved_known", old[places])
        self.counts.add("known", to[places][self.known.add_new(to[places], pages)])

    def _pages(self, hosts: Numbers) -> tuple[Numbers, Numbers]:
        """All pages of these hosts, each with the place of its host."""
        begin, size = self.ground.starts[hosts], self.ground.starts[hosts + 1] - self.ground.starts[hosts]
        places = np.repeat(np.arange(len(hosts)), size)
        return places, np.arange(len(places)) + (begin - np.cumsum(size) + size)[places]

    def _forward(self, division: ByNeighbours, sources: Numbers, to: Numbers, pages: Numbers) -> None:
        """Links that came to an old owner go on, and who sent them is told."""
        division.tell(sources, pages)
        self._notify(*np.unique(np.stack([to, sources]), axis=1))
        new = self.known.add_new(to, pages)
        self.counts.add("known", to[new])
        self._send("forwarded", to[new], division.owners(pages[new]), pages[new])

    def _notify(self, sources: Numbers, to: Numbers) -> None:
        """Something that is no link goes along."""
        self.boxes.put(sources, to, np.full(len(sources), NOTICE))

    def _lose(self, node: int) -> None:
        """A node is gone with its folder: others own what it had, are sent again what it had been sent, and fetch again
        what it had fetched, also of hosts that had moved away since."""
        self._deliver()
        everything = np.arange(self.plan.shape.pages)
        lived = self.division.owners(everything) == node
        lost = self.kept & (self.keepers == node)
        self.alive[node] = False
        assert isinstance(self.division, ByUrl | ByHost)
        self.division.lose(node)
        self.known.forget(node)
        self.counts["lost_pages"][node] = np.count_nonzero(lost)
        self.kept[lost] = False
        self.entered[lived & ~self.kept | lost] = False
        if isinstance(self.division, ByNeighbours):
            self.division.count(np.flatnonzero(self.entered))
        self._drop(lived)
        self._send_again(everything[lived & ~self.kept])
        again = np.concatenate([everything[lost & ~lived], np.intersect1d(self.seeds, everything[lived])])
        self._take_in(self.division.owners(again), again)

    def _send_again(self, pages: Numbers) -> None:
        """What survivors had sent to a lost node goes to those who own it now."""
        owners = self.division.owners(pages)
        for sender in np.flatnonzero(self.alive).tolist():
            sent = self.known.has(np.full(len(pages), sender), pages)
            own = sent & (owners == sender)
            self._take_in(owners[own], pages[own])
            sent &= ~own
            self._send("sent_again", np.full(np.count_nonzero(sent), sender), owners[sent], pages[sent])

    def _drop(self, lived: Flags) -> None:
        """Pages that lived at a lost node wait no more."""
        waiting = self.queues.pages(self.queues.waiting())
        waiting = waiting[~lived[waiting]]
        self.queues = HostQueues(self.plan.shape.hosts)
        self._wait(self.division.owners(waiting), waiting)


class _Boxes:
    """What nodes have for others: sources, receivers, pages."""

    def __init__(self) -> None:
        self._parts: list[tuple[Numbers, Numbers, Numbers]] = []

    def __len__(self) -> int:
        return sum(len(part[0]) for part in self._parts)

    def put(self, sources: Numbers, to: Numbers, pages: Numbers) -> None:
        self._parts.append((sources, to, pages))

    def emptied(self) -> tuple[Numbers, Numbers, Numbers]:
        """All that was in, in the order it was put there."""
        nothing = np.zeros(0, np.int64)
        parts, self._parts = [(nothing, nothing, nothing), *self._parts], []
        sources, to, pages = (np.concatenate(each) for each in zip(*parts, strict=True))
        return sources, to, pages


def oldest(entries: Numbers, nodes: Numbers, room: Numbers) -> Numbers:
    """The lowest entries of each node, as many as it has room for; ascending."""
    keys = np.sort(nodes << ENTRY_BITS | entries)
    of = keys >> ENTRY_BITS
    begin = np.searchsorted(keys, np.arange(len(room)) << ENTRY_BITS)
    chosen = keys[np.arange(len(keys)) - begin[of] < room[of]]
    return np.sort(chosen & (1 << ENTRY_BITS) - 1)


def _division(plan: Plan, ground: GroundArrays, host_of: Narrow) -> Division:
    match plan.partition:
        case "url":
            return ByUrl(plan.seed, plan.nodes)
        case "host":
            return ByHost(plan.seed, plan.nodes, host_of, plan.shape.hosts)
        case "topic":
            return ByTopic(plan.seed, plan.nodes, ground)
        case "neighbours":
            return ByNeighbours(plan.seed, plan.nodes, host_of, plan.shape.hosts)
