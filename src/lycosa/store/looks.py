"""The history of one page from the rows of its visits, without reading its texts again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Final

from lycosa.crawl.looks import is_gone, modified_at, relevance_in
from lycosa.model.records import LastCapture, Look, Millis, Sight, Worth
from lycosa.model.url import Url
from lycosa.store.codec import unpack_targets
from lycosa.store.rows import dom_in, record_of, rendering_of

LOOKED_AT: Final = (
    "at, kind, url, final_url, fetched_at, relevance, digest, last_modified, change, importance, divergence, "
    "new_links, CASE WHEN change IS NULL THEN links END AS links"
)
CAPTURED: Final = (
    "at, kind, url, final_url, fetched_at, digest, etag, last_modified, warc_file, warc_offset, warc_length, "
    "rendering"
)
_SIGHTS = {Worth.SAME.value: Sight.SAME, Worth.DRESSING.value: Sight.DRESSING}


def looks_of(rows: Iterable[sqlite3.Row]) -> list[Look]:
    """The looks that rows of `LOOKED_AT` tell of, which are oldest first."""
    looks: list[Look] = []
    digest = None
    for row in rows:
        looks.append(_look(row, looks, digest))
        digest = row["digest"] or digest
    return looks


def _look(row: sqlite3.Row, earlier: list[Look], digest: str | None) -> Look:
    at, gone = Millis(row["at"]), is_gone(earlier)
    if row["kind"] == "gone":
        sight = Sight.GONE
    elif gone:
        sight = Sight.BACK
    elif row["kind"] == "unchanged":
        sight = Sight.SAME
    else:
        sight = _sight(row, earlier, digest)
    return Look(
        at=at,
        sight=sight,
        importance=row["importance"] or 0.0,
        divergence=row["divergence"] or 0.0,
        new_links=_targets(row) if sight is Sight.FIRST else row["new_links"] or 0,
        relevance=relevance_in(earlier) if row["relevance"] is None else row["relevance"],
        modified=modified_at(row["last_modified"] or "", row["fetched_at"], at),
    )


def _sight(row: sqlite3.Row, earlier: list[Look], digest: str | None) -> Sight:
    """Of a page. Those that an earlier version fetched again are compared by their digests."""
    if row["change"] is None:
        if not earlier:
            return Sight.FIRST
        return Sight.SAME if row["digest"] == digest else Sight.CHANGED
    return _SIGHTS.get(row["change"], Sight.CHANGED)


def _targets(row: sqlite3.Row) -> int:
    return len(set(unpack_targets(row["links"])) - {row["url"], row["final_url"]})


def captured(page: sqlite3.Row, newest: sqlite3.Row) -> LastCapture:
    """What rows of `CAPTURED` tell: the last that brought a page, and the last of all, which may bring newer
    validators."""
    rendering = rendering_of(page["rendering"])
    dom = dom_in(page["rendering"])
    return LastCapture(
        url=Url(page["final_url"] or page["url"]),
        at=Millis(page["fetched_at"]),
        digest=page["digest"] if dom is None or rendering is None else rendering.payload,
        etag=newest["etag"] or "",
        last_modified=newest["last_modified"] or "",
        record=record_of(page),
        dom=dom,
    )
