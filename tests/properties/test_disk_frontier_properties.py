"""The frontier on disk gives the answers of its twins to any history, whenever it is checkpointed and reopened."""

from __future__ import annotations

import random
import struct
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.histories import look, random_command, random_rest, random_terms, random_way
from tests.trials import trials
from tests.worlds import u

from lycosa.frontier.memory import MemoryFrontier
from lycosa.frontier.naive import NaiveFrontier
from lycosa.frontier.protocol import Frontier, Rest, Tie
from lycosa.model.commands import Enqueue, Forget, Grant, Reprioritize
from lycosa.model.events import Snapshot
from lycosa.model.records import Millis, Request, UrlState
from lycosa.model.url import Url
from lycosa.store.disk_frontier import DiskFrontier
from lycosa.store.frontier_rows import RANK, key_of, moved, rank, sort_key

URLS = [Url(f"http://h{h}.test/{i}") for h in range(4) for i in range(14)]


class Life:
    """One random history for several frontiers at once; every answer must be the same."""

    def __init__(self, name: str, path: Path, others: Iterable[Frontier], **settings: Any) -> None:
        self.rng = random.Random(name)
        self.path, self.settings = path, settings
        self.disk = DiskFrontier(path, **settings)
        self.others = list(others)
        self.now = 1
        self.out: dict[Url, Request] = {}

    def each(self) -> list[Frontier]:
        return [self.disk, *self.others]

    def live(self, steps: int) -> None:
        choices = {
            "apply": 5,
            "lease": 6,
            "claim": 0.5,
            "settle": 4,
            "retry": 1,
            "defer": 1,
            "lost": 0.3,
            "hand_over": 1,
            "time": 3,
        }
        choices |= {"read_ahead": 2, "checkpoint": 1, "reopen": 0.7}
        for step in range(steps):
            kind = self.rng.choices(list(choices), list(choices.values()))[0]
            getattr(self, kind)()
            if step % 4:
                continue
            first, *rest = [look(frontier, URLS, Millis(self.now)) for frontier in self.each()]
            for other in rest:
                assert first == other

    def apply(self) -> None:
        commands = [random_command(self.rng, URLS) for _ in range(self.rng.randrange(1, 9))]
        assert len({frontier.apply(commands) for frontier in self.each()}) == 1

    def lease(self) -> None:
        terms = random_terms(self.rng)
        first, *others = [frontier.lease(Millis(self.now), **terms) for frontier in self.each()]
        assert all(other == first for other in others)
        if isinstance(first, Request):
            self.out[first.url] = first

    def hand_over(self) -> None:
        url, state = self.rng.choice(URLS), self.rng.choice([UrlState.ELSEWHERE, UrlState.VISITED])
        for frontier in self.each():
            frontier.hand_over(url, state, 3)

    def claim(self) -> None:
        """As a replay does, which claims what was leased: nothing else was out, but hosts may rest by its clock."""
        waiting = sorted(self.disk.keys())
        if waiting and not self.out and self.disk.quota != 0:
            url = self.rng.choice(waiting)
            first, *others = [frontier.claim(url) for frontier in self.each()]
            assert all(other == first for other in others)
            self.out[url] = first

    def settle(self) -> None:
        if self.out:
            request = self.out.pop(self.rng.choice(sorted(self.out)))
            state = self.rng.choice([UrlState.VISITED, UrlState.FAILED])
            rest, also = random_rest(self.rng, self.now), self.rng.sample(URLS, self.rng.choice([0, 0, 2]))
            for frontier in self.each():
                frontier.settle(request, state, rest, also)

    def retry(self) -> None:
        if self.out:
            request = self.out.pop(self.rng.choice(sorted(self.out)))
            rest = random_rest(self.rng, self.now)
            for frontier in self.each():
                frontier.put_back(request, rest)

    def defer(self) -> None:
        if self.out:
            url, rest = self.rng.choice(sorted(self.out)), random_rest(self.rng, self.now)
            way = random_way(self.rng, self.out.pop(url), URLS)
            for frontier in self.each():
                frontier.defer(url, way, rest)

    def lost(self) -> None:
        self.out.clear()
        for frontier in self.each():
            frontier.give_back()

    def time(self) -> None:
        self.now += self.rng.randrange(4)

    def read_ahead(self) -> None:
        urls = self.rng.sample(URLS, 9)
        for frontier in self.each():
            frontier.read_ahead(urls)

    def checkpoint(self) -> None:
        self.disk.checkpoint(Snapshot(step=self.now, crawl={"now": self.now}, strategy={}))

    def reopen(self) -> None:
        self.checkpoint()
        self.disk.close()
        self.disk = DiskFrontier(self.path, **self.settings)
        assert self.disk.snapshot == Snapshot(step=self.now, crawl={"now": self.now}, strategy={})


