"""What is done now and then beside the visits of a crawl."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from tests.worlds import made_page, u

from lycosa.drive.clock import VirtualClock, WallClock
from lycosa.drive.errand import WithErrand
from lycosa.drive.halt import Halt
from lycosa.drive.live import LiveRoad
from lycosa.drive.simulated import VirtualRoad
from lycosa.drive.visit import Outcome
from lycosa.model.errors import FolderError
from lycosa.model.records import Millis, Request


async def visit(request: Request) -> Outcome:
    return made_page(request)


def request(name: str) -> Request:
    return Request(url=u(name), order=1)


def test_under_virtual_time_it_is_done_when_it_is_due_and_visits_wait_for_it() -> None:
    clock = VirtualClock()
    done: list[int] = []

    async def errand() -> None:
        done.append(clock.now())
        await clock.sleep_until(Millis(clock.now() + 30))

    async def main() -> list[tuple[int, int]]:
        inner = VirtualRoad(visit, lambda url: Millis(150), clock)
        road = WithErrand(inner, errand, Millis(100), Millis(200), beside=False)
        road.send(request("a"))
        home = []
        for _ in range(6):
            arrived: Sequence[Outcome] = await road.arrivals(Millis(500))
            home.append((clock.now(), len(arrived)))
        return home

    home = asyncio.run(main())
    assert done == [100, 300]
    # Nothing at 100, the errand until 130, the visit, nothing at 300, the errand until 330, nothing until 500.
    assert home == [(100, 0), (130, 0), (150, 1), (300, 0), (330, 0), (500, 0)]


def test_in_real_time_visits_go_on_beside_it() -> None:
    async def main() -> tuple[int, bool]:
        halt, begun, may_end = Halt(), asyncio.Event(), asyncio.Event()

        async def errand() -> None:
            begun.set()
            await may_end.wait()

        clock = WallClock()
        inner = LiveRoad(visit, clock, halt)
        road = WithErrand(inner, errand, Millis(0), Millis(3_600_000), beside=True)
        road.send(request("a"))
        arrived = await road.arrivals(None)
        await begun.wait()  # it is not over
        may_end.set()
        await road.drop()
        return len(arrived), begun.is_set()

    assert asyncio.run(main()) == (1, True)


def test_what_it_raises_is_not_lost() -> None:
    async def errand() -> None:
        raise FolderError("the disk is full")

    async def main() -> None:
        clock = WallClock()
        road = WithErrand(LiveRoad(visit, clock, Halt()), errand, Millis(0), Millis(1_000), beside=True)
        while True:
            await road.arrivals(Millis(clock.now() + 5))

    with pytest.raises(FolderError, match="full"):
        asyncio.run(asyncio.wait_for(main(), 60))


def test_one_that_is_under_way_is_given_up_with_the_road() -> None:
    given_up: list[bool] = []

    async def errand() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            given_up.append(True)
            raise

    async def main() -> None:
        clock = WallClock()
        road = WithErrand(LiveRoad(visit, clock, Halt()), errand, Millis(0), Millis(1_000), beside=True)
        await road.arrivals(Millis(clock.now() + 5))
        await road.drop()

    asyncio.run(asyncio.wait_for(main(), 60))
    assert given_up == [True]
