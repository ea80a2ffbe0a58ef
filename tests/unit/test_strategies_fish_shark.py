"""Fish search and shark search: known answers worked by hand, and how their parameters change them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import pytest
from tests.worlds import by_table, drive, failed, lease, looks, made_page, make_crawl, u, visited

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.inputs import Query
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.commands import Enqueue
from lycosa.model.events import Operated
from lycosa.model.records import Failure, Link, Millis, Page, Request
from lycosa.model.url import Url
from lycosa.read.html import read
from lycosa.scoring.words.around import anchor_end, words_around
from lycosa.scoring.words.terms import counts
from lycosa.strategies.fish import Fish, Position
from lycosa.strategies.shark import Lineage, Shark, SharkInBatches

QUERY = Query(terms=counts("apple"))
ON, OFF = "apple", "cloud"


def started(strategy: Fish | Shark, *seeds: str, capacity: int | None = None) -> Crawl:
    crawl = make_crawl(strategy, frontier=MemoryFrontier(capacity=capacity))
    crawl.start([u(name) for name in seeds], Millis(0))
    return crawl


def visit(crawl: Crawl, text: str, targets: str = "", *, elapsed: int = 0) -> list[Enqueue]:
    """Visit what comes first, find this text and these links there; returns what the strategy asked for."""
    page = made_page(lease(crawl), *(u(name) for name in targets), text=text)
    return committed(crawl, msgspec.structs.replace(page, elapsed=Millis(elapsed)))


def committed(crawl: Crawl, page: Page) -> list[Enqueue]:
    crawl.commit(page, Millis(0))
    *_, last = (
        entry for entry in crawl.store.entries() if entry.event == page or isinstance(entry.event, Page)
    )
    return [command for command in last.commands if isinstance(command, Enqueue)]


def places(asked: Sequence[Enqueue]) -> dict[str, Position]:
    return {command.url[len("http://")]: Position(command.tier) for command in asked}


def order(crawl: Crawl) -> str:
    """The list as it stands, first to last."""
    keys = crawl.frontier.keys()
    return "".join(url[len("http://")] for url in sorted(keys, key=lambda url: keys[url]))


# -- fish ----------------------------------------------------------------------------------------------------


def test_fish_puts_the_first_links_of_a_relevant_page_to_the_front() -> None:
    """KAT of §3.4: w = 2, a relevant page with 5 links: ⌈1.5 · 2⌉ = 3 to the beginning, 2 to the end."""
    crawl = started(Fish(QUERY, width=2), "s")
    assert places(visit(crawl, ON, "abcde")) == {
        "a": Position.FRONT,
        "b": Position.FRONT,
        "c": Position.FRONT,
        "d": Position.END,
        "e": Position.END,
    }
    assert order(crawl) == "abcde"


def test_fish_puts_some_links_of_an_irrelevant_page_to_the_middle() -> None:
    """KAT of §3.4: w = 2, an irrelevant page of depth 2: 2 to the middle with depth 1, 3 to the end."""
    fish = Fish(QUERY, width=2, depth=2)
    crawl = started(fish, "s")
    asked = visit(crawl, OFF, "abcde")
    assert list(places(asked).values()) == [Position.MIDDLE] * 2 + [Position.END] * 3
    assert fish.save()["depths"] == {u("s"): 1}


@pytest.mark.parametrize(("width", "factor", "front"), [(1, 1.5, 2), (3, 1.5, 5), (50, 1.1, 55), (0, 1.5, 0)])
def test_fish_rounds_up(width: int, factor: float, front: int) -> None:
    crawl = started(Fish(QUERY, width=width, relevant_factor=factor), "s")
    asked = committed(crawl, made_page(lease(crawl), *(u(f"h{n}") for n in range(90)), text=ON))
    assert [command.tier for command in asked].count(Position.FRONT) == front


def test_fish_without_depth_left_goes_to_the_end() -> None:
    """depth 1: the start page has 1, its links 0, and theirs 0 as well."""
    crawl = started(Fish(QUERY, width=2, depth=1), "s")
    assert places(visit(crawl, OFF, "a")) == {"a": Position.MIDDLE}
    assert places(visit(crawl, OFF, "b")) == {"b": Position.END}
    assert places(visit(crawl, OFF, "c")) == {"c": Position.END}
    assert places(visit(crawl, ON, "d")) == {"d": Position.FRONT}  # food: full depth again
    assert places(visit(crawl, OFF, "e")) == {"e": Position.MIDDLE}


def test_fish_list_newest_in_front_oldest_in_the_middle_and_at_the_end() -> None:
    crawl = started(Fish(QUERY, width=2), "s", "t")
    visit(crawl, OFF, "abcd")
    assert order(crawl) == "tabcd"  # the start pages go before the middle
    visit(crawl, OFF, "efgh")
    assert order(crawl) == "abefcdgh"
    visit(crawl, ON, "ijkl")
    assert order(crawl) == "ijkbefcdghl"
    visit(crawl, ON, "mnop")
    assert order(crawl) == "mnojkbefcdghlp"


def test_fish_moves_known_urls_forward_never_back() -> None:
    crawl = started(Fish(QUERY, width=2), "s")
    visit(crawl, ON, "abcde")
    visit(crawl, ON, "ef")
    assert order(crawl) == "efbcd"
    visit(crawl, OFF, "xdcb")  # e: x and d to the middle, c stays in front
    assert order(crawl) == "fbcxd"


def test_fish_ties_are_none_whatever_the_frontier_does_with_them() -> None:
    crawl = make_crawl(Fish(QUERY, width=2), frontier=MemoryFrontier(tie="lifo"))
    crawl.start([u("s")], Millis(0))
    visit(crawl, ON, "abcde")
    assert order(crawl) == "abcde"


def test_fish_counts_a_target_once_and_not_the_page_itself() -> None:
    crawl = started(Fish(QUERY, width=2), "s")
    assert [command.url for command in visit(crawl, ON, "saabca")] == [u("a"), u("b"), u("c")]


def test_fish_prefers_other_sites_if_told() -> None:
    names = ["s/1", "s/2", "a", "b"]
    found = {}
    for prefer in (False, True):
        crawl = started(Fish(QUERY, width=1, relevant_factor=2, prefer_other_sites=prefer), "s")
        asked = committed(crawl, made_page(lease(crawl), *(u(name) for name in names), text=ON))
        found[prefer] = [command.url for command in asked if command.tier == Position.FRONT]
    assert found == {False: [u("s/1"), u("s/2")], True: [u("a"), u("b")]}


def test_fish_threshold() -> None:
    """`apple bridge` has cosine 1/√2 = .707 with `apple`."""
    for threshold, place in ((0.7, Position.FRONT), (0.71, Position.MIDDLE)):
        crawl = started(Fish(QUERY, rel_threshold=threshold), "s")
        assert places(visit(crawl, "apple bridge", "a")) == {"a": place}


@pytest.mark.parametrize(
    ("elapsed", "rate", "place"),
    [
        (2000, 1000.0, Position.END),  # 5 characters in 2 s
        (999, 1000.0, Position.MIDDLE),  # under a second: not judged
        (2000, 2.6, Position.END),
        (2000, 2.4, Position.MIDDLE),
        (2000, 0.0, Position.MIDDLE),  # switched off
        (0, 1000.0, Position.MIDDLE),  # not known
    ],
)
def test_fish_starves_on_slow_hosts(elapsed: int, rate: float, place: Position) -> None:
    crawl = started(Fish(QUERY, slow_rate=rate), "s")
    assert places(visit(crawl, "cloud", "a", elapsed=elapsed)) == {"a": place}


def test_fish_judges_a_host_by_the_mean() -> None:
    crawl = started(Fish(QUERY, slow_rate=10), "s", "s/2")
    visit(crawl, "cloud " * 100, elapsed=1000)
    assert places(visit(crawl, "cloud", "a", elapsed=3000)) == {"a": Position.MIDDLE}  # 604 characters in 4 s


def test_fish_page_that_is_fetched_again_hands_on_anew() -> None:
    fish = Fish(QUERY)
    crawl = started(fish, "s")
    visit(crawl, OFF, "a")
    assert fish.save()["depths"] == {u("s"): 2}
    crawl.hear(Operated(commands=(Enqueue(url=u("s"), refetch=True),), by="a test"), Millis(0))
    visit(crawl, ON, "a")
    assert fish.save()["depths"] == {}


# -- shark ---------------------------------------------------------------------------------------------------


def neighborhood(shark: Shark, anchor: str, context: str) -> float:
    asked = on_page(shark, ON, Link(source=u("s"), target=u("a"), anchor=anchor, context=context))
    inherited = shark.delta * 1.0
    return (asked[0].score - shark.gamma * inherited) / (1 - shark.gamma)


def on_page(shark: Shark, text: str, *links: Link) -> list[Enqueue]:
    crawl = started(shark, "s")
    return committed(crawl, msgspec.structs.replace(made_page(lease(crawl), text=text), links=links))


FIFTH = "apple " + " ".join(
    f"{a}{b}" for a in ("oak", "elm", "ash", "fir") for b in ("leaf", "wood", "root", "bark", "seed", "twig")
)
"""1 apple among 24 other words: cosine 1/√25 = .2."""
TWO_FIFTHS = "apple apple " + " ".join(FIFTH.split()[1:22])
"""2 apples among 21 other words: cosine 2/√25 = .4."""
HALF = "apple oakleaf elmwood ashroot"
"""1 apple among 3 other words: cosine 1/√4 = .5."""


@pytest.mark.parametrize(
    ("page", "anchor", "context", "score"),
    [
        (TWO_FIFTHS, HALF, FIFTH, 0.56),
        (TWO_FIFTHS, OFF, FIFTH, 0.056),
        (OFF, OFF, FIFTH, 0.046),
        (OFF, OFF, OFF, 0.010),
    ],
)
def test_shark_by_hand(page: str, anchor: str, context: str, score: float) -> None:
    """KAT-3.5: γ .1, δ .5, β .8; where the page has no similarity, it inherited .2.

    1. .1 · (.5 · .4) + .9 · (.8 · .5 + .2 · 1) = .02 + .54 = .56
    2. .1 · .2 + .9 · (.2 · .2) = .02 + .036 = .056
    3. .1 · (.5 · .2) + .036 = .046
    4. .1 · .1 = .010
    """
    shark = Shark(QUERY, window=20)
    crawl = started(shark, "p")
    committed(crawl, made_page(lease(crawl), u("q"), text=TWO_FIFTHS))  # .5 · .4
    assert shark.save() == {"lineages": {u("p"): [3, pytest.approx(0.2)]}}
    link = Link(source=u("q"), target=u("x"), anchor=anchor, context=context)
    [asked] = committed(crawl, msgspec.structs.replace(made_page(lease(crawl), text=page), links=(link,)))
    assert asked.score == pytest.approx(score)


def test_shark_inherits_over_several_levels() -> None:
    """s has similarity .4 and hands on .2; a, b, c have none and hand on .1, .05, and c nothing, as its depth is 0."""
    shark = Shark(QUERY)
    crawl = started(shark, "s")
    scores = [visit(crawl, text, to) for text, to in ((TWO_FIFTHS, "a"), (OFF, "b"), (OFF, "c"), (OFF, "d"))]
    assert [asked[0].score for asked in scores] == pytest.approx([0.02, 0.01, 0.005, 0.0025])
    assert visit(crawl, OFF, "e") == []
    assert crawl.finished


def test_a_chain_without_any_similarity_ends_after_d_levels() -> None:
    graph = {"s": "a", "a": "b", "b": "c", "c": "e", "e": ""}
    for d, found in ((0, "s"), (1, "sa"), (3, "sabc"), (4, "sabce")):
        crawl = started(Shark(QUERY, d=d), "s")
        drive(crawl, by_table(graph, dict.fromkeys(graph, OFF)))
        assert visited(crawl) == [u(name) for name in found]


def test_shark_depth_is_tested_before_it_is_reset_unless_told() -> None:
    """d = 1: a has depth 0, and is relevant."""
    graph, texts = {"s": "a", "a": "b", "b": ""}, {"s": OFF, "a": ON, "b": OFF}
    for reset, found in ((False, "sa"), (True, "sab")):
        crawl = started(Shark(QUERY, d=1, reset_before_test=reset), "s")
        drive(crawl, by_table(graph, texts))
        assert visited(crawl) == [u(name) for name in found]


def test_shark_threshold_rules_depth_and_inheritance() -> None:
    """`apple bridge` has cosine .707. Above it the page is irrelevant and hands on what it inherited."""
    for threshold, lineage in ((0.7, Lineage(3, 0.5 / math.sqrt(2))), (0.71, Lineage(2, 0.0))):
        shark = Shark(QUERY, rel_threshold=threshold)
        visit(started(shark, "s"), "apple bridge", "a")
        [kept] = shark.save()["lineages"].values()
        assert kept == pytest.approx(list(lineage))


def test_shark_takes_the_best_of_several_links_with_what_its_page_hands_on() -> None:
    """t is found by an irrelevant page with depth 2 first, then by a relevant one: depth 3, inherited .5."""
    shark = Shark(QUERY, d=3)
    crawl = started(shark, "r", "s")
    visit(crawl, OFF, "t")
    visit(crawl, ON, "t")
    request = lease(crawl)
    assert (request.url, request.score) == (u("t"), pytest.approx(0.05))
    assert committed(crawl, made_page(request, u("v"), text=OFF))[0].score == pytest.approx(0.025)
    assert shark.save()["lineages"][u("t")] == [2, pytest.approx(0.25)]


def test_shark_scores_each_link_of_a_page_and_keeps_the_best_to_a_target() -> None:
    links = [
        Link(source=u("s"), target=u(target), anchor=anchor)
        for target, anchor in (("a", OFF), ("b", HALF), ("a", ON), ("b", OFF))
    ]
    asked = on_page(Shark(QUERY), OFF, *links)
    assert [(c.url, c.score, c.via) for c in asked] == [
        (u("a"), pytest.approx(0.9), links[2]),
        (u("b"), pytest.approx(0.9 * 0.6), links[1]),
    ]


def page_of(html: str) -> Page:
    document = read(html.encode(), "http://s")
    page = made_page(Request(url=u("s"), order=0))
    found = {name: getattr(document, name) for name in ("text", "terms", "links", "places")}
    return msgspec.structs.replace(page, **found)


def contexts(html: str, window: int, query: Query = QUERY) -> list[float]:
    """The context's similarity of each link that has no word of the query itself; else 1."""
    shark, page = Shark(query, window=window), page_of(html)
    return [shark._anchor_and_context(link, page, n)[1] for n, link in enumerate(page.links)]


