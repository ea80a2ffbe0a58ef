"""Which pages a corpus leaves out, and by which of its rules."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Annotated, Final

import msgspec

from lycosa.crawls.frames import Line
from lycosa.model.records import Record
from lycosa.model.spaceless import word_count
from lycosa.store.history import Listed, Row

Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
Count = Annotated[int, msgspec.Meta(ge=0)]


class Filters(Record, frozen=True, kw_only=True):
    """What a page must be to be exported. Each rule is off until it is given; a page that breaks several counts for
    the first of them."""

    min_relevance: Share = 0.0
    """The least relevance."""
    language: tuple[str, ...] = ()
    """Codes of ISO 639-1, such as `en`: a page is in one of them."""
    language_confidence: Share = 0.0
    """The least `language_confidence`."""
    min_words: Count = 0
    """The fewest words of the text; two signs of a script without blanks count for one."""
    max_words: Count | None = None
    """The most words of the text."""
    max_repetition: Share = 1.0
    """The largest share of the text's characters in lines, or in runs of five words, that stood before in it."""
    max_boilerplate: Share = 1.0
    """The largest share of the page's characters outside its main text."""
    licence: tuple[str, ...] = ()
    """Patterns such as `*creativecommons.org/licenses/by/*`: one of the page's licences fits one of them."""

    @property
    def needs_text(self) -> str:
        """A rule that cannot be told without the text of a page; empty: none."""
        given = {
            MIN_WORDS: self.min_words > 0,
            MAX_WORDS: self.max_words is not None,
            MAX_REPETITION: self.max_repetition < 1,
        }
        return self.needs_main or next((rule for rule, is_given in given.items() if is_given), "")

    @property
    def needs_main(self) -> str:
        """A rule that cannot be told without the main text of a page, or what it says of itself; empty: none."""
        given = {
            LANGUAGE_CONFIDENCE: self.language_confidence > 0,
            MAX_BOILERPLATE: self.max_boilerplate < 1,
            LICENCE: bool(self.licence),
        }
        return next((rule for rule, is_given in given.items() if is_given), "")

    def refused_unread(self, row: Row | Listed) -> str:
        """The rule that a page breaks, as far as the journal tells; empty: none."""
        if row.relevance < self.min_relevance:
            return MIN_RELEVANCE
        return LANGUAGE if self.language and row.language not in self.language else ""

    def refused(self, row: Line) -> str:
        """The rule that a page breaks by its text, and by what it says of itself; empty: none."""
        if (row.language_confidence or 0.0) < self.language_confidence:
            return LANGUAGE_CONFIDENCE
        return self._by_length(row) or self._by_quality(row) or self._by_licence(row)

    def _by_length(self, row: Line) -> str:
        if not self.min_words and self.max_words is None:
            return ""
        words = word_count(row.text)
        if words < self.min_words:
            return MIN_WORDS
        return MAX_WORDS if self.max_words is not None and words > self.max_words else ""

    def _by_quality(self, row: Line) -> str:
        if (row.boilerplate or 0.0) > self.max_boilerplate:
            return MAX_BOILERPLATE
        if self.max_repetition == 1:
            return ""
        from lycosa.scoring.words.repetition import repetition  # with numpy, which no other rule needs

        return MAX_REPETITION if repetition(row.text) > self.max_repetition else ""

    def _by_licence(self, row: Line) -> str:
        fits = any(fnmatchcase(licence, each) for licence in row.licences for each in self.licence)
        return "" if fits or not self.licence else LICENCE


MIN_RELEVANCE: Final = "min_relevance"
LANGUAGE: Final = "language"
LANGUAGE_CONFIDENCE: Final = "language_confidence"
MIN_WORDS: Final = "min_words"
MAX_WORDS: Final = "max_words"
MAX_REPETITION: Final = "max_repetition"
MAX_BOILERPLATE: Final = "max_boilerplate"
LICENCE: Final = "licence"
DUPLICATE: Final = "duplicate"
NEAR_DUPLICATE: Final = "near_duplicate"
