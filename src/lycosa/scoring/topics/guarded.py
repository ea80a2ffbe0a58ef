"""Between a crawl and judges that may fail: predicates, pickled models, functions of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lycosa.crawl.topic import TopicModel
from lycosa.model.errors import LycosaError, TopicError
from lycosa.model.records import Page
from lycosa.scoring.topics.wrapped import WrappedTopic


class Guarded(WrappedTopic):
    """Judges by another topic model, and knows what to do when that raises or answers what is no relevance.

    With `halt` the crawl halts before the page is taken in, and can be resumed after the fix. Without, the page is kept
    with relevance 0, the fault is counted and told, and the crawl goes on. A number that is not from 0 to 1, NaN above
    all, is a fault like an exception.
    """

    def __init__(self, inner: TopicModel, *, halt: bool) -> None:
        super().__init__(inner)
        self.halt = halt
        self.faults = 0
        """Pages that could not be judged."""
        self.last_fault = ""
        """What went wrong with the last of them, in a line."""

    def relevance(self, page: Page) -> float:
        value, fault = self._judged(page)
        if fault and self.halt:
            raise TopicError(f"{page.url} cannot be judged: {fault}")
        if fault:
            self.faults += 1
            self.last_fault = f"{page.url}: {fault}"
        return value

    def explain(self, page: Page) -> Mapping[str, float]:
        value, fault = self._judged(page)
        return {fault: value} if fault else self._inner.explain(page)

    def _judged(self, page: Page) -> tuple[float, str]:
        try:
            value = float(self._inner.relevance(page))
        except LycosaError:
            raise
        except Exception as error:
            return 0.0, f"{type(error).__name__}: {error}"
        if 0.0 <= value <= 1.0:
            return value, ""
        return 0.0, f"its relevance is {value}, which is not from 0 to 1"

    def save(self) -> Mapping[str, Any]:
        return {"faults": self.faults, "last fault": self.last_fault, **super().save()}

    def load(self, state: Mapping[str, Any]) -> None:
        self.faults, self.last_fault = state["faults"], state["last fault"]
        super().load(state)
