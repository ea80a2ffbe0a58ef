"""What is to be exported of a crawl: which pages, in which order, and which of their texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypedDict

import msgspec

from lycosa.crawls.corpus.filters import Filters
from lycosa.model.decoding import converted
from lycosa.model.errors import InputError
from lycosa.model.records import Millis

Texts = bool | Literal["all", "main", "markdown"]
"""Which text of a page: none (False), all of its words (True, `all`), its main text, or that as Markdown."""


class Wanted(Filters, frozen=True, kw_only=True):
    """Which pages of a crawl are exported, and what of them, whatever the time."""

    text: Texts = True
    """Which texts, read from the archive: `all` words of a page, its `main` text without menus and the like, or that as
    `markdown`; false: none."""
    all_visits: bool = False
    """Each visit of a page, not only the latest."""
    nothing_new: bool = False
    """Also pages that count as failures, as they brought nothing new."""
    best_first: bool = False
    """The most relevant first, not in the order of the crawl."""
    distinct: bool = False
    """Without the pages that are a copy, or nearly one, of a page that came before."""


class Selection(Wanted, frozen=True, kw_only=True):
    """Which pages of a crawl are exported, and what of them: what `Filters` and `Wanted` say, and of which time."""

    at: Millis | None = None
    """The collection as it was then; None: as it is."""

    @property
    def given_rule(self) -> str:
        """One by which pages are left out; empty: none is given."""
        rules = (*Filters.__struct_fields__, "distinct")
        return next((rule for rule in rules if getattr(self, rule) != getattr(WHOLE, rule)), "")

    @property
    def reads_all(self) -> bool:
        """Whether all words of a page are read."""
        return self.text in (True, "all")

    @property
    def reads_main(self) -> bool:
        """Whether main texts are read, and what pages say of themselves."""
        return self.text in ("main", "markdown") or bool(self.needs_main)

    @property
    def reads(self) -> bool:
        """Whether pages are read at all."""
        return self.reads_all or self.reads_main


UNREAD: Final = Selection(text=False)
"""The pages without a text."""
WHOLE: Final = Selection()
"""All pages with all of their words."""


class Choice(TypedDict, total=False):
    """The same as keyword arguments: see `Selection`."""

    text: Texts
    all_visits: bool
    nothing_new: bool
    at: Millis | None
    best_first: bool
    distinct: bool
    min_relevance: float
    language: Sequence[str]
    language_confidence: float
    min_words: int
    max_words: int | None
    max_repetition: float
    max_boilerplate: float
    licence: Sequence[str]


def selection(choice: Choice | dict[str, Any]) -> Selection:
    """What somebody chose, checked. Raises `InputError` for values out of bounds, and for rules that need a text where
    there is to be none."""
    try:
        found = converted(choice, Selection)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        raise InputError(f"{where.rstrip('`')}: {what}" if where else what) from None
    if found.text is False and (rule := found.needs_text):
        raise InputError(f"{rule} needs the texts of the pages, and there are to be none")
    return found
