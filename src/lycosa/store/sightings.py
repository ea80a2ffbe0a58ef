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
    FROM steps WHERE kind IN ('page', 'unchanged', 'gone') AND owner IS NULL
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
    found: Mapping[Sight, int]
    """How many looks after the first found what, over all pages."""


class Sightings:
    """Questions to a journal's connection."""

    def __init__(self, connection: Answering) -> None:
        self._connection = connection

    def spans(self, now: Millis) -> Spans:
        """How all pages were looked at, as of a time. Some five seconds for a million looks."""
        again = [sight for sight in Sight if sight is not Sight.FIRST]
        sums = ", ".join(f"sum(sight = '{sight.value}')" for sight in again)
        rows = self._connection.execute(
            f"{_SIGHTS} SELECT count(*) - 1, sum({_CHANGE}), min(at), max(at), {sums} FROM sights GROUP BY url"
        )
        columns = np.array(list(map(tuple, rows)), np.float64).reshape(-1, 4 + len(again))
        intervals, changes, first, last = columns[:, :4].T
        totals = columns[:, 4:].sum(axis=0).astype(int).tolist()
        return Spans(
            intervals=intervals,
            changes=changes,
            days=(last - first) / DAY,
            since=(now - last) / DAY,
            found={sight: n for sight, n in zip(again, totals, strict=True) if n},
        )

    def changes_by_day(self, begun: Millis | None = None) -> list[tuple[int, int]]:
        """The days since the crawl began (None: with the first step) on which pages were visited again, from 1, and how
        many changes were seen."""
        rows = self._connection.execute(
            f"{_SIGHTS} SELECT (at - coalesce(?, (SELECT min(at) FROM steps))) / {DAY} + 1 AS day, sum({_CHANGE}) "
            "FROM sights WHERE sight != 'first' GROUP BY day ORDER BY day",
            (begun,),
        )
        return [(day, changes) for day, changes in rows]
