"""Real time as crawls have it, when the system's clock jumps."""

from __future__ import annotations

import pytest

from lycosa.drive import clock
from lycosa.drive.clock import WallClock
from lycosa.model.records import Millis


class System:
    """The two clocks of a machine, in seconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told, self.passed = 1_000_000.0, 50.0
        monkeypatch.setattr(clock.time, "time", lambda: self.told)
        monkeypatch.setattr(clock.time, "monotonic", lambda: self.passed)

    def wait(self, seconds: float) -> None:
        self.told += seconds
        self.passed += seconds


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch) -> System:
    return System(monkeypatch)


def test_it_follows_the_system_forward_as_after_a_sleep(system: System) -> None:
    wall = WallClock()
    system.wait(5)
    assert wall.now() == 1_000_005_000
    system.told += 28_800  # the machine slept: its monotonic clock stood still
    assert wall.now() == 1_028_805_000
    system.wait(1)
    assert wall.now() == 1_028_806_000


def test_it_goes_on_where_the_system_is_set_back(system: System) -> None:
    wall = WallClock()
    system.told -= 3_600
    assert wall.now() == 1_000_000_000
    system.wait(2)
    assert wall.now() == 1_000_002_000, "time passes all the same"
    system.wait(3_600)
    assert wall.now() == 1_003_602_000


def test_a_later_run_begins_no_earlier_than_the_last_one_ended(system: System) -> None:
    wall = WallClock()
    wall.pass_to(Millis(900_000_000))
    assert wall.now() == 1_000_000_000
    wall.pass_to(Millis(1_000_060_000))
    assert wall.now() == 1_000_060_000
    system.wait(1)
    assert wall.now() == 1_000_061_000
