"""Hosts that are alike live together."""

from __future__ import annotations

from typing import ClassVar

from lycosa.crawl.housing import Housing
from lycosa.model.nodes import Handling, Members
from lycosa.sharing.alike import Alike
from lycosa.sharing.division import Division


class ByLikeness(Division):
    """Each host belongs to one node, as with `host`, and moves with its first page to the node that has the hosts which
    are most like it.

    When to use it: for webs of many hosts. Nothing is fetched twice, and what is about the same comes together: fewer
    links are sent than with `host`, and one page a host, where `topic` sends nearly all pages. No classes, no training.

    Cost: some 0.3 ms the first page of a host, and a kilobyte to each other node whenever a node's hosts have doubled.
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
