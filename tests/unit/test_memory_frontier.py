"""What the frontier in memory holds on to."""

from __future__ import annotations

from lycosa.frontier.memory import SWEEP_BEYOND, MemoryFrontier
from lycosa.frontier.protocol import Rest
from lycosa.model.commands import Enqueue
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
