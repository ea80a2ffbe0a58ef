"""What there is on a page that may tell something of it: what is not there need not be looked for.

The compiled pass (`native/reading.c`) may name more than there is, and never less.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from selectolax.lexbor import LexborHTMLParser

from lycosa.read import compiled

_ANCHOR: Final = "a"
TAGS: Final = ("base", "meta", "script", "time")
REL, DEED, ITEM = "rel", "creativecommons.org/", "itemscope"
NAMES: Final = ("author", "Author", "byline", "Byline", "date", "publish")
"""Parts of classes."""
_BITS: Final = {name: 1 << bit for bit, name in enumerate((_ANCHOR, *TAGS, REL, DEED, ITEM, *NAMES))}
"""As the compiled pass has them."""
ALL: Final = (1 << len(_BITS)) - 1

Sought = tuple[tuple[str, str], ...]
"""Selectors, each behind the clue without which it finds nothing; empty: it always may."""


def clues(tree: LexborHTMLParser) -> int:
    """What there may be in a tree."""
    found = None if tree.root is None else compiled.clues(tree.root.mem_id, _TABLE)
    return ALL if found is None else found


def has(clues: int, name: str) -> bool:
    return bool(clues & _BITS[name])


@lru_cache(maxsize=256)
def selector(sought: Sought, clues: int) -> str:
    """Those selectors that may find something, in their order; empty if none may."""
    return ", ".join(each for clue, each in sought if not clue or has(clues, clue))


def _table() -> bytes:
    table, document = bytearray(compiled._TAGS), LexborHTMLParser("<p>")
    for name in (_ANCHOR, *TAGS):
        table[document.create_node(name).tag_id] = _BITS[name]
    return bytes(table)


_TABLE: Final = _table()
