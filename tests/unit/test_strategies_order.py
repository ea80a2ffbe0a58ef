"""Depth-first, WIRE's orders, best-first in batches and the wrappers: known answers worked by hand, and laws."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import CosineTopic, by_table, drive, journal, lease, made_page, make_crawl, u, visited

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.scope import Scope
from lycosa.crawl.strategy import Strategy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.commands import Enqueue
from lycosa.model.errors import InputError
from lycosa.model.events import HandedOff, Idled, Operated
from lycosa.model.records import Millis, Page, Request
from lycosa.model.url import host_of
from lycosa.spec.registry import strategy
from lycosa.strategies.best_first import BestFirst, BestFirstInBatches
from lycosa.strategies.importance.wire import Wire
from lycosa.strategies.order import BreadthFirst, DepthFirst, RandomOrder
from lycosa.strategies.wrappers.wrapper import FRONT, Batches, Explore, StrategyWrapper

Graph = Mapping[str, Sequence[str]]

GRAPH = {"s": "xy", "x": "t", "y": "z", "t": "", "z": ""}
TEXTS = {"s": "apple", "x": "apple bridge", "y": "cloud"}
"""As in KAT-3.2, with words for its letters: s has cosine 1/√2 with "apple bridge", x has 1, y has 0."""


def crawled(
    strategy: Strategy,
    graph: Graph,
    seeds: Sequence[str] = "s",
    *,
    topic: str = "apple bridge",
    texts: Mapping[str, str] = TEXTS,
    scope: Scope | None = None,
    capacity: int | None = None,
    seed: int = 0,
    budget: int = 1000,
) -> Crawl:
    frontier = MemoryFrontier(capacity=capacity)
    crawl = make_crawl(
        strategy, topic=CosineTopic(topic), frontier=frontier, scope=scope, seed=seed, budget=budget
    )
    crawl.start([u(name) for name in seeds], Millis(0))
    drive(crawl, by_table(graph, texts))
    return crawl


def names(crawl: Crawl) -> list[str]:
    """`http://a.test/x` as `a/x`."""
    return [url.removeprefix("http://").replace(".test/", "/").rstrip("/") for url in visited(crawl)]


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Up to 24 pages on up to 4 hosts, all of them there, `a/0` the start page."""
    pages = [f"{'abcd'[i % 4]}/{i}" for i in range(draw(st.integers(1, 24)))]
    return {page: draw(st.lists(st.sampled_from(pages), max_size=6)) for page in pages}


@st.composite
def texts(draw: st.DrawFn) -> dict[str, str]:
    words = st.sampled_from(["apple", "apple bridge", "apple cloud", "cloud"])
    return {f"{'abcd'[i % 4]}/{i}": draw(words) for i in range(24)}


# -- depth-first ---------------------------------------------------------------------------------------------


def recursive(graph: Graph, page: str, done: list[str]) -> list[str]:
    """The textbook's walk, the twin to compare with."""
    done.append(page)
    for target in graph[page]:
        if target not in done:
            recursive(graph, target, done)
    return done


def test_depth_first_by_hand() -> None:
    """On a: its new link d before c, which s had found long before, since d stands first."""
    graph = {"s": "abc", "a": "dc", "b": "", "c": "e", "d": "", "e": ""}
    assert names(crawled(DepthFirst(), graph)) == list("sadceb")


@settings(max_examples=trials(60), deadline=None)
@given(graphs())
def test_depth_first_is_the_recursive_walk(graph: dict[str, list[str]]) -> None:
    assert names(crawled(DepthFirst(), graph, ["a/0"])) == recursive(graph, "a/0", [])


def test_a_peers_link_is_found_now() -> None:
    crawl = make_crawl(DepthFirst())
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("a"), u("b")), Millis(0))
    crawl.hear(HandedOff(command=Enqueue(url=u("p"), score=0.0), peer="peer"), Millis(0))
    assert lease(crawl).url == u("p")


# -- WIRE ----------------------------------------------------------------------------------------------------

KAT = ["a/1", "a/2", "a/3", "b/1", "c/1", "c/2"]


