"""Files that one node reads for all: robots.txt above all."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

import msgspec

from lycosa.sharing.letters import Rules


class _Kept(msgspec.Struct, frozen=True, gc=False):
    rules: Rules
    until: int


class Shelf:
    """What the files say that this node keeps for all, as their host's warden or its deputy.

    Invariants, each the name of a property test:

    * fresh: nothing is told after its time, and what is told is good for no longer than it was.
    * bounded: what is kept has at most `room` bytes, and 200 more a file; what was unused for longest goes first.
    """

    def __init__(self, room: int = 64 << 20) -> None:
        self._room = room
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._size = 0

    def put(self, url: str, rules: Rules, now: int) -> None:
        """Keep a file; what is good for longer stays."""
        before = self._kept.get(url)
        if before is not None and before.until >= now + rules.good_for:
            return
        self._drop(url)
        self._kept[url] = _Kept(rules, now + rules.good_for)
        self._size += _size(rules)
        while self._size > self._room:
            self._drop(next(iter(self._kept)))

    def get(self, url: str, now: int) -> Rules | None:
        """A file that is still good; None if there is none."""
        kept = self._kept.get(url)
        if kept is None:
            return None
        if kept.until <= now:
            self._drop(url)
            return None
        self._kept.move_to_end(url)
        return msgspec.structs.replace(kept.rules, good_for=kept.until - now)

    def latest(self, now: int, room: int = 2 << 20) -> Iterator[tuple[str, Rules]]:
        """The files that were used last, of so many bytes."""
        for url in list(reversed(self._kept)):
            kept = self._kept[url]
            room -= _size(kept.rules)
            if room < 0:
                return
            if kept.until > now:
                yield url, msgspec.structs.replace(kept.rules, good_for=kept.until - now)

    def _drop(self, url: str) -> None:
        kept = self._kept.pop(url, None)
        if kept is not None:
            self._size -= _size(kept.rules)


def _size(rules: Rules) -> int:
    return 200 + len(rules.body or b"") + len(rules.problem)
