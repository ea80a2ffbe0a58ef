"""The hunter: its sums worked by hand, and what it does on small webs."""

from __future__ import annotations

import tracemalloc
from math import e, log, sqrt

import numpy as np
import pytest
from msgspec import structs
from tests.links import listed
from tests.worlds import CosineTopic, failed, made_page, make_crawl, u

from lycosa.crawl.inputs import Examples, Query
from lycosa.crawl.view import CrawlView
from lycosa.model.commands import Enqueue
from lycosa.model.events import HandedOff
from lycosa.model.records import Millis, Page, Reason, Request
from lycosa.scoring.links import smoothing
from lycosa.scoring.links.smoothing import (
    NO_PAGE,
    Ints,
    Neighbours,
    Siblings,
    distinguishing_terms,
    greatest_by_owner,
    rarity,
    smoothed,
)
from lycosa.strategies.hunter.corpus import Corpus, words_of_urls
from lycosa.strategies.hunter.hunter import START, Hunter
from lycosa.strategies.hunter.queries import Queries
from lycosa.strategies.hunter.texts import Texts

QUERY = Query(terms={"coral": 1, "reef": 1})


def page_of(name: str, text: str, *links: tuple[str, str], order: int = 0) -> Page:
    """A page with a text and links as (name, anchor)."""
    return made_page(Request(url=u(name), order=order), *((u(to), anchor) for to, anchor in links), text=text)


def test_rarity_worked_by_hand() -> None:
    # 9 pages: ln(1 + 10 / (4 + ½)) and ln(1 + 10 / ½)
    assert rarity(9, np.array([4.0, 0.0])) == pytest.approx([log(1 + 10 / 4.5), log(21)])


def test_likeness_is_the_weighted_cosine() -> None:
    # (2, 1) weighted by (1, 3) is (2, 3): with the first word 2/√13, with the second 3/√13
    # The second text is empty, the third has a word of no column. The fourth has one that came later, as rare as any:
    # 3 / √(3² + 3²).
    queries = Queries(2)
    queries.weigh(np.array([1.0, 3.0, 3.0]))
    queries.put(0, np.array([1.0, 0.0, 0.0]))
    queries.put(1, np.array([0.0, 1.0, 0.0]))
    queries.grow_to(4)
    terms, weights = np.array([0, 1, 2, 1, 3]), np.array([2.0, 1.0, 1.0, 1.0, 1.0])
    texts = queries.weighed(Texts(terms, weights, np.array([0, 2, 2, 3, 5])))
    like, found = queries.cosines(texts)
    assert like.tolist() == [0, 3]
    assert found[0] == pytest.approx([2 / sqrt(13), 3 / sqrt(13)])
    assert found[1] == pytest.approx([0, 1 / sqrt(2)])
    like, found = queries.cosines(texts, slice(0, 1))
    assert like.tolist() == [0]
    assert found[0] == pytest.approx([2 / sqrt(13)])


def test_the_greatest_of_each_owner() -> None:
    values = np.array([[1.0, 5.0], [3.0, 2.0], [7.0, 0.0]])
    who, found = greatest_by_owner(values, np.array([0, 1, 2]), np.array([2, 2, 0]))
    assert who.tolist() == [0, 2]
    assert found.tolist() == [[7, 0], [3, 5]]
    # The first and the third text have no value: 0, which is more than less than nothing.
    who, found = greatest_by_owner(np.array([[-1.0], [-2.0]]), np.array([1, 3]), np.array([5, 5, 4, 6]))
    assert who.tolist() == [5, 6]
    assert found.tolist() == [[0], [-2]]


def test_evidence_is_smoothed_as_worked_by_hand() -> None:
    # a -> b, c and b -> c; a and b are pages, c is not. Evidence of their own: a 1, b 0. α = ½, β = ¼.
    # First: a inherits 0, expects of b 0 and of c the mean of a and b, ½: 1 + ¼·¼ = 1.0625. b inherits 1 from a and
    # expects ½ of c: ½ + ⅛ = .625. Then: c is expected at (1.0625 + .625) / 2 = .84375;
    # a = 1 + ¼ · (.625 + .84375) / 2 = 1.18359375, b = ½ · 1.0625 + ¼ · .84375 = .7421875.
    around = Neighbours(np.array([0, 1], np.int32), np.array([1, 2, 2], np.int32), np.array([0, 2, 3]), 3)
    found = smoothed(np.array([[1.0], [0.0]]), np.ones(2), around, above=0.5, below=0.25)
    assert found.ravel() == pytest.approx([1.18359375, 0.7421875])
    assert around.from_sources(found).ravel() == pytest.approx([0, 1.18359375, 1.18359375 + 0.7421875])


