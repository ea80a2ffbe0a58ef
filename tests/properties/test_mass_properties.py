"""Promises of the strategies that let something flow along links, on webs and ledgers of all kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.worlds import failed, made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.scope import Scope
from lycosa.model.events import Snapshot
from lycosa.model.records import Failure, Millis, Page, Reason, Request, UrlState
from lycosa.model.url import Url
from lycosa.strategies.importance.opic import Opic
from lycosa.strategies.importance.rankmass import RankMass
from lycosa.strategies.parts.ledger import Ledger

NAMES = "abcdefghij"
FAILING, REFUSED = "i", "j"

graphs = st.fixed_dictionaries(
    {name: st.lists(st.sampled_from(NAMES), max_size=5, unique=True) for name in NAMES}
)
seeds = st.lists(st.sampled_from(NAMES[:8]), min_size=1, max_size=3, unique=True)


def answer(graph: Mapping[str, Sequence[str]], request: Request) -> Page | Failure:
    name = request.url.removeprefix("http://")[0]
    if name == FAILING:
        return failed(request, Reason.STATUS, 404)
    return made_page(request, *(u(target) for target in graph[name]))


def started(strategy: Opic | RankMass, names: Sequence[str]) -> Crawl:
    crawl = make_crawl(strategy, scope=Scope(exclude=[f"{u(REFUSED)}*"]))
    crawl.start([u(name) for name in names], Millis(0))
    return crawl


def pagerank(graph: Mapping[str, Sequence[str]], names: Sequence[str], d: float) -> dict[Url, float]:
    """Personalised PageRank by plain power iteration; what reaches a page without links leaves the web."""
    rank = dict.fromkeys(NAMES, 0.0)
    for _ in range(200):
        fresh = {name: (1 - d) / len(names) if name in names else 0.0 for name in NAMES}
        for name, targets in graph.items():
            out = [target for target in targets if target != name]
            for target in out:
                fresh[target] += d * rank[name] / len(out)
        rank = fresh
    return {u(name): each for name, each in rank.items()}


@given(graphs, seeds, st.sampled_from([0.0, 0.5, 0.85]), st.sampled_from([0.0, 0.2, 1.0]), st.integers(-1, 4))
@settings(max_examples=trials(60), deadline=None)
def test_bound_never_violated(
    graph: dict[str, list[str]], names: list[str], d: float, window: float, neighbours: int
) -> None:
    """CRM never exceeds the true PageRank of the pages that are in, only grows, and no mass comes from nowhere."""
    strategy = RankMass(d=d, window=window, neighbours=neighbours, eps=0.0, picks=3)
    crawl = started(strategy, names)
    true = pagerank(graph, names, d)
    before = 0.0
    while not crawl.finished and (request := crawl.lease(Millis(crawl.step))):
        crawl.commit(answer(graph, request), Millis(crawl.step))
        covered = sum(rank for url, rank in true.items() if crawl.frontier.state(url) is UrlState.VISITED)
        assert before <= strategy.coverage <= covered + 1e-9
        assert strategy.coverage + strategy._held.total() <= 1.0 + 1e-9
        assert strategy.total_mass() == pytest.approx(1.0)
        before = strategy.coverage


@given(graphs, seeds, st.integers(0, 6))
@settings(max_examples=trials(100), deadline=None)
def test_the_promise_within_l_links_is_kept(
    graph: dict[str, list[str]], names: list[str], limit: int
) -> None:
    """Where nothing fails, is refused or dangles, the pages within L links cover 1 - d^(L+1), and no others are in."""
    near = NAMES[:8]
    whole = {name: [t for t in graph[name] if t in near and t != name] for name in near}
    whole = {name: targets or [near[(near.index(name) + 1) % 8]] for name, targets in whole.items()}
    strategy = RankMass(neighbours=limit, eps=0.0)
    crawl = started(strategy, names)
    while not crawl.finished and (request := crawl.lease(Millis(crawl.step))):
        crawl.commit(answer(whole, request), Millis(crawl.step))
    assert strategy.coverage >= strategy.promise - 1e-9
    within = set(names)
    for _ in range(limit):
        within |= {target for name in within for target in whole[name]}
    assert {name for name in near if crawl.frontier.state(u(name)) is UrlState.VISITED} == within


@given(graphs, seeds, st.integers(0, 20), st.sampled_from([0.0, 0.7]))
@settings(max_examples=trials(150), deadline=None)
def test_cash_is_conserved(
    graph: dict[str, list[str]], names: list[str], passes: int, topical: float
) -> None:
    """URLs and virtual page hold 1 together, nobody holds less than nothing; after the end failures hold nothing."""
    strategy = Opic(passes=passes, topical=topical)
    crawl = started(strategy, names)
    while not crawl.finished and (request := crawl.lease(Millis(crawl.step))):
        crawl.commit(answer(graph, request), Millis(crawl.step))
        assert strategy.total_cash() == pytest.approx(1.0)
        assert min(strategy.cash(u(name)) for name in NAMES) >= -1e-12
        assert sum(strategy._history.values()) == pytest.approx(strategy._spent)
        assert sum(strategy.importance(u(name)) for name in NAMES) <= 1.0 + 1e-9
    for url in strategy._held:
        assert crawl.frontier.state(url) is UrlState.VISITED or url == u(REFUSED)


@given(graphs, seeds, st.integers(1, 6), st.sampled_from(["opic", "rankmass", "windowed", "limited"]))
@settings(max_examples=trials(100), deadline=None)
def test_a_loaded_strategy_goes_on_as_the_saved_one(
    graph: dict[str, list[str]], names: list[str], pages: int, kind: str
) -> None:
    make = {
        "opic": lambda: Opic(passes=2),
        "rankmass": lambda: RankMass(window=0.0),
        "windowed": lambda: RankMass(window=0.5),
        "limited": lambda: RankMass(neighbours=2),
    }[kind]
    crawl = started(make(), names)
    saved: Snapshot | None = None
    while not crawl.finished and (request := crawl.lease(Millis(crawl.step))):
        if crawl.pages == pages and saved is None:
            saved = crawl.snapshot()
            crawl.strategy = make()
            crawl.strategy.load(saved.strategy)
            assert crawl.strategy.save() == saved.strategy
        crawl.commit(answer(graph, request), Millis(crawl.step))
    whole = started(make(), names)
    while not whole.finished and (request := whole.lease(Millis(whole.step))):
        whole.commit(answer(graph, request), Millis(whole.step))
    assert list(crawl.store.entries()) == list(whole.store.entries())


steps = st.lists(
    st.tuples(
        st.sampled_from(["add", "take", "close", "merge", "raise_all"]),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.integers(0, 8),
    ),
    max_size=200,
)


@given(steps)
@settings(max_examples=trials(150), deadline=None)
def test_nothing_is_lost_and_greatest_first(each: list[tuple[str, str, str, int]]) -> None:
    """Against plain dicts: amounts in the order of opening, and who stands for whom."""
    ledger, plain, into = Ledger(), dict[Url, float](), dict[Url, Url]()

    def root(url: Url) -> Url:
        return root(into[url]) if url in into else url

    for what, name, other, n in each:
        url = root(u(name))
        assert ledger.account(u(name)) == url
        match what:
            case "add":
                ledger.add(url, float(n))
                plain[url] = plain.get(url, 0.0) + n
            case "take":
                assert ledger.take(url) == plain.get(url, 0.0)
                plain |= {url: 0.0} if url in plain else {}
            case "close":
                assert ledger.close(url) == plain.pop(url, 0.0)
            case "merge" if url != root(u(other)):
                ledger.merge(u(name), u(other))
                gone = plain.pop(url, 0.0)
                plain[root(u(other))] = plain.get(root(u(other)), 0.0) + gone
                into[url] = root(u(other))
            case "raise_all":
                ledger.raise_all(float(n))
                plain = {url: amount + n for url, amount in plain.items()}
        assert ledger.total() == sum(plain.values())
        assert {url: ledger[url] for url in ledger} == plain
        assert ledger.greatest() == max(plain, key=lambda url: plain[url], default=None)
        assert ledger.best(3) == sorted(plain, key=lambda url: -plain[url])[:3]