@pytest.mark.parametrize("tie", ["fifo", "lifo", "random"])
@pytest.mark.parametrize("capacity", [None, 9])
def test_disk_memory_and_naive_frontier_agree(tmp_path: Path, tie: Tie, capacity: int | None) -> None:
    for trial in range(trials(4)):
        settings: dict[str, Any] = {"capacity": capacity, "tie": tie, "seed": 3}
        others: list[Frontier] = [NaiveFrontier(**settings), MemoryFrontier(**settings)]
        life = Life(f"{tie}/{capacity}/{trial}", tmp_path / str(trial), others, **settings)
        life.live(120)
        life.disk.close()


@pytest.mark.parametrize("tie", ["fifo", "random"])
@pytest.mark.parametrize(("kept", "at_once"), [(1, 1), (2, 8), (3, 2), (100, 100)])
def test_they_agree_however_many_places_memory_holds_of_a_host(
    kept: int, at_once: int, tie: Tie, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lycosa.store.queues.KEPT", kept)
    monkeypatch.setattr("lycosa.store.queues.BATCH", at_once)
    for trial in range(trials(2)):
        life = Life(f"{kept}/{tie}/{trial}", tmp_path / str(trial), [MemoryFrontier(tie=tie)], tie=tie)
        life.live(120)
        life.disk.close()


def test_pending_comes_in_the_same_order_whenever_a_checkpoint_was_made(tmp_path: Path) -> None:
    for trial in range(5):
        often = DiskFrontier(tmp_path / f"often{trial}")
        never = DiskFrontier(tmp_path / f"never{trial}")
        rng = random.Random(trial)
        for step in range(30):
            commands = [random_command(rng, URLS) for _ in range(6)]
            for frontier in (often, never):
                frontier.apply(c for c in commands if not isinstance(c, Grant))
                if request := frontier.lease(Millis(step)):
                    frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(step)))
            often.checkpoint(Snapshot(step=step, crawl={}, strategy={}))
            assert list(often.pending()) == list(never.pending())
            assert list(often.pending(URLS[0][7:14])) == list(never.pending(URLS[0][7:14]))  # type: ignore[arg-type]
        often.close()
        never.close()


def test_without_a_checkpoint_a_reopened_frontier_is_that_of_the_last_one(tmp_path: Path) -> None:
    for trial in range(10):
        path = tmp_path / str(trial)
        life = Life(f"crash/{trial}", path, [])
        life.live(60)
        life.checkpoint()
        then = Millis(life.now)
        kept = look(life.disk, URLS, then)
        life.rng.seed(trial)
        for _ in range(30):
            getattr(life, life.rng.choice(["apply", "lease", "settle", "retry", "lost", "time"]))()
        life.disk.close()
        again = DiskFrontier(path)
        assert look(again, URLS, then) == kept
        again.close()


finite = st.floats(allow_nan=False, allow_infinity=False)
whole = st.integers(min_value=-(2**62), max_value=2**62)
keys = st.tuples(whole, finite, whole)


@given(keys, keys)
def test_bytes_sort_as_keys_do(one: tuple[int, float, int], other: tuple[int, float, int]) -> None:
    a, b = sort_key(one, 1, unique=True), sort_key(other, 1, unique=True)
    assert (a < b) == (one < other)
    assert (a == b) == (one == other)
    assert key_of(a) == one
    assert (rank(*one[:2]) < b[RANK]) == (one[:2] < other[:2])
    assert moved(a, *other[:2]) == sort_key((*other[:2], one[2]), 1, unique=True)