def test_what_stands_beside_a_link_worked_by_hand() -> None:
    # a lists b, c, d. Known are a, b and d: 0, 2 and 4, on average 2. Beside c stand b and d: (2 + 2 + 4) / 3.
    # Beside b and d stands only c, of which nothing is known; a stands in no list.
    values, places = np.array([[0.0], [2.0], [4.0]]), np.array([0, 1, NO_PAGE, 2])
    lists = np.array([0, 0, 0]), np.array([1, 2, 3])

    def told(sources: Ints, targets: Ints, reach: int) -> dict[int, float]:
        beside = Siblings(listed(sources, targets, 4), places, reach)
        found, average = beside.means(values)
        assert average.tolist() == [2.0]
        return dict(zip(beside.nodes.tolist(), found.ravel().tolist(), strict=True))

    assert told(*lists, 1) == pytest.approx({2: 8 / 3})
    # Within two places b and d stand beside each other too: (2 + 4) / 2 and (2 + 2) / 2.
    assert told(*lists, 2) == pytest.approx({1: 3, 2: 8 / 3, 3: 2})
    # Lists of two pages do not touch: d is the end of one, c the begin of the other.
    assert told(np.array([0, 0, 2]), np.array([1, 3, 2]), 3) == pytest.approx({1: 3, 3: 2})


def test_of_many_links_few_pairs_are_in_memory_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every link has six pages beside it: all pairs at once would take 72 bytes a link."""
    pages, length = 1_000, 300
    sources = np.repeat(np.arange(pages), length)
    targets = (sources * 7 + np.tile(np.arange(length), pages)) % pages
    monkeypatch.setattr(smoothing, "BLOCK", 10_000)
    tracemalloc.start()
    Siblings(listed(sources, targets, pages), np.arange(pages), 3).means(np.ones((pages, 1)))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 16 * len(sources)


def test_the_telling_words_worked_by_hand() -> None:
    # Of 4 chosen among 99 pages the first word is on all 4 and on 4 in all, the second on 3 and 90, the third on 2.
    # Odds of the first: inside 4.1/4.2 -> 41; outside 4.5/100 -> 9/191: ln(41 · 191 / 9) is above 6, cut to 6.
    # The second is no rarer outside than inside; the third is on fewer than three.
    found = distinguishing_terms(np.array([4.0, 3.0, 2.0]), 4, np.array([4.0, 90.0, 2.0]), 99, 60, 0.15)
    assert found.tolist() == [1.0, 0.0, 0.0]
    both = distinguishing_terms(np.array([4.0, 4.0]), 4, np.array([20.0, 20.0]), 99, 60, 0.15)
    assert both == pytest.approx([1 / sqrt(2)] * 2)
    one = distinguishing_terms(np.array([4.0, 3.0]), 4, np.array([20.0, 20.0]), 99, 1, 0.15)
    assert one.tolist() == [1.0, 0.0]
    assert distinguishing_terms(np.array([3.0]), 4, np.array([75.0 / e]), 99, 60, 0.9).tolist() == [0.0]


def test_a_url_is_words_too() -> None:
    assert [text.split() for text in words_of_urls([u("reef/coral-Types_2.html"), u("reef/ä")])] == [
        ["reef", "test", "coral", "types", "html"],
        ["reef", "test"],
    ]
    assert words_of_urls([]) == []


def test_one_wording_once() -> None:
    corpus = Corpus()
    corpus.add(page_of("a", "", ("menu", "Coral"), ("menu", "Coral"), ("menu", "Reefs")))
    corpus.add(page_of("b", "", ("menu", "Coral")))
    assert len(corpus.wordings) == 2
    assert [corpus.graph.urls[owner] for owner in corpus.owners] == [u("menu"), u("menu")]


def test_what_is_new_against_the_pages_on_the_way() -> None:
    corpus = Corpus()
    first, second, third, bare = (
        corpus.add(page_of(name, text))
        for name, text in (
            ("a", "coral reef"),
            ("b", "reef lagoon"),
            ("c", "coral lagoon turtle turtle"),
            ("d", ""),
        )
    )

    def share_new(node: int, way: list[int]) -> float:
        places = corpus.graph.pages
        return corpus.pages.share_new(places[node], [places[other] for other in way])

    assert share_new(third, []) == 1.0
    assert share_new(third, [second]) == pytest.approx(2 / 3)  # all but "lagoon"
    assert share_new(third, [second, first]) == pytest.approx(1 / 3)  # only "turtle"
    assert share_new(bare, [first]) == 1.0


@pytest.mark.parametrize(("novelty", "leads_on"), [(0.15, False), (0.0, True)])
def test_a_trap_that_repeats_the_words_that_led_into_it_leads_nowhere(novelty: float, leads_on: bool) -> None:
    # Month after month the calendar says some words of the page that led there.
    words = ["coral", "reef", "lagoon", "turtle", "sponge", "anemone", "urchin", "starfish"]
    said = {u(f"m{month}"): " ".join(words[(month + k) % 8] for k in range(4)) for month in range(30)}
    hunter = Hunter(QUERY, None, novelty=novelty, lessons=0, beside=0)
    crawl = make_crawl(hunter, topic=CosineTopic("coral reef"), budget=12)
    crawl.start([u("s")], Millis(0))
    scores = []
    while (request := crawl.lease(Millis(0))) is not None:
        scores.append(request.score)
        here = request.url == u("s")
        onward = u("m0") if here else u(f"m{len(scores) - 1}")
        crawl.commit(
            made_page(request, onward, text=" ".join(words) if here else said[request.url]), Millis(0)
        )
    assert (scores[-1] > 0) == leads_on
    assert min(scores[:4]) > 0, "two pages without anything new may be chance"


def order_of(
    hunter: Hunter, pages: dict[str, Page], seeds: list[str], topic: str = "coral reef"
) -> list[str]:
    """The names of the pages in the order of their visits, by hosts' first labels."""
    crawl = make_crawl(hunter, topic=CosineTopic(topic), budget=20)
    crawl.start([u(name) for name in seeds], Millis(0))
    seen = []
    while (request := crawl.lease(Millis(0))) is not None:
        name = request.url.removeprefix("http://").split(".")[0]
        seen.append(name)
        found = pages.get(name)
        if found is None:
            crawl.commit(failed(request, Reason.STATUS, 404), Millis(0))
        else:
            crawl.commit(
                made_page(request, *(link.target for link in found.links), text=found.text), Millis(0)
            )
    return seen


