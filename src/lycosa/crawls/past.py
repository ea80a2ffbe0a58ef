"""Pages as they were: which versions a crawl has of them, what changed, and what was there at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

from lycosa.archive.cdxj import UNKNOWN, Capture
from lycosa.archive.mementos import captures_of
from lycosa.crawls.answers import LinkOfPage, TimeMap, Version
from lycosa.model.errors import InputError
from lycosa.model.records import Link, Look, Millis, RecordRef, Sight
from lycosa.model.url import Url
from lycosa.store.history import History, Row
from lycosa.store.paths import Paths

TOLD = frozenset({Sight.FIRST, Sight.CHANGED, Sight.GONE, Sight.BACK})
"""What a person wants to know of: not that all is as it was, nor that a template changed."""


class Past:
    """Answers questions about earlier times.

    Invariants, each the name of a property test:

    * point in time: of the captures of a URL, `page` and `capture` give the latest that is not after the time asked
      for.
    """

    def __init__(self, history: History, paths: Paths) -> None:
        self._history, self._paths = history, paths

    # -- one page --------------------------------------------------------------------------------------------

    def page(self, url: Url, at: Millis | None = None) -> Row | None:
        """The visit that brought a page by whichever of its names, the latest not after a time; None if none did."""
        visits = (visit for visit in self._history.visits(url) if visit.kind == "page")
        then = [visit for visit in visits if at is None or visit.fetched_at <= at]
        return max(then, key=lambda visit: (visit.fetched_at, visit.step), default=None)

    def capture(self, url: Url, at: Millis | None = None) -> Capture | None:
        """The latest capture not after a time: of a page, or else of anything that was fetched by this URL, such as a
        redirect, an error page or a robots.txt. The times of these are known to the second."""
        page = self.page(url, at)
        if page is not None and (record := record_of(page)) is not None:
            return Capture(
                url=page.final_url,
                at=page.fetched_at,
                ref=record,
                mime=page.media_type or UNKNOWN,
                status=page.status,
                digest=page.digest,
            )
        then = [each for each in self.captures(url) if at is None or each.at <= at]
        return then[-1] if then else None

    def visit(self, capture: Capture) -> Row | None:
        """The visit to a page that brought a capture; None: it was none of a page."""
        visits = self._history.visits(Url(capture.url))
        return next((visit for visit in visits if record_of(visit) == capture.ref), None)

    def timemap(self, url: Url) -> TimeMap:
        """Raises `InputError` for a URL of which there is no capture."""
        return timemap(url, self.captures(url))

    def captures(self, url: Url) -> list[Capture]:
        """All captures of a URL, oldest first."""
        return captures_of(self._paths.archive, url)

    def versions(self, url: Url) -> list[Version]:
        """Every look at a page by whichever of its names, oldest first."""
        asked = dict.fromkeys(visit.url for visit in self._history.visits(url) if visit.kind == "page")
        found = [
            version for each in asked for looks in self._history.looked(each) for version in _told(looks)
        ]
        return in_time(found)

    # -- all pages -------------------------------------------------------------------------------------------

    def changes(self, url: Url | None = None, since: Millis = Millis(0)) -> list[Version]:
        """Which pages appeared, changed, went and came back since a time, oldest first: all, or one."""
        told = self.versions(url) if url is not None else self._all_since(since)
        return in_time(version for version in told if version.at >= since and Sight(version.sight) in TOLD)

    def _all_since(self, since: Millis) -> Iterable[Version]:
        return (version for looks in self._history.looked(since=since) for version in _told(looks))


AnyVersion = TypeVar("AnyVersion", bound=Version)


def in_time(versions: Iterable[AnyVersion]) -> list[AnyVersion]:
    """Oldest first."""
    return sorted(versions, key=lambda version: (version.at, version.step))


def timemap(url: Url, captures: Sequence[Capture]) -> TimeMap:
    """Raises `InputError` if there are none."""
    if captures:
        return TimeMap(url=url, captures=tuple(captures))
    raise InputError(f"{url}: the crawl did not fetch it; lycosa why DIR URL tells more")


def links_told(links: Iterable[Link], latest: Callable[[Url], Row | None], most: int) -> list[LinkOfPage]:
    """The targets of links, each once; `latest` gives the visit that brought a page."""
    by_target: dict[Url, list[Link]] = {}
    for link in links:
        by_target.setdefault(link.target, []).append(link)
    found = []
    for url, same in islice(by_target.items(), most):
        row = latest(url)
        found.append(
            LinkOfPage(
                url=url,
                anchor=same[0].anchor,
                nofollow=all(link.nofollow for link in same),
                relevance=None if row is None else row.relevance,
                title="" if row is None else row.title,
            )
        )
    return found


def record_of(visit: Row) -> RecordRef | None:
    """Where its record lies, None if there is none."""
    if visit.warc_file is None or visit.warc_offset is None or visit.warc_length is None:
        return None
    return RecordRef(file=visit.warc_file, offset=visit.warc_offset, length=visit.warc_length)


def _told(looks: Sequence[tuple[Row, Look]]) -> Iterable[Version]:
    """The looks at one page. What a look did not tell is as it was at the page before: title and digest.

    Times are those of the answers, as in the archive: on a recorded web the clock of the crawl is another one.
    """
    page, was_gone = looks[0][0], False
    for visit, look in looks:
        page = visit if visit.kind == "page" else page
        is_gone = look.sight is Sight.GONE
        sight = Sight.SAME if is_gone and was_gone else look.sight
        was_gone = is_gone
        yield Version(
            url=visit.url,
            final_url=visit.final_url,
            at=visit.fetched_at,
            sight=sight.value,
            status=visit.status,
            step=visit.step,
            title=page.title,
            relevance=look.relevance,
            importance=look.importance,
            divergence=look.divergence,
            new_links=look.new_links,
            lost_links=visit.lost_links,
            digest=page.digest,
            record=record_of(visit),
        )
