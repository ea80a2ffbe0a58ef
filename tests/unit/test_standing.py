"""How a crawl stands, for those that ask often."""

from __future__ import annotations

from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawls.interface import Folder
from lycosa.watch.standing import SHARE, Standing


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


class Slow:
    """A folder of which the status takes some time, and tells how often it was counted."""

    def __init__(self, clock: Clock, takes: float, process: int | None) -> None:
        self._clock, self._takes, self.process = clock, takes, process
        self.counted, self.spent = 0, 0.0

    def status(self) -> int:
        self._clock.now += self._takes
        self.counted += 1
        self.spent += self._takes
        return self.counted


def asked(standing: Standing, folder: Slow, token: str) -> None:
    standing.counted(cast("Folder", folder), token)


def test_nothing_twice_is_counted() -> None:
    clock = Clock()
    folder, standing = Slow(clock, 0.0, None), Standing(clock)
    for token in ("1", "1", "2", "2", "2"):
        clock.now += 10
        asked(standing, folder, token)
    assert folder.counted == 2


@given(st.lists(st.floats(0.001, 5.0), min_size=30, max_size=200), st.floats(0.01, 2.0))
def test_a_share_of_the_time_at_most_is_spent_on_one_that_runs(waits: list[float], takes: float) -> None:
    clock = Clock()
    folder, standing = Slow(clock, takes, 1), Standing(clock)
    asked(standing, folder, "0")
    began, spent = clock.now, folder.spent
    for number, wait in enumerate(waits):
        clock.now += wait
        asked(standing, folder, str(number + 1))
    passed = clock.now - began
    # Between two counts as many times as long as one takes go by; the last one may have just been made.
    assert folder.spent - spent <= passed / (SHARE + 1) + takes
