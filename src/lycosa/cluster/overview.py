"""How a shared crawl stands, for whoever looks on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from lycosa.cluster.messages import Report
from lycosa.model.nodes import Node


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """How the whole crawl stands."""

    reports: Mapping[Node, Report | None]
    """None: the node does not answer."""
    budget: int
    requests: int | None
    rates: Mapping[Node, float]
    """Pages a second of each node."""
    left: Mapping[Node, tuple[int, int]]
    seconds: float

    @property
    def there(self) -> list[Report]:
        return [report for report in self.reports.values() if report is not None]

    @property
    def pages(self) -> int:
        """Fetched in all. What nodes that left have fetched counts."""
        return sum(each.pages.used - each.leased for each in self.there) + sum(
            n for n, _ in self.left.values()
        )

    @property
    def rate(self) -> float:
        return sum(self.rates.values())


class Watching(Protocol):
    """Looks on while a shared crawl runs."""

    def tick(self, overview: Overview) -> None: ...

    def say(self, text: str) -> None: ...
