"""From the parts of a walk to lines of text, the words around each link, and what is boilerplate.

A block is boilerplate if it stands in navigation, or by its own looks: more than half of its letters are links, or it
has under five words (Küçük, MSc thesis, 2009, section 2.1.4, where templates are told from content). Two exceptions.
Headings are judged by where they stand alone, as they are short and often links. And on a page that is mostly links (a
directory, a hub) density tells nothing: there only the markup does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from lycosa.read.walk import BLOCK, HEADING, LINK_END, LINK_START, NAVIGATION

WINDOW: Final = 20
"""Words of context on either side of a link."""
MAX_LINK_WORDS: Final = 100
"""Words of a link that its context holds."""
MAX_LINK_DENSITY: Final = 0.5
MIN_WORDS: Final = 5


class Line(NamedTuple):
    """One block: its words, how many of its characters are links, and the contexts of its links."""

    kind: str
    text: str
    linked: int
    contexts: list[str]


class Blocks(NamedTuple):
    """The text of a page."""

    text: str
    content_lines: tuple[bool, ...]
    contexts: list[tuple[str, bool]]
    """Of each link in the text: the words around it, and whether its block is boilerplate."""


def blocks(parts: Iterable[str]) -> Blocks:
    """Put the parts of a walk together."""
    lines = [_line(raw) for raw in single_blanks("".join(parts)).split(BLOCK) if len(raw) > 2]
    letters = sum(len(line.text) for line in lines)
    dense = 2 * sum(line.linked for line in lines) > letters
    texts: list[str] = []
    content: list[bool] = []
    contexts: list[tuple[str, bool]] = []
    for line in lines:
        boilerplate = _is_boilerplate(line, dense)
        if line.text:
            texts.append(line.text)
            content.append(not boilerplate)
        for context in line.contexts:
            contexts.append((context, boilerplate))
    return Blocks("\n".join(texts), tuple(content), contexts)


def _is_boilerplate(line: Line, dense_page: bool) -> bool:
    if line.kind == NAVIGATION:
        return True
    if dense_page or line.kind == HEADING:
        return False
    return line.linked > MAX_LINK_DENSITY * len(line.text) or line.text.count(" ") < MIN_WORDS - 1


def _line(raw: str) -> Line:
    kind, text = raw[0], raw[1:].strip()
    if "\0" not in text:
        return Line(kind, text, 0, [])
    if text.startswith(LINK_START) and text.find("\0", 1) == len(text) - len(LINK_END):
        whole = text[len(LINK_START) : -len(LINK_END)].strip()
        return Line(kind, whole, len(whole), [whole])
    pieces = text.split(LINK_START)
    clean = "".join(pieces).replace(LINK_END, "")
    ends = [piece.find(LINK_END) for piece in pieces]
    linked = sum(end if end >= 0 else len(piece) for piece, end in zip(pieces[1:], ends[1:], strict=True))
    if clean.count(" ") <= WINDOW:
        clean = _tidy(clean)
        return Line(kind, clean, linked, [clean] * (len(pieces) - 1))
    contexts = _windows(clean.split(" "), pieces, ends)
    if "  " in clean:
        contexts = [_tidy(context) for context in contexts]
    return Line(kind, _tidy(clean), linked, contexts)


def _windows(words: list[str], pieces: list[str], ends: list[int]) -> list[str]:
    """The words around each link; `pieces` are what lies between the starts of links."""
    contexts = []
    at = pieces[0].count(" ")
    for piece, end in zip(pieces[1:], ends[1:], strict=True):
        blanks = piece.count(" ")
        inside = piece.count(" ", 0, end) if end >= 0 else blanks
        contexts.append(" ".join(words[max(0, at - WINDOW) : at + min(inside, MAX_LINK_WORDS) + WINDOW + 1]))
        at += blanks
    return contexts


def _tidy(text: str) -> str:
    """Links without words leave two blanks behind."""
    return " ".join(text.split())


def single_blanks(text: str) -> str:
    """Every run of white space made one blank. Ten replacements of whole strings cost a third of splitting into words."""
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
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
