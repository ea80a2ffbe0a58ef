"""What is counted of each step, in a narrow table beside `steps`: to count over rows with all that a page says takes
five times as long. It is written with the steps that it counts, in one transaction, and tells nothing that they do not
tell."""

from __future__ import annotations

import sqlite3
from typing import Final

from lycosa.crawl.requests import UNSENT
from lycosa.model.records import Reason


def final(among: str = "") -> str:
    """The last of a URL's failures, if it never brought a page: of the steps of which this is true of `other`. What a
    redirect led to that another node sees to is no failure of the crawl."""
    return (
        f"reason != '{Reason.ELSEWHERE.value}' AND "
        "NOT EXISTS (SELECT 1 FROM steps AS other WHERE other.url = steps.url AND other.step != steps.step "
        f"AND (other.kind = 'page' OR other.kind = 'failure' AND other.step > steps.step){among})"
    )


def latest(among: str = "") -> str:
    """The latest visit that brought the page: of the steps of which this is true of `later`. A page that was sent to
    another node is that one's."""
    return (
        "kind = 'page' AND owner IS NULL AND NOT EXISTS (SELECT 1 FROM steps AS later WHERE later.url = steps.url "
        f"AND later.step > steps.step AND later.kind = 'page' AND later.owner IS NULL{among})"
    )


FINAL: Final = final()
"""Of a URL that was tried several times only the last failure counts, and none if it ever brought a page."""
LATEST: Final = latest()
"""Of a page that was fetched several times only the latest visit counts."""
_UNSENT = ", ".join(sorted(f"'{reason.value}'" for reason in UNSENT))
REQUESTS: Final = (
    "CASE WHEN hops IS NULL THEN 0 ELSE length(hops) - length(replace(hops, char(10), '')) + 1 END + (reason IS NULL "
    f"OR status > 0 OR reason NOT IN ({_UNSENT}))"
)
"""That a visit took: one for each redirect, and one if its own was sent."""
OWN_VISIT: Final = "kind IN ('page', 'unchanged', 'gone', 'failure') AND origin IS NULL"
"""A visit, and not one of which another node told."""
REVISIT: Final = "(kind IN ('unchanged', 'gone') OR change IS NOT NULL)"
"""A look at a page that the crawl had."""
_FROM_HOST = "substr(url, instr(url, '//') + 2)"
HOST: Final = f"substr({_FROM_HOST}, 1, instr({_FROM_HOST} || '/', '/') - 1)"
"""As `lycosa.model.url.host_of` has it."""

TABLE: Final = """CREATE TABLE counted (          -- what is counted of each step: who counts need not read it all
    step INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    status INTEGER,
    host TEXT,                  -- of a page that is this crawler's, and of a failure
    failed INTEGER,             -- 1: a failure
    reason TEXT,                -- of a URL's last failure, unless it ever brought a page
    relevance REAL,             -- of a page by its latest visit
    language TEXT,
    depth INTEGER,
    requests INTEGER,           -- that the visit took
    again INTEGER               -- 1: a look at a page that the crawl had
)"""
_CELLS = (
    "step, at, status",
    f"CASE WHEN kind = 'page' AND owner IS NULL OR kind = 'failure' THEN {HOST} END AS host",
    "CASE WHEN kind = 'failure' THEN 1 END AS failed",
    f"CASE WHEN kind = 'failure' AND {FINAL} THEN reason END AS reason",
    f"CASE WHEN {LATEST} THEN relevance END AS relevance",
    "language, depth",
    f"CASE WHEN {OWN_VISIT} THEN {REQUESTS} END AS requests",
    f"CASE WHEN {REVISIT} THEN 1 END AS again",
)
_COUNT = f"SELECT {', '.join(_CELLS)} FROM steps"
_TOUCHED = (
    "SELECT step FROM steps WHERE step > :since UNION ALL SELECT counted.step FROM steps AS new "
    "CROSS JOIN steps AS old ON old.url = new.url AND old.step <= :since CROSS JOIN counted ON counted.step = old.step "
    "WHERE new.step > :since AND (counted.relevance IS NOT NULL OR counted.reason IS NOT NULL)"
)
"""The steps since one, and those before of which they are the later visits. No step counts again that did not."""
VIEW: Final = f"CREATE TEMP VIEW IF NOT EXISTS counted AS {_COUNT}"
"""The same, counted when it is asked for."""
_COUNT_ON = f"INSERT OR REPLACE INTO counted {_COUNT} WHERE step IN ({_TOUCHED})"


def count_on(connection: sqlite3.Connection, since: int) -> None:
    """Count the steps after one, within the transaction that writes them."""
    connection.execute(_COUNT_ON, {"since": since})


def catch_up(connection: sqlite3.Connection) -> None:
    """Count the steps of an earlier version, which writes them uncounted: all of them the first time, in one pass."""
    counted, last = _last_steps(connection)
    if counted is None:
        connection.execute(TABLE)
    if counted != last:
        count_on(connection, counted or 0)


def has_all(connection: sqlite3.Connection) -> bool:
    """Whether all steps were counted as they were written."""
    counted, last = _last_steps(connection)
    return counted == last


def _last_steps(connection: sqlite3.Connection) -> tuple[int | None, int]:
    """The last that was counted, None where nothing ever was, and the last of all; 0 for none."""
    (last,) = connection.execute("SELECT coalesce(max(step), 0) FROM main.steps").fetchone()
    if not connection.execute("SELECT 1 FROM main.sqlite_schema WHERE name = 'counted'").fetchone():
        return None, last
    (counted,) = connection.execute("SELECT coalesce(max(step), 0) FROM main.counted").fetchone()
    return counted, last
