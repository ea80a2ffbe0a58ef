"""Hosts that are alike live together."""

from __future__ import annotations

from typing import ClassVar

from lycosa.crawl.housing import Housing
from lycosa.model.nodes import Handling, Members
from lycosa.sharing.alike import Alike
from lycosa.sharing.division import Division


class ByLikeness(Division):
    """Each host has a home, as with `host`, and moves with a page of it to the node that has the hosts it is most like.

    When to use it: for webs of many hosts, of which some ten pages or more each are fetched. Nothing is fetched twice,
    and what is about the same comes together, without classes or training. Fewer links are sent than with `host`, but
    one page a host, and a kilobyte to each other node whenever what came to a node has doubled.

    A host moves once at most, by the words of its first page (`lycosa.sharing.alike`).

    Cost: a millisecond for the first page of a host among 16 nodes, and a dictionary look-up a link.
    """

    kind = "alike"
    reference: ClassVar[str] = "after Chung and Clarke, Topic-oriented collaborative crawling, CIKM 2002"

    def __init__(self, members: Members) -> None:
        super().__init__(members)
        self.model = "alike/1"

    @property
    def handling(self) -> Handling:
        return Handling.WHOLE

    def housing(self) -> Housing:
        return Alike()
