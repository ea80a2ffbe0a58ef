"""What a page or a style sheet needs to look as it does: styles, images, fonts, scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from lycosa.model.errors import LycosaError
from lycosa.model.rendering import Kind
from lycosa.model.url import Url, canonical
from lycosa.read.charset import decode
from lycosa.read.markup import parse
from lycosa.read.resolve import LinkResolver

MOST_STYLE: Final = 2 << 20
"""Characters of a style sheet that are looked through."""
_LONGEST: Final = 2_000
"""Characters of a reference."""
_SHOWN: Final[dict[str, tuple[Kind, tuple[str, ...]]]] = {
    "img": ("image", ("src", "srcset")),
    "source": ("image", ("src", "srcset")),
    "video": ("image", ("poster",)),
    "input": ("image", ("src",)),
    "image": ("image", ("href", "xlink:href")),
    "body": ("image", ("background",)),
    "script": ("script", ("src",)),
}
_LINKED: Final[dict[str, Kind]] = {
    "stylesheet": "style",
    "icon": "image",
    "apple-touch-icon": "image",
    "modulepreload": "script",
}
_CANDIDATE = re.compile(r"[^\s,]\S{0,1999}[^\s,]|[^\s,]")
_DESCRIPTOR = re.compile(r"[\d.]+[wxh]")
_IN_STYLE = re.compile(
    r"""(?P<import>@import\s{1,20})?(?:url\(\s{0,20}(?:"(?P<d>[^"\n]{1,2000})"|'(?P<s>[^'\n]{1,2000})'|(?P<b>[^"'()\s]{1,2000}))\s{0,20}\)"""
    r"""|(?<=@import)\s{1,20}(?:"(?P<id>[^"\n]{1,2000})"|'(?P<is>[^'\n]{1,2000})'))""",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_FONTS = (".woff2", ".woff", ".ttf", ".otf", ".eot")


def of_page(body: bytes, url: Url, content_type: str = "text/html") -> Iterator[tuple[Url, Kind]]:
    """What an HTML page needs, in document order; the same may come several times. Never raises for what a body
    holds. `content_type` is the header's value."""
    source, _ = decode(body, content_type)
    tree = parse(source)
    base = _base(tree, url)
    for node in tree.css(f"link[href],style,[style],{','.join(_SHOWN)}"):
        for reference, kind in _of_node(node):
            if (target := _resolved(reference, base)) is not None:
                yield target, kind
        written = node.text() if node.tag == "style" else node.attributes.get("style") or ""
        yield from of_style(written or "", base)


def of_style(text: str, base: Url) -> Iterator[tuple[Url, Kind]]:
    """What a style sheet needs: what it imports, images and fonts."""
    if "url(" not in (lower := text[:MOST_STYLE].lower()) and "@import" not in lower:
        return
    for found in _IN_STYLE.finditer(_COMMENT.sub(" ", text[:MOST_STYLE])):
        reference = next(filter(None, found.group("d", "s", "b", "id", "is")), "")
        if (target := _resolved(reference, base)) is not None:
            imported = found["import"] or found["id"] or found["is"]
            yield target, "style" if imported else _kind(target)


def _base(tree: LexborHTMLParser, url: Url) -> Url:
    written = tree.css_first("base[href]")
    href = (written.attributes.get("href") or "") if written is not None else ""
    return (LinkResolver(url).resolve(href) or url) if href else url


def _of_node(node: LexborNode) -> Iterator[tuple[str, Kind]]:
    if node.tag == "link":
        rel = (node.attributes.get("rel") or "").lower().split()
        if kind := next((_LINKED[each] for each in rel if each in _LINKED), None):
            yield node.attributes.get("href") or "", kind
        return
    kind, names = _SHOWN.get(node.tag or "", ("other", ()))
    for name in names:
        for reference in _references(name, node.attributes.get(name) or ""):
            yield reference, kind


def _references(attribute: str, value: str) -> list[str]:
    """One reference, or those of a srcset: each is followed by a width or a density, and a comma."""
    if attribute != "srcset":
        return [value] if value else []
    return [match[0] for match in _CANDIDATE.finditer(value) if not _DESCRIPTOR.fullmatch(match[0])]


def _kind(target: Url) -> Kind:
    return "font" if target.partition("?")[0].lower().endswith(_FONTS) else "image"


def _resolved(reference: str, base: Url) -> Url | None:
    """Exactly as it is written, or who replays the page would not find it."""
    if not reference or len(reference) > _LONGEST or reference.lstrip()[:5].lower() == "data:":
        return None
    try:
        url = canonical(reference, base, "strict")
    except (ValueError, LycosaError):
        return None
    return url if url.startswith(("http://", "https://")) else None
