"""The compiled pass over a page (`native/reading.c`), where it could be built and fits the parser that is here.

It takes lexbor's functions from the extension of selectolax that is installed, by their names. So it is tried at the
first import, on a page whose answers are known: if a name is missing, text is kept in another way or an answer differs,
Python reads all pages. `lycosa doctor` says so. `LYCOSA_PURE=1` in the environment asks for that.
"""

from __future__ import annotations

import unicodedata
from array import array
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from lycosa.model.compiled import compiled_or_why_not
from lycosa.read import walk
from lycosa.scoring.words.terms import PLAIN

Standing = tuple[str, str, str, str, str, bool, str, int]
"""A link: href, anchor, heading, path, rel, whether it stands in navigation or boilerplate, context, place.

The place is -1 for a link that does not stand in the text."""

_TAGS: Final = 512
_SIGNS: Final = 0x2C00
_KNOWN_SIGNS: Final = (*range(0x80, 0x700), *range(0x1E00, _SIGNS))
"""Punctuation, symbols, and letters of scripts in which none joins the sign before it but combining marks. A text with
others is parted into words by Python."""
_BLOCK, _LANDMARK, _CONTAINER, _HEADING, _LABEL, _SKIP, _LINK, _AREA, _IMAGE, _FRAME = range(1, 11)
_HTML, _TITLE, _BASE, _META, _RELATION, _BREAK, _TEXT = range(11, 18)
_IS_BLOCK, _IS_SKIPPED, _IS_PART, _IS_RAW, _IS_HEADER = 1, 2, 4, 8, 16


class Page(NamedTuple):
    """What the pass gives."""

    title: str
    headings: list[str]
    base: str
    language: str
    metas: list[tuple[str, str, int]]
    """Name, content, and of one that may send the reader on its place among the links; -1 else."""
    relations: list[tuple[str, str, str, str]]
    """href, rel, type and hreflang of each `<link>` that may matter."""
    links: list[Standing]
    """Place -2: it stands in the text, and `parts` tell where."""
    text: str
    content_lines: tuple[bool, ...]
    nav_lines: tuple[int, ...]
    terms: dict[str, int] | None
    """None if they are to be counted here."""
    fingerprint: int | None
    """The simhash of the terms; None as they are."""
    parts: str | None
    """What `lycosa.read.blocks.blocks` is to be given; None if it is done."""


def _plain(code: int) -> int:
    """A blank for what parts words, a letter in NFKC and in lower case; 0 for what is not that simple."""
    sign = chr(code)
    signs = unicodedata.normalize("NFKC", sign)
    if signs == sign and sign != "Σ":  # most of them
        if sign.isalpha():
            return ord(small) if len(small := sign.lower()) == 1 else 0
        if unicodedata.category(sign)[0] in "PSZC":
            return 32
    if "Σ" in signs or any(map(unicodedata.combining, signs)):
        return 0  # the small sigma depends on what follows
    if all(unicodedata.category(sign)[0] in "PSZC" for sign in signs):
        return 32
    small = signs.lower()
    return ord(small) if len(signs) == len(small) == 1 else 0


def _signs() -> bytes:
    table = array("H", bytes(2 * _SIGNS))
    for code in _KNOWN_SIGNS:
        table[code] = _plain(code)
    return table.tobytes()


def _acts() -> bytes:
    """What each tag does, by its number: the same as `lycosa.read.walk`."""
    acts: dict[Any, int] = {
        walk.Walk._block: _BLOCK,
        walk.Walk._landmark: _LANDMARK,
        walk.Walk._container: _CONTAINER,
    }
    acts |= {walk.Walk._page_heading: _HEADING, walk.Walk._label: _LABEL, walk.Walk._skip: _SKIP}
    acts |= {walk.Walk._hyperlink: _LINK, walk.Walk._area: _AREA, walk.Walk._image: _IMAGE}
    acts |= {walk.Walk._frame: _FRAME, walk.Walk._html: _HTML, walk.Walk._title: _TITLE}
    acts |= {walk.Walk._base: _BASE, walk.Walk._meta: _META, walk.Walk._link: _RELATION}
    table = bytearray(_TAGS)
    for tag, act in walk.ACTS.items():
        table[tag] = acts[act]
    table[walk._BR], table[walk._TEXT] = _BREAK, _TEXT
    return bytes(table)


