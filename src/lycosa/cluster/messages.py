"""What the nodes of a shared crawl and who leads them tell each other. Frozen values, sent as MessagePack.

Nodes may lie on other machines, with another lycosa. So the version comes first, apart from all else, and nothing of
the rest is read before it was compared.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol

import msgspec

from lycosa.cluster.quiet import Standing
from lycosa.cluster.shares import Holding
from lycosa.model.nodes import Members, Node
from lycosa.spec.tree import CrawlSpec


class Orders(msgspec.Struct, frozen=True, kw_only=True):
    """What a node is told when it is made. It is told the same when it is made again after a crash: what changed
    meanwhile it has in its folder, or is told by who leads."""

    here: Node
    folder: str
    spec: CrawlSpec
    members: Members
    pages: int
    requests: int | None
    topic: str = ""
    """The folder with what the topic names, asked once for all."""
    paused: bool = False
    """Whether it is to begin no visit before it is told to: what others hand over to it has to come first."""
    first: bool = False
    """Whether nobody crawled before, so that no host was just asked by somebody else."""


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """How a node presents itself."""

    version: str
    """Of its lycosa."""
    digest: str = ""
    """Of its partition: kind, options, model."""
    ended: bool = False
    """Whether its run is over."""
    refused: str = ""
    """Why it cannot take part, a sentence; empty: it can."""


class State(Enum):
    OPENING = "opening"
    RUNNING = "running"
    ENDED = "ended"
    """Its run is over; the folder is closed."""
    FAILED = "failed"
    """Something has to be mended; then the node can be told to go on."""


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A page, as it is shown among the best."""

    relevance: float
    url: str
    title: str


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """How a node stands."""

    state: State
    standing: Standing
    epoch: int
    """Of the members that it knows."""
    pages: Holding
    requests: Holding
    """`granted` is 0 where requests are not limited."""
    relevant: int = 0
    failures: int = 0
    waiting: int = 0
    """URLs that wait in its frontier."""
    leased: int = 0
    unsent: int = 0
    """Links that wait to be sent to others."""
    exported: int = 0
    imported: int = 0
    best: tuple[Found, ...] = ()
    told: tuple[str, ...] = ()
    """What came up since the last report, and when it was opened, a line each."""
    front: tuple[tuple[int, float], ...] = ()
    """Tier and score of the best link that waits at each host, best first, of some hosts; empty where none is better
    than another."""
    reached: str = ""
    """The stopping rule that holds here, a sentence; empty: none does."""
    ended: str = ""
    """Why the run ended, if it did."""
    paused: bool = False
    settled: bool = True
    """Whether the others know which hosts it watches over. Before that, nobody else is to join."""
    begun_anew: bool = False
    """Whether it found no folder when it was made: what it had fetched is fetched again."""
    process: int = 0
    machine: str = ""


class Member(Protocol):
    """A node, wherever it is. All raise `Unreachable` if it does not answer."""

    async def hello(self) -> Hello: ...

    async def report(self) -> Report: ...

    async def grant(self, pages: int, requests: int) -> tuple[int, int]:
        """Set what the node may use in all; what holds now: more, if more is used or under way.
        0 requests: no limit."""
        ...

    async def join(self, members: Members, lost: tuple[Node, ...]) -> None:
        """Tell who shares the crawl from now on."""
        ...

    async def pause(self, paused: bool) -> None:
        """Have it begin no more visits, or (False) begin them again."""
        ...

    async def dismiss(self, ending: str) -> None:
        """Tell that the whole crawl is over."""
        ...

    async def halt(self) -> None:
        """Ask it to stop; asked again, at once."""
        ...

    async def go_on(self) -> None:
        """Open the folder again, after a run that failed."""
        ...
