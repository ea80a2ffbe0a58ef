"""What can be asked of a journal: counts, curves, the best pages, one URL's story, rows to export. Plain SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import msgspec

from lycosa.model.commands import Enqueue, Reprioritize
from lycosa.model.decoding import converted
from lycosa.model.events import Blocked, Event, FromOutside, HandedOff, Marked, Operated, Started
from lycosa.model.records import NOTHING_NEW, Look, Millis, Reason, RecordRef
from lycosa.model.url import Host, Url
from lycosa.store.codec import (
    unpack_commands,
    unpack_event,
    unpack_lines,
    unpack_targets,
)
from lycosa.store.counted import FINAL, LATEST, OWN_VISIT, REQUESTS, final, latest
from lycosa.store.database import IS_SAID, Answering
from lycosa.store.exchanges import Exchanges
from lycosa.store.looks import LOOKED_AT, looks_of
from lycosa.store.neighbours import Neighbours
from lycosa.store.page_facts import PageFacts
from lycosa.store.page_memory import distinct_targets
from lycosa.store.rows import UNREADABLE, damaged, dom_in, step_errors

if TYPE_CHECKING:
    from lycosa.store.distinct import Hashes
    from lycosa.store.sightings import Sightings


OUTCOME = f"(kind = 'page' AND owner IS NULL OR kind = 'failure' AND reason != '{Reason.ELSEWHERE.value}')"
"""Visits that brought a page, or failed; not those that concern another node."""


class Standing(NamedTuple):
    """How a crawl stands, as far as sums tell."""

    pages: int
    relevant: int
    mean_relevance: float
    requests: int
    first: Millis
    """When the first step was, 0 of an empty journal."""
    last: Millis
    first_revisit: Millis | None
    """None: no page was visited again."""


class Row(msgspec.Struct, frozen=True, kw_only=True, gc=False, array_like=True):
    """One visit as it is exported: a page, or a failure if there is a `reason`. Fields as in `Page` and `Failure`."""

    step: int
    at: Millis = Millis(0)
    """By the crawl's clock."""
    kind: str
    """`page`, `unchanged`, `gone` or `failure`."""
    url: Url
    final_url: Url
    status: int
    reason: str = ""
    detail: str = ""
    fetched_at: Millis
    depth: int
    via: Url | None
    """The page whose link led here, None for a start page."""
    anchor: str
    score: float
    """By which the URL was leased."""
    tier: int
    attempt: int
    relevance: float = 0.0
    title: str = ""
    description: str = ""
    language: str = ""
    media_type: str = ""
    digest: str = ""
    fingerprint: int = 0
    noindex: bool = False
    address: str = ""
    elapsed: Millis = Millis(0)
    hops: tuple[Url, ...] = ()
    warc_file: str | None = None
    warc_offset: int | None = None
    warc_length: int | None = None
    rendering: str = ""
    """What a browser had to do with the page, as `rows.rendering_of` reads it; empty: nothing."""
    due: Millis | None = None
    """Of a revisit: when it was to be made, at the earliest."""
    change: str = ""
    """Of a page that was fetched again: `same`, `dressing` or `content`."""
    importance: float = 0.0
    divergence: float = 0.0
    new_links: int = 0
    lost_links: int = 0
    owner: str = ""
    """Of a page of a shared crawl: the other node to which it was sent, as it is that one's."""
    origin: str = ""
    """Of a page of a shared crawl: the parcel in which it came, `node/life/number`; empty: it was fetched here."""
    rights: str = ""
    """What is said of the use of a page, as JSON."""


