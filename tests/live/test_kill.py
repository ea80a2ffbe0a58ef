"""Kill -9 at any moment: nothing committed is lost or fetched again, and the archive can be read."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from tests.live.killing import (
    Ordeal,
    RefreshOrdeal,
    WatchedServer,
    check_whole,
    refresh,
    uninterrupted,
    watched_server,
)
from tests.trials import trials

KILLS = trials(32)
TESTS = 2
REFRESH_KILLS = trials(8)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WatchedServer]:
    with watched_server(tmp_path_factory.mktemp("web") / "requests.log") as served:
        yield served


@pytest.fixture(scope="module")
def whole(server: WatchedServer, tmp_path_factory: pytest.TempPathFactory) -> tuple[set[str], float]:
    """The pages and the length in seconds of a crawl that nobody kills."""
    return uninterrupted(tmp_path_factory.mktemp("whole") / "crawl", server)


@pytest.mark.parametrize("seed", range(TESTS))
def test_killed_at_random_moments_a_crawl_loses_nothing_and_asks_for_nothing_twice(
    seed: int, server: WatchedServer, whole: tuple[set[str], float], tmp_path: Path
) -> None:
    expected, length = whole
    rng, kills, number, said = random.Random(seed), 0, 0, ""
    while kills < KILLS // TESTS:
        number += 1
        ordeal = Ordeal(tmp_path / str(number), server, rng, length)
        if ordeal.run(KILLS // TESTS - kills, to_the_end=number == 1):
            ordeal.check_end()
            found = {row["final_url"] or row["url"] for row in ordeal.steps.values() if row["kind"] == "page"}
            assert found == expected
            assert len(found) >= 295
        kills += len(ordeal.kills)
        said += " ".join(note for kill in ordeal.kills for note in kill.notes)
        assert not ordeal.again
    assert "steps were replayed from the journal" in said
    assert "the last record was torn" in said


def test_killed_at_random_moments_a_refresh_loses_no_page_and_visits_none_twice(tmp_path: Path) -> None:
    rng, kills, said = random.Random(12), 0, ""
    with watched_server(tmp_path / "requests.log") as server:
        expected, _ = uninterrupted(tmp_path / "crawl", server)
        server.change()
        shutil.copytree(tmp_path / "crawl", tmp_path / "whole")
        _, length = uninterrupted(tmp_path / "whole", server, refresh)
        for trial in count():
            if kills >= REFRESH_KILLS:
                break
            folder = tmp_path / str(trial)
            shutil.copytree(tmp_path / "crawl", folder)
            ordeal = RefreshOrdeal(folder, server, rng, length)
            assert ordeal.run(REFRESH_KILLS - kills, to_the_end=True)
            ordeal.check_end()
            assert {*ordeal.looks().values()} == {1}
            assert len(ordeal.looks()) == len(expected) >= 295
            changed = sum(row["due"] is not None and row["kind"] == "page" for row in ordeal.steps.values())
            assert 80 <= changed <= 120, "each third page was another one"
            assert check_whole(folder)["revisit"] >= len(expected) - changed
            assert not ordeal.again
            kills += len(ordeal.kills)
            said += " ".join(note for kill in ordeal.kills for note in kill.notes)
    assert "steps were replayed from the journal" in said
