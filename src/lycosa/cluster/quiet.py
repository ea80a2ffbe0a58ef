"""When all nodes of a shared crawl are done for good. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from lycosa.model.nodes import Node


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """How far a node is, as it says itself at one moment."""

    life: str
    quiet: bool
    """Nothing is out, and nothing may be asked for: no link waits, or the budget is used up."""
    sent: Mapping[Node, int] = {}
    """How many parcels went to each node so far."""
    taken: Mapping[str, int] = {}
    """By `node/life`: how many parcels of each were taken in, and are on disk."""
    steps: int = 0
    """Counts what happened here."""


class Quiet:
    """Looks at what all nodes say, round by round.

    Nodes are asked one after the other while messages travel, so that all were quiet when asked proves nothing. It does
    if each pair agrees on what went between them (the vector counters of Mattern, Algorithms for distributed
    termination detection, Distributed Computing 2, 1987): the first message to wake a node after it had answered
    would have been sent before its sender answered, and be counted there, and not here. A second round with the same
    answers is asked for because other things can wake a node: a mark, a larger budget.

    Invariants, each the name of a property test:

    * never too early: it is not quiet while any node works, or a parcel is on its way.
    * at last: when nothing happens any more, the second look tells.
    """

    def __init__(self) -> None:
        self._before: Mapping[Node, Standing] | None = None

    def look(self, standings: Mapping[Node, Standing]) -> bool:
        """Whether all is done, as two rounds in a row tell. All nodes have to be among those who answered."""
        done = all(each.quiet for each in standings.values()) and all_taken_in(standings)
        before, self._before = self._before, dict(standings) if done else None
        return done and before == standings


def all_taken_in(standings: Mapping[Node, Standing]) -> bool:
    """Whether everything sent between those who answered arrived."""
    return all(
        standings[to].taken.get(f"{node}/{each.life}", 0) == number
        for node, each in standings.items()
        for to, number in each.sent.items()
        if to in standings
    )
