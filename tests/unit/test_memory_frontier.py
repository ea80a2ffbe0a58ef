"""What the frontier in memory holds on to."""

from __future__ import annotations

import random

import pytest

from lycosa.frontier.lane import REBUILD_BEYOND
from lycosa.frontier.memory import SWEEP_BEYOND, MemoryFrontier
from lycosa.frontier.protocol import Rest
from lycosa.frontier.turns import SWEEP_BEYOND as TURNS_SWEEP_BEYOND
from lycosa.model.commands import Enqueue, Reprioritize
from lycosa.model.records import Millis, UrlState
from lycosa.model.url import Url


def test_a_bounded_frontier_does_not_grow_with_what_was_leased() -> None:
    """Each new URL is the best and leased at once; the four worst stay. Never more than twice that is kept of keys."""
    frontier = MemoryFrontier(capacity=5)
    for n in range(4_000):
        trimmed = frontier.apply([Enqueue(url=Url(f"http://a.test/{n}"), score=float(n))])
        assert trimmed == (1 if n in (5, 6) else 0)
        if n >= 6:
            request = frontier.lease(Millis(n))
            assert request is not None
            assert request.url == f"http://a.test/{n}"
            frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(n + 1)))
    assert len(frontier) == 4
    assert len(frontier._worst) <= 2 * 5 + SWEEP_BEYOND


@pytest.mark.parametrize("hosts", [1, 10])
@pytest.mark.parametrize("capacity", [None, 100])
def test_a_frontier_does_not_grow_with_priorities_that_change(hosts: int, capacity: int | None) -> None:
    """100 URLs, 100,000 changes to and fro among a few scores: entries stay linear in the URLs, not the changes."""
    rng = random.Random(3)
    urls = [Url(f"http://h{n % hosts}.test/{n}") for n in range(100)]
    frontier = MemoryFrontier(capacity=capacity)
    frontier.apply(Enqueue(url=url) for url in urls)
    scores = dict.fromkeys(urls, 0.0)
    most = {"queues": 0, "worst": 0, "heads": 0}
    for _ in range(1_000):
        changes = [Reprioritize(url=rng.choice(urls), score=float(rng.randrange(9))) for _ in range(100)]
        scores.update({change.url: change.score for change in changes})
        frontier.apply(changes)
        held = {
            "queues": sum(map(len, frontier._new._queues.values())),
            "worst": len(frontier._worst),
            "heads": len(frontier._new.turns._heads),
        }
        most = {name: max(most[name], held[name]) for name in most}
    assert most["queues"] <= 2 * 100 + hosts * REBUILD_BEYOND
    assert most["worst"] <= (2 * 100 + SWEEP_BEYOND + 100 if capacity else 0)
    assert most["heads"] <= 2 * hosts + TURNS_SWEEP_BEYOND
    assert {url: -key[1] for url, key in frontier.keys().items()} == scores
    request = frontier.lease(Millis(1))
    assert request is not None
    assert request.score == max(scores.values())
