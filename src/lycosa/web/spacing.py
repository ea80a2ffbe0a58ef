"""Time between two requests to one host or address, and how long a server asks us to wait."""

from __future__ import annotations

import asyncio
from collections import deque

from lycosa.crawl.ports import Clock
from lycosa.model.records import Millis, Response

_NONE = Millis(0)


class _Gate:
    """Whether one host or address is being asked, when it may be asked again, and who waits for it."""

    __slots__ = ("busy", "delay", "opens_at", "queue")

    def __init__(self) -> None:
        self.busy = False
        self.delay = 0
        self.opens_at = 0
        self.queue: deque[asyncio.Future[None]] = deque()


class Spacing:
    """The safety net below the frontier's politeness: pages, robots.txt, redirect hops all pass through it.

    Invariants, each the name of a property test:

    * one at a time: of each key (a host, an address) at most one exchange runs.
    * spaced: between the end of an exchange and the start of the next of its key lies at least the delay.
    * in turn: exchanges of one key run in the order in which they asked.
    * independent: exchanges that share no key never wait for each other.
    """

    def __init__(self, clock: Clock, delay: Millis = _NONE) -> None:
        """`delay` is the least time between two exchanges of a key; `slow_down` raises it for single ones."""
        self._clock = clock
        self.delay = delay
        self._gates: dict[str, _Gate] = {}
        self._sweep_at = 1024

    def slow_down(self, key: str, delay: Millis) -> None:
        """Raise one key's delay, as a Crawl-delay asks. It can only grow."""
        gate = self._gate(key)
        gate.opens_at += max(0, delay - max(gate.delay, self.delay)) if gate.opens_at else 0
        gate.delay = max(gate.delay, delay)

    def delay_for(self, key: str) -> Millis:
        """The delay that holds for a key."""
        gate = self._gates.get(key)
        return Millis(max(self.delay, gate.delay if gate else 0))

    def turn(self, host: str, address: str = "") -> _Turn:
        """``async with`` it: waits for the host's turn, then the address's (empty: none), holds both within.

        No deadlock: everyone takes a host before an address, and nobody who holds an address waits for more.
        """
        return _Turn(self, (host, f"address {address}") if address else (host,))

    async def _enter(self, gate: _Gate) -> None:
        if not (gate.busy or gate.queue or gate.opens_at):
            gate.busy = True
            return
        if gate.busy or gate.queue:
            ticket = asyncio.get_running_loop().create_future()
            gate.queue.append(ticket)
            try:
                await ticket
            except asyncio.CancelledError:
                self._give_up(gate, ticket)
                raise
        gate.busy = True
        if gate.opens_at > self._clock.now():
            try:
                await self._clock.sleep_until(Millis(gate.opens_at))
            except BaseException:
                self._pass_on(gate)
                raise

    def _give_up(self, gate: _Gate, ticket: asyncio.Future[None]) -> None:
        if ticket.done() and not ticket.cancelled():
            self._pass_on(gate)  # it was our turn just then
        else:
            gate.queue.remove(ticket)

    def _leave(self, key: str, gate: _Gate) -> None:
        delay = max(self.delay, gate.delay)
        if delay:
            gate.opens_at = self._clock.now() + delay
        self._pass_on(gate)
        if not delay and not gate.busy:
            self._gates.pop(key, None)

    def _pass_on(self, gate: _Gate) -> None:
        while gate.queue:
            ticket = gate.queue.popleft()
            if not ticket.done():
                ticket.set_result(None)
                return  # still busy, so that nobody slips in before the one who was called
        gate.busy = False

    def _gate(self, key: str) -> _Gate:
        gate = self._gates.get(key)
        if gate is None:
            if len(self._gates) >= self._sweep_at:
                self._sweep()
            gate = self._gates[key] = _Gate()
        return gate

    def _sweep(self) -> None:
        """Forget the gates that stand open and ask for nothing special: memory follows the hosts at rest."""
        now = self._clock.now()
        self._gates = {k: g for k, g in self._gates.items() if g.busy or g.delay or g.opens_at > now}
        self._sweep_at = max(1024, 2 * len(self._gates))


class _Turn:
    """The gates of one exchange, open within. A class, as a generator would cost twice the time."""

    __slots__ = ("_held", "_keys", "_spacing")

    def __init__(self, spacing: Spacing, keys: tuple[str, ...]) -> None:
        self._spacing = spacing
        self._keys = keys
        self._held: list[_Gate] = []

    async def __aenter__(self) -> None:
        spacing = self._spacing
        try:
            for key in self._keys:
                gate = spacing._gate(key)
                await spacing._enter(gate)
                self._held.append(gate)
        except BaseException:
            self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def _leave(self) -> None:
        for key, gate in zip(self._keys, self._held, strict=False):
            self._spacing._leave(key, gate)


def retry_after(response: Response, now: Millis) -> Millis | None:
    """How long the server asks us to wait, from `now`: seconds or an HTTP-date (RFC 9110 10.2.3).

    None without the header or with one that cannot be read; 0 for a date in the past.
    """
    value = (response.header("retry-after") or "").strip()
    if value.isascii() and value.isdigit():
        return Millis(int(value[:9]) * 1000)
    if not value:
        return None
    from email.utils import parsedate_to_datetime  # here: it is slow to import and seldom needed

    try:
        when = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return Millis(max(0, int(when.timestamp() * 1000) - now))
