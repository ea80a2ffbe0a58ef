"""The nodes among which a crawl is shared, and where a parcel came from. Frozen values."""

from __future__ import annotations

from enum import Enum
from typing import NewType

import msgspec

Node = NewType("Node", str)
"""The name of one crawler among several."""


class Members(msgspec.Struct, frozen=True, kw_only=True):
    """Who shares a crawl."""

    epoch: int
    """Counts the changes, from 1."""
    names: tuple[Node, ...]
    weights: tuple[float, ...] = ()
    """What share each of them is to have, in the order of `names`; empty: all the same."""

    def weight(self, name: Node) -> float:
        """The share of a node, above 0, in no particular unit."""
        return self.weights[self.names.index(name)] if self.weights else 1.0


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """Which node of a shared crawl a session is."""

    node: Node
    members: Members


class Origin(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Which parcel of which node something came with."""

    node: Node
    life: str
    """Names the folder of that node: one that lost its folder and begins anew counts its parcels from 1 again."""
    number: int
    """Counts the parcels of that life to the receiver, from 1, without gaps."""


class Housed(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A territory (a host, a directory of a large one) is seen to by this node, whatever the partition says."""

    territory: str
    node: Node
    version: int
    """Counts the moves of the territory: the highest is true."""


class Handling(Enum):
    """What becomes of a page that another node owns than the one that fetched it."""

    WHOLE = "whole"
    """It goes to its owner, who takes it in as if it had been fetched there, and follows its links (X4)."""
    COPY = "copy"
    """It goes to its owner, who keeps it; its links are followed where it was fetched (hash of the content)."""
    LINKS = "links"
    """It stays; the links on it go to its owner (X4 without transfer of pages)."""
