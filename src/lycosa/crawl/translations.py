"""Copies of pages in other languages, as pages name them (`<link rel="alternate" hreflang>`): of a crawl for pages in
one language they are not fetched."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any, Final

from lycosa.model.records import Page
from lycosa.model.url import Url, domain_of, host_of

MOST: Final = 1 << 16
"""Copies that are remembered: some 15 MB."""

DEFAULT: Final = "x-default"
"""Of the page for readers of all other languages."""


class Translations:
    """What a crawl for pages in some languages remembers of their copies in others. Pure: the same calls give the same
    answers.

    A page is believed of copies within its own registered domain: elsewhere it could keep others' pages out. It is
    believed if it is in a wanted language itself, or names a copy that is: of a page that is to be had in none of
    them, links may still be followed.

    Beyond `most` copies the older half is forgotten.

    Invariants, each the name of a property test:

    * wanted: what a page names as itself, as its copy in a wanted language, or as that for all others, it keeps nobody
      from fetching.
    * bounded: no more than `most` copies are remembered.
    * load restores every answer: of `load(save())`.
    """

    def __init__(self, languages: Collection[str], most: int = MOST) -> None:
        """The languages by ISO 639 code; at least one."""
        self._languages, self._most = frozenset(languages), most
        self._copies: dict[Url, tuple[str, Url]] = {}

    def refuses(self, url: Url) -> str | None:
        """Why a URL need not be fetched, as a sentence; None if it may be."""
        if (copy := self._copies.get(url)) is None:
            return None
        language, source = copy
        wanted = ", ".join(sorted(self._languages))
        return f"{source} names it as its copy in {language} (hreflang); pages in {wanted} are wanted"

    def seen(self, page: Page) -> None:
        """Learn from a page that was read."""
        if not page.alternates:
            return
        fitting = {url for language, url in page.alternates if self._fits(language)}
        if not fitting and page.language not in self._languages:
            return
        kept = fitting | {page.url, *page.hops, page.final_url}
        kept |= {url for language, url in page.alternates if language == DEFAULT}
        for url in kept:
            self._copies.pop(url, None)
        domain = domain_of(host_of(page.final_url))
        for language, url in page.alternates:
            if url not in kept and domain_of(host_of(url)) == domain:
                self._copies.setdefault(url, (language, page.final_url))
        if len(self._copies) > self._most:
            self._copies = dict(islice(self._copies.items(), len(self._copies) - self._most // 2, None))

    def save(self) -> Mapping[str, Any]:
        """Plain values for a snapshot."""
        return {"copies": [[url, *copy] for url, copy in self._copies.items()]}

    def load(self, saved: Mapping[str, Any]) -> None:
        """Become what was saved."""
        self._copies = {Url(url): (language, Url(source)) for url, language, source in saved["copies"]}

    def _fits(self, language: str) -> bool:
        """Whatever the region or the script: `de` is wanted of `de-AT`."""
        return language.partition("-")[0] in self._languages
