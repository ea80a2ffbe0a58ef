"""The memory frontier and its naive twin give the same answers to any history."""

from __future__ import annotations

import random

import pytest
from tests.histories import look, random_command, random_rest, random_terms, random_way
from tests.trials import trials

from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.naive import NaiveFrontier
from lycosa.frontier.protocol import Frontier, Tie
from lycosa.model.commands import Enqueue
from lycosa.model.records import HeldBack, Millis, Request, UrlState
from lycosa.model.url import Url, host_of

URLS = [Url(f"http://h{h}.test/{i}") for h in range(4) for i in range(6)]


def live(frontiers: list[Frontier], rng: random.Random, steps: int) -> None:
    """One random history for all of them; every answer must be the same."""
    now, out = 0, dict[Url, Request]()
    for _ in range(steps):
        kinds = {
            "apply": 4,
            "lease": 6,
            "claim": 1,
            "settle": 4,
            "retry": 1,
            "defer": 2,
            "lost": 0.3,
            "hand over": 1,
            "time": 3,
        }
        match rng.choices(list(kinds), list(kinds.values()))[0]:
            case "apply":
                commands = [random_command(rng, URLS) for _ in range(rng.choice([1, 3, 5, 40]))]
                assert len({f.apply(commands) for f in frontiers}) == 1
            case "lease":
                terms = random_terms(rng)
                first, *others = [f.lease(Millis(now), **terms) for f in frontiers]
                assert all(other == first for other in others)
                if isinstance(first, Request):
                    assert all(host_of(other.at) != host_of(first.at) for other in out.values())
                    out[first.url] = first
            case "claim" if not out and len(frontiers[0]) and frontiers[0].quota != 0:
                url = rng.choice(sorted(frontiers[0].keys()))  # its host may rest
                out[url], *others = [f.claim(url) for f in frontiers]
                assert all(other == out[url] for other in others)
            case "settle" if out:
                request = out.pop(rng.choice(sorted(out)))
                state, rest = rng.choice([UrlState.VISITED, UrlState.FAILED]), random_rest(rng, now)
                also = rng.sample(URLS, rng.choice([0, 0, 2]))
                for f in frontiers:
                    f.settle(request, state, rest, also)
            case "retry" if out:
                request, rest = out.pop(rng.choice(sorted(out))), random_rest(rng, now)
                for f in frontiers:
                    f.put_back(request, rest)
            case "defer" if out:
                url, rest = rng.choice(sorted(out)), random_rest(rng, now)
                way = random_way(rng, out.pop(url), URLS)
                for f in frontiers:
                    f.defer(url, way, rest)
            case "hand over":
                url, state = rng.choice(URLS), rng.choice([UrlState.ELSEWHERE, UrlState.VISITED])
                for f in frontiers:
                    f.hand_over(url, state, 3)
            case "lost":
                out.clear()
                for f in frontiers:
                    f.give_back()
            case _:
                now += rng.randrange(4)
        first_look, *other_looks = [look(f, URLS, Millis(now)) for f in frontiers]
        assert all(other == first_look for other in other_looks)


@pytest.mark.parametrize("tie", ["fifo", "lifo", "random"])
@pytest.mark.parametrize("capacity", [None, 7])
def test_memory_and_naive_frontier_agree(tie: Tie, capacity: int | None) -> None:
    for trial in range(trials(20)):
        rng = random.Random(f"{tie}/{capacity}/{trial}")
        live(
            [
                MemoryFrontier(capacity=capacity, tie=tie, seed=3),
                NaiveFrontier(capacity=capacity, tie=tie, seed=3),
            ],
            rng,
            80,
        )


def test_memory_and_naive_frontier_agree_where_few_places_of_a_host_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in ("turns", "naive"):
        monkeypatch.setattr(f"lycosa.frontier.{module}.LOOKED_AT", 2)
    for trial in range(trials(20)):
        live([MemoryFrontier(), NaiveFrontier()], random.Random(f"few/{trial}"), 80)


@pytest.mark.parametrize("within", [None, 1, 3])
def test_a_frontier_with_pending_urls_and_no_leases_wakes(within: int | None) -> None:
    """Nothing may wait for ever: with nothing out, either a lease is possible or a host reopens later."""
    for trial in range(trials(100)):
        rng, now = random.Random(trial), 0
        frontier = MemoryFrontier()
        frontier.apply(Enqueue(url=url) for url in URLS)
        while len(frontier):
            requests = []
            while request := frontier.lease(Millis(now), within, beyond=False):
                if isinstance(request, HeldBack):
                    break
                requests.append(request)
            for request in requests:
                frontier.settle(request, UrlState.VISITED, random_rest(rng, now))
            if not requests:
                wakes = frontier.wakes_at()
                assert wakes is not None
                assert wakes > now
                now = wakes
