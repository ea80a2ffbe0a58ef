"""Where a territory lives, if not at its home. Rules for it are in `sharing`; here is what a crawl asks of them.

With a partition by hash a host is seen to by a node that has nothing to do with it, and nearly all links between hosts
must be sent. A `Housing` gives it to the node where it belongs. Every territory (a host, as a rule) has a home, by the
partition, and lives somewhere: there, until it moves. **Only the node where it lives decides that it moves**, so there
are never two answers, and the rule may go by what only that node knows. The page that decided goes along: what is kept
of a territory stays together. The node where it lived forwards what still comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from lycosa.model.nodes import Members, Node
from lycosa.model.records import Page
from lycosa.model.url import Url


class Neighbourhood(Protocol):
    """What a node knows of the others, from what came in by its journal. `Company` is one."""

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


class Housing(Protocol):
    """Says where territories should live that live here. It knows what the journal tells: no clock, no chance. What it
    learned is part of the node's snapshot.

    Invariants, each the name of a property test:

    * only members: every answer is one of the members.
    * as it was: loaded from what it saved, it answers as it would have.
    * comes to rest: however often it is asked, a territory moves no more than a fixed number of times.
    """

    def belongs(self, territory: str, page: Page, around: Neighbourhood) -> Node:
        """Where a territory should live that lives here: asked of each page that was fetched of it, before it is taken
        in. It becomes that node's page. Changes nothing; the answer is in the journal, and a replay does not ask."""
        ...

    def seen(
        self, territory: str, page: Page, node: Node, around: Neighbourhood
    ) -> Mapping[Node, Mapping[str, Any]]:
        """A page is taken in, and it is this node's: one that was fetched here, or one that another node sent. Asked of
        each, before the territory moves. Returns what others should hear, in plain values."""
        ...

    def heard(self, peer: Node, told: Mapping[str, Any]) -> None:
        """What `seen` of another node had for this one."""
        ...

    def save(self) -> Mapping[str, Any]:
        """Plain values for a snapshot."""
        ...

    def load(self, saved: Mapping[str, Any]) -> None:
        """Be as when this was saved."""
        ...
