"""What a strategy may look at of a crawl."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from lycosa.crawl.gate import Gate
from lycosa.crawl.ports import Memory
from lycosa.frontier.protocol import Frontier
from lycosa.model.commands import Enqueue
from lycosa.model.records import Link, Millis, Request, UrlState
from lycosa.model.url import Host, Url, host_of


class CrawlView:
    """Implements `lycosa.crawl.strategy.View`. Built afresh for every step."""

    def __init__(
        self,
        step: int,
        now: Millis,
        seed: int,
        memory: Memory,
        frontier: Frontier,
        gate: Gate,
        depth: Callable[[Link | None], int],
    ) -> None:
        self.step, self.now, self.memory = step, now, memory
        self._seed, self._frontier, self._gate, self._depth = seed, frontier, gate, depth

    @cached_property
    def rng(self) -> random.Random:
        return random.Random(f"{self._seed}/{self.step}")

    def state(self, url: Url) -> UrlState:
        return self._frontier.state(url)

    def states(self, urls: Sequence[Url]) -> list[UrlState]:
        return self._frontier.states(urls)

    def admits(self, command: Enqueue) -> bool:
        if host_of(command.url) in self._gate.blockade:
            return False
        if self._gate.refuses(command, self._depth(command.via)):
            return False
        return self._gate.first_name(command, self._frontier.state) is None

    def waiting(self, url: Url) -> Request | None:
        return self._frontier.waiting(url)

    def pending(self, host: Host | None = None) -> Iterable[Request]:
        return self._frontier.pending(host)
