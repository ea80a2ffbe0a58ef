"""Each page once again, and then no more."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lycosa.model.commands import Enqueue
from lycosa.model.events import Searched
from lycosa.model.records import Failure, Gone, Look, Millis, Page, Unchanged
from lycosa.model.url import Url


class Once:
    """Implements the schedule of a crawl (`lycosa.crawl.ports.Schedule`): all pages that it had are due at once, and
    none is asked for a second time.

    Invariant, the name of a property test:

    * each page once: of the pages that a crawl had when it began, each is visited again once.
    """

    def __init__(self, asked_at: Millis) -> None:
        self.planned = ""
        self.settings = f"each page once, asked for at {asked_at}"

    def begin(self, known: Iterable[tuple[Url, Sequence[Look]]], *, new_wait: bool, now: Millis) -> None:
        """What it answers does not depend on the pages."""

    def plan(self, url: Url, looks: Sequence[Look], now: Millis) -> Enqueue | None:
        return Enqueue(url=url, refetch=True, not_before=now) if looks else None

    def seen(
        self, arrival: Page | Unchanged | Gone, looks: Sequence[Look], now: Millis, *, new_wait: bool
    ) -> Sequence[Enqueue]:
        return ()

    def found(self, page: Page, looks: Sequence[Look], unseen: Iterable[Url]) -> Url | None:
        return None

    def again(self, url: Url, looks: Sequence[Look], now: Millis) -> Sequence[Enqueue]:
        return ()

    def missed(self, failure: Failure, looks: Sequence[Look], now: Millis) -> Sequence[Enqueue]:
        return ()

    def told(
        self, url: Url, at: Millis, looks: Sequence[Look], now: Millis, *, surely: bool
    ) -> Sequence[Enqueue]:
        return ()

    def searched(
        self, said: Searched, known: Mapping[Url, Sequence[Look]], now: Millis, *, new_wait: bool
    ) -> Sequence[Enqueue]:
        return ()

    def standings(self) -> Mapping[Url, float]:
        return {}

    def explain(self, url: Url, looks: Sequence[Look]) -> Mapping[str, float]:
        return {}

    def save(self) -> Mapping[str, Any]:
        return {"planned": self.planned}

    def load(self, state: Mapping[str, Any]) -> None:
        self.planned = state["planned"]
