"""Hosts that look for a place to live: what a node knows of where they are, and their first pages."""

from __future__ import annotations

from lycosa.model.nodes import Members, Node, Origin
from lycosa.model.records import Link, Millis, Page, Request
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

    def lives(self, territory: str) -> Node:
        return self._homes.get(territory, self.here)

    def moved(self, territory: str) -> int:
        return int(territory in self._moved)

    def move(self, territory: str, to: Node) -> None:
        self._homes[territory] = to
        self._moved.add(territory)


def page(host: str, words: str = "", links: str = "", origin: Origin | None = None) -> Page:
    url = Url(f"http://{host}/")
    return Page(
        request=Request(url=url, order=1),
        final_url=url,
        status=200,
        fetched_at=Millis(0),
        media_type="text/html",
        digest="",
        title="",
        text=words,
        links=tuple(Link(source=url, target=Url(f"http://{to}/")) for to in links.split()),
        terms={word: words.split().count(word) for word in words.split()},
        origin=origin,
    )
