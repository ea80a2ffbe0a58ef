"""Patterns of URLs and the orders made of them, worked by hand."""

from __future__ import annotations

from collections.abc import Sequence
from math import log2

import pytest
from tests.worlds import by_table, drive, make_crawl, visited

from lycosa.crawl.inputs import PageView, UsageLog
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.scoring.links.patterns import (
    Behaviour,
    PatternTree,
    behaviours,
    class_of,
    divergence,
    jensen_shannon,
    parts_of,
)
from lycosa.strategies.url_patterns import UrlPatterns


def log_of(sessions: Sequence[Sequence[str]]) -> UsageLog:
    """Sessions of one user each, by path; views a second apart, sessions an hour."""
    urls = list(dict.fromkeys(path for session in sessions for path in session))
    views = tuple(
        tuple(
            PageView(url=urls.index(path), at=Millis(3_600_000 * s + 1000 * i))
            for i, path in enumerate(session)
        )
        for s, session in enumerate(sessions)
    )
    return UsageLog(
        urls=tuple(Url(f"http://h.test{path}") for path in urls),
        users=tuple(range(len(views))),
        sessions=views,
    )


def known_answer() -> UsageLog:
    """KAT §3.14: /a/1 … /a/9 have 10 visits each, /b/1 … /b/9 one."""
    return log_of([[f"/a/{n}"] for n in range(1, 10)] * 10 + [[f"/b/{n}"] for n in range(1, 10)])


def u(path: str) -> Url:
    return Url(f"http://h.test{path}")


def test_parts_and_classes() -> None:
    assert parts_of(u("/")) == ("h.test", "", "?")
    assert parts_of(u("/a/b?y=1&x=2&y=3")) == ("h.test", "a", "b", "?x&y")
    assert [class_of(part) for part in ("7", "2026-01-01", "00ff00ff", "a-b", "abc", "abcdefff")] == [
        *("{num}", "{date}", "{hex}", "{slug}", "{any}", "{any}")
    ]


def test_behaviour_is_counted() -> None:
    log = log_of([["/a", "/b", "/a"], ["/b"]])
    assert behaviours(log) == [Behaviour(2, 1, 1, 1), Behaviour(2, 1, 1, 0)]


def test_divergence_by_hand() -> None:
    """Two groups without anything in common: 1 bit. Shares of 1/2 and 0: H(1/4) - H(1/2)/2."""
    assert jensen_shannon([{"x": 1.0}, {"y": 1.0}]) == pytest.approx(1.0)
    h = -(0.25 * log2(0.25) + 0.75 * log2(0.75))
    assert jensen_shannon([{"x": 0.5, "y": 0.5}, {"y": 1.0}]) == pytest.approx(h - 0.5)
    often, once = Behaviour(10, 10, 10, 0), Behaviour(1, 1, 1, 0)
    assert divergence([[often] * 9, [once] * 9]) == pytest.approx(1.0)
    assert divergence([[often] * 9, [often]]) == pytest.approx(0.0)


def test_patterns_of_the_known_answer() -> None:
    log = known_answer()
    tree = PatternTree(log.urls, behaviours(log), least=5, threshold=0.1)
    assert str(tree.match(u("/a/77"))) == "h.test/a/{num}"
    assert str(tree.match(u("/b/77"))) == "h.test/b/{num}"
    assert str(tree.match(u("/a/77?x=1"))) == "h.test/a/{num}/*"
    assert str(tree.match(u("/a/word"))) == "h.test/a/*"
    assert str(tree.match(u("/c"))) == "h.test/*"
    assert str(tree.match(Url("http://other.test/a/1"))) == "*"


def test_what_is_treated_alike_is_one_pattern() -> None:
    log = log_of([[f"/{room}/{n}"] for room in "ab" for n in range(1, 10)])
    tree = PatternTree(log.urls, behaviours(log), least=5, threshold=0.1)
    assert str(tree.match(u("/a/1"))) == str(tree.match(u("/b/1"))) == "h.test/*"