def test_larger_sites_first_by_hand() -> None:
    """KAT of §1.16: pending a 3, b 1, c 2, ties by name: picks a, a, c, a, b, c."""
    alone = dict.fromkeys(KAT, "")
    assert names(crawled(Wire(), alone, KAT)) == ["a/1", "a/2", "c/1", "a/3", "b/1", "c/2"]
    linked = {"s": KAT, **alone}
    assert names(crawled(Wire(), linked))[1:] == ["a/1", "a/2", "c/1", "a/3", "b/1", "c/2"]


def test_a_site_that_grows_overtakes() -> None:
    """b/1 brings three more of b: then b has 3, a has 2."""
    graph = {"s": ["b/1", "a/1", "a/2"], "a/1": ["b/2", "b/3"], "a/2": "", "b/1": "", "b/2": "", "b/3": ""}
    assert names(crawled(Wire(), graph)) == ["s", "a/1", "b/1", "b/2", "a/2", "b/3"]


def test_refused_links_do_not_make_a_site_large() -> None:
    """Links to /no are out of scope. At first a's only page waits behind them and b, with 2, goes; at the next step
    they do not count any more, a and b have 1 each, and a/1 was found before b/2."""
    graph = {"s": ["a/no1", "a/no2", "a/1", "b/1", "b/2"], "a/1": "", "b/1": "", "b/2": ""}
    crawl = crawled(Wire(), graph, scope=Scope(exclude=("/no",)))
    assert names(crawl) == ["s", "b/1", "a/1", "b/2"]


def test_nofollow_holds_for_the_first_page_of_a_site() -> None:
    crawl = make_crawl(Wire())
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("a"), nofollow=True), Millis(0))
    assert crawl.finished
    assert crawl.admission.refused == 1


@settings(max_examples=trials(60), deadline=None)
@given(graphs())
def test_most_pending_first(graph: dict[str, list[str]]) -> None:
    crawl = make_crawl(Wire())
    crawl.start([u("a/0")], Millis(0))
    answer = by_table(graph)
    while not crawl.finished:
        waiting = [host_of(request.url) for request in crawl.frontier.pending()]
        request = lease(crawl)
        assert waiting.count(host_of(request.url)) == max(map(waiting.count, waiting)) == request.score
        crawl.commit(answer(request), Millis(0))


@settings(max_examples=trials(60), deadline=None)
@given(graphs())
def test_within_a_site_first_in_first_out(graph: dict[str, list[str]]) -> None:
    crawl = crawled(Wire(), graph, ["a/0"])
    for host in "abcd":
        orders = [
            e.event.request.order
            for e in journal(crawl)
            if isinstance(e.event, Page) and e.event.url.startswith(f"http://{host}")
        ]
        assert orders == sorted(orders)


def test_a_recount_finds_what_came_from_outside() -> None:
    """60 pages of a chain are more than the 50 after which all is counted; b's pages came from an operator."""
    graph = {f"a/{i}": [f"a/{i + 1}"] for i in range(60)}
    crawl = make_crawl(Wire())
    crawl.start([u("a/0")], Millis(0))
    crawl.hear(
        Operated(
            commands=tuple([Enqueue(url=u(f"b/{i}"), score=-1.0, tier=1) for i in range(5)]), by="sitemap"
        ),
        Millis(0),
    )
    drive(crawl, by_table({**graph, "a/60": "", **{f"b/{i}": "" for i in range(5)}}))
    scores = [
        e.event.request.score for e in journal(crawl) if isinstance(e.event, Page) and "b.test" in e.event.url
    ]
    assert scores == [5.0, 4.0, 3.0, 2.0, 1.0]


def test_depth_goes_by_links_from_a_start_page() -> None:
    """d (found at depth 3 by c) is found by b at depth 2 as well, and steps forward."""
    graph = {"s": "ab", "a": "c", "b": "d", "c": "de", "d": "", "e": ""}
    crawl = crawled(Wire(order="depth"), graph)
    assert names(crawl) == list("sabcde")
    assert [e.event.request.score for e in journal(crawl) if isinstance(e.event, Page)] == [
        0,
        -1,
        -1,
        -2,
        -2,
        -3,
    ]


def test_depth_does_not_depend_on_which_answer_comes_first() -> None:
    """a and b are out together; b comes home first, a's links are as deep as b's; c is deeper and must wait."""
    crawl = make_crawl(Wire(order="depth"))
    crawl.start([u("s"), u("r")], Millis(0))
    first, second = lease(crawl), lease(crawl)
    crawl.commit(made_page(first, u("a")), Millis(0))
    crawl.commit(made_page(lease(crawl), u("c")), Millis(0))
    crawl.commit(made_page(second, u("b")), Millis(0))
    assert [lease(crawl).url, lease(crawl).url] == [u("b"), u("c")]