@pytest.mark.parametrize(("window", "finds"), [(0, False), (6, False), (7, True), (10, True), (20, True)])
def test_shark_looks_no_further_than_its_window(window: int, finds: bool) -> None:
    html = "<p>apple one two three four five six <a href=/x>link</a> seven eight nine"
    assert (contexts(html, window)[0] > 0) is finds


@pytest.mark.parametrize(
    "link", ["(<a href=/x>link</a>),", "“<a href=/x>link</a>”.", "re<a href=/x>link</a>ed"]
)
def test_shark_finds_a_link_that_signs_or_letters_touch(link: str) -> None:
    """Ten words to the left, the last is `apple`; the middle of the context lies elsewhere."""
    html = f"<p>apple one two three four five six seven eight nine {link} {'cloud ' * 20}"
    assert contexts(html, 9) == [0.0]
    assert contexts(html, 10)[0] > 0


def test_shark_takes_the_place_of_the_link_itself_where_its_words_occur_again() -> None:
    html = f"<p><a href=/x>link</a> {'cloud ' * 9} link apple link {'cloud ' * 9} link"
    assert contexts(html, 10) == [0.0]
    assert contexts(html, 11)[0] > 0


def test_shark_stays_within_the_block_and_passes_over_images() -> None:
    html = """<p>apple</p><p>one <a href=/x><img alt="a tree of which nothing is said"></a> two three apple</p>"""
    assert [contexts(html, window)[0] > 0 for window in (1, 2, 3)] == [False, False, True]


