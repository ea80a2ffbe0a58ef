"""The archive and its reasons: why, pages as they were, what changed, and all of it in one file."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, BinaryIO

import msgspec
from starlette.responses import Response

from lycosa.console.desk import Desk
from lycosa.console.flowing import Flowing
from lycosa.console.problems import NotThere
from lycosa.console.rest.crawls import MOST
from lycosa.console.rest.operation import OfCrawl, Operation
from lycosa.crawls.answers import Explanation, LinkOfPage, PageRow, TimeMap, Version
from lycosa.crawls.corpus.selection import Selection
from lycosa.crawls.packed import write_packed
from lycosa.crawls.word_difference import Piece
from lycosa.model.moments import moment
from lycosa.model.records import Millis, Record

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
Moment = Annotated[str, msgspec.Meta(max_length=100)]


class OfUrl(OfCrawl, frozen=True, kw_only=True):
    """What is asked of one URL."""

    url: Text


class OfUrlThen(OfUrl, frozen=True, kw_only=True):
    """What is asked of a page as it was at a time."""

    at: Moment = ""
    """Such as `2026-11-20`, which has all of that day, `2026-11-20T16:30Z` or `20261120163000`; empty: the latest."""


class Difference(OfUrl, frozen=True, kw_only=True):
    """Two times of a page."""

    earlier: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    """Written as `at` of `/page`."""
    later: Moment = ""
    """Empty: the latest."""


class ChangesSince(OfCrawl, frozen=True, kw_only=True):
    """Which changes."""

    url: Annotated[str, msgspec.Meta(max_length=10_000)] = ""
    """Of one page; empty: of all."""
    since: Moment = ""
    """Written as `at` of `/page`; here a day is its beginning. Empty: from the first on."""
    skip: Annotated[int, msgspec.Meta(ge=0)] = 0
    """So many of the first ones are left out."""
    most: Annotated[int, msgspec.Meta(ge=1, le=MOST)] = 100


class Changes(Record, frozen=True, kw_only=True):
    """Which pages appeared, changed, went and came back."""

    changes: tuple[Version, ...]
    """Oldest first."""
    total: int
    """How many there are, those that are left out too."""


class LinksOf(OfUrl, frozen=True, kw_only=True):
    """Which links."""

    most: Annotated[int, msgspec.Meta(ge=1, le=MOST)] = MOST


class Pack(OfCrawl, frozen=True, kw_only=True):
    """What goes into the file."""

    at: Moment = ""
    """Pages as they were then; empty: as they are."""
    text: bool = True
    """Whether pages have their texts, by which a reader can be searched."""


def explain_url(desk: Desk, given: OfUrl) -> Explanation:
    """Tell why a URL was fetched, was not, or waits."""
    with desk.opened(given.name) as folder:
        return folder.why(given.url)


def page_links(desk: Desk, given: LinksOf) -> list[LinkOfPage]:
    """List what a page links to, each URL once."""
    with desk.opened(given.name) as folder:
        return list(folder.links_of(given.url, given.most))


def read_page(desk: Desk, given: OfUrlThen) -> PageRow:
    """Give a page as it was at a time, with its text."""
    with desk.opened(given.name) as folder:
        found = folder.page(given.url, end_of(given.at))
    if found is None:
        raise NotThere(f"{given.url}: brought no page by then; /why tells more")
    return found


def page_versions(desk: Desk, given: OfUrl) -> list[Version]:
    """List every look that was taken at a page, oldest first."""
    with desk.opened(given.name) as folder:
        return list(folder.versions(given.url))


def page_captures(desk: Desk, given: OfUrl) -> TimeMap:
    """List all captures of a URL, also of what is no page, oldest first."""
    with desk.opened(given.name) as folder:
        return folder.timemap(given.url)


def page_difference(desk: Desk, given: Difference) -> list[Piece]:
    """Tell what differs between the texts of a page at two times, word by word."""
    latest = Millis(1 << 52)
    with desk.opened(given.name) as folder:
        return folder.difference(given.url, moment(given.earlier, last=True), end_of(given.later) or latest)


def list_changes(desk: Desk, given: ChangesSince) -> Changes:
    """List which pages appeared, changed, went and came back since a time."""
    since = moment(given.since) if given.since else Millis(0)
    with desk.opened(given.name) as folder:
        found = folder.changes(given.url, since)
    return Changes(changes=tuple(found[given.skip : given.skip + given.most]), total=len(found))


def pack_crawl(desk: Desk, given: Pack) -> Response:
    """Give the whole archive of a crawl in one WACZ file, with its pages, the most relevant first."""
    end_of(given.at)
    with desk.opened(given.name):  # no such crawl: told before the file begins
        pass
    file = Flowing(partial(_pack, desk, given), "application/wacz", f"{given.name}.wacz")
    file.headers["Content-Encoding"] = "identity"  # its records are compressed already
    return file


def _pack(desk: Desk, given: Pack, file: BinaryIO) -> None:
    with desk.opened(given.name) as folder:
        now = Millis(round(time.time() * 1000))
        write_packed(folder, file, now, Selection(text=given.text, at=end_of(given.at)))


def end_of(written: str) -> Millis | None:
    return moment(written, last=True) if written else None


def _asked(
    path: str,
    answer: Callable[..., object],
    takes: type[Record],
    gives: object,
    kind: str = "application/json",
) -> Operation:
    return Operation(
        method="GET",
        path=f"/crawls/{{name}}/{path}",
        answer=answer,
        takes=takes,
        gives=gives,
        tag="archive",
        media_type=kind,
    )


OPERATIONS = (
    _asked("why", explain_url, OfUrl, Explanation),
    _asked("page", read_page, OfUrlThen, PageRow),
    _asked("page-links", page_links, LinksOf, list[LinkOfPage]),
    _asked("versions", page_versions, OfUrl, list[Version]),
    _asked("captures", page_captures, OfUrl, TimeMap),
    _asked("difference", page_difference, Difference, list[Piece]),
    _asked("changes", list_changes, ChangesSince, Changes),
    _asked("wacz", pack_crawl, Pack, bytes, "application/wacz"),
)
