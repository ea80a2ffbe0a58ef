"""What each visit to a page found, in the page's history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final

from lycosa.model.records import SAME, Change, Gone, Look, Millis, Page, Sight, Unchanged, Worth

MOST_LOOKS: Final = 64
"""Looks of a page that are asked for at once, the latest."""

FIRST_BELIEVED: Final = Millis(round(datetime(1995, 1, 1, tzinfo=UTC).timestamp() * 1000))
"""What is dated earlier than the web is not believed."""
_SIGHTS = {Worth.SAME: Sight.SAME, Worth.DRESSING: Sight.DRESSING, Worth.CONTENT: Sight.CHANGED}


def look_of(arrival: Page | Unchanged | Gone, earlier: Sequence[Look], at: Millis) -> Look:
    """What this visit adds to the looks that were taken at the page before, oldest first. `at` is the crawl's own time,
    which on a recorded web is not that of the recording.

    A page that was fetched again, and of which nobody knows how it differs, is another one.
    """
    gone = is_gone(earlier)
    match arrival:
        case Page():
            change = arrival.change or (Change(worth=Worth.CONTENT) if earlier else SAME)
            sight = _SIGHTS[change.worth] if earlier else Sight.FIRST
            return Look(
                at=at,
                sight=Sight.BACK if gone else sight,
                importance=change.importance,
                divergence=change.divergence,
                new_links=change.new_links if earlier else len(arrival.out),
                relevance=arrival.relevance,
                modified=modified_at(arrival.last_modified, arrival.fetched_at, at),
            )
        case Unchanged():
            return Look(
                at=at,
                sight=Sight.BACK if gone else Sight.SAME,
                relevance=relevance_in(earlier),
                modified=modified_at(arrival.last_modified, arrival.at, at),
            )
        case Gone():
            return Look(at=at, sight=Sight.GONE, relevance=relevance_in(earlier))


def is_gone(looks: Sequence[Look]) -> bool:
    """Whether the page was not there when it was looked at last."""
    return bool(looks) and looks[-1].sight is Sight.GONE


def relevance_in(looks: Sequence[Look]) -> float:
    """The page's relevance as it was seen last."""
    return looks[-1].relevance if looks else 0.0


def modified_at(raw: str, seen_at: Millis, at: Millis) -> Millis | None:
    """The time in a Last-Modified header that was seen at a time of the server, which the crawl has for `at`. None
    where it cannot be believed: servers send the time of the answer, times to come, and 1970."""
    told = _dated(raw) if raw else None
    if told is None:
        return None
    return Millis(at - seen_at + told) if FIRST_BELIEVED <= told < seen_at - 1_000 else None


@lru_cache(maxsize=4_096)
def _dated(raw: str) -> int | None:
    """The time that a header tells, None if it is none. A page's looks mostly tell the same, and are read at once."""
    from email.utils import parsedate_to_datetime  # half as much to import as all else that looks at a folder

    try:
        return round(parsedate_to_datetime(raw).timestamp() * 1000)
    except (ValueError, TypeError, OverflowError):
        return None
