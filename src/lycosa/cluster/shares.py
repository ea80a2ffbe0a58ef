"""A budget of all nodes, shared out. Pure."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import cycle
from math import ceil

import msgspec

from lycosa.model.nodes import Node

ENOUGH_FOR = 5.0
"""Seconds: a node whose share lasts for so long is not short of it."""
PORTIONS = 25
"""Where some links are better than others, so much of the budget is given out at a time, to where the best ones are."""
AMONG = 100
"""Hosts whose best links are compared."""
AT_REST = 0.25
"""What a node with nothing to do is given, next to one that works: links may reach it at any time."""


class Holding(msgspec.Struct, frozen=True, kw_only=True):
    """What a node has of the budget."""

    granted: int
    """How much it may use in all."""
    used: int
    """How much it has used, what is under way included."""
    busy: bool = True
    """Whether it could use more now."""
    rate: float = 0.0
    """How much it uses in a second."""
    merit: float | None = None
    """Which share of the best links that wait anywhere wait there; None: no link is better than another."""

    @property
    def left(self) -> int:
        return self.granted - self.used


def merits(fronts: Mapping[Node, Sequence[tuple[int, float]]]) -> dict[Node, float]:
    """Which share of the best links of all each node has, by tier and score of the best ones at each; none of them, if
    nothing was told of any."""
    told = ((tier, -score, node) for node, front in fronts.items() for tier, score in front)
    best = Counter(node for _, _, node in heapq.nsmallest(AMONG, told))
    return {node: best[node] / best.total() for node in fronts} if best else {}


def portion_of(budget: int, holdings: Mapping[Node, Holding]) -> int:
    """How much of a budget is given out at a time by merit: enough for a second, however fast the nodes are."""
    rate = sum(each.rate for each in holdings.values())
    return max(ceil(budget / PORTIONS), ceil(rate), len(holdings))


def shared_out(budget: int, holdings: Mapping[Node, Holding]) -> dict[Node, int]:
    """How much each node may use in all: what is left goes to those who work, by how fast they are. Where they have
    merits, a portion of it goes by these instead: so several nodes fetch what one would have fetched.

    Invariants, each the name of a property test:

    * within the budget: the shares are no more than it in all, unless more is used already.
    * nothing taken back: each node keeps what it has used.
    * all given out: all of the budget is shared out, or a whole portion of what is left of it.
    """
    left = max(0, budget - sum(each.used for each in holdings.values()))
    if any(each.merit is not None for each in holdings.values()):
        left = min(left, portion_of(budget, holdings))
    fastest = max((each.rate for each in holdings.values()), default=0.0)
    weights = {
        node: (max(each.rate, fastest / 4, 1e-6) if each.merit is None else max(each.merit, 1e-6))
        * (1.0 if each.busy else AT_REST)
        for node, each in holdings.items()
    }
    whole = sum(weights.values())
    shares = {node: int(left * weight / whole) for node, weight in weights.items()}
    rest = left - sum(shares.values())
    first = sorted(holdings, key=lambda node: (not holdings[node].busy, -weights[node]))
    for node, _ in zip(cycle(first), range(rest), strict=False):
        shares[node] += 1
    return {node: holdings[node].used + share for node, share in shares.items()}


def is_short(budget: int, holdings: Mapping[Node, Holding]) -> bool:
    """Whether a node that works soon has none left, and there is more for it."""
    shares = shared_out(budget, holdings)
    return any(
        each.busy and each.left <= each.rate * ENOUGH_FOR and shares[node] > each.granted
        for node, each in holdings.items()
    )
