"""Territories live where the pages are that link to them and that they link to. Needs no training.

A territory's **neighbours** are the other territories that its pages link to, or that link to it; the **pull** of a
node is the share of those links that lead to or from what lives there. Before a page of it was fetched, a territory
goes to who found it; after 8 of its pages, 16, 32 … to the node that pulls most, if that is clearly more than here.
Nodes that have more than their share are left out, and the fuller a node the weaker its pull: linear deterministic
greedy partitioning, of hosts instead of pages, and revised as more is seen (Stanton and Kliot, "Streaming graph
partitioning for large distributed graphs", KDD 2012).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from lycosa.crawl.housing import Neighbourhood
from lycosa.model.commands import Enqueue
from lycosa.model.nodes import Node
from lycosa.model.records import Page, Record

NAME = "neighbours"
FORMAT = 1
"""Raise it whenever the same options decide otherwise."""
FEW = 50
"""URLs: while nodes see to fewer on average, none of them is full."""


class Settings(Record, frozen=True, kw_only=True):
    """When a territory moves."""

    most_moves: int = 3
    """Of one territory."""
    first: int = 8
    """After so many of its pages it may move for the first time by what was seen of them, and whenever they double."""
    last: int = 64
    """After more pages it stays: what was fetched of it remains where it was."""
    least: int = 2
    """Links to or from other territories that must have been seen by then."""
    margin: float = 0.2
    """So much more of the links must lead to the other node, as a share of all."""
    slack: float = 0.25
    """A node with more than 1 + slack times its share of all URLs gets no more."""


class Neighbours:
    """See above; a `Housing`. Memory: some 60 bytes for each pair of neighbours, one of which lives here."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._links: dict[str, dict[str, int]] = {}  # of what lives here: links to and from each neighbour
        self._pages: dict[str, int] = {}
        self._from: dict[str, Node] = {}  # who sent links that stood in a territory: it lives there

    @property
    def name(self) -> str:
        return NAME

    @property
    def digest(self) -> str:
        return f"{NAME}/{FORMAT}/{msgspec.json.encode(self.settings, order='deterministic').decode()}"

    def seen(self, territory: str, page: Page, around: Neighbourhood) -> Node | None:
        for url in page.out:
            if (other := around.territory(url)) != territory:
                self._link(territory, other)
                if around.lives(other) == around.here:
                    self._link(other, territory)
        pages = self._pages[territory] = self._pages.get(territory, 0) + 1
        if not self.settings.first <= pages <= self.settings.last or pages & pages - 1:
            return None
        return self._better(territory, around, self.settings.least, self.settings.margin)

    def linked(
        self, territory: str, links: Sequence[Enqueue], peer: Node, around: Neighbourhood
    ) -> Node | None:
        for link in links:
            if link.via is not None:
                source = around.territory(link.via.source)
                self._from[source] = peer
                self._link(territory, source)
        if self._pages.get(territory) or around.moved(territory):
            return None
        return self._better(territory, around, 1, 0.0)

    def _link(self, territory: str, other: str) -> None:
        links = self._links.setdefault(territory, {})
        links[other] = links.get(other, 0) + 1

    def _better(self, territory: str, around: Neighbourhood, least: int, margin: float) -> Node | None:
        """Where it should live, if it has so many links, and so much more of them there than here."""
        here, links = around.here, self._links.get(territory, {})
        total = sum(links.values())
        if around.moved(territory) >= self.settings.most_moves or total < least:
            return None
        pull = dict.fromkeys(around.members.names, 0.0)
        for other, n in links.items():
            if (node := self._lives(other, around)) in pull:
                pull[node] += n / total
        room = self._room(around)
        best = max(around.members.names, key=lambda node: (pull[node] * room[node], node == here))
        return best if room[best] > 0 and pull[best] - pull[here] > margin else None

    def _lives(self, territory: str, around: Neighbourhood) -> Node:
        """By the last notice; else by who sent links that stood there."""
        if not around.moved(territory) and (node := self._from.get(territory)) is not None:
            return node
        return around.lives(territory)

    def _room(self, around: Neighbourhood) -> Mapping[Node, float]:
        """Of each node, which share of what it may see to is free yet."""
        members = around.members
        loads = {node: around.burden(node) / members.weight(node) for node in members.names}
        most = (1 + self.settings.slack) * max(FEW, sum(loads.values()) / len(loads))
        return {node: max(0.0, 1 - load / most) for node, load in loads.items()}

    def left(self, territory: str) -> None:
        self._links.pop(territory, None)
        self._pages.pop(territory, None)

    def save(self) -> Mapping[str, Any]:
        return {
            "links": {territory: dict(links) for territory, links in self._links.items()},
            "pages": dict(self._pages),
            "from": dict(self._from),
        }

    def load(self, saved: Mapping[str, Any]) -> None:
        self._links = {territory: dict(links) for territory, links in saved["links"].items()}
        self._pages = dict(saved["pages"])
        self._from = {territory: Node(node) for territory, node in saved["from"].items()}
