"""Several nodes of a shared crawl against one server, over real connections."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence

import pytest
from tests.counted import Counted
from tests.live.conftest import Run

from lycosa.crawl.pace import PaceRules
from lycosa.drive.clock import WallClock
from lycosa.drive.patience import checked, fetched
from lycosa.model.nodes import Members, Node
from lycosa.model.records import Fault, Millis, Reason
from lycosa.model.url import Url
from lycosa.sharing.rendezvous import Rendezvous
from lycosa.web.http.dns import Router
from lycosa.web.http.live import LiveWeb
from lycosa.web.robots.cache import Access, RobotsCache
from lycosa.web.shared_spacing import Peer, SharedSpacing
from lycosa.web.spacing import Spacing

DELAY = 0.1
SPAN = Millis(1000)
N0, N1, N2 = Node("n0"), Node("n1"), Node("n2")


class Company:
    """Nodes in one process. A letter arrives in the next turn of the loop; to a dead node, never."""

    def __init__(self, *names: Node) -> None:
        self.members = Members(epoch=1, names=names)
        self.spacings: dict[Node, SharedSpacing] = {}
        self.webs: dict[Node, LiveWeb] = {}
        self.letters = 0
        self.cut = False
        for name in names:
            self.start(name, first=True)

    def start(self, name: Node, *, first: bool = False, life: str = "a") -> None:
        rules = PaceRules(delay=Millis(int(DELAY * 1000)), backoff=Millis(500))
        peer = Peer(here=name, life=life, members=self.members, first=first, send=self._send)
        self.spacings[name] = SharedSpacing(rules, peer, SPAN)
        self.webs[name] = LiveWeb(router=Router(allow_private=True), spacing=self.spacings[name])

    def _send(self, to: Node, letter: bytes) -> None:
        self.letters += 1
        asyncio.get_running_loop().call_soon(self._arrive, to, letter)

    def _arrive(self, to: Node, letter: bytes) -> None:
        if to in self.spacings and not self.cut:
            self.spacings[to].hear(letter)

    async def kill(self, name: Node) -> None:
        """Nothing is said any more, and all connections close."""
        self.spacings.pop(name).end()
        await self.webs.pop(name).close()

    async def close(self) -> None:
        for name in list(self.webs):
            await self.webs[name].close()
            self.spacings[name].end()

    def robots(self, name: Node) -> RobotsCache:
        return RobotsCache(
            self.webs[name],
            "lycosa",
            WallClock(),
            heed=self.spacings[name].slow_down,
            shared=self.spacings[name],
        )

    def warden(self, host: str) -> Node:
        return Rendezvous(self.members).owner(host)


async def many(web: LiveWeb, hosts: Sequence[str], pages: int, seed: str) -> None:
    draw = random.Random(seed)
    for _ in range(pages):
        await fetched(web, Url(f"http://{draw.choice(hosts)}/{draw.randrange(1000)}"), WallClock())


def test_no_host_and_no_address_is_asked_by_two_at_once_or_too_soon(run: Run) -> None:
    async def story() -> None:
        async with Counted() as server:
            company = Company(N0, N1, N2)
            hosts = server.hosts("127.0.0.1", "127.0.0.2")
            async with asyncio.timeout(30):
                await asyncio.gather(
                    *(many(web, hosts, 5, f"{name}{n}") for name, web in company.webs.items() for n in "ab")
                )
            await company.close()
            assert len(server.seen) == 30
            assert server.closest("address") >= DELAY - 0.003
            assert server.closest("host") >= DELAY - 0.003

    run(story())


def test_nodes_that_do_not_agree_come_too_soon() -> None:
    """So the test above can fail."""

    async def story() -> None:
        async with Counted() as server:
            webs = [
                LiveWeb(
                    router=Router(allow_private=True), spacing=Spacing(WallClock(), Millis(int(DELAY * 1000)))
                )
                for _ in range(3)
            ]
            hosts = server.hosts("127.0.0.1", "127.0.0.2")
            await asyncio.gather(*(many(web, hosts, 3, f"{n}") for n, web in enumerate(webs)))
            for web in webs:
                await web.close()
            assert server.closest("address") < DELAY / 2

    asyncio.run(story())


@pytest.mark.parametrize("victim", [N0, N1, N2])
def test_nor_when_a_node_is_killed(victim: Node) -> None:
    async def story() -> None:
        async with Counted(ports=1) as server:
            company = Company(N0, N1, N2)
            [host] = server.hosts("127.0.0.1")
            server.answers["/slow"] = ("200 OK", "", 20.0)
            async with asyncio.timeout(30):
                await fetched(company.webs[victim], Url(f"http://{host}/a"), WallClock())
                slow = asyncio.create_task(
                    fetched(company.webs[victim], Url(f"http://{host}/slow"), WallClock())
                )
                await server.until(lambda: len(server.seen) == 2)
                others = [
                    asyncio.create_task(fetched(web, Url(f"http://{host}/{name}"), WallClock()))
                    for name, web in company.webs.items()
                    if name != victim
                ]
                await company.kill(victim)
                company.start(victim, life="b")
                await asyncio.gather(*others)
                await fetched(company.webs[victim], Url(f"http://{host}/again"), WallClock())
            slow.cancel()
            await company.close()
            assert Counter(seen.path for seen in server.seen)["/again"] == 1
            assert len(server.seen) == 5
            assert server.closest("host") >= DELAY - 0.003

    asyncio.run(story())


def test_robots_txt_is_asked_for_once_by_all(run: Run) -> None:
    async def story() -> None:
        async with Counted(ports=1) as server:
            company = Company(N0, N1, N2)
            [host] = server.hosts("127.0.0.1")
            caches = [company.robots(name) for name in company.members.names]

            async def asks(cache: RobotsCache, path: str) -> Access:
                return (await checked(cache, Url(f"http://{host}/{path}"), WallClock())).access

            async with asyncio.timeout(30):
                told = await asyncio.gather(
                    *(asks(cache, path) for cache in caches for path in ("a", "private"))
                )
            assert Counter(told) == {Access.ALLOWED: 3, Access.DISALLOWED: 3}
            assert [seen.path for seen in server.seen] == ["/robots.txt"]
            warden = company.warden(host)
            await company.kill(warden)
            company.start(warden, life="b")
            async with asyncio.timeout(30):
                assert await asks(company.robots(warden), "private") is Access.DISALLOWED
            assert len(server.seen) == 1, "its deputy knows"
            await company.close()

    run(story())


def test_a_robots_txt_that_cannot_be_had_is_asked_for_once_too() -> None:
    async def story() -> None:
        async with Counted(ports=1) as server:
            company = Company(N0, N1)
            [host] = server.hosts("127.0.0.1")
            server.answers["/robots.txt"] = ("500 Broken", "", 0.005)
            async with asyncio.timeout(30):
                for name in company.members.names:
                    found = await checked(company.robots(name), Url(f"http://{host}/a"), WallClock())
                    assert found.access is Access.UNREACHABLE
                    assert found.rule == f"http://{host}/robots.txt answered 500"
            await company.close()
            assert len(server.seen) == 1

    asyncio.run(story())


def test_who_lost_its_turn_breaks_off_and_comes_again(run: Run) -> None:
    async def story() -> None:
        async with Counted(ports=1) as server:
            company = Company(N0, N1, N2)
            [host] = server.hosts("127.0.0.1")
            server.answers["/slow"] = ("200 OK", "", 20.0)
            name = next(name for name in company.members.names if name != company.warden(host))
            async with asyncio.timeout(30):
                asked = asyncio.create_task(company.webs[name].fetch(Url(f"http://{host}/slow")))
                await server.until(lambda: bool(server.seen))
                company.cut = True
                answer = await asked
            assert isinstance(answer, Fault)
            assert (answer.reason, answer.detail) == (
                Reason.TURN,
                f"{host}: its warden did not answer any more",
            )
            await server.until(lambda: server.seen[0].ended < float("inf"))
            noticed = 0.05  # of the server's own clock: it is told a little later, 1.8 ms were seen
            assert server.seen[0].ended - server.seen[0].began <= SPAN / 1000 + noticed
            await company.close()

    run(story())


def test_who_crawls_no_more_is_still_a_warden() -> None:
    async def story() -> None:
        async with Counted(ports=1) as server:
            company = Company(N0, N1)
            [host] = server.hosts("127.0.0.1")
            warden = company.warden(host)
            await fetched(company.webs[warden], Url(f"http://{host}/a"), WallClock())
            company.spacings[warden].close()
            other = next(name for name in company.members.names if name != warden)
            async with asyncio.timeout(SPAN / 1000):
                await fetched(company.webs[other], Url(f"http://{host}/b"), WallClock())
            await company.close()
            assert server.closest("host") >= DELAY - 0.003

    asyncio.run(story())


def test_a_server_that_wants_rest_has_it_from_all_nodes() -> None:
    async def story() -> None:
        async with Counted(ports=1) as server:
            company = Company(N0, N1)
            [host] = server.hosts("127.0.0.1")
            server.answers["/busy"] = ("503 Busy", "Retry-After: 2\r\n", 0.005)
            async with asyncio.timeout(30):
                await fetched(company.webs[N0], Url(f"http://{host}/busy"), WallClock())
                await fetched(company.webs[N1], Url(f"http://{host}/a"), WallClock())
            await company.close()
            first, second = server.seen
            assert second.began - first.ended >= 2 - 0.003

    asyncio.run(story())


def test_an_address_is_waited_for_as_such() -> None:
    async def story() -> None:
        async with Counted(ports=2) as server:
            company = Company(N0)
            one, other = server.hosts("127.0.0.1")
            await fetched(company.webs[N0], Url(f"http://{one}/"), WallClock())
            answer = await company.webs[N0].fetch(Url(f"http://{other}/"))
            await company.close()
            assert isinstance(answer, Fault)
            assert (answer.reason, answer.address) == (Reason.TURN, "127.0.0.1")
            assert 0 < (answer.retry_after or 0) <= DELAY * 1000

    asyncio.run(story())
