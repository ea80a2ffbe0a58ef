"""Who has to wait, for a turn, for robots.txt or behind a redirect, holds up nobody else."""

from __future__ import annotations

import asyncio
import itertools

from tests.worlds import TableWeb, html, make_crawl, redirect, response, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.pace import PaceRules
from lycosa.crawl.ports import Clock
from lycosa.drive.clock import VirtualClock
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Visitor
from lycosa.model.events import Entry
from lycosa.model.records import PLAIN, Ask, Deferred, Fault, Millis, Page, Reason, Response, Visit
from lycosa.model.url import Url, host_of
from lycosa.strategies.order import BreadthFirst
from lycosa.web.robots.cache import RobotsCache
from lycosa.web.spacing import Spacing

SECOND = Millis(1_000)


class SpacedWeb(TableWeb):
    """A table that is asked through `Spacing`, as the live web is. Remembers when each URL was asked for."""

    def __init__(self, clock: Clock, answers: dict[Url, Response | Fault]) -> None:
        super().__init__(answers)
        self.clock, self.spacing = clock, Spacing(clock, SECOND)
        self.times: list[tuple[Url, int]] = []

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        if wait := self.spacing.wait(host_of(url)):
            return Fault(reason=Reason.TURN, retry_after=wait)
        with self.spacing.turn(host_of(url)):
            self.times.append((url, self.clock.now()))
            return await super().fetch(url, ask)


def crawled(
    answers: dict[Url, Response | Fault], seeds: list[Url], width: int
) -> tuple[SpacedWeb, Crawl, list[Visit]]:
    clock = VirtualClock()
    web = SpacedWeb(clock, answers)
    robots = RobotsCache(web, "lycosa", clock, heed=web.spacing.slow_down)
    crawl = make_crawl(BreadthFirst(), rules=PaceRules(delay=SECOND, slowness=0.0))
    visitor = Visitor(web, robots, None, crawl.refuses_redirect, clock)
    home: list[Visit] = []
    crawl.start(seeds, clock.now())
    asyncio.run(simulate(crawl, visitor, lambda url: Millis(10), clock, width=width, watch=home.append))
    return web, crawl, home


def robots_txt(name: str, text: str) -> dict[Url, Response | Fault]:
    url = u(f"{name}/robots.txt")
    return {url: response(url, text.encode(), 200, ("Content-Type", "text/plain"))}


def good(names: list[str]) -> dict[Url, Response | Fault]:
    return {u(name): response(u(name), html(name)) for name in names}


def test_hosts_that_redirect_to_one_slow_host_hold_up_nobody() -> None:
    liars, fine = [f"liar{n}" for n in range(100)], [f"good{n}" for n in range(60)]
    answers = robots_txt("slow", "User-agent: *\nCrawl-delay: 10\n") | good(fine)
    for name in liars:
        target = u(f"slow/{name}")
        answers |= {u(name): redirect(u(name), target), target: response(target, html(name))}
    web, crawl, home = crawled(answers, [u(name) for name in [*liars, *fine]], width=32)
    asked = dict(web.times)
    assert max(asked[u(name)] for name in fine) < 4_000, "all that was good came in the first seconds"
    slow = sorted(at for url, at in web.times if host_of(url) == host_of(u("slow")))
    assert min(after - before for before, after in itertools.pairwise(slow)) >= 10_000
    assert sum(isinstance(visit, Page) for visit in home) == 160, "and those behind the slow host came, too"
    assert crawl.pages == 160
    assert crawl.failures == 0
    times = [url for url, _ in web.times]
    assert len(times) == len(set(times)), "nothing was asked twice"


def test_robots_txt_that_redirects_to_one_slow_host_holds_up_nobody() -> None:
    liars, fine = [f"liar{n}" for n in range(20)], [f"good{n}" for n in range(20)]
    answers = robots_txt("slow", "User-agent: *\nCrawl-delay: 10\nDisallow: /none\n") | good(
        [*fine, *liars, "slow"]
    )
    for name in liars:
        here = u(f"{name}/robots.txt")
        answers[here] = redirect(here, u("slow/robots.txt"))
    seeds = [u(name) for name in ["slow", *liars, *fine]]
    web, crawl, _ = crawled(answers, seeds, width=4)
    asked = dict(web.times)
    assert max(asked[u(name)] for name in fine) < 9_000
    assert crawl.pages == 41


def test_a_replay_of_waits_gives_the_same_crawl() -> None:
    answers = robots_txt("b", "User-agent: *\nCrawl-delay: 3\n") | good(["b"])
    for name in ("a", "c"):
        answers |= {u(name): redirect(u(name), u(f"b/{name}"))} | good([f"b/{name}"])
    _, crawl, _ = crawled(answers, [u("a"), u("b"), u("c")], width=3)
    entries: list[Entry] = list(crawl.store.entries())
    assert any(isinstance(entry.event, Deferred) and entry.event.way for entry in entries)
    again = make_crawl(BreadthFirst(), rules=PaceRules(delay=SECOND, slowness=0.0))
    again.replay(entries)
    assert (again.pages, again.step, again.ended) == (crawl.pages, crawl.step, crawl.ended)
    assert again.snapshot() == crawl.snapshot()


def test_a_crawl_delay_of_decades_is_one_of_minutes() -> None:
    answers = robots_txt("a", "User-agent: *\nCrawl-delay: 999999999\n") | good(["a", "a/2"])
    web, crawl, _ = crawled(answers, [u("a"), u("a/2")], width=2)
    assert crawl.pages == 2
    assert [at for _, at in web.times][-1] <= 2 * 300_000 + 2_000
