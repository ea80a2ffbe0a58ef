"""Who of several nodes may ask a host or an address: the warden of a key delegates it to one of them."""

from __future__ import annotations

import msgspec

from lycosa.model.nodes import Node
from lycosa.sharing.letters import (
    Asked,
    Gate,
    Granted,
    Kept,
    Later,
    Noted,
    Post,
    Recalled,
    Returned,
    Terms,
)
from lycosa.sharing.tenure import ALWAYS, NEVER, Tenure

_SWEEP = 1024


class Standing(msgspec.Struct):
    """A gate as it stands here, by this node's clock."""

    opens_at: int = 0
    delay: int = 0
    troubles: int = 0

    def told(self, now: int) -> Gate:
        return Gate(max(0, self.opens_at - now), self.delay, self.troubles)

    def heed(self, gate: Gate, now: int) -> None:
        """Close it for as long as another says. A letter that took its time closes it for longer, never shorter."""
        if gate.rest:
            self.opens_at = max(self.opens_at, now + gate.rest)
        self.delay = max(self.delay, gate.delay)
        self.troubles = max(self.troubles, gate.troubles)


class _Delegate(msgspec.Struct):
    """Who holds a key."""

    node: Node
    life: str
    since: int
    until: int
    recalled_at: int = ALWAYS


class _Waiting(msgspec.Struct):
    """Who stands in line for a key, and when it last asked: by its own clock, and by this one."""

    life: str
    since: int
    at: int
    heard_at: int


class _Place(msgspec.Struct):
    """What the warden knows of one key."""

    gate: Standing
    holder: _Delegate | None = None
    line: dict[Node, _Waiting] = {}


