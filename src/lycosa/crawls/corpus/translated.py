"""Of which earlier page each page is a copy in another language."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from lycosa.model.url import Url


class _Naming(NamedTuple):
    """A page that was given, and what it names as its copies."""

    first: Url
    """The first page of the export that is the same in another language; the page itself if there is none."""
    named: array[int]
    """Hashes of URLs: millions of pages name fifty each."""


class Translated:
    """Tells of each page as it comes of which one before it is a copy in another language.

    Two pages are if each names the other (`hreflang`), as search engines ask: one alone may claim what it likes.

    Invariants, each the name of a property test:

    * each names the other: what is told is the first of a page that came before, where each of the two names the other.
    """

    def __init__(self) -> None:
        self._known: dict[Url, _Naming] = {}

    def first(self, url: Url, final_url: Url, alternates: Sequence[Url]) -> Url | None:
        """The first page of the set that a page belongs to; None if it is the first itself. It is remembered."""
        if not alternates:
            return None
        own = (url, final_url)
        known = (naming for each in alternates if each not in own and (naming := self._known.get(each)))
        marks = _hashed(own)
        first = next((naming.first for naming in known if any(mark in naming.named for mark in marks)), None)
        naming = _Naming(first or url, _hashed(alternates))
        for each in own:
            self._known.setdefault(each, naming)
        return first


def _hashed(urls: Iterable[Url]) -> array[int]:
    digests = (blake2b(url.encode("utf-8", "replace"), digest_size=8).digest() for url in urls)
    return array("Q", (int.from_bytes(digest, "big") for digest in digests))
