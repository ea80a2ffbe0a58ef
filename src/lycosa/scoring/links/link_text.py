"""What a link says of itself, as one text."""

from __future__ import annotations

from lycosa.model.records import Link, Page
from lycosa.scoring.words.terms import Counts, counts


class LinkTexts:
    """The words of a page's links: anchor, the words around it, the heading above it, and the page's title.

    (Rennie and McCallum 1999, sec. 3.2, take the same and the page's headers.) An anchor's words stand in its context
    too, so they count twice. Headings and title are counted once a page: made for one page, then thrown away.
    """

    def __init__(self, page: Page) -> None:
        self._title = counts(page.title)
        self._headings: dict[str, Counts] = {}

    def terms(self, link: Link) -> dict[str, int]:
        """Counts of the stemmed words, stop words left out."""
        found = counts(f"{link.anchor}\n{link.context}")
        for part in (self._heading(link.heading), self._title):
            for term, n in part.items():
                found[term] = found.get(term, 0) + n
        return found

    def _heading(self, heading: str) -> Counts:
        known = self._headings.get(heading)
        if known is None:
            self._headings[heading] = known = counts(heading)
        return known
