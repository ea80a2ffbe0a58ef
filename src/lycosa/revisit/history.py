"""What is known of a page when it is decided when to visit it again."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from lycosa.model.records import Look, Millis, Record, Sight
from lycosa.model.url import Url

DAY: Final = 86_400_000
"""Milliseconds. Rates are changes, visits and finds a day."""

CHANGES = frozenset({Sight.CHANGED, Sight.GONE, Sight.BACK})
"""What counts as a change: other bytes around the same text do not."""


class History(Record, frozen=True, kw_only=True, gc=False):
    """A page and the looks that were taken at it."""

    url: Url
    looks: tuple[Look, ...]
    """Oldest first, at least one, at most the last 64."""
    finds: tuple[float, ...] = ()
    """For each look the sum of the relevance of the pages that were found first by its new links, as far as they
    were visited since; or empty."""
    gains: tuple[float | None, ...] = ()
    """For each look by how much it changed the answers to people's queries, |ΔQ|, None where nobody knows (yet); or
    empty. See `user_centric`."""
    standing: float | None = None
    """How much of those answers the page is now, in the same unit; None: nobody knows."""
    signals: tuple[Millis, ...] = ()
    """Times at which a sitemap, a feed or a ping said that the page changed, ascending."""
    is_told: bool = False
    """Whether all changes of the page are told by signals (complete observations)."""
    importance: float | None = None
    """What somebody said that the page is worth; None: its relevance is."""

    @property
    def last(self) -> Look:
        return self.looks[-1]

    @property
    def worth(self) -> float:
        """What it is worth to have the page right, at least 0."""
        return self.last.relevance if self.importance is None else self.importance

    @property
    def times_gone(self) -> int:
        """How many of the latest looks in a row found the page gone; after the first of them, `SAME` says so too."""
        quiet = takewhile(lambda look: look.sight in (Sight.GONE, Sight.SAME), reversed(self.looks))
        return max((n for n, look in enumerate(quiet, 1) if look.sight is Sight.GONE), default=0)

    def intervals(self) -> Sequence[tuple[float, bool]]:
        """The spans between looks that follow each other, in days, and whether the page was another one after it.
        Spans of no time are left out."""
        pairs = zip(self.looks, self.looks[1:], strict=False)
        return [
            ((later.at - look.at) / DAY, is_change(look.sight, later.sight))
            for look, later in pairs
            if later.at > look.at
        ]


def is_change(before: Sight, after: Sight) -> bool:
    """Whether a look found another page than the look before: a page that is still gone is none."""
    return after in CHANGES and not before is after is Sight.GONE


def share_of_change(look: Look, measured: float) -> float:
    """How much of a page a change concerns, by one of its measures: all of it if the page went or came back, or if
    nobody knows how it differs. A change that was measured has some importance."""
    return measured if look.sight is Sight.CHANGED and look.importance > 0 else 1.0