def test_several_links_of_a_peer_count_as_one_after_the_other() -> None:
    found = [Enqueue(url=u(name), score=-9.0) for name in ("coral-reef", "town", "coral", "coral-reef", "s")]
    told = []
    for at_once in (True, False):
        hunter = Hunter(QUERY, None)
        crawl = make_crawl(hunter, topic=CosineTopic("coral reef"))
        crawl.start([u("s")], Millis(0))
        request = crawl.lease(Millis(0))
        assert request is not None
        crawl.commit(made_page(request, u("coral"), u("lagoon"), text="coral reef lagoon"), Millis(0))
        view = CrawlView(
            2, Millis(0), 0, crawl.store.memory, crawl.frontier, crawl.gate, crawl.admission.depth
        )
        if at_once:
            told.append(list(hunter.on_handoffs(found, view)))
        else:
            told.append([command for each in found for command in hunter.on_handoff(each, view)])
    assert told[0] == told[1]
    assert [command.url for command in told[0] if isinstance(command, Enqueue)] == [
        each.url for each in found
    ]
    scores = [command.score for command in told[0] if isinstance(command, Enqueue)]
    assert len(set(scores)) > 1, scores


def test_start_pages_come_first_and_failures_do_no_harm() -> None:
    pages = {"s": page_of("s", "coral reef coral reef", ("coral-reef", "x")), "t": page_of("t", "town")}
    assert order_of(Hunter(QUERY, None), pages, ["s", "gone", "t"]) == ["s", "gone", "t", "coral-reef"]


