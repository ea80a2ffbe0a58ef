"""Steps as rows of the table `steps`: facts in columns of their own, so that a question is plain SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from lycosa.model.decoding import json_reader
from lycosa.model.errors import FolderError
from lycosa.model.events import Entry, Event, Parcel
from lycosa.model.nodes import Node, Origin
from lycosa.model.records import (
    Arrival,
    Change,
    Failure,
    Gone,
    Link,
    Millis,
    Page,
    Reason,
    RecordRef,
    Rendering,
    Request,
    Unchanged,
    Worth,
    with_links,
)
from lycosa.model.url import Url
from lycosa.store.codec import (
    KIND,
    pack_commands,
    pack_event,
    pack_lines,
    pack_parcels,
    pack_rights,
    pack_targets,
    pack_via,
    unpack_commands,
    unpack_event,
    unpack_lines,
    unpack_parcels,
    unpack_rights,
    unpack_targets,
    unpack_via,
)

_read_rendering = json_reader(Rendering)

Rehydrate = Callable[[Page], Page | None]
"""Given a page that lacks text, headings, terms and links: the page whole, read again from its WARC record, or None
if that cannot be read."""

COMMON = ("step", "at", "kind", "leased", "event", "commands", "sent")
VISIT = (
    *(
        "url",
        "final_url",
        "status",
        "via",
        "anchor",
        "depth",
        "score",
        "tier",
        "rank",
        "attempt",
        "entered",
        "address",
    ),
    *("elapsed", "crawl_delay", "hops", "via_link", "due"),
)
PAGE = (
    *("fetched_at", "relevance", "title", "description", "language", "media_type", "digest", "fingerprint"),
    *("noindex", "warc_file", "warc_offset", "warc_length", "links", "etag", "last_modified"),
    *("change", "importance", "divergence", "new_links", "lost_links"),
    *("owner", "origin", "rendering", "rights"),
)
UNCHANGED = ("fetched_at", "etag", "last_modified", "warc_file", "warc_offset", "warc_length")
GONE = ("fetched_at", "detail")
FAILURE = (
    *("reason", "detail", "fetched_at", "retry_after"),
    *("title", "warc_file", "warc_offset", "warc_length"),
)

INSERT = {
    "page": COMMON + VISIT + PAGE,
    "failure": COMMON + VISIT + FAILURE,
    "unchanged": COMMON + VISIT + UNCHANGED,
    "gone": COMMON + VISIT + GONE,
    "other": COMMON,
}


def insert_statement(columns: tuple[str, ...]) -> str:
    return f"INSERT INTO steps ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def row_of(entry: Entry) -> tuple[Any, ...]:
    """The values of a step in the order of `INSERT` for its kind."""
    event = entry.event
    kind = KIND[type(event).__name__]
    leased = pack_lines(entry.leased)
    if isinstance(event, Page):
        common = (pack_commands(entry.commands, event.links), pack_parcels(entry.sent, event.links))
        return (entry.step, entry.at, kind, leased, None, *common, *_visit(event), *_page(event))
    common = (pack_commands(entry.commands), pack_parcels(entry.sent))
    if isinstance(event, Failure):
        failure = (event.reason.value, event.detail, event.at, event.retry_after, event.title or None)
        record = _place(event.record)
        return (entry.step, entry.at, kind, leased, None, *common, *_visit(event), *failure, *record)
    if isinstance(event, Unchanged):
        told = (event.at, event.etag, event.last_modified, *_place(event.record))
        return (entry.step, entry.at, kind, leased, None, *common, *_visit(event), *told)
    if isinstance(event, Gone):
        return (entry.step, entry.at, kind, leased, None, *common, *_visit(event), event.at, event.detail)
    return (entry.step, entry.at, kind, leased, pack_event(event), *common)


def _visit(visit: Arrival) -> tuple[Any, ...]:
    request = visit.request
    via = request.via
    final_url = None if isinstance(visit, Page) and visit.final_url == request.url else visit.final_url
    return (
        request.url,
        final_url,
        visit.status,
        via.source if via is not None else None,
        via.anchor if via is not None else None,
        request.depth,
        request.score,
        request.tier,
        request.rank,
        request.attempt,
        request.order,
        visit.address,
        visit.elapsed,
        visit.crawl_delay,
        pack_lines(visit.hops),
        pack_via(via, request.url),
        request.due,
    )


def _place(record: RecordRef | None) -> tuple[Any, ...]:
    return (None, None, None) if record is None else (record.file, record.offset, record.length)


def _page(page: Page) -> tuple[Any, ...]:
    return (
        page.fetched_at,
        page.relevance,
        page.title,
        page.description,
        page.language,
        page.media_type,
        page.digest,
        page.fingerprint - (1 << 64) if page.fingerprint >> 63 else page.fingerprint,
        page.noindex,
        *_place(page.record),
        pack_targets(page.targets),
        page.etag or None,
        page.last_modified or None,
        *_change(page.change),
        page.owner or None,
        _written(page.origin),
        None if page.rendering is None else msgspec.json.encode(page.rendering).decode(),
        pack_rights(page.rights),
    )


def _written(origin: Origin | None) -> str | None:
    return None if origin is None else f"{origin.node}/{origin.life}/{origin.number}"


def origin_of(written: str | None) -> Origin | None:
    """The parcel in which a page came, as the journal writes it: `node/life/number`."""
    if written is None:
        return None
    node, life, number = written.rsplit("/", 2)
    return Origin(node=Node(node), life=life, number=int(number))


def rendering_of(written: str | None) -> Rendering | None:
    """What a browser had to do with a page, as the journal writes it; None: nothing."""
    return None if not written else _read_rendering(written)


def dom_in(written: str | None) -> RecordRef | None:
    """Where what a browser made of a page lies, by the same."""
    rendering = rendering_of(written)
    return None if rendering is None else rendering.record


def _change(change: Change | None) -> tuple[Any, ...]:
    if change is None:
        return (None,) * 5
    return (
        change.worth.value,
        change.importance,
        change.divergence,
        change.new_links,
        change.lost_links,
    )


def change_of(row: sqlite3.Row) -> Change | None:
    """What a page that was fetched again differed by; None of a first visit."""
    if row["change"] is None:
        return None
    return Change(
        worth=Worth(row["change"]),
        importance=row["importance"],
        divergence=row["divergence"],
        new_links=row["new_links"],
        lost_links=row["lost_links"],
    )


def request_of(row: sqlite3.Row) -> Request:
    url = Url(row["url"])
    return Request(
        url=url,
        order=row["entered"],
        via=unpack_via(row["via_link"], url, Url(row["via"] or ""), row["anchor"] or ""),
        depth=row["depth"],
        score=row["score"],
        tier=row["tier"],
        attempt=row["attempt"],
        rank=row["rank"] or 0,
        due=row["due"],
    )


def record_of(row: sqlite3.Row) -> RecordRef | None:
    if row["warc_file"] is None:
        return None
    return RecordRef(file=row["warc_file"], offset=row["warc_offset"], length=row["warc_length"])


def bare_page(row: sqlite3.Row) -> Page:
    """A page as far as the journal keeps it: no text, headings, terms or links."""
    request = request_of(row)
    return Page(
        request=request,
        final_url=Url(row["final_url"] or request.url),
        status=row["status"],
        fetched_at=Millis(row["fetched_at"]),
        media_type=row["media_type"],
        digest=row["digest"],
        title=row["title"],
        text="",
        links=(),
        relevance=row["relevance"],
        description=row["description"],
        language=row["language"],
        fingerprint=row["fingerprint"] % (1 << 64),
        noindex=bool(row["noindex"]),
        record=record_of(row),
        address=row["address"],
        elapsed=Millis(row["elapsed"]),
        crawl_delay=row["crawl_delay"],
        hops=unpack_lines(row["hops"]),
        etag=row["etag"] or "",
        last_modified=row["last_modified"] or "",
        change=change_of(row),
        owner=Node(row["owner"] or ""),
        origin=origin_of(row["origin"]),
        rendering=rendering_of(row["rendering"]),
        rights=unpack_rights(row["rights"]),
    )


def _unchanged(row: sqlite3.Row) -> Unchanged:
    request = request_of(row)
    return Unchanged(
        request=request,
        at=Millis(row["fetched_at"]),
        final_url=Url(row["final_url"] or request.url),
        etag=row["etag"] or "",
        last_modified=row["last_modified"] or "",
        record=record_of(row),
        status=row["status"],
        address=row["address"],
        elapsed=Millis(row["elapsed"]),
        crawl_delay=row["crawl_delay"],
        hops=unpack_lines(row["hops"]),
    )


def _gone(row: sqlite3.Row) -> Gone:
    return Gone(
        request=request_of(row),
        at=Millis(row["fetched_at"]),
        status=row["status"],
        detail=row["detail"],
        final_url=row["final_url"],
        address=row["address"],
        elapsed=Millis(row["elapsed"]),
        crawl_delay=row["crawl_delay"],
        hops=unpack_lines(row["hops"]),
    )


def _failure(row: sqlite3.Row) -> Failure:
    request = request_of(row)
    return Failure(
        request=request,
        reason=Reason(row["reason"]),
        detail=row["detail"],
        at=Millis(row["fetched_at"]),
        status=row["status"],
        final_url=row["final_url"],
        retry_after=row["retry_after"],
        address=row["address"],
        elapsed=Millis(row["elapsed"]),
        crawl_delay=row["crawl_delay"],
        hops=unpack_lines(row["hops"]),
        title=row["title"] or "",
        record=record_of(row),
    )


def page_of(row: sqlite3.Row, rehydrate: Rehydrate) -> Page:
    """The page whole; without a WARC record that can be read with bare links (source and target) and no text."""
    return _whole(row, rehydrate) or with_bare_links(bare_page(row), row)


def _whole(row: sqlite3.Row, rehydrate: Rehydrate) -> Page | None:
    page = bare_page(row)
    if page.record is None:
        return None
    found = rehydrate(page)
    return None if found is None else with_links(found, len(unpack_targets(row["links"])))


def with_bare_links(page: Page, row: sqlite3.Row) -> Page:
    links = tuple(Link(source=page.final_url, target=target) for target in unpack_targets(row["links"]))
    return msgspec.structs.replace(page, links=links)


@contextmanager
def step_errors(path: Path, row: sqlite3.Row) -> Iterator[None]:
    """What cannot be read of a step is a `FolderError` that names it."""
    try:
        yield
    except UNREADABLE as error:
        raise damaged(path, row, error) from error


UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, msgspec.MsgspecError)
"""What reading a damaged step raises."""


def damaged(path: Path, row: sqlite3.Row, error: Exception) -> FolderError:
    """What is said of a step that cannot be read."""
    return FolderError(
        f"{path}: step {row['step']} is damaged ({type(error).__name__}: {error}); bring back a copy of the file"
    )


def entry_of(row: sqlite3.Row, rehydrate: Rehydrate) -> Entry:
    event: Event
    kind = row["kind"]
    commands = None
    sent: tuple[Parcel, ...] | None = None
    bare = False
    if kind == "page":
        whole = _whole(row, rehydrate)
        event = page = whole or with_bare_links(bare_page(row), row)
        bare = whole is None and page.record is not None
        targets = unpack_targets(row["links"])

        def link_at(index: int) -> Link:
            """The link as it stands on the page, or bare if the page is read differently today."""
            if index < len(page.links) and page.links[index].target == targets[index]:
                return page.links[index]
            return Link(source=page.final_url, target=targets[index])

        commands = unpack_commands(row["commands"], targets, link_at)
        sent = unpack_parcels(row["sent"], page, targets, link_at)
    elif kind == "failure":
        event = _failure(row)
    elif kind == "unchanged":
        event = _unchanged(row)
    elif kind == "gone":
        event = _gone(row)
    else:
        event = unpack_event(kind, row["event"])
    return Entry(
        step=row["step"],
        at=Millis(row["at"]),
        leased=unpack_lines(row["leased"]),
        event=event,
        commands=unpack_commands(row["commands"]) if commands is None else commands,
        sent=unpack_parcels(row["sent"]) if sent is None else sent,
        bare=bare,
    )
