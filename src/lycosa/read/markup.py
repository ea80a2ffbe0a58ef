"""A page's markup as a tree, by lexbor; with hostile markup taken out first.

The HTML standard makes a parser's work quadratic in three ways: the depth of the tree (100,000 nested `<div>` take
lexbor over 15 s), formatting elements that are left open, which are opened again in every later block (1,000 `<b>` and
1,000 `<p>` make a million nodes), and attributes, each of which is compared with all others of its element (40,000 take
2 s). All are capped here before parsing. A page of up to some 1,100 start tags and 8,000 characters can do no harm and
is passed on after two counts; most others are after a few more.

Which end tag closes what is only roughly followed, and never so that the depth is taken for less than it is.
"""

from __future__ import annotations

import re
from math import isqrt
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from lycosa.model.url import Url
from lycosa.read.compiled import is_harmless
from lycosa.read.resolve import LinkResolver
from lycosa.read.tags import Tag, has_excess, tags

MAX_DEPTH: Final = 512
"""Open elements beyond which start tags are left out; their text stays."""
MAX_REOPENED: Final = 300_000
"""Bound on (formatting elements left open) × (other start tags): so many nodes they can add."""
HARMLESS_TAGS: Final = 2 * isqrt(MAX_REOPENED)
"""Of S start tags, F formatting ones and the S - F others make at most F · (S - F) ≤ (S / 2)² nodes."""
HARMLESS_DEPTH: Final = 4_000
"""Start tags that even all nested cost less than 30 ms."""
HARMLESS_LENGTH: Final = 8_192
"""Characters that even as one tag hold so few attributes that they cost some 10 ms."""
HARMLESS_TAG: Final = 2_048
"""Characters of one tag, likewise: however many such tags there are, each attribute costs less than 2 µs."""
MAX_ROOTS: Final = 8
"""Start tags of html and body: each adds its attributes to one and the same element."""


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_FORMATTING = _words("b big code em font i s small strike strong tt u nobr")
_VOID = _words(
    """area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr
    html head body a"""
)
_PARAGRAPH, _ITEM, _TERM = frozenset({"p"}), frozenset({"li", "p"}), frozenset({"dd", "dt", "p"})
_CELL = _words("td th tr tbody thead tfoot caption colgroup p li dd dt option")
_OPTION = frozenset({"option"})
_ROOTS = frozenset({"html", "body"})
# What a start tag closes without an end tag, if it is innermost (HTML standard, 13.1.2.4).
_ENDS: Final = {
    "p": _PARAGRAPH,
    "li": _ITEM,
    **dict.fromkeys(("dd", "dt"), _TERM),
    **dict.fromkeys(("td", "th"), _words("td th p li dd dt option")),
    **dict.fromkeys(("tr", "tbody", "thead", "tfoot"), _CELL),
    **dict.fromkeys(("option", "optgroup"), _OPTION),
}
# Past these an end tag closes nothing, unless it is of a table, which closes the cells in it (13.2.4.2).
_BARRIERS: Final = _words("applet button caption marquee math object select svg table td template th")
_OF_TABLES: Final = _words("caption table tbody td tfoot th thead tr")

_FORMATTING_TAG = re.compile(rf"<(?:{'|'.join(sorted(_FORMATTING))})(?=[ \t\n\f\r/>])", re.IGNORECASE)
_ROOT = re.compile("<(?:html|body)", re.IGNORECASE)
_VALUE_WITH_END = re.compile(r"""=[ \t\n\f\r]*+(?:"[^">]*+>|'[^'>]*+>)""")


def parse(source: str) -> LexborHTMLParser:
    """The tree of a page; of any text there is one. NULs are left out."""
    return parsed(tamed(source))


def tamed(source: str) -> str:
    """Markup that is safe to parse: `flat`, and without NULs."""
    if "\0" in source:
        source = source.replace("\0", "")
    return source if is_harmless(source) else flat(source)


def parsed(source: str) -> LexborHTMLParser:
    """The tree of markup that is `tamed`."""
    return LexborHTMLParser(source)