def test_shark_takes_all_of_the_context_where_no_places_are_known() -> None:
    shark = Shark(QUERY, window=1)
    assert neighborhood(shark, "link", "apple one two link three") > 0


def test_shark_in_batches_takes_the_best_at_once() -> None:
    """x is relevant and links to t (.1 · .5 = .05), y is not. One by one: s, x, t, y. By two: s, {x, y}, t."""
    graph, texts = {"s": "xy", "x": "t", "y": "", "t": ""}, {"s": OFF, "x": ON, "y": OFF, "t": OFF}
    for n, found in ((1, "sxty"), (2, "sxyt")):
        crawl = make_crawl(SharkInBatches(QUERY, n=n))
        crawl.start([u("s")], Millis(0))
        drive(crawl, by_table(graph, texts))
        assert visited(crawl) == [u(name) for name in found]


@pytest.mark.parametrize(
    ("anchor", "end"),
    [
        ("d", "d"),
        ("d e", "d e"),
        ("d e a title", "d e"),
        ("d ever", "d"),
        ("picture", ""),
        ("", ""),
        ("d e f g and more", "d e f g"),
    ],
)
def test_where_the_words_of_a_link_end(anchor: str, end: str) -> None:
    text = "a b\nc d e f\ng"
    assert text[6 : anchor_end(text, 6, anchor)].replace("\n", " ") == end


