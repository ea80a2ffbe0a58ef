"""Archived HTML made inert: what is read and seen of a page remains, and nothing of it acts or fetches.

The page is not mended but written anew, from a tree, with the elements and attributes that are known to be harmless.
Whatever is not on these lists is not written. That is the first of two walls: the policy under which it is sent is the
other (see `lycosa.console.inert_origin`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Final
from urllib.parse import urljoin

from selectolax.lexbor import LexborNode

from lycosa.console.inert_style import harmless_declarations, harmless_sheet
from lycosa.read.markup import parse
from lycosa.report.wording import cut

LONGEST: Final = 2_000_000
"""Characters of a page that are shown."""
MOST_PICTURES: Final = 200
"""Pictures of a page that are looked for."""
LONGEST_VALUE: Final = 2_000
"""Characters of an attribute."""

BEGINNING: Final = "<!doctype html><style>.lycosa-link{text-decoration:underline dotted}</style>"
"""Of every page: what was a link looks like one."""

ShowPicture = Callable[[str], str]
"""Given the absolute URL of a picture, where it can be had; empty if nowhere."""


def _names(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_KEPT: Final = _names(
    """html body abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col colgroup
    dd del details dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i ins kbd li
    main mark menu nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td
    tfoot th thead time tr tt u ul var wbr"""
)
_DROPPED: Final = _names(
    """applet area audio base basefont bgsound canvas datalist dialog embed frame frameset iframe input keygen link
    map math meta noembed noframes noscript object optgroup option param plaintext portal progress meter script select
    slot source svg template textarea title track video xmp"""
)
"""With all that is within. What is on neither list is left out itself, and its content stays."""
_VOID: Final = _names("br col hr img wbr")
_ATTRIBUTES: Final = _names(
    """abbr align alt bgcolor border cellpadding cellspacing class clear color colspan compact datetime dir face height
    hspace id lang noshade nowrap open reversed rowspan rules scope size span start summary title type valign value
    vspace width"""
)
_INLINE_PICTURE: Final = re.compile(
    r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]{1,2000000}", re.I
)


def inert(source: str, url: str, picture: ShowPicture) -> str:
    """A page that was found at a URL, as HTML that does nothing, in time linear in its length.

    Links lead nowhere, but to places within the page; what they led to stands in their titles.

    Invariants, each the name of a property test:

    * nothing else is read: whatever the source, a parser finds in what is written no elements and attributes but those
      of the lists, and no address but places within the page and what `picture` gave.
    """
    tree = parse(source[:LONGEST])
    root = tree.root
    if root is None:
        return BEGINNING
    base = next((node.attributes.get("href") or "" for node in tree.css("base[href]")), "")
    writer = _Writer(_joined(url, base) or url, picture)
    return "".join((BEGINNING, *writer.written(root)))


class _Writer:
    def __init__(self, base: str, picture: ShowPicture) -> None:
        self._base, self._picture = base, picture
        self._pictures = 0

    def written(self, root: LexborNode) -> Iterator[str]:
        """The parts of the page. Without recursion: a page nests as deep as it likes."""
        todo: list[LexborNode | str] = [root]
        while todo:
            each = todo.pop()
            if isinstance(each, str):
                yield each
                continue
            begin, end, goes_in = self._element(each)
            yield begin
            if end:
                todo.append(end)
            if goes_in:
                todo += reversed(list(each.iter(include_text=True)))

    def _element(self, node: LexborNode) -> tuple[str, str, bool]:
        """How it begins and ends, and whether what is within it is to be written."""
        tag = node.tag or ""
        if tag == "-text":
            return escape(node.text_content or "", quote=False), "", False
        if tag == "style":
            return _style(node), "", False
        if tag in _DROPPED or not tag[:1].isalpha():
            return "", "", False
        if tag == "a":
            return _tag("a", {**_harmless(node), **self._target(node)}), "</a>", True
        if tag == "img":
            return self._img(node), "", False
        if tag not in _KEPT:
            return "", "", True
        if tag in _VOID:
            return _tag(tag, _harmless(node)), "", False
        return _tag(tag, _harmless(node)), f"</{tag}>", True

    def _target(self, node: LexborNode) -> dict[str, str]:
        """A place within the page is a link still; of any other its target is told."""
        href = (node.attributes.get("href") or "").strip()
        name = {"id": node.attributes["name"] or ""} if "name" in node.attributes else {}
        if not href:
            return name
        if href.startswith("#"):
            return {**name, "href": cut(href, LONGEST_VALUE)}
        return {
            **name,
            "class": "lycosa-link",
            "title": cut(_joined(self._base, href) or href, LONGEST_VALUE),
        }

    def _img(self, node: LexborNode) -> str:
        source = (node.attributes.get("src") or "").strip()
        shown = _harmless(node)
        if _INLINE_PICTURE.fullmatch(source):
            return _tag("img", {**shown, "src": source})
        if self._pictures < MOST_PICTURES and (target := _joined(self._base, source)):
            self._pictures += 1
            if found := self._picture(target):
                return _tag("img", {**shown, "src": found})
        return _tag("img", shown)


def _harmless(node: LexborNode) -> dict[str, str]:
    found = {
        name: cut(value or "", LONGEST_VALUE)
        for name, value in node.attributes.items()
        if name in _ATTRIBUTES
    }
    if style := harmless_declarations(cut(node.attributes.get("style") or "", LONGEST_VALUE)):
        found["style"] = style
    return found


def _tag(name: str, attributes: dict[str, str]) -> str:
    written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>"


def _style(node: LexborNode) -> str:
    sheet = harmless_sheet(node.text())
    return f"<style>{sheet}</style>" if sheet else ""


def _joined(base: str, written: str) -> str:
    """An address of the web; empty for any other, and for what is none."""
    try:
        found = urljoin(base, written)
    except ValueError:
        return ""
    return found if found.lower().startswith(("http://", "https://")) else ""
