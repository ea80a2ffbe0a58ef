"""A crawl counts what it asks of servers, and asks no more than it may: on webs where half of it leads elsewhere."""

from __future__ import annotations

import asyncio
import random

from tests.worlds import TableWeb, html, journal, looks, make_crawl, redirect, response, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.pace import PaceRules
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Visitor
from lycosa.model.endings import REQUESTS, Ending, EndKind
from lycosa.model.records import Fault, Millis, Reason
from lycosa.strategies.order import BreadthFirst

URLS = [u(f"h{host}/{path}") for host in range(6) for path in range(6)]
RULES = PaceRules(delay=Millis(5), slowness=0.0, backoff=Millis(8), max_backoff=Millis(30), give_up=4)
TRIALS = range(60)


def web_of(trial: int) -> TableWeb:
    rng = random.Random(f"requests {trial}")

    def answer(url):
        roll = rng.random()
        if roll < 0.45:
            return redirect(url, rng.choice(URLS))
        if roll < 0.6:
            return response(url, b"", rng.choice([404, 503]))
        if roll < 0.65:
            return Fault(reason=Reason.TIMEOUT)
        return response(url, html("bees", rng.sample(URLS, 5)))

    return TableWeb({url: answer(url) for url in URLS})


def crawl_of(trial: int, limit: int | None) -> Crawl:
    return make_crawl(BreadthFirst(), rules=RULES, seed=trial, requests=limit)


def crawled(crawl: Crawl, web: TableWeb, width: int = 5) -> None:
    clock = VirtualClock()
    visitor = Visitor(web, None, None, crawl.refuses_redirect, clock)
    asyncio.run(simulate(crawl, visitor, web.latency, clock, width=width))


def test_counted_once() -> None:
    """However often a visit waits on its way."""
    waited = 0
    for trial in TRIALS:
        crawl, web = crawl_of(trial, None), web_of(trial)
        crawl.start(URLS[:3], Millis(0))
        crawled(crawl, web)
        assert crawl.requests.made == len(web.asked)
        waited += sum(type(entry.event).__name__ == "Deferred" for entry in journal(crawl))
        again = crawl_of(trial, None)
        again.replay(journal(crawl))
        assert (again.requests.made, looks(again)) == (crawl.requests.made, looks(crawl))
        restored = crawl_of(trial, None)
        restored.restore(crawl.snapshot())
        assert restored.requests.made == crawl.requests.made
    assert waited > 50


def test_never_overdrawn() -> None:
    ended = 0
    for trial in TRIALS:
        whole, limit = crawl_of(trial, None), 4 + trial % 17
        whole.start(URLS[:3], Millis(0))
        crawled(whole, web_of(trial))
        crawl, web = crawl_of(trial, limit), web_of(trial)
        crawl.start(URLS[:3], Millis(0))
        crawled(crawl, web)
        assert len(web.asked) == crawl.requests.made <= limit
        assert crawl.finished
        if crawl.ended == Ending(EndKind.BUDGET, REQUESTS):
            ended += 1
            assert crawl.requests.made == limit
            again = crawl_of(trial, limit)
            again.replay(journal(crawl))
            assert looks(again) == looks(crawl)
            crawl.extend(crawl.budget, Millis(10_000), limit + 3)
            crawled(crawl, web)
            assert len(web.asked) == crawl.requests.made <= limit + 3
            assert not crawl.frontier.leased
        else:
            assert whole.requests.made <= limit
    assert ended > 30
