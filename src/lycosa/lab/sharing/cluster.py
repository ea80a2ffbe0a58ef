"""Clusters of whole crawls under virtual time: one process, any number of nodes, always the same.

Each node is a `Crawl` in `Company`. What it has for others travels by a modelled post, and nodes may die and come back.
"""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import msgspec

from lycosa.crawl.company import HOUSING, Company
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.memory import MemoryStore, PageMemory
from lycosa.crawl.partition import Partition
from lycosa.crawl.ports import Store
from lycosa.drive.clock import VirtualClock
from lycosa.drive.loop import Visiting
from lycosa.drive.simulated import Latency, Simulation
from lycosa.drive.visit import Outcome
from lycosa.lab.experiments.pages_only import PagesOnly
from lycosa.lab.sharing.post import Delivery, Post
from lycosa.model.endings import Ending, EndKind
from lycosa.model.events import Entry, Parcel, Received
from lycosa.model.nodes import Members, Node, Origin
from lycosa.model.records import Arrival, Deferred, Millis, Page, Record, Request
from lycosa.model.url import Host, Url, host_of
from lycosa.sharing.measures import Traffic, Volumes

LINK_BYTES = 50
PAGE_BYTES = 1_000
ANCHOR_BYTES = 70
TYPICAL_BYTES = 7_738
"""Of a page (Chung and Clarke)."""
GRANTED_AT_ONCE = 16
"""A node that has used up its share of the budget gets what another did not use, in so many parts."""


class Made(NamedTuple):
    """A node's crawl, and how it visits pages."""

    crawl: Crawl
    visit: Visiting
    latency: Latency


class Making(Protocol):
    """Makes the crawl of a node: at the beginning, and again after it died."""

    def __call__(self, company: Company, store: Store, clock: VirtualClock) -> Made: ...


class Fall(Record, frozen=True, kw_only=True):
    """A node dies, and comes back. All times in virtual milliseconds."""

    node: int
    at: int
    back: int
    keeps: bool = True
    """Whether its folder is still there; else it begins anew."""


class Download(NamedTuple):
    """A page that a node fetched; in the order in which pages came home."""

    at: Millis
    node: int
    url: Url
    final_url: Url
    bytes: int


class Asking(NamedTuple):
    """A request that was made to a host."""

    at: Millis
    node: int
    host: Host


class Told(Record, frozen=True, kw_only=True):
    """What became of a cluster."""

    downloads: tuple[Download, ...]
    requests: tuple[Asking, ...]
    """In the order in which they ended."""
    kept: tuple[tuple[Url, ...], ...]
    """By node, the final URLs of its collection."""
    volumes: tuple[Volumes, ...]
    duplicates: int
    batches: int
    ended_at: Millis
    visits: int
    """Failures and deferred ones too."""


class Watched:
    """A node's store that also tells what each step did."""

    def __init__(self, inner: PagesOnly | MemoryStore, hear: Callable[[Entry], None]) -> None:
        self.inner, self._hear = inner, hear
        self.remember, self.rewind, self.retrace = inner.remember, inner.rewind, inner.retrace
        self.entries, self.flush, self.keep = inner.entries, inner.flush, inner.keep

    @property
    def memory(self) -> PageMemory:
        return self.inner.memory

    def append(self, entry: Entry) -> None:
        self.inner.append(entry)
        self._hear(entry)


class SharedTurns:
    """One gate a host for all nodes: a visit that began before the host's turn is made later. It knows at once what
    every node does, and is thus the bound for whatever keeps the politeness of a real cluster."""

    def __init__(self, delay: int) -> None:
        self._delay = delay
        self._opens: dict[Host, int] = {}

    def wait(self, host: Host, began: int, now: int) -> int:
        """0, and the host is taken until now; or when it opens."""
        opens = self._opens.get(host, 0)
        if began < opens:
            return max(opens, now)
        self._opens[host] = now + self._delay
        return 0


