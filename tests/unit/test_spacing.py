"""Spacing under a clock that jumps: who is told to wait for whom, and how long."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest
from tests.jumping_clock import JumpingClock

from lycosa.model.records import Millis, Response
from lycosa.model.url import Url
from lycosa.web.spacing import BUSY, Spacing, retry_after


class Scene:
    """Exchanges of a fixed length, each begun as soon as it may, with a log of when each began and ended."""

    def __init__(self, delay: int) -> None:
        self.clock = JumpingClock()
        self.spacing = Spacing(self.clock, Millis(delay))
        self.log: list[tuple[str, int, int]] = []

    async def exchange(self, name: str, *keys: str, length: int = 100) -> None:
        while wait := max(map(self.spacing.wait, keys)):
            await self.clock.sleep_until(Millis(self.clock.time + wait))
        with self.spacing.turn(*keys):
            began = self.clock.time
            await self.clock.sleep_until(Millis(began + length))
        self.log.append((name, began, self.clock.time))

    def play(self, *work: Awaitable[object]) -> list[tuple[str, int, int]]:
        asyncio.run(self.clock.run(*work))
        return self.log


def test_one_host_is_asked_one_at_a_time_and_rests_between() -> None:
    scene = Scene(delay=1000)

    async def story() -> None:
        for name in "abc":
            await scene.exchange(name, "a.test")

    assert scene.play(story()) == [("a", 0, 100), ("b", 1100, 1200), ("c", 2200, 2300)]


def test_independent_hosts_do_not_wait() -> None:
    scene = Scene(delay=1000)
    log = scene.play(*(scene.exchange(name, f"{name}.test") for name in "abc"))
    assert log == [("a", 0, 100), ("b", 0, 100), ("c", 0, 100)]


def test_who_comes_while_a_host_is_asked_is_told_to_come_again() -> None:
    scene = Scene(delay=1000)
    with scene.spacing.turn("a.test", "8.8.8.8"):
        assert scene.spacing.wait("a.test") == scene.spacing.wait("8.8.8.8") == 1000
        with (
            pytest.raises(RuntimeError, match="somebody else's turn"),
            scene.spacing.turn("b.test", "8.8.8.8"),
        ):
            pass
        assert scene.spacing.wait("b.test") == 0, "nothing of a turn that was not had remains"
    scene.clock.time = 400
    assert scene.spacing.wait("a.test") == 600


def test_without_a_delay_who_comes_while_a_host_is_asked_waits_a_little() -> None:
    scene = Scene(delay=0)
    with scene.spacing.turn("a.test"):
        assert scene.spacing.wait("a.test") == BUSY
    assert scene.spacing.wait("a.test") == 0
    assert scene.spacing._gates == {}


def test_hosts_of_one_address_rest_together() -> None:
    scene = Scene(delay=1000)
    log = scene.play(
        scene.exchange("a", "a.test", "8.8.8.8"),
        scene.exchange("b", "b.test", "8.8.8.8"),
        scene.exchange("c", "c.test", "8.8.4.4"),
    )
    assert log == [("a", 0, 100), ("c", 0, 100), ("b", 1100, 1200)]


def test_a_crawl_delay_raises_one_host_only_and_counts_for_the_rest_that_is_on() -> None:
    scene = Scene(delay=1000)

    async def story() -> None:
        await scene.exchange("a", "a.test")
        scene.spacing.slow_down("a.test", Millis(5000))
        scene.spacing.slow_down("a.test", Millis(2000))
        assert scene.spacing.delay_for("a.test") == 5000
        assert scene.spacing.delay_for("b.test") == 1000
        await scene.exchange("b", "a.test")
        await scene.exchange("c", "a.test")

    assert scene.play(story()) == [("a", 0, 100), ("b", 5100, 5200), ("c", 10200, 10300)]


def test_an_exchange_that_fails_ends_its_turn() -> None:
    scene = Scene(delay=1000)
    with pytest.raises(OSError, match="reset"), scene.spacing.turn("a.test", "8.8.8.8"):
        raise OSError("reset")
    assert scene.spacing.wait("a.test") == scene.spacing.wait("8.8.8.8") == 1000


def test_memory_follows_the_hosts_at_rest() -> None:
    scene = Scene(delay=10)

    async def story() -> None:
        for number in range(5000):
            await scene.exchange("", f"h{number}.test", length=1)

    scene.play(story())
    assert len(scene.spacing._gates) <= 1024


NOW = Millis(784_111_777_000)
"""Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110 5.6.7."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", 120_000),
        (" 0 ", 0),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60_000),
        ("Sunday, 06-Nov-94 08:49:47 GMT", 10_000),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("", None),
        ("1.5", None),
    ],
)
def test_retry_after_in_seconds_and_as_a_date(value: str, expected: int | None) -> None:
    response = Response(
        url=Url("http://a.test/"), status=503, headers=(("Retry-After", value),), body=b"", fetched_at=NOW
    )
    assert retry_after(response, NOW) == expected


def test_no_retry_after() -> None:
    response = Response(url=Url("http://a.test/"), status=503, headers=(), body=b"", fetched_at=NOW)
    assert retry_after(response, NOW) is None


def test_a_rest_of_an_earlier_run_is_kept_and_one_that_is_over_closes_nothing() -> None:
    scene = Scene(delay=1000)
    scene.spacing.rest("a.test", Millis(400))
    scene.spacing.rest("a.test", Millis(300))
    scene.spacing.rest("b.test", Millis(0))
    assert scene.spacing.wait("a.test") == 400
    assert scene.spacing.wait("b.test") == 0
