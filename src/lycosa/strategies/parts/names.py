"""Texts that are known by number: the URLs that a strategy has met."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar, overload

from lycosa.model.compiled import compiled

if TYPE_CHECKING:
    from lycosa.scoring.links.smoothing import Ints

_HUNTING: Final = compiled("lycosa.scoring._hunting")

Name = TypeVar("Name", bound=str, covariant=True)


class Names(Protocol):
    """Distinct texts without line feeds, numbered in the order in which they came.

    Numbers come as those of 64 bits. Memory: compiled, the bytes of each text and some 15 more; else a text, an entry
    of a list and one of a dictionary.

    Invariant, the name of a property test:

    * numbered as by a dictionary: the compiled names and a dictionary's give the same numbers.
    """

    def __len__(self) -> int: ...

    def number(self, name: str, /) -> int:
        """-1 of one that has none."""

    def numbers(self, names: list[Any], /) -> bytes:
        """`number` of each."""

    def enter(self, name: str, /) -> int:
        """A new one gets the next."""

    def enter_all(self, names: list[Any], /) -> bytes:
        """`enter` of each, in order."""

    def between(self, first: int, end: int, /) -> list[Any]:
        """The names from one number to another, without that. Raises `IndexError`."""

    def at(self, numbers: Ints, /) -> list[Any]:
        """The names of some numbers. Raises `IndexError`."""

    def load(self, run: bytes | memoryview, /) -> None:
        """Take in names as `run_of` tells them, where there are none yet."""


class PythonNames:
    """See `Names`."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self.names)

    def number(self, name: str) -> int:
        return self._numbers.get(name, -1)

    def numbers(self, names: list[Any]) -> bytes:
        return array("q", map(self.number, names)).tobytes()

    def enter(self, name: str) -> int:
        number = self._numbers.setdefault(name, len(self.names))
        if number == len(self.names):
            self.names.append(name)
        return number

    def enter_all(self, names: list[Any]) -> bytes:
        return array("q", map(self.enter, names)).tobytes()

    def between(self, first: int, end: int) -> list[Any]:
        if not 0 <= first <= end <= len(self.names):
            raise IndexError("a number lies outside its table")
        return self.names[first:end]

    def at(self, numbers: Ints) -> list[Any]:
        asked = numbers.tolist()
        if asked and not 0 <= min(asked) <= max(asked) < len(self.names):
            raise IndexError("a number lies outside its table")
        return [self.names[number] for number in asked]

    def load(self, run: bytes | memoryview) -> None:
        if self.names:
            raise ValueError("there are names already")
        whole = bytes(run).decode("utf-8", "surrogatepass")
        self.names = whole.split("\n") if whole else []
        self._numbers = {name: number for number, name in enumerate(self.names)}


def no_names() -> Names:
    """Names to be filled."""
    made: Names = PythonNames() if _HUNTING is None else _HUNTING.Names()
    return made


def run_of(names: Names) -> bytes | memoryview:
    """All names in UTF-8, with line feeds between them; nothing can be added before it is let go."""
    if isinstance(names, PythonNames):
        return "\n".join(names.names).encode("utf-8", "surrogatepass")
    whole: Any = names
    return memoryview(whole)


class InOrder(Sequence[Name]):
    """Names as a sequence: what has a number stands at its place."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    @overload
    def __getitem__(self, place: int) -> Name: ...

    @overload
    def __getitem__(self, place: slice) -> list[Name]: ...

    def __getitem__(self, place: int | slice) -> Name | list[Name]:
        if isinstance(place, slice):
            first, end, step = place.indices(len(self))
            return self._names.between(first, max(first, end))[::step]
        at = place + len(self) if place < 0 else place
        (name,) = self._names.between(at, at + 1)
        found: Name = name
        return found

    def at(self, places: Ints) -> list[Name]:
        """What stands at some places, faster than one by one."""
        return self._names.at(places)

    def __iter__(self) -> Iterator[Name]:
        for first in range(0, len(self), 1_000):
            yield from self[first : first + 1_000]
