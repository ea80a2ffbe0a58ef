"""Answers that take long: made when something changed, and not all the time."""

from __future__ import annotations

from threading import Event

import pytest

from lycosa.console.costly import KEPT, SHARE, Costly


class Clock:
    """Tells a time that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Work:
    """Takes two seconds, and counts."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.times = clock, 0

    def __call__(self) -> int:
        self.clock.now += 2.0
        self.times += 1
        return self.times


def test_nothing_is_made_again_that_has_not_changed() -> None:
    clock = Clock()
    costly, work = Costly[int](clock), Work(clock)
    assert costly.of("a", 1, work) == 1
    clock.now += 1_000
    assert costly.of("a", 1, work) == 1


def test_what_changes_all_the_time_takes_a_tenth_of_the_time() -> None:
    clock = Clock()
    costly, work = Costly[int](clock), Work(clock)
    for version in range(200):
        costly.of("a", version, work)
        clock.now += 1.0
    assert work.times * 2.0 <= clock.now / SHARE + 2.0
    assert work.times > 1


def test_the_last_that_were_asked_for_are_kept() -> None:
    clock = Clock()
    costly, work = Costly[int](clock), Work(clock)
    for key in range(KEPT + 1):
        costly.of(key, 1, work)
    assert costly.of(KEPT, 1, work) == KEPT + 1
    assert costly.of(0, 1, work) == KEPT + 2, "it had gone"


def test_who_is_in_a_hurry_gets_what_there_was_and_the_rest_later() -> None:
    costly, may_end = Costly[str](), Event()

    def slow() -> str:
        may_end.wait(10)
        return "made"

    assert costly.soon("a", 1, slow, 0.0) is None
    assert costly.soon("a", 1, slow, 0.0) is None, "it is still being made, once"
    may_end.set()
    assert costly.soon("a", 1, slow, 10.0) == "made"


def test_who_asks_again_is_told_what_went_wrong() -> None:
    costly = Costly[str]()

    def broken() -> str:
        raise ZeroDivisionError("by nought")

    assert costly.soon("a", 1, broken, 10.0) is None
    with pytest.raises(ZeroDivisionError):
        costly.soon("a", 1, broken, 10.0)
    assert costly.soon("a", 1, lambda: "made", 10.0) == "made"
