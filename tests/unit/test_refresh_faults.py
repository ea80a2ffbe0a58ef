"""Pages visited again for weeks of virtual time, where servers lie, pages vanish, and sites fail for a day."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from itertools import pairwise

import pytest
from msgspec.structs import replace
from tests.worlds import CosineTopic, Scripted, html, redirect, response, u

from lycosa.compose.parts import gate_of, pace_of, schedule_of, split_of
from lycosa.crawl.crawl import Crawl
from lycosa.crawl.memory import MemoryStore
from lycosa.drive.clock import VirtualClock
from lycosa.drive.halt import Halt
from lycosa.drive.simulated import simulate
from lycosa.drive.visit import Visitor
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.bounds import ENDLESS
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response, Sight, UrlState
from lycosa.model.url import Url, host_of
from lycosa.revisit.history import DAY
from lycosa.revisit.registry import policy_names
from lycosa.revisit.schedule import SOONEST
from lycosa.spec.tree import CrawlSpec, PolitenessSpec, RevisitSpec, TopicSpec
from lycosa.web.made.manners import LIES, Manner, answers_304, validators, variant
from lycosa.web.robots.cache import RobotsCache

HOUR = DAY // 24
BEGIN = Millis(1_767_225_600_000)
"""2026-01-01."""
LATENCY = Millis(70)

Answers = Callable[[Ask, int], Response | Fault]
"""What a URL answers to what is asked, so many milliseconds after the beginning."""


class TimedWeb:
    """A web in virtual time. What it has no answer for is a 404. `log` has what it was asked, in order."""

    def __init__(self, answers: Mapping[Url, Answers], clock: VirtualClock) -> None:
        self.answers, self.clock = answers, clock
        self.log: list[tuple[int, Url, Ask]] = []

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        now = self.clock.now() - BEGIN
        self.log.append((now, url, ask))
        found = self.answers[url](ask, now) if url in self.answers else response(url, b"", 404)
        if isinstance(found, Fault):
            return found
        return replace(found, fetched_at=self.clock.now(), address=f"of {host_of(url)}")

    async def close(self) -> None:
        """Nothing is open."""

    def asked(self, url: Url, since: float = 0, until: float = 1e9) -> list[int]:
        """When a URL was asked for, from one day to another."""
        return [at for at, each, _ in self.log if each == url and since * DAY <= at < until * DAY]


class Kept:
    """A crawl of some pages that is kept fresh for so many days, in virtual time."""

    def __init__(
        self,
        answers: Mapping[Url, Answers],
        days: float,
        *,
        seeds: list[Url] | None = None,
        **revisit: object,
    ) -> None:
        rules = {"policy": "uniform", "every": 86_400.0, **revisit}
        self.spec = CrawlSpec(
            topic=TopicSpec(keywords=("coral",)),
            politeness=PolitenessSpec(delay=1.0),
            revisit=RevisitSpec(**rules),  # type: ignore[arg-type]
        )
        self.clock = VirtualClock(BEGIN)
        self.web = TimedWeb(answers, self.clock)
        self.crawl = Crawl(
            Scripted(),
            MemoryFrontier(),
            CosineTopic("coral"),
            MemoryStore(),
            gate=gate_of(self.spec),
            pace=pace_of(self.spec),
            budget=ENDLESS,
            schedule=schedule_of(self.spec),
            split=split_of(self.spec),
        )
        self._run(seeds or [url for url in answers if not url.endswith("/robots.txt")], days)

    def _run(self, seeds: list[Url], days: float) -> None:
        halt, crawl = Halt(), self.crawl

        def look_at_the_time() -> None:
            if self.clock.now() >= BEGIN + days * DAY:
                halt.ask("the time is over")

        crawl.start(seeds, self.clock.now())
        crawl.plan(self.clock.now())
        visitor = Visitor(
            self.web, RobotsCache(self.web, "lycosa", self.clock), None, crawl.refuses_redirect, self.clock
        )
        asyncio.run(
            simulate(crawl, visitor, lambda _: LATENCY, self.clock, width=8, halt=halt, hear=look_at_the_time)
        )

    def sights(self, url: Url) -> list[Sight]:
        return [look.sight for look in self.crawl.store.memory.visits(url)]

    def gaps(self, host: str) -> list[int]:
        """Times between two requests to a host, that of its robots.txt left out."""
        times = [
            at for at, url, _ in self.web.log if host_of(url) == host and not url.endswith("/robots.txt")
        ]
        return [later - sooner for sooner, later in pairwise(times)]


def page(url: Url, text: str = "a coral reef", *headers: tuple[str, str]) -> Answers:
    return lambda ask, now: response(url, html(text), 200, *headers)


def changing(url: Url, days: float = 1.0) -> Answers:
    """Another text each so many days, and nothing to compare by."""
    return lambda ask, now: response(url, html(f"a coral reef, report {int(now / DAY / days)} of many"))


def lying(url: Url, manner: Manner, days: float) -> Answers:
    """A page that changes each so many days, on a server that lies so."""

    def answer(ask: Ask, now: int) -> Response:
        at = Millis(BEGIN + now)
        version, shown = int(now / DAY / days), variant(manner, at)
        since = Millis(int(BEGIN + version * days * DAY))
        etag, modified = validators(manner, f"{version:x}{shown}", since, at)
        headers = [pair for pair in (("ETag", etag), ("Last-Modified", modified)) if pair[1]]
        if answers_304(manner, ask, etag, modified, at):
            return response(url, b"", 304, *headers)
        return response(url, html(f"a coral reef, version {version}, variant {shown}"), 200, *headers)

    return answer


def switched(*spans: tuple[float, Answers]) -> Answers:
    """Each answers up to its day, the last one from then on."""

    def answer(ask: Ask, now: int) -> Response | Fault:
        return next((each for until, each in spans if now < until * DAY), spans[-1][1])(ask, now)

    return answer


def missing(url: Url, status: int) -> Answers:
    return lambda ask, now: response(url, html("Not found"), status)


A, B, C, NEWS = u("a"), u("a/b"), u("a/c"), u("news")

# -- servers that lie --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("manner", ["honest", *LIES])
def test_changes_are_seen_whatever_the_server_tells(manner: Manner) -> None:
    kept = Kept({A: lying(A, manner, 3.0), NEWS: changing(NEWS, 3.0)}, 30)
    sights = kept.sights(A)
    assert 25 <= len(kept.web.asked(A)) <= 31, "it is asked as often as any other"
    assert len(kept.web.asked(NEWS)) >= 25
    if manner == "flapping":
        assert sights.count(Sight.CHANGED) >= 9
    else:
        assert sights.count(Sight.CHANGED) in (8, 9, 10)
    assert {*sights[1:]} <= {Sight.SAME, Sight.CHANGED}


def test_a_304_that_nobody_asked_for_tells_nothing_and_loses_nothing() -> None:
    kept = Kept({A: switched((5, page(A)), (9, lambda ask, now: response(A, b"", 304)), (99, page(A)))}, 20)
    assert kept.crawl.frontier.state(A) is UrlState.VISITED
    assert set(kept.sights(A)[1:]) == {Sight.SAME}
    assert 15 <= len(kept.web.asked(A)) <= 24
    assert len(kept.sights(A)) < len(kept.web.asked(A))


@pytest.mark.parametrize("name", policy_names())
def test_a_page_that_always_changes_neither_starves_the_others_nor_is_hammered(name: str) -> None:
    pages = {u(f"a/{number}"): changing(u(f"a/{number}"), 4.0) for number in range(8)}
    kept = Kept({A: lying(A, "flapping", 0.01), **pages}, 40, policy=name)
    asked = [len(kept.web.asked(url)) for url in pages]
    assert min(asked) >= 4, "each of the others was looked at in each tenth of the time"
    assert len(kept.web.asked(A)) <= 40 * 24, "once an hour at most"
    again = kept.web.asked(A)
    assert min(later - sooner for sooner, later in pairwise(again)) >= SOONEST
    assert kept.crawl.frontier.revisits == 9


# -- pages that vanish, and redirects ----------------------------------------------------------------------------


@pytest.mark.parametrize("status", [404, 410, 200])
def test_a_page_that_vanishes_and_returns_is_gone_and_back(status: int) -> None:
    """An answer of success that says “Not found” counts as the others."""
    there = page(A)
    leads_there = {NEWS: lambda ask, now: response(NEWS, html("news", [A]))}
    kept = Kept(
        {A: switched((5, there), (10, missing(A, status)), (99, there)), **leads_there}, 20, seeds=[NEWS]
    )
    sights = kept.sights(A)
    assert sights[0] is Sight.FIRST
    assert sights.count(Sight.BACK) == 1
    assert sights.index(Sight.GONE) < sights.index(Sight.BACK)
    assert 1 <= sights.count(Sight.GONE) <= 6
    assert kept.crawl.pages == 2
    assert kept.crawl.failures == 0


def test_redirects_may_change_and_end() -> None:
    """A leads to B, then to C, which nobody knew, then nowhere, then to the news, which is a page of its own. At last
    it is a page itself."""
    to_b, to_c = (lambda ask, now, to=to: redirect(A, to) for to in (B, C))
    answers = switched(
        (4, to_b),
        (8, to_c),
        (12, lambda ask, now: redirect(A, A)),
        (16, lambda ask, now: redirect(A, NEWS)),
        (99, page(A, "a coral reef of its own")),
    )
    known = {A: answers, B: page(B, "a reef"), C: page(C, "another coral reef"), NEWS: changing(NEWS)}
    kept = Kept(known, 24, seeds=[A, NEWS])
    memory = kept.crawl.store.memory
    now = memory.page(A)
    assert now is not None
    assert (now.url, now.final_url, now.text) == (A, A, "a coral reef of its own")
    assert kept.sights(A).count(Sight.CHANGED) == 2, "from B to C, and to itself"
    assert Sight.GONE not in kept.sights(A)
    assert kept.crawl.frontier.state(A) is UrlState.VISITED
    assert kept.web.asked(B, 4.1) == [], "where it led once it is not looked for any more"
    assert len(kept.sights(NEWS)) >= 20, "what a redirect led to is visited as before"
    conditions = {ask.is_conditional for _, url, ask in kept.web.log if url in (A, B)}
    assert conditions == {False}, "there were no validators"


# -- a site that fails for a day ---------------------------------------------------------------------------------


def ill(url: Url, failing: Answers) -> Answers:
    return switched((10, changing(url)), (11, failing), (99, changing(url)))


BUSY = ("Retry-After", "3600")
TROUBLES: dict[str, Callable[[Url], Answers]] = {
    "503": lambda url: lambda ask, now: response(url, b"", 503),
    "503, come again in an hour": lambda url: lambda ask, now: response(url, b"", 503, BUSY),
    "no answer": lambda url: lambda ask, now: Fault(reason=Reason.TIMEOUT, elapsed=Millis(30_000)),
}


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("rate", [None, 120.0])
def test_a_site_that_fails_for_a_day_starves_nobody_and_is_not_hammered(
    trouble: str, rate: float | None
) -> None:
    failing = TROUBLES[trouble]
    sick, well = ([u(f"{host}/{number}") for number in range(40)] for host in ("sick", "well"))
    answers = {url: ill(url, failing(url)) for url in sick} | {url: changing(url) for url in well}
    kept = Kept(answers, 14, rate=rate)
    robots = Url("http://sick.test/robots.txt")
    asked = sum(len(kept.web.asked(url, 10, 11)) for url in [*sick, robots])
    assert asked <= 24 * 4 + 12, "a quarter of an hour between two requests, once that was learned"
    for url in well:
        assert len(kept.web.asked(url, 10, 11)) >= 1
    for url in sick:
        assert kept.web.asked(url, 11, 13), "within two days all are looked at again"
        assert set(kept.sights(url)) <= {Sight.FIRST, Sight.CHANGED, Sight.SAME}, (
            "of the pages it told nothing"
        )
    assert min(kept.gaps("sick.test")) >= 1_000
    assert kept.crawl.failures == 0


def test_a_site_that_never_comes_back_is_asked_less_and_less() -> None:
    url, dead = u("sick/1"), Fault(reason=Reason.CONNECT)
    kept = Kept({url: switched((3, page(url)), (99, lambda ask, now: dead)), NEWS: changing(NEWS)}, 30)
    assert len(kept.web.asked(url, 3, 10)) <= 3 * 24
    assert len(kept.web.asked(url, 20, 30)) <= 3 * 11, "no more than thrice a day"
    assert len(kept.web.asked(NEWS, 20, 30)) >= 9


# -- politeness --------------------------------------------------------------------------------------------------


def test_a_refresh_never_asks_a_host_faster_than_a_first_crawl() -> None:
    """All pages are due at once, as after a rest of a week; the first crawl is what was before the first revisit."""
    pages = {u(f"a/{number}"): page(u(f"a/{number}")) for number in range(30)}
    kept = Kept(pages, 0.1, every=60.0)
    gaps = kept.gaps("a.test")
    first, again = gaps[: len(pages) - 1], gaps[len(pages) - 1 :]
    assert len(again) > 1_000
    assert min(again) >= min(first) >= 1_000


def rules(*spans: tuple[float, str]) -> Answers:
    url = Url("http://a.test/robots.txt")
    plain = ("Content-Type", "text/plain")
    told = [(until, lambda ask, now, s=said: response(url, s.encode(), 200, plain)) for until, said in spans]
    return switched(*told)


def test_robots_txt_is_asked_again_daily_and_holds_for_revisits() -> None:
    robots = Url("http://a.test/robots.txt")
    forbids = rules((5, ""), (10, "User-agent: *\nDisallow: /b\n"), (99, ""))
    kept = Kept({robots: forbids, A: changing(A), B: changing(B)}, 20)
    told = kept.web.asked(robots)
    assert all(0.9 * DAY <= later - sooner <= 2.1 * DAY for sooner, later in pairwise(told)), (
        "daily, when somebody asks"
    )
    since, until = (next(at for at in told if at >= day * DAY) / DAY for day in (5, 10))
    assert kept.web.asked(B, since, until) == [], "forbidden meanwhile"
    assert len(kept.web.asked(A, since, until)) >= 4, "the others are not"
    assert len(kept.web.asked(B, until, 20)) >= 8, "allowed again"
    assert Sight.GONE not in kept.sights(B)


def test_a_crawl_delay_that_grows_meanwhile_is_heeded() -> None:
    robots = Url("http://a.test/robots.txt")
    pages = {u(f"a/{number}"): changing(u(f"a/{number}")) for number in range(5)}
    kept = Kept({robots: rules((2, ""), (99, "User-agent: *\nCrawl-delay: 120\n")), **pages}, 6, every=600.0)
    times = [at for at, url, _ in kept.web.log if url != robots and at >= 4 * DAY]
    assert len(times) > 500
    assert min(later - sooner for sooner, later in pairwise(times)) >= 120_000
