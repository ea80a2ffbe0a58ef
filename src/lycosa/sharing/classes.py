"""Classes of pages, as partitions see them: a static model that tells pages apart by what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from lycosa.model.records import Page


class Classes(Protocol):
    """A model that tells pages apart by what they say. Static: it does not learn from what it sees."""

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def digest(self) -> str:
        """Models of the same digest give the same answers on every machine."""
        ...

    def of(self, page: Page) -> int | None:
        """The place of a page's class in `names`; None: it cannot be told."""
        ...

    def posterior(self, page: Page) -> Sequence[float]:
        """Pr(class | page), in the order of `names`; they add up to 1."""
        ...


class OwnClasses:
    """The topic model of a node that owns some classes: Pr(one of them | page).

    A crawl with this topic and a strategy that ranks links by the page on which they stand (`best-first`) has its queue
    in the order of Pr(own class | parent).
    """

    def __init__(self, classes: Classes, own: Sequence[int]) -> None:
        self.classes = classes
        self.own = tuple(own)

    def relevance(self, page: Page) -> float:
        posterior = self.classes.posterior(page)
        return min(1.0, sum(posterior[place] for place in self.own))

    def explain(self, page: Page) -> Mapping[str, float]:
        posterior = self.classes.posterior(page)
        told = {self.classes.names[place]: posterior[place] for place in self.own}
        return dict(sorted(told.items(), key=lambda one: -one[1]))