def base_of(tree: LexborHTMLParser, url: Url) -> Url:
    """What a page's relative links are resolved against: its first `<base href>` if that is an http(s) URL, else
    its own."""
    written = tree.css_first("base[href]")
    return (written and LinkResolver(url).resolve(written.attributes.get("href") or "")) or url


def flat(source: str) -> str:
    """The same markup, start tags left out where they nest too deep, and attributes where a tag has too many.

    Linear in the length.
    """
    starts = source.count("<") - source.count("</")
    if len(source) <= HARMLESS_LENGTH or _has_few_attributes(source):
        if starts <= HARMLESS_TAGS:
            return source
        if starts <= HARMLESS_DEPTH and (
            len(_FORMATTING_TAG.findall(source)) * starts <= MAX_REOPENED
            or _most_left_open(source) * starts <= MAX_REOPENED
        ):
            return source
    limit = max(4, MAX_REOPENED // max(1, starts))
    flattened = _Flattener(limit)
    kept = flattened.flat(source)
    return kept if flattened.doubts <= HARMLESS_DEPTH else _Flattener(limit, doubting=True).flat(source)


def _has_few_attributes(source: str) -> bool:
    """Whether no tag has many, and there are few roots."""
    if len(_ROOT.findall(source)) > MAX_ROOTS:
        return False
    return _has_short_tags(source) or not has_excess(source)


def _has_short_tags(source: str) -> bool:
    """Whether no tag is long; False as well where scripts or quoted values make that hard to see."""
    for piece in source.split(">"):
        if len(piece) > HARMLESS_TAG and "<" in piece and len(piece) - piece.index("<") > HARMLESS_TAG:
            return False
    return _VALUE_WITH_END.search(source) is None


def _most_left_open(source: str) -> int:
    """The largest number of formatting elements that are open at one point."""
    opened = dict.fromkeys(_FORMATTING, 0)
    total = most = 0
    for tag in tags(source):
        if (name := tag.name) not in _FORMATTING:
            continue
        if not tag.closes:
            opened[name] += 1
            total += 1
            most = max(most, total)
        elif opened[name] and not tag.doubtful:
            opened[name] -= 1
            total -= 1
    return most


class _Flattener:
    """Follows the open elements roughly as a parser does, and says what to leave out.

    Start tags that may be mere text (`Tag.doubtful`) count when `doubting`. Their end tags never do.
    """

    def __init__(self, formatting_limit: int, *, doubting: bool = False) -> None:
        self.doubts = 0
        """Start tags that did not count."""
        self._doubting = doubting
        self._limit = formatting_limit
        self._stack: list[str] = []
        self._opened: dict[str, int] = {}
        self._formatting = 0
        self._roots = 0

    def flat(self, source: str) -> str:
        kept: list[str] = []
        since = 0
        for tag in tags(source):
            if self._keeps(tag):
                if tag.excess < tag.end:
                    kept += (source[since : tag.excess], ">")
                    since = tag.end
            else:
                kept += (source[since : tag.start], " ")
                since = tag.end
        kept.append(source[since:])
        return "".join(kept)

    def _keeps(self, tag: Tag) -> bool:
        if tag.closes:
            if not tag.doubtful:
                self._close(tag.name)
            return True
        if tag.doubtful and not self._doubting:
            self.doubts += 1
            return True
        if tag.name in _ROOTS:
            self._roots += 1
            return self._roots <= MAX_ROOTS
        return tag.name in _VOID or self._open(tag.name)

    def _open(self, name: str) -> bool:
        if name in _FORMATTING:
            if self._formatting >= self._limit:
                return False
            self._formatting += 1
            self._opened[name] = self._opened.get(name, 0) + 1
            return True
        ended = _ENDS.get(name)
        while ended and self._stack and self._stack[-1] in ended:
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
        if name not in _OF_TABLES and not self._within_barriers(name):
            return
        closed = ""
        while closed != name:
            closed = self._stack.pop()
            self._opened[closed] -= 1

    def _within_barriers(self, name: str) -> bool:
        """Whether an open element of that name is nearer than the nearest barrier. At most `MAX_DEPTH` steps."""
        for open_one in reversed(self._stack):
            if open_one == name:
                return True
            if open_one in _BARRIERS:
                return False
        return False
