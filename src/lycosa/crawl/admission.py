"""Which commands of a strategy reach the frontier."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from lycosa.crawl.company import Company
from lycosa.crawl.gate import Gate
from lycosa.crawl.pace import Pace
from lycosa.frontier.protocol import Frontier
from lycosa.model.commands import Command, Enqueue, Forget, Reprioritize
from lycosa.model.events import Blocked, Event, Joined, Recovered
from lycosa.model.records import Deferred, Failure, Link, UrlState
from lycosa.model.url import Url, host_of

# Each link asks for these, and before Python 3.12 an enum takes its time to find a member.
_UNSEEN: Final = UrlState.UNSEEN
_PENDING: Final = UrlState.PENDING
_ELSEWHERE: Final = UrlState.ELSEWHERE
_TRIED: Final = (UrlState.VISITED, UrlState.FAILED)


class Admission:
    """Lets new URLs pass the gate, has scores damped by it, and counts what it keeps out."""

    def __init__(self, gate: Gate, frontier: Frontier, pace: Pace, company: Company | None = None) -> None:
        self.refused = 0
        """Links that scope, traps or nofollow kept out."""
        self.second_names = 0
        """Links to another name of a page that the crawl has, or that waits."""
        self._gate, self._frontier, self._pace = gate, frontier, pace
        self._company = company
        self._leaving: dict[Url, tuple[Enqueue, int]] = {}

    def instead_of(self, event: Event) -> list[Enqueue]:
        """What is asked for in place of a URL that failed: the same page by another name, to which links led too."""
        if type(event) is Failure and self._frontier.state(event.url) is UrlState.FAILED:
            return self._gate.instead_of(event)
        return []

    def leaving(self) -> list[tuple[Enqueue, int]]:
        """The links that were found since this was asked last to what other nodes see to, and their depths. From now on
        these URLs are ELSEWHERE."""
        left, self._leaving = self._leaving, {}
        for url, (_, depth) in left.items():
            self._frontier.hand_over(url, UrlState.ELSEWHERE, depth)
        return list(left.values())

    def leave_out_further_hosts(self) -> None:
        """Drop what waits for hosts that the crawl will not ask any more: it has asked as many as it may."""
        reach = self._gate.reach
        left_out = [Forget(url=each.url) for each in self._frontier.pending() if reach.refuses(each.at)]
        self._frontier.apply(left_out)
        self.refused += len(left_out)

    def _leaves(self, command: Enqueue, depth: int) -> None:
        """Let a link go to its owner, the best one if there are several; what may not be fetched stays."""
        if self._gate.refuses(command, depth):
            self.refused += 1
            return
        before = self._leaving.get(command.url)
        if before is None or before[0].score < command.score:
            self._leaving[command.url] = command, depth

    def of(self, commands: Iterable[Command], *, from_peer: bool = False) -> list[Command]:
        """The commands that reach the frontier, in their order.

        What a peer sends, or what is ours since the members changed (`from_peer`), is taken in though it was handed
        over before, and passed on if it is not ours.
        """
        gate, frontier, known = self._gate, self._frontier, self._frontier.state
        aside = gate.blockade if gate.blockade.has_said else None
        damps, freely = gate.damps, gate.moves_freely  # which pages and people decide, not links
        depths: dict[Url, int] = {}
        entering: set[Url] = set()  # a page may link to a new URL several times: it enters, and counts, once
        admitted: list[Command] = []

        def state_of(url: Url) -> UrlState:
            entered = url in entering or (aside is not None and aside.holds(url))
            return _PENDING if entered else known(url)

        for command in commands:  # nearly all are of the first two kinds, so this has to be quick
            if type(command) is Enqueue and command.not_before is None:
                url = command.url
                state = _PENDING if url in entering else known(url) if aside is None else state_of(url)
                if state is _PENDING:
                    admitted.append(gate.again(command, frontier.waiting) if damps else command)
                elif state is _UNSEEN or (from_peer and state is _ELSEWHERE):
                    if (entered := self._enters(command, depths, entering, state_of)) is not None:
                        admitted.append(entered)
                elif command.refetch and state is not _ELSEWHERE and not self._pace.gives_up(host_of(url)):
                    admitted.append(gate.damp(command))
            elif type(command) is Reprioritize:
                moved = command if freely else gate.move(command, frontier.waiting)
                if moved is not None:
                    admitted.append(moved)
            elif type(command) is not Enqueue or state_of(command.url) in _TRIED:
                admitted.append(command)
        return admitted

    def _enters(
        self,
        command: Enqueue,
        depths: dict[Url, int],
        entering: set[Url],
        state_of: Callable[[Url], UrlState],
    ) -> Enqueue | None:
        """What reaches the frontier of a link to a URL that the crawl does not know."""
        gate, url = self._gate, command.url
        if self._company is not None and self._company.routes(url):
            self._leaves(command, self._depth_of(command, depths))
        elif gate.refuses(command, self._depth_of(command, depths)):
            self.refused += 1
        elif first := gate.first_name(command, state_of):
            self.second_names += 1
            if state_of(first) is not UrlState.VISITED:
                return gate.lend(command, first, self._frontier.waiting)
        else:
            entering.add(url)
            return gate.admit(command)
        return None

    def apply(self, commands: Iterable[Command]) -> int:
        """Have the frontier do what reaches it, as far as no host is blocked. Returns how many pending URLs were
        trimmed."""
        blockade = self._gate.blockade
        if blockade.hosts:
            commands = blockade.pass_on(commands, lambda command: self._depth_of(command, {}))
        return self._frontier.apply(commands)

    def heed(self, event: Event) -> int:
        """See to blocked hosts after an event: which they are, and what came back to wait for one. Returns how many
        pending URLs were trimmed."""
        blockade, frontier = self._gate.blockade, self._frontier
        if not blockade.hosts and type(event) is not Blocked:
            return 0
        match event:
            case Blocked(hosts=hosts, off=True):
                return self._return(blockade.let_in(hosts))
            case Blocked(hosts=hosts, by=by):
                blockade.block(hosts, by, frontier)
            case Deferred(url=url, way=way):
                blockade.take_out(url, way, frontier)
            case Failure(request=request):
                blockade.take_out(request.url, (), frontier)
            case Recovered():
                for host in blockade.hosts:
                    blockade.clear(host, frontier)
            case Joined() if self._company is not None:
                self._return(blockade.moved(self._company.routes))
        return 0

    def _return(self, links: Iterable[Enqueue]) -> int:
        """Links that were set aside enter again, unless another node sees to them."""
        ours = []
        for link in links:
            if self._company is not None and self._company.routes(link.url):
                self._leaves(link, link.depth or 0)
            elif self._gate.reach.refuses(link.url):
                self.refused += 1
            else:
                ours.append(link)
        return self._frontier.apply(ours)

    def _depth_of(self, command: Enqueue, known: dict[Url, int]) -> int:
        return self.depth(command.via, known) if command.depth is None else command.depth

    def depth(self, via: Link | None, known: dict[Url, int] | None = None) -> int:
        """Links from a start page to what a link leads to; `known`: of pages that were asked about before."""
        if via is None:
            return 0
        known = {} if known is None else known
        if via.source not in known:
            known[via.source] = (self._frontier.depth(via.source) or 0) + 1
        return known[via.source]
