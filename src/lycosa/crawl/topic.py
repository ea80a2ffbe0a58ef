"""What a crawl asks of a topic model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from lycosa.model.records import Page


class TopicModel(Protocol):
    """Judges pages. A pure function of the page: deterministic, without memory of those seen, fit for `pickle`."""

    def relevance(self, page: Page) -> float:
        """In [0, 1]: 0 has nothing of the topic, 1 cannot be told from it."""
        ...

    def explain(self, page: Page) -> Mapping[str, float]:
        """What the relevance was made of, for a person to read: shares by name, the largest first."""
        ...
