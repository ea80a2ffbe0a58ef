"""The text of a page alone, without links, terms and the rest, at a third of the cost: for exports and indexes, which
read each page of a crawl again. By the compiled pass where it could be built, as all reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.read.blocks import single_blanks
from lycosa.read.charset import decode
from lycosa.read.compiled import page_text
from lycosa.read.kinds import is_html
from lycosa.read.markup import parsed, tamed
from lycosa.read.walk import (
    ACTS,
    BLOCK,
    BLOCK_IDS,
    CONTENT,
    HEADING,
    TAG_ID,
    Act,
    Walk,
    begins_with_block,
    behind,
)


def html_text(body: bytes, content_type: str) -> str | None:
    """The text of an HTML page, None of anything else: `lycosa.read.html.read` tells that.

    Invariants, each the name of a property test:

    * same text: as `read` has it, whatever the body.
    """
    if not is_html(content_type, body):
        return None
    source, _ = decode(body, content_type)
    tame = tamed(source)
    text = page_text(tame)
    return text_of(parsed(tame)) if text is None else text


def text_of(tree: LexborHTMLParser) -> str:
    """All the words of a page, title apart: a block a line."""
    if tree.root is None:
        return ""
    parts = _Wording().over(tree.root, _ACTS).parts
    lines = (raw[1:].strip() for raw in single_blanks("".join(parts)).split(BLOCK))
    return "\n".join([line for line in lines if line])


class _Wording(Walk):
    """A walk that passes over what is no text. Its blocks are those of any other."""

    def _nothing(self, node: LexborNode) -> None:
        """Not even a new block begins here."""

    def _label(self, node: LexborNode) -> None:
        self._begin(HEADING)

    def _hyperlink(self, node: LexborNode) -> None:
        """A link matters only where it holds blocks: what is behind it is another block then."""
        self._image(node)
        holds_blocks = begins_with_block(node.first_child)
        if (holds_blocks or self._anchor_until) and node.attributes.get("href") is not None:
            self._end_anchor()
            if holds_blocks:
                self._anchor_until, self._watching = behind(node), True

    def _end_anchor(self) -> None:
        if self._anchor_until:
            self._anchor_until = 0
            self._begin(CONTENT)

    def _image(self, node: LexborNode) -> None:
        if self._open and (before := node.prev) is not None and before.tag_id in BLOCK_IDS:
            self._begin(CONTENT)


_OTHERS: Final[Mapping[str, Act]] = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption"), _Wording._label),
    **dict.fromkeys(("area", "html", "base", "meta", "link"), _Wording._nothing),
    **dict.fromkeys(("iframe", "frame", "title"), Walk._skip),
    "a": _Wording._hyperlink,
    "img": _Wording._image,
}
_ACTS: Final[Mapping[int, Act]] = {**ACTS, **{TAG_ID[name]: act for name, act in _OTHERS.items()}}
