"""Where the tags of a page stand, told from what only looks like one as the HTML standard does it (section 13.2.5).

Quoted values, comments and the text of scripts hold no tags. Where a page can be read in two ways (what is raw text
in HTML is markup within SVG; so are sections of character data), the tags are told as doubtful.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_ATTRIBUTES: Final = 256
"""Attributes of one tag that a page keeps; those behind are its excess."""

_BLANK = r"[ \t\n\f\r]"
_ATTRIBUTE = (
    r"(?=[^>])[ \t\n\f\r/]*+=?[^ \t\n\f\r/>=]*+"
    rf"(?:{_BLANK}*+={_BLANK}*+"
    r"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^ \t\n\f\r>]*+))?+"""
)
_TAG = re.compile(
    r"<!--(?:-?>|.*?(?:--!?>|\Z))"
    r"|(?P<section><!\[CDATA\[)"
    r"|<(?P<slash>/?)(?P<name>[a-z][^ \t\n\f\r/>]*+)"
    rf"(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+(?P<excess>(?:{_ATTRIBUTE})*+)>?",
    re.IGNORECASE | re.DOTALL,
)
_RAW: Final = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
_RAW_ENDS = {name: re.compile(rf"</{name}(?=[ \t\n\f\r/>])", re.IGNORECASE) for name in sorted(_RAW)}
_SCRIPT_MARK = re.compile(r"<!--+>|(<!--)|(-->)|<(/?)script(?=[ \t\n\f\r/>])", re.IGNORECASE)
_SCRIPT_END = re.compile(r"<(?:!--(?!-*>)|/[sS][cC][rR][iI][pP][tT](?=[ \t\n\f\r/>]))")
"""The end of a script, or what may hide it. It begins with one sign, so that it is searched for fast."""
_FOREIGN: Final = frozenset({"svg", "math"})
_USUAL = re.compile(
    r"(?:[^<]++|<!--(?>-?>|.*?(?:--!?>|\Z))|<(?!/?[a-z]|!--|!\[CDATA\[)"
    rf"|<(?!(?:{'|'.join(sorted({*_RAW, *_FOREIGN}))})(?=[ \t\n\f\r/>]|\Z))/?[a-z][^ \t\n\f\r/>]*+"
    rf"(?:{_ATTRIBUTE}){{0,{MAX_ATTRIBUTES}}}+(?:>|\Z))*+",
    re.IGNORECASE | re.DOTALL,
)
"""Text, comments, and tags without excess after which the text goes on as usual: passed over at once."""


class Tag(NamedTuple):
    """A tag, or the part of one that is too much."""

    start: int
    end: int
    name: str
    """In lower case."""
    closes: bool
    excess: int
    """Where the attributes beyond `MAX_ATTRIBUTES` begin; `end` if there are none."""
    doubtful: bool


def tags(source: str) -> Iterator[Tag]:
    """All tags in their order. Linear in the length."""
    at, foreign = 0, False
    while (found := _TAG.search(source, at)) is not None:
        at = found.end()
        name = found["name"]
        if name is None:
            if found["section"]:
                end = source.find("]]>", at)
                at = end if end >= 0 else len(source)
                yield from _doubtful(source, found.end(), at)
            continue
        tag = _tag(found, doubtful=False)
        yield tag
        foreign = foreign or tag.name in _FOREIGN
        if tag.name in _RAW and not tag.closes:
            at = _raw_end(source, tag.name, tag.end)
            if foreign:
                yield from _doubtful(source, tag.end, at)


def has_excess(source: str) -> bool:
    """Whether any of the `tags` has an excess, without making them: it is asked of each large page."""
    foreign, at = False, _USUAL.match(source).end()  # type: ignore[union-attr]  # it matches anything
    while at < len(source):
        found = _TAG.match(source, at)
        if found is None or found["excess"]:
            return True
        begun, at = at, found.end()
        name = (found["name"] or "").lower()
        foreign = foreign or name in _FOREIGN
        if found["section"]:
            end = source.find("]]>", at)
            at = end if end >= 0 else len(source)
        elif name in _RAW and not found["slash"]:
            at = _raw_end(source, name, at)
        if (foreign or found["section"]) and any(
            tag["excess"] for tag in _TAG.finditer(source, found.end(), at)
        ):
            return True
        at = _USUAL.match(source, at).end()  # type: ignore[union-attr]
        if at <= begun:
            return True
    return False


def _tag(found: re.Match[str], *, doubtful: bool) -> Tag:
    start, end = found.span()
    excess = found.start("excess") if found["excess"] else end
    return Tag(start, end, found["name"].lower(), found["slash"] == "/", excess, doubtful)


def _doubtful(source: str, start: int, end: int) -> Iterator[Tag]:
    """The tags of what may be text: read at once as markup and without regard to what surrounds it."""
    for found in _TAG.finditer(source, start, end):
        if found["name"] is not None:
            yield _tag(found, doubtful=True)


def _raw_end(source: str, name: str, at: int) -> int:
    """Where the end tag of raw text begins."""
    if name == "script":
        return _script_end(source, at)
    found = _RAW_ENDS[name].search(source, at)
    return found.start() if found is not None else len(source)


def _script_end(source: str, at: int) -> int:
    """Within `<!--`, a script may hold scripts with their end tags (13.2.5.15 to 13.2.5.31)."""
    first = _SCRIPT_END.search(source, at)
    if first is None or source[first.start() + 1] == "/":
        return first.start() if first is not None else len(source)
    escaped = nested = False
    for mark in _SCRIPT_MARK.finditer(source, first.start()):
        if mark[1]:
            escaped = True
        elif mark[2]:
            escaped = nested = False
        elif mark[3] == "":
            nested = escaped
        elif mark[3] == "/":
            if not nested:
                return mark.start()
            nested = False
    return len(source)
