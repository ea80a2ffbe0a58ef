"""The frontier in memory: for the laboratory, for tests, and as the model of the one on disk."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b

import msgspec
from msgspec.structs import replace

from lycosa.frontier.protocol import Key, Rest, Tie
from lycosa.frontier.turns import BestPlaces, Turns, smaller
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize
from lycosa.model.records import HeldBack, Link, Millis, Request, UrlState
from lycosa.model.url import Host, Url, host_of

SWEEP_BEYOND = 1_000
"""Entries out of date that a bounded frontier puts up with, beyond one for each pending URL."""

REBUILD_BEYOND = 16
"""Entries out of date that a host's queue puts up with, beyond one for each of its pending URLs."""


class Waiting(msgspec.Struct, kw_only=True, gc=False):
    """A pending URL and its place."""

    url: Url
    host: Host
    key: Key
    order: int
    depth: int
    attempt: int = 1
    via: Link | None = None
    way: tuple[Url, ...] = ()

    def request(self) -> Request:
        return Request(
            url=self.url,
            order=self.order,
            via=self.via,
            depth=self.depth,
            score=-self.key[1],
            tier=self.key[0],
            attempt=self.attempt,
            way=self.way,
        )


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
    re-prioritised: a host's queue is rebuilt when more than half of it is out of date. Enqueueing, re-prioritising
    and leasing cost O(log n), averaged over many.
    """

    def __init__(self, *, capacity: int | None = None, tie: Tie = "fifo", seed: int = 0) -> None:
        self.capacity, self.tie, self.seed = capacity, tie, seed
        self._turns = Turns(self._head, self._before)
        self._pending: dict[Url, Waiting] = {}
        self._leased: dict[Url, Request] = {}
        self._keys_out: dict[Url, Key] = {}
        self._visited: dict[Url, int] = {}  # depth
        self._failed: dict[Url, int] = {}
        self._queues: dict[Host, list[tuple[Key, Url]]] = {}  # lazily cleaned
        self._waiting_at: dict[Host, int] = {}  # how many of the pending URLs each host has
        self._worst: list[tuple[Key, Url]] = []  # keys negated, lazily cleaned; only with a capacity
        self._quota: int | None = None
        self._order = 0

    # -- commands --------------------------------------------------------------------------------------------

    def apply(self, commands: Iterable[Command]) -> int:
        for command in commands:
            match command:
                case Enqueue():
                    self._enqueue(command)
                case Reprioritize(url=url, score=score, tier=tier):
                    if waiting := self._pending.get(url):
                        self._move(waiting, (tier, -score, waiting.key[2]))
                case Forget(url=url):
                    self._remove(url)
                case Grant(n=n):
                    self._quota = (self._quota or 0) + n
        return self._trim()

    def _enqueue(self, command: Enqueue) -> None:
        url = command.url
        if waiting := self._pending.get(url):
            key = (command.tier, -command.score, waiting.key[2])
            if key < waiting.key:
                waiting.via = command.via or waiting.via
                self._move(waiting, key)
            return
        if url in self._leased:
            return
        depth = self._forget_outcome(url) if command.refetch else None
        if depth is None:
            if url in self._visited or url in self._failed:
                return
            depth = self._depth_by(command.via)
        self._order += 1
        key = (command.tier, -command.score, tie_break(self._order, self.tie, self.seed))
        self._add(
            Waiting(url=url, host=host_of(url), key=key, order=self._order, depth=depth, via=command.via)
        )

    def _forget_outcome(self, url: Url) -> int | None:
        visited, failed = self._visited.pop(url, None), self._failed.pop(url, None)
        return failed if visited is None else visited

    def _depth_by(self, via: Link | None) -> int:
        return 0 if via is None else (self.depth(via.source) or 0) + 1

    def _add(self, waiting: Waiting) -> None:
        self._pending[waiting.url] = waiting
        self._waiting_at[waiting.host] = self._waiting_at.get(waiting.host, 0) + 1
        self._place(waiting)

    def _remove(self, url: Url) -> Waiting | None:
        waiting = self._pending.pop(url, None)
        if waiting is not None:
            left = self._waiting_at[waiting.host] - 1
            if left:
                self._waiting_at[waiting.host] = left
            else:
                del self._waiting_at[waiting.host]
        return waiting

    def _move(self, waiting: Waiting, key: Key) -> None:
        if key != waiting.key:
            waiting.key = key
            self._place(waiting)

    def _place(self, waiting: Waiting) -> None:
        key = waiting.key
        queue = self._queues.setdefault(waiting.host, [])
        heapq.heappush(queue, (key, waiting.url))
        if len(queue) > 2 * self._waiting_at[waiting.host] + REBUILD_BEYOND:
            self._rebuild(waiting.host, queue)
        if queue[0][1] == waiting.url:
            self._turns.offer(waiting.host)
        if self.capacity is not None:
            heapq.heappush(self._worst, ((-key[0], -key[1], -key[2]), waiting.url))

    def _trim(self) -> int:
        if self.capacity is None:
            return 0
        trimmed = 0
        while len(self._pending) > self.capacity:
            (tier, score, tie), url = heapq.heappop(self._worst)
            waiting = self._pending.get(url)
            if waiting is not None and waiting.key == (-tier, -score, -tie):
                self._remove(url)
                trimmed += 1
        if len(self._worst) > 2 * len(self._pending) + SWEEP_BEYOND:
            self._sweep()
        return trimmed

    def _rebuild(self, host: Host, queue: list[tuple[Key, Url]]) -> None:
        """Drop what is out of date, and what a URL left behind that went and came back to the same place."""
        queue[:] = dict.fromkeys(entry for entry in queue if self._stands(host, *entry))
        heapq.heapify(queue)

    def _stands(self, host: Host, key: Key, url: Url) -> bool:
        """Whether an entry of a host's queue is still true: a redirect may have led the URL elsewhere, key and all."""
        waiting = self._pending.get(url)
        return waiting is not None and waiting.key == key and waiting.host == host

    def _sweep(self) -> None:
        """Build the heap of the worst anew: leased URLs were among the best, so they never come up by themselves."""
        self._worst = [((-w.key[0], -w.key[1], -w.key[2]), url) for url, w in self._pending.items()]
        heapq.heapify(self._worst)

    def _head(self, host: Host) -> Key | None:
        queue = self._queues.get(host)
        while queue:
            key, url = queue[0]
            if self._stands(host, key, url):
                return key
            heapq.heappop(queue)
        self._queues.pop(host, None)
        return None

    def _before(self, host: Host, key: Key, most: int) -> tuple[int, Key | None]:
        """See `Counting`."""
        queue, best = self._queues.get(host, []), BestPlaces[Key](most)
        for at, url in smaller(queue, key):
            depth = self._pending[url].depth if self._stands(host, at, url) else None
            if not best.add(at, url, depth):
                break
        if best.litters:
            self._rebuild(host, queue)
        return best.counted()

    # -- leases ----------------------------------------------------------------------------------------------

    def lease(
        self, now: Millis, within: int | None = None, *, beyond: bool = True
    ) -> Request | HeldBack | None:
        if self._quota == 0:
            return None
        host = self._turns.best(now)
        if host is None:
            return None
        key, url = self._queues[host][0]
        if within is None:
            return self.claim(url)
        rank, first = self._turns.better(key, within)
        if rank >= within and not beyond and self._pending[url].depth:
            return HeldBack(url=url, better=rank, host=first)
        return replace(self.claim(url), rank=rank)

    def claim(self, url: Url) -> Request:
        waiting = self._remove(url)
        if waiting is None:
            raise KeyError(url)
        self._leased[url] = request = waiting.request()
        self._keys_out[url] = waiting.key
        self._turns.lease(waiting.host)
        if self._quota is not None:
            self._quota -= 1
        return request

    def settle(self, request: Request, state: UrlState, rest: Rest, also: Iterable[Url] = ()) -> None:
        self._take_back(request.url, rest)
        outcomes = self._visited if state is UrlState.VISITED else self._failed
        outcomes[request.url] = request.depth
        for url in also:
            if self.state(url) in (UrlState.UNSEEN, UrlState.PENDING):
                waiting = self._remove(url)
                outcomes[url] = request.depth if waiting is None else waiting.depth

    def put_back(self, request: Request, rest: Rest) -> None:
        key = self._take_back(request.url, rest)
        self._return(request, key, attempt=request.attempt + 1)

    def defer(self, url: Url, way: tuple[Url, ...], rest: Rest) -> None:
        request = self._leased[url]
        self._return(request, self._take_back(url, rest), attempt=request.attempt, way=way)

    def give_back(self) -> None:
        for url, request in list(self._leased.items()):
            del self._leased[url]
            self._return(request, self._keys_out.pop(url), attempt=request.attempt, way=request.way)
            self._turns.release(host_of(request.at))

    def _take_back(self, url: Url, rest: Rest) -> Key:
        request = self._leased.pop(url)
        self._turns.settle(host_of(request.at), rest)
        return self._keys_out.pop(url)

    def _return(self, request: Request, key: Key, *, attempt: int, way: tuple[Url, ...] = ()) -> None:
        if self._quota is not None:
            self._quota += 1
        self._add(
            Waiting(
                url=request.url,
                host=host_of(way[-1] if way else request.url),
                key=key,
                order=request.order,
                depth=request.depth,
                attempt=attempt,
                via=request.via,
                way=way,
            )
        )

    # -- questions -------------------------------------------------------------------------------------------

    def wakes_at(self) -> Millis | None:
        return self._turns.wakes_at()

    def is_open(self, host: Host, now: Millis) -> bool:
        return self._turns.is_open(host, now)

    def state(self, url: Url) -> UrlState:
        if url in self._pending:
            return UrlState.PENDING
        if url in self._leased:
            return UrlState.LEASED
        if url in self._visited:
            return UrlState.VISITED
        return UrlState.FAILED if url in self._failed else UrlState.UNSEEN

    def depth(self, url: Url) -> int | None:
        if waiting := self._pending.get(url):
            return waiting.depth
        if request := self._leased.get(url):
            return request.depth
        depth = self._visited.get(url)
        return self._failed.get(url) if depth is None else depth

    def waiting(self, url: Url) -> Request | None:
        waiting = self._pending.get(url)
        return None if waiting is None else waiting.request()

    def pending(self, host: Host | None = None) -> Iterator[Request]:
        if host is None:
            return (w.request() for w in self._pending.values())
        queue = self._queues.get(host, [])
        self._rebuild(host, queue)
        return (self._pending[url].request() for _, url in sorted(queue))

    def keys(self) -> dict[Url, Key]:
        return {url: waiting.key for url, waiting in self._pending.items()}

    @property
    def leased(self) -> Mapping[Url, Request]:
        return self._leased

    @property
    def quota(self) -> int | None:
        return self._quota

    def __len__(self) -> int:
        return len(self._pending)