@pytest.mark.parametrize(
    ("order", "request_", "told"),
    [
        ("depth", Request(url=u("a"), order=1, score=-2.0), {"links from a start page": 2.0}),
        ("larger-sites-first", Request(url=u("a"), order=1, score=7.0), {"URLs waiting on this host": 7.0}),
    ],
)
def test_wire_explains_its_scores(order: str, request_: Request, told: dict[str, float]) -> None:
    assert strategy(f"wire:order={order}").explain(request_, make_crawl(Wire()).store.memory) == told


def test_an_unknown_order_is_refused() -> None:
    with pytest.raises(InputError, match="order=size is not of type"):
        strategy("wire:order=size")


# -- batches -------------------------------------------------------------------------------------------------


def scores(crawl: Crawl) -> list[float]:
    return [e.event.request.score for e in journal(crawl) if isinstance(e.event, Page)]


def test_best_first_in_batches_of_two_by_hand() -> None:
    """KAT-3.2 for N = 2: s, {x, y}, {t, z}. t, found on x with score 1, waits until y is in."""
    crawl = crawled(BestFirstInBatches(n=2), GRAPH)
    half = math.sqrt(0.5)
    assert names(crawl) == list("sxytz")
    assert scores(crawl) == pytest.approx([1.0, half, half, 1.0, 0.0])


def test_batch_of_one_is_best_first_by_hand() -> None:
    """KAT-3.2 for N = 1."""
    assert names(crawled(BestFirstInBatches(n=1), GRAPH)) == list("sxtyz")


@settings(max_examples=trials(60), deadline=None)
@given(graphs(), texts())
def test_batches_of_one_change_nothing(graph: dict[str, list[str]], texts: dict[str, str]) -> None:
    plain = crawled(BestFirst(), graph, ["a/0"], texts=texts)
    single = crawled(BestFirstInBatches(n=1), graph, ["a/0"], texts=texts)
    assert names(single) == names(plain)
    assert scores(single) == scores(plain)


@settings(max_examples=trials(40), deadline=None)
@given(graphs(), st.integers(1, 8))
def test_equal_scores_in_batches_are_first_in_first_out(graph: dict[str, list[str]], n: int) -> None:
    assert names(crawled(BestFirstInBatches(n=n), graph, ["a/0"], topic="zebra")) == names(
        crawled(BreadthFirst(), graph, ["a/0"])
    )


def batches(crawl: Crawl) -> list[list[Page]]:
    found: list[list[Page]] = [[]]
    for entry in journal(crawl):
        if isinstance(entry.event, Page):
            found[-1].append(entry.event)
        elif isinstance(entry.event, Idled):
            found.append([])
    return [batch for batch in found if batch]


@settings(max_examples=trials(60), deadline=None)
@given(graphs(), texts(), st.integers(1, 8))
def test_bounded_batches_picked_at_once(graph: dict[str, list[str]], texts: dict[str, str], n: int) -> None:
    crawl = crawled(BestFirstInBatches(n=n), graph, ["a/0"], texts=texts)
    for batch in batches(crawl):
        members = [page.url for page in batch]
        assert len(members) == len(set(members)) <= n
        assert not any(page.request.via and page.request.via.source in members for page in batch)
    assert sorted(names(crawl)) == sorted(names(crawled(BestFirst(), graph, ["a/0"], texts=texts)))


def test_a_batch_as_large_as_the_frontier_empties_it() -> None:
    """N ≥ M: a beam search. Of each level the best 2 are kept; here all scores are equal, so the first 2."""
    graph = {"s": "abc", "a": "de", "b": "fg", **dict.fromkeys("cdefg", "")}
    assert names(crawled(BestFirstInBatches(n=2), graph, topic="zebra", capacity=2)) == list("sabde")


@pytest.mark.parametrize("n", ["0", "257"])
def test_batch_sizes_out_of_range_are_refused(n: str) -> None:
    with pytest.raises(InputError, match=f"n={n} is out of range"):
        strategy(f"bfs-n:n={n}")
    with pytest.raises(InputError, match="give at least 1"):
        Batches(BestFirst(), n=0)


