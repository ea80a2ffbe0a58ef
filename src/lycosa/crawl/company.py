"""What a crawl that is shared knows of the other nodes: who sees to what, what was taken in, what is to be sent."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from lycosa.crawl.housing import Housing
from lycosa.crawl.partition import Partition
from lycosa.crawl.telling import Telling
from lycosa.frontier.protocol import Frontier
from lycosa.model.commands import Enqueue
from lycosa.model.decoding import converted
from lycosa.model.events import Parcel
from lycosa.model.nodes import Handling, Housed, Members, Node, Origin
from lycosa.model.records import Page, Request, UrlState
from lycosa.model.url import Host, Url

HOUSING = "housing"
"""The kind of news by which rules of where territories live tell one another what they learned."""
MOST_IN_PARCEL = 10_000
"""URLs in one parcel, when whole territories move."""


class Outbox:
    """The parcels that are not known to be taken in yet, by receiver; with the step of each, for nothing may be sent
    that the journal could still lose."""

    def __init__(self) -> None:
        self._waiting: dict[Node, deque[tuple[int, Parcel]]] = {}

    def add(self, step: int, parcels: Iterable[Parcel]) -> None:
        for parcel in parcels:
            self._waiting.setdefault(parcel.to, deque()).append((step, parcel))

    def first(self, to: Node) -> int | None:
        """The number of the first parcel that is here for a node."""
        waiting = self._waiting.get(to)
        return waiting[0][1].number if waiting else None

    def waiting(self, to: Node, durable: int, most: int) -> list[Parcel]:
        """The first parcels for a node, of steps up to `durable`, with no more than `most` links if it is not one."""
        found: list[Parcel] = []
        size = 0
        for step, parcel in self._waiting.get(to, ()):
            size += max(1, len(parcel.links))
            if step > durable or (found and size > most):
                break
            found.append(parcel)
        return found

    def taken(self, to: Node, number: int) -> None:
        """The node has taken in all parcels up to this number."""
        waiting = self._waiting.get(to)
        while waiting and waiting[0][1].number <= number:
            waiting.popleft()

    def drop(self, to: Node) -> None:
        """The node left: nothing more is sent to it."""
        self._waiting.pop(to, None)

    def links(self, to: Node) -> int:
        """How many links wait for a node, a page counted as one."""
        return sum(max(1, len(parcel.links)) for _, parcel in self._waiting.get(to, ()))

    def urgent(self, to: Node) -> bool:
        """Whether news wait by which territories are housed: until they are there, two homes may decide otherwise."""
        return any(HOUSING in parcel.told for _, parcel in self._waiting.get(to, ()))

    @property
    def receivers(self) -> Sequence[Node]:
        return [node for node, waiting in self._waiting.items() if waiting]

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))


class Company:
    """One node's place among the members of a shared crawl.

    The numbers of parcels are all there is to delivery: each node counts what it sends to each other, and remembers
    what it took in of each life of each other. So a parcel may come twice and is taken in once; and who lost its
    folder, and with it what it remembered, is sent everything again.

    Invariants, each the name of a property test:

    * taken in once: a parcel with a number that was taken in already changes nothing.
    * no gaps: a parcel is taken in only after all before it of the same life.
    * each link has one owner: what is not ours to fetch is sent to its owner once, and is ELSEWHERE from then on.
    """

    def __init__(
        self,
        here: Node,
        members: Members,
        partition: Partition,
        *,
        life: str,
        tellings: Mapping[str, Telling] | None = None,
    ) -> None:
        """`life` names the folder: another one than that of any earlier node of this name. `tellings`, by their names,
        are what nodes tell one another besides."""
        self.here, self.members, self.life = here, members, life
        self.partition = partition.among(members)
        self._before = self.members, self.partition  # as it was until others joined or left
        self.housing = partition.housing()
        self.tellings = dict(tellings or {})
        self.outbox = Outbox()
        self.sent: dict[Node, int] = {}
        """How many parcels went to each node so far."""
        self.exported = 0
        """Pages that were fetched here and belong elsewhere, and were sent there."""
        self.imported = 0
        """Pages that others fetched, and sent here."""
        self.copies = 0
        """Pages that others sent, and that were here already."""
        self.exported_links = 0
        self.imported_links = 0
        self.seeds: tuple[Url, ...] = ()
        self._taken: dict[str, int] = {}
        self._housed: dict[str, Housed] = {}
        self._asked: tuple[tuple[Url, str], Node] | None = None  # the page that was asked about last

    # -- who sees to what ------------------------------------------------------------------------------------

    def owner(self, url: Url) -> Node:
        """Who fetches a URL."""
        return self._owner(url, self.members, self.partition)

    def _owner(self, url: Url, members: Members, partition: Partition) -> Node:
        housed = self._housed.get(partition.territory(url)) if self._housed else None
        if housed is not None and housed.node in members.names:
            return housed.node
        return partition.of_url(url)

    def territory(self, url: Url) -> str:
        return self.partition.territory(url)

    def lives(self, territory: str) -> Node:
        """Where a territory lives, as far as is known here: by the last notice, else its home."""
        return self.owner(Url(f"http://{territory}/"))

    def moved(self, territory: str) -> int:
        """How often a territory moved, as far as is known here."""
        housed = self._housed.get(territory)
        return housed.version if housed is not None else 0

    def is_ours(self, url: Url) -> bool:
        return self.owner(url) == self.here

    def routes(self, url: Url) -> bool:
        """Whether a link to this URL goes to another node."""
        return self.partition.routes and not self.is_ours(url)

    def owner_of(self, page: Page) -> Node:
        """Who owns a page that was fetched here; ourselves, where pages stay."""
        if self.housing is not None:
            return self._belongs(page, self.housing)
        about = page.url, page.digest
        if self._asked is None or self._asked[0] != about:  # to tell may take a classifier
            self._asked = about, self.partition.of_page(page, self.here)
        return self._asked[1]

    def _belongs(self, page: Page, housing: Housing) -> Node:
        """Where the territory of a page should live that was fetched here, or lives since it moved meanwhile."""
        territory = self.territory(page.url)
        lives = self.lives(territory)
        if lives != self.here:
            return lives
        belongs = housing.belongs(territory, page, self)
        return belongs if belongs in self.members.names else self.here

    @property
    def handling(self) -> Handling:
        return self.partition.handling

    # -- what comes ------------------------------------------------------------------------------------------

    def taken(self, node: Node, life: str) -> int:
        """The number of the last parcel of a node's life that was taken in; 0: none was."""
        return self._taken.get(f"{node}/{life}", 0)

    @property
    def received(self) -> Mapping[str, int]:
        """The numbers of the last parcels that were taken in, by `node/life` of their senders."""
        return self._taken

    def awaits(self, origin: Origin) -> bool:
        """Whether this is the parcel that is to be taken in next of its sender."""
        return origin.number == self.taken(origin.node, origin.life) + 1

    def take(self, origin: Origin) -> None:
        self._taken[f"{origin.node}/{origin.life}"] = origin.number

    def note(self, housed: Iterable[Housed]) -> None:
        """Learn where territories live; what is older than what is known is nothing new."""
        for each in housed:
            known = self._housed.get(each.territory)
            if known is None or known.version < each.version:
                self._housed[each.territory] = each

    def where(self, territory: str) -> Housed | None:
        """Where a territory lives, if it ever moved."""
        return self._housed.get(territory)

    def join(self, members: Members) -> None:
        self._before = self.members, self.partition
        self.members, self.partition = members, self.partition.among(members)
        for telling in self.tellings.values():
            telling.moved()

    def hear(self, sender: Node, told: Mapping[str, Any]) -> None:
        """Take in what another node learned; what is not asked for here is passed over."""
        for name, news in told.items():
            if name == HOUSING and self.housing is not None:
                self.housing.heard(sender, news)
            if (telling := self.tellings.get(name)) is not None:
                telling.hear(sender, news)

    # -- what goes -------------------------------------------------------------------------------------------

    def parcel(self, to: Node, **holds: Any) -> Parcel:
        """The next parcel for a node."""
        self.sent[to] = number = self.sent.get(to, 0) + 1
        made = Parcel(to=to, number=number, **holds)
        self.exported += made.page is not None
        self.exported_links += len(made.links)
        return made

    def links(self, leaving: Iterable[tuple[Enqueue, int]]) -> list[Parcel]:
        """Links to what others see to, each with its depth: a parcel for each owner and depth."""
        parted: dict[tuple[Node, int], list[Enqueue]] = {}
        for command, depth in leaving:
            parted.setdefault((self.owner(command.url), depth), []).append(command)
        return [self.parcel(to, links=tuple(some), depth=depth) for (to, depth), some in parted.items()]

    def tell(self, page: Page, pages: int) -> list[Parcel]:
        """A page was fetched here, one of so many: tell the others what was learned, where it is time."""
        news: dict[Node, dict[str, Any]] = {}
        for name, telling in self.tellings.items():
            telling.see(page, self.owner, self.here)
            if pages % telling.every == 0:
                for to, told in telling.tell(self.owner, self.here).items():
                    news.setdefault(to, {})[name] = told
        return [self.parcel(to, told=told) for to, told in news.items()]

    def rehouse(self, page: Page, frontier: Frontier) -> list[Parcel]:
        """A page is taken in: its territory moves before it, if it belongs elsewhere, and the others hear what was
        learned."""
        assert self.housing is not None
        territory = self.territory(page.url)
        told = self.housing.seen(territory, page, page.owner or self.here, self)
        parcels: list[Parcel] = []
        if page.owner:
            if self.lives(territory) == self.here:
                parcels += self._move(territory, page.owner, frontier, page)
            parcels.append(self.parcel(page.owner, page=page))
        parcels += [self.parcel(node, told={HOUSING: news}) for node, news in told.items()]
        return parcels

    def _move(self, territory: str, to: Node, frontier: Frontier, page: Page) -> list[Parcel]:
        """Hand over a territory that lived here, before a page of it: what waits, what is known, and that it moved."""
        housed = Housed(territory=territory, node=to, version=self.moved(territory) + 1)
        self.note([housed])
        within, host = self._within(territory), Host(territory.partition("/")[0])
        waiting = [request for request in frontier.pending(host) if within(request.url)]
        coming = {page.url, *page.hops, page.final_url}
        known = [url for url in frontier.known(host) if url not in coming and within(url)]
        return self._hand_over(to, waiting, known, frontier, (housed,))

    def _within(self, territory: str) -> Callable[[Url], bool]:
        return lambda url: self.partition.territory(url) == territory

    def rearrange(self, frontier: Frontier) -> list[Parcel]:
        """After others joined or left: hand over what waits here and is theirs now, and what is known of it."""
        if not self.partition.routes:
            return []
        waiting: dict[Node, list[Request]] = {}
        known: dict[Node, list[Url]] = {}
        for request in frontier.pending():
            if (to := self.owner(request.url)) != self.here:
                waiting.setdefault(to, []).append(request)
        for url in frontier.known():
            if (to := self.owner(url)) != self.here and self._owner(url, *self._before) == self.here:
                known.setdefault(to, []).append(url)
        return [
            parcel
            for to in dict.fromkeys((*waiting, *known))
            for parcel in self._hand_over(to, waiting.get(to, ()), known.get(to, ()), frontier)
        ]

    def _hand_over(
        self,
        to: Node,
        waiting: Sequence[Request],
        known: Sequence[Url],
        frontier: Frontier,
        housed: tuple[Housed, ...] = (),
    ) -> list[Parcel]:
        """What is known goes first: then nothing of it is fetched again."""
        parcels = [self.parcel(to, known=tuple(some), housed=housed) for some in _parts(known)]
        for some in _parts(waiting):
            links = tuple(_as_link(request) for request in some)
            parcels.append(self.parcel(to, links=links, housed=housed))
        for request in waiting:
            frontier.hand_over(request.url, UrlState.ELSEWHERE, request.depth)
        return parcels or [self.parcel(to, housed=housed)]

    # -- durability ------------------------------------------------------------------------------------------

    def retrace(self, parcels: Iterable[Parcel]) -> None:
        """Count what was sent as the journal says."""
        for parcel in parcels:
            self.sent[parcel.to] = max(parcel.number, self.sent.get(parcel.to, 0))

    def save(self) -> Mapping[str, Any]:
        counted = ("exported", "imported", "copies", "exported_links", "imported_links")
        return {
            **{name: getattr(self, name) for name in counted},
            "members": msgspec.to_builtins(self.members),
            "sent": dict(self.sent),
            "taken": dict(self._taken),
            "housed": [msgspec.to_builtins(each) for each in self._housed.values()],
            "seeds": list(self.seeds),
            "tellings": {name: telling.save() for name, telling in self.tellings.items()},
            "housing": None if self.housing is None else self.housing.save(),
        }

    def load(self, state: Mapping[str, Any]) -> None:
        for name in ("exported", "imported", "copies", "exported_links", "imported_links"):
            setattr(self, name, state[name])
        self.join(converted(state["members"], Members))
        self.sent = {Node(node): int(number) for node, number in state["sent"].items()}
        self._taken = dict(state["taken"])
        self._housed = {}
        self.note(converted(state["housed"], list[Housed]))
        self.seeds = tuple(map(Url, state["seeds"]))
        for name, telling in self.tellings.items():
            if name in state["tellings"]:
                telling.load(state["tellings"][name])
        if self.housing is not None and state["housing"] is not None:
            self.housing.load(state["housing"])


Held = TypeVar("Held")


def _parts(held: Sequence[Held]) -> Iterator[Sequence[Held]]:
    return (held[place : place + MOST_IN_PARCEL] for place in range(0, len(held), MOST_IN_PARCEL))


def _as_link(request: Request) -> Enqueue:
    """What waits here, as a link for another node."""
    return Enqueue(
        url=request.url, score=request.score, tier=request.tier, via=request.via, depth=request.depth
    )
