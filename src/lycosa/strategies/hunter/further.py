"""Evidence that words do not give: what is added to the score of a link besides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from lycosa.model.records import Link, Page
from lycosa.scoring.links.smoothing import Floats, Ints


class FurtherEvidence(ABC):
    """One piece of it, kept up page by page.

    Invariant, the name of a property test:

    * from 0 to 1: whatever it was told, each node has as much.
    """

    name: ClassVar[str]
    """In explanations and in what is saved."""

    @abstractmethod
    def see(self, page: Page, node: int, fresh: Mapping[int, Link]) -> None:
        """Take in a page that corpus and evidence were told of, and the links to nodes that it was the first to
        name."""

    @abstractmethod
    def learn(self, rng: Random) -> None:
        """Work out what there is anew; the evidence of words has been."""

    @abstractmethod
    def of(self, nodes: Ints) -> Floats:
        """How much there is of nodes that were not fetched."""

    @abstractmethod
    def save(self) -> Mapping[str, Any]: ...

    @abstractmethod
    def load(self, state: Mapping[str, Any]) -> None: ...
