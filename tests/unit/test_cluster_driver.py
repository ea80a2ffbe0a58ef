"""Who leads a shared crawl, with nodes that only count: budgets, members, faults, ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lycosa import __version__
from lycosa.cluster import driver, known
from lycosa.cluster.driver import Driver
from lycosa.cluster.messages import Hello, Orders, Report, State
from lycosa.cluster.overview import Overview
from lycosa.cluster.place import Place, Roll, Wish, wish
from lycosa.cluster.post import Unreachable
from lycosa.cluster.quiet import Standing
from lycosa.cluster.shares import Holding
from lycosa.model.endings import Ending, EndKind
from lycosa.model.errors import FolderError, InputError
from lycosa.model.nodes import Members, Node
from lycosa.spec.tree import CrawlSpec

N0, N1, N2 = (Node(f"n{number}") for number in range(3))


class Counter:
    """A node that fetches `speed` pages whenever it is asked how it stands, while links wait and budget is left."""

    def __init__(self, orders: Orders, waiting: int, speed: int) -> None:
        self.orders, self.waiting, self.speed = orders, waiting, speed
        self.granted, self.used = orders.pages, 0
        self.epoch = orders.members.epoch
        self.state, self.ended = State.RUNNING, ""
        self.silent, self.paused = False, orders.paused
        self.visited_in: set[int] = set()  # the epochs
        self.version, self.digest = __version__, "d"
        self.halts = self.opened = self.out = 0
        self.reached = ""
        self.mended = True

    def _answer(self) -> None:
        if self.silent:
            raise Unreachable

    async def hello(self) -> Hello:
        self._answer()
        return Hello(version=self.version, digest=self.digest)

    async def report(self) -> Report:
        self._answer()
        if self.state is State.RUNNING and not self.paused and not self.reached:
            self.visited_in.add(self.epoch)
            fetched = min(self.speed, self.waiting, self.granted - self.used)
            self.used, self.waiting = self.used + fetched, self.waiting - fetched
        quiet = not self.waiting or self.used == self.granted or bool(self.reached)
        return Report(
            state=self.state,
            standing=Standing(life="a", quiet=quiet, steps=self.used),
            epoch=self.epoch,
            pages=Holding(granted=self.granted, used=self.used),
            requests=Holding(granted=0, used=self.used),
            waiting=self.waiting,
            leased=self.out,
            reached=self.reached,
            paused=self.paused,
            ended=self.ended,
        )

    async def grant(self, pages: int, requests: int) -> tuple[int, int]:
        self._answer()
        self.granted = max(pages, self.used)
        return self.granted, 0

    async def join(self, members: Members, lost: tuple[Node, ...]) -> None:
        self._answer()
        self.epoch = members.epoch
        if self.orders.here not in members.names:
            self.waiting = 0  # handed over

    async def pause(self, paused: bool) -> None:
        self._answer()
        self.paused = paused

    async def dismiss(self, ending: str) -> None:
        self._answer()
        self.state, self.ended = State.ENDED, ending

    async def halt(self) -> None:
        self._answer()
        self.halts += 1
        self.state, self.ended = State.ENDED, "interrupted: by the user"

    async def go_on(self) -> None:
        self.opened += 1
        if self.mended:
            self.state, self.ended = State.RUNNING, ""


class Counters:
    """All nodes of a crawl, and what they were granted in all after each change."""

    def __init__(self, **nodes: tuple[int, int]) -> None:
        """Of each node how many links wait, and how fast it is."""
        self.given = nodes
        self.nodes: dict[Node, Counter] = {}
        self.removed: list[Node] = []
        self.prepare: Callable[[Counter], None] = lambda node: None

    async def make(self, orders: Orders) -> Counter:
        node = Counter(orders, *self.given.get(orders.here, (0, 1)))
        self.prepare(node)
        self.nodes[orders.here] = node
        return node

    async def remove(self, node: Node) -> None:
        self.removed.append(node)


class Watch:
    def __init__(self, fleet: Counters, then: Callable[[Overview], None] = lambda overview: None) -> None:
        self.fleet, self.then = fleet, then
        self.said: list[str] = []
        self.most_granted = 0

    def tick(self, overview: Overview) -> None:
        granted = sum(
            node.granted for name, node in self.fleet.nodes.items() if name not in self.fleet.removed
        )
        self.most_granted = max(
            self.most_granted, granted + sum(pages for pages, _ in overview.left.values())
        )
        self.then(overview)

    def say(self, text: str) -> None:
        self.said.append(text)


@pytest.fixture(autouse=True)
def _without_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "ROUND_EVERY", 0.0)


def led(
    folder: Path, fleet: Counters, *, then: Callable[[Overview], None] = lambda overview: None, **spec: Any
) -> tuple[Ending, Watch, Driver]:
    place, watch = Place(folder), Watch(fleet, then)
    roll = Roll(epoch=1, names=tuple(map(Node, fleet.given)))
    leading = Driver(place, CrawlSpec(**{"pages": 100, **spec}), roll, fleet, watch)
    return asyncio.run(leading.run()), watch, leading


def test_never_more_than_the_budget(tmp_path: Path) -> None:
    """One node has nearly all the links: it is given what the others do not need, after they gave it up."""
    fleet = Counters(n0=(1000, 7), n1=(3, 1), n2=(0, 1))
    ending, watch, _ = led(tmp_path, fleet)
    assert ending == Ending(EndKind.BUDGET)
    assert sum(node.used for node in fleet.nodes.values()) == 100
    assert fleet.nodes[N0].used == 97
    assert watch.most_granted == 100
    assert all(node.ended == "budget" for node in fleet.nodes.values())


def test_it_ends_when_no_links_are_left(tmp_path: Path) -> None:
    fleet = Counters(n0=(30, 7), n1=(5, 1))
    ending, _, _ = led(tmp_path, fleet)
    assert ending == Ending(EndKind.EXHAUSTED)
    assert [node.used for node in fleet.nodes.values()] == [30, 5]


def test_a_rule_ends_it_when_it_holds_wherever_links_wait(tmp_path: Path) -> None:
    fleet = Counters(n0=(50, 5), n1=(10, 5))

    def poor(node: Counter) -> None:
        node.reached = "too few are relevant" if node.orders.here == N0 else ""

    fleet.prepare = poor
    ending, _, _ = led(tmp_path, fleet)
    assert ending == Ending(EndKind.RULE, "too few are relevant")
    assert fleet.nodes[N1].used == 10


def test_who_was_leaving_when_its_driver_died_is_seen_to_by_the_next(tmp_path: Path) -> None:
    fleet, place = Counters(n0=(20, 5), n1=(20, 5)), Place(tmp_path)
    roll = Roll(epoch=1, names=(N0, N1)).without(N1)
    leading = Driver(place, CrawlSpec(pages=100), roll, fleet, Watch(fleet))
    assert asyncio.run(leading.run()).is_over
    assert (leading.roll.names, leading.roll.leaving, set(leading.roll.left)) == ((N0,), (), {N1})
    assert fleet.removed == [N1]


def test_if_somebody_told_a_node_itself_to_stop_all_do(tmp_path: Path) -> None:
    fleet = Counters(n0=(1000, 1), n1=(1000, 1))

    def then(overview: Overview) -> None:
        if overview.pages > 10:
            fleet.nodes[N1].state, fleet.nodes[N1].ended = State.ENDED, "interrupted: by the user"

    ending, _, leading = led(tmp_path, fleet, then=then)
    assert ending == Ending(EndKind.INTERRUPTED, "by the user")
    assert leading.was_interrupted
    assert fleet.nodes[N0].halts == 1


def test_there_may_be_fewer_pages_than_nodes(tmp_path: Path) -> None:
    fleet = Counters(n0=(0, 1), n1=(9, 1), n2=(9, 1))
    ending, watch, _ = led(tmp_path, fleet, pages=1)
    assert ending == Ending(EndKind.BUDGET)
    assert watch.most_granted == 1


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"version": "0.0.9"}, r"n1: runs lycosa 0\.0\.9, this is .*: install the same on all machines"),
        ({"digest": "e"}, r"n\d: divides URLs by another partition \(d is not e\): give all nodes the same"),
    ],
)
def test_another_version_or_model_is_refused_with_one_line(
    tmp_path: Path, other: dict[str, str], told: str
) -> None:
    fleet = Counters(n0=(9, 1), n1=(9, 1))

    def another(node: Counter) -> None:
        if node.orders.here == N1:
            for name, value in other.items():
                setattr(node, name, value)

    fleet.prepare = another
    with pytest.raises(InputError, match=told):
        led(tmp_path, fleet)
    assert fleet.removed == [N0, N1]


def test_one_that_does_not_answer_is_told_of_and_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "MISSED_AFTER", 0.0)
    fleet, rounds = Counters(n0=(20, 5), n1=(20, 5)), iter(range(10**6))

    def then(overview: Overview) -> None:
        at = next(rounds)
        if at in (1, 30):
            fleet.nodes[N1].silent = at == 1

    ending, watch, _ = led(tmp_path, fleet, then=then)
    assert ending == Ending(EndKind.EXHAUSTED)
    assert next(rounds) > 30
    assert watch.said == [
        "n1: does not answer; the others go on, and it is made again where it can be",
        "n1: answers again",
    ]


def test_who_answers_late_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "AWAITED", 0.0)
    fleet = Counters(n0=(40, 5), n1=(40, 5))

    class Late(Counter):
        asked = 0

        async def report(self) -> Report:
            self.asked += 1
            for _ in range(200):  # turns of the event loop
                await asyncio.sleep(0)
            return await super().report()

    async def make(orders: Orders) -> Counter:
        kind = Late if orders.here == N1 else Counter
        fleet.nodes[orders.here] = kind(orders, 40, 5)
        return fleet.nodes[orders.here]

    fleet.make = make  # type: ignore[method-assign]
    rounds = iter(range(10**6))
    ending, _, _ = led(tmp_path, fleet, then=lambda overview: next(rounds) and None)
    assert ending == Ending(EndKind.EXHAUSTED)
    assert fleet.nodes[N1].asked < next(rounds) / 3


def test_one_that_failed_is_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "TRIED_AGAIN", (0.0, 0.0, 0.0))
    fleet, rounds = Counters(n0=(50, 5), n1=(50, 5)), iter(range(10**6))

    def then(overview: Overview) -> None:
        if next(rounds) == 1:
            fleet.nodes[N1].state, fleet.nodes[N1].ended = State.FAILED, "failed: the disk is full"

    ending, watch, _ = led(tmp_path, fleet, then=then)
    assert ending == Ending(EndKind.BUDGET)
    assert fleet.nodes[N1].opened == 1
    assert watch.said == ["n1: failed: the disk is full"]


def test_if_it_stays_broken_the_others_come_to_their_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "TRIED_AGAIN", (0.0, 0.0, 0.0))
    fleet = Counters(n0=(30, 5), n1=(50, 5))

    def broken(node: Counter) -> None:
        if node.orders.here == N1:
            node.state, node.ended, node.mended = State.FAILED, "failed: the disk is full", False

    fleet.prepare = broken
    ending, _, _ = led(tmp_path, fleet)
    assert ending == Ending(EndKind.FAILED, "n1: failed: the disk is full")
    assert fleet.nodes[N0].used == 30
    assert fleet.nodes[N0].halts == 1
    assert fleet.nodes[N1].opened == 3


def test_a_halt_is_passed_on_to_all(tmp_path: Path) -> None:
    fleet = Counters(n0=(1000, 1), n1=(1000, 1))

    async def story() -> Ending:
        watch = Watch(fleet, lambda overview: leading.halt("by the user") if overview.pages > 10 else None)
        roll = Roll(epoch=1, names=(N0, N1))
        leading = Driver(Place(tmp_path), CrawlSpec(pages=1000), roll, fleet, watch)
        ending = await leading.run()
        assert leading.was_interrupted
        return ending

    assert asyncio.run(story()) == Ending(EndKind.INTERRUPTED, "by the user")
    assert all(node.halts for node in fleet.nodes.values())


def test_who_else_wants_it_to_stop_leaves_word(tmp_path: Path) -> None:
    fleet = Counters(n0=(1000, 1), n1=(1000, 1))
    wish(Place(tmp_path), Wish(what="stop"))
    ending, _, _ = led(tmp_path, fleet)
    assert ending == Ending(EndKind.INTERRUPTED, "by the user")


def test_one_epoch(tmp_path: Path) -> None:
    """One joins, one leaves; one that did not answer meanwhile is told when it does."""
    fleet, rounds = Counters(n0=(50, 1), n1=(50, 1)), iter(range(10**6))
    place = Place(tmp_path)

    def then(overview: Overview) -> None:
        match next(rounds):
            case 1:
                fleet.nodes[N0].silent = True
                wish(place, Wish(what="join", node=N2))
            case 5:
                wish(place, Wish(what="leave", node=N1))
                assert fleet.nodes[N0].epoch == 1
            case 9:
                fleet.nodes[N0].silent = False

    ending, watch, leading = led(tmp_path, fleet, then=then)
    assert ending.is_over
    assert leading.roll.names == (N0, N2)
    assert [fleet.nodes[node].epoch for node in (N0, N1, N2)] == [3, 3, 3]
    assert N1 in fleet.removed
    assert fleet.nodes[N1].ended == "interrupted: by the user"
    assert leading.roll.left == {N1: (fleet.nodes[N1].used, fleet.nodes[N1].used)}
    assert place.load_roll() == leading.roll
    assert watch.most_granted == 100
    assert [line.split(";")[0].split(",")[0] for line in watch.said] == ["n2: joined", "n1: leaves"]


def test_who_leaves_goes_when_its_last_visit_is_home(tmp_path: Path) -> None:
    """What the page of that visit has for others is sent first."""
    fleet, rounds, place = Counters(n0=(50, 1), n1=(50, 1)), iter(range(10**6)), Place(tmp_path)

    def then(overview: Overview) -> None:
        match next(rounds):
            case 1:
                fleet.nodes[N1].out = 1
                wish(place, Wish(what="leave", node=N1))
            case 20:
                assert (fleet.nodes[N1].paused, fleet.nodes[N1].halts, fleet.removed) == (True, 0, [])
                fleet.nodes[N1].out = 0

    ending, _, leading = led(tmp_path, fleet, then=then)
    assert ending.is_over
    assert fleet.nodes[N1].halts == 1
    assert (leading.roll.names, leading.roll.leaving) == ((N0,), ())


def test_who_cannot_join_or_leave_is_told(tmp_path: Path) -> None:
    fleet, place = Counters(n0=(20, 1)), Place(tmp_path)
    for each in (Wish(what="join", node=N0), Wish(what="leave", node=N2), Wish(what="leave", node=N0)):
        wish(place, each)
    ending, watch, _ = led(tmp_path, fleet)
    assert ending == Ending(EndKind.EXHAUSTED)
    assert watch.said == [
        "n0: is or was the name of a node; choose another",
        "n2: is no node of this crawl; it has n0",
        "n0: is the last node; stop the crawl instead",
    ]


def test_a_second_driver_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path)
    lock = place.take()
    with pytest.raises(FolderError, match="the crawl is in use by process"):
        place.take()
    assert place.leader is not None
    lock.close()
    assert place.leader is None
    place.take().close()