def test_a_link_that_a_peer_saw_counts_by_whichever_says_more() -> None:
    """The peer saw the page on which it stands; here is its URL, which is on topic only for the second one."""
    hunter = Hunter(QUERY, None)
    crawl = make_crawl(hunter, topic=CosineTopic("coral reef"), budget=20)
    crawl.start([u("s")], Millis(0))
    request = crawl.lease(Millis(0))
    assert request is not None
    crawl.commit(made_page(request, u("coral-reef"), text="coral reef"), Millis(0))
    for name, told in (("plain", 5.0), ("coral", 0.0)):
        crawl.hear(HandedOff(command=Enqueue(url=u(name), score=told), peer="n1"), Millis(0))
    waiting = {each.url: each.score for each in crawl.frontier.pending()}
    assert waiting[u("plain")] == 5.0
    assert waiting[u("coral")] > 0.0


def test_a_link_that_may_not_be_followed_waits_for_one_that_may() -> None:
    hunter = Hunter(QUERY, None)
    crawl = make_crawl(hunter, budget=30)
    crawl.start([u(name) for name in "abcdefghijklmnop"], Millis(0))
    fetched: list[str] = []
    while (request := crawl.lease(Millis(0))) is not None:
        fetched.append(request.url)
        links = {u("a"): [u("shut"), u("open")], u("d"): [u("open")]}.get(request.url, [])
        crawl.commit(made_page(request, *links, text="reef", nofollow=request.url == u("a")), Millis(0))
    assert u("open") in fetched
    assert u("shut") not in fetched, "the hunter offers again what was dropped, not what was refused"
    assert crawl.admission.refused == 2


def test_a_link_beside_good_pages_is_better_than_one_beside_bad_ones() -> None:
    # None of the links says anything of the topic; those who link to "near" do.
    pages = {
        "s": page_of("s", "town", ("far", ""), ("good", ""), ("bad", "")),
        "good": page_of("good", "coral reef", ("near", "")),
        "bad": page_of("bad", "street corner", ("away", "")),
    }
    seen = order_of(Hunter(QUERY, None), pages, ["s", "good", "bad"])
    assert seen.index("near") < seen.index("away")
    assert seen.index("near") < seen.index("far")


def test_some_of_each_word_is_worth_more_than_much_of_one() -> None:
    pages = {
        "one": page_of("one", "coral coral coral coral coral coral", ("p", "")),
        "both": page_of("both", "coral reef and some more words beside these two", ("q", "")),
        "none": page_of("none", "street corner", ("r", "")),
    }
    seen = order_of(Hunter(QUERY, None), pages, ["one", "both", "none"])
    assert seen[3:] == ["q", "p", "r"]


def test_examples_alone_are_enough() -> None:
    examples = Examples(pages=({"lagoon": 3, "atoll": 2},))
    pages = {
        "s": page_of("s", "coral", ("x", "")),
        "l": page_of("l", "the lagoon of an atoll", ("y", "")),
    }
    seen = order_of(Hunter(None, examples), pages, ["s", "l"], topic="lagoon atoll")
    assert seen == ["s", "l", "y", "x"]


def test_without_words_it_goes_by_the_crawls_own_judgement() -> None:
    pages = {
        "s": page_of("s", "street corner", ("x", "")),
        "g": page_of("g", "coral reef", ("y", "")),
    }
    assert order_of(Hunter(None, None), pages, ["s", "g"]) == ["s", "g", "y", "x"]


def test_it_explains_a_score_by_its_parts_and_tells_what_it_learned() -> None:
    hunter = Hunter(QUERY, None, first_lesson=8, chosen=5)
    pages = {
        f"p{n}": page_of(f"p{n}", "coral reef lagoon" if n % 3 else "street", ("x", "")) for n in range(16)
    }
    crawl = make_crawl(hunter, topic=CosineTopic("coral reef"), budget=16)
    crawl.start([u(name) for name in pages], Millis(0))
    while (request := crawl.lease(Millis(0))) is not None:
        found = pages[request.url.removeprefix("http://").split(".")[0]]
        crawl.commit(made_page(request, *(link.target for link in found.links), text=found.text), Millis(0))
    (waiting,) = crawl.frontier.pending()
    told = hunter.explain(waiting, crawl.store.memory)
    assert sum(told.values()) == pytest.approx(waiting.score)
    earlier = hunter.explain(structs.replace(waiting, score=waiting.score - 0.25), crawl.store.memory)
    assert earlier == {**told, "what was learned since": pytest.approx(-0.25)}
    assert told["word coral"] > 0
    assert told["word reef"] > 0
    assert "lagoon" in hunter.facts()["learned"]
    assert hunter.explain(Request(url=u("p1"), order=1, score=START), crawl.store.memory) == {
        "start page": 1.0
    }
