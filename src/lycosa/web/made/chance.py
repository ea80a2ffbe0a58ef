"""Chance without memory: numbers that look random and are functions of a key, and permutations with their inverse."""

from __future__ import annotations

_MASK = (1 << 64) - 1


def mix(key: int, number: int) -> int:
    """64 bits that depend on a key and a number. (The finisher of SplitMix64: Steele, Lea and Flood, OOPSLA 2014.)"""
    z = key + number * 0x9E3779B97F4A7C15 & _MASK
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31


def uniform(key: int, number: int) -> float:
    """One draw from [0, 1)."""
    return (mix(key, number) >> 11) / 9007199254740992.0


class Permutation:
    """A permutation of 0 … n - 1 that is stored nowhere, and its inverse.

    A Feistel network of four rounds on the next power of two; what falls outside is sent through again until it
    falls inside (Black and Rogaway, CT-RSA 2002).

    Invariants, each the name of a property test:

    * there and back: `back(there(x)) == x`, and `there` never leaves the range.
    """

    __slots__ = ("_keys", "_low", "_mask_high", "_mask_low", "n")

    def __init__(self, n: int, key: int) -> None:
        self.n = n
        bits = max(2, (n - 1).bit_length())
        self._low = bits // 2
        self._mask_low = (1 << self._low) - 1
        self._mask_high = (1 << bits - self._low) - 1
        self._keys = tuple(mix(key, turn) for turn in range(4))

    def there(self, x: int) -> int:
        """Where x goes. x must be in the range."""
        one, two, three, four = self._keys
        low, n = self._low, self.n
        while True:
            right, left = x & self._mask_low, x >> low
            left ^= mix(one, right) & self._mask_high
            right ^= mix(two, left) & self._mask_low
            left ^= mix(three, right) & self._mask_high
            right ^= mix(four, left) & self._mask_low
            x = left << low | right
            if x < n:
                return x

    def back(self, y: int) -> int:
        """Where y comes from. y must be in the range."""
        one, two, three, four = self._keys
        low, n = self._low, self.n
        while True:
            right, left = y & self._mask_low, y >> low
            right ^= mix(four, left) & self._mask_low
            left ^= mix(three, right) & self._mask_high
            right ^= mix(two, left) & self._mask_low
            left ^= mix(one, right) & self._mask_high
            y = left << low | right
            if y < n:
                return y
