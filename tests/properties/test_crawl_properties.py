"""What a crawl promises holds for any web, any strategy and any order in which visits come home."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from tests.worlds import failed, journal, looks, made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.memory import MemoryStore
from lycosa.crawl.pace import PaceRules
from lycosa.crawl.strategy import Strategy, View
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize
from lycosa.model.errors import StrategyError
from lycosa.model.records import Failure, Gone, Millis, Page, Reason, Request, Visit

URLS = [u(f"h{host}/{path}") for host in range(5) for path in range(12)]
RULES = PaceRules(delay=Millis(3), slowness=0.0, backoff=Millis(8), max_backoff=Millis(60), give_up=6)


class Erratic(Strategy):
    """Asks for anything, and remembers something of it."""

    def __init__(self, *, fails_at: int = 0, refetches: bool = True) -> None:
        self.fails_at, self.refetches, self.memory = fails_at, refetches, 0

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        rng = crawl.rng
        self.memory = self.memory * 31 % 997 + len(page.links)
        for link in page.links:
            yield Enqueue(url=link.target, via=link, score=rng.random(), tier=rng.randrange(2))
        if crawl.step == self.fails_at:
            raise ValueError("as it was told")
        for url in rng.sample(URLS, 2):
            yield rng.choice(
                [Reprioritize(url=url, score=rng.random()), Forget(url=url), Grant(n=rng.randrange(1, 5))]
            )
        if self.refetches and rng.random() < 0.1:
            yield Enqueue(url=rng.choice(URLS), refetch=True)

    def on_failure(self, failure: Failure, crawl: View) -> Iterable[Command]:
        self.memory += 1
        return ()

    def on_idle(self, crawl: View) -> Iterable[Command]:
        return [Grant(n=3)]

    def save(self) -> Mapping[str, Any]:
        return {"memory": self.memory}

    def load(self, state: Mapping[str, Any]) -> None:
        self.memory = state["memory"]


def answer(request: Request, rng: random.Random, crawl: Crawl) -> Visit:
    roll = rng.random()
    if roll < 0.15:
        return failed(request, rng.choice([Reason.TIMEOUT, Reason.CONNECT]))
    if roll < 0.25:
        return failed(request, Reason.STATUS, 404)
    target = rng.choice(URLS)
    if roll < 0.35 and crawl.refuses_redirect(request, target) is None:
        return made_page(request, *rng.choices(URLS, k=4), final=target, hops=(request.url,))
    return made_page(request, *rng.choices(URLS, k=rng.randrange(9)))


def crawled(
    trial: int,
    strategy: Strategy,
    *,
    steps: int = 10**6,
    capacity: int | None = None,
    store: MemoryStore | None = None,
) -> Crawl:
    """A crawl with up to four visits side by side that come home in any order."""
    rng = random.Random(f"world {trial}")
    crawl = make_crawl(
        strategy,
        rules=RULES,
        seed=trial,
        budget=rng.randrange(1, 60),
        frontier=MemoryFrontier(capacity=capacity),
        store=store,
    )
    now = 0
    out: list[Visit] = []
    crawl.start(rng.sample(URLS, 3), Millis(now))
    while not crawl.finished and crawl.step < steps:
        while len(out) < 4 and (request := crawl.lease(Millis(now))):
            out.append(answer(request, rng, crawl))
            assert crawl.pages + len(crawl.frontier.leased) <= crawl.budget
        wakes = crawl.wakes_at() if len(out) < 4 else None
        if out and (wakes is None or rng.random() < 0.6):
            crawl.commit(out.pop(rng.randrange(len(out))), Millis(now))
        elif wakes is not None:
            assert wakes > now, "a driver would spin"
            now = wakes
    return crawl


TRIALS = range(150)


def test_replay_equals_run() -> None:
    for trial in TRIALS:
        capacity = 9 if trial % 3 == 0 else None
        run = crawled(trial, Erratic(), steps=10**6 if trial % 2 else 25, capacity=capacity)
        again = make_crawl(
            Erratic(), rules=RULES, seed=trial, budget=run.budget, frontier=MemoryFrontier(capacity=capacity)
        )
        again.replay(journal(run))
        told = dict(looks(run), leased=None, keys=None, quota=None)
        assert dict(looks(again), leased=None, keys=None, quota=None) == told
        if run.finished:  # else there may be leases that ride on no step yet
            assert looks(again) == looks(run)


def test_closed_at_lease() -> None:
    for trial in TRIALS:
        crawl = crawled(trial, Erratic(refetches=False))
        pages = [e.event for e in journal(crawl) if isinstance(e.event, Page)]
        assert max(Counter(page.url for page in pages).values(), default=0) <= 1
        assert max(Counter(page.final_url for page in pages).values(), default=0) <= 1


def test_within_budget() -> None:
    """That pages and visits out stay within it is asserted at every lease."""
    for trial in TRIALS:
        crawl = crawled(trial, Erratic())
        assert crawl.finished
        assert crawl.pages <= crawl.budget
        assert crawl.repeated <= crawl.budget
        assert str(crawl.ended) in ("budget", "exhausted")


def test_pages_count_once() -> None:
    repeated = 0
    for trial in TRIALS:
        crawl = crawled(trial, Erratic())
        urls = [e.event.url for e in journal(crawl) if isinstance(e.event, Page)]
        assert crawl.pages == len(set(urls))
        gone = sum(isinstance(e.event, Gone) for e in journal(crawl))
        assert crawl.repeated == len(urls) - len(set(urls)) + gone
        repeated += crawl.repeated
    assert repeated, "some page was fetched again"


@pytest.mark.parametrize("fails_at", [2, 7, 20])
def test_all_or_nothing(fails_at: int) -> None:
    failed_at: list[int] = []
    for trial in range(40):
        whole, store = crawled(trial, Erratic()), MemoryStore()
        try:
            crawl = crawled(trial, Erratic(fails_at=fails_at), store=store)
        except StrategyError as error:
            failed_at.append(error.step)
            assert list(store.entries()) == journal(whole)[: fails_at - 1]
        else:
            assert journal(crawl) == journal(whole)
    assert len(failed_at) > 3
    assert set(failed_at) == {fails_at}
