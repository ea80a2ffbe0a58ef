"""What a page states in fields: JSON-LD, microdata (both in the words of schema.org) and OpenGraph.

All of it becomes one flat mapping, so that nobody need know how it was written:

* of OpenGraph and its relatives the property as it is written: `og:title`, `article:published_time`;
* of JSON-LD and microdata the type, and the properties on the way: `NewsArticle.headline`, `NewsArticle.author.name`.

A value is a tuple of texts, in document order, each once. All is bounded; what is broken is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import unescape
from itertools import islice
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.read.main.clues import ALL, ITEM, Sought, selector

Fields = Mapping[str, tuple[str, ...]]

MAX_FIELDS: Final = 256
MAX_VALUES: Final = 32
"""Of one field."""
MAX_VALUE: Final = 2_000
"""Characters of one value; what is longer is cut. The text of an article is none of the fields."""
MAX_SCRIPT: Final = 1_000_000
"""Characters of one piece of JSON-LD; a longer one is passed over."""
MAX_LOOKS: Final = 20_000
"""Values and elements that are looked at on one page."""
MAX_NODES: Final = 200
"""Nodes of an element that are looked at for its words: elements within elements hold the same words."""
MAX_NAMES: Final = 4
"""Names of one property."""
MAX_DEPTH: Final = 8
"""Lists and objects within one another."""
_PREFIXES: Final = (
    "og:",
    "article:",
    "book:",
    "profile:",
    "product:",
    "twitter:",
    "citation_",
    "dc.",
    "dcterms.",
)
_LONG_TEXTS: Final = frozenset({"articleBody", "text", "reviewBody"})
_VALUED: Final = {"meta": "content", "time": "datetime", "data": "value", "meter": "value"}
_REFERRING: Final = {
    "a": "href",
    "link": "href",
    "area": "href",
    "img": "src",
    "audio": "src",
    "video": "src",
}


class Stated:
    """What was found in the fields of one page."""

    def __init__(self) -> None:
        self.kept: dict[str, list[str]] = {}
        self.meta: dict[str, str] = {}
        """By its name in lower case, what each `<meta>` says; the first of a name."""
        self.types: list[str] = []
        """Types of JSON-LD and microdata, in document order."""
        self.bodies: list[str] = []
        """Texts of articles that the page gives as a field."""
        self._looks = 0

    def first(self, *names: str) -> str:
        """The first value of the first of these fields that there is."""
        return next((values[0] for values in self.each(names)), "")

    def each(self, names: Iterable[str]) -> Iterator[Sequence[str]]:
        """The values of those of these fields that there are. A `<meta>` may be kept as none."""
        kept, meta = self.kept, self.meta
        for name in names:
            if values := kept.get(name):
                yield values
            elif name in meta:
                yield (meta[name],)

    def add(self, name: str, value: str) -> None:
        """Keep a value, as far as there is room."""
        value = _tidy(value)
        values = self.kept.get(name)
        if values is None:
            if len(self.kept) >= MAX_FIELDS or not value:
                return
            values = self.kept[name] = []
        if value and len(values) < MAX_VALUES and value not in values:
            values.append(value)

    def may_look(self) -> bool:
        """Whether one value more may be looked at. Counts it."""
        self._looks += 1
        return self._looks <= MAX_LOOKS

    @property
    def fields(self) -> dict[str, tuple[str, ...]]:
        return {name: tuple(values) for name, values in self.kept.items()}


_STATING: Final[Sought] = (
    ("meta", "meta[content]"),
    ("script", 'script[type="application/ld+json"]'),
    (ITEM, "[itemscope]"),
)


def stated(tree: LexborHTMLParser, there: int = ALL) -> Stated:
    """All that a page states of itself in fields; `there` are the clues of the tree."""
    found = Stated()
    sought = selector(_STATING, there)
    for node in tree.css(sought) if sought else ():
        if node.tag == "meta":
            _meta(node.attributes, found)
        elif node.tag == "script":
            _linked_data(node.text(), found)
        elif "itemprop" not in node.attributes:  # else it is told with the item that it belongs to
            _microdata(node, found)
    return found


def _tidy(value: str) -> str:
    """In one line, cut, and without character references: many sites write them into JSON as well."""
    value = value[: 2 * MAX_VALUE]
    return " ".join((unescape(value) if "&" in value else value).split())[:MAX_VALUE]


def _meta(attributes: Mapping[str, str | None], found: Stated) -> None:
    name = attributes.get("property") or attributes.get("name") or attributes.get("http-equiv") or ""
    name, content = name[:100].strip().lower(), attributes.get("content") or ""
    if name.startswith(_PREFIXES):
        found.add(name, content)
    elif name and len(found.meta) < MAX_FIELDS:
        found.meta.setdefault(name, _tidy(content))


def _linked_data(source: str, found: Stated) -> None:
    if len(source) > MAX_SCRIPT:
        return
    try:
        value = json.loads(source.strip().removesuffix(";"), strict=False)
    except (ValueError, RecursionError):
        return
    _keep("", value, found, 0)


def _keep(path: str, value: Any, found: Stated, depth: int) -> None:
    """Keep a value of JSON under its path: of an object its properties, of a list its members."""
    if depth > MAX_DEPTH or not found.may_look():
        return
    if isinstance(value, dict):
        _properties(path, value, found, depth)
    elif isinstance(value, list):
        for each in value:
            _keep(path, each, found, depth + 1)
    elif isinstance(value, str | int | float) and path:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if path.rpartition(".")[2] in _LONG_TEXTS:
            found.bodies.append(text)
        else:
            found.add(path, text)


def _properties(path: str, value: Mapping[str, Any], found: Stated, depth: int) -> None:
    if not path and (path := _type(value)):
        found.types.append(path)
    if "@graph" in value:
        _keep("", value["@graph"], found, depth + 1)
    for name, inner in value.items():
        if path and not name.startswith("@") and len(name) < 100:
            _keep(f"{path}.{name}", inner, found, depth + 1)


def _type(value: Mapping[Any, Any]) -> str:
    """The type of an object, the first if it has several, without its vocabulary."""
    kind = value.get("@type")
    first = kind[0] if isinstance(kind, list) and kind else kind
    return _local(first) if isinstance(first, str) else ""


def _local(name: str) -> str:
    return name.strip().rstrip("/").rpartition("/")[2].rpartition("#")[2].rpartition(":")[2][:100]


def _microdata(item: LexborNode, found: Stated) -> None:
    """The properties of an item (HTML standard, 5.2); those of items within come with the name of their property."""
    if kind := _local((item.attributes.get("itemtype") or "").partition(" ")[0]):
        found.types.append(kind)
        _item(kind, item, found, 0)


def _item(path: str, item: LexborNode, found: Stated, depth: int) -> None:
    if depth > MAX_DEPTH:
        return
    for node, attributes in _properties_of(item, found):
        names = (attributes.get("itemprop") or "").split()[:MAX_NAMES]
        if "itemscope" in attributes and names:
            _item(f"{path}.{names[0][:100]}", node, found, depth + 1)
            continue
        for name in names:
            if name not in _LONG_TEXTS:
                found.add(f"{path}.{name[:100]}", _value(node, attributes))


def _properties_of(item: LexborNode, found: Stated) -> Iterator[tuple[LexborNode, dict[str, str | None]]]:
    """Elements with a name within an item, those of items within left out."""
    ahead = [item.first_child]
    while ahead:
        node = ahead.pop()
        if node is None:
            continue
        ahead.append(node.next)
        if not node.is_element_node:
            continue
        if not found.may_look():
            return
        attributes = node.attributes
        if "itemprop" in attributes:
            yield node, attributes
        if "itemscope" not in attributes:
            ahead.append(node.first_child)


def _value(node: LexborNode, attributes: Mapping[str, str | None]) -> str:
    tag = node.tag or ""
    for table in (_VALUED, _REFERRING):
        if (name := table.get(tag)) and attributes.get(name):
            return attributes[name] or ""
    return attributes.get("content") or words_of(node, MAX_VALUE)


def words_of(node: LexborNode, most: int, between: str = "") -> str:
    """The words of an element in one line, at most so many characters of them."""
    texts: list[str] = []
    for each in islice(node.traverse(include_text=True), MAX_NODES):
        if each.is_text_node and each.text_content:
            texts.append(each.text_content[:most])
            if (most := most - len(texts[-1])) <= 0:
                break
    return " ".join(between.join(texts).split())
