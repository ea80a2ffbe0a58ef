"""What one node holds of the turns of hosts and addresses: by it, it spaces its own exchanges."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from lycosa.model.nodes import Node
from lycosa.sharing.letters import Asked, Gate, Granted, Kept, Later, Noted, Post, Recalled, Returned, Terms
from lycosa.sharing.tenure import NEVER, Tenure
from lycosa.sharing.warden import Standing

AGAIN = 1_000
"""Milliseconds after which a letter that was not answered is written again."""


class _Held(msgspec.Struct):
    """A key that is delegated to this node."""

    since: int
    until: int
    """When nothing may run any more under this delegation."""
    gate: Standing
    held_at: int
    touched_at: int
    kept_at: int
    busy: bool = False
    used: bool = False
    recalled: bool = False


class _Wish(msgspec.Struct):
    """A key that this node asked for."""

    since: int
    asked_at: int
    again_at: int
    later_at: int = 0
    recalled: bool = False


class Holder:
    """Asks for keys when they are wanted, keeps up what is in use, gives back what others want.

    Invariants, each the name of a property test:

    * one at a time and spaced: as `Spacing`, for each key that is held. No exchange begins on another, nor so late that
      its delegation is about to run out; one that still runs when it does must be broken off (`until`).
    * a turn each: a key that is called back is given back after one exchange, or when none began in time.
    """

    def __init__(self, here: Node, life: str, terms: Terms, tenure: Tenure, post: Post) -> None:
        self._here, self._life, self._terms = here, life, terms
        self._tenure, self._post = tenure, post
        self._held: dict[str, _Held] = {}
        self._wishes: dict[str, _Wish] = {}
        self._count = 0

    # ------------------------------------------------------------------------------ for who has exchanges

    def want(self, key: str, now: int) -> bool:
        """Whether a key is held and may be used; if not, its warden is asked."""
        held = self._held.get(key)
        if held is not None and (held.busy or held.until > now):
            held.touched_at = now
            if self._lasts(held, now):
                return True
            self._keep(key, held, now)
            return False
        self._held.pop(key, None)
        wish = self._wishes.get(key)
        if wish is None:
            self._count += 1
            wish = self._wishes[key] = _Wish(self._count, now, now)
        wish.asked_at = now
        if now >= wish.again_at:
            wish.again_at = now + AGAIN
            self._post.add(self._tenure.owner(key), Asked(key, wish.since))
        return False

    def holds(self, key: str, now: int) -> bool:
        """Whether a key is held, and an exchange might begin."""
        held = self._held.get(key)
        return held is not None and self._lasts(held, now)

    def wait(self, key: str, now: int) -> int:
        """How long until it is this key's turn, as far as can be told; 0: it is now. Asks nobody."""
        held, busy = self._held.get(key), self._terms.busy
        if held is None:
            wish = self._wishes.get(key)
            return max(busy, wish.later_at - now if wish else 0)
        if held.busy:
            return max(self._delay(held), busy)
        return max(0, held.gate.opens_at - now) if self._lasts(held, now) else busy

    def begin(self, keys: Sequence[str], now: int) -> int:
        """An exchange of these keys begins; each must be open. Answers when it must be broken off."""
        if any(self.wait(key, now) for key in keys):
            raise RuntimeError(f"{' and '.join(keys)}: somebody else's turn; ask `wait` first")
        for held in (self._held[key] for key in keys):
            held.busy = held.used = True
            held.touched_at = now
        return self.until(keys)

    def until(self, keys: Iterable[str]) -> int:
        """When the exchange of these keys must be broken off, as far as is known now."""
        return min(self._held[key].until for key in keys)

    def end(self, keys: Iterable[str], now: int) -> None:
        """The exchange is over."""
        for key in keys:
            held = self._held[key]
            held.busy = False
            held.touched_at = now
            held.gate.opens_at = max(held.gate.opens_at, now + self._delay(held))
            if held.until <= now:
                del self._held[key]
            elif held.recalled:
                self._give_back(key, held, now)

    def slow_down(self, key: str, delay: int, now: int) -> None:
        """A host asks for a longer delay, between the exchange before and the next one too."""
        held = self._held.get(key)
        if held is None:
            self._post.add(self._tenure.owner(key), Noted(key, Gate(delay, delay)))
        elif (more := delay - self._delay(held)) > 0:
            held.gate.opens_at += more if held.gate.opens_at else 0
            held.gate.delay = delay
            self._keep(key, held, now, at_once=True)

    def rest(self, key: str, until: int, troubles: int, now: int) -> None:
        """A host is to be left alone until then. What is more than its delay is told at once."""
        held = self._held.get(key)
        if held is None:
            if self._terms.is_special(until - now, 0):
                self._post.add(self._tenure.owner(key), Noted(key, Gate(until - now, 0, troubles)))
            return
        if until > now:  # one that never closed is not slowed down before its first exchange
            held.gate.opens_at = max(held.gate.opens_at, until)
        held.gate.troubles = troubles
        if self._terms.is_special(until - now - self._delay(held) + self._terms.delay, 0):
            self._keep(key, held, now, at_once=True)

    def troubles(self, key: str) -> int:
        """How often in a row a key's host failed, as far as is known here."""
        held = self._held.get(key)
        return held.gate.troubles if held is not None else 0

    def delay(self, key: str) -> int:
        """The delay that holds for a key, as far as is known here."""
        held = self._held.get(key)
        return self._delay(held) if held is not None else self._terms.delay

    # ----------------------------------------------------------------------------------- what wardens say

    def granted(self, sender: Node, item: Granted, now: int) -> None:
        """A key was delegated, or is for longer."""
        until = NEVER if sender == self._here else item.at + self._terms.span - self._terms.margin
        held, wish = self._held.get(item.key), self._wishes.get(item.key)
        if held is not None and held.since == item.since:
            held.until = max(held.until, until)
            held.gate.delay = max(held.gate.delay, item.gate.delay)
            if item.wanted:
                self._call_back(item.key, held, now)
            return
        if wish is not None and wish.since == item.since:
            del self._wishes[item.key]
            if until > now:
                gate = Standing()
                gate.heed(item.gate, now)
                self._held[item.key] = _Held(item.since, until, gate, now, now, now)
                self._held[item.key].recalled = item.wanted or wish.recalled
                return
        self._post.add(sender, Returned(item.key, item.since))

    def later(self, item: Later, now: int) -> None:
        """Somebody else has it."""
        wish = self._wishes.get(item.key)
        if wish is not None and wish.since == item.since:
            wish.again_at = wish.later_at = now + item.wait

    def recalled(self, sender: Node, item: Recalled, now: int) -> None:
        """Somebody else wants it."""
        held, wish = self._held.get(item.key), self._wishes.get(item.key)
        if held is not None and held.since == item.since:
            self._call_back(item.key, held, now)
            return
        if wish is not None and wish.since == item.since:
            wish.recalled = True  # its grant is under way
        else:
            self._post.add(sender, Returned(item.key, item.since))

    def noted(self, item: Noted, now: int) -> None:
        """A key that is held is to be left alone for longer."""
        held = self._held.get(item.key)
        if held is not None:
            held.gate.heed(item.gate, now)

    # ----------------------------------------------------------------------------------- time and members

    def tick(self, now: int) -> None:
        """Keep up what is in use, give back what is not."""
        for key in [key for key, wish in self._wishes.items() if now - wish.asked_at > self._terms.span]:
            del self._wishes[key]
        for key, held in list(self._held.items()):
            if not held.busy and held.until <= now:
                del self._held[key]
            elif not held.busy and self._is_left(held, now):
                self._give_back(key, held, now)
            elif held.until - now < 2 * self._terms.span // 3:
                self._keep(key, held, now)

    def _is_left(self, held: _Held, now: int) -> bool:
        """Whether a key is to go back: nobody uses it, or who wants it has waited long enough for its first use."""
        opened = max(held.gate.opens_at, held.touched_at)
        if held.recalled:
            return now - opened > AGAIN or now - max(held.gate.opens_at, held.held_at) > self._terms.span
        return now - opened > self._terms.idle

    def changed(self, now: int) -> None:
        """The members are others: what is held is kept up with the new wardens, what was asked for is asked anew."""
        self._wishes.clear()
        for key, held in self._held.items():
            if held.until == NEVER and self._tenure.owner(key) != self._here:
                held.until = now + self._terms.span - self._terms.margin
            self._keep(key, held, now, at_once=True)

    def restarted(self, warden: Node, now: int) -> None:
        """A warden lost what it knew: tell it what is held of its keys."""
        for key, held in self._held.items():
            if self._tenure.owner(key) == warden:
                self._keep(key, held, now, at_once=True)
        for key, wish in self._wishes.items():
            if self._tenure.owner(key) == warden:
                wish.again_at = now

    def leave(self, now: int) -> None:
        """Give everything back, what is in use when it is not any more."""
        for key, held in list(self._held.items()):
            held.recalled = True
            if not held.busy:
                self._give_back(key, held, now)

    # --------------------------------------------------------------------------------------------- within

    def _lasts(self, held: _Held, now: int) -> bool:
        """Whether an exchange may begin: a warden that answers keeps a delegation above a third of its span."""
        return held.until - now > self._terms.span // 3

    def _keep(self, key: str, held: _Held, now: int, *, at_once: bool = False) -> None:
        if at_once or now - held.kept_at >= AGAIN:
            held.kept_at = now
            special = self._terms.is_special(held.gate.opens_at - now, held.gate.delay)
            gate = held.gate.told(now) if special else None
            self._post.add(self._tenure.owner(key), Kept(key, held.since, gate))

    def _call_back(self, key: str, held: _Held, now: int) -> None:
        held.recalled = True
        if held.used and not held.busy:
            self._give_back(key, held, now)

    def _give_back(self, key: str, held: _Held, now: int) -> None:
        del self._held[key]
        self._post.add(self._tenure.owner(key), Returned(key, held.since, held.gate.told(now)))

    def _delay(self, held: _Held) -> int:
        return max(self._terms.delay, held.gate.delay)
