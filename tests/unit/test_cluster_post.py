"""Post between nodes: one batch in flight, in time, and until it is taken in."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
import pytest

from lycosa.cluster import post
from lycosa.cluster.post import Post, Unreachable
from lycosa.model.errors import InputError
from lycosa.model.nodes import Node

N1 = Node("n1")


class Outgoing:
    """Parcels of one link each, for one receiver."""

    life = "a"

    def __init__(self, waiting: int, *, idle: bool = False) -> None:
        self.idle = idle
        self.sent = waiting
        self.has_taken = 0
        self.presses = False

    @property
    def receivers(self) -> Sequence[Node]:
        return [N1] if self.sent > self.has_taken else []

    def links(self, to: Node) -> int:
        return self.sent - self.has_taken

    def urgent(self, to: Node) -> bool:
        return self.presses

    def unsent(self, to: Node) -> int:
        return self.sent - self.has_taken

    def batch(self, to: Node, most: int) -> bytes | None:
        numbers = [*range(self.has_taken + 1, min(self.has_taken + most, self.sent) + 1)]
        return msgspec.json.encode(numbers) if numbers else None

    def connect(self, to: Node, taken: int) -> None:
        self.has_taken = taken


class Receiver:
    """Takes in what follows; does not answer as often as it is told to."""

    def __init__(self, silent: int = 0, took: int = 0) -> None:
        self.silent, self.last = silent, took
        self.batches: list[list[int]] = []
        self.in_flight = self.most_in_flight = self.asked = 0

    async def taken(self, to: Node, life: str) -> int:
        assert life == "a"
        self.asked += 1
        if self.silent:
            self.silent -= 1
            raise Unreachable
        return self.last

    async def deliver(self, to: Node, sealed: bytes) -> int:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(0)
        self.in_flight -= 1
        if self.silent:
            self.silent -= 1
            raise Unreachable
        numbers = msgspec.json.decode(sealed)
        self.batches.append(numbers)
        for number in numbers:
            if number == self.last + 1:
                self.last = number
        return self.last


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


async def settled(sending: Post) -> None:
    """Let the post look, and what it began come to its end."""
    sending.look()
    for _ in range(50):
        await asyncio.sleep(0)


def test_what_is_urgent_goes_at_once() -> None:
    async def story() -> None:
        receiver, outgoing = Receiver(), Outgoing(1, idle=False)
        outgoing.presses = True
        await settled(Post(outgoing, receiver, links=10, seconds=5, clock=Clock()))
        assert receiver.last == 1

    asyncio.run(story())


def test_one_batch_in_flight() -> None:
    async def story() -> None:
        receiver, clock = Receiver(), Clock()
        sending = Post(Outgoing(25, idle=True), receiver, links=10, seconds=5, clock=clock)
        sending.look()
        sending.look()
        await settled(sending)
        assert receiver.most_in_flight == 1
        assert receiver.asked == 1
        assert receiver.batches == [[*range(1, 11)], [*range(11, 21)], [*range(21, 26)]]
        assert sending.batches == 3

    asyncio.run(story())


@pytest.mark.parametrize(
    ("waiting", "idle", "after", "goes"),
    [
        (9, False, 0.0, False),
        (9, False, 4.9, False),
        (9, False, 5.0, True),
        (10, False, 0.0, True),
        (1, True, 0.0, True),
    ],
)
def test_in_time(waiting: int, idle: bool, after: float, goes: bool) -> None:
    async def story() -> None:
        receiver, clock = Receiver(), Clock()
        sending = Post(Outgoing(waiting, idle=idle), receiver, links=10, seconds=5, clock=clock)
        await settled(sending)
        clock.now += after
        await settled(sending)
        assert (receiver.last == waiting) == goes
        assert receiver.last in (0, waiting)

    asyncio.run(story())


def test_until_it_is_taken_in() -> None:
    async def story() -> None:
        receiver, clock, outgoing = Receiver(silent=3), Clock(), Outgoing(5, idle=True)
        sending = Post(outgoing, receiver, links=10, seconds=5, clock=clock)
        rests = []
        while receiver.last < 5:
            await settled(sending)
            if sending.resting(N1):
                rests.append(clock.now)
            clock.now += 0.25
        assert rests == [100.0, 100.25, 100.5, 100.75, 101.0, 101.25, *(101.5 + n / 4 for n in range(8))]
        assert outgoing.receivers == []

    asyncio.run(story())


def test_who_answers_anew_is_asked_first_how_far_it_is() -> None:
    async def story() -> None:
        receiver, clock = Receiver(took=3), Clock()
        outgoing = Outgoing(5, idle=True)
        await settled(Post(outgoing, receiver, links=10, seconds=5, clock=clock))
        assert (receiver.asked, receiver.batches) == (1, [[4, 5]])

    asyncio.run(story())


def test_a_receiver_that_lost_everything_says_so_and_is_sent_everything() -> None:
    async def story() -> None:
        receiver, clock, outgoing = Receiver(), Clock(), Outgoing(5, idle=True)
        sending = Post(outgoing, receiver, links=10, seconds=5, clock=clock)
        await settled(sending)
        assert receiver.last == 5
        receiver.last = 0
        await settled(sending)
        assert receiver.last == 0  # nothing waits, so nobody asked
        sending.meet(N1)
        await settled(sending)
        assert receiver.last == 5

    asyncio.run(story())


def test_a_node_that_takes_nothing_in_is_left_alone_for_a_while() -> None:
    class Full(Receiver):
        async def deliver(self, to: Node, sealed: bytes) -> int:
            self.batches.append(msgspec.json.decode(sealed))
            return 0

    async def story() -> None:
        receiver, clock = Full(), Clock()
        sending = Post(Outgoing(5, idle=True), receiver, links=10, seconds=5, clock=clock)
        await settled(sending)
        assert sending.resting(N1)
        assert receiver.batches == [[1, 2, 3, 4, 5]]
        clock.now += post.FIRST_REST
        assert not sending.resting(N1)
        await settled(sending)
        assert (receiver.asked, len(receiver.batches)) == (2, 2)

    asyncio.run(story())


def test_what_else_goes_wrong_is_told_once_and_tried_again() -> None:
    class Refusing(Receiver):
        async def deliver(self, to: Node, sealed: bytes) -> int:
            if self.asked < 3:
                raise InputError("node n0 shares the crawl by another partition")
            return await super().deliver(to, sealed)

    async def story() -> None:
        receiver, clock = Refusing(), Clock()
        sending = Post(Outgoing(5, idle=True), receiver, links=10, seconds=5, clock=clock)
        for _ in range(8):
            await settled(sending)
            clock.now += 1.0
        assert sending.told == ["what is for n1 waits: node n0 shares the crawl by another partition"]
        assert receiver.last == 5

    asyncio.run(story())


def test_it_runs_until_it_is_cancelled() -> None:
    async def story() -> None:
        receiver = Receiver()
        running = asyncio.create_task(Post(Outgoing(5, idle=True), receiver, links=10, seconds=5).run())
        for _ in range(50):
            await asyncio.sleep(0)
        assert receiver.last == 5
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(story())
