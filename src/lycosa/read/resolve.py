"""From the text of an `href` to a canonical URL, fast.

The pages of a site link to each other under few addresses written in few ways. So a reference is first made absolute
by putting it behind the origin or the folder of its page, wherever that means the same. What references mean in a
folder, and the canonical forms of absolute ones, are remembered from page to page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from lycosa.model.errors import LycosaError
from lycosa.model.url import Url, canonical

REMEMBERED = 16_384
"""References whose meaning is kept, seen from a folder and absolute: some 6 MB each."""

# The URL standard (section 4.4) strips these from both ends, and tabs and line ends from anywhere.
_STRIPPED = "".join(map(chr, range(33)))
_LINE_ENDS = re.compile(r"[\t\n\r]+")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_OF_PAGE: Final = Url("?")


class LinkResolver:
    """Resolves references against one base."""

    def __init__(self, base: Url) -> None:
        self._base = base
        scheme = base[: base.index(":") + 1]
        path_at = base.find("/", len(scheme) + 2)
        origin = base[:path_at] if path_at > 0 else base
        path = base[path_at:].partition("?")[0].partition("#")[0] if path_at > 0 else "/"
        self._meanings = _meanings_in(origin + path[: path.rindex("/") + 1])

    def resolve(self, reference: str) -> Url | None:
        """The canonical http(s) URL, None for anything else and for references to the page itself."""
        url = self._meanings[reference]
        return relative_form(reference, self._base) if url == _OF_PAGE else url

    def resolve_all(self, references: Iterable[str]) -> list[Url | None]:
        """What `resolve` says of each, in their order."""
        # Without fragments, where these are plain to see: so all places in a document are resolved once.
        references = [
            each.partition("#")[0] if "#" in each and "!" not in each else each for each in references
        ]
        found = list(map(self._meanings.__getitem__, references))
        if _OF_PAGE in found:
            return [
                relative_form(reference, self._base) if url == _OF_PAGE else url
                for reference, url in zip(references, found, strict=True)
            ]
        return found


class _Meanings(dict[str, Url | None]):
    """References with what they mean in a folder. It learns one when asked for it."""

    left = REMEMBERED
    """How many more all folders together may learn before they forget."""

    def __init__(self, folder: str) -> None:
        super().__init__()
        self._folder = folder

    def __missing__(self, reference: str) -> Url | None:
        _Meanings.left -= 1
        meaning = self[reference] = from_folder(self._folder, reference)
        return meaning


_folders: dict[str, _Meanings] = {}


def _meanings_in(folder: str) -> _Meanings:
    """What is known of a folder. Where it is too much of all together, they begin anew: no answer depends on it."""
    if _Meanings.left <= 0:
        _folders.clear()
        _Meanings.left = REMEMBERED
    found = _folders.get(folder)
    if found is None:
        found = _folders[folder] = _Meanings(folder)
        _Meanings.left -= 1
    return found


def from_folder(folder: str, reference: str) -> Url | None:
    """The same, for any page of a folder: `_OF_PAGE` where the page itself matters."""
    cleaned = reference.strip(_STRIPPED)
    if "\n" in cleaned or "\t" in cleaned or "\r" in cleaned:
        cleaned = _LINE_ENDS.sub("", cleaned)
    if "#" in cleaned and "#!" not in cleaned:
        cleaned = cleaned[: cleaned.index("#")]
    if not cleaned or cleaned.startswith("#"):
        return None
    first = cleaned[0]
    if first == "/":
        scheme_at = folder.index(":") + 1
        before = folder[: scheme_at if cleaned[1:2] in ("/", "\\") else folder.index("/", scheme_at + 2)]
        return absolute_form(before + cleaned)
    if scheme := _SCHEME.match(cleaned):
        return _with_scheme(cleaned, scheme[1].lower())
    return _OF_PAGE if first in "?\\" else absolute_form(folder + cleaned)


def _with_scheme(reference: str, scheme: str) -> Url | None:
    if scheme not in ("http", "https"):
        return None
    return absolute_form(reference) if reference.startswith("//", len(scheme) + 1) else _OF_PAGE


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
