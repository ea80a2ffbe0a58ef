"""The same walk without a tree, for pages whose markup says itself what their tree is.

Where every element is closed by its own end tag, and stands where the HTML standard lets it stand, parsing adds and
moves nothing: the tags are the tree. Such a page is cut at its brackets into texts and tags by turns. What a tag means
is remembered by its text, as a page has many tags but few different ones; so nearly all is done on whole lists, and
the one loop only keeps the stack of open elements. In the end each tag is replaced by its mark, and all is joined.

At the first sign that a parser would build anything else (an end tag that does not fit, a block within a paragraph,
text between the rows of a table, `<svg>`, a bracket within a value, ...) the page is left to lexbor. So this module may
be strict, and must be: it need not understand every page, but what it says of a page is what `walk` says.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from html.entities import html5
from typing import Final, NamedTuple

from lycosa.read.walk import (
    BLOCK,
    CONTENT,
    HEADING,
    LINK_END,
    LINK_START,
    MAX_ANCHOR,
    MAX_PATH,
    NAVIGATION,
    PARTS_OF_PAGE,
    Reference,
    Walk,
    anchor_text,
    names_navigation,
    step_of,
)

REMEMBERED: Final = 20_000
"""Tags whose meaning is kept: some 6 MB. Full, the memory is emptied."""
LONGEST: Final = 200
"""Characters of a tag that is kept."""

_NOWHERE: Final = f"{BLOCK}? "
"""Begins a block where there may be no text."""
_CONTENT, _HEADING, _NAVIGATION = (f"{BLOCK}{kind} " for kind in (CONTENT, HEADING, NAVIGATION))
_STRAY = re.compile(r"\0\0\?\s*+(?!\0\0|\Z)")


def _words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


_PHRASING = _words(
    """abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike
    strong sub sup time tt u var"""
)
_HEADINGS = _words("h1 h2 h3 h4 h5 h6")
_LABELS = _HEADINGS | _words("dt caption")
_LANDMARKS = _words("nav aside header footer")
_CONTAINERS = _words("div ul ol section table td form center")
_FLOW = _words(
    """address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure
    footer form header hgroup legend li main menu nav ol pre search section summary td th ul"""
)
"""Blocks that may hold blocks, text and links."""
_ROWS = _words("table thead tbody tfoot tr")
_TEXT_BLOCKS = _HEADINGS | {"p"}
"""Blocks that hold no blocks; a parser would end some of them there."""
_BLOCKS = (_FLOW | _ROWS | _TEXT_BLOCKS) - {"body"}
_ANYWHERE = _FLOW | _TEXT_BLOCKS | _PHRASING | {"a"}
_VOIDS: Final = {"br": " ", "wbr": "", "input": "", "embed": "", "col": "", "hr": _CONTENT}
_PARENTS: Final = {
    **dict.fromkeys(_PHRASING | {"a", "br", "img", "input", "wbr", "embed"}, _ANYWHERE),
    **dict.fromkeys(_BLOCKS | {"hr"}, _FLOW),
    **dict.fromkeys((_ROWS - {"table"}) | {"caption", "colgroup"}, frozenset({"table"})),
    **dict.fromkeys(("td", "th"), frozenset({"tr"})),
    **dict.fromkeys(("dt", "dd"), frozenset({"dl"})),
    **dict.fromkeys(("meta", "link", "base"), frozenset({"head"})),
    **dict.fromkeys(("head", "body"), frozenset({"html"})),
    "html": frozenset({""}),
    "title": frozenset({"head"}),
    "tr": frozenset({"table", "thead", "tbody", "tfoot"}),
    "li": frozenset({"ul", "ol", "menu", "dir"}),
    "col": frozenset({"table", "colgroup"}),
}
"""Where an element may stand so that a parser leaves it there."""
_WATCHED: Final = "!"
"""Behind the name of an open element, at whose end there is something to do."""
_PARENTS.update({name: above | {f"{each}{_WATCHED}" for each in above} for name, above in _PARENTS.items()})
_NOT_WITHIN_ITSELF = _words("a form nobr")
_SPECIAL = _LABELS | _LANDMARKS | _NOT_WITHIN_ITSELF | {"tr", "html", "head", "body"}
_HOLDS_ROWS = _ROWS | {"html", "head", "colgroup"}
_WITHIN_ROWS = _words("td th tr thead tbody tfoot caption colgroup head body html")
_OPEN, _CLOSE, _VOID, _CLOSE_LINK, _RARE = range(5)

_BLANKS = "[ \t\n\r\f]"
_TAG = re.compile(
    rf"/?[A-Za-z][A-Za-z0-9]*+(?:{_BLANKS}++[^ \t\n\r\f\"'<>/=]++"
    rf"(?:{_BLANKS}*+={_BLANKS}*+(?:\"[^\"]*+\"|'[^']*+'|[^ \t\n\r\f\"'=<>`][^ \t\n\r\f\"'<>`]*+))?+)*+{_BLANKS}*+/?"
)
_ATTRIBUTE = re.compile(
    rf"{_BLANKS}++([^ \t\n\r\f\"'<>/=]++)"
    rf"(?:{_BLANKS}*+={_BLANKS}*+(?:\"([^\"]*+)\"|'([^']*+)'|([^ \t\n\r\f\"'=<>`][^ \t\n\r\f\"'<>`]*+)))?+"
)
_QUOTED = re.compile(rf"[aA]?{_BLANKS}+([^ \t\n\r\f\"'<>/=]+)=")
_REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|[A-Za-z][A-Za-z0-9]*+(?:;|(?!=)))")


_MUTE = re.compile(
    r"<!--(?!-?>).*?-->|<(script|style|textarea)(?=[\s>])[^>]*>.*?</\1\s*>", re.IGNORECASE | re.DOTALL
)
_MUTE_STARTS = ("<!--", "<script", "<style", "<textarea")
_NO_BRACKETS = bytes(b for b in range(256) if b not in b"<>")


class _Irregular(Exception):
    """A parser would make something else of this page."""


class _Meaning(NamedTuple):
    """What a tag does."""

    act: int
    name: str
    way: str
    """Its part of a path."""
    parents: frozenset[str]
    mark: str
    """What stands for it among the parts of the page."""


_NO_TAG = _Meaning(_RARE, "", "", frozenset(), "")
_LINK = _Meaning(_RARE, "a", "a", _PARENTS["a"], LINK_START)
_ANCHOR = _LINK._replace(mark="")


class _Tags(dict[str, _Meaning]):
    """Tags, by their text between the brackets, with their meaning."""

    def __missing__(self, tag: str) -> _Meaning:
        meaning = _meaning(tag)
        if len(self) >= REMEMBERED:
            self.clear()
        if len(tag) <= LONGEST:
            self[tag] = meaning
        return meaning


def _meaning(tag: str) -> _Meaning:
    if not _TAG.fullmatch(tag):
        return _NO_TAG
    name = re.split(r"[ \t\n\r\f/]", tag.removeprefix("/"), maxsplit=1)[0].lower()
    parents = _PARENTS.get(name)
    if parents is None:
        return _NO_TAG
    if tag[0] == "/":
        act = _CLOSE_LINK if name == "a" else _CLOSE
        mark = (
            _NOWHERE
            if name in _WITHIN_ROWS
            else _CONTENT
            if name in _BLOCKS
            else LINK_END
            if name == "a"
            else ""
        )
        return _Meaning(act, name, "", parents, mark)
    if name in _VOIDS:
        return _Meaning(_VOID, name, "", parents, _VOIDS[name])
    attributes = _attributes(tag)
    mark = _NOWHERE if name in _HOLDS_ROWS else _HEADING if name in _LABELS else ""
    mark = mark or (_CONTENT if name in _BLOCKS or name == "body" else "")
    is_rare = name in _SPECIAL or not (name in _BLOCKS or name in _PHRASING or name == "colgroup")
    if name in _CONTAINERS and attributes and names_navigation(attributes):
        is_rare, name = True, f"{name}{_WATCHED}"
    way = step_of(name.removesuffix(_WATCHED), attributes)
    return _Meaning(_RARE if is_rare else _OPEN, name, way, parents, mark)


def _attributes(tag: str) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(tag):
        found.setdefault(name.lower(), plain_value(double or single or bare))
    return found


def plain_value(written: str) -> str:
    """The value of an attribute. `&copy=` and the like are no references there (HTML standard, 13.2.5.73)."""
    return _REFERENCE.sub(_character, written) if "&" in written else written


def _character(reference: re.Match[str]) -> str:
    written = reference[0]
    if written[1] != "#" and written[1:] not in html5:
        return written
    return unescape(written)


class _Shape(NamedTuple):
    """Where in the tag of a link, cut at its double quotes, the attributes stand; -1 for none."""

    href: int
    title: int
    rel: int
    identity: int
    classes: int


class _Shapes(dict[tuple[str, ...], _Shape | None]):
    """The shapes of links by what stands outside the quotes. None for a tag that must be looked at more closely."""

    def __missing__(self, outside: tuple[str, ...]) -> _Shape | None:
        places: dict[str, int] = {}
        *names, end = outside
        for place, written in enumerate(names):
            found = _QUOTED.fullmatch(written)
            if not found or (place == 0) != (written[0] in "aA"):
                break
            places.setdefault(found[1].lower(), 2 * place + 1)
        shape = None
        if names and not end and len(places) == len(names):
            shape = _Shape(*(places.get(name, -1) for name in ("href", "title", "rel", "id", "class")))
        if len(self) >= REMEMBERED:
            self.clear()
        self[outside] = shape
        return shape


_tags, _shapes = _Tags(), _Shapes()
_LINKS = frozenset({f"{name}{blank}" for name in "aA" for blank in " \t\n\r\f"})


@lru_cache(maxsize=4096)
def _link_step(identity: str, classes: str) -> str:
    return step_of("a", {"id": identity, "class": classes})


def walk_balanced(source: str) -> Walk | None:
    """Walk over the markup of a whole page, which holds no NUL; None if it takes a parser."""
    try:
        return _Reading(_muted(source)).walk
    except _Irregular:
        return None


def _muted(source: str) -> str:
    """The markup without comments, and without elements that hold no markup and are not shown."""
    return _MUTE.sub(_muted_part, source) if any(start in source for start in _MUTE_STARTS) else source


def _muted_part(found: re.Match[str]) -> str:
    part = found[0]
    if found.string[found.start() - 1] in "\"'=" or "--!>" in part or part.count("<script") > 1:
        raise _Irregular
    return ""


class _Reading:
    """A page cut into texts and tags: text 0, tag 0, text 1, tag 1, ... and a last text."""

    def __init__(self, source: str) -> None:
        pieces = source.replace("<", ">").split(">")
        self._tags = pieces[1::2]
        if source.encode("utf-8", "replace").translate(None, _NO_BRACKETS) != b"<>" * len(self._tags):
            raise _Irregular
        self._texts = pieces[::2]
        if "&" in source:
            self._texts = [unescape(text) if "&" in text else text for text in self._texts]
        self.walk = Walk()
        self._names: list[str] = [""]
        """Of the open elements, outermost first."""
        self._steps: list[str] = []
        """Of their paths."""
        self._seen: set[str] = set()
        """Which of html, head and body have begun."""
        self._navigation: tuple[int, int, int] | None = None
        """How many elements are open around the navigation at hand, its tag, and the first link in it."""
        self._label: tuple[int, int] | None = None
        """The tag of the heading that is being read, and the first link in it."""
        self._heading = ""
        self._anchor: tuple[Reference, int, str, list[str]] | None = None
        self._meanings: list[_Meaning | None] = list(map(_tags.get, self._tags))
        self._read()
        self._join(pieces)

    def _read(self) -> None:
        names, steps, meanings = self._names, self._steps, self._meanings
        for place, meaning in enumerate(meanings):
            if meaning is None:
                tag = self._tags[place]
                if tag[:2] in _LINKS:
                    meanings[place] = self._begin_link(tag, place)
                    continue
                meanings[place] = meaning = _tags[tag]
            act, name, way, parents, _ = meaning
            if act == _OPEN:
                if names[-1] not in parents:
                    raise _Irregular
                names.append(name)
                steps.append(way)
            elif act == _CLOSE:
                if (opened := names.pop()) != name:
                    self._end_watched(opened, name, place)
                steps.pop()
            elif act == _CLOSE_LINK:
                self._end_link(place)
            elif act == _RARE:
                self._rare(meaning, place)
            elif names[-1] not in parents:
                raise _Irregular
        if len(names) > 1:
            raise _Irregular

    def _join(self, pieces: list[str]) -> None:
        """Put the marks in the place of the tags."""
        pieces[::2] = self._texts
        pieces[1::2] = [meaning.mark for meaning in self._meanings if meaning is not None]
        text = f"{_NOWHERE}{''.join(pieces)}"
        if _STRAY.search(text):
            raise _Irregular
        self.walk.parts = [text]

    # -- elements

    def _rare(self, meaning: _Meaning, place: int) -> None:
        """Do what a tag asks that is not among the common ones."""
        name = meaning.name
        if name == "":
            self._declaration(place)
        elif self._names[-1] not in meaning.parents:
            raise _Irregular
        elif name == "img":
            self._image(place)
        elif name in ("meta", "link", "base", "title"):
            self._head(name, place)
        elif name == "a":
            self._meanings[place] = self._begin_link(self._tags[place], place)
        else:
            self._special(name, meaning.way, place)

    def _special(self, name: str, way: str, place: int) -> None:
        """The outline of the page, navigation, headings, and elements that do not stand within themselves."""
        names = self._names
        plain = name.removesuffix(_WATCHED)
        if plain in _NOT_WITHIN_ITSELF and plain in self._open():
            raise _Irregular
        if name in ("html", "head", "body"):
            self._outline(name, place)
        elif name == "tr" and names[-1].startswith("table"):
            way = f"tbody {way}"
        elif name in _LABELS:
            if self._label:
                raise _Irregular
            self._label = place, len(self.walk.references)
            name = f"{name}{_WATCHED}"
        elif name in _LANDMARKS and (name in ("nav", "aside") or PARTS_OF_PAGE.isdisjoint(self._open())):
            name = f"{name}{_WATCHED}"
        if name.endswith(_WATCHED) and plain not in _LABELS and not self._navigation:
            self._navigation = len(names), place, len(self.walk.references)
        names.append(name)
        self._steps.append(way)

    def _open(self) -> list[str]:
        return [name.removesuffix(_WATCHED) for name in self._names]

    def _end_watched(self, opened: str, name: str, place: int) -> None:
        if opened != f"{name}{_WATCHED}":
            raise _Irregular
        if name in _LABELS:
            self._end_label(name, place)
        if self._navigation and self._navigation[0] == len(self._names):
            _, first, link = self._navigation
            for at in range(first, place):
                meaning = self._meanings[at]
                if meaning and meaning.mark in (_CONTENT, _HEADING):
                    self._meanings[at] = meaning._replace(mark=_NAVIGATION)
            for reference in self.walk.references[link:]:
                reference.in_nav = True
            self._navigation = None

    def _end_label(self, name: str, place: int) -> None:
        assert self._label is not None
        first, link = self._label
        self._label = None
        marks = {meaning.mark for meaning in self._meanings[first + 1 : place] if meaning}
        self._heading = " ".join("".join(self._texts[first + 1 : place + 1]).split())[:MAX_ANCHOR]
        if not self._heading or not marks <= {"", LINK_START, LINK_END}:
            raise _Irregular
        if name in _HEADINGS:
            self.walk.headings.append(self._heading)
        for reference in self.walk.references[link:]:
            reference.heading = self._heading

    # -- links

    def _begin_link(self, tag: str, place: int) -> _Meaning:
        parts = tag.split('"')
        shape = _shapes[tuple(parts[::2])]
        if shape is None:
            if not _TAG.fullmatch(tag):
                raise _Irregular
            attributes = _attributes(tag)
            parts = [attributes.get(name) or "" for name in ("href", "title", "rel", "id", "class")]
            shape = _Shape(0 if "href" in attributes else -1, 1, 2, 3, 4)
        elif "&" in tag:
            parts = [plain_value(part) for part in parts]
        if self._names[-1] not in _LINK.parents or "a" in self._names or len(self._names) > MAX_PATH:
            raise _Irregular
        self._names.append("a")
        self._steps.append(_link_step(parts[shape.identity], parts[shape.classes]))
        if shape.href < 0:
            return _ANCHOR
        reference = self._refer(parts[shape.href], parts[shape.rel])
        reference.in_text = True
        self._anchor = reference, place, parts[shape.title], []
        return _LINK

    def _refer(self, href: str, rel: str) -> Reference:
        reference = Reference(href=href, heading=self._heading, path=" ".join(self._steps), rel=rel)
        self.walk.references.append(reference)
        return reference

    def _end_link(self, place: int) -> None:
        if self._names.pop() != "a":
            raise _Irregular
        self._steps.pop()
        if self._anchor is None:
            self._meanings[place] = _ANCHOR
            return
        reference, first, title, alternatives = self._anchor
        self._anchor = None
        if place == first + 1:
            reference.anchor = anchor_text(self._texts[place], title)
            return
        texts, meanings = self._texts, self._meanings
        inside = [texts[first + 1]]
        for at in range(first + 1, place):
            meaning = meanings[at]
            inside += (meaning.mark if meaning else "", texts[at + 1])
        reference.anchor = anchor_text(" ".join(["".join(inside), *alternatives]), title)

    def _image(self, place: int) -> None:
        if self._anchor and (alternative := _attributes(self._tags[place]).get("alt")):
            self._anchor[3].append(alternative)

    # -- what is no part of the body

    def _outline(self, name: str, place: int) -> None:
        if name in self._seen or (name == "head" and "body" in self._seen):
            raise _Irregular
        self._seen.add(name)
        if name == "html":
            attributes = _attributes(self._tags[place])
            self.walk.declared_language = attributes.get("lang") or attributes.get("xml:lang") or ""

    def _head(self, name: str, place: int) -> None:
        if name == "title":
            self._title(place)
            return
        attributes = _attributes(self._tags[place])
        self._steps.append(step_of(name, attributes))
        if name == "base":
            self.walk.base = self.walk.base or attributes.get("href") or ""
        elif name == "link":
            if (href := self.walk.learn_link(attributes)) is not None:
                self._refer(href, attributes.get("rel") or "").in_nav = True
        elif (href := self.walk.learn_meta(attributes)) is not None:
            self._steps[-1] = "meta"
            self._refer(href, "refresh")
        self._steps.pop()

    def _title(self, place: int) -> None:
        if self._tags[place + 1 : place + 2] not in (["/title"], ["/TITLE"]):
            raise _Irregular
        self.walk.title = self.walk.title or " ".join(self._texts[place + 1].split())
        self._texts[place + 1] = ""
        self._names.append("title")
        self._steps.append("title")

    def _declaration(self, place: int) -> None:
        """In front of the page, a document type or an XML declaration."""
        if self._names != [""] or self._tags[place][:1] not in ("!", "?"):
            raise _Irregular