class Warden:
    """Delegates the keys that this node sees to, each to one node at a time.

    A delegation runs out after `Terms.span` unless it is kept up. What a node holds of its own keys does not run out:
    it ends with the warden. Whoever asks for a key that is held stands in line, its holder is told to give it back
    after one exchange, and the next in line has it then. Who does not ask again in time leaves the line.

    Invariants, each the name of a property test:

    * one at a time: while a delegation may be in use, its key is not given to another.
    * first come: of those who wait for a key and go on asking, the first has it next.
    * nobody stands before a free key: where somebody waits in time, the key is held, or not yet to be given.
    """

    def __init__(self, here: Node, terms: Terms, tenure: Tenure, post: Post) -> None:
        self._here, self._terms, self._tenure, self._post = here, terms, tenure, post
        self._places: dict[str, _Place] = {}
        self._lines: dict[str, None] = {}
        self._sweep_at = _SWEEP

    # ----------------------------------------------------------------------------------- what holders say

    def asked(self, sender: Node, life: str, item: Asked, at: int, now: int) -> None:
        """A node wants a key: it is granted, or told when to ask again."""
        place = self._place(item.key, now)
        self._expire(place, now)
        holder = place.holder
        if holder is not None and (holder.node, holder.life) == (sender, life):
            if item.since < holder.since:
                return  # of a delegation that is over
            if item.since == holder.since:
                self._extend(item.key, place, holder, at, now)
                return
            self._end(place, now + self._delay(place))
        place.line[sender] = _Waiting(life, item.since, at, now)
        self._lines[item.key] = None
        self._serve(item.key, place, now)
        if sender in place.line:
            self._post.add(
                sender, Later(item.key, life, item.since, self._wait(item.key, place, sender, now))
            )
            self._recall(item.key, place, now)

    def kept(self, sender: Node, life: str, item: Kept, at: int, now: int) -> None:
        """A holder goes on, whether this node gave it the key or another warden that is gone."""
        place = self._place(item.key, now)
        if item.gate is not None:
            self._heed(item.key, place, item.gate, now)
        self._expire(place, now)
        holder = place.holder
        if holder is None and self._tenure.since(item.key) != NEVER:
            holder = place.holder = _Delegate(sender, life, item.since, now)
            place.line.pop(sender, None)
        if holder is not None and (holder.node, holder.life, holder.since) == (sender, life, item.since):
            self._extend(item.key, place, holder, at, now)

    def returned(self, sender: Node, life: str, item: Returned, now: int) -> None:
        """A holder is done with a key."""
        place = self._places.get(item.key)
        holder = place.holder if place is not None else None
        if place is None or holder is None:
            return
        if (holder.node, holder.life, holder.since) != (sender, life, item.since):
            return
        if item.gate is None:
            self._end(place, now + self._delay(place))
        else:
            self._end(place, now)
            place.gate.troubles = 0  # its holder knows better
            self._heed(item.key, place, item.gate, now)
        self._serve(item.key, place, now)

    def noted(self, item: Noted, now: int) -> None:
        """Somebody tells how a gate stands that it does not hold: who sees to it, if this node is the deputy."""
        place = self._place(item.key, now)
        if self._tenure.owner(item.key) != self._here:
            place.gate.heed(item.gate, now)
            return
        self._heed(item.key, place, item.gate, now)
        if place.holder is not None and place.holder.node != self._here:
            self._post.add(place.holder.node, Noted(item.key, place.gate.told(now)))

    # ----------------------------------------------------------------------------------- time and members

    def tick(self, now: int) -> None:
        """Give what became free to those who wait."""
        for key in list(self._lines):
            place = self._places[key]
            self._expire(place, now)
            self._serve(key, place, now)
            if not place.line:
                del self._lines[key]

    def changed(self, now: int) -> None:
        """The members are others: leave to others what is theirs now, and tell who comes after this node what asks for
        more than the usual rest."""
        for key, place in self._places.items():
            owner = self._tenure.owner(key)
            if owner != self._here:
                place.holder = None
                place.line.clear()
                if self._is_special(place, now):
                    self._post.add(owner, Noted(key, place.gate.told(now)))
            elif self._is_special(place, now):
                self._note(key, place, now)
        self._lines = {key: None for key in self._lines if self._places[key].line}

    def tell(self, node: Node, now: int) -> None:
        """A node was restarted: tell it how the gates stand that it sees to."""
        for key, place in self._places.items():
            if self._is_special(place, now) and self._tenure.owner(key) == node:
                self._post.add(node, Noted(key, place.gate.told(now)))

    # --------------------------------------------------------------------------------------------- within

    def _serve(self, key: str, place: _Place, now: int) -> None:
        """Give a key that is free to the first in line."""
        latest = now - self._terms.span // 2
        for node in [node for node, waiting in place.line.items() if waiting.heard_at < latest]:
            del place.line[node]
        if place.holder is not None or not place.line or now < self._given_from(key, place):
            return
        node = next(iter(place.line))
        waiting = place.line.pop(node)
        holder = place.holder = _Delegate(node, waiting.life, waiting.since, now)
        self._extend(key, place, holder, waiting.at, now)

    def _extend(self, key: str, place: _Place, holder: _Delegate, at: int, now: int) -> None:
        holder.until = NEVER if holder.node == self._here else now + self._terms.span
        if place.line:
            holder.recalled_at = now
        gate, wanted = place.gate.told(now), bool(place.line)
        self._post.add(holder.node, Granted(key, holder.life, holder.since, at, gate, wanted))

    def _recall(self, key: str, place: _Place, now: int) -> None:
        holder = place.holder
        if holder is not None and now >= holder.recalled_at + self._terms.delay // 2:
            holder.recalled_at = now
            self._post.add(holder.node, Recalled(key, holder.life, holder.since))

    def _wait(self, key: str, place: _Place, node: Node, now: int) -> int:
        """How long until it may be a node's turn. It must ask again while it still stands in line."""
        turn = max(self._delay(place), self._terms.busy)
        before = list(place.line).index(node)
        closed = self._given_from(key, place) - now
        return min(max(before * turn + self._terms.busy, closed), self._terms.span // 4)

    def _given_from(self, key: str, place: _Place) -> int:
        """When a key may be given first: when all that may have been given of it before has run out and rested."""
        since = self._tenure.since(key)
        return since if since in (ALWAYS, NEVER) else since + self._terms.span + self._delay(place)

    def _expire(self, place: _Place, now: int) -> None:
        if place.holder is not None and place.holder.until <= now:
            self._end(place, place.holder.until + self._delay(place))

    def _end(self, place: _Place, opens_at: int) -> None:
        place.holder = None
        place.gate.opens_at = max(place.gate.opens_at, opens_at)

    def _heed(self, key: str, place: _Place, gate: Gate, now: int) -> None:
        """Learn how a gate stands; what asks for more than the usual rest is told to the deputy."""
        before = place.gate.opens_at, place.gate.delay
        place.gate.heed(gate, now)
        opens_at, delay = place.gate.opens_at, place.gate.delay
        longer = opens_at > before[0] and self._terms.is_special(opens_at - now - self._extra(place), 0)
        if delay > before[1] or longer:
            self._note(key, place, now)

    def _note(self, key: str, place: _Place, now: int) -> None:
        if (deputy := self._tenure.deputy(key)) is not None:
            self._post.add(deputy, Noted(key, place.gate.told(now)))

    def _is_special(self, place: _Place, now: int) -> bool:
        return self._terms.is_special(place.gate.opens_at - now, place.gate.delay)

    def _extra(self, place: _Place) -> int:
        return self._delay(place) - self._terms.delay

    def _delay(self, place: _Place) -> int:
        return max(self._terms.delay, place.gate.delay)

    def _place(self, key: str, now: int) -> _Place:
        place = self._places.get(key)
        if place is None:
            if len(self._places) >= self._sweep_at:
                self._sweep(now)
            place = self._places[key] = _Place(Standing())
        return place

    def _sweep(self, now: int) -> None:
        """Forget the keys that nobody holds or waits for, and that ask for nothing special."""
        self._places = {
            key: place
            for key, place in self._places.items()
            if place.holder or place.line or place.gate.delay or place.gate.opens_at > now
        }
        self._sweep_at = max(_SWEEP, 2 * len(self._places))
