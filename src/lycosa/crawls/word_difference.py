"""What differs between two texts, word by word, at a cost that is bounded however long they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal

from lycosa.model.records import Record

MOST_PAIRS = 4_000_000
"""Pairs of lines, and pairs of words, that are compared; what goes beyond is one text in place of another. A second or
two at the worst."""

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
    * bounded: at most `MOST_PAIRS` pairs of lines and as many of words are compared.
    """
    one, other = _lines(before), _lines(after)
    pieces: list[Piece] = []
    left = MOST_PAIRS
    for same, (i, j, k, m) in _blocks(one, other, MOST_PAIRS):
        old, new = _words(one[i:j]), _words(other[k:m])
        if same:
            _add(pieces, "same", old)
            continue
        pairs = len(old) * len(new) if len(old) * len(new) <= left else 0
        left -= pairs
        for alike, (a, b, c, d) in _blocks(old, new, pairs):
            _add(pieces, "same" if alike else "removed", old[a:b])
            _add(pieces, "added", () if alike else new[c:d])
    return pieces


def _blocks(one: Sequence[object], other: Sequence[object], most: int) -> Iterator[tuple[bool, Span]]:
    """What is alike and what is not, in turns. What both begin and end with costs no pairs."""
    shorter = min(len(one), len(other))
    head = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    rest = shorter - head
    tail = next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)
    ends = len(one) - tail, len(other) - tail
    yield True, (0, head, 0, head)
    if (ends[0] - head) * (ends[1] - head) > most:
        yield False, (head, ends[0], head, ends[1])
    else:
        matcher = SequenceMatcher(None, one[head : ends[0]], other[head : ends[1]], autojunk=False)
        for kind, i, j, k, m in matcher.get_opcodes():
            yield kind == "equal", (head + i, head + j, head + k, head + m)
    yield True, (ends[0], len(one), ends[1], len(other))


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