def _traits() -> bytes:
    table = bytearray(_TAGS)
    for tags, trait in (
        (walk.BLOCK_IDS, _IS_BLOCK),
        (walk._SKIPPED_IDS, _IS_SKIPPED),
        ([walk.TAG_ID[name] for name in walk.PARTS_OF_PAGE], _IS_PART),
        ([walk.TAG_ID[name] for name in ("script", "style", "textarea")], _IS_RAW),
        ([walk.TAG_ID[name] for name in ("header", "footer")], _IS_HEADER),
    ):
        for tag in tags:
            table[tag] |= trait
    return bytes(table)


_TRIED: Final = """<html lang=xy><head><title> A  title </title><meta name=robots content=all><base href=/b/></head>
<body><div class=nav><ul><li><a href=/one title=One>one</a> &copy; two</ul></div>
<h1>Of w\u00f6lves</h1><p>Some words of text <b>with</b> a <a href='x' rel=nofollow id=i>link \u00c9 <img alt=seen></a>
behind it, <script>and none</script>more.</body>"""
_TRIED_LINKS: Final = [
    ("/one", "one", "", "html body div.nav ul li a", "", True, "one © two", 0),
    ("x", "link É seen", "Of wölves", "html body p a#i", "nofollow", False,
     "Some words of text with a link É behind it, more.", 46),
]  # fmt: skip


def _bound() -> tuple[Any, str]:
    """The compiled module, or None and why there is none."""
    reading, why_not = compiled_or_why_not("lycosa.read._reading")
    if reading is None:
        return None, why_not
    from selectolax import lexbor

    try:
        reading.bind(lexbor.__file__, _acts(), _traits())
        tried = Page(*reading.read_page(_TRIED, _TABLE, walk.anchor_text, PLAIN.memory(), len) or ())
    except (AttributeError, OSError, TypeError, ValueError) as error:
        return None, f"it does not fit this selectolax: {error}"
    said = (tried.title, tried.headings, tried.language, tried.base, tried.metas)
    told = ("A title", ["Of wölves"], "xy", "/b/", [("robots", "all", -1)])
    if said != told or tried.links != _TRIED_LINKS:
        return None, "it does not fit this selectolax: a page is read in another way"
    return reading, ""


_TABLE: Final = _signs()
_READING, WHY_NOT = _bound()
"""Why pages are read by Python; empty if they are not."""


def read_page(source: str, hash_term: Callable[[str], int]) -> Page | None:
    """What a page says; `source` holds no NUL and is not nested too deep (`lycosa.read.markup.tamed`).

    `hash_term` gives the 64 bits of a term that the fingerprint is made of, always the same. What it says of a word is
    kept, as the next page mostly has the same words: up to 4 MB.

    None if the pass is not to be had, or leaves this page to Python.
    """
    if _READING is None:
        return None
    found = _READING.read_page(source, _TABLE, walk.anchor_text, PLAIN.memory(), hash_term)
    return Page(*found) if found is not None else None


def page_text(source: str) -> str | None:
    """The text of a page alone, as `read_page` tells it; None as there, and where its blocks are left to Python."""
    return None if _READING is None else _READING.page_text(source)


def main_text(
    address: int, kinds: bytes, names: dict[str, int], hint: Callable[[str, dict[str, str | None]], int]
) -> tuple[str, int, int] | None:
    """The main text of the tree whose root lies there, its characters, and those of all text: see
    `lycosa.read.boxes.main`. None if the pass is not to be had."""
    return None if _READING is None else _READING.main_text(address, kinds, names, hint)


def clues(address: int, tags: bytes) -> int | None:
    """What there is in the tree whose root lies there: see `lycosa.read.main.clues`. None if the pass is not to be
    had."""
    return None if _READING is None else int(_READING.clues(address, tags))


def is_harmless(source: str) -> bool:
    """Whether `lycosa.read.markup.flat` would leave a page as it is; False where that is not told at once."""
    return _READING is not None and bool(_READING.harmless(source))


def tags_in(body: bytes) -> int:
    """How many tags begin or end in the bytes of a page."""
    return body.count(b"<") if _READING is None else int(_READING.tags(body))


def simhash(terms: dict[str, int], hashes: dict[str, int]) -> int | None:
    """The fingerprint of counted terms by the hash of each, which `hashes` knows or learns; None if Python is to make
    it."""
    return None if _READING is None else int(_READING.simhash(terms, hashes))


if __name__ == "__main__":
    raise SystemExit(f"pages are read by Python, in about twice the time: {WHY_NOT}" if WHY_NOT else 0)
