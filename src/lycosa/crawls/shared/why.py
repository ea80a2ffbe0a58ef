"""Why a URL of a shared crawl was fetched, by whom, and how each node heard of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Final, Self

import msgspec

from lycosa.crawls.answers import Explanation, Waypoint
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.shared.answers import Leg, SharedExplanation
from lycosa.crawls.shared.owners import owners
from lycosa.crawls.why import MAX_SOURCES
from lycosa.model.nodes import Members, Node, Origin
from lycosa.model.url import Url
from lycosa.spec.tree import CrawlSpec
from lycosa.store.history import Row
from lycosa.store.rows import origin_of

BEST_FIRST: Final = (
    "visited",
    "leased",
    "pending",
    "blocked",
    "refused",
    "alias",
    "found",
    "elsewhere",
    "unseen",
)
"""Of what several nodes say, the first of these holds; a visit that failed comes before what never was one."""
FAILED: Final = BEST_FIRST.index("pending") + 0.5


class SharedInquiry:
    """Answers questions about one URL after the other. Use it in a `with`, as of the last checkpoints."""

    def __init__(self, spec: CrawlSpec, members: Members, nodes: Mapping[Node, CrawlFolder]) -> None:
        self._nodes = nodes
        self._open = ExitStack()
        self._inquiries = {name: self._open.enter_context(node.inquiry()) for name, node in nodes.items()}
        self._owner_of = owners(spec, members, [each.company for each in self._inquiries.values()])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._open.close()

    def explain(self, url: Url) -> SharedExplanation:
        told = {name: inquiry.told(url) for name, inquiry in self._inquiries.items()}
        visits = {name: self._of_node(name, url) for name in self._nodes}
        places = {name: place for place, name in enumerate(told)}
        name = min(told, key=lambda name: (_rank(told[name]), *_newest(visits[name]), -places[name]))
        if told[name].state == "unseen" and (shown := self._embedded(url)) is not None:
            name, told[shown[0]] = shown[0], shown[1]
        found = told[name]
        sources = dict.fromkeys(source for each in told.values() for source in each.linked_from)
        is_known = found.state not in ("elsewhere", "unseen", "found", "refused")
        return SharedExplanation(
            **{
                **msgspec.structs.asdict(found),
                "path": self._path(url, found),
                "linked_from": tuple(sources)[:MAX_SOURCES],
            },
            node=name if is_known else None,
            owner=self._owner(url, name if is_known else None, visits),
            fetched_by=tuple(name for name, rows in visits.items() if any(not row.origin for row in rows)),
            came=tuple(self._legs(url, name, set()))[::-1] if is_known else (),
            at_others={
                other: each.state
                for other, each in told.items()
                if each.state != "unseen" and (other != name or not is_known)
            },
        )

    def _of_node(self, name: Node, url: Url) -> list[Row]:
        return self._nodes[name].history.visits(url)

    def _embedded(self, url: Url) -> tuple[Node, Explanation] | None:
        for name, inquiry in self._inquiries.items():
            if (found := inquiry.embedded(url)) is not None:
                return name, found
        return None

    def _owner(self, url: Url, name: Node | None, visits: Mapping[Node, list[Row]]) -> Node | None:
        """By what was said of the page, else by the partition, and by where its territory lives."""
        said = [row.owner for rows in visits.values() for row in rows if row.owner]
        if said:
            return Node(said[-1])
        return self._owner_of(url) or name

    # -- how it came there -----------------------------------------------------------------------------------

    def _legs(self, url: Url, name: Node, seen: set[Node]) -> Iterator[Leg]:
        """The parcels by which a node heard of a URL, the last first."""
        seen.add(name)
        origin, step, is_whole, on = self._came_by(url, name)
        if origin is None or origin.node not in self._nodes:
            return
        posted = self._nodes[origin.node].history.exchanges.posted(name, origin.number)
        yield Leg(
            found_at=origin.node,
            step=None if posted is None else posted[0],
            on=on,
            parcel=origin.number,
            to=name,
            taken_in=step,
            whole=is_whole,
        )
        is_passed_on = posted is not None and posted[1] == "received"
        if (is_whole or is_passed_on) and origin.node not in seen:
            yield from self._legs(url, origin.node, seen)

    def _came_by(self, url: Url, name: Node) -> tuple[Origin | None, int, bool, Url | None]:
        """The parcel that brought a page or a link to it, the step that took it in, and the page with the link. None if
        the node found the link itself, or knew of it before."""
        visits = self._of_node(name, url)
        for row in visits:
            if row.origin:
                return origin_of(row.origin), row.step, True, row.via
        received = self._nodes[name].history.exchanges.received(url)
        if received is None or self._knew(url, name, visits, before=received[0]):
            return None, 0, False, None
        step, event = received
        link = next(link for link in event.links if link.url == url)
        return event.origin, step, False, link.via.source if link.via is not None else None

    def _knew(self, url: Url, name: Node, visits: list[Row], *, before: int) -> bool:
        """Whether a node had asked for a URL before a step, or a page of its own linked to it."""
        if any(visit.step < before for visit in visits):
            return True
        sources = self._inquiries[name].sources(url)
        pages = (row for source in sources for row in self._of_node(name, source))
        return any(row.step < before and not row.owner for row in pages)

    def _path(self, url: Url, found: Explanation) -> tuple[Waypoint, ...]:
        """The way from a start page, whoever fetched the pages on it."""
        if not found.path:
            return ()
        way = [found.path[-1]]
        via, anchor = self._via(url, found)
        seen: set[Url] = set()
        while via is not None and via not in seen:
            seen.add(via)
            visits = [row for name in self._nodes for row in self._of_node(name, via) if not row.reason]
            if not visits:
                break
            row = min(visits, key=lambda row: row.at)
            way.append(Waypoint(url=row.final_url, anchor=anchor))
            via, anchor = row.via, row.anchor
        return tuple(reversed(way))

    def _via(self, url: Url, found: Explanation) -> tuple[Url | None, str]:
        """The page with the link by which a URL was found, and the words of the link."""
        if len(found.path) > 1:
            return found.path[-2].url, found.path[-2].anchor
        for name in self._nodes:
            for row in self._of_node(name, url):
                if row.via is not None:
                    return row.via, row.anchor
            received = self._nodes[name].history.exchanges.received(url)
            for link in received[1].links if received is not None else ():
                if link.url == url and link.via is not None:
                    return link.via.source, link.via.anchor
        return None, ""


def _rank(found: Explanation) -> float:
    return BEST_FIRST.index(found.state) if found.state in BEST_FIRST else FAILED


def _newest(visits: list[Row]) -> tuple[bool, int]:
    """Whether it is another node that has the page, and how long ago it came: to find the one with the newest."""
    own = [row.fetched_at for row in visits if row.kind == "page" and not row.owner]
    return not own, -max(own, default=0)
