"""Sends what a node has for the others: in batches, by count and by time, and again until they are taken in."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from lycosa.model.errors import LycosaError
from lycosa.model.nodes import Node

LOOK_EVERY = 0.1
"""Seconds between two looks at whether a batch is due."""
FIRST_REST, LONGEST_REST = 0.5, 30.0
"""Seconds for which a node that does not answer is left alone: twice as long each time."""


class Unreachable(Exception):
    """A node does not answer now. It may do so later."""


class Peers(Protocol):
    """Carries bytes to other nodes."""

    async def taken(self, to: Node, life: str) -> int:
        """How many parcels of this life the receiver has taken in, and has on disk. Raises `Unreachable`."""
        ...

    async def deliver(self, to: Node, sealed: bytes) -> int:
        """Hand over a batch; how many parcels of this life the receiver has taken in now, and has on disk.

        Raises `Unreachable`; the batch may have arrived all the same.
        """
        ...

    async def meet(self, to: Node, here: Node, life: str) -> None:
        """Tell a node that this one is there, with the folder of this life. Raises `Unreachable`."""
        ...

    def write(self, to: Node, letter: bytes) -> None:
        """Send a letter about politeness, in its own time. It may be lost."""
        ...


class Outgoing(Protocol):
    """What a node has for others."""

    life: str
    """Of the sender."""

    @property
    def idle(self) -> bool:
        """Whether the node has nothing else to do."""
        ...

    @property
    def receivers(self) -> Sequence[Node]:
        """For whom something waits."""
        ...

    def links(self, to: Node) -> int:
        """How many links wait for a node, a page counted as one."""
        ...

    def urgent(self, to: Node) -> bool:
        """Whether what waits for a node should leave at once."""
        ...

    def unsent(self, to: Node) -> int:
        """How many parcels are not known to be taken in."""
        ...

    def batch(self, to: Node, most: int) -> bytes | None:
        """The next parcels for a node, of what the journal cannot lose any more: about so many links. The same again
        until they are known to be taken in. None: nothing can be sent now."""
        ...

    def connect(self, to: Node, taken: int) -> None:
        """The receiver has so many parcels, and nothing beyond."""
        ...


class _Route:
    """How it goes with one receiver."""

    def __init__(self) -> None:
        self.agreed = False  # whether the receiver was asked how far it is, since it answered last
        self.taken = 0  # which it said
        self.wanted = False  # whether there is something to send or to ask
        self.since: float | None = None  # since when something waits
        self.trouble = ""  # the last that was told
        self.rests = 0.0
        self.rests_until = 0.0
        self.round: asyncio.Task[None] | None = None


class Post:
    """The post of one node. Run it beside the node's crawl; it ends when it is cancelled.

    Invariants, each the name of a test:

    * one batch in flight: a receiver is sent the next one when it has answered to the one before.
    * in time: what waits is sent once it is `links` links, after `seconds`, or at once if the node is idle.
    * until it is taken in: what was not answered is sent again, and who answers anew is asked first how far it is.
    """

    def __init__(
        self,
        outgoing: Outgoing,
        peers: Peers,
        *,
        links: int,
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._outgoing, self._peers, self._clock = outgoing, peers, clock
        self._links, self._seconds = links, seconds
        self._routes: dict[Node, _Route] = {}
        self.batches = 0
        """How many were delivered."""
        self.told: list[str] = []
        """What came up that a person should know, a line each."""

    async def run(self) -> None:
        try:
            while True:
                self.look()
                await asyncio.sleep(LOOK_EVERY)
        finally:
            rounds = [route.round for route in self._routes.values() if route.round is not None]
            for each in rounds:
                each.cancel()
            await asyncio.gather(*rounds, return_exceptions=True)

    def look(self) -> None:
        """Begin to send what is due."""
        for to in self._outgoing.receivers:
            self._routes.setdefault(to, _Route()).wanted = True
        for to, route in self._routes.items():
            if route.round is not None and route.round.done():
                route.round = None
            if route.wanted and route.since is None:
                route.since = self._clock()
            if route.wanted and route.round is None and self._is_due(to, route):
                route.round = asyncio.get_running_loop().create_task(self._send(to, route))

    def resting(self, to: Node) -> bool:
        """Whether a node did not answer, and is left alone for a while."""
        route = self._routes.get(to)
        return route is not None and self._clock() < route.rests_until

    def meet(self, to: Node) -> None:
        """A node is there again, perhaps without what it had taken in: ask it, at once, how far it is."""
        route = self._routes.setdefault(to, _Route())
        route.agreed, route.wanted = False, True
        route.rests = route.rests_until = 0.0

    def _is_due(self, to: Node, route: _Route) -> bool:
        now = self._clock()
        if now < route.rests_until:
            return False
        waited = now - route.since if route.since is not None else 0.0
        return (
            not route.agreed
            or self._outgoing.idle
            or waited >= self._seconds
            or self._outgoing.links(to) >= self._links
            or self._outgoing.urgent(to)
        )

    async def _send(self, to: Node, route: _Route) -> None:
        """Send all that waits now; what comes meanwhile waits for the next time."""
        route.wanted = False
        try:
            if not route.agreed:
                self._connect(to, route, await self._peers.taken(to, self._outgoing.life))
                route.agreed = True
                if not self._is_due(to, route):
                    return
            route.since = None
            upto = route.taken + self._outgoing.unsent(to)
            while route.taken < upto and (sealed := self._outgoing.batch(to, self._links)) is not None:
                before = route.taken
                self._connect(to, route, await self._peers.deliver(to, sealed))
                if route.taken <= before:
                    raise Unreachable(f"{to} takes nothing in")
                self.batches += 1
        except Exception as error:
            if not isinstance(error, Unreachable):
                self._tell(to, route, error)
            route.agreed, route.wanted = False, True
            route.rests = min(LONGEST_REST, 2 * route.rests or FIRST_REST)
            route.rests_until = self._clock() + route.rests
        else:
            route.rests, route.trouble = 0.0, ""

    def _tell(self, to: Node, route: _Route, error: Exception) -> None:
        """What else goes wrong, there or here, is told once; it is tried again all the same."""
        trouble = str(error) if isinstance(error, LycosaError) else f"{type(error).__name__}: {error}"
        if trouble != route.trouble:
            route.trouble = trouble
            self.told.append(f"what is for {to} waits: {trouble}")

    def _connect(self, to: Node, route: _Route, taken: int) -> None:
        route.taken = taken
        self._outgoing.connect(to, taken)
