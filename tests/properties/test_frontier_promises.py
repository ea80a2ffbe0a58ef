"""Each promise of a frontier, held against what a random history of one shows."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest
from tests.histories import random_command, random_rest, random_terms

from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.naive import NaiveFrontier
from lycosa.frontier.protocol import Frontier, Key, Rest
from lycosa.model.commands import Command, Enqueue, Grant
from lycosa.model.records import HeldBack, Millis, Request, UrlState
from lycosa.model.url import Host, Url, host_of

URLS = [Url(f"http://h{h}.test/{i}") for h in range(4) for i in range(6)]
CAPACITY = 7
HISTORIES = [f"history {n}" for n in range(12)]
DONE = (UrlState.VISITED, UrlState.FAILED)


class Seen(NamedTuple):
    """A frontier before or after one act of its history."""

    states: dict[Url, UrlState]
    keys: dict[Url, Key]
    quota: int | None
    due: dict[Url, Millis | None]


class Act(NamedTuple):
    """What was done, at what time, and how the frontier looked before and after."""

    did: Command | Request | None
    now: int
    before: Seen
    after: Seen
    terms: Mapping[str, Any] = MappingProxyType({})
    """Of a lease: how far was counted, and whether it might go beyond."""
    answer: Request | HeldBack | None = None


class History:
    """One random history, told act by act; keeps its own account of who must rest, and until when."""

    def __init__(self, frontier: Frontier, seed: str) -> None:
        self.frontier, self.rng = frontier, random.Random(seed)
        self.now = 0
        self.hosts: dict[Host, int] = {}
        self.addresses: dict[str, int] = {}
        self.address_of: dict[Host, str] = {}
        self.in_trouble: dict[Host, bool] = {}

    def may_be_visited(self, host: Host) -> bool:
        """Whether no lease and no rest of the host or of its address, as far as it is known, forbids it."""
        at = self.address_of.get(host, "")
        out = {host_of(url) for url in self.frontier.leased}
        in_use = {self.address_of.get(other, "") for other in out}
        rests = max(self.hosts.get(host, 0), self.addresses.get(at, 0) if at else 0)
        return host not in out and not (at and at in in_use) and rests <= self.now

    def acts(self, steps: int = 120) -> Iterator[Act]:
        for _ in range(steps):
            before = self._sight()
            match self.rng.choice(["apply", "apply", "lease", "lease", "settle", "settle", "time"]):
                case "apply":
                    did: Command | Request | None = random_command(self.rng, URLS)
                    self.frontier.apply([did])
                case "lease":
                    terms = random_terms(self.rng)
                    leased = self.frontier.lease(Millis(self.now), **terms)
                    did = leased if isinstance(leased, Request) else None
                    yield Act(did, self.now, before, self._sight(), terms, leased)
                    continue
                case "settle":
                    did = None
                    self._settle()
                case _:
                    did = None
                    self.now += self.rng.randrange(4)
            yield Act(did, self.now, before, self._sight())

    def _settle(self) -> None:
        if not self.frontier.leased:
            return
        request = self.rng.choice(list(self.frontier.leased.values()))
        rest, host = random_rest(self.rng, self.now), host_of(request.url)
        self.frontier.settle(request, self.rng.choice(DONE), rest)
        self.hosts[host] = rest.host_until
        if rest.in_trouble is not None:
            self.in_trouble[host] = rest.in_trouble
        for address in {self.address_of.get(host, ""), rest.address} - {""}:
            self.addresses[address] = max(self.addresses.get(address, 0), rest.address_until)
        if rest.address:
            self.address_of[host] = rest.address

    def _sight(self) -> Seen:
        states = {url: self.frontier.state(url) for url in URLS}
        due = {url: self.frontier.due(url) for url in URLS}
        return Seen(states, self.frontier.keys(), self.frontier.quota, due)


@pytest.fixture(params=HISTORIES)
def seed(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[MemoryFrontier, NaiveFrontier], ids=["memory", "naive"])
def history(request: pytest.FixtureRequest, seed: str) -> History:
    return History(request.param(capacity=CAPACITY), seed)


def leases(history: History) -> Iterator[tuple[Act, Request]]:
    """Acts that leased a request; the history stands right after each."""
    for act in history.acts():
        if isinstance(act.did, Request):
            yield act, act.did


def test_one_state(history: History) -> None:
    for act in history.acts():
        states = act.after.states
        assert {url for url in URLS if states[url] is UrlState.PENDING} == set(act.after.keys)
        assert {url for url in URLS if states[url] is UrlState.LEASED} == set(history.frontier.leased)


def test_one_lease_a_host(history: History) -> None:
    for act in history.acts():
        out = [host_of(url) for url in history.frontier.leased]
        assert len(out) == len(set(out))
        if isinstance(act.did, Request):
            assert history.hosts.get(host_of(act.did.url), 0) <= act.now


def test_one_lease_an_address(history: History) -> None:
    for act, request in leases(history):
        address = history.address_of.get(host_of(request.url))
        others = [
            history.address_of.get(host_of(url)) for url in history.frontier.leased if url != request.url
        ]
        assert address is None or address not in others
        assert address is None or history.addresses[address] <= act.now


def test_best_first(history: History) -> None:
    for act, request in leases(history):
        if request.due is not None:
            continue
        best = act.before.keys[request.url]
        better = {host_of(url) for url, key in act.before.keys.items() if key < best}
        assert not any(history.may_be_visited(host) for host in better)


def test_in_turn(history: History) -> None:
    for act in history.acts():
        if act.answer is None or act.terms["within"] is None or act.terms["lane"] == "again":
            continue
        keys, within = act.before.keys, act.terms["within"]
        linked = {
            url: key
            for url, key in keys.items()
            if history.frontier.depth(url) and not history.in_trouble.get(host_of(url))
        }
        better = [key for key in linked.values() if key < keys[act.answer.url]]
        start_page = history.frontier.depth(act.answer.url) == 0
        if isinstance(act.answer, Request):
            assert act.answer.rank == min(within, len(better))
            assert act.terms["beyond"] or start_page or len(better) < within
        else:
            assert not act.terms["beyond"]
            assert not start_page
            assert len(better) >= within
            assert act.answer.better == within
            assert act.answer.host == min((key, host_of(url)) for url, key in linked.items())[1]


def test_forward_only(history: History) -> None:
    for act in history.acts():
        if isinstance(act.did, Enqueue) and (old := act.before.keys.get(act.did.url)):
            assert act.after.keys[act.did.url] <= old


def test_once(history: History) -> None:
    for act in history.acts():
        for url in act.after.keys:
            if act.before.states[url] in DONE:
                assert isinstance(act.did, Enqueue)
                assert act.did.refetch
                assert act.did.not_before is None
                assert act.did.url == url


def test_never_before_its_time(history: History) -> None:
    for act, request in leases(history):
        due = act.before.due[request.url]
        assert (act.terms["lane"] == "again") is (request.due is not None)
        assert request.due == due
        assert due is None or due <= act.now
    for url in URLS:
        assert history.frontier.due(url) is None or history.frontier.state(url) in DONE


def test_dropped_not_forgotten(history: History) -> None:
    for act in history.acts():
        before, after = act.before, act.after
        for url in URLS:
            if before.due[url] is not None and after.due[url] is None and after.states[url] in DONE:
                assert after.states[url] is before.states[url]
            if before.states[url] in DONE:
                assert after.states[url] is not UrlState.UNSEEN


def test_a_url_that_was_to_be_fetched_again_is_what_it_was_when_it_is_dropped() -> None:
    url, later = Url("http://h0.test/"), Url("http://h1.test/")
    for kind in (MemoryFrontier, NaiveFrontier):
        frontier: Frontier = kind(capacity=1)
        frontier.apply([Enqueue(url=url)])
        request = frontier.lease(Millis(0))
        assert isinstance(request, Request)
        frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(0)))
        frontier.apply([Enqueue(url=url, refetch=True)])
        assert frontier.state(url) is UrlState.PENDING
        assert frontier.apply([Enqueue(url=later, score=1.0)]) == 1
        assert frontier.state(url) is UrlState.VISITED


def test_bounded(history: History) -> None:
    for act in history.acts():
        assert len(act.after.keys) <= CAPACITY
        gone = set(act.before.keys) - set(act.after.keys)
        if isinstance(act.did, Enqueue) and gone:
            assert all(act.after.states[url] in (UrlState.UNSEEN, *DONE) for url in gone)
            assert max(act.after.keys.values()) <= min(act.before.keys[url] for url in gone)


def test_quota(history: History) -> None:
    granted, leased = 0, 0
    for act in history.acts():
        if isinstance(act.did, Grant):
            granted += act.did.n
        if isinstance(act.did, Request) and granted and act.did.due is None:
            leased += 1
        assert not granted or leased <= granted