class Listed(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A visit as a table has it whose pages are not read: the columns that the journal has, and nothing in the others.

    Fields as in `lycosa.crawls.answers.PageRow`, which takes five times as long to make.
    """

    step: int
    url: Url
    final_url: Url
    status: int
    fetched_at: Millis
    depth: int
    via: Url | None
    anchor: str
    score: float
    relevance: float
    title: str
    language: str
    digest: str
    warc_file: str | None
    warc_offset: int | None
    nothing_new: str
    rights: str
    media_type: str
    kind: str
    """Of the visit, as in the journal."""
    duplicate_of: Url | None = None

    text: ClassVar[str] = ""
    authors: ClassVar[tuple[str, ...]] = ()
    published: ClassVar[str] = ""
    modified: ClassVar[str] = ""
    site_name: ClassVar[str] = ""
    canonical: ClassVar[Url | None] = None
    alternates: ClassVar[tuple[str, ...]] = ()
    licences: ClassVar[tuple[str, ...]] = ()
    language_confidence: ClassVar[float | None] = None
    boilerplate: ClassVar[float | None] = None
    near_duplicate_of: ClassVar[Url | None] = None
    alternate_of: ClassVar[Url | None] = None


class Point(msgspec.Struct, frozen=True, gc=False):
    """One page in time."""

    step: int
    at: Millis
    relevance: float
    language: str = ""
    depth: int = 0


class HostCount(msgspec.Struct, frozen=True, gc=False):
    host: Host
    pages: int
    failures: int
    relevance: float
    """Mean over its pages."""


class StoredPage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What the crawl made of one record of its archive: the page that it is."""

    step: int
    relevance: float
    title: str
    media_type: str
    dom: RecordRef | None = None
    """What a browser made of it."""


class Happened(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One step, for whoever follows a crawl. Fields as in `Row`."""

    step: int
    at: Millis
    kind: str
    url: str = ""
    final_url: str = ""
    title: str = ""
    relevance: float = 0.0
    score: float = 0.0
    depth: int = 0
    via: str = ""
    anchor: str = ""
    status: int = 0
    reason: str = ""
    detail: str = ""
    change: str = ""
    again: bool = False
    said: Event | None = None
    """What was said from outside."""
    moved: int = 0
    """Links that were put elsewhere in the frontier because of a mark."""


class Marking(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A mark that the crawl has taken in."""

    step: int
    mark: Marked
    moved: int
    """Links that were put elsewhere in the frontier because of it."""


TOLD_KINDS = (
    *("page", "unchanged", "gone", "failure", "started", "recovered"),
    *("marked", "handed-off", "operated", "asked", "told", "searched", "blocked"),
)
"""What whoever follows a crawl is told: not what it only does for itself, such as to wait."""

_TOLD = [name for name in Happened.__struct_fields__ if name not in ("again", "said", "moved")]
_TEXTS = ("title", "anchor", "detail")


def _cut(column: str) -> str:
    """A column for whoever follows, who reads no long texts."""
    return f"substr({column}, 1, 1000) AS {column}" if column in _TEXTS else column


_VISIT = Row.__struct_fields__
_SELECT = f"SELECT {', '.join(_VISIT)} FROM steps"
_OF_LISTED = {
    "final_url": "coalesce(final_url, url)",
    "relevance": "coalesce(relevance, 0.0)",
    "nothing_new": "coalesce(reason, '')",
    **{
        name: f"coalesce({name}, '')"
        for name in ("anchor", "title", "language", "digest", "rights", "media_type")
    },
}
_LISTED = [name for name in Listed.__struct_fields__ if name != "duplicate_of"]
_SELECT_LISTED = f"SELECT {', '.join(_OF_LISTED.get(name, name) for name in _LISTED)} FROM steps"
_NOT_NULL = [
    "reason",
    "detail",
    "anchor",
    "title",
    "description",
    "language",
    "media_type",
    "digest",
    "address",
    "change",
    "owner",
    "origin",
    "rendering",
    "rights",
]
_TEXTS_AT = [_VISIT.index(name) for name in _NOT_NULL]
_NUMBERS_AT = [
    _VISIT.index(name) for name in ("relevance", "importance", "divergence", "new_links", "lost_links")
]
_URL, _FINAL_URL, _FINGERPRINT, _NOINDEX, _HOPS = (
    _VISIT.index(name) for name in ("url", "final_url", "fingerprint", "noindex", "hops")
)


class History:
    """Questions to a journal's connection. Reads what is committed, also while another process crawls."""

    def __init__(self, connection: Answering) -> None:
        self._connection = connection

    # -- counts and curves ---------------------------------------------------------------------

    def kinds(self) -> dict[str, int]:
        """How many steps of each kind: ``page``, ``failure``, ``started``, …"""
        return self._counts("SELECT kind, count(*) FROM steps GROUP BY kind ORDER BY 2 DESC, 1")

    def statuses(self) -> dict[int, int]:
        """How many visits ended with each HTTP status; 0: none came."""
        return self._counts(
            "SELECT status, count(*) FROM counted WHERE status IS NOT NULL GROUP BY status ORDER BY 2 DESC, 1"
        )

    def reasons(self) -> dict[str, int]:
        """How many URLs failed for each reason."""
        return self._counts(
            "SELECT reason, count(*) FROM counted WHERE reason IS NOT NULL GROUP BY reason ORDER BY 2 DESC, 1"
        )

    def rendered(self) -> dict[str, int]:
        """What browsers made of pages, and what these asked for, counted over all visits."""
        fact = "json_extract(rendering, '$.{}')".format
        row = self._connection.execute(
            f"SELECT count({fact('record')}), total({fact('pays')}), count(nullif({fact('failed')}, '')), "
            f"total({fact('asked')}), total({fact('refused')}) FROM steps WHERE rendering IS NOT NULL"
        ).fetchone()
        return dict(zip(("rendered", "paid", "failed", "asked", "refused"), map(int, row), strict=True))

    @property
    def sightings(self) -> Sightings:
        """What looks at pages found, counted."""
        from lycosa.store.sightings import Sightings

        return Sightings(self._connection)

    @property
    def exchanges(self) -> Exchanges:
        """Of a node of a shared crawl: what it fetched, sent and was sent."""
        return Exchanges(self._connection)

    @property
    def page_facts(self) -> PageFacts:
        """What pages are sought and counted by."""
        return PageFacts(self._connection)

    @property
    def neighbours(self) -> Neighbours:
        """Questions about the link graph. Keep it: it indexes the links."""
        return Neighbours(self._connection)

    def requests(self, since: Millis = Millis(0)) -> int:
        """How many requests the visits took that are over, redirects too; robots.txt apart. Those since a time."""
        found = self._connection.execute(
            f"SELECT coalesce(sum({REQUESTS}), 0) FROM steps WHERE {OWN_VISIT} AND at >= ?", (since,)
        ).fetchone()
        return int(found[0])

    def standing(self, relevant_from: float) -> Standing:
        """`harvest`, `span`, `requests` and when the first revisit was, in one pass."""
        counted = _once("relevance, requests, at, again")
        found = self._connection.execute(
            "SELECT count(relevance), coalesce(sum(relevance >= ?), 0), coalesce(avg(relevance), 0.0), "
            "coalesce(sum(requests), 0), coalesce(min(at), 0), coalesce(max(at), 0), "
            f"min(CASE WHEN again THEN at END) FROM ({counted})",
            (relevant_from,),
        ).fetchone()
        return Standing(*found)

    def pages_by(self, column: str) -> dict[Any, int]:
        """How many pages have each `language`, `media_type` or `depth`, the most frequent first."""
        if column not in ("language", "media_type", "depth"):
            raise ValueError(f"pages are not counted by {column!r}")
        return self._counts(
            f"SELECT {column}, count(*) FROM steps WHERE {LATEST} GROUP BY 1 ORDER BY 2 DESC, 1"
        )

    def harvest(self, relevant_from: float) -> tuple[int, int, float]:
        """Pages, how many of them have at least this relevance, and the mean relevance."""
        found = self._connection.execute(
            "SELECT count(*), coalesce(sum(relevance >= ?), 0), coalesce(avg(relevance), 0.0) FROM steps "
            f"WHERE {LATEST}",
            (relevant_from,),
        ).fetchone()
        return found[0], found[1], found[2]

    def _counts(self, question: str) -> dict[Any, int]:
        return {row[0]: row[1] for row in self._connection.execute(question)}

    def hosts(self, limit: int = -1) -> list[HostCount]:
        """Hosts by their pages, most first."""
        rows = self._connection.execute(
            "SELECT host, count(relevance), count(failed), coalesce(avg(relevance), 0.0) "
            f"FROM ({_once('host, relevance, failed')}) "
            "WHERE relevance IS NOT NULL OR failed GROUP BY host ORDER BY 2 DESC, 3 DESC, 1 LIMIT ?",
            (limit,),
        )
        return [HostCount(*row) for row in rows]

    def host_names(self) -> set[Host]:
        """The hosts that `hosts` has."""
        return {host for (host,) in self._connection.execute("SELECT DISTINCT host FROM counted") if host}

    def series(self, since: int = 0) -> Iterator[Point]:
        """The pages after a step in time, for harvest rates and counts."""
        rows = self._connection.execute(
            "SELECT step, at, relevance, language, depth FROM counted WHERE step > ? AND relevance IS NOT NULL "
            "ORDER BY step",
            (since,),
        )
        return (Point(*row) for row in rows)

    def looked_at(self, since: int = 0) -> dict[int, tuple[Url, Millis]]:
        """By its step each visit after a step that brought a page: the page, and when."""
        rows = self._connection.execute(
            "SELECT step, url, at FROM steps WHERE step > ? AND kind = 'page'", (since,)
        )
        return {step: (Url(url), Millis(at)) for step, url, at in rows}

    def span(self) -> tuple[Millis, Millis] | None:
        """When the first and the last step were, None of an empty journal."""
        first, last = self._connection.execute("SELECT min(at), max(at) FROM steps").fetchone()
        return None if first is None else (Millis(first), Millis(last))

    # -- visits --------------------------------------------------------------------------------

    def rows(
        self,
        since: int = 0,
        *,
        all_visits: bool = False,
        nothing_new: bool = False,
        at: Millis | None = None,
        best_first: bool = False,
    ) -> Iterator[Row]:
        """The pages after a step, in the order of the crawl or the most relevant first, one at a time: by their latest
        visits, or by all. With `nothing_new` also those that were taken for failures, as they brought nothing new.
        With `at` all is as it was then: what was fetched later is left out."""
        chosen = _chosen(all_visits=all_visits, nothing_new=nothing_new, at=at, best_first=best_first)
        found = self._connection.execute(f"{_SELECT} {chosen}", {"since": since, "at": at})
        return (_row(row, self._connection.path) for row in found)

    def listed(
        self,
        *,
        all_visits: bool = False,
        nothing_new: bool = False,
        at: Millis | None = None,
        best_first: bool = False,
    ) -> Iterator[Listed]:
        """The same pages, as far as a table has them whose pages are not read."""
        chosen = _chosen(all_visits=all_visits, nothing_new=nothing_new, at=at, best_first=best_first)
        for row in self._connection.execute(f"{_SELECT_LISTED} {chosen}", {"since": 0, "at": at}):
            try:
                found = converted(tuple(row), Listed)
            except UNREADABLE as error:
                raise damaged(self._connection.path, row, error) from error
            yield found

    def indexable(self, since: int = 0) -> int:
        """How many pages that `rows` gives may be indexed."""
        found = self._connection.execute(
            f"SELECT count(*) FROM steps WHERE step > ? AND {LATEST} AND NOT coalesce(noindex, 0)", (since,)
        ).fetchone()
        return int(found[0])

    def looked(self, url: Url | None = None, since: Millis = Millis(0)) -> Iterator[list[tuple[Row, Look]]]:
        """Every look at a page, oldest first, for each page of which there was one since a time, or for one URL that
        was asked for. Pages come by their URLs."""
        looks = "kind IN ('page', 'unchanged', 'gone') AND owner IS NULL"
        some = (
            f"IN (SELECT url FROM steps WHERE {looks} AND fetched_at >= :since)" if url is None else "= :url"
        )
        found = self._connection.execute(
            f"SELECT {', '.join(_VISIT)}, {LOOKED_AT} FROM steps WHERE {looks} AND url {some} ORDER BY url, step",
            {"url": url, "since": since},
        )
        for _, rows in groupby(found, key=lambda row: row["url"]):
            of_page = list(rows)
            visits = [_row(row, self._connection.path) for row in of_page]
            yield list(zip(visits, looks_of(of_page), strict=True))

    def stored(self, file: str, since: int = 0) -> dict[int, StoredPage]:
        """The pages after a step whose records lie in one WARC file, by offset."""
        found = self._connection.execute(
            "SELECT warc_offset, step, relevance, coalesce(title, ''), coalesce(media_type, ''), rendering "
            "FROM steps WHERE step > ? AND kind = 'page' AND owner IS NULL AND warc_file = ?",
            (since, file),
        )
        return {
            at: StoredPage(
                step=step, relevance=relevance or 0.0, title=title, media_type=kind, dom=dom_in(rendering)
            )
            for at, step, relevance, title, kind, rendering in found
        }

    def linked(self) -> Iterator[tuple[Millis, Url, Sequence[Url]]]:
        """The pages in the order of the crawl: when, the URL that was asked for, and the distinct URLs they link to."""
        rows = self._connection.execute(
            f"SELECT at, url, final_url, links FROM steps WHERE {LATEST} ORDER BY step"
        )
        return ((Millis(row["at"]), Url(row["url"]), distinct_targets(row)) for row in rows)

    def last(self) -> tuple[int, Millis]:
        """The number of the last step, and when it was; zeros of an empty journal."""
        found = self._connection.execute("SELECT step, at FROM steps ORDER BY step DESC LIMIT 1").fetchone()
        return (found[0], Millis(found[1])) if found else (0, Millis(0))

    def failures(self, since: int = 0, most: int | None = None) -> Iterator[Row]:
        """The last visits of URLs that failed, in the order of the crawl; at most so many for each reason."""
        failed = f"step > :since AND kind = 'failure' AND {FINAL}"
        if most is not None:
            counted = (
                "SELECT step, row_number() OVER (PARTITION BY reason ORDER BY step) AS number FROM counted "
                "WHERE step > :since AND reason IS NOT NULL"
            )
            failed = f"step IN (SELECT step FROM ({counted}) WHERE number <= :most)"
        found = self._connection.execute(
            f"{_SELECT} WHERE {failed} ORDER BY step", {"since": since, "most": most}
        )
        return (_row(row, self._connection.path) for row in found)

    def best(self, n: int) -> list[Row]:
        """The most relevant pages, the earlier first where they are equally so."""
        found = self._connection.execute(
            f"{_SELECT} WHERE step IN (SELECT step FROM ({_once('step, relevance')}) WHERE relevance IS NOT NULL "
            "ORDER BY relevance DESC, step LIMIT ?) ORDER BY relevance DESC, step",
            (n,),
        )
        return [_row(row, self._connection.path) for row in found]

    def row(self, step: int) -> Row | None:
        """The visit of a step, None if there is none."""
        found = self._connection.execute(f"{_SELECT} WHERE step = ? AND url IS NOT NULL", (step,)).fetchone()
        return _row(found, self._connection.path) if found else None

    def visits(self, url: Url) -> list[Row]:
        """All visits that concern a URL, in order: requested, redirected from or arrived at."""
        found = self._connection.execute(
            f"{_SELECT} WHERE step IN (SELECT step FROM steps WHERE url = :url UNION "
            "SELECT step FROM steps WHERE final_url = :url UNION SELECT step FROM hops WHERE url = :url) "
            "ORDER BY step",
            {"url": url},
        )
        return [_row(row, self._connection.path) for row in found]

    def outcomes(self) -> Iterator[tuple[Url, int, Millis, bool]]:
        """Every visit that brought a page or failed: URL, step, when it was fetched, and whether it brought one."""
        rows = self._connection.execute(
            f"SELECT url, step, fetched_at, kind = 'page' FROM steps WHERE {OUTCOME}"
        )
        return ((Url(url), step, Millis(at), bool(is_page)) for url, step, at, is_page in rows)

    def hashes(self) -> Hashes:
        """Hashes of their URLs, each once: these of ten million URLs take 80 MB."""
        import numpy as np

        rows = self._connection.execute(f"SELECT url FROM steps NOT INDEXED WHERE {OUTCOME}")
        return np.unique(np.fromiter((hash(url) for (url,) in rows), np.int64))

    def found_at(self, wanted: Collection[Url]) -> dict[Url, Millis]:
        """When the crawl first knew of each of these URLs: as a start page or by name, by a link on a page, or by
        visiting it. Those it never knew of are left out. One pass over the journal.
        """
        found: dict[Url, Millis] = {}
        for row in self._connection.execute(
            "SELECT at, kind, event, url, final_url, links FROM steps ORDER BY step"
        ):
            for url in (row["url"], row["final_url"], *_named(row), *unpack_targets(row["links"])):
                if url in wanted:
                    found.setdefault(url, Millis(row["at"]))
        return found

    def markings(self, since: int = 0) -> list[Marking]:
        """The marks taken in after a step, in their order."""
        rows = self._connection.execute(
            f"SELECT step, event, commands FROM steps WHERE step > ? AND {IS_SAID} AND kind = 'marked' "
            "ORDER BY step",
            (since,),
        )
        return [_marking(row) for row in rows]

    def blockings(self) -> list[tuple[int, Millis, Blocked]]:
        """What was said of hosts that are to be left out, in order: step, when, and what."""
        rows = self._connection.execute(
            f"SELECT step, at, event FROM steps WHERE {IS_SAID} AND kind = 'blocked' ORDER BY step"
        )
        told = ((row["step"], Millis(row["at"]), unpack_event("blocked", row["event"])) for row in rows)
        return [(step, at, said) for step, at, said in told if isinstance(said, Blocked)]

    def happened(self, since: int, most: int) -> list[Happened]:
        """What happened after a step, at most so much of it, in its order: visits, and what was said from outside.

        Of a page there is no row of the journal's fields that are only needed to read it again.
        """
        found = self._connection.execute(
            f"SELECT {', '.join(map(_cut, _TOLD))}, CASE WHEN kind = 'marked' THEN commands END AS commands, "
            "CASE WHEN url IS NULL THEN event END AS event, change IS NOT NULL OR due IS NOT NULL AS again "
            f"FROM steps WHERE step > ? AND kind IN ({', '.join('?' * len(TOLD_KINDS))}) AND origin IS NULL "
            "ORDER BY step LIMIT ?",
            (since, *TOLD_KINDS, most),
        )
        return [_happened(row, self._connection.path) for row in found]

    def before_last(self, most: int) -> int:
        """The step after which so many steps follow, or 0."""
        return max(0, self.last()[0] - most)

    def heard(self) -> int:
        """The number of the last thing said from outside that the crawl has taken in; 0 if there was none."""
        rows = self._connection.execute(f"SELECT kind, event FROM steps WHERE {IS_SAID} ORDER BY step DESC")
        said = (unpack_event(row["kind"], row["event"]) for row in rows)
        return next((each.number for each in said if isinstance(each, FromOutside) and each.number), 0)

    def path(self, visit: Row) -> list[Row]:
        """The visits that led from a start page to this one, which comes last."""
        chain = [visit]
        while chain[-1].via is not None:
            earlier = [
                row for row in self.visits(chain[-1].via) if row.step < chain[-1].step and not row.reason
            ]
            if not earlier:
                break
            chain.append(earlier[-1])
        return chain[::-1]


def _once(cells: str) -> str:
    """These cells of `counted`. The limit keeps SQLite from counting each of them again wherever it is used, where it
    was not counted as it was written."""
    return f"SELECT {cells} FROM counted LIMIT -1"


def _chosen(*, all_visits: bool, nothing_new: bool, at: Millis | None, best_first: bool) -> str:
    """Which visits, and in which order."""
    then = "" if at is None else " AND {}.fetched_at <= :at"
    which = "kind = 'page' AND owner IS NULL" if all_visits else latest(then.format("later"))
    if nothing_new:
        reasons = ", ".join(f"'{reason.value}'" for reason in NOTHING_NEW)
        failed = f"kind = 'failure' AND reason IN ({reasons}) AND {final(then.format('other'))}"
        which = f"({which} OR {failed})"
    order = "relevance DESC, step" if best_first else "step"
    return f"WHERE step > :since AND {which}{then.format('steps')} ORDER BY {order}"


def _named(row: sqlite3.Row) -> tuple[Url, ...]:
    """The URLs that came by name: start pages, and those that a person, a sitemap or a peer gave."""
    if row["event"] is None:
        return ()
    match unpack_event(row["kind"], row["event"]):
        case Started(seeds=seeds):
            return seeds
        case Operated(commands=commands):
            return tuple(command.url for command in commands if isinstance(command, Enqueue))
        case HandedOff(command=command):
            return (command.url,)
    return ()


def _marking(row: sqlite3.Row) -> Marking:
    mark = unpack_event("marked", row["event"])
    assert isinstance(mark, Marked)
    return Marking(step=row["step"], mark=mark, moved=_moved(row))


def _moved(row: sqlite3.Row) -> int:
    return len({c.url for c in unpack_commands(row["commands"]) if isinstance(c, Enqueue | Reprioritize)})


def _happened(row: sqlite3.Row, path: Path) -> Happened:
    with step_errors(path, row):
        facts = {name: row[name] for name in _TOLD if row[name] is not None}
        said = None if row["event"] is None else unpack_event(row["kind"], row["event"])
        moved = 0 if row["commands"] is None else _moved(row)
        found = Happened(**facts, again=bool(row["again"]), said=said, moved=moved)
        return found if found.final_url else msgspec.structs.replace(found, final_url=found.url)


def _row(row: sqlite3.Row, path: Path) -> Row:
    try:  # not `step_errors`, which takes as long as an eighth of the row
        return _converted(row)
    except UNREADABLE as error:
        raise damaged(path, row, error) from error


def _converted(row: sqlite3.Row) -> Row:
    values = list(row)[: len(_VISIT)]
    for place in _TEXTS_AT:
        values[place] = values[place] or ""
    for place in _NUMBERS_AT:
        values[place] = values[place] or 0
    values[_FINAL_URL] = values[_FINAL_URL] or values[_URL]
    values[_FINGERPRINT] = (values[_FINGERPRINT] or 0) % (1 << 64)
    values[_NOINDEX] = bool(values[_NOINDEX])
    values[_HOPS] = unpack_lines(values[_HOPS])
    return converted(values, Row)
