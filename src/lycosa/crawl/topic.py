"""What a crawl asks of a topic model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from lycosa.model.records import Page


class TopicModel(Protocol):
    """Says how much a page is about the topic. A pure function of the page."""

    def relevance(self, page: Page) -> float:
        """In [0, 1]."""
        ...

    def explain(self, page: Page) -> Mapping[str, float]:
        """What the relevance was made of: parts by name, the largest first."""
        ...
