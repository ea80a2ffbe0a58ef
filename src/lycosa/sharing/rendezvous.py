"""Rendezvous hashing: who of several nodes has a key, so that a change of nodes moves as little as can be.

Every node draws a number for every key, by a hash of both, and the highest has the key. If a node leaves, only its own
keys move, each to the node that drew second; if one joins, only what it wins moves. With weights w the highest of
-w / ln h has the key, h in (0, 1), which happens with the probability w / Σ w.

Sources: Thaler and Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM Transactions on Networking
6(1), 1998; the weights after Schindelhauer and Schomaker, "Weighted distributed hash tables", SPAA 2005.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from hashlib import blake2b
from math import floor, isfinite
from typing import Final

import numpy as np
from numpy.typing import NDArray

from lycosa.crawl.sketch import mixed
from lycosa.model.nodes import Members, Node

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.float64]

_MEMO: Final = 1 << 16
"""Keys whose owner is remembered: about 200 bytes each."""
_BLOCK: Final = 1 << 20
"""Numbers that are drawn at once, of keys times nodes."""
_LN_2: Final = 0.6931471805599453
_ROOT_HALF: Final = 0.7071067811865476


def hash64(key: str) -> int:
    """A hash of a key, the same in every process and on every machine."""
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


class Rendezvous:
    """Which of several nodes has a key.

    `owner` costs a dictionary look-up for a key that was asked for lately, else some 10 µs and 10 ns a node.

    Invariants, each the name of a property test:

    * the same everywhere: owners depend on the names, weights and keys alone, not on the order of the names, the
      process or the machine.
    * little moves: a key whose owner stays among the members, at its weight or a higher one, moves only to a node that
      joined or grew.
    * weights hold: of many keys a node has the share w / Σ w.
    """

    def __init__(self, members: Members) -> None:
        if not members.names or len(set(members.names)) < len(members.names):
            raise ValueError(f"nodes need names of their own: {members.names}")
        self.names = tuple(sorted(members.names))
        self.weights = tuple(members.weight(name) for name in self.names)
        if not all(isfinite(weight) and weight > 0 for weight in self.weights):
            raise ValueError(f"weights of nodes are above 0: {self.weights}")
        self._seeds = np.array([hash64(name) for name in self.names], np.uint64)
        even = len(set(self.weights)) == 1
        self._scales = None if even else np.array(self.weights)
        self._memo: dict[str, Node] = {}

    def owner(self, key: str) -> Node:
        """Who has a key."""
        found = self._memo.get(key)
        if found is None:
            if len(self._memo) >= _MEMO:
                self._memo.clear()
            found = self._memo[key] = self.names[int(self._drawn(np.uint64(hash64(key))).argmax())]
        return found

    def ranked(self, key: str) -> list[Node]:
        """All nodes, in the order in which they have a key if those before them are gone."""
        drawn = self._drawn(np.uint64(hash64(key)))
        return [self.names[place] for place in np.argsort(-drawn, kind="stable").tolist()]

    def places(self, hashes: Hashes) -> NDArray[np.intp]:
        """Who has each of many keys, given as `hash64` of them: places in `names`."""
        rows = max(1, _BLOCK // len(self.names))
        blocks = [
            self._drawn(hashes[at : at + rows, None]).argmax(axis=1) for at in range(0, len(hashes), rows)
        ]
        return np.concatenate(blocks) if blocks else np.zeros(0, np.intp)

    def dealt(self, keys: Sequence[str]) -> dict[str, Node]:
        """Who has each of a few keys, if nobody may have more than a fair share of them.

        Of m distinct keys a node has ⌊m w / Σ w⌋ or ⌈m w / Σ w⌉. Where that lets them, keys go to the node that drew
        highest: the pairs of key and node are gone through from the highest number down.
        """
        weights = [Fraction(weight) for weight in self.weights]
        fair = [len(keys) * weight / sum(weights) for weight in weights]
        room = [floor(share) for share in fair]
        uneven = [share > floor(share) for share in fair]
        spare = len(keys) - sum(room)
        drawn = self._drawn(_hashes(keys)[:, None])
        taken: dict[str, Node] = {}
        for pair in np.argsort(-drawn, axis=None, kind="stable").tolist():
            key, place = keys[pair // len(self.names)], pair % len(self.names)
            if key in taken:
                continue
            if room[place]:
                room[place] -= 1
            elif uneven[place] and spare:
                uneven[place], spare = False, spare - 1
            else:
                continue
            taken[key] = self.names[place]
        return {key: taken[key] for key in keys}

    def _drawn(self, hashes: Hashes | np.uint64) -> Numbers:
        """What each node draws for a key, or (as a column) for each key of a column: h, or -w / ln h where the
        weights differ."""
        pairs = mixed(hashes ^ self._seeds)
        chance: Numbers = ((pairs >> np.uint64(12)).astype(np.float64) + 0.5) / 2**52
        return chance if self._scales is None else self._scales / -_ln(chance)


def _hashes(keys: Iterable[str]) -> Hashes:
    return np.array([hash64(key) for key in keys], np.uint64)


def _ln(numbers: Numbers) -> Numbers:
    """The natural logarithm of numbers in (0, 1), within 5e-16 of its size, and the same bits on every machine.

    That of a library may differ in its last bit from one machine to another, and then two nodes might both think that
    a key is the other's. This is made of +, -, × and ÷ alone, which IEEE 754 rounds alike everywhere:
    ln m 2^e = e ln 2 + 2 (s + s^3/3 + s^5/5 + …), s = (m - 1) / (m + 1), m in [√½, √2).
    """
    part, exponent = np.frexp(numbers)
    low = part < _ROOT_HALF
    part = np.where(low, 2 * part, part)
    s = (part - 1) / (part + 1)
    square = s * s
    series = np.zeros_like(s)
    for power in range(21, 0, -2):
        series = series * square + 1 / power
    logarithm: Numbers = (exponent - low) * _LN_2 + 2 * s * series
    return logarithm
