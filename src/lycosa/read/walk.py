"""One walk over a page's tree, in document order: its text, its links, and what it says of itself.

The walk writes the text as a list of parts, with marks between them that no page can contain (they begin with NUL,
and `parse` takes NULs out): the start of a block and of what kind it is, the start and the end of a link. All work on
words is done afterwards, on whole strings, where Python is fast; calls for each node are what costs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

CONTENT, NAVIGATION, HEADING = ".", "!", "h"
BLOCK: Final = " \0\0"
"""Begins a block; one letter for its kind follows, then a blank."""
LINK_START, LINK_END = "\0a", "\0z"

MAX_ANCHOR: Final = 1_000
"""Characters of an anchor text or a heading that are kept."""
_LONG_LABEL: Final = 64 * MAX_ANCHOR
"""Characters of a heading that are looked at, white space included: headings within headings hold the same words."""
MAX_PATH: Final = 64
"""Ancestors of a link that its path names, the innermost."""
_LONG_PATH: Final = 2 * MAX_PATH - 1
"""Characters that a path of so many ancestors has at least."""
MAX_STEP: Final = 200
"""Characters of an id or a class that a path holds: it is written anew for each element on the way."""


def _words(listed: str) -> list[str]:
    return listed.split()


_BLOCK_NAMES: Final = _words(
    """address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol option p pre search section summary table
    tbody td tfoot th thead tr ul"""
)
_SKIPPED: Final = _words("script style noscript template svg select noframes textarea")
_NAMES: Final = [*_BLOCK_NAMES, *_SKIPPED, *_words("a area img iframe frame base meta link html title br")]
PARTS_OF_PAGE = frozenset({"article", "main", "section"})
MAX_LICENCES: Final = 10
"""Licences that are taken of one page."""
MAX_ALTERNATES: Final = 50
"""Copies in other languages that are taken of one page."""

FEED_TYPES: Final = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json"}
)
_NAV_ROLES = frozenset({"navigation", "banner", "contentinfo", "complementary", "search", "menu", "menubar"})
_NAV_WORDS = re.compile(
    r"(?:^|[\s_\-])(?:nav|navbar|navigation|navi|menu|menubar|submenu|topmenu|sidebar|sidenav|footer|topbar|toolbar|"
    r"masthead|breadcrumbs?|pagination|pager|sitemap|siteheader|sitefooter|skiplinks?)(?=$|[\s_\-\d])",
    re.IGNORECASE,
)


def _tag_ids() -> dict[str, int]:
    """The numbers that this build of lexbor gives to tags: they change between its releases."""
    document = LexborHTMLParser("<p>")
    return {name: document.create_node(name).tag_id for name in _NAMES}


TAG_ID = _tag_ids()
_TEXT = LexborHTMLParser("<p>x").body.first_child.first_child.tag_id  # type: ignore[union-attr]
_SKIPPED_IDS = frozenset(TAG_ID[name] for name in _SKIPPED)
BLOCK_IDS = frozenset(TAG_ID[name] for name in _BLOCK_NAMES)


class Reference(msgspec.Struct, kw_only=True, gc=False):
    """A link before its target is resolved. `in_text` tells whether the parts hold marks for it."""

    href: str
    anchor: str = ""
    heading: str = ""
    path: str = ""
    rel: str = ""
    in_nav: bool = False
    in_text: bool = False


class Walk:
    """What a walk finds. Made by `walk`; one for each page."""

    def __init__(self) -> None:
        self.parts: list[str] = [BLOCK, CONTENT, " "]
        self.references: list[Reference] = []
        self.headings: list[str] = []
        self.title = ""
        self.base = ""
        self.declared_language = ""
        self.meta: dict[str, str] = {}
        self.canonical = ""
        self.feed = ""
        self.alternates: list[tuple[str, str]] = []
        """Language and target of each copy in another language, as written."""
        self.licences: list[tuple[str, str]] = []
        """Target and type of each link to a licence, as written."""
        self._kind_at = 1
        """Where among the parts the kind of the block that was begun last stands."""
        self._open = False
        """That block has words already."""
        self._heading = ""
        self._nodes: Iterator[LexborNode] = iter(())
        self._watching = False
        """One of the three spans below is open; each holds the identity of the first node behind it, 0 if none."""
        self._skip_until = 0
        self._nav_until = 0
        self._anchor_until = 0
        self._anchor: tuple[Reference, int, list[str], bool] | None = None
        self._paths: dict[int, str] = {}

    def over(self, root: LexborNode, acts: Mapping[int, Act] | None = None) -> Walk:
        """Walk from the root to the end. `acts` are for walks that look at less."""
        acts = ACTS if acts is None else acts
        parts, blocks = self.parts, BLOCK_IDS
        self._nodes = root.traverse(include_text=True)
        for node in self._nodes:
            if self._watching and self._passes_by(node):
                continue
            tag = node.tag_id
            if tag != _TEXT and (act := acts.get(tag)) is not None:
                act(self, node)
                continue
            if self._open and (before := node.prev) is not None and before.tag_id in blocks:
                self._begin(CONTENT)
            if tag == _TEXT:
                if self._open or not node.is_empty_text_node:
                    parts.append(node.text_content or "")
                    self._open = True
                elif self._anchor:
                    parts.append(" ")
            elif tag == _BR:
                parts.append(" ")
        if self._anchor:
            self._end_anchor()
        return self

    def _begin(self, kind: str) -> None:
        """Begin a block; one that is still empty changes its kind instead."""
        if self._nav_until:
            kind = NAVIGATION
        if self._open:
            self._kind_at = len(self.parts) + 1
            self.parts += (BLOCK, kind, " ")
            self._open = False
        else:
            self.parts[self._kind_at] = kind

    # -- spans: parts of the tree that end at a known node

    def _passes_by(self, node: LexborNode) -> bool:
        here = node.mem_id
        if self._skip_until:
            if here != self._skip_until:
                return True
            self._skip_until = 0
        if here == self._anchor_until:
            self._end_anchor()
        if here == self._nav_until:
            self._nav_until = 0
            self._begin(CONTENT)
        self._watching = bool(self._nav_until or self._anchor_until)
        return False

    def _skip(self, node: LexborNode) -> None:
        if node.first_child is not None:
            self._skip_until, self._watching = behind(node), True

    def _enter_navigation(self, node: LexborNode) -> None:
        self._nav_until, self._watching = behind(node), True
        self._begin(NAVIGATION)

    # -- blocks

    def _block(self, node: LexborNode) -> None:
        self._begin(CONTENT)

    def _container(self, node: LexborNode) -> None:
        """A block that may be navigation by its name or its role."""
        if not self._nav_until:
            attributes = node.attributes
            if attributes and names_navigation(attributes):
                self._enter_navigation(node)
                return
        self._begin(CONTENT)

    def _landmark(self, node: LexborNode) -> None:
        """nav and aside; header and footer of the page, but not those of an article (HTML standard, 4.3.8)."""
        if self._nav_until or (node.tag in ("header", "footer") and _within_part(node)):
            self._begin(CONTENT)
        else:
            self._enter_navigation(node)

    def _page_heading(self, node: LexborNode) -> None:
        self._label(node)
        if self._heading:
            self.headings.append(self._heading)

    def _label(self, node: LexborNode) -> None:
        """Headings, and what stands above a definition or a table like one."""
        self._begin(HEADING)
        words = _shown_text(node) if node.css_matches("script, style, textarea") else node.text()
        self._heading = " ".join(words[:_LONG_LABEL].split())[:MAX_ANCHOR]

    # -- links

    def _hyperlink(self, node: LexborNode) -> None:
        if self._open and (before := node.prev) is not None and before.tag_id in BLOCK_IDS:
            self._begin(CONTENT)
        attributes = node.attributes
        href = attributes.get("href")
        if href is None:
            return
        if self._anchor:
            self._end_anchor()
        child = node.first_child
        simple = child is not None and child.tag_id == _TEXT and child.next is None
        holds_blocks = not simple and begins_with_block(child)
        if holds_blocks:
            self._begin(CONTENT)
        reference = self._refer(node, attributes, href, in_text=True)
        self.parts.append(LINK_START)
        if simple:
            words = node.text()
            self.parts += (words, LINK_END)
            self._open = True
            reference.anchor = anchor_text(words, attributes.get("title"))
            next(self._nodes, None)
            return
        extra = [attributes.get("title") or ""]
        self._anchor = (reference, len(self.parts), extra, holds_blocks)
        if child is None:
            self._end_anchor()
        else:
            self._anchor_until, self._watching = behind(node), True

    def _refer(
        self, node: LexborNode, attributes: dict[str, str | None], href: str, *, in_text: bool = False
    ) -> Reference:
        reference = Reference(
            href=href,
            heading=self._heading,
            path=self._path(node, attributes),
            rel=attributes.get("rel") or "",
            in_nav=self._nav_until != 0,
            in_text=in_text,
        )
        self.references.append(reference)
        return reference

    def _end_anchor(self) -> None:
        if self._anchor:
            reference, since, (title, *alternatives), holds_blocks = self._anchor
            inside = " ".join(word for word in "".join(self.parts[since:]).split() if word[0] != "\0")
            reference.anchor = anchor_text(" ".join([inside, *alternatives]), title)
            self.parts.append(LINK_END)
            self._open = True
            if holds_blocks:
                self._begin(CONTENT)
        self._anchor, self._anchor_until = None, 0

    def _image(self, node: LexborNode) -> None:
        if self._open and (before := node.prev) is not None and before.tag_id in BLOCK_IDS:
            self._begin(CONTENT)
        if self._anchor and (alternative := node.attributes.get("alt")):
            self._anchor[2].append(alternative)

    def _area(self, node: LexborNode) -> None:
        attributes = node.attributes
        if (href := attributes.get("href")) is not None:
            self._refer(node, attributes, href).anchor = anchor_text(
                attributes.get("alt") or "", attributes.get("title")
            )

    def _frame(self, node: LexborNode) -> None:
        attributes = node.attributes
        if source := attributes.get("src"):
            self._refer(node, attributes, source).anchor = anchor_text(attributes.get("title") or "", None)
        self._skip(node)

    def _path(self, node: LexborNode, attributes: dict[str, str | None]) -> str:
        """Tags from the root to a link. The paths of parents are remembered: neighbours share them."""
        paths = self._paths
        chain: list[LexborNode] = []
        above = node.parent
        known = ""
        while above is not None and len(chain) < MAX_PATH:
            known = paths.get(above.mem_id, "")
            if known:
                break
            chain.append(above)
            above = above.parent
        for element in reversed(chain):
            step = step_of(element.tag or "", element.attributes)
            known = f"{known} {step}" if known else step
            if len(known) > _LONG_PATH and known.count(" ") >= MAX_PATH:
                known = known.split(" ", 1)[1]
            paths[element.mem_id] = known
        return f"{known} {step_of('a' if node.tag_id == TAG_ID['a'] else node.tag or '', attributes)}"

    # -- what the page says of itself

    def _html(self, node: LexborNode) -> None:
        attributes = node.attributes
        self._paths[node.mem_id] = step_of("html", attributes)
        self.declared_language = attributes.get("lang") or attributes.get("xml:lang") or ""

    def _title(self, node: LexborNode) -> None:
        if not self.title:
            self.title = " ".join(node.text().split())
        self._skip(node)

    def _base(self, node: LexborNode) -> None:
        self.base = self.base or node.attributes.get("href") or ""

    def _meta(self, node: LexborNode) -> None:
        if (target := self.learn_meta(node.attributes)) is not None:
            self._refer(node, {"rel": "refresh"}, target)

    def _link(self, node: LexborNode) -> None:
        attributes = node.attributes
        if (href := self.learn_link(attributes)) is not None:
            self._refer(node, attributes, href).in_nav = True

    def learn_meta(self, attributes: dict[str, str | None]) -> str | None:
        """Note what a `<meta>` says; where it sends the reader, if it does."""
        name = attributes.get("name") or attributes.get("property") or attributes.get("http-equiv")
        content = attributes.get("content")
        if not name or not content:
            return None
        name = name.strip().lower()
        if name == "refresh":
            found = _REFRESH.match(content)
            return (found[1] or found[2] or found[3]).strip() if found else None
        if name in ("robots", "lycosa"):
            self.meta[name] = f"{self.meta.get(name, '')},{content.lower()}"
        else:
            self.meta.setdefault(name, content)
        return None

    def learn_link(self, attributes: dict[str, str | None]) -> str | None:
        """Note what a `<link>` says; where it leads, if that is a part of the same series."""
        href = attributes.get("href")
        relations = (attributes.get("rel") or "").lower().split()
        if not href:
            return None
        if "canonical" in relations:
            self.canonical = self.canonical or href
        if "alternate" in relations:
            if (attributes.get("type") or "").strip().lower() in FEED_TYPES:
                self.feed = self.feed or href
            elif (language := attributes.get("hreflang")) and len(self.alternates) < MAX_ALTERNATES:
                self.alternates.append((language, href))
        if "license" in relations and len(self.licences) < MAX_LICENCES:
            self.licences.append((href, attributes.get("type") or ""))
        return href if "next" in relations or "prev" in relations else None


Act = Callable[[Any, LexborNode], None]
"""What a walk does where it comes to a tag."""
_BR = TAG_ID["br"]
ACTS: Final[dict[int, Act]] = {
    **dict.fromkeys(BLOCK_IDS, Walk._block),
    **{TAG_ID[name]: Walk._landmark for name in ("nav", "aside", "header", "footer")},
    **{
        TAG_ID[name]: Walk._container
        for name in ("div", "ul", "ol", "section", "table", "td", "form", "center")
    },
    **{TAG_ID[f"h{level}"]: Walk._page_heading for level in range(1, 7)},
    **{TAG_ID[name]: Walk._label for name in ("dt", "caption")},
    **{TAG_ID[name]: Walk._skip for name in _SKIPPED},
    TAG_ID["a"]: Walk._hyperlink,
    TAG_ID["area"]: Walk._area,
    TAG_ID["img"]: Walk._image,
    TAG_ID["iframe"]: Walk._frame,
    TAG_ID["frame"]: Walk._frame,
    TAG_ID["html"]: Walk._html,
    TAG_ID["title"]: Walk._title,
    TAG_ID["base"]: Walk._base,
    TAG_ID["meta"]: Walk._meta,
    TAG_ID["link"]: Walk._link,
}
_REFRESH = re.compile(
    r"\s*+[\d.]++\s*+[;,]?\s*+url\s*+=\s*+(?:\"([^\"]+)|'([^']+)|([^\s\"']+))", re.IGNORECASE
)


def behind(node: LexborNode) -> int:
    """The identity of the first node behind a subtree in document order; -1 if it is the last."""
    at: LexborNode | None = node
    while at is not None:
        following = at.next
        if following is not None:
            return following.mem_id
        at = at.parent
    return -1


def _shown_text(node: LexborNode) -> str:
    """The text below a node without what is not shown."""
    texts = [each for each in node.traverse(include_text=True) if each.tag_id == _TEXT and each.parent]
    return "".join([each.text_content or "" for each in texts if each.parent.tag_id not in _SKIPPED_IDS])  # type: ignore[union-attr]


def begins_with_block(child: LexborNode | None) -> bool:
    while child is not None and child.is_empty_text_node:
        child = child.next
    return child is not None and child.tag_id in BLOCK_IDS


def _within_part(node: LexborNode) -> bool:
    above = node.parent
    while above is not None:
        if above.tag in PARTS_OF_PAGE:
            return True
        above = above.parent
    return False


def names_navigation(attributes: dict[str, str | None]) -> bool:
    role = attributes.get("role")
    if role and role.lower() in _NAV_ROLES:
        return True
    names = f"{attributes.get('id') or ''} {attributes.get('class') or ''}"
    return len(names) > 1 and _NAV_WORDS.search(names) is not None


def step_of(tag: str, attributes: dict[str, str | None]) -> str:
    if not attributes:
        return tag
    if identity := attributes.get("id"):
        tag = f"{tag}#{''.join(identity[:MAX_STEP].split())}"
    if classes := (attributes.get("class") or "").split(None, 1):
        tag = f"{tag}.{classes[0][:MAX_STEP]}"
    return tag


def anchor_text(words: str, title: str | None) -> str:
    text = " ".join(words.split())
    if title and title != text and (title := " ".join(title.split())) and title.lower() != text.lower():
        text = f"{text} {title}" if text else title
    return text if len(text) <= MAX_ANCHOR else text[:MAX_ANCHOR]


def walk(tree: LexborHTMLParser) -> Walk:
    """Walk over a whole page."""
    found = Walk()
    return found.over(tree.root) if tree.root is not None else found
