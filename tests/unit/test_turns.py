"""Whose turn it is, at a size where heaps fill with what is out of date."""

from __future__ import annotations

import random

from lycosa.frontier.protocol import Key, Rest
from lycosa.frontier.turns import SWEEP_BEYOND, Turns
from lycosa.model.records import Millis
from lycosa.model.url import Host

HOSTS = [Host(f"h{n}.test") for n in range(9)]


def rest_of(host_until: int, address: str, address_until: int) -> Rest:
    return Rest(host_until=Millis(host_until), address=address, address_until=Millis(address_until))


def test_heads_out_of_date_do_not_pile_up() -> None:
    """One host whose head improves ten thousand times holds one valid entry and a few old ones."""
    heads: dict[Host, Key] = {}
    turns = Turns(heads.get, lambda host, key, most: (0, None))
    for n in range(10_000):
        heads[HOSTS[0]] = (0, -float(n), n)
        turns.offer(HOSTS[0])
    assert len(turns._heads) <= 2 + SWEEP_BEYOND
    assert turns.best(Millis(1)) == HOSTS[0]


def test_the_best_open_host_comes_first_and_all_better_ones_are_counted_however_often_heads_improve() -> None:
    """Against a plain minimum: many improvements for each visit, so that heaps are swept while addresses rest."""
    rng = random.Random(5)
    heads: dict[Host, Key] = {}

    def before(host: Host, key: Key, most: int) -> tuple[int, Key | None]:
        head = heads.get(host)
        return (1, head) if head is not None and head < key else (0, None)

    turns = Turns(heads.get, before)
    address = {host: f"10.0.0.{n % 3}" for n, host in enumerate(HOSTS)}
    known: set[Host] = set()
    until: dict[str, int] = {}
    order = 0
    for now in range(1, 1_500):
        for host in rng.choices(HOSTS, k=40):
            order += 1
            key = (0, -rng.random(), order)
            if host not in heads or key < heads[host]:
                heads[host] = key
                turns.offer(host)
        may = [h for h in heads if until.get(h, 0) <= now]
        may = [h for h in may if h not in known or until.get(address[h], 0) <= now]
        best = turns.best(Millis(now))
        assert best == min(may, key=lambda h: heads[h], default=None)
        if best is not None:
            better = {host for host in heads if heads[host] < heads[best]}
            first = min(better, key=lambda h: heads[h], default="")
            assert turns.better(heads[best], len(HOSTS)) == (len(better), first)
        if best is not None:
            turns.lease(best)
            del heads[best]
            known.add(best)
            until[best] = now + rng.randrange(1, 6)
            until[address[best]] = max(until.get(address[best], 0), now + rng.randrange(1, 3))
            turns.settle(best, rest_of(until[best], address[best], until[address[best]]))
    assert len(turns._shut) <= 2 * len(HOSTS) + SWEEP_BEYOND
    assert len(turns._heads) + sum(map(len, turns._parked.values())) <= 4 * (2 * len(HOSTS) + SWEEP_BEYOND)
