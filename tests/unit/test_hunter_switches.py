"""What a hunter can be switched to: sums worked by hand, and what each switch does on small webs."""

from __future__ import annotations

from math import e, log, sqrt
from random import Random

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.unit.test_hunter import QUERY, page_of
from tests.worlds import CosineTopic, made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.model.records import Millis, Page
from lycosa.strategies.hunter.corpus import Corpus
from lycosa.strategies.hunter.evidence import Evidence
from lycosa.strategies.hunter.guard import LESSONS, WORDS, Guard, brought, nearness
from lycosa.strategies.hunter.hunter import Hunter
from lycosa.strategies.hunter.latent import LatentQuery, folded_out
from lycosa.strategies.hunter.learners import Bandit, Ftrl, Thompson, auer
from lycosa.strategies.hunter.referrers import Referrers, excess
from lycosa.strategies.hunter.walk import Walk, in_menus
from lycosa.strategies.hunter.ways import LEARNERS, By, Ways, beyond, reward

ONE = np.array([0])


# -- guard ---------------------------------------------------------------------------------------------------


def test_nearness_worked_by_hand() -> None:
    # Two pages have the query's word and "near", two have "far" alone. h is 1, 1, 0, 0, ½ on average, 1 on the best.
    # n(near) = (2 + 5 · ½) / (2 + 5) = 9/14, which is 2/7 of the way from ½ to 1; n(far) = 5/14 lies below ½.
    rows = csr_array(np.array([[1.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]))
    found = nearness(rows, [0], np.array([3.0]), np.array([0, 1]))
    assert found == pytest.approx([2 / 7, 2 / 7, 0])


def test_the_guard_takes_weight_from_words_that_stand_far_from_the_query() -> None:
    rows = csr_array(np.array([[1.0, 2.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]))
    learned, best, weights = np.array([0.0, 0.6, 0.8]), np.array([0, 1]), np.array([3.0])
    assert Guard(1.0).guarded(learned, rows, [0], weights, best).tolist() == [0, 1, 0]
    # With half of it: 1 - ½ · 5/7 = 9/14 of .6, and ½ of .8.
    half = np.array([0.0, 0.6 * 9 / 14, 0.4])
    assert Guard(0.5).guarded(learned, rows, [0], weights, best) == pytest.approx(half / np.linalg.norm(half))
    assert Guard(1.0).guarded(learned, rows, [], np.zeros(0), best) is learned


def test_what_lessons_brought_worked_by_hand() -> None:
    assert brought(np.array([1.0, 3.0, 5.0]), np.array([True, False, False])) == pytest.approx(16 / 6)
    # Links followed for words brought .8, those for lessons .2, .5 on average: (.2 + 5 · .5) / (.8 + 5 · .5) = 9/11.
    for strength, trust in ((1.0, 9 / 11), (0.5, 10 / 11)):
        guard = Guard(strength)
        guard.fetched(words=0.5, lessons=0.1)
        guard.fetched(words=0.1, lessons=0.5)
        guard.check(np.array([0.8, 0.2]))
        assert guard.trust == pytest.approx(trust)
    assert (WORDS, LESSONS) == (0, 1)


def test_start_pages_were_followed_for_nothing() -> None:
    guard = Guard(1.0)
    guard.fetched(0.0, 0.0)
    guard.fetched(0.0, 0.2)
    guard.check(np.array([9.0, 9.0]))
    assert guard.trust == 1.0


# -- referrers -----------------------------------------------------------------------------------------------


def test_good_referrers_beyond_chance_worked_by_hand() -> None:
    # Pages 0, 1 and 2 are of one site, 3 is of another; 0, 1 and 3 are good: ¾ of all. 0, 1 and 3 link to 4, which is
    # ¼ twice from a site of which two pages link there, and ¼ from the other.
    good, hosts = np.array([1.0, 1, 0, 1, 0]), np.array([0, 0, 0, 1, 1])
    found = excess(good, 0.75, np.array([0, 1, 3]), np.array([4, 4, 4]), hosts)
    assert found == pytest.approx([0, 0, 0, 0, 0.5 / sqrt(2) + 0.25])
    # What all pages of one site link to is its menu.
    menu = excess(good, 0.75, np.arange(4), np.full(4, 4), np.zeros(5, dtype=int))
    assert menu == pytest.approx(np.zeros(5), abs=1e-12)


def test_what_a_link_inherits_grows_with_good_referrers() -> None:
    referrers = Referrers(0.5)
    scores = np.array([3.0, 0.0, 0.0, 0.0])  # the best fifth: one in four is good
    referrers.learn(np.array([0, 1]), np.array([4, 5]), np.arange(6), np.arange(4), scores)
    assert referrers.factor(np.array([4, 5])) == pytest.approx([1 + 0.5 * log(1.75), 1])
    referrers.see(np.array([5]), 3.0)  # a good page: ¾ - ¼ = ½ for it now
    assert referrers.factor(np.array([5, 9])) == pytest.approx([1 + 0.5 * log(1.5), 1])


# -- latent space --------------------------------------------------------------------------------------------


def test_a_word_that_stands_with_the_querys_comes_out_worked_by_hand() -> None:
    # Four pages have the first two words, two the third: the main directions are (1, 1, 0) / √2 and (0, 0, 1), so that
    # the first word comes out as (½, ½, 0).
    rows = csr_array(np.array([[1.0, 1, 0]] * 4 + [[0.0, 0, 1]] * 2))
    found = folded_out(rows, np.ones(3), np.array([1.0, 0, 0]))
    assert found == pytest.approx([1 / sqrt(2), 1 / sqrt(2), 0], abs=1e-7)
    assert not folded_out(rows, np.ones(3), np.zeros(3)).any()
    assert not folded_out(rows[:2], np.ones(3), np.array([1.0, 0, 0])).any()


def test_the_latent_space_is_worked_out_when_the_crawl_has_grown_by_a_quarter() -> None:
    latent, query = LatentQuery(), np.array([1.0, 0, 0])
    sizes = []
    for pages in range(1, 100):
        rows = csr_array(np.array([[1.0, pages / 10, 0], [0.0, 0, 1]] * pages)[:pages])
        before = latent.save()
        latent.vector(rows, np.ones(3), query)
        if latent.save()["vector"] != before["vector"]:
            sizes.append(pages)
    assert sizes == [30, 60, 90]  # by thirty at first, which is more than a quarter
    assert latent.vector(rows, np.ones(5), query)[3:].tolist() == [0, 0]


# -- walks ---------------------------------------------------------------------------------------------------


def test_a_menu_is_what_many_pages_of_a_site_link_to() -> None:
    # Five pages of a site link to node 7, one of them to node 6; a site of one page has no menu.
    hosts, sources, targets = np.array([0] * 5 + [1] * 3), np.array([0, 1, 2, 3, 4, 0, 5]), [7] * 5 + [6, 7]
    found = in_menus(hosts, sources, np.array(targets), np.arange(6))
    assert found.tolist() == [True] * 5 + [False, False]


def test_walks_from_good_pages_worked_by_hand() -> None:
    # The good page a links to b, c and d; d, which is no good, links to c. Of a's rank .8/3 comes to b and to d, and
    # to c as much and .8 of what d has: 1.8 times as much.
    corpus = Corpus()
    evidence = Evidence(corpus, QUERY.terms, [], Hunter(QUERY, None).tuning)
    walk = Walk(corpus, evidence)
    for page in (
        page_of("a", "coral reef", ("b", ""), ("c", ""), ("d", "")),
        page_of("d", "street", ("c", "")),
    ):
        evidence.see(corpus.add(page), [], 0.0, 1.0)
    evidence.learn()
    walk.learn(Random(0))
    b, c = (corpus.graph.number(u(name)) for name in "bc")
    found = walk.of(np.array([b, c]))
    best = min(float(evidence.scores(np.array([b, c])).max()), 1.0)
    assert found == pytest.approx([best / 1.8, best], abs=0.01)
    evidence.see(node := corpus.add(page_of("c", "", ("new", ""))), [], 0.0, 1.0)
    walk.see(page_of("c", "", ("new", "")), node, {})
    assert walk.of(np.array([corpus.graph.number(u("new"))]))[0] > found[0], "c hands on .8 of its rank"


# -- ways ----------------------------------------------------------------------------------------------------


def test_the_bound_of_a_bandit_worked_by_hand() -> None:
    # .2 + 2√2 · √(ln 100 / 4) = .2 + √(2 · ln 100)
    assert auer(np.array([0.2]), np.array([4.0]), 100, 2 * sqrt(2))[0] == pytest.approx(3.2349, abs=1e-4)


def test_the_bandit_worked_by_hand() -> None:
    # Two links of class 7 gave .2 each. All rewards, with the one that was supposed: (.5 + .4) / 3 = .3. So the class
    # has (.4 + 3 · .3) / 5 = .26, and the bound lies .05 · √(ln 3 / 5) above that.
    bandit = Bandit()
    for _ in range(2):
        bandit.learn(np.array([7, 8, 9]), 0.2)
    found = bandit.values(np.array([7, 1, 8]), np.array([0, 2]))
    assert found == pytest.approx([0.26 + 0.05 * sqrt(log(3) / 5), 0.3 + 0.05 * sqrt(log(3) / 3)])


def test_thompson_draws_from_the_distribution_worked_by_hand() -> None:
    # The same rewards: Beta(3 · .3 + .4, 3 · .7 + 2 - .4) = Beta(1.3, 3.7).
    thompson = Thompson()
    for _ in range(2):
        thompson.learn(np.array([7, 8, 9]), 0.2)
    thompson.draw(np.array([7]), Random(5))
    found = thompson.values(np.array([7, 8]), np.array([0, 1]))
    assert found == pytest.approx([Random(5).betavariate(1.3, 3.7), 0.3])


def test_ftrl_worked_by_hand() -> None:
    # α = β = 1, λ = 0. p = ½, y = 1: g = -½, n = ¼, σ = ½, z = -½: w = ½ / (1 + ½) = ⅓.
    # p = σ(⅓), y = 0: g = p, n = ¼ + p², z = -½ + p - (√n - ½) / 3.
    learner = Ftrl(ridge=0.0)
    learner.learn(ONE, 1.0)
    p = 1 / (1 + e ** (-1 / 3))
    assert learner.values(ONE, ONE)[0] == pytest.approx(p)
    learner.learn(ONE, 0.0)
    root = sqrt(0.25 + p * p)
    weight = -(-0.5 + p - (root - 0.5) / 3) / (1 + root)
    assert learner.values(ONE, ONE)[0] == pytest.approx(1 / (1 + e**-weight))
    # Four features of equal weight have together twice the say of one.
    four = Ftrl(ridge=0.0)
    four.learn(np.arange(4), 1.0)
    assert four.values(np.arange(4), ONE)[0] > four.values(ONE, ONE)[0] > 0.5


def test_a_reward_worked_by_hand() -> None:
    # The page has .4, its two new links .9 and .5, three are missing: (.4 + ½ · 1.4/5) / 1.5
    assert reward(0.4, np.array([0.9, 0.5])) == pytest.approx(0.36)
    assert reward(7.0, np.array([9.0] * 6)) == 1.0
    assert reward(-1.0, np.zeros(0)) == 0.0
    # Against a promise of .76 that is .4 too little.
    assert beyond(0.36, 0.76) == pytest.approx(0.3)
    assert beyond(1.0, 3.0) == 0.5


@pytest.mark.parametrize("by", sorted(LEARNERS))
def test_links_of_a_kind_that_led_on_are_worth_more(by: By) -> None:
    # Pages behind "people" say nothing of the topic but lead to pages that do; those behind "news" lead nowhere.
    hunter = Hunter(QUERY, None, ways=by, ways_weight=2)
    ((_, ways),) = hunter._further
    crawl = make_crawl(hunter, topic=CosineTopic("coral reef"), budget=80)
    crawl.start([u(f"s{n}") for n in range(20)], Millis(0))
    while (request := crawl.lease(Millis(0))) is not None:
        name = request.url.removeprefix("http://").split(".")[0]
        links = {"s": [("p", "people"), ("n", "news")], "p": [(f"c{k}", "coral reef") for k in range(5)]}
        told = [(u(kind + name[1:]), anchor) for kind, anchor in links.get(name[0], [])]
        told = [(u(f"{kind}-{name[1:]}"), a) for kind, a in links["p"]] if name[0] == "p" else told
        crawl.commit(made_page(request, *told, text="coral reef" if name[0] == "c" else "street"), Millis(0))
    assert isinstance(ways, Ways)
    corpus = hunter.corpus
    page = page_of("later", "street", ("a", "people"), ("b", "news"))
    node = corpus.add(page)
    hunter._grow()
    hunter.evidence.see(node, [], 0.0, 1.0)
    fresh = {corpus.graph.number_of(link.target): link for link in page.links}
    ways.see(page, node, fresh)
    worth = np.zeros(2)
    for seed in range(30):
        ways.learn(Random(seed))
        worth += ways.of(np.array(list(fresh))) / 30
    assert worth[0] > worth[1] + 0.03


# -- all together --------------------------------------------------------------------------------------------


def crawled(hunter: Hunter) -> Crawl:
    pages: dict[str, Page] = {}
    for n in range(40):
        text, link = ("coral reef lagoon", "x") if n % 3 else (f"street corner {n}", "z")
        pages[f"p{n}"] = page_of(f"p{n}", text, (link, ""), (f"y{n % 4}", "reef"))
    crawl = make_crawl(hunter, topic=CosineTopic("coral reef"), budget=40)
    crawl.start([u(name) for name in pages], Millis(0))
    while (request := crawl.lease(Millis(0))) is not None:
        found = pages[request.url.removeprefix("http://").split(".")[0]]
        crawl.commit(
            made_page(request, *((k.target, k.anchor) for k in found.links), text=found.text), Millis(0)
        )
    return crawl


def test_each_switch_is_explained() -> None:
    hunter = Hunter(
        QUERY, None, first_lesson=8, guard=1, referrers=1, lsa=1, rank=1, ways="ftrl", ways_weight=1
    )
    crawl = crawled(hunter)
    (waiting,) = (request for request in crawl.frontier.pending() if request.url == u("x"))
    told = hunter.explain(waiting, crawl.store.memory)
    assert sum(told.values()) == pytest.approx(waiting.score)
    for part in (
        "several good pages link here",
        "words that stand with the topic's",
        "walks from good pages lead here",
        "links of this kind lead on",
    ):
        assert told[part] > 0


def test_a_switch_that_is_off_costs_nothing() -> None:
    hunter = Hunter(QUERY, None)
    crawled(hunter)
    assert not hunter._further
    assert not list(hunter.evidence._switched())
    kept = set(hunter.evidence.save()) | set(hunter.save())
    assert not kept & {"guard", "referrers", "latent", Walk.name, Ways.name}
