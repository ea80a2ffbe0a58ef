"""What a paced crawl promises, in a small world of hosts that rest: one good, the others poor, or all as good."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import made_page, make_crawl

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.order import Order, OrderRules
from lycosa.crawl.pace import PaceRules
from lycosa.crawl.strategy import Strategy, View
from lycosa.model.commands import Command, Enqueue
from lycosa.model.events import Asked, Recovered, Started, Wish
from lycosa.model.records import Millis, Page, Request
from lycosa.model.url import Url, host_of

HOSTS = 12
RULES = PaceRules(delay=Millis(1_000), slowness=0.0)
START = Url("http://h0.test/start")


def is_good(url: Url, good_hosts: int) -> bool:
    return int(host_of(url)[1:].split(".")[0]) < good_hosts


class ByHost(Strategy):
    """Knows which hosts are good; its scores may be of any scale."""

    def __init__(self, good_hosts: int, scale: float = 1.0) -> None:
        self.good_hosts, self.scale = good_hosts, scale

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        for link in page.links:
            score = 1.0 if is_good(link.target, self.good_hosts) else 0.1
            yield Enqueue(url=link.target, score=self.scale * score, via=link)


def answer(request: Request, good_hosts: int, seed: int) -> Page:
    rng = random.Random(f"{seed}/{request.url}")
    targets = [Url(f"http://h{rng.randrange(HOSTS)}.test/{rng.randrange(10**6)}") for _ in range(8)]
    relevance = float(is_good(request.url, good_hosts))
    return made_page(request, *targets, relevance=relevance, elapsed=Millis(200))


class Judged:
    """Pages come with their relevance."""

    def relevance(self, page: Page) -> float:
        return page.relevance

    def explain(self, page: Page) -> dict[str, float]:
        return {}


def crawled(
    good_hosts: int, order: OrderRules, *, seed: int = 0, scale: float = 1.0, budget: int = 120
) -> tuple[Crawl, list[Url], int]:
    """A crawl, its leases in their order, and how long it took; visits take 200 ms."""
    crawl = make_crawl(
        ByHost(good_hosts, scale), topic=Judged(), rules=RULES, order=order, budget=budget, seed=seed
    )
    now, out, leases = 0, list[tuple[int, Request]](), list[Url]()
    crawl.start([START], Millis(0))
    while not crawl.finished:
        while len(out) < order.width and (request := crawl.lease(Millis(now))):
            out.append((now + 200, request))
            leases.append(request.url)
        holds_its_pace(crawl, now)
        wakes = crawl.wakes_at() if len(out) < order.width else None
        home = out[0][0] if out else None
        now = min(at for at in (wakes, home) if at is not None)
        if out and home == now:
            crawl.commit(answer(out.pop(0)[1], good_hosts, seed), Millis(now))
    return crawl, leases, now


def holds_its_pace(crawl: Crawl, now: int) -> None:
    """Where a link was held back the crawl is not behind, and asks to be woken when it will be."""
    if crawl.held is None or crawl.finished:
        return
    order = crawl.order
    assert not order.goes_beyond(Millis(now), crawl._spent, crawl.budget)
    behind = order.falls_behind_at(crawl._spent, crawl.budget)
    wakes = crawl.wakes_at()
    if behind is not None:
        assert order.goes_beyond(behind, crawl._spent, crawl.budget)
        assert not order.goes_beyond(Millis(behind - 1), crawl._spent, crawl.budget)
        assert wakes is not None
        assert now < wakes <= behind


@pytest.mark.parametrize("kind", ["paced", "strict", "eager"])
@pytest.mark.parametrize("good_hosts", [1, 4, HOSTS])
def test_the_pace_is_kept(kind: str, good_hosts: int) -> None:
    """`crawled` looks after each lease that was held back. And no crawl takes longer than its patience allows."""
    order = OrderRules(kind=kind, width=8)  # type: ignore[arg-type]
    crawl, _, took = crawled(good_hosts, order)
    assert crawl.pages == crawl.budget
    if kind == "paced":
        assert took <= order.patience * order.delay * crawl.budget + 2_000


@pytest.mark.parametrize("seed", range(3))
def test_a_good_host_is_waited_for(seed: int) -> None:
    good = {}
    for kind in ("eager", "paced"):
        _, leases, _ = crawled(1, OrderRules(kind=kind, width=8), seed=seed)  # type: ignore[arg-type]
        good[kind] = sum(is_good(url, 1) for url in leases) / len(leases)
    assert good["paced"] > 2 * good["eager"]


def test_good_hosts_everywhere_are_not_waited_for() -> None:
    """All are as good: the window opens, and the crawl takes hardly longer than one that never waits."""
    _, _, eager = crawled(HOSTS, OrderRules(kind="eager", width=8), budget=600)
    crawl, _, paced = crawled(HOSTS, OrderRules(width=8), budget=600)
    assert crawl.order.window > 4
    assert paced <= 1.25 * eager


@given(scale=st.sampled_from([1e-6, 0.5, 4.0, 1e6]), seed=st.integers(0, 20))
def test_scale_free(scale: float, seed: int) -> None:
    order = OrderRules(width=4)
    assert (
        crawled(3, order, seed=seed, scale=scale, budget=40)[1] == crawled(3, order, seed=seed, budget=40)[1]
    )


@given(width=st.integers(1, 64), relevance=st.lists(st.floats(0, 1), max_size=300), seed=st.integers(0, 99))
def test_never_below_its_beginning(width: int, relevance: list[float], seed: int) -> None:
    order, rng = Order(OrderRules(width=width)), random.Random(seed)
    for value in relevance:
        request = Request(url=START, order=1, rank=rng.randrange(order.window))
        order.tell(made_page(request, relevance=value), Millis(0), 0.0, leased=True)
        assert order.window >= max(1, min(width // 2, 8))


@given(starts=st.lists(st.tuples(st.integers(0, 15), st.floats(0, 1)), max_size=60), width=st.integers(1, 64))
def test_sixteen_good_hosts_change_nothing(starts: list[tuple[int, float]], width: int) -> None:
    order = Order(OrderRules(width=width))
    before = order.window
    for host, relevance in starts:
        request = Request(url=Url(f"http://h{host}.test/"), order=1)
        order.tell(made_page(request, relevance=relevance), Millis(0), 0.0, leased=True)
    assert order.window == before


@given(
    gaps=st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(["work", "away", "paused"])), max_size=20)
)
def test_only_work_counts(gaps: list[tuple[int, str]]) -> None:
    order, now, worked = Order(OrderRules()), 0, 0
    order.tell(Started(seeds=()), Millis(0), 0.0, leased=False)
    for span, how in gaps:
        now += span
        match how:
            case "work":
                worked += span
                order.tell(made_page(Request(url=START, order=1)), Millis(now), 0.5, leased=True)
            case "away":
                order.tell(Recovered(), Millis(now), 0.5, leased=False)
            case _:
                order.tell(Asked(wish=Wish.PAUSE), Millis(now - span), 0.5, leased=False)
                order.tell(Asked(wish=Wish.GO_ON), Millis(now), 0.5, leased=False)
        behind = order.falls_behind_at(0.5, 100)
        assert behind is not None
        assert behind - now == 100 * 1_000 + 1 - worked


def test_saved_and_loaded_it_goes_on_as_before() -> None:
    crawl, _, now = crawled(3, OrderRules(width=4), budget=60)
    again = Order(crawl.order.rules)
    again.load(crawl.order.save())
    assert again.save() == crawl.order.save()
    assert again.falls_behind_at(0.9, 60) == crawl.order.falls_behind_at(0.9, 60)
    assert again.goes_beyond(Millis(now), 0.9, 60) == crawl.order.goes_beyond(Millis(now), 0.9, 60)
