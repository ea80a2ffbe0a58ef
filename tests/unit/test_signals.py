"""What says that pages changed: dates, feeds, pings, and what a crawl makes of them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import lease, made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.looks import FIRST_BELIEVED
from lycosa.crawl.signals import PING, believed, by_clock, dated
from lycosa.crawl.split import Split, SplitRules
from lycosa.model.events import Told
from lycosa.model.records import Millis, Page, UrlState
from lycosa.model.url import Url
from lycosa.revisit.history import DAY
from lycosa.revisit.registry import policy
from lycosa.revisit.schedule import Schedule, ScheduleRules
from lycosa.strategies.best_first import BestFirst

MAY_1 = 1_777_593_600_000
HOUR = 3_600_000


@pytest.mark.parametrize(
    ("written", "at"),
    [
        ("2026-05-01", MAY_1 + DAY - 1),  # a day: its end
        ("2026-05-01T10:00Z", MAY_1 + 10 * HOUR),
        ("2026-05-01T10:00:00Z", MAY_1 + 10 * HOUR),
        ("2026-05-01T10:00:00.250+02:00", MAY_1 + 8 * HOUR + 250),
        (" Fri, 01 May 2026 10:00:00 GMT\n", MAY_1 + 10 * HOUR),
        ("01 May 2026 10:00 -0500", MAY_1 + 15 * HOUR),
        ("2026", None),  # too little
        ("2026-05", None),
        ("2026-13-01", None),
        ("yesterday", None),
        ("", None),
        ("0000-00-00", None),
        ("2026-05-01T10:00:00Z; DROP TABLE", None),
    ],
)
def test_dates_as_sitemaps_and_feeds_write_them(written: str, at: int | None) -> None:
    assert dated(written) == at


@given(st.text(max_size=80))
def test_whatever_is_written_is_a_date_or_none(written: str) -> None:
    at = dated(written)
    assert at is None or isinstance(at, int)


@pytest.mark.parametrize(
    ("told", "at"),
    [
        (MAY_1 - HOUR, MAY_1 - HOUR),
        (MAY_1 + HOUR, MAY_1),  # the end of today is now
        (MAY_1 + 2 * DAY, None),  # nobody knows what is to come
        (0, None),
        (FIRST_BELIEVED - 1, None),
        (None, None),
    ],
)
def test_dates_are_believed_within_reason(told: int | None, at: int | None) -> None:
    assert believed(None if told is None else Millis(told), Millis(MAY_1)) == at


def test_the_clock_of_a_recorded_web_is_another_one() -> None:
    assert by_clock(Millis(MAY_1), Millis(MAY_1 + HOUR), Millis(2 * HOUR)) == HOUR
    assert by_clock(Millis(MAY_1), Millis(MAY_1 + HOUR), Millis(MAY_1 + HOUR + 70)) == MAY_1


# -- what a crawl makes of them ------------------------------------------------------------------------------------


def refreshing(every: float = 10.0, **parts: Any) -> Crawl:
    """A crawl of a, which is visited again every so many days if nobody says anything."""
    rules = ScheduleRules(policy="uniform", every=every)
    crawl = make_crawl(
        BestFirst(),
        schedule=Schedule(policy("uniform"), rules),
        split=Split(SplitRules(rate=None, share=0.3)),
        **parts,
    )
    crawl.start([u("a")], Millis(MAY_1))
    crawl.plan(Millis(MAY_1))
    return crawl


def come(crawl: Crawl, at: int, *targets: Url, **facts: Any) -> Page:
    page = made_page(lease(crawl, at), *targets, fetched_at=Millis(at), **facts)
    taken = crawl.commit(page, Millis(at))
    assert isinstance(taken, Page)
    return taken


def test_a_ping_brings_the_next_visit_forward() -> None:
    crawl = refreshing()
    come(crawl, MAY_1, text="one")
    due = crawl.frontier.due(u("a"))
    assert due is not None
    assert due > MAY_1 + 5 * DAY
    crawl.hear(Told(changed=((u("a"), Millis(0)),), by=PING), Millis(MAY_1 + DAY))
    assert crawl.frontier.due(u("a")) == MAY_1 + DAY
    assert lease(crawl, MAY_1 + DAY).url == u("a")


def test_a_ping_for_a_url_that_is_new_enters_as_a_link() -> None:
    crawl = refreshing()
    come(crawl, MAY_1)
    crawl.hear(Told(changed=((u("b"), Millis(0)),), by=PING), Millis(MAY_1 + DAY))
    assert crawl.frontier.state(u("b")) is UrlState.PENDING


def test_word_of_what_was_seen_already_is_no_news() -> None:
    crawl = refreshing()
    come(crawl, MAY_1)
    due = crawl.frontier.due(u("a"))
    crawl.hear(Told(changed=((u("a"), Millis(MAY_1 - HOUR)),), by="sitemap"), Millis(MAY_1 + DAY))
    assert crawl.frontier.due(u("a")) == due


def test_those_who_cry_wolf_are_not_heeded_at_once() -> None:
    """A sitemap says each day that the page changed; it never does."""
    crawl = refreshing(every=30.0)
    come(crawl, MAY_1, text="the same")
    asked = []
    for day in range(1, 11):
        now = MAY_1 + day * DAY
        crawl.hear(Told(changed=((u("a"), Millis(now)),), by="sitemap"), Millis(now))
        if (request := crawl.lease(Millis(now))) is not None:
            asked.append(day)
            page = made_page(request, text="the same", fetched_at=Millis(now))
            crawl.commit(page, Millis(now))
    assert asked[0] == 1
    assert len(asked) <= 3


def test_a_page_s_feed_is_a_link_of_a_crawl_that_visits_pages_again() -> None:
    feed = u("a/feed")
    crawl = refreshing()
    page = come(crawl, MAY_1, feed=feed)
    waiting = crawl.frontier.waiting(feed)
    assert waiting is not None
    assert waiting.via is not None
    assert (waiting.score, waiting.depth, waiting.via.source, waiting.via.rel) == (
        page.relevance,
        1,
        u("a"),
        "alternate",
    )


def test_it_is_none_of_a_crawl_that_does_not() -> None:
    crawl = make_crawl(BestFirst())
    crawl.start([u("a")], Millis(MAY_1))
    come(crawl, MAY_1, feed=u("a/feed"))
    assert crawl.frontier.state(u("a/feed")) is UrlState.UNSEEN


def test_new_items_of_a_feed_are_links_at_once_and_dates_bring_known_ones_forward() -> None:
    feed, old, new = u("a/feed"), u("a/old"), u("a/new")
    crawl = refreshing()
    come(crawl, MAY_1, old, feed=feed)
    waits = {come(crawl, MAY_1 + n, *([old] if n == 1 else [])).url for n in (1, 2)}
    assert waits == {feed, old}
    due = crawl.frontier.due(feed)
    assert due is not None
    crawl.hear(Told(changed=((feed, Millis(0)),), by=PING), Millis(MAY_1 + DAY))
    now = MAY_1 + DAY
    request = lease(crawl, now)
    assert request.url == feed
    told = ((old, Millis(MAY_1 + HOUR)), (new, Millis(MAY_1 + HOUR)), (u("z"), Millis(MAY_1 + HOUR)))
    crawl.commit(made_page(request, old, new, text="items", fetched_at=Millis(now), dated=told), Millis(now))
    assert crawl.frontier.state(new) is UrlState.PENDING  # by its link
    assert crawl.frontier.state(u("z")) is UrlState.UNSEEN  # a date is no link
    due = crawl.frontier.due(old)
    assert due is not None
    assert due <= now