class _Member:
    """One node."""

    def __init__(self, number: int, name: Node) -> None:
        self.number, self.name = number, name
        self.lives = 0
        self.store: Watched
        self.simulation: Simulation | None = None
        self.parcels: list[Parcel] = []
        self.version = 0
        self.kept: list[Url] = []
        self.volumes = Volumes()
        self.duplicates = 0
        self.budget = 0

    @property
    def crawl(self) -> Crawl:
        assert self.simulation is not None, f"{self.name} is dead"
        return self.simulation.crawl

    @property
    def company(self) -> Company:
        company = self.crawl.company
        assert company is not None
        return company

    @property
    def life(self) -> str:
        return str(self.lives)


class Cluster:
    """A crawl that several nodes share.

    Invariants, each the name of a property test:

    * deterministic: the same settings always come to the same.
    * nothing lost: on a closed web, whoever dies and comes back, with its folder or without, what one crawl alone
      would have fetched is in the nodes' collections together.
    * within the cluster's budget: no more pages are fetched than it allows, while nobody loses a folder.
    """

    def __init__(
        self,
        nodes: int,
        partition: Callable[[Members], Partition],
        make: Making,
        *,
        budget: int,
        width: int = 1,
        delivery: Delivery | None = None,
        turns: SharedTurns | None = None,
        falls: Iterable[Fall] = (),
        bandwidth: int = 0,
        size: Callable[[Url], int] = lambda url: TYPICAL_BYTES,
        names: Sequence[Node] = (),
        portions: int = 0,
        watch: Callable[[Millis, Arrival], None] = lambda now, visit: None,
    ) -> None:
        """`budget`: pages of all nodes together. `bandwidth`: bytes a second of each node, 0: no limit; `size` tells
        the bytes at a URL. `names`: of the nodes; else n0, n1 … `watch` is told of each visit, of all nodes in the
        order of time. `portions`: the budget is given out in so many, each to the nodes with the best links that
        wait; 0: all at once and evenly. What is to be resumed keeps its journal: a cluster in which nodes fall takes
        more memory."""
        names = tuple(names) or tuple(Node(f"n{number}") for number in range(nodes))
        self._partition = partition(Members(epoch=1, names=names))
        self._epoch = Members(epoch=1, names=names)
        self._make, self._width = make, width
        self._budget, self._bandwidth, self._size, self._watch = budget, bandwidth, size, watch
        self._turns = turns
        self._falls = sorted(falls, key=lambda fall: (fall.at, fall.node))
        self._rises: list[tuple[int, int, bool]] = []
        self._members = [_Member(number, name) for number, name in enumerate(names)]
        self._number = {name: number for number, name in enumerate(names)}
        self._post: Post[tuple[str, Parcel]] = Post(delivery or Delivery())
        self._heap: list[tuple[int, int, int]] = []
        self._seeds: Sequence[Sequence[Url]] = ()
        self._downloads: list[Download] = []
        self._requests: list[Asking] = []
        self._visits = 0
        self._now = 0
        self._replayable = bool(self._falls)
        self._portion = -(-budget // portions) if portions else 0
        self._pool = budget if portions else 0

    @property
    def routes(self) -> bool:
        """Whether URLs have owners."""
        return self._partition.routes

    def run(self, seeds: Sequence[Sequence[Url]]) -> Told:
        """`seeds`: the start pages that each node is given; it keeps those that it is to fetch."""
        self._seeds = seeds
        asyncio.run(self._run())
        return Told(
            downloads=tuple(self._downloads),
            requests=tuple(self._requests),
            kept=tuple(tuple(member.kept) for member in self._members),
            volumes=tuple(member.volumes for member in self._members),
            duplicates=sum(member.duplicates for member in self._members),
            batches=self._post.batches,
            ended_at=Millis(self._now),
            visits=self._visits,
        )

    # -- time ------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        for member in self._members:
            self._begin(member)
        self._give_out()
        while True:
            step, arrives, changes = self._next_step(), self._post.next_at(), self._next_change()
            known = [at for at in (step, arrives, changes) if at is not None]
            if not known:
                if self._share_out_the_rest():
                    continue
                break
            self._now = min(known)
            if changes == self._now:
                await self._change()
            elif arrives == self._now:
                self._deliver()
            else:
                _, number, _ = heapq.heappop(self._heap)
                member = self._members[number]
                assert member.simulation is not None
                await member.simulation.advance()
                self._visits += 1
                self._after(member)
        for member in self._members:
            member.crawl.dismiss(Ending(EndKind.EXHAUSTED), Millis(self._now))

    def _next_step(self) -> int | None:
        while self._heap and self._heap[0][2] != self._members[self._heap[0][1]].version:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def _after(self, member: _Member) -> None:
        """Post what a step has for others, and see when the node's next one is."""
        for parcel in member.parcels:
            self._send(member, parcel)
        member.parcels.clear()
        self._feed(member)
        self._look_ahead(member)

    def _look_ahead(self, member: _Member) -> None:
        """See when the node's next step is."""
        member.version += 1
        simulation = member.simulation
        if simulation is not None and (at := simulation.next_at()) is not None:
            heapq.heappush(self._heap, (max(at, self._now), member.number, member.version))

    # -- nodes -----------------------------------------------------------------------------------------------

    def _begin(self, member: _Member) -> None:
        """Start a node that has nothing yet."""
        member.lives += 1
        member.budget = self._share(member)
        inner = MemoryStore() if self._replayable else PagesOnly()
        member.store = Watched(inner, self._hearing(member))
        self._set_up(member)
        member.crawl.start(self._seeds[member.number], Millis(self._now))
        self._go_on(member)

    def _set_up(self, member: _Member) -> None:
        company = Company(member.name, self._epoch, self._partition, life=member.life)
        clock = VirtualClock(Millis(self._now))
        crawl, visit, latency = self._make(company, member.store, clock)
        line = _Line(member.number, visit, self._delayed(latency, clock), clock, self._requests, self._turns)
        crawl.budget = member.budget
        member.simulation = Simulation(
            crawl,
            line.visit,
            line.latency,
            clock,
            width=self._width,
            watch=lambda visit: self._watch(clock.now(), visit),
        )

    def _delayed(self, latency: Latency, clock: VirtualClock) -> Latency:
        """What the node's bandwidth adds: its pages come one after the other."""
        if not self._bandwidth:
            return latency
        free_at = 0

        def delayed(url: Url) -> Millis:
            nonlocal free_at
            now = clock.now()
            takes = self._size(url) * 1000 // self._bandwidth
            free_at = max(now + latency(url), free_at) + max(1, takes)
            return Millis(free_at - now)

        return delayed

    def _go_on(self, member: _Member) -> None:
        assert member.simulation is not None
        member.simulation.lease()
        self._after(member)

    def _hearing(self, member: _Member) -> Callable[[Entry], None]:
        """Counts what the steps of one life come to."""

        def hear(entry: Entry) -> None:
            member.parcels += entry.sent
            match entry.event:
                case Page(origin=Origin()) as page:
                    member.volumes = _imported(member.volumes, page_bytes(page))
                    member.kept.append(page.final_url)
                case Page() as page:
                    size = page_bytes(page)
                    self._downloads.append(Download(entry.at, member.number, page.url, page.final_url, size))
                    member.volumes = _downloaded(member.volumes, size, retained=not page.owner)
                    if not page.owner:
                        member.kept.append(page.final_url)
                case Received(copy=copy):
                    member.duplicates += copy is not None
                case _:
                    pass

        return hear

    # -- the budget ------------------------------------------------------------------------------------------

    def _share(self, member: _Member) -> int:
        """Of the budget, for a node that begins: all the same, and what does not divide goes to the first."""
        if self._portion:
            return 0
        whole, rest = divmod(self._budget, len(self._members))
        return whole + (member.number < rest)

    def _feed(self, member: _Member) -> None:
        """A node that has used up its share, and for which there is no new portion, takes from one that has no links
        waiting."""
        if self._portion:
            self._give_out()
        if self._left(member) > 0 or not len(member.crawl.frontier) or member.crawl.frontier.leased:
            return
        givers = (other for other in self._members if other is not member and self._is_spare(other))
        if (giver := max(givers, key=self._left, default=None)) is not None:
            self._move_budget(giver, member, -(-self._left(giver) // GRANTED_AT_ONCE))

    def _give_out(self) -> None:
        """Give out the next portion of the budget, once less than half of the last one is left: a page for each link
        that is among the best that wait anywhere."""
        if not self._pool or 2 * sum(map(self._left, self._members)) >= self._portion:
            return
        portion = min(self._pool, self._portion)
        waiting = (
            (key[:2], member.number)
            for member in self._members
            if member.simulation is not None
            for key in member.crawl.frontier.keys().values()
        )
        for number, pages in Counter(number for _, number in heapq.nsmallest(portion, waiting)).items():
            member = self._members[number]
            self._pool -= pages
            member.budget += pages
            member.crawl.budget = member.budget
            self._wake(member)

    def _wake(self, member: _Member) -> None:
        """Let it lease what it may now, and see when its next step is."""
        assert member.simulation is not None
        member.simulation.pass_to(Millis(self._now))
        member.simulation.lease()
        self._look_ahead(member)

    def _is_spare(self, member: _Member) -> bool:
        return member.simulation is not None and self._left(member) > 0 and not len(member.crawl.frontier)

    def _left(self, member: _Member) -> int:
        """Pages that a node may still fetch, the visits that are out apart."""
        if member.simulation is None:
            return 0
        return member.budget - member.crawl.pages - len(member.crawl.frontier.leased)

    def _move_budget(self, giver: _Member, member: _Member, pages: int) -> None:
        giver.budget -= pages
        member.budget += pages
        giver.crawl.budget, member.crawl.budget = giver.budget, member.budget
        self._wake(member)

    def _share_out_the_rest(self) -> bool:
        """When all are quiet: whether somebody could be given what others did not use."""
        hungry = [each for each in self._members if not self._left(each) and len(each.crawl.frontier)]
        for member in hungry:
            self._feed(member)
            self._after(member)
        return bool(self._heap)

    # -- parcels ---------------------------------------------------------------------------------------------

    def _send(self, member: _Member, parcel: Parcel) -> None:
        size = parcel_bytes(parcel)
        sent = Traffic(pages=parcel.page is not None, urls=len(parcel.links), bytes=size)
        member.volumes = msgspec.structs.replace(member.volumes, exported=member.volumes.exported + sent)
        self._post.send(
            member.number,
            self._number[parcel.to],
            (member.life, parcel),
            self._now,
            links=max(1, len(parcel.links)),
            size=size,
            urgent=HOUSING in parcel.told,
        )

    def _deliver(self) -> None:
        for batch in self._post.arrivals(self._now):
            sender, member = self._members[batch.sender], self._members[batch.to]
            if member.simulation is None:
                continue  # it asks for it when it is back
            member.simulation.pass_to(Millis(self._now))
            for life, parcel in batch.items:
                origin = Origin(node=sender.name, life=life, number=parcel.number)
                if member.crawl.receive(parcel, origin, Millis(self._now)) and not parcel.page:
                    urls = Traffic(urls=len(parcel.links), bytes=parcel_bytes(parcel))
                    member.volumes = msgspec.structs.replace(
                        member.volumes, imported=member.volumes.imported + urls
                    )
            if sender.simulation is not None:
                sender.company.outbox.taken(member.name, member.company.taken(sender.name, sender.life))
            self._go_on(member)

    # -- deaths ----------------------------------------------------------------------------------------------

    def _next_change(self) -> int | None:
        times = [self._falls[0].at] if self._falls else []
        times += [self._rises[0][0]] if self._rises else []
        return min(times, default=None)

    async def _change(self) -> None:
        """A node dies, or comes back."""
        if self._rises and self._rises[0][0] == self._now:
            _, number, keeps = heapq.heappop(self._rises)
            self._rise(self._members[number], keeps=keeps)
            return
        fall = self._falls.pop(0)
        member = self._members[fall.node]
        if member.simulation is None:
            return
        await member.simulation.lose()
        member.simulation = None
        member.version += 1
        heapq.heappush(self._rises, (max(fall.back, self._now), fall.node, fall.keeps))

    def _rise(self, member: _Member, *, keeps: bool) -> None:
        if keeps:
            self._set_up(member)
            member.crawl.replay(member.store.entries())
            member.crawl.recover(Millis(self._now))
        else:
            member.kept.clear()
            self._begin(member)
        for other in self._members:
            if other is not member and other.simulation is not None:
                self._send_again(other, member)
                if keeps:
                    self._send_again(member, other)
        self._go_on(member)

    def _send_again(self, sender: _Member, member: _Member) -> None:
        """Post what the receiver has not taken in of the sender's life, from the sender's journal."""
        taken = member.company.taken(sender.name, sender.life)
        for parcel in _sent_to(sender.store.entries(), member.name):
            if parcel.number > taken:
                self._send(sender, parcel)


class _Line:
    """How a node reaches the web: requests are noted, and take their turn if all nodes share them."""

    def __init__(
        self,
        number: int,
        visit: Visiting,
        latency: Latency,
        clock: VirtualClock,
        requests: list[Asking],
        turns: SharedTurns | None,
    ) -> None:
        self._number, self._visit, self._latency, self._clock = number, visit, latency, clock
        self._requests, self._turns = requests, turns
        self._began: dict[Url, Millis] = {}

    def latency(self, url: Url) -> Millis:
        """Asked for when a visit begins."""
        self._began[url] = self._clock.now()
        return self._latency(url)

    async def visit(self, request: Request) -> Outcome:
        host, now = host_of(request.at), self._clock.now()
        began = self._began.pop(request.at, now)
        if self._turns is not None and (until := self._turns.wait(host, began, now)):
            return Deferred(url=request.url, way=request.way, until=Millis(until))
        self._requests.append(Asking(began, self._number, host))
        return await self._visit(request)


def page_bytes(page: Page) -> int:
    """Modelled, as bodies are not kept: 1,000, the text and 70 a link."""
    return PAGE_BYTES + len(page.text) + ANCHOR_BYTES * len(page.links)


def parcel_bytes(parcel: Parcel) -> int:
    """Modelled: 50 a link or a notice, the page as it was fetched, and what the sender learned as it is packed."""
    page = 0 if parcel.page is None else page_bytes(parcel.page)
    told = len(msgspec.msgpack.encode(parcel.told)) if parcel.told else 0
    return page + told + LINK_BYTES * (len(parcel.links) + len(parcel.known) + len(parcel.housed))


def _downloaded(volumes: Volumes, size: int, *, retained: bool) -> Volumes:
    one = Traffic(pages=1, bytes=size)
    return msgspec.structs.replace(
        volumes,
        downloaded=volumes.downloaded + one,
        retained=volumes.retained + one if retained else volumes.retained,
    )


def _imported(volumes: Volumes, size: int) -> Volumes:
    return msgspec.structs.replace(volumes, imported=volumes.imported + Traffic(pages=1, bytes=size))


def _sent_to(entries: Iterator[Entry], to: Node) -> Iterator[Parcel]:
    return (parcel for entry in entries for parcel in entry.sent if parcel.to == to)
