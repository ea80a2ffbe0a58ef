"""A topic model around another one: judges as that does, and lets it learn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lycosa.crawl.topic import Learner, TopicModel
from lycosa.model.records import Page


class WrappedTopic:
    """Does all that the model inside does; what it learns, is told and saves reaches that one only if it learns."""

    def __init__(self, inner: TopicModel) -> None:
        self._inner = inner

    def relevance(self, page: Page) -> float:
        return self._inner.relevance(page)

    def explain(self, page: Page) -> Mapping[str, float]:
        return self._inner.explain(page)

    def observe(self, page: Page) -> None:
        if isinstance(self._inner, Learner):
            self._inner.observe(page)

    def mark(self, page: Page, good: bool | None) -> None:
        if isinstance(self._inner, Learner):
            self._inner.mark(page, good)

    def save(self) -> Mapping[str, Any]:
        return {"inner": self._inner.save()} if isinstance(self._inner, Learner) else {}

    def load(self, state: Mapping[str, Any]) -> None:
        if isinstance(self._inner, Learner):
            self._inner.load(state["inner"])