def test_words_around_a_link() -> None:
    text = "z\na b c d e f g\ny"
    assert words_around(text, 8, 9, 2) == "b c d e f"
    assert words_around(text, 6, 9, 1) == "b c d e"
    assert words_around(text, 8, 9, 0) == "d"
    assert words_around(text, 8, 8, 1) == "c d"
    assert words_around(text, 2, 3, 50) == "a b c d e f g"
    assert words_around("", 0, 0, 5) == ""


def test_shark_page_that_is_fetched_again_hands_on_anew() -> None:
    shark = Shark(QUERY)
    crawl = started(shark, "s")
    visit(crawl, ON, "a")
    crawl.hear(Operated(commands=(Enqueue(url=u("s"), refetch=True, score=9.0),), by="a test"), Millis(0))
    visit(crawl, OFF, "a")
    assert shark.save() == {"lineages": {u("s"): [2, 0.0]}}


# -- both ----------------------------------------------------------------------------------------------------

GRAPH: Mapping[str, str] = {"s": "ab", "a": "cd", "b": "ce", "c": "f", "d": "g", "e": "h", "f": "i", "h": "j"}
TEXTS = {name: ON if name in "be" else OFF for name in GRAPH}


@pytest.mark.parametrize("make", [Fish, Shark])
def test_explanation_of_a_fresh_strategy_is_that_of_the_one_that_crawled(make: type[Fish | Shark]) -> None:
    """`lycosa why` makes a strategy that has seen nothing: it finds in the memory what the crawl had in its state."""
    strategy = make(QUERY)
    crawl = started(strategy, "s")
    requests: list[Request] = []

    def answer(request: Request) -> Page | Failure:
        requests.append(request)
        return by_table(GRAPH, TEXTS)(request)

    drive(crawl, answer)
    fresh, memory = make(QUERY), crawl.store.memory
    assert fresh.explain(requests[0], memory) == {"start page": 1.0}
    for request in requests[1:]:
        parts = dict(fresh.explain(request, memory))
        if isinstance(strategy, Fish):
            assert parts["depth, its host not being slow"] == strategy._depth_of(request)
        else:
            lineage = strategy._lineage_of(request)
            assert (parts["depth"], parts["inherited"]) == (lineage.depth, pytest.approx(lineage.inherited))
            score = strategy.gamma * parts["inherited"] + (1 - strategy.gamma) * parts["neighborhood"]
            assert score == pytest.approx(request.score)


@pytest.mark.parametrize("make", [Fish, Shark])
def test_failures_leave_nothing_behind(make: type[Fish | Shark]) -> None:
    strategy = make(QUERY)
    crawl = started(strategy, "s")
    before = looks(crawl)["strategy"]
    crawl.commit(failed(lease(crawl)), Millis(0))
    assert looks(crawl)["strategy"] == before


@pytest.mark.parametrize("make", [Fish, Shark])
def test_redirected_page_hands_on_by_its_final_address(make: type[Fish | Shark]) -> None:
    """s redirects to r: r's links name r as their source."""
    strategy = make(QUERY)
    crawl = started(strategy, "s")
    committed(crawl, made_page(lease(crawl), u("a"), text=OFF, final=u("r"), hops=(u("s"),)))
    request = lease(crawl)
    assert request.via is not None
    assert request.via.source == Url(u("r"))
    depth = strategy._depth_of(request) if isinstance(strategy, Fish) else strategy._lineage_of(request).depth
    assert depth == 2
