"""A page as boxes within boxes, with runs of words in them: what is main is chosen among these, and written from them.

One walk over the tree that lexbor made. Elements that begin a new line are boxes; what is inline is flattened into the
runs, where marks tell of links, emphasis and code. No page can contain the marks: they begin with NUL, which `parse`
takes out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.read.boxes.hints import hint

LINK, LINK_END = "\0a", "\0z"
BREAK: Final = "\0n"
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
_STYLES: Final = {
    **dict.fromkeys(_words("em i cite var dfn"), ("\0e", "\0E")),
    **dict.fromkeys(_words("strong b"), ("\0s", "\0S")),
    **dict.fromkeys(_words("code tt kbd samp"), ("\0c", "\0C")),
}
PREFORMATTED: Final = frozenset({"pre", "xmp", "listing"})


def _ids() -> dict[str, int]:
    """The numbers that this build of lexbor gives to tags: they change between its releases."""
    document = LexborHTMLParser("<p>")
    return {
        name: document.create_node(name).tag_id for name in [*_BOXES, *_SKIPPED, *_STYLES, "a", "br", "img"]
    }


_ID = _ids()
_TEXT = LexborHTMLParser("<p>x").body.first_child.first_child.tag_id  # type: ignore[union-attr]
_BOX_NAMES = {_ID[name]: name for name in _BOXES}
_SKIPPED_IDS = frozenset(_ID[name] for name in _SKIPPED)
_STYLE_IDS = {_ID[name]: marks for name, marks in _STYLES.items()}
_A, _BR = _ID["a"], _ID["br"]
_BARE = frozenset(_words("p li tr td th tbody thead h1 h2 h3 h4 h5 h6"))


class Run:
    """Words that stand together in one box: a paragraph, an item, a cell, or a part of one."""

    __slots__ = ("box", "hrefs", "kept", "linked", "raw", "text")

    def __init__(self, box: Box, raw: str, linked: int, hrefs: list[str]) -> None:
        self.box = box
        self.raw = raw
        """The words with marks."""
        plain = _MARK.sub("", raw.replace(BREAK, " ")) if "\0" in raw else raw
        self.text = " ".join(plain.split())
        self.linked = min(linked, len(self.text))
        """Characters that are links."""
        self.hrefs = hrefs
        self.kept = False


class Box:
    """An element that begins a line, and what is in it."""

    __slots__ = ("above", "cut", "hint", "items", "letters", "linked", "prose", "tag", "weight")

    def __init__(self, tag: str, above: Box | None, hint: str = "") -> None:
        self.tag = tag
        self.above = above
        self.items: list[Box | Run] = []
        self.hint = hint
        """What the markup says of it: `hints.CUT`, `hints.CONTENT` or nothing."""
        self.cut = False
        self.letters = 0
        self.linked = 0
        self.prose = 0
        self.weight = 0.0

    def runs(self) -> Iterator[Run]:
        """All runs within, in document order."""
        ahead: list[Box | Run] = [self]
        while ahead:
            item = ahead.pop()
            if isinstance(item, Run):
                yield item
            else:
                ahead += reversed(item.items)

    def boxes(self) -> Iterator[Box]:
        """This box and all within, each before what it holds."""
        ahead = [self]
        while ahead:
            box = ahead.pop()
            yield box
            ahead += [each for each in reversed(box.items) if isinstance(each, Box)]


class _Walk:
    def __init__(self, root: LexborNode) -> None:
        self.box = self.page = Box("html", None)
        self.parts: list[str] = []
        self.linked = 0
        self.hrefs: list[str] = []
        self.href: str | None = None
        self._over(root)

    def _over(self, root: LexborNode) -> None:
        """Depth first, each node once; what is open waits on a stack with what closes it."""
        open_ones: list[tuple[LexborNode, str | None]] = []
        node: LexborNode | None = root
        while node is not None:
            tag = node.tag_id
            child = None
            closes: str | None = None
            if tag == _TEXT:
                self._text(node.text_content or "")
            elif tag in _BOX_NAMES:
                self._open(node, _BOX_NAMES[tag])
                child, closes = node.first_child, "box"
                if child is None:
                    self._close()
            elif tag == _BR:
                self.parts.append(BREAK)
            elif tag not in _SKIPPED_IDS and (child := node.first_child) is not None:
                closes = self._inline(node, tag)
            if child is not None:
                open_ones.append((node, closes))
                node = child
                continue
            following = node.next
            while following is None and open_ones:
                node, closes = open_ones.pop()
                self._end(closes)
                following = node.next
            node = following
        self._flush()

    def _text(self, text: str) -> None:
        self.parts.append(text)
        if self.href is not None:
            self.linked += len(text.strip())

    def _open(self, node: LexborNode, name: str) -> None:
        self._flush()
        box = Box(name, self.box, hint(name, node.attributes) if name not in _BARE else "")
        self.box.items.append(box)
        self.box = box

    def _close(self) -> None:
        self._flush()
        self.box = self.box.above or self.page

    def _inline(self, node: LexborNode, tag: int) -> str:
        if tag == _A:
            href = node.attributes.get("href")
            if href is None or self.href is not None:
                return ""
            self.href = href
            self.hrefs.append(href)
            self.parts.append(LINK)
            return "link"
        if tag in _STYLE_IDS:
            start, end = _STYLE_IDS[tag]
            self.parts.append(start)
            return end
        return ""

    def _end(self, closes: str | None) -> None:
        if closes == "box":
            self._close()
        elif closes == "link":
            self.href = None
            self.parts.append(LINK_END)
        elif closes:
            self.parts.append(closes)

    def _flush(self) -> None:
        parts = self.parts
        if not parts:
            return
        self.parts, raw = [], "".join(parts)
        if not raw.isspace():
            run = Run(self.box, raw, self.linked, self.hrefs)
            if run.text:
                self.box.items.append(run)
        self.linked, self.hrefs = 0, []
        if self.href is not None:
            self.parts.append(LINK)
            self.hrefs.append(self.href)


def outline(root: LexborNode | None) -> Box:
    """The page as boxes; empty for a page without a tree."""
    return _Walk(root).page if root is not None else Box("html", None)
