"""Nodes of a shared crawl in one process: their sessions are real, only Ray is not there."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.live.cluster_runs import pages_of

from lycosa import __version__
from lycosa.cluster import driver
from lycosa.cluster.driver import Driver
from lycosa.cluster.messages import Orders
from lycosa.cluster.node import SharedNode
from lycosa.cluster.overview import Overview
from lycosa.cluster.place import Place, Roll, Wish, wish
from lycosa.cluster.post import Unreachable
from lycosa.crawls.mail import Batch, Mail, Sealed, seal
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import FolderError, InputError
from lycosa.model.nodes import Members, Node
from lycosa.model.records import UrlState
from lycosa.model.url import Url
from lycosa.spec.tree import ClusterSpec, CrawlSpec, TopicSpec

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
N0, N1, N2 = (Node(f"n{number}") for number in range(3))


class Here:
    """All nodes in this event loop. Those in `away` are not reached by the others."""

    def __init__(self) -> None:
        self.nodes: dict[Node, SharedNode] = {}
        self.away: set[Node] = set()
        self.batches = 0

    async def make(self, orders: Orders, *, again: bool = False) -> Name:
        node = self.nodes[orders.here] = SharedNode(orders, Wires(self, orders.here), again=again)
        node.begin()
        return Name(self, orders.here)

    async def lose(self, node: Node) -> None:
        """Its process ends, its folder is gone, and it is made again, as Ray does."""
        died = self.nodes.pop(node)
        assert died._living is not None
        died._living.cancel()
        with suppress(asyncio.CancelledError):
            await died.over()
        shutil.rmtree(died._folder)
        await self.make(died._orders, again=True)

    async def remove(self, node: Node) -> None:
        await self.nodes[node].over()


class Name:
    """Whoever has a name now, as who leads the crawl calls it."""

    def __init__(self, all_of_them: Here, here: Node) -> None:
        self._all, self._here = all_of_them, here

    def __getattr__(self, what: str) -> Any:
        if self._here not in self._all.nodes:
            raise Unreachable
        return getattr(self._all.nodes[self._here], what)


class Wires:
    def __init__(self, all_of_them: Here, here: Node) -> None:
        self._all, self._here = all_of_them, here

    def _node(self, to: Node) -> SharedNode:
        if to not in self._all.nodes or {to, self._here} & self._all.away:
            raise Unreachable
        return self._all.nodes[to]

    async def taken(self, to: Node, life: str) -> int:
        return await self._node(to).taken(self._here, life)

    async def deliver(self, to: Node, sealed: bytes) -> int:
        self._all.batches += 1
        taken = await self._node(to).deliver(sealed)
        self._node(to)  # raises if it was cut off meanwhile: it took it in, and nobody heard
        return taken

    async def meet(self, to: Node, here: Node, life: str) -> None:
        await self._node(to).meet(here, life)

    def write(self, to: Node, letter: bytes) -> None:
        if to in self._all.nodes:
            self._all.nodes[to].hear(letter)


class Watch:
    def __init__(self, then: Callable[[Overview], None]) -> None:
        self.then = then
        self.said: list[str] = []

    def tick(self, overview: Overview) -> None:
        self.then(overview)

    def say(self, text: str) -> None:
        self.said.append(text)


def specification(pages: int, **cluster: object) -> CrawlSpec:
    return CrawlSpec(
        topic=TopicSpec(keywords=("dinosaurs",)),
        seeds=("http://schools.wiki.example/wp/Biosphere.html",),
        pages=pages,
        web=f"recorded:{SAMPLE}",
        cluster=ClusterSpec(**{"partition": "url", "batch_seconds": 0.0, **cluster}),
    )


def led(
    folder: Path, spec: CrawlSpec, here: Here, names: tuple[Node, ...], then: Callable[[Overview], None]
) -> tuple[Ending, Watch]:
    async def story() -> Ending:
        leading = Driver(Place(folder), spec, Roll(epoch=1, names=names), here, watch)
        ending = await leading.run()
        await leading.clear_away()
        return ending

    watch = Watch(then)
    return asyncio.run(story()), watch


@pytest.fixture(autouse=True)
def _in_short_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "ROUND_EVERY", 0.02)


@pytest.mark.parametrize("partition", ["url", "host", "content:fetch=url"])
def test_each_page_is_fetched_once_and_no_more_than_the_budget(partition: str, tmp_path: Path) -> None:
    here = Here()
    ending, _ = led(
        tmp_path, specification(60, partition=partition), here, (N0, N1, N2), lambda overview: None
    )
    assert ending == Ending(EndKind.BUDGET)
    assert len(pages_of(tmp_path / "nodes")) == 60
    assert (here.batches > 0) == (partition != "host")  # it has one host only


def test_one_that_is_cut_off_and_comes_back_costs_nothing(tmp_path: Path) -> None:
    here, rounds = Here(), iter(range(10**6))

    def then(overview: Overview) -> None:
        here.away = {N1} if next(rounds) % 20 < 10 else set()

    ending, _ = led(tmp_path, specification(400), here, (N0, N1), then)
    assert ending == Ending(EndKind.EXHAUSTED)
    assert len(pages_of(tmp_path / "nodes")) == 298


def test_who_joins_and_who_leaves_hand_over_what_they_know(tmp_path: Path) -> None:
    here, place, told = Here(), Place(tmp_path), set[int]()

    def then(overview: Overview) -> None:
        for after, wanted in ((5, Wish(what="join", node=N2)), (40, Wish(what="leave", node=N0))):
            if overview.pages > after and after not in told:
                told.add(after)
                wish(place, wanted)

    ending, watch = led(tmp_path, specification(400), here, (N0, N1), then)
    assert ending == Ending(EndKind.EXHAUSTED)
    assert watch.said == [
        "n2: joined; 3 nodes share the crawl",
        "n0: leaves, and hands over what waits there",
    ]
    assert len(pages_of(tmp_path / "nodes")) == 298
    assert place.load_roll().names == (N1, N2)


def test_what_was_handed_over_by_a_node_that_loses_its_folder_is_fetched_again(tmp_path: Path) -> None:
    """It had fetched pages of what the one that joined sees to."""
    here, place = Here(), Place(tmp_path)
    losing: list[asyncio.Task[None]] = []

    def then(overview: Overview) -> None:
        if overview.pages > 40 and not place.wishes.exists():
            wish(place, Wish(what="join", node=N2))
        report = overview.reports.get(N2)
        if report is not None and not report.paused and report.pages.used > 20 and not losing:
            losing.append(asyncio.create_task(here.lose(N0)))

    ending, watch = led(tmp_path, specification(400), here, (N0, N1), then)
    assert ending == Ending(EndKind.EXHAUSTED)
    assert "n0: found no folder, and begins anew: what it had fetched is fetched again" in watch.said
    assert len(pages_of(tmp_path / "nodes")) == 298


def test_a_node_that_sends_nothing_is_known_by_its_folder_all_the_same(tmp_path: Path) -> None:
    async def story() -> None:
        members = Members(epoch=1, names=(N0, N1))
        orders = Orders(
            here=N1,
            folder=str(tmp_path / "n1"),
            spec=specification(60),
            members=members,
            pages=0,
            requests=None,
        )
        node = SharedNode(orders, Wires(Here(), N1))
        node.begin()
        await node.hello()
        session, mail = node._running(), node._mail()
        names = ("Water", "Earth", "Human", "Plant")
        urls = (Url(f"http://schools.wiki.example/wp/{name}.html") for name in names)
        url = next(filter(mail.company.is_ours, urls))
        batch = Batch(
            node=N0,
            life="a",
            lycosa=__version__,
            digest=mail.company.partition.digest,
            parcels=(Sealed(number=1, known=(url,)),),
        )
        assert await node.deliver(seal(batch)) == 1
        await node.meet(N0, "a")
        assert session.crawl.frontier.state(url) is UrlState.VISITED
        await node.meet(N0, "b")
        assert session.crawl.frontier.state(url) is UrlState.PENDING
        await node.halt()
        await node.over()

    asyncio.run(story())


def test_a_node_that_cannot_take_part_says_why(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="n0: there is no partition 'hots'"):
        led(tmp_path, specification(60, partition="hots"), Here(), (N0,), lambda overview: None)


def test_one_that_cannot_keep_what_comes_fails_though_it_has_nothing_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its disk is full for a while."""
    monkeypatch.setattr(driver, "TRIED_AGAIN", (0.0, 0.0, 0.0))
    take, faults = Mail.take, iter([FolderError("journal.db: the disk is full")])

    async def take_or_fail(mail: Mail, sealed: bytes) -> int:
        if mail.company.here == N1 and (fault := next(faults, None)) is not None:
            raise fault
        return await take(mail, sealed)

    monkeypatch.setattr(Mail, "take", take_or_fail)
    ending, watch = led(tmp_path, specification(60), Here(), (N0, N1), lambda overview: None)
    assert ending == Ending(EndKind.BUDGET)
    assert watch.said[0] == "n1: failed: journal.db: the disk is full"
    assert len(pages_of(tmp_path / "nodes")) == 60
