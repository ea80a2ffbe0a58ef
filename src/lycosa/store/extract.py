"""The extract of a text that shows the words that were looked for: in time that grows with the text alone.

FTS5's own `snippet` compares each place with each other: a page that says one word forty thousand times takes it seven
seconds, and hours if it says it a million times. This follows its choice of the place, in one pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

WORDS: Final = 32
"""Of an extract."""
LOOKED: Final = 200_000
"""Characters that are looked at, from the first word found on."""
BEFORE: Final = 1_000
"""Characters before that."""
ANOTHER, SENTENCE, BEGINNING = 1_000, 100, 120
"""What counts for a place, as in FTS5: each word that was looked for, once; that it begins a sentence, or the text."""
_PIECE = re.compile(r"«|»|\w+")
_ENDS = re.compile(r"[.:!?]\s")


def extract(marked: str) -> str:
    """The words around the best place of a text in which the words found stand between « and »; … where it is cut."""
    begin = max(0, marked.find("«") - BEFORE)
    looked = marked[begin : begin + LOOKED]
    if len(looked) < len(marked) - begin:
        looked = looked.rpartition(" ")[0] or looked  # half a word would be another one
    spans, found = _read(looked)
    if not spans:
        return looked[:BEFORE]
    first = _best(looked, spans, found, whole=begin == 0)
    last = min(first + WORDS, len(spans)) - 1
    at_begin, at_end = (
        first == 0 and begin == 0,
        last == len(spans) - 1 and len(looked) == len(marked) - begin,
    )
    start = 0 if at_begin else spans[first][0] - (looked[spans[first][0] - 1 : spans[first][0]] == "«")
    end = len(looked) if at_end else spans[last][1] + (looked[spans[last][1] : spans[last][1] + 1] == "»")
    return f"{'' if at_begin else '…'}{_balanced(looked[start:end])}{'' if at_end else '…'}"


def shortened(extract: str, most: int) -> str:
    """At most so many characters of an extract, its marks and the … at its end among them; whole words where blanks
    part them.

    Invariants, each the name of a property test:

    * no longer: it never has more characters than were asked for.
    * balanced: every « of an extract in which each has its » has it still.
    """
    if len(extract) <= most:
        return extract
    for end in range(most - 1, 0, -1):
        cut = extract[: end + 1].rpartition(" ")[0] or extract[:end]
        if (text := f"{_balanced(cut.rstrip(' «'))}…") and len(text) <= most:
            return text if text != "…" else ""
    return ""


def _read(looked: str) -> tuple[list[tuple[int, int]], dict[int, str]]:
    """Where each word stands, and which of them were found."""
    spans: list[tuple[int, int]] = []
    found: dict[int, str] = {}
    inside = False
    for piece in _PIECE.finditer(looked):
        if piece[0] in "«»":
            inside = piece[0] == "«"
            continue
        if inside:
            found[len(spans)] = piece[0].lower()
        spans.append(piece.span())
    return spans, found


def _best(looked: str, spans: list[tuple[int, int]], found: dict[int, str], *, whole: bool) -> int:
    """The number of the word with which the extract should begin."""
    places, begins = list(found), list(_sentences(looked, spans, whole=whole))
    candidates = dict.fromkeys(places, 0)
    at = 0
    for place in places:
        while at + 1 < len(begins) and begins[at + 1] <= place:
            at += 1
        if begins and begins[at] <= place:
            candidates[begins[at]] = BEGINNING if whole and begins[at] == 0 else SENTENCE
    best, most, seen = 0, -1, Counter[str]()
    head = tail = 0
    for first in sorted(candidates):
        while tail < len(places) and places[tail] < first + WORDS:
            seen[found[places[tail]]] += 1
            tail += 1
        while head < tail and places[head] < first:
            seen[found[places[head]]] -= 1
            if not seen[found[places[head]]]:
                del seen[found[places[head]]]
            head += 1
        if head == tail:
            continue
        score = ANOTHER * len(seen) + tail - head + candidates[first]
        if score > most:
            spread = places[tail - 1] - places[head]
            middle = places[head] - (WORDS - spread) // 2
            best, most = first if candidates[first] else max(0, min(middle, len(spans) - WORDS)), score
    return best


def _sentences(looked: str, spans: list[tuple[int, int]], *, whole: bool) -> Iterator[int]:
    """The numbers of the words with which sentences begin."""
    if whole:
        yield 0
    for number in range(1, len(spans)):
        if _ENDS.search(looked, spans[number - 1][1], spans[number][0]):
            yield number


def _balanced(text: str) -> str:
    opened, closed = text.find("«"), text.find("»")
    if closed >= 0 and (opened < 0 or closed < opened):
        text = f"«{text}"
    return f"{text}»" if text.rfind("«") > text.rfind("»") else text
