"""Focused crawling, its distiller, context graphs and learnt link values: worked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.worlds import by_table, drive, failed, lease, made_page, make_crawl, u, visited

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.inputs import Category, ContextGraph, KnownGraph, KnownLink, Taxonomy
from lycosa.crawl.strategy import Strategy
from lycosa.model.errors import InputError
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.scoring.graphs.distiller import hub_scores
from lycosa.scoring.links.future_reward import link_values
from lycosa.scoring.links.link_text import LinkTexts
from lycosa.scoring.topics.taxonomy import topic_of
from lycosa.strategies.context_graph import ContextFocused
from lycosa.strategies.focused import Focused
from lycosa.strategies.rl import ReinforcementLearning, bin_floors

REEFS = Taxonomy(
    categories=(
        Category(path=""),
        Category(path="Reefs", examples=({"coral": 4}, {"coral": 3, "fish": 1})),
        Category(path="Towns", examples=({"car": 4}, {"car": 3, "fish": 1})),
    ),
    good=("Reefs",),
)


def crawled(
    strategy: Strategy,
    graph: Mapping[str, Sequence[str]],
    texts: Mapping[str, str],
    seeds: str = "s",
    budget: int = 1000,
) -> Crawl:
    crawl = make_crawl(strategy, topic=topic_of(REEFS), budget=budget)
    crawl.start([u(name) for name in seeds], Millis(0))
    drive(crawl, by_table(graph, texts))
    return crawl


# -- focus ---------------------------------------------------------------------------------------------------


SITES = {"s": "ab", "a": "cd", "b": "ef", **dict.fromkeys("cdef", "")}
WORDS = {"s": "car", "a": "car car car", "b": "coral coral coral", "e": "coral"}


def test_soft_focus_follows_the_links_of_good_pages_first() -> None:
    assert visited(crawled(Focused(REEFS), SITES, WORDS)) == [u(name) for name in "sabefcd"]


def test_hard_focus_follows_only_these() -> None:
    strategy = Focused(REEFS, mode="hard")
    assert visited(crawled(strategy, SITES, WORDS)) == [u(name) for name in "sabef"]  # s is a start page
    # b and e are good; c, d and f have no words: then the priors are equal and the first category wins
    assert strategy.facts()["best categories"] == ["3 Reefs", "2 Towns"]


def test_scores_are_the_pages_relevance() -> None:
    crawl = make_crawl(Focused(REEFS), topic=topic_of(REEFS))
    crawl.start([u("s")], Millis(0))
    page = made_page(lease(crawl), u("x"), text="coral coral fish")
    crawl.commit(page, Millis(0))
    assert lease(crawl).score == pytest.approx(topic_of(REEFS).relevance(page))


# -- distiller -----------------------------------------------------------------------------------------------


def test_distilling_by_hand() -> None:
    """Hubs 0 and 1, authorities 2 (R = ½, of both hubs) and 3 (R = .05 ≤ ρ, does not count); R(0) = 1, R(1) = ½.

    a = (0, 0, 1, 0); h ∝ (1 · 1, ½ · 1) = (2/3, 1/3).
    """
    links = csr_array(np.array([[0, 0, 1, 1], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=float))
    hubs, authorities = hub_scores(links, np.array([1.0, 0.5, 0.5, 0.05]), np.arange(4), rho=0.1)
    assert authorities == pytest.approx([0, 0, 1, 0])
    assert hubs == pytest.approx([2 / 3, 1 / 3, 0, 0])


def test_an_authority_counts_as_it_is_relevant_by_hand() -> None:
    """0 → 2 and 1 → 3 apart from each other, R(2) = 1, R(3) = ½: a = (2/3, 1/3) after one round, and h alike."""
    links = csr_array(np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0]], dtype=float))
    hubs, authorities = hub_scores(links, np.array([1.0, 1.0, 1.0, 0.5]), np.arange(4), rho=0.1, iterations=1)
    assert authorities == pytest.approx([0, 0, 2 / 3, 1 / 3])
    assert hubs == pytest.approx([2 / 3, 1 / 3, 0, 0])


def test_links_within_a_site_do_not_count() -> None:
    links = csr_array(np.array([[0, 1], [0, 0]], dtype=float))
    hubs, authorities = hub_scores(links, np.ones(2), np.zeros(2, dtype=np.int64), rho=0.1)
    assert (hubs.tolist(), authorities.tolist()) == ([0, 0], [0, 0])


HUB = {"s": ["h", "g"], "h": ["x", "y", "z"], "g": ["p", "q"], **dict.fromkeys("xyzpq", "")}
HUB_WORDS = {"h": "coral car car", "g": "coral coral", "p": "coral", "q": "coral", "x": "coral coral coral"}


def test_a_hubs_links_are_raised() -> None:
    """h, half a city page, leads to x, a reef; once that is seen its other links go before those of the reef g."""
    plain = visited(crawled(Focused(REEFS, distill_every=0), HUB, HUB_WORDS))
    assert plain == [u(name) for name in "shgpqxyz"]
    strategy = Focused(REEFS, distill_every=3, hub_top=1.0, rho=0.0)
    crawl = crawled(strategy, HUB, HUB_WORDS)
    # after s, h, g all that is linked from a hub waits with score 1, in the order in which it was found
    assert visited(crawl) == [u(name) for name in "shgxyzpq"]
    told = strategy.facts()["hubs"]
    assert len(told) == 3
    assert any(u("h") in line for line in told)


def test_only_the_best_hubs_are_raised() -> None:
    """g is the better hub of two: with the best third of three hubs, rounded up, its links alone are raised."""
    strategy = Focused(REEFS, distill_every=3, hub_top=0.3, rho=0.0)
    assert visited(crawled(strategy, HUB, HUB_WORDS))[3:5] == [u("p"), u("q")]
    assert len(strategy.facts()["hubs"]) == 1


def test_hubs_are_fetched_again() -> None:
    strategy = Focused(REEFS, distill_every=3, hub_top=0.3, rho=0.0, revisit=1)
    got = visited(crawled(strategy, HUB, HUB_WORDS, budget=12))
    assert got.count(u("g")) > 1
    assert got.count(u("h")) == 1


# -- context graph -------------------------------------------------------------------------------------------

LAYERS = ContextGraph(layers=(({"x": 3},), ({"y": 3},)), documents=9, frequencies={"x": 1, "y": 1})


def context(**options: float) -> ContextFocused:
    return ContextFocused(LAYERS, **{"n0": 0, "vocab_layers": 2, **options})  # type: ignore[arg-type]


def test_the_layer_of_a_page_by_hand() -> None:
    """KAT §3.8: "x x" is of layer 0 with .8² / (.8² + .2²) = .9412; "x y" has ½, which is less than θ = .6: other."""
    found = context(theta=0.6)
    assert found.shares({"x": 2}) == pytest.approx([0.941176, 0.058824], abs=1e-6)
    assert found.layer({"x": 2}) == 0
    assert found.layer({"y": 2}) == 1
    assert found.shares({"x": 1, "y": 1}) == pytest.approx([0.5, 0.5])
    assert found.layer({"x": 1, "y": 1}) == 2


def test_a_page_counts_as_n0_words_by_hand() -> None:
    """Of "x x x y" with n0 = 2: odds 4^((3 - 1) · 2 / 4) = 4."""
    assert context(n0=2).shares({"x": 3, "y": 1})[0] == pytest.approx(0.8)
    assert context(n0=0).shares({"x": 3, "y": 1})[0] == pytest.approx(16 / 17)


@pytest.mark.parametrize("n0", [0, 2, 20])
def test_words_out_of_the_vocabulary_change_nothing(n0: int) -> None:
    """Counted too, they would flatten the shares until every long page is "other"."""
    shares = context(n0=n0).shares({"x": 3, "y": 1})
    assert context(n0=n0).shares({"x": 3, "y": 1, "z": 4_000}) == shares
    assert context(n0=n0).layer({"x": 3, "y": 1, "z": 4_000}) == 0


def test_a_page_never_counts_as_more_words_than_it_has() -> None:
    assert context(n0=20).shares({"x": 2}) == context(n0=0).shares({"x": 2})


def test_all_words_of_a_page_as_evidence_by_hand() -> None:
    """Of "x x x y z z z z" with n0 = 2: odds 4^((3 - 1) · 2 / 8) = 2."""
    strategy = ContextFocused(LAYERS, n0=2, vocab_layers=2, evidence="page")
    assert strategy.shares({"x": 3, "y": 1, "z": 4})[0] == pytest.approx(2 / 3)


def test_the_vocabulary_by_hand() -> None:
    """Of 8 documents: x 3 · ln(8/4), y 2 · ln(8/1), z 5 · ln(8/8) = 2.08, 4.16, 0."""
    graph = ContextGraph(
        layers=(({"x": 2, "z": 5}, {"x": 1, "y": 2}), ({"w": 9},)),
        documents=8,
        frequencies={"x": 4, "y": 1, "z": 8, "w": 1},
    )
    assert ContextFocused(graph, vocab=2).vocabulary == ["y", "x"]
    assert ContextFocused(graph, vocab=1, vocab_layers=2).vocabulary == ["w"]


def test_the_nearest_layers_links_come_first_and_others_last() -> None:
    graph = {"n": "abc", "m": "de", "f": "gh", **dict.fromkeys("abcdegh", "")}
    texts = {"n": "yy yy", "m": "xx xx xx", "f": "yy yy yy yy"}
    layers = ContextGraph(layers=(({"xx": 3},), ({"yi": 3, "yy": 3},)), documents=9, frequencies={})
    strategy = ContextFocused(layers, n0=0, vocab_layers=2, theta=0.6)
    crawl = crawled(strategy, graph, texts, seeds="nmf")
    assert visited(crawl) == [u(name) for name in "nmfdeghabc"]
    assert strategy.facts()["pages by layer"] == ["1 layer 0", "2 layer 1", "7 other"]


def test_of_one_layer_nothing_can_be_learnt() -> None:
    with pytest.raises(InputError, match="less than two layers"):
        ContextFocused(ContextGraph(layers=(({"x": 1},),), documents=1, frequencies={}))


# -- reinforcement learning ----------------------------------------------------------------------------------


def values(links: Sequence[tuple[int, int]], rewards: Sequence[float], **options: object) -> list[float]:
    chosen = {"gamma": 0.5, "depth": 6, **options}
    sources, targets = [u for u, _ in links], [v for _, v in links]
    return link_values(sources, targets, rewards, **chosen).tolist()  # type: ignore[arg-type]


def test_values_of_a_chain_by_hand() -> None:
    """KAT §3.11: s → v1 → v2 → v3 with rewards 0, 0, 1: Q(s → v1) = ¼."""
    assert values([(0, 1), (1, 2), (2, 3)], [0, 0, 0, 1]) == [0.25, 0.5, 1.0]
    assert values([(0, 1), (1, 2), (2, 3)], [0, 0, 0, 1], depth=1) == [0.0, 0.5, 1.0]


def test_a_hub_with_two_relevant_children_by_hand() -> None:
    """KAT §3.11: the best of two counts ½, both count 1."""
    hub = [(0, 1), (1, 2), (1, 3)]
    assert values(hub, [0, 0, 1, 1])[0] == 0.5
    assert values(hub, [0, 0, 1, 1], backup="sum")[0] == 1.0


@pytest.mark.parametrize("backup", ["max", "sum"])
def test_the_page_one_comes_from_is_not_counted_again(backup: str) -> None:
    """0 ⇄ 1, both with reward 1: from 0 to 1 there is no more to be had."""
    assert values([(0, 1), (1, 0)], [1, 1], backup=backup) == [1.0, 1.0]


def test_of_two_equally_good_ways_one_is_left_by_hand() -> None:
    """1 leads back to 0 and on to 2, both worth 1: whoever comes from 0 still finds 2."""
    assert values([(0, 1), (1, 0), (1, 2)], [1, 0, 1])[0] == 0.5
    assert values([(0, 1), (1, 0), (1, 2)], [1, 0, 0])[0] == 0.0


def test_immediate_reward_is_the_reward() -> None:
    assert values([(0, 1), (1, 2)], [0, 0.25, 1], gamma=0.0) == [0.25, 1.0]


def test_bins_by_hand() -> None:
    assert bin_floors([0, 0, 0, 0, 0, 0, 0.5, 1], 2, "quantile") == [0, 0.5]  # 1 and ½, then all zeros
    assert bin_floors([1, 2, 3, 4, 5, 6], 3, "quantile") == [1, 3, 5]
    assert bin_floors([1, 1, 1], 3, "quantile") == [1]
    assert bin_floors(list(range(16)), 3, "tail") == [
        0,
        12,
        15,
    ]  # 16 · ¾ · 1/16 → 1, 16 · ¾ · ¼ = 3, the rest


def graph_of(*links: tuple[int, int, dict[str, int]], rewards: Sequence[float]) -> KnownGraph:
    return KnownGraph(
        pages=tuple(u(f"k/{i}") for i in range(len(rewards))),
        rewards=tuple(rewards),
        links=tuple(KnownLink(source=s, target=t, terms=terms) for s, t, terms in links),
    )


LESSON = graph_of((0, 1, {"paper": 1}), (0, 2, {"home": 1}), rewards=(0.0, 1.0, 0.0))


def test_the_worth_of_a_text_by_hand() -> None:
    """Bins 0 and 1 of one link each: Pr(1|paper) = (2/3) / (2/3 + 1/3) = 2/3, worth 2/3 · 1."""
    strategy = ReinforcementLearning(LESSON, bins=2, gamma=0.0, spread="quantile", n0=0)
    assert strategy.worth({"paper": 1}) == pytest.approx(2 / 3)
    assert strategy.worth({"home": 1}) == pytest.approx(1 / 3)
    assert strategy.worth({"paper": 2}) == pytest.approx(4 / 5)
    assert ReinforcementLearning(LESSON, bins=2, gamma=0.0, n0=1).worth({"paper": 2}) == pytest.approx(2 / 3)


def test_links_are_followed_by_what_they_say_the_best_text_of_a_url_counts() -> None:
    strategy = ReinforcementLearning(LESSON, bins=2, gamma=0.0, n0=0)
    crawl = make_crawl(strategy)
    crawl.start([u("s")], Millis(0))
    request = lease(crawl)
    links = [("a", "home"), ("b", "paper"), ("a", "the paper of home"), ("c", "home")]
    made = tuple(Link(source=request.url, target=u(name), anchor=anchor) for name, anchor in links)
    crawl.commit(_with_links(request, made), Millis(0))
    got = [lease(crawl) for _ in range(3)]
    assert [r.url for r in got] == [u("b"), u("a"), u("c")]
    assert [r.score for r in got] == pytest.approx([2 / 3, 0.5, 1 / 3])


def _with_links(request: Request, links: tuple[Link, ...]) -> Page:
    page = made_page(request)
    return Page(
        **{name: getattr(page, name) for name in page.__struct_fields__ if name != "links"}, links=links
    )


def test_the_text_of_a_link_holds_anchor_context_heading_and_title() -> None:
    request = Request(url=u("s"), order=0)
    page = made_page(request)
    page = Page(
        **{n: getattr(page, n) for n in page.__struct_fields__ if n != "title"}, title="Machine papers"
    )
    link = Link(source=u("s"), target=u("t"), anchor="paper", context="our paper", heading="Machines")
    assert LinkTexts(page).terms(link) == {"paper": 3, "machin": 2}


def test_without_links_nothing_can_be_learnt() -> None:
    with pytest.raises(InputError, match="no links to learn from"):
        ReinforcementLearning(graph_of(rewards=(1.0,)))


def test_a_failed_page_does_no_harm() -> None:
    crawl = make_crawl(Focused(REEFS), topic=topic_of(REEFS))
    crawl.start([u("s")], Millis(0))
    crawl.commit(failed(lease(crawl)), Millis(0))
    assert crawl.finished
