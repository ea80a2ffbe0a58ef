"""What makes a crawl go: in real time with many visits side by side, and in virtual time."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import Awaitable, Callable

import pytest
from tests.worlds import (
    TableWeb,
    by_table,
    drive,
    html,
    journal,
    looks,
    made_page,
    make_crawl,
    response,
    u,
    visited,
)

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.pace import PaceRules
from lycosa.drive.clock import VirtualClock, WallClock
from lycosa.drive.halt import Halt
from lycosa.drive.live import LiveRoad
from lycosa.drive.loop import run
from lycosa.drive.simulated import simulate
from lycosa.drive.sitemaps import links_in
from lycosa.drive.visit import Visitor
from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.protocol import Rest
from lycosa.model.commands import Command, Enqueue, Grant
from lycosa.model.errors import FolderError
from lycosa.model.records import Failure, HeldBack, Millis, Page, Reason, Request, Response, UrlState, Visit
from lycosa.model.url import Host, Url, host_of
from lycosa.strategies.best_first import BestFirst
from lycosa.strategies.order import BreadthFirst
from lycosa.web.made.graph_web import GraphWeb, WebShape

Visiting = Callable[[Request], Awaitable[Visit]]


def live(
    crawl: Crawl, visit: Visiting, *, width: int = 4, halt: Halt | None = None, seconds: float = 4.0
) -> list[Visit]:
    """Run a crawl on the real event loop; what was watched. A crawl that hangs fails."""
    seen: list[Visit] = []

    async def main() -> None:
        clock, heard = WallClock(), halt or Halt()
        road = LiveRoad(visit, clock, heard)
        await asyncio.wait_for(run(crawl, road, width=width, halt=heard, watch=seen.append), seconds)

    asyncio.run(main())
    return seen


def begun(seeds: str = "a", **parts: object) -> Crawl:
    crawl = make_crawl(BreadthFirst(), **parts)  # type: ignore[arg-type] # as make_crawl has them
    crawl.start([u(name) for name in seeds], Millis(0))
    return crawl


DIAMOND = {"a": "bc", "b": "d", "c": "d", "d": ""}


# -- live ----------------------------------------------------------------------------------------------------


def test_a_live_crawl_visits_everything_and_tells_of_each_visit() -> None:
    answer = by_table(DIAMOND)

    async def visit(request: Request) -> Visit:
        return answer(request)

    crawl = begun()
    seen = live(crawl, visit)
    assert [v.url for v in seen] == [u(name) for name in "abcd"]
    assert crawl.finished
    assert str(crawl.ended) == "exhausted"


def test_width_is_used_and_respected() -> None:
    out = most = 0

    async def visit(request: Request) -> Visit:
        nonlocal out, most
        out += 1
        most = max(most, out)
        await asyncio.sleep(0.002)
        out -= 1
        return made_page(request)

    crawl = begun(seeds="abcdefghijklmnop")
    live(crawl, visit, width=5)
    assert most == 5
    assert crawl.pages == 16


def test_a_live_crawl_waits_for_hosts_that_rest() -> None:
    leased: list[float] = []

    async def visit(request: Request) -> Visit:
        leased.append(asyncio.get_running_loop().time())
        return made_page(request)

    crawl = make_crawl(BreadthFirst(), rules=PaceRules(delay=Millis(40)))
    crawl.start([u(f"a/{i}") for i in range(4)], Millis(0))
    live(crawl, visit)
    gaps = [later - sooner for sooner, later in itertools.pairwise(leased)]
    assert len(gaps) == 3
    assert min(gaps) >= 0.038


def test_halt_asked_once_lets_visits_come_home() -> None:
    halt, gate = Halt(), asyncio.Event()

    async def visit(request: Request) -> Visit:
        if request.url == u("b"):
            halt.ask("time limit")
            gate.set()
        else:
            await gate.wait()
            await asyncio.sleep(0.005)
        return made_page(request, u("z"))

    crawl = begun(seeds="abcdefgh")
    live(crawl, visit, width=3, halt=halt)
    assert set(visited(crawl)) == {u("a"), u("b"), u("c")}
    assert not crawl.frontier.leased
    assert not crawl.finished
    assert len(crawl.frontier) == 6
    assert (halt.asked, halt.at_once, halt.reason) == (True, False, "time limit")


def test_a_halted_crawl_does_not_spin_while_the_last_visits_come_home() -> None:
    """Hosts whose rest ends meanwhile must not wake the driver again and again."""
    halt, turns = Halt(), 0

    class Counted(WallClock):
        def now(self) -> Millis:
            nonlocal turns
            turns += 1
            return super().now()

    async def visit(request: Request) -> Visit:
        if request.url == u("b"):
            asyncio.get_running_loop().call_later(0.005, halt.ask, "enough")
            await asyncio.sleep(0.1)
        return made_page(request)

    crawl = begun(seeds="ab", rules=PaceRules(delay=Millis(10), slowness=0.0))
    clock = Counted()
    asyncio.run(run(crawl, LiveRoad(visit, clock, halt), width=4, halt=halt))
    assert crawl.pages == 2
    assert turns < 20


def test_whose_turn_it_is_goes_before_visits_that_are_home() -> None:
    """Three come home together; what the first one led to is asked for before the second one is committed."""
    told: list[str] = []
    gate = asyncio.Event()

    async def visit(request: Request) -> Visit:
        told.append(request.url)
        if request.url in (u("a"), u("b"), u("c")):
            if len(told) == 3:
                gate.set()
            await gate.wait()
        return made_page(request, u("d"))

    async def main() -> None:
        halt = Halt()
        crawl = begun(seeds="abc", rules=PaceRules(delay=Millis(0), slowness=0.0))
        road = LiveRoad(visit, WallClock(), halt)
        seen = run(crawl, road, width=8, halt=halt, watch=lambda arrival: told.append("commit"))
        await asyncio.wait_for(seen, 60)

    asyncio.run(main())
    assert told[3] == "commit"
    assert told.index(u("d")) < [n for n, what in enumerate(told) if what == "commit"][1]


def test_visits_come_home_one_by_one_in_their_order_and_the_loop_has_a_turn_between() -> None:
    halt, turns = Halt(), 0

    async def visit(request: Request) -> Visit:
        return made_page(request)

    async def home() -> list[tuple[list[str], int]]:
        road, came = LiveRoad(visit, WallClock(), halt), []
        for order, name in enumerate("abc"):
            road.send(Request(url=u(name), order=order))
        begin = asyncio.get_running_loop().call_soon

        def turn() -> None:
            nonlocal turns
            turns += 1
            begin(turn)

        turn()
        while len(road):
            arrived = await road.arrivals(None)
            came.append(([visit.request.url for visit in arrived], turns))
        return came

    came = asyncio.run(home())
    assert [urls for urls, _ in came] == [[u("a")], [u("b")], [u("c")]]
    assert came[0][1] < came[1][1]


def test_a_batch_does_not_spin_or_hang_while_its_last_visit_is_out() -> None:
    class Batched(BreadthFirst):
        def on_start(self, seeds: object, crawl: object) -> list[Command]:
            return [*(Enqueue(url=u(name)) for name in "abcd"), Grant(n=2)]

        def on_idle(self, crawl: object) -> list[Command]:
            return [Grant(n=2)]

    async def visit(request: Request) -> Visit:
        await asyncio.sleep(0.03 if request.url in (u("b"), u("c")) else 0)
        return made_page(request)

    crawl = make_crawl(Batched(), rules=PaceRules(delay=Millis(1), slowness=0.0))
    crawl.start([], Millis(0))
    live(crawl, visit)
    assert visited(crawl) == [u(name) for name in "abdc"]

    def slow(url: Url) -> Millis:
        return Millis(30 if url in (u("b"), u("c")) else 1)

    again = make_crawl(Batched(), rules=PaceRules(delay=Millis(1), slowness=0.0))
    again.start([], Millis(0))

    async def main() -> None:
        work = simulate(again, visit_at_once, slow, VirtualClock(), width=4)
        await asyncio.wait_for(work, 60)

    asyncio.run(main())
    assert visited(again) == [u(name) for name in "abdc"]


async def visit_at_once(request: Request) -> Visit:
    return made_page(request)


def test_halt_asked_twice_drops_visits_at_once_and_they_can_be_made_again() -> None:
    halt, dropped = Halt(), []

    async def visit(request: Request) -> Visit:
        if request.url == u("a"):
            return made_page(request)
        asyncio.get_running_loop().call_soon(halt.ask, "interrupted")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            dropped.append(request.url)
            raise
        return made_page(request)

    crawl = begun(seeds="abc")
    live(crawl, visit, width=3, halt=halt)
    assert halt.at_once
    assert sorted(dropped) == [u("b"), u("c")]
    assert visited(crawl) == [u("a")]

    again = make_crawl(BreadthFirst())
    again.replay(journal(crawl))
    again.recover(Millis(0))
    drive(again, by_table({"b": "", "c": ""}))
    assert [e.event.url for e in journal(again) if isinstance(e.event, Page)] == [u("a"), u("b"), u("c")]


def test_a_halt_asked_before_the_start_begins_nothing() -> None:
    halt = Halt()
    halt.ask("not now")
    crawl = begun(seeds="abc")
    live(crawl, visit_at_once, halt=halt)
    assert crawl.pages == 0
    assert not crawl.frontier.leased


async def broken_at_b(request: Request) -> Visit:
    if request.url == u("b"):
        raise RecursionError("the page is too deep")
    return made_page(request)


def test_a_visit_that_raises_becomes_an_unreadable_page_and_the_crawl_goes_on() -> None:
    lived, simulated = begun(seeds="abc"), begun(seeds="abc")
    live(lived, broken_at_b)
    asyncio.run(simulate(simulated, broken_at_b, lambda url: Millis(1), VirtualClock(Millis(5))))
    for crawl in (lived, simulated):
        assert crawl.pages == 2
        [failure] = [e.event for e in journal(crawl) if isinstance(e.event, Failure)]
        assert (failure.url, failure.reason) == (u("b"), Reason.UNREADABLE)
        assert failure.detail == "RecursionError: the page is too deep"
        assert failure.at > 0


@pytest.mark.parametrize("in_virtual_time", [False, True])
def test_an_error_that_lycosa_raises_ends_the_run_and_nothing_is_left_behind(in_virtual_time: bool) -> None:
    async def visit(request: Request) -> Visit:
        if request.url == u("b"):
            raise FolderError("the disk is full; make room and resume")
        await asyncio.sleep(0 if in_virtual_time else 60)
        return made_page(request)

    async def main() -> int:
        crawl, clock, halt = begun(seeds="abcd"), VirtualClock(), Halt()
        work = (
            simulate(crawl, visit, lambda url: Millis(1), clock, width=2)
            if in_virtual_time
            else run(crawl, LiveRoad(visit, WallClock(), halt), width=2, halt=halt)
        )
        with pytest.raises(FolderError, match="disk is full"):
            await work
        return len(asyncio.all_tasks())

    assert asyncio.run(main()) == 1, "only the test itself still runs"


def test_a_live_journal_replays_to_the_same_state() -> None:
    """Real timing is random; the journal is what happened."""
    web = GraphWeb(WebShape(pages=300, hosts=40, failures=0.1, redirects=0.1), seed=5)
    for seed in range(3):
        rng, clock = random.Random(), WallClock()
        rules = PaceRules(
            delay=Millis(1), slowness=0.0, backoff=Millis(2), max_backoff=Millis(4), max_retry_after=Millis(3)
        )
        crawl = make_crawl(BestFirst(), rules=rules, seed=seed, budget=80)
        visitor = Visitor(web, None, None, crawl.refuses_redirect, clock)

        async def visit(request: Request, visitor: Visitor = visitor, rng: random.Random = rng) -> Visit:
            await asyncio.sleep(rng.random() * 0.002)
            return await visitor(request)

        crawl.start(web.seeds(5), clock.now())
        live(crawl, visit, width=16)
        assert crawl.pages == 80
        again = make_crawl(BestFirst(), rules=rules, seed=seed, budget=80)
        again.replay(journal(crawl))
        assert looks(again) == looks(crawl)


# -- virtual time --------------------------------------------------------------------------------------------


def simulated(crawl: Crawl, visit: Visiting, latency: Callable[[Url], int], width: int = 1) -> int:
    clock = VirtualClock()
    asyncio.run(simulate(crawl, visit, lambda url: Millis(latency(url)), clock, width=width))
    return clock.now()


def test_visits_come_home_in_the_order_of_their_latencies() -> None:
    took = {u("a"): 30, u("b"): 10, u("c"): 20, u("d"): 10}
    crawl = begun(seeds="abcd")
    end = simulated(crawl, visit_at_once, took.__getitem__, width=3)
    # a, b, c leave at 0; b is home at 10, d leaves and is home at 20 – after c, which left sooner; a at 30
    assert visited(crawl) == [u("b"), u("c"), u("d"), u("a")]
    assert [entry.at for entry in journal(crawl)[1:5]] == [10, 20, 20, 30]
    assert end == 30


def test_virtual_time_knows_politeness() -> None:
    """One host, four pages, 100 ms each and 1 s of rest between: 4·100 + 3·1000."""
    crawl = make_crawl(BreadthFirst(), rules=PaceRules())
    crawl.start([u(f"a/{i}") for i in range(4)], Millis(0))
    assert simulated(crawl, visit_at_once, lambda url: 100, width=8) == 3_400


def test_a_host_that_reopens_is_visited_before_slower_visits_come_home() -> None:
    """a/1 is home at 10, a rests till 30, a/2 is home at 40; b/1 is out all the time, till 100."""
    crawl = make_crawl(BreadthFirst(), rules=PaceRules(delay=Millis(20), slowness=0.0))
    crawl.start([u("a/1"), u("b/1"), u("a/2")], Millis(0))
    end = simulated(crawl, visit_at_once, lambda url: 100 if url == u("b/1") else 10, width=2)
    assert visited(crawl) == [u("a/1"), u("a/2"), u("b/1")]
    assert [entry.at for entry in journal(crawl)[1:4]] == [10, 40, 100]
    assert end == 100


def test_the_same_crawl_always_gives_the_same_journal() -> None:
    web = GraphWeb(WebShape(pages=200, hosts=20, failures=0.1, redirects=0.1), seed=2)

    def once(width: int) -> list[object]:
        crawl = make_crawl(BestFirst(), rules=PaceRules(), budget=60)
        crawl.start(web.seeds(3), Millis(0))
        visitor = Visitor(web, None, None, crawl.refuses_redirect, VirtualClock())
        simulated(crawl, visitor, web.latency, width)
        return list(journal(crawl))

    assert once(6) == once(6)
    assert once(1) != once(6)


class Spy(MemoryFrontier):
    """Checks at each lease that host and address have rested."""

    def __init__(self, delay: int) -> None:
        super().__init__()
        self.delay, self.leases = delay, 0
        self.out: set[Host] = set()
        self.rested: dict[str, int] = {}
        self.addresses: dict[Host, str] = {}

    def lease(
        self, now: Millis, within: int | None = None, *, beyond: bool = True
    ) -> Request | HeldBack | None:
        request = super().lease(now, within, beyond=beyond)
        if isinstance(request, Request):
            host = host_of(request.at)
            assert host not in self.out, "two visits to a host side by side"
            assert now >= self.rested.get(host, 0)
            address = self.addresses.get(host)
            if address:
                assert now >= self.rested.get(address, 0)
                assert all(self.addresses.get(other) != address for other in self.out)
            self.out.add(host)
            self.leases += 1
        return request

    def settle(self, request: Request, state: UrlState, rest: Rest, also: object = ()) -> None:
        self.note(request, rest)
        super().settle(request, state, rest, also)  # type: ignore[arg-type]

    def put_back(self, request: Request, rest: Rest) -> None:
        self.note(request, rest)
        super().put_back(request, rest)

    def defer(self, url: Url, way: tuple[Url, ...], rest: Rest) -> None:
        self.note(self.leased[url], rest)
        super().defer(url, way, rest)

    def note(self, request: Request, rest: Rest) -> None:
        host = host_of(request.at)
        self.out.remove(host)
        self.rested[host] = rest.host_until
        if rest.address:
            self.addresses[host] = rest.address
            self.rested[rest.address] = max(self.rested.get(rest.address, 0), rest.address_until)


def test_no_two_leases_of_a_host_or_an_address_are_closer_than_the_delay() -> None:
    web = GraphWeb(WebShape(pages=600, hosts=30, failures=0.1, redirects=0.05), seed=4)
    spy, rules = Spy(700), PaceRules(delay=Millis(700))
    crawl = make_crawl(BestFirst(), frontier=spy, rules=rules, budget=250)
    crawl.start(web.seeds(5), Millis(0))
    clock = VirtualClock()
    visitor = Visitor(web, None, None, crawl.refuses_redirect, clock)
    asyncio.run(simulate(crawl, visitor, web.latency, clock, width=32))
    assert crawl.pages == 250
    by_host: dict[Host, list[int]] = {}
    for entry in journal(crawl):
        if isinstance(entry.event, Page | Failure):
            by_host.setdefault(host_of(entry.event.request.at), []).append(entry.at)
    assert spy.leases > 250
    assert all(b - a >= 700 for times in by_host.values() for a, b in itertools.pairwise(times))


def test_a_simulation_can_be_halted() -> None:
    halt, seen = Halt(), []

    def watch(visit: Visit) -> None:
        seen.append(visit.url)
        if len(seen) == 2:
            halt.ask("enough")

    crawl = begun(seeds="abcdefgh")
    asyncio.run(
        simulate(crawl, visit_at_once, lambda url: Millis(5), VirtualClock(), width=3, halt=halt, watch=watch)
    )
    assert len(seen) == 4, "a, b; and c, d which were out"
    assert not crawl.frontier.leased
    crawl = begun(seeds="abcdefgh")
    seen.clear()
    halt = Halt()
    halt.ask("now")
    halt.ask("now")
    asyncio.run(simulate(crawl, visit_at_once, lambda url: Millis(5), VirtualClock(), halt=halt, watch=watch))
    assert seen == []


def test_a_thousand_small_graphs_end_with_the_set_that_a_queue_would_visit() -> None:
    """ALGORITHMS §1.9: never stops while visits are out; visits the same set as sequential FIFO."""
    for trial in range(1000):
        rng = random.Random(trial)
        urls = [u(f"h{rng.randrange(4)}/{i}") for i in range(rng.randrange(1, 13))]
        graph = {url: rng.choices(urls, k=rng.randrange(4)) for url in urls}
        dead = {url for url in urls if rng.random() < 0.15}
        seeds = rng.choices(urls, k=2)

        async def visit(
            request: Request, graph: dict[Url, list[Url]] = graph, dead: set[Url] = dead
        ) -> Visit:
            if request.url in dead:
                return Failure(request=request, reason=Reason.TIMEOUT)
            return made_page(request, *graph[request.url])

        rules = PaceRules(delay=Millis(rng.randrange(4)), backoff=Millis(3), give_up=99)
        crawl = make_crawl(BreadthFirst(), rules=rules)
        crawl.start(seeds, Millis(0))
        latency = {url: rng.randrange(6) for url in urls}
        simulated(crawl, visit, latency.__getitem__, width=rng.randrange(1, 6))
        assert crawl.finished
        assert not crawl.frontier.leased
        assert set(visited(crawl)) == reached(graph, seeds, dead)


def reached(graph: dict[Url, list[Url]], seeds: list[Url], dead: set[Url]) -> set[Url]:
    """The pages a plain queue would bring: dead pages lead nowhere."""
    found, queue = set(seeds), list(seeds)
    for url in queue:
        for target in graph[url] if url not in dead else ():
            if target not in found:
                found.add(target)
                queue.append(target)
    return found - dead


# -- parts ---------------------------------------------------------------------------------------------------


def test_the_wall_clock_sleeps_until_and_not_for_what_is_past() -> None:
    async def main() -> tuple[int, int]:
        clock = WallClock()
        before = clock.now()
        await clock.sleep_until(Millis(before + 20))
        middle = clock.now()
        await clock.sleep_until(Millis(0))
        return middle - before, clock.now() - middle

    slept, not_slept = asyncio.run(main())
    assert slept >= 19
    assert not_slept < 15


def test_the_virtual_clock_never_runs_backwards() -> None:
    clock = VirtualClock(Millis(10))
    clock.pass_to(Millis(5))
    assert clock.now() == 10
    asyncio.run(clock.sleep_until(Millis(30)))
    assert clock.now() == 30


def test_a_halt_keeps_its_first_reason() -> None:
    halt, heard = Halt(), []
    halt.when_asked(lambda: heard.append(halt.at_once))
    assert not halt.asked
    halt.ask("time limit")
    halt.ask("interrupted")
    halt.ask("interrupted")
    assert halt.reason == "time limit"
    assert heard == [False, True, True]


def sitemap(*locations: Url, index: bool = False) -> bytes:
    outer, inner = ("sitemapindex", "sitemap") if index else ("urlset", "url")
    body = "".join(f"<{inner}><loc>{url}</loc></{inner}>" for url in locations)
    return f'<{outer} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{body}</{outer}>'.encode()


def test_sitemap_links_follow_indexes_and_fetch_each_file_once() -> None:
    index, one, gone = u("a/index.xml"), u("a/one.xml"), u("a/gone.xml")
    web = TableWeb(
        {
            index: response(index, sitemap(one, one, gone, index, index=True)),
            one: response(one, sitemap(u("a/1"), u("a/2"), u("a/1"))),
            u("a/page"): response(u("a/page"), html()),
        }
    )
    named = asyncio.run(links_in([index, index], web, None, VirtualClock()))
    assert [(link.source, link.target) for link in named.links] == [(one, u("a/1")), (one, u("a/2"))]
    assert named.problems == (f"sitemap {gone}: 404",)
    assert web.asked == [index, one, gone]


def test_a_sitemap_that_moved_is_found_and_every_answer_kept() -> None:
    old, new = u("a/old.xml"), u("a/new.xml")
    moved = response(old, b"", 301, ("Location", new))
    web = TableWeb({old: moved, new: response(new, sitemap(u("a/1")))})
    kept: list[Response] = []
    named = asyncio.run(links_in([old], web, None, VirtualClock(), kept.append))
    assert [link.target for link in named.links] == [u("a/1")]
    assert named.problems == ()
    assert [answer.url for answer in kept] == [old, new]
