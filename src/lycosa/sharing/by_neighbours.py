"""Hosts live where their neighbours are."""

from __future__ import annotations

from typing import ClassVar

from lycosa.crawl.housing import Housing
from lycosa.model.nodes import Members
from lycosa.sharing.division import Division
from lycosa.sharing.neighbours import Neighbours


class ByNeighbours(Division):
    """Each host belongs to one node, as with `host`, and moves to the node where the hosts live that it links to and
    that link to it.

    When to use it: on webs of many hosts. Nothing is fetched twice, few links are sent, and what belongs together comes
    together, without training.
    """

    kind = "neighbours"
    reference: ClassVar[str] = (
        "Stanton and Kliot, Streaming graph partitioning for large distributed graphs, KDD 2012"
    )

    def __init__(self, members: Members) -> None:
        super().__init__(members)
        self.model = Neighbours().digest

    def housing(self) -> Housing:
        return Neighbours()
