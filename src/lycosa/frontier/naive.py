"""The frontier's stupid twin: lists, scans and `min`, so plain that it can be believed. For tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from lycosa.frontier.lane import Waiting
from lycosa.frontier.memory import tie_break
from lycosa.frontier.protocol import Key, Lane, Rest, Tie
from lycosa.frontier.turns import LOOKED_AT
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize
from lycosa.model.records import HeldBack, Millis, Request, UrlState
from lycosa.model.url import Host, Url, host_of


class NaiveFrontier:
    """Keeps the promises of `Frontier` by looking at everything each time."""

    def __init__(self, *, capacity: int | None = None, tie: Tie = "fifo", seed: int = 0) -> None:
        self.capacity, self.tie, self.seed = capacity, tie, seed
        self.entries: list[Waiting] = []
        self.again: list[Waiting] = []
        self.out: dict[Url, Waiting] = {}
        self.settled: dict[Url, tuple[UrlState, int]] = {}
        self.host_until: dict[Host, Millis] = {}
        self.address_until: dict[str, Millis] = {}
        self.address: dict[Host, str] = {}
        self.in_trouble: set[Host] = set()
        self.granted: int | None = None
        self.order = 0

    def apply(self, commands: Iterable[Command]) -> int:
        for command in commands:
            match command:
                case Enqueue(not_before=None):
                    self._enqueue(command)
                case Enqueue():
                    self._schedule(command)
                case Reprioritize(url=url, score=score, tier=tier):
                    for w in self.entries:
                        if w.url == url:
                            w.key = (tier, -score, w.key[2])
                case Forget(url=url):
                    for w in [w for w in self.entries if w.url == url]:
                        self._drop(w)
                    self.again = [w for w in self.again if w.url != url]
                case Grant(n=n):
                    self.granted = (self.granted or 0) + n
        trimmed = 0
        while self.capacity is not None and len(self.entries) > self.capacity:
            self._drop(max(self.entries, key=lambda w: w.key))
            trimmed += 1
        return trimmed

    def _drop(self, w: Waiting) -> None:
        self.entries.remove(w)
        if w.was is not None:
            self.settled[w.url] = (w.was, w.depth)

    def _schedule(self, command: Enqueue) -> None:
        known = self.settled.get(command.url)
        if not command.refetch or command.not_before is None or known is None or command.url in self.out:
            return
        if known[0] is UrlState.ELSEWHERE:
            return
        self.again = [w for w in self.again if w.url != command.url]
        self.order += 1
        self.again.append(
            Waiting(
                url=command.url,
                host=host_of(command.url),
                key=(command.tier, -command.score, command.not_before, self.order),
                order=self.order,
                depth=known[1],
                via=command.via,
                was=known[0],
            )
        )

    def _enqueue(self, command: Enqueue) -> None:
        for w in self.entries:
            if w.url == command.url:
                key = (command.tier, -command.score, w.key[2])
                if key < w.key:
                    w.key, w.via = key, command.via or w.via
                return
        known = self.settled.get(command.url)
        if known and known[0] is UrlState.ELSEWHERE:
            known = None
        if command.url in self.out or (known and not command.refetch):
            return
        found_at = (self.depth(command.via.source) or 0) + 1 if command.via else 0
        depth = known[1] if known else found_at if command.depth is None else command.depth
        self.settled.pop(command.url, None)
        self.again = [w for w in self.again if w.url != command.url]
        self.order += 1
        key = (command.tier, -command.score, tie_break(self.order, self.tie, self.seed))
        self.entries.append(
            Waiting(
                url=command.url,
                host=host_of(command.url),
                key=key,
                order=self.order,
                depth=depth,
                via=command.via,
                was=known[0] if known else None,
            )
        )

    def lease(
        self, now: Millis, within: int | None = None, *, beyond: bool = True, lane: Lane = "new"
    ) -> Request | HeldBack | None:
        if lane == "again":
            due = [w for w in self.again if w.key[2] <= now and self.is_open(w.host, now)]
            return self.claim(min(due, key=lambda w: w.key).url) if due else None
        may = [w for w in self.entries if self.is_open(w.host, now)]
        if self.granted == 0 or not may:
            return None
        best = min(may, key=lambda w: w.key)
        if within is None:
            return self.claim(best.url)
        better = sorted(self._better(best))
        rank = min(len(better), within)
        if rank == within and not beyond and best.depth:
            return HeldBack(url=best.url, better=rank, host=better[0][1])
        return replace(self.claim(best.url), rank=rank)

    def _better(self, best: Waiting) -> Iterator[tuple[Key, Host]]:
        """What is worth waiting for among the best of each host."""
        for host in {w.host for w in self.entries} - self.in_trouble:
            before = sorted((w.key, w.depth) for w in self.entries if w.host == host and w.key < best.key)
            yield from ((key, host) for key, depth in before[:LOOKED_AT] if depth)

    def is_open(self, host: Host, now: Millis) -> bool:
        address = self.address.get(host)
        return (
            all(
                w.host != host and (address is None or self.address.get(w.host) != address)
                for w in self.out.values()
            )
            and self.host_until.get(host, 0) <= now
            and (address is None or self.address_until.get(address, 0) <= now)
        )

    def claim(self, url: Url) -> Request:
        w = next((w for w in [*self.entries, *self.again] if w.url == url), None)
        if w is None:
            raise KeyError(url)
        (self.entries if w.due is None else self.again).remove(w)
        self.out[url] = w
        if self.granted is not None and w.due is None:
            self.granted -= 1
        return w.request()

    def settle(self, request: Request, state: UrlState, rest: Rest, also: Iterable[Url] = ()) -> None:
        self._take_back(request.url, rest)
        self.settled[request.url] = (state, request.depth)
        for url in also:
            if self.state(url) in (UrlState.UNSEEN, UrlState.PENDING):
                depth = self.depth(url)
                self.entries = [w for w in self.entries if w.url != url]
                self.settled[url] = (state, request.depth if depth is None else depth)

    def hand_over(self, url: Url, state: UrlState, depth: int = 0) -> None:
        if self.state(url) not in (UrlState.UNSEEN, UrlState.PENDING, UrlState.ELSEWHERE):
            return
        for w in [w for w in self.entries if w.url == url]:
            self._drop(w)
            if w.was is not None:
                return
            depth = w.depth
        self.settled[url] = (state, depth)

    def known(self, host: Host | None = None) -> Iterator[Url]:
        done = (UrlState.VISITED, UrlState.FAILED, UrlState.LEASED)
        held = sorted({*self.settled, *self.out})
        return (url for url in held if self.state(url) in done and host in (None, host_of(url)))

    def put_back(self, request: Request, rest: Rest) -> None:
        w = self._take_back(request.url, rest)
        w.attempt += 1
        self._send(w, ())
        self._return(w)

    def defer(self, url: Url, way: tuple[Url, ...], rest: Rest) -> None:
        w = self._take_back(url, rest)
        self._send(w, way)
        self._return(w)

    def _send(self, w: Waiting, way: tuple[Url, ...]) -> None:
        w.way, w.host = way, host_of(way[-1] if way else w.url)

    def give_back(self) -> None:
        for url in list(self.out):
            w = self.out.pop(url)
            self.host_until.pop(w.host, None)
            self._return(w)

    def _take_back(self, url: Url, rest: Rest) -> Waiting:
        w = self.out.pop(url)
        self.host_until[w.host] = rest.host_until
        if rest.in_trouble is not None:
            (self.in_trouble.add if rest.in_trouble else self.in_trouble.discard)(w.host)
        before = self.address.get(w.host)
        if rest.address:
            self.address[w.host] = rest.address
        for address in {before, rest.address} - {None, ""}:
            assert address is not None
            self.address_until[address] = max(self.address_until.get(address, Millis(0)), rest.address_until)
        return w

    def _return(self, w: Waiting) -> None:
        if w.due is not None:
            self.again.append(w)
            return
        self.entries.append(w)
        if self.granted is not None:
            self.granted += 1

    def wakes_at(self) -> Millis | None:
        due = [Millis(w.key[2]) for w in self.again]
        return min([*self.host_until.values(), *self.address_until.values(), *due], default=None)

    def due(self, url: Url) -> Millis | None:
        return next((w.due for w in self.again if w.url == url), None)

    @property
    def revisits(self) -> int:
        return len(self.again)

    def read_ahead(self, urls: Iterable[Url]) -> None:
        """All is in memory."""

    def state(self, url: Url) -> UrlState:
        if any(w.url == url for w in self.entries):
            return UrlState.PENDING
        if url in self.out:
            return UrlState.LEASED
        return self.settled[url][0] if url in self.settled else UrlState.UNSEEN

    def states(self, urls: Sequence[Url]) -> list[UrlState]:
        return [self.state(url) for url in urls]

    def depth(self, url: Url) -> int | None:
        for w in [*self.entries, *self.out.values()]:
            if w.url == url:
                return w.depth
        return self.settled[url][1] if url in self.settled else None

    def waiting(self, url: Url) -> Request | None:
        return next((w.request() for w in self.entries if w.url == url), None)

    def pending(self, host: Host | None = None) -> Iterator[Request]:
        return (w.request() for w in self.entries if host is None or w.host == host)

    def keys(self) -> dict[Url, Key]:
        return {w.url: w.key for w in self.entries}

    @property
    def leased(self) -> Mapping[Url, Request]:
        return {url: w.request() for url, w in self.out.items()}

    @property
    def quota(self) -> int | None:
        return self.granted

    def __len__(self) -> int:
        return len(self.entries)
