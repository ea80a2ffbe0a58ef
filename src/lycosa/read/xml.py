"""Feeds and other XML as documents: RSS (0.9 to 2.0), Atom (RFC 4287), RDF metadata, and any XML for its words.

Parsed by expat, which refuses entities that grow without end. XHTML and XML that is not well-formed are left to the
HTML reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from msgspec.structs import replace

from lycosa.crawl.signals import dated
from lycosa.model.records import Link, Millis
from lycosa.model.url import Url
from lycosa.read.document import Document
from lycosa.read.feeds import Item, feed_document, feed_links, plain_document, plain_words

_FEED_ROOTS = frozenset({"rss", "feed", "RDF"})
_RESOURCE = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}resource"
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_BODIES = ("encoded", "content", "description", "summary")
_DATES = ("updated", "modified", "pubDate", "date", "published")
"""Of an item, the first that there is: of Atom (1.0 and 0.3), RSS 2.0, RSS 1.0 (Dublin Core)."""


def read_xml(source: str, url: Url, charset: str) -> Document | None:
    """A feed with its items' links, or the words of other XML; None if it is XHTML or not well-formed."""
    try:
        root = ElementTree.fromstring(_DECLARATION.sub("", source).lstrip("\ufeff \t\r\n"))
    except (ElementTree.ParseError, ValueError, RecursionError):
        return None
    name = _name(root)
    if name == "html":
        return None
    if name in _FEED_ROOTS and (name != "RDF" or any(_name(each) == "item" for each in root)):
        return _feed(root, url, charset)
    lines = [" ".join(words) for text in root.itertext() if (words := text.split())]
    return plain_document(url, charset, "", lines, _metadata_links(root, url) if name == "RDF" else ())


def _metadata_links(root: Element, url: Url) -> tuple[Link, ...]:
    """What RDF metadata say where more is told of their subject: rdfs:seeAlso (RDF Schema 1.1, sec. 5.4.1)."""
    found = [(each.get(_RESOURCE, ""), "", "") for each in root.iter() if _name(each) == "seeAlso"]
    return tuple(replace(link, path="rdf seeAlso") for link in feed_links([f for f in found if f[0]], url))


def _name(element: Element) -> str:
    """The tag without its namespace; comments and instructions have none."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _feed(root: Element, url: Url, charset: str) -> Document:
    channel = next((child for child in root if _name(child) == "channel"), root)
    title = _words(_child(channel, "title"))
    lines = (title, _words(_child(channel, "description", "subtitle")))
    items = (
        Item(
            title=_words(_child(item, "title")),
            body=_words(_child(item, *_BODIES)),
            hrefs=tuple(_item_links(item)),
            changed=_changed(item),
        )
        for item in _items(root)
    )
    return feed_document(url, charset, title, lines, items)


def _changed(item: Element) -> Millis | None:
    """When an item changed last, as it says itself."""
    written = _child(item, *_DATES)
    return None if written is None else dated(written.text or "")


def _items(root: Element) -> Iterator[Element]:
    """The items in their order; what one of them holds is no item."""
    ahead = [root]
    while ahead:
        element = ahead.pop()
        if _name(element) in ("item", "entry"):
            yield element
        else:
            ahead.extend(reversed(element))


def _child(element: Element, *names: str) -> Element | None:
    """The first child with one of the names, the first name first."""
    return next((child for name in names for child in element if _name(child) == name), None)


def _item_links(item: Element) -> Iterator[str]:
    """RSS writes the address inside `<link>`, Atom in its `href`; only the item itself is of interest."""
    for child in item:
        if (
            _name(child) == "link"
            and child.get("rel", "alternate") == "alternate"
            and (href := child.get("href") or (child.text or "").strip())
        ):
            yield href


def _words(element: Element | None) -> str:
    """The words of an element; markup that is escaped within it is read as HTML."""
    return "" if element is None else plain_words("".join(element.itertext()))
