"""Style sheets without anything that fetches: CSS has five ways to name a resource, and escapes to hide them."""

from __future__ import annotations

import re
from typing import Final

LONGEST_SHEET: Final = 500_000
"""Characters of a style sheet; of a longer one nothing is taken, as half a sheet is another."""

_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_ADDRESS: Final = re.compile(r"""url\(\s*+(?:"[^"\n]*"|'[^'\n]*'|[^"'()\s]*+)\s*+\)""", re.IGNORECASE)
_IMPORT: Final = re.compile(r"@import\b[^;{}]*;?", re.IGNORECASE)
_FETCHES: Final = re.compile(
    r"(?:url|src|image|element|expression)\s*\(|image-set|cross-fade|@\s*(?:import|font-face|namespace|document)"
    r"|binding\s*:|behaviou?r\s*:|javascript:",
    re.IGNORECASE,
)


def harmless_sheet(sheet: str) -> str:
    """A style sheet without addresses; empty where any is left, or hidden.

    Invariant, the name of a property test:

    * names nothing: no function or rule that fetches stands in it, escapes undone, and no `<`.
    """
    if len(sheet) > LONGEST_SHEET:
        return ""
    sheet = _COMMENT.sub(" ", sheet)
    sheet = _ADDRESS.sub("none", _IMPORT.sub("", sheet))
    rules = (_rule(rule) for rule in re.split(r"(?<=\})", sheet))
    whole = "".join(rules).replace("<", "")
    return "" if fetches(whole) else whole.strip()


def harmless_declarations(style: str) -> str:
    """The same for the declarations of one element: those that fetch are left out."""
    style = _ADDRESS.sub("none", _COMMENT.sub(" ", style))
    kept = ";".join(each for each in style.split(";") if not fetches(each)).replace("<", "")
    return "" if fetches(kept) else kept.strip()


def fetches(style: str) -> bool:
    """Whether any part of it might name a resource, or hides what it does."""
    return _FETCHES.search(_plain(style)) is not None


def _rule(rule: str) -> str:
    """One rule; the rules that fetch are left out, braces excepted, so that those around them keep their places."""
    if not fetches(rule):
        return rule
    return "".join(brace for brace in rule if brace in "{}")


def _plain(style: str) -> str:
    """With its escapes undone: `u\\72l` is `url`."""

    def undone(found: re.Match[str]) -> str:
        code, character = found.groups()
        return character if code is None else chr(min(int(code, 16), 0x10FFFF))

    return _ESCAPE.sub(undone, style)
