"""Hosts that look for a place to live: what a node knows of where they are, and their first pages."""

from __future__ import annotations

from lycosa.model.nodes import Members, Node
from lycosa.model.url import Url, host_of

HERE = Node("a")


class Around:
    """A node that knows where every host lives."""

    def __init__(self, here: Node = HERE, names: str = "abc", homes: dict[str, Node] | None = None) -> None:
        self.here = here
        self.members = Members(epoch=1, names=tuple(map(Node, names)))
        self._homes = homes or {}
        self._moved: set[str] = set()

    def territory(self, url: Url) -> str:
        return host_of(url)
