"""The stream of a shared crawl: what its nodes stored, woven into one in the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.stream import Stream, Streamed
from lycosa.model.errors import InputError
from lycosa.model.nodes import Node

BETWEEN = ";"


class SharedStream:
    """One reader's way through what several nodes stored. Of the next record of each, the earliest comes first.

    A token names the places in the archives of all nodes, `NODE@FILE:OFFSET;NODE@…`; of one that it does not name
    nothing was read yet, so nodes may join. A page that one node fetched and another has is stored by both, and is a
    page of the crawl (`page`) where it is kept.

    Invariants, each the name of a property test:

    * resumed equals whole: streams that go on from each other's tokens give what one stream gives.
    * each node in its own order: the records of a node come as its own stream gives them.
    """

    def __init__(
        self, nodes: Mapping[Node, CrawlFolder], token: str = "", where: str = "", *, with_pages: bool = False
    ) -> None:
        """Raises `InputError` for a token or a condition that cannot be read."""
        self._places = places_in(token)
        if unknown := [name for name in self._places if name not in nodes]:
            raise InputError(
                f"{token!r}: no node of this crawl is called {unknown[0]}; give a token of its stream"
            )
        self._streams: Mapping[Node, Stream] = {
            name: node.stream(self._places.get(name, ""), where, with_pages=with_pages)
            for name, node in nodes.items()
        }

    @property
    def token(self) -> str:
        """Where to go on: behind the last record of each node that was given or left out."""
        return BETWEEN.join(f"{name}@{place}" for name, place in sorted(self._places.items()) if place)

    @property
    def is_growing(self) -> bool:
        """Whether a node runs, so that more may come."""
        return any(stream.is_growing for stream in self._streams.values())

    def __iter__(self) -> Iterator[Streamed]:
        ways = {name: iter(stream) for name, stream in self._streams.items()}
        heads = {name: head for name, way in ways.items() if (head := self._next(name, way)) is not None}
        try:
            while heads:
                name = min(heads, key=lambda name: (heads[name].at, name))
                record = heads.pop(name)
                self._places[name] = record.token
                record.token, record.node = self.token, name
                yield record
                if (head := self._next(name, ways[name])) is not None:
                    heads[name] = head
        finally:
            self._give_back(heads)

    def _next(self, name: Node, way: Iterator[Streamed]) -> Streamed | None:
        """The next record of a node. Where there is none, what was left out on the way is behind."""
        head = next(way, None)
        if head is None:
            self._places[name] = self._streams[name].token
        return head

    def _give_back(self, heads: Mapping[Node, Streamed]) -> None:
        """Records that were looked at, and not given, come again."""
        for name in heads:
            self._streams[name].go_back(self._places.get(name, ""))


def places_in(token: str) -> dict[Node, str]:
    """By node, its place in a token. Raises `InputError`.

    >>> places_in("n0@a-00000.warc.gz:12;n1@b-00001.warc.gz:7")
    {'n0': 'a-00000.warc.gz:12', 'n1': 'b-00001.warc.gz:7'}
    """
    found: dict[Node, str] = {}
    for part in filter(None, token.strip().split(BETWEEN)):
        name, at, place = part.partition("@")
        if not (name and at and place):
            raise InputError(
                f"{token!r} is no place in the stream of a shared crawl; give the token of a record"
            )
        found[Node(name)] = place
    return found
