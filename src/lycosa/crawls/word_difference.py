"""What differs between two texts, word by word, at a cost that is bounded however long they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from lycosa.model.records import Record

MOST_STEPS = 100_000_000
"""Of comparing, see `_steps`, for all lines and again for all words; what goes beyond is one text in place of another.
A second or two at the worst."""

Span = tuple[int, int, int, int]
"""From where to where in the one sequence and in the other."""


class Piece(Record, frozen=True, gc=False):
    """Words that follow each other: in both texts, in the earlier alone, or in the later alone."""

    kind: Literal["same", "removed", "added"]
    words: tuple[str, ...]


def word_difference(before: str, after: str) -> list[Piece]:
    """The pieces of two texts in their order: what was removed stands before what was added in its place. White space
    does not count.

    Lines are compared first (Ratcliff and Obershelp, "Pattern matching: the gestalt approach", 1988, by `difflib`), and
    words within lines that differ.

    Invariants, each the name of a property test:

    * both texts are there: the words of the pieces that were not added are those of the earlier text, the words of
      those that were not removed are those of the later one.
    * bounded: comparing takes at most `MOST_STEPS` for lines and as many for words.
    """
    one, other = _lines(before), _lines(after)
    pieces: list[Piece] = []
    left = MOST_STEPS
    for same, (i, j, k, m) in _blocks(one, other, MOST_STEPS):
        old, new = _words(one[i:j]), _words(other[k:m])
        if same:
            _add(pieces, "same", old)
            continue
        steps = _steps(old, new)
        for alike, (a, b, c, d) in _blocks(old, new, steps if steps <= left else -1):
            _add(pieces, "same" if alike else "removed", old[a:b])
            _add(pieces, "added", () if alike else new[c:d])
        left -= steps if steps <= left else 0
    return pieces


def _blocks(one: Sequence[Hashable], other: Sequence[Hashable], most: int) -> Iterator[tuple[bool, Span]]:
    """What is alike and what is not, in turns. What both begin and end with takes no steps."""
    shorter = min(len(one), len(other))
    head = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)
    ends = len(one) - tail, len(other) - tail
    old, new = one[head : ends[0]], other[head : ends[1]]
    yield True, (0, head, 0, head)
    if _steps(old, new) > most:
        yield False, (head, ends[0], head, ends[1])
    else:
        for kind, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            yield kind == "equal", (head + i, head + j, head + k, head + m)
    yield True, (ends[0], len(one), ends[1], len(other))


def _steps(one: Sequence[Hashable], other: Sequence[Hashable]) -> int:
    """What comparing costs at most: `difflib` looks for the longest match once for each match and once more, and each
    time at every element and every pair of equal ones. Two texts that repeat a few words are the worst case."""
    counts = Counter(other)
    return (len(one) + sum(counts[each] for each in one)) * (min(len(one), len(other)) + 1)


def _lines(text: str) -> list[tuple[str, ...]]:
    return [words for line in text.splitlines() if (words := tuple(line.split()))]


def _words(lines: Sequence[tuple[str, ...]]) -> list[str]:
    return [word for line in lines for word in line]


def _add(pieces: list[Piece], kind: Literal["same", "removed", "added"], words: Sequence[str]) -> None:
    """Pieces of one kind that meet are one."""
    if not words:
        return
    if pieces and pieces[-1].kind == kind:
        pieces[-1] = Piece(kind, (*pieces[-1].words, *words))
    else:
        pieces.append(Piece(kind, tuple(words)))
