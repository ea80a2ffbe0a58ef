"""The frontier in memory: for the laboratory, for tests, and as the model of the one on disk."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Final

from msgspec.structs import replace

from lycosa.frontier.lane import HostLane, Waiting
from lycosa.frontier.protocol import Key, Lane, Rest, Tie
from lycosa.frontier.turns import Turns
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize
from lycosa.model.records import HeldBack, Millis, Request, UrlState
from lycosa.model.url import Host, Url, host_of

# Each link asks for these, and before Python 3.12 an enum takes its time to find a member.
_UNSEEN: Final = UrlState.UNSEEN
_PENDING: Final = UrlState.PENDING
_VISITED: Final = UrlState.VISITED

SWEEP_BEYOND = 1_000
"""Entries out of date that a bounded frontier, or its heap of due times, puts up with, beyond one for each URL."""


def tie_break(order: int, tie: Tie, seed: int) -> int:
    """Tells equal scores apart: smaller goes first."""
    match tie:
        case "fifo":
            return order
        case "lifo":
            return -order
        case "random":
            return int.from_bytes(blake2b(f"{seed}/{order}".encode(), digest_size=6).digest(), "big")


class MemoryFrontier:
    """A keyed priority queue of URLs over per-host queues. Keeps the promises of `Frontier`.

    Parameters: `capacity`, the most URLs that may be pending (None: no limit; [S2] uses 256 to 2,048); `tie`, how
    equal scores are ordered; `seed`, for `tie="random"`. Memory is linear in the URLs known, however often they are
    re-prioritised. Enqueueing, re-prioritising and leasing cost O(log n), averaged over many.

    Revisits lie in a heap by their due times, and from then on in a second set of queues at the same hosts.
    """

    def __init__(self, *, capacity: int | None = None, tie: Tie = "fifo", seed: int = 0) -> None:
        self.capacity, self.tie, self.seed = capacity, tie, seed
        self._new = HostLane()
        self._again: HostLane | None = None  # made for the first revisit that is due
        self._later: dict[Url, Waiting] = {}  # revisits that are not due yet
        self._due: list[tuple[Millis, int, Url]] = []  # lazily cleaned
        self._leased: dict[Url, Request] = {}
        self._out: dict[Url, Waiting] = {}
        self._visited: dict[Url, int] = {}  # depth
        self._failed: dict[Url, int] = {}
        self._elsewhere: dict[Url, int] = {}
        self._worst: list[tuple[Key, Url]] = []  # keys negated, lazily cleaned; only with a capacity
        self._quota: int | None = None
        self._order = 0

    # -- commands --------------------------------------------------------------------------------------------

    def apply(self, commands: Iterable[Command]) -> int:
        placed: dict[Url, Waiting] = {}  # new, or of a new key: a page's links are of few hosts
        pending = self._new.waiting
        for command in commands:  # nearly all are of the first two kinds
            if type(command) is Enqueue and command.not_before is None:
                if (waiting := pending.get(command.url)) is None:
                    self._enqueue(command, placed)
                elif (key := (command.tier, -command.score, waiting.key[2])) < waiting.key:
                    waiting.via = command.via or waiting.via
                    waiting.key = key
                    placed[waiting.url] = waiting
            elif type(command) is Reprioritize:
                if waiting := pending.get(command.url):
                    key = (command.tier, -command.score, waiting.key[2])
                    if key != waiting.key:
                        waiting.key = key
                        placed[waiting.url] = waiting
            else:
                self._obey(command, placed)
        self._place(placed.values())
        return self._trim()

    def _obey(self, command: Command, placed: dict[Url, Waiting]) -> None:
        match command:
            case Enqueue():
                self._schedule(command)
            case Forget(url=url):
                if (waiting := self._new.remove(url)) is not None:
                    placed.pop(url, None)
                    self._drop(waiting)
                else:
                    self._unschedule(url)
            case Grant(n=n):
                self._quota = (self._quota or 0) + n

    def _enqueue(self, command: Enqueue, placed: dict[Url, Waiting]) -> None:
        """Let a URL wait that does not."""
        url = command.url
        state, was, depth = self.state(url), None, self._depth_by(command)
        if state is UrlState.ELSEWHERE:
            del self._elsewhere[url]
        elif state is not _UNSEEN:
            if state is UrlState.LEASED or not command.refetch:
                return
            self._unschedule(url)
            before = self._forget_outcome(url)
            was, depth = state, depth if before is None else before
        self._order += 1
        placed[url] = waiting = Waiting(
            url=url,
            host=host_of(url),
            key=(command.tier, -command.score, tie_break(self._order, self.tie, self.seed)),
            order=self._order,
            depth=depth,
            via=command.via,
            was=was,
        )
        self._new.add(waiting)

    def _forget_outcome(self, url: Url) -> int | None:
        visited, failed = self._visited.pop(url, None), self._failed.pop(url, None)
        return failed if visited is None else visited

    def _depth_by(self, command: Enqueue) -> int:
        if command.depth is not None:
            return command.depth
        return 0 if command.via is None else (self.depth(command.via.source) or 0) + 1

    def _place(self, waiting: Collection[Waiting]) -> None:
        self._new.place(waiting)
        if self.capacity is not None:
            for each in waiting:
                heapq.heappush(self._worst, (_negated(each.key), each.url))

    def _drop(self, waiting: Waiting) -> None:
        """What is taken out unvisited is what it was."""
        if waiting.was is not None:
            self._outcomes(waiting.was)[waiting.url] = waiting.depth

    def _outcomes(self, state: UrlState) -> dict[Url, int]:
        return self._visited if state is UrlState.VISITED else self._failed

    # -- room ------------------------------------------------------------------------------------------------

    def _trim(self) -> int:
        if self.capacity is None:
            return 0
        trimmed, pending = 0, self._new.waiting
        while len(pending) > self.capacity:
            negated, url = heapq.heappop(self._worst)
            waiting = pending.get(url)
            if waiting is not None and waiting.key == _negated(negated):
                self._new.remove(url)
                self._drop(waiting)
                trimmed += 1
        if len(self._worst) > 2 * len(pending) + SWEEP_BEYOND:
            self._sweep()
        return trimmed

    def _sweep(self) -> None:
        """Build the heap of the worst anew: leased URLs were among the best, so they never come up by themselves."""
        self._worst = [(_negated(w.key), url) for url, w in self._new.waiting.items()]
        heapq.heapify(self._worst)

    # -- revisits --------------------------------------------------------------------------------------------

    def _schedule(self, command: Enqueue) -> None:
        url, due = command.url, command.not_before
        was = self.state(url)
        if not command.refetch or due is None or was not in (UrlState.VISITED, UrlState.FAILED):
            return
        self._unschedule(url)
        self._order += 1
        self._later[url] = Waiting(
            url=url,
            host=host_of(url),
            key=(command.tier, -command.score, due, self._order),
            order=self._order,
            depth=self.depth(url) or 0,
            via=command.via,
            was=was,
        )
        heapq.heappush(self._due, (due, self._order, url))
        if len(self._due) > 2 * len(self._later) + SWEEP_BEYOND:
            self._due = [(Millis(w.key[2]), w.order, url) for url, w in self._later.items()]
            heapq.heapify(self._due)

    def _unschedule(self, url: Url) -> Waiting | None:
        waiting = self._later.pop(url, None)
        if waiting is None and self._again is not None:
            waiting = self._again.remove(url)
        return waiting

    def _revisit(self, waiting: Waiting) -> None:
        """Let a revisit wait for its turn."""
        if self._again is None:
            self._again = HostLane(self._new.turns.beside)
        self._again.add(waiting)
        self._again.place([waiting])

    def _pass_to(self, now: Millis) -> None:
        """Move in what is due by now."""
        while (head := self._next_due()) and head[0] <= now:
            heapq.heappop(self._due)
            self._revisit(self._later.pop(head[2]))
        self._new.turns.pass_to(now)

    def _next_due(self) -> tuple[Millis, int, Url] | None:
        while self._due:
            _, order, url = self._due[0]
            waiting = self._later.get(url)
            if waiting is not None and waiting.order == order:
                return self._due[0]
            heapq.heappop(self._due)
        return None

    # -- leases ----------------------------------------------------------------------------------------------

    def lease(
        self, now: Millis, within: int | None = None, *, beyond: bool = True, lane: Lane = "new"
    ) -> Request | HeldBack | None:
        self._pass_to(now)
        if lane == "again":
            due = None if self._again is None else self._again.best(now)
            return None if due is None else self.claim(due.url)
        if self._quota == 0 or (best := self._new.best(now)) is None:
            return None
        if within is None:
            return self.claim(best.url)
        rank, first = self._new.turns.better(best.key, within)
        if rank >= within and not beyond and best.depth:
            return HeldBack(url=best.url, better=rank, host=first)
        return replace(self.claim(best.url), rank=rank)

    def claim(self, url: Url) -> Request:
        waiting = self._new.remove(url) or self._unschedule(url)
        if waiting is None:
            raise KeyError(url)
        self._leased[url] = request = waiting.request()
        self._out[url] = waiting
        for turns in self._turns():
            turns.lease(waiting.host)
        if self._quota is not None and waiting.due is None:
            self._quota -= 1
        return request

    def _turns(self) -> Iterator[Turns]:
        yield self._new.turns
        if self._again is not None:
            yield self._again.turns

    def settle(self, request: Request, state: UrlState, rest: Rest, also: Iterable[Url] = ()) -> None:
        self._take_back(request.url, rest)
        self._forget_outcome(request.url)
        outcomes = self._outcomes(state)
        outcomes[request.url] = request.depth
        for url in also:
            if self.state(url) in (UrlState.UNSEEN, UrlState.PENDING):
                waiting = self._new.remove(url)
                outcomes[url] = request.depth if waiting is None else waiting.depth

    def put_back(self, request: Request, rest: Rest) -> None:
        waiting = self._take_back(request.url, rest)
        waiting.attempt = request.attempt + 1
        self._return(waiting, ())

    def defer(self, url: Url, way: tuple[Url, ...], rest: Rest) -> None:
        self._return(self._take_back(url, rest), way)

    def give_back(self) -> None:
        for url in list(self._leased):
            del self._leased[url]
            waiting = self._out.pop(url)
            self._return(waiting, waiting.way)
            for turns in self._turns():
                turns.release(waiting.host)

    def _take_back(self, url: Url, rest: Rest) -> Waiting:
        request, waiting = self._leased.pop(url), self._out.pop(url)
        for turns in self._turns():
            turns.settle(host_of(request.at), rest)
        return waiting

    def _return(self, waiting: Waiting, way: tuple[Url, ...]) -> None:
        waiting.way, waiting.host = way, host_of(way[-1] if way else waiting.url)
        if waiting.due is not None:
            self._revisit(waiting)
            return
        if self._quota is not None:
            self._quota += 1
        self._new.add(waiting)
        self._place([waiting])

    def hand_over(self, url: Url, state: UrlState, depth: int = 0) -> None:
        if self.state(url) not in (UrlState.UNSEEN, UrlState.PENDING, UrlState.ELSEWHERE):
            return
        waiting = self._new.remove(url)
        if waiting is not None and waiting.was is not None:
            self._drop(waiting)  # it was visited here before
            return
        self._elsewhere.pop(url, None)
        outcomes = self._elsewhere if state is UrlState.ELSEWHERE else self._outcomes(state)
        outcomes[url] = depth if waiting is None else waiting.depth

    def known(self, host: Host | None = None) -> Iterator[Url]:
        held = dict.fromkeys((*self._visited, *self._failed, *self._leased))
        if host is None:
            return iter(held)
        begins = f"http://{host}/", f"https://{host}/"
        return (url for url in held if url.startswith(begins))

    # -- questions -------------------------------------------------------------------------------------------

    def wakes_at(self) -> Millis | None:
        due, reopens = self._next_due(), self._new.turns.wakes_at()
        return reopens if due is None else due[0] if reopens is None else min(due[0], reopens)

    def is_open(self, host: Host, now: Millis) -> bool:
        return self._new.turns.is_open(host, now)

    def read_ahead(self, urls: Iterable[Url]) -> None:
        """All is in memory."""

    def state(self, url: Url) -> UrlState:
        if url in self._new.waiting:
            return _PENDING
        if url in self._leased:
            return UrlState.LEASED
        if url in self._visited:
            return _VISITED
        if url in self._elsewhere:
            return UrlState.ELSEWHERE
        return UrlState.FAILED if url in self._failed else _UNSEEN

    def states(self, urls: Sequence[Url]) -> list[UrlState]:
        pending, state = self._new.waiting, self.state  # most who ask go by what waits
        return [_PENDING if url in pending else state(url) for url in urls]

    def depth(self, url: Url) -> int | None:
        if waiting := self._new.waiting.get(url):
            return waiting.depth
        if request := self._leased.get(url):
            return request.depth
        for known in (self._visited, self._failed, self._elsewhere):
            if (depth := known.get(url)) is not None:
                return depth
        return None

    def due(self, url: Url) -> Millis | None:
        waiting = self._later.get(url) or (self._again and self._again.waiting.get(url))
        return waiting.due if waiting else None

    def waiting(self, url: Url) -> Request | None:
        waiting = self._new.waiting.get(url)
        return None if waiting is None else waiting.request()

    def pending(self, host: Host | None = None) -> Iterator[Request]:
        found = self._new.waiting.values() if host is None else self._new.at_host(host)
        return (waiting.request() for waiting in found)

    def keys(self) -> dict[Url, Key]:
        return {url: waiting.key for url, waiting in self._new.waiting.items()}

    @property
    def leased(self) -> Mapping[Url, Request]:
        return self._leased

    @property
    def quota(self) -> int | None:
        return self._quota

    @property
    def revisits(self) -> int:
        return len(self._later) + (len(self._again.waiting) if self._again is not None else 0)

    def __len__(self) -> int:
        return len(self._new.waiting)


def _negated(key: Key) -> Key:
    return -key[0], -key[1], -key[2]
