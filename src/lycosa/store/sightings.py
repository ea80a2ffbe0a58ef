"""What looks at pages found, counted over a whole journal. Plain SQL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from lycosa.model.records import Millis, Record, Sight
from lycosa.revisit.history import DAY
from lycosa.revisit.policy import Floats
from lycosa.store.database import Answering

_SIGHTS: Final = """
WITH looks AS (
    SELECT url, at, kind, change, lag(kind) OVER page AS before
    FROM steps WHERE kind IN ('page', 'unchanged', 'gone')
    WINDOW page AS (PARTITION BY url ORDER BY step)
), sights AS (
    SELECT url, at, CASE
        WHEN before IS NULL THEN 'first'
        WHEN kind = 'gone' THEN 'gone'
        WHEN before = 'gone' THEN 'back'
        WHEN kind = 'unchanged' OR change = 'same' THEN 'same'
        WHEN change = 'dressing' THEN 'dressing'
        ELSE 'changed'
    END AS sight, before IS 'gone' AS was_gone
    FROM looks
)
"""
_CHANGE: Final = "(sight IN ('changed', 'back') OR (sight = 'gone' AND NOT was_gone))"
"""As `lycosa.revisit.history.is_change` has it."""


class Spans(Record, frozen=True, kw_only=True):
    """The looks at each page, as columns of equal length."""

    intervals: Floats
    """Spans between two looks."""
    changes: Floats
    """In how many of them the page changed."""
    days: Floats
    """From the first look to the last."""
    since: Floats
    """Days from the last look until the time that was asked about."""


class Sightings:
    """Questions to a journal's connection."""

    def __init__(self, connection: Answering) -> None:
        self._connection = connection

    def counts(self) -> Mapping[Sight, int]:
        """How many revisits found what."""
        rows = self._connection.execute(
            f"{_SIGHTS} SELECT sight, count(*) FROM sights WHERE sight != 'first' GROUP BY sight"
        )
        return {Sight(sight): count for sight, count in rows}

    def first_revisit(self) -> Millis | None:
        """When a page was visited again for the first time."""
        rows = self._connection.execute(f"{_SIGHTS} SELECT min(at) FROM sights WHERE sight != 'first'")
        (at,) = rows.fetchone()
        return None if at is None else Millis(at)

    def spans(self, now: Millis) -> Spans:
        """How all pages were looked at, as of a time."""
        rows = self._connection.execute(
            f"{_SIGHTS} SELECT count(*) - 1, sum({_CHANGE}), min(at), max(at) FROM sights GROUP BY url"
        )
        found = np.array(list(map(tuple, rows)), np.float64).reshape(-1, 4)
        intervals, changes, first, last = found.T
        return Spans(
            intervals=intervals, changes=changes, days=(last - first) / DAY, since=(now - last) / DAY
        )

    def changes_by_day(self) -> list[tuple[int, int]]:
        """The days since the crawl began on which pages were visited again, from 1, and how many changes were seen."""
        rows = self._connection.execute(
            f"{_SIGHTS} SELECT (at - (SELECT min(at) FROM steps)) / {DAY} + 1 AS day, sum({_CHANGE}) "
            "FROM sights WHERE sight != 'first' GROUP BY day ORDER BY day"
        )
        return [(day, changes) for day, changes in rows]
