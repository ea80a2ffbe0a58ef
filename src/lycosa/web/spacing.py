"""Time between two requests to one host or address, and how long a server asks us to wait."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from lycosa.crawl.ports import Clock
from lycosa.model.records import Fault, Millis, Response

_NONE = Millis(0)

BUSY = Millis(250)
"""How long to leave a host alone that is being asked now: nobody knows when it will have answered."""


class TurnLost(Exception):
    """An exchange was broken off, because the turn might be somebody else's by now."""


class Turns(Protocol):
    """Who may ask which host and address now, and for how long the others are to wait. `Spacing` is that of a crawler
    alone."""

    @property
    def delay(self) -> Millis:
        """The least time between two exchanges of a key."""
        ...

    async def waits(self, *keys: str) -> Sequence[Millis]:
        """How long until it is the turn of each key, as far as can be told; 0: it is now."""
        ...

    def exchange(self, *keys: str) -> AbstractAsyncContextManager[None]:
        """Hold the gates of these keys during an exchange; each of them must be open (`waits` says 0). May raise
        `TurnLost`."""
        ...

    def answered(self, keys: Sequence[str], answer: Response | Fault) -> None:
        """What came of the exchange that is under way."""
        ...

    def slow_down(self, key: str, delay: Millis) -> None:
        """Raise one key's delay, as a Crawl-delay asks. It can only grow."""
        ...

    def rest(self, key: str, span: Millis) -> None:
        """Keep a key's gate closed for so long from now, as an exchange of an earlier run asks."""
        ...


class _Gate:
    """Whether one host or address is being asked, and when it may be asked again."""

    __slots__ = ("busy", "delay", "opens_at")

    def __init__(self) -> None:
        self.busy = False
        self.delay = 0
        self.opens_at = 0


class _Turn:
    """Gates that are held during one exchange. Made by hand, as a generator takes three times as long."""

    __slots__ = ("_gates", "_keys", "_spacing")

    def __init__(self, spacing: Spacing, keys: Sequence[str]) -> None:
        self._spacing, self._keys = spacing, keys

    def __enter__(self) -> None:
        self._gates = self._spacing.enter(self._keys)

    def __exit__(self, *why: object) -> None:
        self._spacing.leave(self._keys, self._gates)

    async def __aenter__(self) -> None:
        self.__enter__()

    async def __aexit__(self, *why: object) -> None:
        self.__exit__()


class Spacing:
    """The safety net below the frontier's politeness: pages, robots.txt, redirect hops all pass through it.

    Nobody waits here. Who finds a gate closed is told how long, and comes again: whatever waits, waits in the
    frontier, where it costs no visit and no memory.

    Invariants, each the name of a property test:

    * one at a time: of each key (a host, an address) at most one exchange runs.
    * spaced: between the end of an exchange and the start of the next of its key lies at least the delay.
    * open in time: who comes again when the wait is over, and nobody came between, finds the gate open.
    * independent: exchanges that share no key never close each other's gates.
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

    def rest(self, key: str, span: Millis) -> None:
        """Keep a key's gate closed for so long from now, as an exchange of an earlier run asks."""
        if span > 0:
            gate = self._gate(key)
            gate.opens_at = max(gate.opens_at, self._clock.now() + span)

    def delay_for(self, key: str) -> Millis:
        """The delay that holds for a key."""
        gate = self._gates.get(key)
        return Millis(max(self.delay, gate.delay if gate else 0))

    def wait(self, key: str) -> Millis:
        """How long until it is this key's turn, as far as can be told; 0: it is now."""
        gate = self._gates.get(key)
        if gate is None:
            return _NONE
        if gate.busy:
            return Millis(max(self.delay_for(key), BUSY))
        return Millis(max(0, gate.opens_at - self._clock.now()))

    def turn(self, *keys: str) -> _Turn:
        """Hold the gates of these keys during an exchange; each of them must be open (`wait` says 0)."""
        return _Turn(self, keys)

    async def waits(self, *keys: str) -> list[Millis]:
        """`wait` of each key. Nobody has to be asked."""
        return [self.wait(key) for key in keys]

    def exchange(self, *keys: str) -> _Turn:
        """`turn`, as shared crawls have it."""
        return _Turn(self, keys)

    def answered(self, keys: Sequence[str], answer: Response | Fault) -> None:
        """Nothing: the frontier sees to it, and there is no other."""

    def enter(self, keys: Sequence[str]) -> list[_Gate]:
        """Close the gates of these keys, for :meth:`leave` to open again."""
        gates = [self._gate(key) for key in keys]
        if any(gate.busy for gate in gates):
            raise RuntimeError(f"{' and '.join(keys)}: somebody else's turn; ask `wait` first")
        for gate in gates:
            gate.busy = True
        return gates

    def leave(self, keys: Sequence[str], gates: Sequence[_Gate]) -> None:
        """The exchange is over."""
        for key, gate in zip(keys, gates, strict=True):
            self._leave(key, gate)

    def _leave(self, key: str, gate: _Gate) -> None:
        gate.busy = False
        if delay := max(self.delay, gate.delay):
            gate.opens_at = self._clock.now() + delay
        else:
            del self._gates[key]

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
