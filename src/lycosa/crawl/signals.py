"""What says that pages changed: the dates in sitemaps and feeds, and where the feeds are."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from lycosa.crawl.looks import FIRST_BELIEVED
from lycosa.model.commands import Enqueue
from lycosa.model.errors import InputError
from lycosa.model.moments import moment
from lycosa.model.records import Link, Millis, Page, UrlState
from lycosa.model.url import Url

PING: Final = "ping"
"""Who says so if somebody does in person: always believed."""
_DAY: Final = Millis(86_400_000)
_TO_THE_DAY: Final = len("2024-05-01")


def dated(raw: str) -> Millis | None:
    """When something changed, as sitemaps and Atom write it (W3C datetime) or RSS does (RFC 822).

    A day without a time is its end, for the change may have come as late. None for what is no date, and for a month or
    a year alone, which tells too little.
    """
    written = raw.strip()[:64]
    if len(written) < _TO_THE_DAY:
        return None
    try:
        if written[:4].isdigit():
            return moment(written, last=len(written) == _TO_THE_DAY)
        from email.utils import parsedate_to_datetime  # as in `lycosa.crawl.looks`

        return Millis(round(parsedate_to_datetime(written).timestamp() * 1000))
    except (InputError, ValueError, TypeError, OverflowError):
        return None


def believed(told: Millis | None, seen_at: Millis) -> Millis | None:
    """A date as far as it can be true of what was seen then: ahead by no more than a day, as days end later and clocks
    differ, and then it is taken for now; and not before 1995."""
    if told is None or not FIRST_BELIEVED <= told <= seen_at + _DAY:
        return None
    return min(told, seen_at)


def by_clock(told: Millis, seen_at: Millis, at: Millis) -> Millis:
    """The time of a server's, seen at its `seen_at`, by the clock of a crawl that has `at` for that. They differ on a
    recorded web; what lies between an answer and its commit is no difference."""
    ahead = at - seen_at
    return Millis(told + ahead) if abs(ahead) > _DAY else told


def told_by(page: Page, now: Millis) -> Iterable[tuple[Url, Millis]]:
    """The pages of a feed's items, and when it says that they changed, by the crawl's clock."""
    for url, told in page.dated:
        if (at := believed(told, page.fetched_at)) is not None:
            yield url, by_clock(at, page.fetched_at, now)


def feed_of(page: Page, state: Callable[[Url], UrlState]) -> Iterable[Enqueue]:
    """What asks for the feed that a page names, as a link that is worth as much as the page."""
    feed = page.feed
    if feed is not None and state(feed) is UrlState.UNSEEN:
        yield Enqueue(url=feed, score=page.relevance, via=Link(source=page.url, target=feed, rel="alternate"))
