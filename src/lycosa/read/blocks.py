"""From the parts of a walk to lines of text, the words around each link, and what is boilerplate.

A block is boilerplate if it stands in navigation, or by its own looks: more than half of its letters are links, or it
has under five words (Küçük, MSc thesis, 2009, section 2.1.4, where templates are told from content). Two exceptions.
Headings are judged by where they stand alone, as they are short and often links. And on a page that is mostly links (a
directory, a hub) density tells nothing: there only the markup does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from lycosa.model.spaceless import first_words, is_spaceless, last_words, word_count
from lycosa.read.walk import BLOCK, HEADING, LINK_END, LINK_START, NAVIGATION

WINDOW: Final = 20
"""Words of context on either side of a link."""
MAX_LINK: Final = 1_000
"""Characters of a link that its context holds."""
_REACH: Final = 30 * WINDOW
"""Characters looked at on either side: words of more than 30 characters on average are cut short in number."""
MAX_LINK_DENSITY: Final = 0.5
MIN_WORDS: Final = 5


class Line(NamedTuple):
    """One block: its words, how many of its characters are links, and the contexts of its links."""

    kind: str
    text: str
    linked: int
    contexts: list[str]
    places: list[int]
    """Where in the text each link begins."""


class Blocks(NamedTuple):
    """The text of a page."""

    text: str
    content_lines: tuple[bool, ...]
    nav_lines: tuple[int, ...]
    """Which lines stand in navigation or are mostly links."""
    contexts: list[tuple[str, bool]]
    """Of each link in the text: the words around it, and whether its block is boilerplate."""
    places: list[int]
    """Of each link in the text: where it begins, in characters."""


def blocks(parts: Iterable[str]) -> Blocks:
    """Put the parts of a walk together."""
    lines = [_line(raw) for raw in single_blanks("".join(parts)).split(BLOCK) if len(raw) > 2]
    letters = sum(len(line.text) for line in lines)
    dense = 2 * sum(line.linked for line in lines) > letters
    texts: list[str] = []
    content: list[bool] = []
    nav: list[int] = []
    contexts: list[tuple[str, bool]] = []
    places: list[int] = []
    at = 0
    for line in lines:
        in_nav = _is_navigation(line, dense)
        boilerplate = in_nav or _is_short(line, dense)
        for context in line.contexts:
            contexts.append((context, boilerplate))
        for place in line.places:
            places.append(at + place)
        if line.text:
            if in_nav:
                nav.append(len(texts))
            texts.append(line.text)
            content.append(not boilerplate)
            at += len(line.text) + 1
    return Blocks("\n".join(texts), tuple(content), tuple(nav), contexts, places)


def _is_navigation(line: Line, dense_page: bool) -> bool:
    if line.kind == NAVIGATION:
        return True
    return not dense_page and line.kind != HEADING and line.linked > MAX_LINK_DENSITY * len(line.text)


def _is_short(line: Line, dense_page: bool) -> bool:
    if dense_page or line.kind == HEADING or line.text.count(" ") >= MIN_WORDS - 1:
        return False
    return not is_spaceless(line.text) or word_count(line.text) < MIN_WORDS


def _is_within_window(text: str) -> bool:
    return text.count(" ") <= WINDOW and (not is_spaceless(text) or word_count(text) <= WINDOW)


def _line(raw: str) -> Line:
    kind, text = raw[0], raw[1:].strip()
    if "\0" not in text:
        return Line(kind, text, 0, [], [])
    if text.startswith(LINK_START) and text.find("\0", 1) == len(text) - len(LINK_END):
        whole = text[len(LINK_START) : -len(LINK_END)].strip()
        return Line(kind, whole, len(whole), [whole], [0])
    first, *pieces = text.split(LINK_START)
    first = first.replace(LINK_END, "")  # of a link that began in a block before
    if len(pieces) == 1 and "  " not in text:
        inside, _, after = pieces[0].partition(LINK_END)
        clean = f"{first}{inside}{after}"
        if "  " not in clean and not clean.startswith(" ") and not clean.endswith(" "):
            return Line(kind, clean, len(inside), [_between(first, inside, after, clean)], [len(first)])
    clean = text.replace(LINK_START, "").replace(LINK_END, "")
    tidied = _tidy(clean)
    spans: list[tuple[int, int]] = []
    linked = 0
    at = len(first)
    for piece in pieces:
        end = piece.find(LINK_END)
        length = end if end >= 0 else len(piece)
        linked += length
        spans.append((at, at + length))
        at += len(piece) - (len(LINK_END) if end >= 0 else 0)
    places = [start for start, _ in spans]
    if tidied != clean:
        places = _tidied_places(clean, places)
    if _is_within_window(clean):
        return Line(kind, tidied, linked, [tidied] * len(spans), places)
    return Line(kind, tidied, linked, [_around(clean, start, end) for start, end in spans], places)


def _between(before: str, link: str, after: str, whole: str) -> str:
    """What `_around` says of the only link of a block without double blanks: words need not be put together again."""
    if _is_within_window(whole):
        return whole
    if len(before) > _REACH or len(after) > _REACH or len(link) > MAX_LINK or is_spaceless(whole):
        return _around(whole, len(before), len(before) + len(link))
    words = before.rsplit(None, WINDOW)
    if len(words) > WINDOW:
        before = before[len(words[0]) + 1 :]
    words = after.split(None, WINDOW)
    if len(words) > WINDOW:
        after = after[: -len(words[-1]) - 1]
    return f"{before}{link}{after}".strip()


def _around(text: str, start: int, end: int) -> str:
    """The link text[start:end], cut to a reasonable length, with up to `WINDOW` words on either side."""
    if is_spaceless(text):
        left = last_words(text[max(0, start - _REACH) : start], WINDOW)
        right = first_words(text[end : end + _REACH], WINDOW)
        return _tidy(f"{left}{text[start : min(end, start + MAX_LINK)]}{right}").strip()
    before = text[max(0, start - _REACH) : start].rsplit(None, WINDOW)
    if len(before) > WINDOW or (before and start > _REACH):
        del before[0]
    after = text[end : end + _REACH].split(None, WINDOW)
    if len(after) > WINDOW or (after and end + _REACH < len(text)):
        after.pop()
    left = " ".join(before)
    if left and text[start - 1] == " ":
        left += " "
    right = " ".join(after)
    if right and text[end] == " ":
        right = f" {right}"
    return _tidy(f"{left}{text[start : min(end, start + MAX_LINK)]}{right}").strip()


_INDENTED: Final = 60
"""One pair of blanks in so many characters makes splitting cheaper than replacing."""


def _tidy(text: str) -> str:
    """Links without words leave two blanks behind."""
    return " ".join(text.split()) if "  " in text or text[:1] == " " or text[-1:] == " " else text


def _tidied_places(text: str, places: Iterable[int]) -> list[int]:
    """Where these places, in ascending order, are once `_tidy` is done with the text."""
    moved: list[int] = []
    at, gone, blank = 0, 0, True  # a blank at the beginning goes, as after a blank
    for place in places:
        for sign in text[at:place]:
            gone += blank and sign == " "
            blank = sign == " "
        moved.append(place - gone)
        at = place
    return moved


def single_blanks(text: str) -> str:
    """Every run of white space made one blank. Replacing in the whole string costs a third of splitting into words,
    unless the markup is indented deeply."""
    if text.count("  ") * _INDENTED > len(text):
        return f" {' '.join(text.split())} "
    for space in _SPACES:
        if space in text:
            text = text.replace(space, " ")
    if not text.isascii():
        for space in _WIDE_SPACES:
            if space in text:
                text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text


_SPACES = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f"
_WIDE_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
