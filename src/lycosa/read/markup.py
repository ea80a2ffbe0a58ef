"""A page's markup as a tree, by lexbor; with hostile nesting taken out first.

The HTML standard makes a parser's work quadratic in two ways: the depth of the tree (100,000 nested `<div>` take
lexbor over 15 s), and formatting elements that are left open, which are opened again in every later block (1,000
`<b>` and 1,000 `<p>` make a million nodes). Both are capped here before parsing. A page of up to some 1,100 start tags
can do no harm and is passed on after two counts.
"""

from __future__ import annotations

import re
from math import isqrt
from typing import Final

from selectolax.lexbor import LexborHTMLParser

MAX_DEPTH: Final = 512
"""Open elements beyond which start tags are left out; their text stays."""
MAX_REOPENED: Final = 300_000
"""Bound on (formatting elements left open) × (other start tags): so many nodes they can add."""
HARMLESS_TAGS: Final = 2 * isqrt(MAX_REOPENED)
"""Of S start tags, F formatting ones and the S - F others make at most F · (S - F) ≤ (S / 2)² nodes."""
HARMLESS_DEPTH: Final = 4_000
"""Start tags that even all nested cost less than 30 ms."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_FORMATTING = _words("b big code em font i s small strike strong tt u nobr")
_VOID = _words(
    """area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr
    html head body a"""
)
_PARAGRAPH, _ITEM, _TERM = frozenset({"p"}), frozenset({"li", "p"}), frozenset({"dd", "dt", "p"})
_CELL = _words("td th tr tbody thead tfoot caption colgroup p li dd dt option")
_OPTION = frozenset({"option", "optgroup"})
# What a start tag closes without an end tag, if it is innermost (HTML standard, 13.1.2.4).
_ENDS: Final = {
    "p": _PARAGRAPH,
    "li": _ITEM,
    **dict.fromkeys(("dd", "dt"), _TERM),
    **dict.fromkeys(("td", "th"), _words("td th p li dd dt option")),
    **dict.fromkeys(("tr", "tbody", "thead", "tfoot"), _CELL),
    **dict.fromkeys(("option", "optgroup"), _OPTION),
}

_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)"
    r"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b.*?(?:</\1|\Z)"
    r"|<(/?)([a-z][^\s/>]*)[^>]*>?",
    re.IGNORECASE | re.DOTALL,
)
_FORMATTING_TAG = re.compile(rf"<(/?)({'|'.join(sorted(_FORMATTING))})(?=[\s/>])")


def parse(source: str) -> LexborHTMLParser:
    """The tree of a page; of any text there is one. NULs are left out."""
    if "\0" in source:
        source = source.replace("\0", "")
    return LexborHTMLParser(flat(source))


def flat(source: str) -> str:
    """The same markup, start tags left out where they nest too deep. Linear in the length."""
    starts = source.count("<") - source.count("</")
    if starts <= HARMLESS_TAGS:
        return source
    if starts <= HARMLESS_DEPTH and _most_left_open(source) * starts <= MAX_REOPENED:
        return source
    return _Flattener(max(4, MAX_REOPENED // starts)).flat(source)


def _most_left_open(source: str) -> int:
    """The largest number of formatting elements that are open at one point."""
    opened = dict.fromkeys(_FORMATTING, 0)
    total = most = 0
    for slash, name in _FORMATTING_TAG.findall(source.lower()):
        if not slash:
            opened[name] += 1
            total += 1
            most = max(most, total)
        elif opened[name]:
            opened[name] -= 1
            total -= 1
    return most


class _Flattener:
    """Follows the open elements roughly as a parser does, and says which start tags to leave out."""

    def __init__(self, formatting_limit: int) -> None:
        self._limit = formatting_limit
        self._stack: list[str] = []
        self._opened: dict[str, int] = {}
        self._formatting = 0

    def flat(self, source: str) -> str:
        kept: list[str] = []
        since = 0
        for tag in _TAG.finditer(source):
            name = tag[3]
            if not name:
                continue
            name = name.lower()
            if tag[2]:
                self._close(name)
            elif name not in _VOID and not self._open(name):
                kept.append(source[since : tag.start()])
                since = tag.end()
        kept.append(source[since:])
        return " ".join(kept)

    def _open(self, name: str) -> bool:
        if name in _FORMATTING:
            if self._formatting >= self._limit:
                return False
            self._formatting += 1
            self._opened[name] = self._opened.get(name, 0) + 1
            return True
        for_ended = _ENDS.get(name)
        while for_ended and self._stack and self._stack[-1] in for_ended:
            self._opened[self._stack.pop()] -= 1
        if len(self._stack) >= MAX_DEPTH:
            return False
        self._stack.append(name)
        self._opened[name] = self._opened.get(name, 0) + 1
        return True

    def _close(self, name: str) -> None:
        if not self._opened.get(name):
            return
        if name in _FORMATTING:
            self._formatting -= 1
            self._opened[name] -= 1
            return
        closed = ""
        while closed != name:
            closed = self._stack.pop()
            self._opened[closed] -= 1
