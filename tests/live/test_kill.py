"""Kill -9 at any moment: nothing committed is lost or fetched again, and the archive can be read."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.live.killing import Ordeal, WatchedServer, uninterrupted, watched_server

KILLS = 50
TESTS = 2


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
