"""What a crawl asks of a topic model, and tells one that learns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from lycosa.model.records import Page


class TopicModel(Protocol):
    """Judges pages. A pure function of the page: deterministic, without memory of those seen, fit for `pickle`.

    One that does remember pages is a `Learner` as well, and then a function of the page and of those observed.
    """

    def relevance(self, page: Page) -> float:
        """In [0, 1]: 0 has nothing of the topic, 1 cannot be told from it."""
        ...

    def explain(self, page: Page) -> Mapping[str, float]:
        """What the relevance was made of, for a person to read: shares by name, the largest first."""
        ...


@runtime_checkable
class Learner(Protocol):
    """What a topic model that learns from the crawl has besides. The crawl tells it of each page once, after it was
    judged, and of each mark, in the order of the steps, when it is replayed too; what it knows is part of the crawl's
    snapshot."""

    def observe(self, page: Page) -> None:
        """A page came in; its relevance is set."""
        ...

    def mark(self, page: Page, good: bool | None) -> None:
        """A person said that a page is on topic (True) or not, or took that back (None)."""
        ...

    def save(self) -> Mapping[str, Any]:
        """What must survive between two runs, as plain values (see `Snapshot`)."""
        ...

    def load(self, state: Mapping[str, Any]) -> None:
        """Take back what `save` returned."""
        ...
