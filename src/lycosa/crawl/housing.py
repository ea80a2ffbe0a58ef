"""Where a territory lives, if not at its home. Rules for it are in `sharing`; here is what a crawl asks of them.

With a partition by hash a host is seen to by a node that has nothing to do with it, and nearly all links between hosts
must be sent. A `Housing` moves it to where it belongs. Every territory (a host, as a rule) has a home, by the
partition, and lives somewhere: there, until it moves. **Only the node where it lives decides that it moves**, so there
are never two answers. A move is one parcel; the node where it lived forwards what still comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lycosa.model.commands import Enqueue
from lycosa.model.nodes import Members, Node
from lycosa.model.records import Page
from lycosa.model.url import Url


class Neighbourhood(Protocol):
    """What a node knows of the others, from what came in by its journal: a replay gives the same answers. `Company` is
    one."""

    @property
    def here(self) -> Node: ...

    @property
    def members(self) -> Members: ...

    def territory(self, url: Url) -> str:
        """What a URL moves with: the beginning of the URL without its scheme, as a rule its host."""
        ...

    def lives(self, territory: str) -> Node:
        """Where a territory lives, as far as is known here: by the last notice, else its home."""
        ...

    def moved(self, territory: str) -> int:
        """How often it moved: `Housed.version` of the last notice; 0 of one that was always at home."""
        ...

    def burden(self, node: Node) -> int:
        """How many URLs the node sees to, fetched and waiting, as it said last (every parcel says it); of a node that
        said nothing yet as many as `here` has."""
        ...


class Housing(Protocol):
    """Says where a territory should live that lives here. None, or `here`: it stays.

    Asked of one territory at a time, in the order of the journal. It knows nothing else: no clock, no chance. What it
    learned is part of the node's snapshot.

    Invariants, each the name of a property test:

    * only members: every answer is None or one of the members.
    * as it was: loaded from what it saved, it answers as it would have.
    * comes to rest: however often it is asked, a territory moves no more than a fixed number of times.
    """

    @property
    def name(self) -> str:
        """As it is written on the command line."""
        ...

    @property
    def digest(self) -> str:
        """What all nodes must agree on: its kind, its options, its model."""
        ...

    def seen(self, territory: str, page: Page, around: Neighbourhood) -> Node | None:
        """A page was fetched here, of a territory that lives here. Asked after each, before its links are sent."""
        ...

    def linked(
        self, territory: str, links: Sequence[Enqueue], peer: Node, around: Neighbourhood
    ) -> Node | None:
        """A peer found links to a territory that lives here. Asked once a parcel and territory, after the links are
        taken in, of new ones and known ones; not of links that came because the territory moved here."""
        ...

    def left(self, territory: str) -> None:
        """It moved away: what was seen of it is forgotten."""
        ...

    def save(self) -> Mapping[str, Any]:
        """Plain values for a snapshot."""
        ...

    def load(self, saved: Mapping[str, Any]) -> None:
        """Be as when this was saved."""
        ...
