"""Which node is the warden of a key, and since when."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from lycosa.model.nodes import Members, Node
from lycosa.sharing.rendezvous import Rendezvous

ALWAYS = -(1 << 62)
NEVER = 1 << 62


class _Change(msgspec.Struct):
    """Others became members: whose keys may have come to this node, and when these let go of them."""

    before: Rendezvous
    epoch: int
    awaited: set[Node]
    """Who has not said yet that it knows. It may still give turns."""
    freed: dict[Node, int]


class Tenure:
    """Whose keys are whose, over changes of the members.

    A key that comes to this node was another's. That one stops when it knows of the change, so this node begins when it
    has heard so, or when it is told that the other is dead. Members that join do so one change at a time: the next
    begins when `settled` is true everywhere. Who leaves is told first. Who is lost may be said at any time.
    """

    def __init__(self, here: Node, members: Members, began: int) -> None:
        """`began`: since when this node gives turns; `ALWAYS` if nobody did before, on any node."""
        self.here = here
        self.members = members
        self.nodes = Rendezvous(members)
        self._began = began
        self._changes: list[_Change] = []
        self._epochs: dict[Node, int] = {}
        others = [name for name in members.names if name != here]
        if began != ALWAYS and others:
            # Whether it joins or was restarted it cannot know. If it joins, its keys were theirs.
            weights = tuple(members.weight(name) for name in others)
            before = Rendezvous(Members(epoch=members.epoch, names=tuple(others), weights=weights))
            self._changes.append(_Change(before, members.epoch, set(others), {}))

    def owner(self, key: str) -> Node:
        """The warden of a key."""
        return self.nodes.owner(key)

    def deputy(self, key: str) -> Node | None:
        """Who is its warden after this one; None if there is no other."""
        ranked = self.nodes.ranked(key)
        return ranked[1] if len(ranked) > 1 else None

    def since(self, key: str) -> int:
        """When nobody else gave turns any more: `ALWAYS`, a time, or `NEVER` if somebody still may."""
        latest = self._began
        for change in self._changes:
            before = change.before.owner(key)
            if before in change.awaited:
                return NEVER
            latest = max(latest, change.freed.get(before, ALWAYS))
        return latest

    def change(self, members: Members, lost: Collection[Node], now: int) -> bool:
        """Others share the crawl. Whoever is `lost` is dead. Says whether that is news."""
        news = members.epoch > self.members.epoch
        if news:
            before = self.nodes
            self.members, self.nodes = members, Rendezvous(members)
            awaited = self._sources(before)
            known = {node for node in awaited if self._epochs.get(node, 0) >= members.epoch}
            self._changes.append(
                _Change(before, members.epoch, awaited - known, dict.fromkeys(sorted(known), now))
            )
        for change in self._changes:
            for node in change.awaited & set(lost):
                self._free(change, node, now)
        return news

    def _sources(self, before: Rendezvous) -> set[Node]:
        """From whom keys may come to this node: who left; where weights changed, or to a new member, from all."""
        left = set(before.names) - set(self.nodes.names)
        same = dict(zip(before.names, before.weights, strict=True)).items()
        grown = dict(zip(self.nodes.names, self.nodes.weights, strict=True))
        weighed = any(grown.get(name, weight) != weight for name, weight in same)
        new = self.here not in before.names
        return (set(before.names) if new or weighed else left) - {self.here}

    def heard(self, node: Node, epoch: int, now: int) -> None:
        """A node knows of the members of this epoch."""
        if epoch <= self._epochs.get(node, 0):
            return
        self._epochs[node] = epoch
        for change in self._changes:
            if node in change.awaited and epoch >= change.epoch:
                self._free(change, node, now)

    def _free(self, change: _Change, node: Node, now: int) -> None:
        change.awaited.discard(node)
        change.freed[node] = now

    @property
    def awaited(self) -> set[Node]:
        """Whose word is waited for."""
        return set().union(*(change.awaited for change in self._changes))

    @property
    def settled(self) -> bool:
        """Whether everybody whose keys came here knows."""
        return not self.awaited

    def forget(self, before: int) -> None:
        """Forget changes that were settled before then."""
        self._changes = [
            change
            for change in self._changes
            if change.awaited or max(change.freed.values(), default=ALWAYS) > before
        ]
