"""What a page shows or loads beside its links: images, styles, scripts, sounds. A crawl does not follow these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lycosa.model.errors import InputError
from lycosa.model.url import Url, canonical
from lycosa.read.charset import decode
from lycosa.read.markup import base_of, parse
from lycosa.read.resolve import LinkResolver

_SHOWN: Final = {
    "img": ("an image", ("src", "data-src", "srcset")),
    "source": ("an image or a recording", ("src", "srcset")),
    "video": ("a video", ("src", "poster")),
    "audio": ("a sound", ("src",)),
    "track": ("subtitles", ("src",)),
    "script": ("a script", ("src",)),
    "embed": ("an object", ("src",)),
    "object": ("an object", ("data",)),
    "input": ("an image", ("src",)),
    "body": ("a background", ("background",)),
    "link": ("a style, an icon or another version of the page", ("href",)),
}
"""By element: what it shows, and the attributes that say where from."""
_CANDIDATE = re.compile(r"[^\s,]\S*[^\s,]|[^\s,]")


def embedded(body: bytes, url: str, content_type: str = "text/html") -> Iterator[tuple[Url, str]]:
    """The URLs from which an HTML page takes what it shows, each with what that is in words, such as `an image`.

    `content_type` is the header's value. Raises `InputError` if `url` is not an http(s) URL.
    """
    own = canonical(url)
    source, _ = decode(body, content_type)
    tree = parse(source)
    resolver = LinkResolver(base_of(tree, own))
    for node in tree.css(",".join(_SHOWN)):
        what, names = _SHOWN[node.tag or ""]
        for name in names:
            for reference in _references(name, node.attributes.get(name) or ""):
                if (target := resolver.resolve(reference)) is not None:
                    yield target, what


def _references(attribute: str, value: str) -> list[str]:
    """One reference, or those of a srcset: each is followed by a width or a density, and a comma."""
    if attribute != "srcset":
        return [value] if value else []
    return [match[0] for match in _CANDIDATE.finditer(value) if not re.fullmatch(r"[\d.]+[wxh]", match[0])]


__all__ = ["InputError", "embedded"]
