"""A strategy's mistakes, what it may see, and what of a crawl survives an interruption."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import Any

import msgspec
import pytest
from tests.worlds import (
    NO_DELAY,
    CosineTopic,
    Scripted,
    by_table,
    drive,
    failed,
    journal,
    lease,
    looks,
    made_page,
    make_crawl,
    u,
    visited,
)

from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.strategy import View
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.commands import Command, Enqueue, Reprioritize
from lycosa.model.errors import InputError, StrategyError
from lycosa.model.events import Recovered, Snapshot
from lycosa.model.records import Millis, Page, Reason, UrlState
from lycosa.strategies.best_first import BestFirst
from lycosa.strategies.order import BreadthFirst

T0 = Millis(0)
DIAMOND = {"a": "bc", "b": "d", "c": "d", "d": ""}


# -- the strategy's mistakes ---------------------------------------------------------------------------------


class Breaks(BreadthFirst):
    """Raises at one page until it is mended; knows how many pages it saw."""

    mended = False

    def __init__(self) -> None:
        self.seen = 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        if page.url == u("c") and not self.mended:
            raise ZeroDivisionError("by c")
        self.seen += 1
        return super().on_page(page, crawl)

    def save(self) -> Mapping[str, Any]:
        return {"seen": self.seen}

    def load(self, state: Mapping[str, Any]) -> None:
        self.seen = state["seen"]


def test_all_or_nothing_and_the_crawl_goes_on_after_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore()
    crawl = make_crawl(Breaks(), store=store)
    crawl.start([u("a")], T0)
    with pytest.raises(StrategyError, match=r"failed at step 4: ZeroDivisionError: by c") as caught:
        drive(crawl, by_table(DIAMOND))
    assert caught.value.step == 4
    assert [entry.step for entry in store.entries()] == [1, 2, 3]

    monkeypatch.setattr(Breaks, "mended", True)
    again = make_crawl(Breaks(), store=store)
    again.replay(list(store.entries()))
    assert store.memory.page(u("c")) is None, "the page of the failed step is not remembered"
    again.recover(T0)
    drive(again, by_table(DIAMOND))
    assert visited(again) == [u(name) for name in "abcd"]
    assert again.strategy.save() == {"seen": 4}
    assert [entry.step for entry in store.entries()] == list(range(1, len(store) + 1))


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("command", [Enqueue, Reprioritize])
def test_a_score_that_is_not_finite_is_the_strategys_mistake(score: float, command: type) -> None:
    crawl = make_crawl(Scripted(page=lambda page, view: [command(url=u("b"), score=score)]))
    crawl.start([u("a")], T0)
    with pytest.raises(StrategyError, match=rf"step 2: the score of http://b.test/ is {score}"):
        crawl.commit(made_page(lease(crawl)), T0)
    assert len(journal(crawl)) == 1


def test_scores_that_are_too_great_together_are_no_mistake_and_infinities_that_cancel_out_are_one() -> None:
    for scores, is_mistake in (((1e308, 1e308, -1.0), False), ((0.5, math.inf, -math.inf), True)):
        commands = [Enqueue(url=u(name), score=score) for name, score in zip("bcd", scores, strict=True)]
        crawl = make_crawl(Scripted(page=lambda page, view, asked=commands: asked))
        crawl.start([u("a")], T0)
        page = made_page(lease(crawl))
        with pytest.raises(StrategyError, match=r"http://c\.test/ is inf") if is_mistake else nullcontext():
            crawl.commit(page, T0)


def test_errors_in_generators_and_in_every_method_are_the_strategys() -> None:
    def broken(*_: object) -> Iterable[Command]:
        yield Enqueue(url=u("x"))
        raise KeyError("lazy")

    for strategy, visit in (
        (Scripted(page=broken), made_page),
        (Scripted(failure=broken), lambda request: failed(request, Reason.STATUS, 404)),
        (Scripted(idle=broken), made_page),
    ):
        crawl = make_crawl(strategy)
        crawl.start([u("a")], T0)
        with pytest.raises(StrategyError, match="KeyError: 'lazy'"):
            crawl.commit(visit(lease(crawl)), T0)
        assert crawl.frontier.state(u("x")) is UrlState.UNSEEN


def test_an_error_that_lycosa_raises_itself_is_not_dressed_up() -> None:
    def refuse(page: Page, view: View) -> Iterable[Command]:
        raise InputError("the taxonomy has no root")

    crawl = make_crawl(Scripted(page=refuse))
    crawl.start([u("a")], T0)
    with pytest.raises(InputError, match="no root"):
        crawl.commit(made_page(lease(crawl)), T0)


# -- what a strategy sees ------------------------------------------------------------------------------------


def test_the_page_has_its_relevance_and_is_in_memory_when_the_strategy_thinks() -> None:
    seen: list[object] = []

    def look(page: Page, view: View) -> Iterable[Command]:
        found = view.memory.page(page.url)
        seen.append((page.relevance, found == page, view.state(page.url), view.step, view.memory.recent(1)))
        return ()

    crawl = make_crawl(Scripted(page=look), topic=CosineTopic("coral reef"))
    crawl.start([u("a")], T0)
    recorded = crawl.commit(made_page(lease(crawl), text="coral"), T0)
    assert isinstance(recorded, Page)
    assert recorded.relevance == pytest.approx(1 / math.sqrt(2))
    assert seen == [(recorded.relevance, True, UrlState.VISITED, 2, [u("a")])]


def test_chance_is_a_function_of_seed_and_step() -> None:
    def draws(seed: int) -> list[float]:
        drawn: list[float] = []

        def draw(page: Page, view: View) -> Iterable[Command]:
            drawn.extend((view.rng.random(), view.rng.random()))
            return ()

        crawl = make_crawl(Scripted(page=draw), seed=seed)
        crawl.start([u("a")], T0)
        drive(crawl, by_table(DIAMOND))
        return drawn

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)
    assert len(set(draws(1))) == 8


# -- durability ----------------------------------------------------------------------------------------------


def test_leases_ride_on_the_next_step() -> None:
    crawl = make_crawl(BreadthFirst())
    crawl.start([u("a"), u("b"), u("c")], T0)
    a, b = lease(crawl), lease(crawl)
    crawl.commit(made_page(a), T0)
    c = lease(crawl)
    crawl.commit(made_page(b), T0)
    assert [e.leased for e in journal(crawl)] == [(), (u("a"), u("b")), (u("c"),)]
    again = make_crawl(BreadthFirst())
    again.replay(journal(crawl))
    assert looks(again) == looks(crawl)
    assert dict(again.frontier.leased) == {u("c"): c}


def test_recover_gives_lost_visits_back_where_they_stood() -> None:
    crawl = make_crawl(BreadthFirst())
    crawl.start([u("a"), u("b"), u("c")], T0)
    before = crawl.frontier.keys()
    lease(crawl), lease(crawl)
    crawl.recover(T0)
    assert crawl.frontier.keys() == before
    assert isinstance(journal(crawl)[-1].event, Recovered)
    assert lease(crawl).attempt == 1


def test_a_snapshot_and_the_tail_after_it_equal_the_whole() -> None:
    store = MemoryStore()
    crawl = make_crawl(Breaks(), store=store, rules=NO_DELAY)
    crawl.start([u("a"), u("x"), u("y")], T0)
    a, x = lease(crawl), lease(crawl)
    crawl.commit(failed(x, Reason.STATUS, 404), T0)
    y = lease(crawl)
    kept = msgspec.msgpack.decode(msgspec.msgpack.encode(crawl.snapshot()), type=Snapshot)
    at_checkpoint = MemoryFrontier()
    twin = make_crawl(Breaks(), frontier=at_checkpoint)
    twin.replay(journal(crawl))
    for url in (y.url,):  # the lease that no entry told yet is in the checkpoint's frontier
        at_checkpoint.claim(url)
    crawl.commit(made_page(a, u("b"), u("d")), T0)
    crawl.commit(made_page(y), T0)

    again = make_crawl(Breaks(), frontier=at_checkpoint, store=store)
    again.restore(kept)
    assert again.step == 2
    again.replay(list(store.entries(again.step)))
    assert looks(again) == looks(crawl)


@pytest.mark.parametrize(("budget", "ended"), [(2, "budget"), (9, "exhausted")])
def test_a_replayed_crawl_knows_that_it_is_over(budget: int, ended: str) -> None:
    crawl = make_crawl(BestFirst(), budget=budget)
    crawl.start([u("a")], T0)
    drive(crawl, by_table(DIAMOND))
    again = make_crawl(BestFirst(), budget=budget)
    again.replay(journal(crawl))
    assert again.finished
    assert again.ended == crawl.ended
    assert str(again.ended) == ended
