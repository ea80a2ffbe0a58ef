"""Interest ratios worked by hand, and intelligent crawling on small webs."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from tests.worlds import CosineTopic, by_table, drive, lease, made_page, make_crawl, u, visited

from lycosa.crawl.inputs import Experience
from lycosa.model.commands import Reprioritize
from lycosa.model.errors import InputError
from lycosa.model.events import Snapshot
from lycosa.model.records import Millis, Request, UrlState
from lycosa.model.url import Url
from lycosa.spec.registry import strategy
from lycosa.strategies.intelligent import intelligent
from lycosa.strategies.intelligent.intelligent import Intelligent
from lycosa.strategies.intelligent.interest import (
    Base,
    Features,
    Rule,
    interest_ratio,
    significance,
    url_tokens,
)
from lycosa.strategies.parts.columns import Column, Rows


def base(pages: float, good: float, links: float = 0, both: float = 0, other: float = 0) -> Base:
    made = Base()
    made.pages, made.good, made.links, made.good_to_good, made.other_to_good = pages, good, links, both, other
    return made


def test_interest_by_hand() -> None:
    """KAT §3.12: of 100 pages 10 satisfy; a word stands in the in-links of 8, of which 4 satisfy."""
    assert interest_ratio(4, 8 * 0.1) == pytest.approx(5.0)
    assert significance(4, 8, 0.1) == pytest.approx(3.77, abs=0.005)


def test_the_features_columns_give_the_same() -> None:
    words = Features()
    word, rare = words.numbers(["word", "rare"])
    for good in [True] * 4 + [False] * 4:
        words.count(np.array([word, word]), good)  # named twice, counted once
    words.count(np.array([rare]), False)
    logs = words.log_ratios(base(100, 10), Rule(t=2.0, smoothing=1e-12))
    assert np.exp(logs[word]) == pytest.approx(5.0)
    assert np.isnan(logs[rare])  # one page of another kind says nothing: z = 0.33
    assert np.isnan(words.log_ratios(base(100, 10), Rule(t=3.8))).all()
    assert [each.name for each in words.most_telling(base(100, 10), Rule(), 5)] == ["word"]


def test_link_factor_by_hand() -> None:
    """KAT §3.12: P = 0.1, f1 = 0.05: 0.05 / 0.01 = 5. f3 = 0.045: 0.045 / 0.09 = 1/2."""
    good, other = base(100, 10, links=1000, both=50, other=45).parents_logs(1e-12)
    assert (np.exp(good), np.exp(other)) == pytest.approx((5.0, 0.5))


def test_smoothing_pulls_to_one() -> None:
    assert interest_ratio(1, 0.1, smoothing=0.5) == pytest.approx(2.5)
    assert interest_ratio(0, 0, smoothing=0.5) == 1.0


def test_url_tokens() -> None:
    assert url_tokens(Url("http://h.test/a/Rock-Climbing/2007/?q=1x")) == ["test", "rock", "climbing", "2007"]


def test_columns_and_rows() -> None:
    rows = Rows()
    for row in ([1, 2], [], [3]):
        rows.append(row)
    numbers, places = rows.gathered(np.array([2, 0, 1, 0]))
    assert numbers.tolist() == [3, 1, 2, 1, 2]
    assert places.tolist() == [0, 1, 1, 3, 3]
    again = Column("i4")
    again.load(b"")
    again.extend(range(200))
    assert again.values.tolist() == list(range(200))


GRAPH = {"s": "xy", "x": "ab", "y": "cd", **dict.fromkeys("abcd", "")}
TEXTS = {"x": "sea weed", "y": "land road", "a": "coral", "b": "coral", "c": "tax", "d": "tax"}


def test_breadth_first_until_a_page_satisfies_then_by_what_was_learned() -> None:
    """s, x, y are visited in the order in which they were found; then a satisfies, and its sibling b goes first."""
    crawl = make_crawl(Intelligent(every=1), topic=CosineTopic("coral"))
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table(GRAPH, TEXTS))
    assert visited(crawl) == [u(name) for name in "sxyabcd"]


def test_scores_after_four_pages_by_hand() -> None:
    """s, x, y, a were visited, a satisfies: P = 1/4. Links s→x, s→y, x→a were known: links = 3, other_to_good = 1.

    A parent that does not satisfy: (1 + ½) / (3·¾·¼ + ½) = 24/17. b: siblings of x (1 of 1): (1 + ½) / (¼ + ½) = 2.
    c, d: y has no child yet: ½/½ = 1. Words and tokens: t is out of reach.
    """
    crawl = make_crawl(Intelligent(every=1, t=10), topic=CosineTopic("coral"))
    crawl.start([u("s")], Millis(0))
    answer = by_table(GRAPH, TEXTS)
    for _ in range(4):
        crawl.commit(answer(lease(crawl)), Millis(0))
    scores = {request.url: request.score for request in crawl.frontier.pending()}
    assert scores[u("b")] == pytest.approx(np.log(24 / 17) + np.log(2), abs=1e-4)
    assert scores[u("c")] == pytest.approx(np.log(24 / 17), abs=1e-4)
    told = crawl.strategy.explain(
        next(r for r in crawl.frontier.pending() if r.url == u("b")), crawl.store.memory
    )
    assert told["log interest by siblings"] == pytest.approx(np.log(2))


def test_weights_switch_parts_off() -> None:
    crawl = make_crawl(Intelligent(every=1, t=10, links=0, siblings=0), topic=CosineTopic("coral"))
    crawl.start([u("s")], Millis(0))
    answer = by_table(GRAPH, TEXTS)
    for _ in range(4):
        crawl.commit(answer(lease(crawl)), Millis(0))
    assert {request.score for request in crawl.frontier.pending()} == {0.0}


def test_a_page_is_learned_from_once_however_often_it_is_told() -> None:
    made = Intelligent()
    page = made_page(Request(url=u("s"), order=0), u("a"))
    view = _NoView()
    made.on_page(page, view)
    before = made.save()["known"]
    made.on_page(page, view)
    assert made.save()["known"] == before


class _NoView:
    """Intelligent crawling looks at nothing but the page."""

    step = 1

    def state(self, url: Url) -> UrlState:
        raise AssertionError

    def __getattr__(self, name: str) -> object:
        raise AssertionError(name)


def test_a_failed_page_waits_no_more() -> None:
    crawl = make_crawl(Intelligent(every=1), topic=CosineTopic("coral"))
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table({"s": ["x", "gone"], "x": ""}))
    assert crawl.strategy._known.waiting().tolist() == []


def experienced(crawl_strategy: str = "intelligent") -> Experience:
    crawl = make_crawl(strategy(crawl_strategy), topic=CosineTopic("coral"))
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table(GRAPH, TEXTS))
    snapshot: Snapshot = crawl.snapshot()
    return Experience(strategy=crawl_strategy.partition(":")[0], state=snapshot.strategy)


def test_experience_is_begun_with() -> None:
    made = Intelligent(experienced("intelligent:t=0"), t=0)
    words = made._known.words.most_telling(made._known.base, made.rule, 10)
    assert {"sea", "weed"} <= {each.name for each in words}
    assert made._known.base.pages == 7
    crawl = make_crawl(made, topic=CosineTopic("nothing of the kind"))
    crawl.start([u("t")], Millis(0))
    graph = {"t": ["m", "n"], "m": ["m1"], "n": ["n1"], "m1": "", "n1": ""}
    drive(crawl, by_table(graph, {"m": "road", "n": "weed"}))
    order = visited(crawl)
    assert order.index(u("n1")) < order.index(u("m1"))  # no page satisfied, yet the words are known


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (Experience(strategy="best-first", state={}), "cannot learn from a crawl by 'best-first'"),
        (Experience(strategy="intelligent", state={}), "kept nothing to learn from"),
    ],
)
def test_experience_of_another_kind_is_refused(given: Experience, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Intelligent(given)


def test_facts_name_what_tells() -> None:
    crawl = make_crawl(Intelligent(t=0), topic=CosineTopic("coral"))
    assert crawl.strategy.facts() == {"satisfying": "0 of 0 pages"}
    crawl.start([u("s")], Millis(0))
    drive(crawl, by_table(GRAPH, TEXTS))
    facts = crawl.strategy.facts()
    assert facts["satisfying"] == "2 of 7 pages"
    assert "weed" in facts["interest of words"]


def test_only_what_can_be_reached_is_moved_and_nobody_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no host rests, a crawl that moves few candidates visits what one visits that moves all."""
    rng = Random(5)
    names = [f"p{number}" for number in range(900)]
    graph = {name: rng.sample(names, 8) for name in names}
    texts = {
        name: " ".join(rng.choices(("coral", "reef", "tax", "law", "bank"), k=3)) for name in names[:300]
    }
    seen = []
    for spare in (0, 10_000):
        monkeypatch.setattr(intelligent, "SPARE", spare)
        crawl = make_crawl(Intelligent(every=20, t=1), topic=CosineTopic("coral"), budget=500)
        crawl.start([u("p0")], Millis(0))
        drive(crawl, by_table(graph, texts))
        moves = sum(isinstance(c, Reprioritize) for entry in crawl.store.entries() for c in entry.commands)
        seen.append((visited(crawl), moves))
    assert seen[0][0] == seen[1][0]
    assert seen[0][1] < seen[1][1] / 2