def test_comprehensive_order_by_hand() -> None:
    """All sessions have one view, so π is the share of sessions: 90/99 and 9/99, over nine URLs each."""
    patterns = UrlPatterns(known_answer(), least=5)
    assert patterns.score(u("/a/77")) == pytest.approx(1e6 * 90 / 99 / 9)
    assert patterns.score(u("/b/77")) == pytest.approx(1e6 * 9 / 99 / 9)
    assert patterns.score(u("/a/1")) == patterns.score(u("/a/77"))  # new ones inherit
    assert patterns.score(u("/c")) == pytest.approx(1e6 / 18)  # the site as a whole: all of π over 18 URLs
    assert patterns.score(Url("http://other.test/")) == 0.0


def hub_log() -> UsageLog:
    """/hub leads to a new story each time; /old is visited as often, and leads to the same page always."""
    return log_of([["/hub", f"/news/{n}"] for n in range(1, 7)] + [["/old", "/end"]] * 6)


def test_importance_by_hand() -> None:
    """π(hub) = (1-d)/2 + d·(what ends)·½; by symmetry π(hub) = π(old) = x, π(news) = π(end) = d·x, 2x(1 + d) = 1."""
    patterns = UrlPatterns(hub_log(), least=1, divergence=0)
    pi = {str(pattern): patterns.importance[pattern.number] for pattern in patterns.tree}
    x = 1 / (2 * 1.85)
    assert pi["h.test/hub"] == pytest.approx(x)
    assert pi["h.test/old"] == pytest.approx(x)
    assert pi["h.test/end"] == pytest.approx(0.85 * x)


def test_timely_order_by_hand() -> None:
    """A visit of /hub leads to one URL that nobody saw before; six visits of /old to one in all: 1/6 each."""
    patterns = UrlPatterns(hub_log(), order="timely", least=6, divergence=0.1)
    assert str(patterns.tree.match(u("/news/99"))) == "h.test/news/{num}"
    pi = {str(pattern): float(patterns.importance[pattern.number]) for pattern in patterns.tree}
    rest = pi["h.test/*"]  # /hub, /old and /end: too few for patterns of their own
    news = pi["h.test/news/{num}"]
    # Of 18 visits of the rest 6 led to new stories and one to /end. Stories lead nowhere. The rest has few URLs of its
    # own, so all below counts, 6 more visits.
    assert patterns.score(u("/hub")) == pytest.approx(1e6 * (6 * news + 1 * rest) / 24, abs=1e-3)
    assert patterns.score(u("/news/99")) == 0.0


def test_a_hub_of_its_own_pattern_goes_first_in_the_timely_order() -> None:
    patterns = UrlPatterns(hub_log(), order="timely", least=1, divergence=0)
    pi = {str(pattern): float(patterns.importance[pattern.number]) for pattern in patterns.tree}
    stories = sum(pi[f"h.test/news/{n}"] for n in range(1, 7))
    assert patterns.score(u("/hub")) == pytest.approx(1e6 * stories / 6, abs=1e-3)
    assert patterns.score(u("/old")) == pytest.approx(1e6 * pi["h.test/end"] / 6, abs=1e-3)


def test_a_crawl_in_the_order_of_patterns() -> None:
    log = UsageLog(
        urls=tuple(Url(f"http://{name}.test/") for name in "ab"),
        users=(0, 1),
        sessions=(
            (PageView(url=1, at=Millis(0)), PageView(url=1, at=Millis(1))),
            (PageView(url=0, at=Millis(2)),),
        ),
    )
    crawl = make_crawl(UrlPatterns(log, least=1))
    crawl.start([Url("http://s.test/")], Millis(0))
    drive(crawl, by_table({"s": "cab", "a": "", "b": "", "c": ""}))
    order = [url.removeprefix("http://")[0] for url in visited(crawl)]
    # b's second view leads on from b: π(b) = 1/2 + …; c is not in the logs
    assert order == ["s", "b", "a", "c"]
    assert crawl.strategy.facts()["URL patterns"] == "2 for 2 URLs in the logs"


def test_an_empty_log_orders_nothing() -> None:
    patterns = UrlPatterns(UsageLog(urls=(), users=(), sessions=()))
    assert patterns.score(u("/a")) == 0.0
