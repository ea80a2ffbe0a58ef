"""What a step of a shared crawl takes in from other nodes, and has for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from lycosa.crawl.company import Company
from lycosa.crawl.ports import Memory
from lycosa.frontier.protocol import Frontier
from lycosa.model.commands import Enqueue
from lycosa.model.events import Event, Joined, Parcel, Received, Started
from lycosa.model.nodes import Handling, Node, Origin
from lycosa.model.records import Arrival, Failure, Millis, Page, Reason, UrlState
from lycosa.model.url import Url


class Remembering(Protocol):
    """Who has the memory of the crawl: it may be another one after a replay began."""

    @property
    def memory(self) -> Memory: ...


class Exchange:
    """Between a crawl and its company: whose a page is, what a parcel changes, which parcels a step makes."""

    def __init__(self, company: Company, frontier: Frontier, store: Remembering) -> None:
        self._company, self._frontier, self._store = company, frontier, store

    # -- pages -----------------------------------------------------------------------------------------------

    def owned(self, visit: Arrival) -> Arrival:
        """A page that is another node's says so."""
        company = self._company
        if not isinstance(visit, Page) or company.handling is Handling.LINKS:
            return visit
        owner = company.owner_of(visit)
        return visit if owner == company.here else msgspec.structs.replace(visit, owner=owner)

    def follows(self, page: Page) -> bool:
        """Whether the links of a page are for this node to follow."""
        company = self._company
        if page.origin is not None:
            return company.handling is not Handling.COPY
        if company.handling is Handling.LINKS:
            return company.owner_of(page) == company.here
        return not page.owner or company.handling is Handling.COPY

    def came_back(self, page: Page) -> bool:
        """Whether a page that was fetched here had gone to another node, which is lost, and is ours from now on."""
        return page.origin is not None and page.origin.node == self._company.here

    def copy_of(self, url: Url, digest: str, at: Millis) -> Url | None:
        """By which URL a page of another node that was fetched then is here already; None: it is new."""
        memory = self._store.memory
        held = memory.capture(url)
        if held is not None and (held.digest == digest or held.at >= at):
            return url
        return memory.holder(digest) if self._company.handling is Handling.COPY else None

    # -- what comes ------------------------------------------------------------------------------------------

    def opened(self, parcel: Parcel, origin: Origin, copy: Url | None) -> Page | Received:
        """What a parcel brings, as the journal keeps it; `copy` stands in the place of a page that is here already. One
        that comes back, as this node's own parcel, is here, but was another's."""
        if (page := parcel.page) is not None:
            if origin.node != self._company.here:
                copy = self.copy_of(page.url, page.digest, page.fetched_at)
            if copy is None:
                return msgspec.structs.replace(page, origin=origin, owner=Node(""))
        return Received(
            origin=origin,
            links=parcel.links if parcel.depth is None else _with_depth(parcel.links, parcel.depth),
            known=parcel.known,
            housed=parcel.housed,
            told=parcel.told,
            copy=copy,
        )

    def take_page(self, page: Page, origin: Origin) -> None:
        """A page that another node fetched is ours from now on, and not to be fetched again; or one that had gone to
        another."""
        self._company.take(origin)
        self._company.imported += not self.came_back(page)
        for url in dict.fromkeys([page.url, *page.hops, page.final_url]):
            self._frontier.hand_over(url, UrlState.VISITED, page.request.depth)

    def take(self, received: Received) -> None:
        """All of a parcel but its links, which are for the strategy."""
        company = self._company
        company.take(received.origin)
        company.hear(received.origin.node, received.told)
        company.note(received.housed)
        company.copies += received.copy is not None
        company.imported_links += len(received.links)
        for url in received.known:
            self._frontier.hand_over(url, UrlState.VISITED)

    def join(self, joined: Joined) -> list[Enqueue]:
        """Others share the crawl. Returns the start pages that are ours now."""
        company = self._company
        company.join(joined.members)
        for node in joined.lost:
            company.outbox.drop(node)
        return [Enqueue(url=url, score=1.0) for url in company.seeds if company.is_ours(url)]

    # -- what goes -------------------------------------------------------------------------------------------

    def parcels(self, event: Event, leaving: Sequence[tuple[Enqueue, int]], pages: int) -> tuple[Parcel, ...]:
        """What a step has for other nodes, in the order in which they are to take it in. `leaving` are the links that
        it found to what is theirs; `pages` were fetched so far."""
        company = self._company
        if isinstance(event, Started):  # each node is given all of them
            company.seeds, leaving = event.seeds, ()
        parcels = company.links(leaving)
        match event:
            case Page() if company.housing is not None:
                parcels += company.rehouse(event, self._frontier)
            case Page(owner=owner) if owner:
                parcels.append(company.parcel(owner, page=event))
            case Page(origin=None) if company.handling is Handling.LINKS:
                parcels += self._links_of(event)
            case Joined():
                parcels += company.rearrange(self._frontier)
            case Received(origin=origin, links=links):
                parcels += self._moved_on(origin.node, links)
        if isinstance(event, Page) and event.origin is None:
            parcels += company.tell(event, pages)
        return tuple(parcels)

    def _links_of(self, page: Page) -> list[Parcel]:
        """The links of a page that stays here though another node sees to its topic: they are that one's."""
        company = self._company
        owner = company.owner_of(page)
        if owner == company.here:
            return []
        first = {link.target: link for link in reversed(page.links)}
        links = tuple(Enqueue(url=url, via=first[url], score=page.relevance) for url in page.out)
        return [company.parcel(owner, links=links, depth=page.request.depth + 1)] if links else []

    def _moved_on(self, finder: Node, links: Sequence[Enqueue]) -> list[Parcel]:
        """Tell who sent links to what lived here where that lives now."""
        company = self._company
        territories = dict.fromkeys(company.partition.territory(link.url) for link in links)
        found = (company.where(territory) for territory in territories)
        moved = tuple(housed for housed in found if housed is not None and housed.node != company.here)
        return [company.parcel(finder, housed=moved)] if moved else []


def redirected_elsewhere(failure: Failure) -> list[Enqueue]:
    """Where a redirect led that another node sees to: it is that one's to fetch."""
    if failure.reason is not Reason.ELSEWHERE or failure.final_url is None:
        return []
    request = failure.request
    return [Enqueue(url=failure.final_url, score=request.score, tier=request.tier, via=request.via)]


def _with_depth(links: Sequence[Enqueue], depth: int) -> tuple[Enqueue, ...]:
    return tuple(
        link if link.depth is not None else msgspec.structs.replace(link, depth=depth) for link in links
    )
