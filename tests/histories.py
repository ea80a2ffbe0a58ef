"""Random histories of a frontier, and all that can be seen of it: what implementations are compared by."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from lycosa.frontier.protocol import Frontier, Rest
from lycosa.model.commands import Command, Enqueue, Forget, Grant, Reprioritize
from lycosa.model.records import Link, Millis, Request
from lycosa.model.url import Url, host_of


def random_command(rng: random.Random, urls: Sequence[Url]) -> Command:
    """Anything that a strategy may ask for, about some of these URLs."""
    url, score, tier = rng.choice(urls), float(rng.randrange(-3, 4)) / 3, rng.randrange(-1, 2)
    via = Link(source=rng.choice(urls), target=url, anchor="a", nofollow=True) if rng.random() < 0.5 else None
    kinds = {"enqueue": 14, "again": 1, "later": 4, "place": 4, "forget": 1, "grant": 0.5}
    kind = rng.choices(list(kinds), list(kinds.values()))[0]
    match kind:
        case "enqueue":
            depth = rng.randrange(5) if rng.random() < 0.1 else None
            return Enqueue(url=url, score=score, tier=tier, via=via, depth=depth)
        case "again":
            return Enqueue(url=url, score=score, tier=tier, refetch=True)
        case "later":
            due = Millis(rng.randrange(80))
            return Enqueue(url=url, score=score, tier=tier, refetch=rng.random() < 0.9, not_before=due)
        case "place":
            return Reprioritize(url=url, score=score, tier=tier)
        case "forget":
            return Forget(url=url)
        case _:
            return Grant(n=rng.randrange(5, 20))


def random_rest(rng: random.Random, now: int) -> Rest:
    """A rest of a few milliseconds, with or without one of two addresses."""
    return Rest(
        host_until=Millis(now + rng.randrange(5)),
        address=rng.choice(["", "10.0.0.1", "10.0.0.2"]),
        address_until=Millis(now + rng.randrange(3)),
        in_trouble=rng.choice([None, None, False, True]),
    )


def random_way(rng: random.Random, request: Request, urls: Sequence[Url]) -> tuple[Url, ...]:
    """Where a redirect leads a visit that has to wait, if there was one."""
    return (*request.way, rng.choice(urls)) if rng.random() < 0.7 else request.way


def random_terms(rng: random.Random) -> dict[str, Any]:
    """How far better links are counted before a lease, and whether it may be out of turn."""
    within = rng.choice([None, None, 1, 2, 5, 100])
    beyond = within is None or rng.random() < 0.5
    return {"within": within, "beyond": beyond, "lane": rng.choice(["new", "new", "again"])}


def look(frontier: Frontier, urls: Sequence[Url], now: Millis) -> dict[str, Any]:
    """All that can be asked of a frontier."""
    return {
        "keys": frontier.keys(),
        "states": {url: frontier.state(url) for url in urls},
        "of all": frontier.states(urls),
        "depths": {url: frontier.depth(url) for url in urls},
        "leased": list(frontier.leased.items()),
        "quota": frontier.quota,
        "waiting": [frontier.waiting(url) for url in urls],
        "pending": sorted(frontier.pending(), key=lambda r: r.order),
        "pending of a host": [
            sorted(frontier.pending(host), key=lambda r: r.order)
            for host in dict.fromkeys(map(host_of, urls))
        ],
        "known": sorted(frontier.known()),
        "known of a host": [sorted(frontier.known(host)) for host in dict.fromkeys(map(host_of, urls))],
        "due": [frontier.due(url) for url in urls],
        "revisits": frontier.revisits,
        "open": [frontier.is_open(host, now) for host in dict.fromkeys(map(host_of, urls))],
        "len": len(frontier),
    }
