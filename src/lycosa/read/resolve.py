"""From the text of an `href` to a canonical URL, fast.

The pages of a site link to each other under few addresses written in few ways. So a reference is first made absolute
by putting it behind the origin or the folder of its page, wherever that means the same, and the canonical forms of
absolute references are remembered from page to page.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lycosa.model.errors import LycosaError
from lycosa.model.url import Url, canonical

REMEMBERED = 16_384
"""Absolute references whose canonical form is kept: some 6 MB."""

# The URL standard (section 4.4) strips these from both ends, and tabs and line ends from anywhere.
_STRIPPED = "".join(map(chr, range(33)))
_LINE_ENDS = re.compile(r"[\t\n\r]+")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")


class LinkResolver:
    """Resolves references against one base."""

    def __init__(self, base: Url) -> None:
        self._base = base
        self._scheme = base[: base.index(":") + 1]
        path_at = base.find("/", len(self._scheme) + 2)
        self._origin = base[:path_at] if path_at > 0 else base
        path = base[path_at:].partition("?")[0].partition("#")[0] if path_at > 0 else "/"
        self._folder = self._origin + path[: path.rindex("/") + 1]
        self._known: dict[str, Url | None] = {}

    def resolve(self, reference: str) -> Url | None:
        """The canonical http(s) URL, None for anything else and for references to the page itself."""
        try:
            return self._known[reference]
        except KeyError:
            url = self._known[reference] = self._resolve(reference)
            return url

    def _resolve(self, reference: str) -> Url | None:
        cleaned = reference.strip(_STRIPPED)
        if "\n" in cleaned or "\t" in cleaned or "\r" in cleaned:
            cleaned = _LINE_ENDS.sub("", cleaned)
        if "#" in cleaned and "#!" not in cleaned:
            cleaned = cleaned[: cleaned.index("#")]
        if not cleaned or cleaned.startswith("#"):
            return None
        first = cleaned[0]
        if first == "/":
            absolute = cleaned[1:2] not in ("/", "\\")
            return (
                absolute_form(self._origin + cleaned) if absolute else absolute_form(self._scheme + cleaned)
            )
        if scheme := _SCHEME.match(cleaned):
            return self._with_scheme(cleaned, scheme[1].lower())
        if first in "?\\":
            return relative_form(cleaned, self._base)
        return absolute_form(self._folder + cleaned)

    def _with_scheme(self, reference: str, scheme: str) -> Url | None:
        if scheme not in ("http", "https"):
            return None
        if reference.startswith("//", len(scheme) + 1):
            return absolute_form(reference)
        return relative_form(reference, self._base)


@lru_cache(maxsize=REMEMBERED)
def absolute_form(reference: str) -> Url | None:
    """The canonical form of an absolute reference, None if it has none or is not http(s)."""
    return relative_form(reference, None)


def relative_form(reference: str, base: Url | None) -> Url | None:
    """The canonical form of a reference seen from `base`, None if it has none or is not http(s)."""
    try:
        url = canonical(reference, base)
    except (ValueError, LycosaError):
        return None
    return url if url.startswith(("http://", "https://")) else None
