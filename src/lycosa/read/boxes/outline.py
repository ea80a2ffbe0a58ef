"""A page as boxes within boxes, with runs of words in them: what is main is chosen among these, and written from them.

One walk over the tree that lexbor made. Elements that begin a new line are boxes; what is inline is flattened into the
runs, where marks tell of links, emphasis and code. No page can contain the marks: they begin with NUL, which `parse`
takes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.read.boxes.hints import hint

LINK, LINK_END = "\0a", "\0z"
BREAK: Final = "\0n"
_BOX_END: Final = "box"
_MARK = re.compile("\0.")


def _words(listed: str) -> list[str]:
    return listed.split()


_BOXES: Final = _words(
    """address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol p pre section summary table tbody td
    tfoot th thead tr ul xmp listing"""
)
_SKIPPED: Final = _words(
    """head script style noscript template svg select noframes textarea button iframe object audio video canvas input
    datalist progress meter map embed applet"""
)
_EM, _STRONG, _CODE = ("\0e", "em", "\0E"), ("\0s", "strong", "\0S"), ("\0c", "code", "\0C")
STYLES: Final = {start: (name, end) for start, name, end in (_EM, _STRONG, _CODE)}
"""By the mark that begins a style: its name, and the mark that ends it."""
CODE_END: Final = _CODE[2]
_STYLED: Final = {
    **dict.fromkeys(_words("em i cite var dfn"), _EM),
    **dict.fromkeys(_words("strong b"), _STRONG),
    **dict.fromkeys(_words("code tt kbd samp"), _CODE),
}
HEADINGS: Final = frozenset(_words("h1 h2 h3 h4 h5 h6"))
PREFORMATTED: Final = frozenset({"pre", "xmp", "listing"})


def _ids() -> dict[str, int]:
    """The numbers that this build of lexbor gives to tags: they change between its releases."""
    document = LexborHTMLParser("<p>")
    return {
        name: document.create_node(name).tag_id for name in [*_BOXES, *_SKIPPED, *_STYLED, "a", "br", "img"]
    }


_ID = _ids()
_TEXT = LexborHTMLParser("<p>x").body.first_child.first_child.tag_id  # type: ignore[union-attr]
_BOX_NAMES = {_ID[name]: name for name in _BOXES}
_SKIPPED_IDS = frozenset(_ID[name] for name in _SKIPPED)
_STYLE_IDS = {_ID[name]: (style[0], style[2]) for name, style in _STYLED.items()}
_A, _BR = _ID["a"], _ID["br"]
_BARE = frozenset(_words("tr td th tbody thead h1 h2 h3 h4 h5 h6"))
"""Elements whose names say little and cost much, as there are many."""


class Run:
    """Words that stand together in one box: a paragraph, an item, a cell, or a part of one."""

    __slots__ = ("box", "hrefs", "linked", "raw", "text")

    def __init__(self, box: Box, raw: str, linked: int, hrefs: list[str]) -> None:
        self.box = box
        self.raw = raw
        """The words with marks."""
        self.text = _plain(raw, box.tag in PREFORMATTED)
        self.linked = min(linked, len(self.text))
        """Characters that are links."""
        self.hrefs = hrefs
        """Where each of its links leads, as it is written."""


class Box:
    """An element that begins a line. What is in it is known by its places in the lists of the page."""

    __slots__ = (
        "above", "begin", "cut", "end", "free", "hint", "in_navigation", "letters", "linked", "place", "prose", "tag",
        "until", "weight",
    )  # fmt: skip

    def __init__(self, tag: str, above: Box | None, hint: str, begin: int, place: int) -> None:
        self.tag = tag
        self.above = above
        self.hint = hint
        """What the markup says of it: see `lycosa.read.boxes.hints`."""
        self.begin = self.end = begin
        """Its runs are `runs[begin:end]` of the page."""
        self.place = self.until = place
        """It and the boxes in it are `boxes[place:until]` of the page."""
        self.cut = self.in_navigation = False
        self.letters = self.linked = self.prose = 0
        """Characters in it: all, those of links, those of prose."""
        self.free = 0
        """Characters that are not cut and no links."""
        self.weight = 0.0


class Outline:
    """The boxes and the runs of a page, in document order. The first box is the page."""

    def __init__(self, boxes: list[Box], runs: list[Run]) -> None:
        self.boxes = boxes
        self.runs = runs

    @property
    def top(self) -> Box:
        return self.boxes[0]

    @property
    def letters(self) -> int:
        return self.boxes[0].letters

    def within(self, box: Box) -> Sequence[Run]:
        """The runs in a box."""
        return self.runs[box.begin : box.end]

    def outside(self, box: Box, around: Box) -> Sequence[Run]:
        """The runs in one box that are not in the other, which it holds."""
        return [*self.runs[around.begin : box.begin], *self.runs[box.end : around.end]]

    def inner(self, box: Box) -> Iterator[Box]:
        """The boxes that stand directly in one."""
        at = box.place + 1
        while at < box.until:
            yield self.boxes[at]
            at = self.boxes[at].until


def _plain(raw: str, preformatted: bool) -> str:
    """The words without marks; of preformatted text the white space is kept."""
    if preformatted:
        lines = _MARK.sub("", raw.replace(BREAK, "\n")).expandtabs(4).splitlines()
        return "\n".join(line.rstrip() for line in lines if line.strip())
    return " ".join((_MARK.sub("", raw.replace(BREAK, " ")) if "\0" in raw else raw).split())


class _Walk:
    def __init__(self, root: LexborNode) -> None:
        self.box = Box("html", None, "", 0, 0)
        self.boxes = [self.box]
        self.runs: list[Run] = []
        self.parts: list[str] = []
        self.linked = 0
        self.hrefs: list[str] = []
        self.href: str | None = None
        self._over(root)

    def _over(self, root: LexborNode) -> None:
        """Depth first, each node once; what is open waits on a stack with what closes it."""
        parts, names = self.parts, _BOX_NAMES
        open_ones: list[tuple[LexborNode, str]] = []
        node: LexborNode | None = root
        while node is not None:
            tag = node.tag_id
            child = None
            closes = ""
            if tag == _TEXT:
                text = node.text_content or ""
                if parts or not text.isspace():
                    parts.append(text)
                    if self.href is not None:
                        self.linked += len(text.strip())
            elif tag in names:
                self._open(node, names[tag])
                child, closes = node.first_child, _BOX_END
                if child is None:
                    self._close()
            elif tag == _BR:
                parts.append(BREAK)
            elif tag not in _SKIPPED_IDS and (child := node.first_child) is not None:
                closes = self._inline(node, tag)
            if child is not None:
                open_ones.append((node, closes))
                node = child
                continue
            following = node.next
            while following is None and open_ones:
                node, closes = open_ones.pop()
                if closes:
                    self._end(closes)
                following = node.next
            node = following
        self._flush()
        self.boxes[0].end, self.boxes[0].until = len(self.runs), len(self.boxes)

    def _open(self, node: LexborNode, name: str) -> None:
        if self.parts:
            self._flush()
        told = hint(name, node.attributes) if name not in _BARE else ""
        self.box = Box(name, self.box, told, len(self.runs), len(self.boxes))
        self.boxes.append(self.box)

    def _close(self) -> None:
        if self.parts:
            self._flush()
        box = self.box
        box.end, box.until = len(self.runs), len(self.boxes)
        self.box = box.above or self.boxes[0]

    def _inline(self, node: LexborNode, tag: int) -> str:
        if tag == _A:
            href = node.attributes.get("href")
            if href is None or self.href is not None:
                return ""
            self.href = href
            self.hrefs.append(href)
            self.parts.append(LINK)
            return LINK_END
        if tag in _STYLE_IDS:
            start, end = _STYLE_IDS[tag]
            self.parts.append(start)
            return end
        return ""

    def _end(self, closes: str) -> None:
        if closes == _BOX_END:
            self._close()
            return
        if closes == LINK_END:
            self.href = None
        self.parts.append(closes)

    def _flush(self) -> None:
        """End a run; a link that is still open goes on in the next one."""
        raw = "".join(self.parts)
        self.parts.clear()
        if not raw.isspace():
            run = Run(self.box, raw, self.linked, self.hrefs)
            if run.text:
                self.runs.append(run)
        self.linked = 0
        if self.hrefs:
            self.hrefs = []
        if self.href is not None:
            self.parts.append(LINK)
            self.hrefs.append(self.href)


def outline(root: LexborNode | None) -> Outline:
    """The page as boxes; a page without a tree is one empty box."""
    if root is None:
        return Outline([Box("html", None, "", 0, 0)], [])
    walked = _Walk(root)
    return Outline(walked.boxes, walked.runs)