@given(finite, finite)
def test_bytes_sort_as_scores_do(one: float, other: float) -> None:
    a, b = sort_key((0, one, 0), 1, unique=True), sort_key((0, other, 0), 1, unique=True)
    assert (a < b) == (one < other)
    assert struct.pack(">d", key_of(a)[1] + 0.0) == struct.pack(">d", one + 0.0)


@given(st.integers(-1000, 1000), st.floats(allow_nan=False), st.integers(-(1 << 62), 1 << 62))
def test_the_bytes_of_a_key_are_those_of_folders_that_exist(tier: int, score: float, tie: int) -> None:
    """Of the score's bits the sign is flipped, or all if it is negative; the twin that does so bit by bit."""
    bits = int.from_bytes(struct.pack(">d", score + 0.0), "big")
    bits = (1 << 64) - 1 - bits if bits >> 63 else bits + (1 << 63)
    parts = (tier + (1 << 63), bits, tie + (1 << 63))
    assert sort_key((tier, score, tie), 7, unique=True) == struct.pack(">QQQ", *parts)
    assert sort_key((tier, score, tie), 7, unique=False) == struct.pack(">QQQQ", *parts, 7)


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 60)), max_size=30),
    st.sets(st.integers(0, 30)),
    st.integers(0, 70),
)
def test_what_is_due_is_counted_wherever_it_lies(
    planned: list[tuple[int, int]], checkpoints: set[int], now: int
) -> None:
    """Revisits planned and planned anew, in memory and on disk, against the due time of each URL."""
    urls = [Url(f"http://{name}.test/{n}") for name in "abc" for n in range(4)]
    with tempfile.TemporaryDirectory() as folder:
        frontier = DiskFrontier(Path(folder) / "frontier")
        frontier.apply(Enqueue(url=url) for url in urls)
        while request := frontier.lease(Millis(0)):
            frontier.settle(request, UrlState.VISITED, Rest(host_until=Millis(0)))
        for step, (which, due) in enumerate(planned):
            frontier.apply([Enqueue(url=urls[which], refetch=True, not_before=Millis(due))])
            if step in checkpoints:
                frontier.checkpoint(Snapshot(step=step, crawl={}, strategy={}))
        if leased := frontier.lease(Millis(20), lane="again"):
            assert isinstance(leased, Request)
        dues = [due for url in urls if (due := frontier.due(url)) is not None]
        now = max(now, 20)  # time does not run backwards
        later = [due for due in dues if due > now]
        assert frontier.due_by(Millis(now)) == (len(dues) - len(later), min(later, default=None))
        frontier.checkpoint(Snapshot(step=99, crawl={}, strategy={}))
        assert frontier.due_by(Millis(now)) == (len(dues) - len(later), min(later, default=None))
        frontier.close()


@pytest.mark.parametrize("trial", range(6))
def test_the_best_are_those_with_the_smallest_keys(trial: int, tmp_path: Path) -> None:
    rng = random.Random(f"best {trial}")
    frontier = DiskFrontier(tmp_path / "f", tie=rng.choice(["fifo", "random"]), seed=trial)
    for step in range(1, 5):
        urls = [u(f"h{rng.randrange(12)}/{rng.randrange(80)}") for _ in range(120)]
        frontier.apply(
            rng.choice(
                [
                    Enqueue(url=url, score=rng.randrange(9) / 9, tier=rng.randrange(2)),
                    Reprioritize(url=url, score=rng.random()),
                    Forget(url=url),
                ]
            )
            for url in urls
        )
        while (request := frontier.lease(Millis(step))) and rng.random() < 0.8:
            rest = Rest(host_until=Millis(step + rng.randrange(3)))
            frontier.settle(request, UrlState.VISITED, rest)
        keys = frontier.keys()
        ranked = sorted(keys, key=keys.__getitem__)
        for most in (1, 7, 1_000):
            assert [request.url for request in frontier.best(most)] == ranked[:most]
        if rng.random() < 0.6:
            frontier.checkpoint(Snapshot(step=step, crawl={}, strategy={}))
    frontier.close()