def test_the_strategy_inside_is_asked_when_nothing_is_left() -> None:
    class Afterthought(BreadthFirst):
        def on_idle(self, crawl):  # type: ignore[no-untyped-def]
            return [Enqueue(url=u("late"))]

    assert names(crawled(Batches(Afterthought(), n=3), {"s": "s", "late": ""})) == ["s", "late"]


def test_a_batch_survives_a_restart_with_its_pages_and_failures() -> None:
    crawl = make_crawl(BestFirstInBatches(n=3))
    crawl.start([u("s")], Millis(0))
    crawl.commit(made_page(lease(crawl), u("x"), u("y")), Millis(0))
    crawl.commit(made_page(lease(crawl), u("t")), Millis(0))
    again = BestFirstInBatches(n=3)
    again.load(crawl.snapshot().strategy)
    assert again.save() == crawl.strategy.save()
    crawl.strategy = again
    drive(crawl, by_table({"y": "", "t": ""}))
    assert names(crawl) == list("sxyt")


def test_an_exhausted_batch_crawl_goes_on_when_it_is_fed() -> None:
    crawl = crawled(BestFirstInBatches(n=2), GRAPH)
    assert str(crawl.ended) == "exhausted"
    crawl.hear(HandedOff(command=Enqueue(url=u("p")), peer="peer"), Millis(0))
    assert lease(crawl).url == u("p")


# -- wrappers ------------------------------------------------------------------------------------------------


@settings(max_examples=trials(30), deadline=None)
@given(graphs(), texts(), st.integers(0, 3))
def test_transparent(graph: dict[str, list[str]], texts: dict[str, str], seed: int) -> None:
    for make in (BestFirst, RandomOrder, Wire, lambda: BestFirstInBatches(n=3)):
        bare = crawled(make(), graph, ["a/0"], texts=texts, seed=seed)
        for wrap in (StrategyWrapper, lambda inner: Explore(inner, epsilon=0.0)):
            wrapped = crawled(wrap(make()), graph, ["a/0"], texts=texts, seed=seed)
            assert names(wrapped) == names(bare)
            assert wrapped.strategy.save() == {"inner": bare.strategy.save()}


def test_wrappers_nest_and_keep_their_states_apart() -> None:
    crawl = crawled(Explore(Batches(Wire(), n=2), epsilon=0.5), GRAPH, budget=3)
    again = Explore(Batches(Wire(), n=2), epsilon=0.5)
    again.load(crawl.strategy.save())
    assert again.save() == crawl.strategy.save()


def hub(page: Request) -> Page:
    """Every page links to 40 new ones."""
    return made_page(page, *(u(f"h{i}/{page.order}") for i in range(40)))


def test_a_share_of_epsilon_of_the_visits_explores() -> None:
    """Of 600 visits about 120 are lifted: σ = √(600·0.2·0.8) = 9.8."""
    crawl = make_crawl(Explore(BreadthFirst(), epsilon=0.2), budget=600)
    crawl.start([u("s")], Millis(0))
    drive(crawl, hub)
    tiers = [e.event.request.tier for e in journal(crawl) if isinstance(e.event, Page)]
    assert abs(tiers.count(FRONT) - 120) < 4 * 9.8


def test_what_is_lifted_is_drawn_uniformly_and_goes_first() -> None:
    """Each of 4 links, 400 draws: 100 expected, σ = √(400·¼·¾) = 8.7."""
    star = {"s": "abcd", **dict.fromkeys("abcd", "")}
    seconds = [
        names(crawled(Explore(BreadthFirst(), epsilon=1.0), star, seed=seed, budget=2))[1]
        for seed in range(400)
    ]
    for name in "abcd":
        assert abs(seconds.count(name) - 100) < 4 * 8.7


def test_exploring_says_so_and_wants_a_probability() -> None:
    memory = make_crawl(BreadthFirst()).store.memory
    told = Explore(BestFirst(), epsilon=0.1).explain(Request(url=u("a"), order=1, tier=FRONT), memory)
    assert told == {"lifted to the front by chance": 1.0, "start page": 1.0}
    with pytest.raises(InputError, match=r"epsilon is 1\.5: give a probability"):
        Explore(BestFirst(), epsilon=1.5)
