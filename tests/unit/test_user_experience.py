"""What visitors saw beside good pages, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.worlds import CosineTopic, by_table, drive, lease, make_crawl, u, visited

from lycosa.crawl.inputs import PageView, UsageLog
from lycosa.model.records import Millis
from lycosa.strategies.intelligent.interest import Base
from lycosa.strategies.intelligent.user_experience import UserExperience
from lycosa.strategies.intelligent.visitor_features import Traces

MINUTE = 60_000


def log_of(views: dict[int, list[tuple[str, int]]]) -> UsageLog:
    """By user: names of pages with the minutes at which they were seen."""
    names = list(dict.fromkeys(name for seen in views.values() for name, _ in seen))
    sessions = tuple(
        tuple(PageView(url=names.index(name), at=Millis(minute * MINUTE)) for name, minute in seen)
        for seen in views.values()
    )
    return UsageLog(urls=tuple(u(name) for name in names), users=tuple(views), sessions=sessions)


def counted(traces: Traces, good: str, other: str) -> Base:
    base = Base()
    for name in good + other:
        base.pages += 1
        base.good += name in good
        traces.count(u(name), name in good)
    return base


def test_affinity_by_hand() -> None:
    """KAT §3.17: user 1 saw 2 satisfying of 2, user 2 none of 2; P = 1/2: A = 2 and 0, smoothed 5/3 and 1/3."""
    log = log_of({1: [("a", 0), ("b", 1), ("x", 99)], 2: [("c", 0), ("d", 1), ("y", 99)]})
    traces = Traces(log, Millis(10 * MINUTE))
    base = counted(traces, "ab", "cd")
    assert traces.affinities(base, 1e-12)[1:] == pytest.approx([2.0, 0.0])
    assert traces.affinities(base, 0.5)[1:] == pytest.approx([5 / 3, 1 / 3])
    traces.weigh(base, 0.5, boost=1.0)
    x, y = traces.number(u("x")), traces.number(u("y"))
    assert x is not None
    assert y is not None
    assert traces.scores[x] == pytest.approx(np.log(5 / 3))  # seen long after: no boost
    assert traces.scores[y] == 0.0


def test_what_was_seen_within_ten_minutes_counts_twice() -> None:
    """Ten minutes are within the window, eleven are not."""
    log = log_of({0: [("before", 0), ("good", 10), ("after", 20), ("late", 21)]})
    traces = Traces(log, Millis(10 * MINUTE))
    traces.count(u("bad"), False)
    near = traces.count(u("good"), True)
    assert [traces.urls[number] for number in near] == [u("before"), u("good"), u("after")]
    base = Base()
    base.pages, base.good = 2, 1
    traces.weigh(base, 0.5, boost=1.0)
    by_name = dict(zip(traces.urls, traces.scores.tolist(), strict=True))
    assert by_name[u("after")] == pytest.approx(2 * by_name[u("late")])
    assert by_name[u("late")] == pytest.approx(np.log(1.5 / 1.0))


def test_users_add_up_and_several_views_of_one_count_once() -> None:
    log = log_of({0: [("a", 0), ("x", 50), ("x", 90)], 1: [("a", 0), ("x", 99)]})
    traces = Traces(log, Millis(0))
    base = counted(traces, "a", "b")
    traces.weigh(base, 0.5, boost=0.0)
    x = traces.number(u("x"))
    assert x is not None
    assert traces.scores[x] == pytest.approx(2 * np.log(1.5 / 1.0))


GRAPH = {"s": "gyx", "g": "", "x": "", "y": "", "hidden": ""}
TEXTS = {"g": "coral", "x": "tax", "y": "tax", "hidden": "coral"}


def test_what_the_visitor_of_a_good_page_saw_goes_first_links_or_not() -> None:
    """Users saw g, then x, and a page that no link leads to; y stands before x on the page s."""
    log = log_of({0: [("g", 0), ("x", 1), ("hidden", 2)], 1: [("y", 0)]})
    crawl = make_crawl(UserExperience(log, every=1, users=5), topic=CosineTopic("coral"))
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table(GRAPH, TEXTS))
    order = visited(crawl)
    assert order[:2] == [u("s"), u("g")]
    assert u("hidden") in order[2:4]
    assert order[-1] == u("y")
    kept_to_links = make_crawl(UserExperience(log, every=1, follow=False), topic=CosineTopic("coral"))
    kept_to_links.start([u("s")], Millis(0))
    drive(kept_to_links, by_table(GRAPH, TEXTS))
    assert visited(kept_to_links) == [u("s"), u("g"), u("x"), u("y")]


def test_total_is_the_weighted_sum() -> None:
    """After s and g: P = 1/2, user 0 has A = 1.5/1; x was seen within the window, so 2·log 1.5, times w_u = 3."""
    log = log_of({0: [("g", 0), ("x", 1)]})
    plain = UserExperience(None, every=1)
    scores = []
    for strategy in (UserExperience(log, every=1, users=3), plain):
        crawl = make_crawl(strategy, topic=CosineTopic("coral"))
        crawl.start([u("s")], Millis(0))
        for _ in range(2):
            crawl.commit(by_table(GRAPH, TEXTS)(lease(crawl)), Millis(0))
        scores.append({r.url: r.score for r in crawl.frontier.pending()})
        told = crawl.strategy.explain(
            next(r for r in crawl.frontier.pending() if r.url == u("x")), crawl.store.memory
        )
    assert scores[0][u("x")] - scores[1][u("x")] == pytest.approx(3 * 2 * np.log(1.5), abs=2e-4)
    assert scores[0][u("y")] == scores[1][u("y")]
    assert told["log interest by users who saw it"] == 0.0


def test_facts_and_an_empty_log() -> None:
    crawl = make_crawl(UserExperience(UsageLog(urls=(), users=(), sessions=())), topic=CosineTopic("coral"))
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table(GRAPH, TEXTS))
    assert crawl.strategy.facts()["visitors"].startswith("0 of 0")
