"""A host that is blocked is left alone, in any crawl and at any time, and what waited of it is not lost."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from tests.properties.test_crawl_properties import RULES, URLS, Erratic, answer
from tests.worlds import journal, looks, make_crawl, u

from lycosa.crawl.blockade import Blockade
from lycosa.crawl.crawl import Crawl
from lycosa.frontier.memory import MemoryFrontier
from lycosa.model.commands import Enqueue, Forget, Reprioritize
from lycosa.model.events import Blocked
from lycosa.model.records import Deferred, Link, Millis, Page, Visit
from lycosa.model.url import Host, host_of

HOSTS = sorted({host_of(url) for url in URLS})
TRIALS = range(80)


def blocked_now_and_then(trial: int, *, steps: int = 10**6) -> tuple[Crawl, int]:
    """A crawl in which hosts are blocked and let in at any time; visits that are out are deferred now and then. Returns
    it, and how many leases there were while a host was blocked."""
    rng = random.Random(f"blocked {trial}")
    crawl = make_crawl(Erratic(), rules=RULES, seed=trial, budget=rng.randrange(1, 60))
    now, checked, out = 0, 0, list[Visit]()
    crawl.start(rng.sample(URLS, 3), Millis(now))
    while not crawl.finished and crawl.step < steps:
        if rng.random() < 0.2:
            said = Blocked(hosts=tuple(rng.sample(HOSTS, 2)), off=rng.random() < 0.6, by="somebody")
            crawl.hear(said, Millis(now))
        blocked = set(crawl.gate.blockade.hosts)
        while len(out) < 4 and (request := crawl.lease(Millis(now))):
            assert host_of(request.at) not in blocked
            checked += bool(blocked)
            out.append(answer(request, rng, crawl))
        assert not any(host_of(request.at) in blocked for request in crawl.frontier.pending())
        wakes = crawl.wakes_at() if len(out) < 4 else None
        if out and (wakes is None or rng.random() < 0.6):
            visit = out.pop(rng.randrange(len(out)))
            if rng.random() < 0.2:
                way = (rng.choice(URLS),) if rng.random() < 0.5 else ()
                crawl.defer(Deferred(url=visit.url, way=way), Millis(now))
            else:
                crawl.commit(visit, Millis(now))
        elif wakes is not None:
            assert wakes > now, "a driver would spin"
            now = wakes
        else:
            assert crawl.finished, "nothing to do, nothing to wait for, and not finished"
    return crawl, checked


def test_nothing_of_a_blocked_host_is_leased() -> None:
    """Neither when it is asked for, nor later: that is asserted at every lease."""
    assert sum(blocked_now_and_then(trial)[1] for trial in TRIALS) > 100


def test_the_replay_of_a_crawl_with_blocked_hosts_equals_its_run() -> None:
    for trial in TRIALS:
        run, _ = blocked_now_and_then(trial, steps=10**6 if trial % 2 else 25)
        again = make_crawl(Erratic(), rules=RULES, seed=trial, budget=run.budget)
        again.replay(journal(run))
        apart = {} if run.finished else {"leased": None, "keys": None, "quota": None}
        assert looks(again) | apart == looks(run) | apart


def places(frontier: MemoryFrontier) -> dict[str, Any]:
    return {each.url: (each.tier, each.score, each.depth, each.via) for each in frontier.pending()}


def asked(rng: random.Random) -> Iterable[Enqueue | Reprioritize | Forget]:
    """What a strategy may say of links that it found, each link with words of its own."""
    for _ in range(rng.randrange(30)):
        url, score, tier = rng.choice(URLS), rng.random(), rng.randrange(2)
        via = Link(source=u("start"), target=url, anchor=f"{score}")
        yield rng.choice(
            [
                Enqueue(url=url, score=score, tier=tier, via=via, depth=1),
                Reprioritize(url=url, score=score, tier=tier),
                Forget(url=url),
            ]
        )


def test_what_waited_comes_back() -> None:
    moved = 0
    for trial in TRIALS:
        rng = random.Random(trial)
        before, meanwhile = list(asked(rng)), list(asked(rng))
        hosts = [Host(host) for host in rng.sample(HOSTS, 2)]
        plain, frontier, blockade = MemoryFrontier(), MemoryFrontier(), Blockade()
        for each in (plain, frontier):
            each.apply(before)
        blockade.block(hosts, "somebody", frontier)
        plain.apply(meanwhile)
        frontier.apply(blockade.pass_on(meanwhile, lambda command: command.depth or 0))
        moved += sum(blockade.aside(host) for host in hosts)
        kept = Blockade()
        kept.load(blockade.save())
        frontier.apply(kept.let_in(hosts))
        assert places(frontier) == places(plain)
    assert moved > 100


def test_of_pages_that_came_nothing_is_lost() -> None:
    """Blocking is no judgement of pages that are there."""
    crawl, _ = blocked_now_and_then(3)
    pages = [entry.event.url for entry in journal(crawl) if isinstance(entry.event, Page)]
    assert crawl.pages == len(set(pages))
