"""Which commands of a strategy reach the frontier."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from lycosa.crawl.gate import Gate
from lycosa.crawl.pace import Pace
from lycosa.frontier.protocol import Frontier
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize, Stop
from lycosa.model.events import Event
from lycosa.model.records import Failure, Link, UrlState
from lycosa.model.url import Url, host_of


class Admission:
    """Lets new URLs pass the gate, has scores damped by it, and counts what it keeps out."""

    def __init__(self, gate: Gate, frontier: Frontier, pace: Pace) -> None:
        self.refused = 0
        """Links that scope, traps or nofollow kept out."""
        self.second_names = 0
        """Links to another name of a page that the crawl has, or that waits."""
        self._gate, self._frontier, self._pace = gate, frontier, pace

    def instead_of(self, event: Event) -> list[Enqueue]:
        """What is asked for in place of a URL that failed: the same page by another name, to which links led too."""
        if isinstance(event, Failure) and self._frontier.state(event.url) is UrlState.FAILED:
            return self._gate.instead_of(event)
        return []

    def of(self, commands: Iterable[Command]) -> Iterable[Command]:
        """The commands that reach the frontier, in their order."""
        gate, frontier = self._gate, self._frontier
        depths: dict[Url, int] = {}
        entering: set[Url] = set()  # a page may link to a new URL several times: it enters, and counts, once

        def state_of(url: Url) -> UrlState:
            return UrlState.PENDING if url in entering else frontier.state(url)

        for command in commands:
            match command:
                case Enqueue(url=url, not_before=int()):
                    if state_of(url) in (UrlState.VISITED, UrlState.FAILED):
                        yield command
                case Enqueue(url=url, via=via, refetch=refetch):
                    state = state_of(url)
                    if state is UrlState.PENDING:
                        yield gate.again(command, frontier.waiting)
                    elif state is UrlState.UNSEEN:
                        if gate.refuses(command, self.depth(via, depths)):
                            self.refused += 1
                        elif first := gate.first_name(command, state_of):
                            self.second_names += 1
                            if state_of(first) is not UrlState.VISITED:
                                yield gate.lend(command, first, frontier.waiting)
                        else:
                            entering.add(url)
                            yield gate.admit(command)
                    elif refetch and not self._pace.gives_up(host_of(url)):
                        yield gate.damp(command)
                case Reprioritize():
                    if (moved := gate.move(command, frontier.waiting)) is not None:
                        yield moved
                case Forget() | Grant() | Stop():
                    yield command
                case _:
                    assert_never(command)

    def depth(self, via: Link | None, known: dict[Url, int] | None = None) -> int:
        """Links from a start page to what a link leads to; `known`: of pages that were asked about before."""
        if via is None:
            return 0
        known = {} if known is None else known
        if via.source not in known:
            known[via.source] = (self._frontier.depth(via.source) or 0) + 1
        return known[via.source]
