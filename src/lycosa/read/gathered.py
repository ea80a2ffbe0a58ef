"""What stands on a page, before its links are made absolute: gathered by Python, or by the compiled pass.

Both say the same. Python's way is there for every machine and every page; where the compiled pass could be built
(`lycosa.read.compiled`), it does nearly all of the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from lycosa.read.blocks import blocks
from lycosa.read.compiled import Standing, read_page
from lycosa.read.duplicates import hash64, simhash
from lycosa.read.markup import parsed, tamed
from lycosa.read.walk import Reference, Walk, walk
from lycosa.scoring.words.terms import counts

_NOWHERE: Final = (("", False), -1)


class Gathered(NamedTuple):
    """What `lycosa.read.html` makes a document of."""

    said: Walk
    """What the page says of itself, its title, and its headings."""
    links: list[Standing]
    text: str
    content_lines: tuple[bool, ...]
    nav_lines: tuple[int, ...]
    terms: dict[str, int]
    fingerprint: int
    """Of the terms."""
    source: str
    """The markup of all this, `tamed`."""


def gathered(source: str) -> Gathered:
    """What a page holds, by the fastest way there is."""
    tame = tamed(source)
    return by_compiled(tame) or by_python(tame)


def by_python(source: str) -> Gathered:
    """By a walk over the tree that selectolax shows. `source` is `tamed`."""
    found = walk(parsed(source))
    text, content_lines, nav_lines, contexts, starts = blocks(found.parts)
    around = zip(contexts, starts, strict=True)
    links = [_standing(reference, around) for reference in found.references]
    terms = counts(f"{found.title}\n{text}")
    return Gathered(found, links, text, content_lines, nav_lines, terms, simhash(terms), source)


def _standing(reference: Reference, around: Iterator[tuple[tuple[str, bool], int]]) -> Standing:
    (context, boilerplate), place = next(around, _NOWHERE) if reference.in_text else _NOWHERE
    in_nav = reference.in_nav or boilerplate
    return (
        *(reference.href, reference.anchor, reference.heading, reference.path, reference.rel),
        *(in_nav, context, place),
    )


def by_compiled(source: str) -> Gathered | None:
    """By a pass over lexbor's own tree; None if there is none here, or it leaves the page to Python."""
    page = read_page(source, hash64)
    if page is None:
        return None
    said = Walk()
    said.title, said.headings, said.base, said.declared_language = (
        page.title,
        page.headings,
        page.base,
        page.language,
    )
    links = _said(page.metas, page.links, said)
    for href, rel, media_type, tongue in page.relations:
        said.learn_link({"href": href, "rel": rel, "type": media_type, "hreflang": tongue})
    if page.parts is not None:
        return _placed(said, links, page.parts, source)
    terms, fingerprint = page.terms, page.fingerprint
    if terms is None or fingerprint is None:
        terms = counts(f"{said.title}\n{page.text}")
        fingerprint = simhash(terms)
    else:
        terms.pop("", None)
    return Gathered(said, links, page.text, page.content_lines, page.nav_lines, terms, fingerprint, source)


def _said(metas: list[tuple[str, str, int]], links: list[Standing], said: Walk) -> list[Standing]:
    """Learn what the `<meta>` say. Those that may send the reader on hold a place among the links."""
    dropped = []
    for name, content, slot in metas:
        target = said.learn_meta({"name": name, "content": content})
        if slot >= 0 and target is None:
            dropped.append(slot)
        elif slot >= 0 and target is not None:
            links[slot] = (target, *links[slot][1:])
    return [link for slot, link in enumerate(links) if slot not in dropped] if dropped else links


def _placed(said: Walk, links: list[Standing], parts: str, source: str) -> Gathered:
    """A page whose blocks are left to Python: in scripts without blanks, words have other bounds."""
    text, content_lines, nav_lines, contexts, starts = blocks([parts])
    around = zip(contexts, starts, strict=True)
    placed = []
    for link in links:
        if link[7] == -2:
            (context, boilerplate), place = next(around, _NOWHERE)
            link = (*link[:5], link[5] or boilerplate, context, place)
        placed.append(link)
    terms = counts(f"{said.title}\n{text}")
    return Gathered(said, placed, text, content_lines, nav_lines, terms, simhash(terms), source)
