"""Invariants of quiet and of shares."""

from __future__ import annotations

from collections import deque
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from lycosa.cluster.quiet import Quiet, Standing
from lycosa.cluster.shares import Holding, is_short, merits, portion_of, shared_out
from lycosa.model.nodes import Node

NAMES = [Node(f"n{number}") for number in range(3)]


class Busy:
    """A node that works off what it was given, and may give others something to do meanwhile."""

    def __init__(self, name: Node, work: int) -> None:
        self.name, self.work = name, work
        self.sent = dict.fromkeys((other for other in NAMES if other != name), 0)
        self.taken: dict[Node, int] = {}

    def standing(self) -> Standing:
        taken = {f"{node}/a": number for node, number in self.taken.items()}
        return Standing(life="a", quiet=not self.work, sent=dict(self.sent), taken=taken)


class World:
    def __init__(self, work: list[int]) -> None:
        self.nodes = {name: Busy(name, each) for name, each in zip(NAMES, work, strict=True)}
        self.travelling: deque[tuple[Node, Node, int]] = deque()

    def act(self, what: int) -> None:
        """One node does a piece of work, sending something perhaps; or one message arrives."""
        node = self.nodes[NAMES[what % 3]]
        match what // 3 % 3:
            case 0 if node.work:
                node.work -= 1
                to = NAMES[(what + 1) % 3]
                node.sent[to] += 1
                self.travelling.append((node.name, to, what % 2))
            case 1 if node.work:
                node.work -= 1
            case 2 if self.travelling:
                sender, to, brings = self.travelling.popleft()
                self.nodes[to].taken[sender] = self.nodes[to].taken.get(sender, 0) + 1
                self.nodes[to].work += brings

    @property
    def is_done(self) -> bool:
        return not self.travelling and not any(node.work for node in self.nodes.values())


@given(
    st.lists(st.integers(0, 3), min_size=3, max_size=3),
    st.lists(st.lists(st.integers(0, 17), max_size=6), min_size=1, max_size=60),
)
def test_never_too_early(work: list[int], between: list[list[int]]) -> None:
    """Between any two answers of one round anything may happen."""
    world, quiet = World(work), Quiet()
    acts = iter(between)
    for _ in range(20):
        standings = {}
        for name in NAMES:
            for what in next(acts, []):
                world.act(what)
            standings[name] = world.nodes[name].standing()
        if quiet.look(standings):
            assert world.is_done


@given(st.lists(st.integers(0, 3), min_size=3, max_size=3), st.lists(st.integers(0, 17), max_size=60))
def test_at_last(work: list[int], acts: list[int]) -> None:
    world, quiet = World(work), Quiet()
    for what in [*acts, *list(range(18)) * 40]:
        world.act(what)
    if world.is_done:
        standings = {name: node.standing() for name, node in world.nodes.items()}
        assert [quiet.look(standings), quiet.look(standings)] == [False, True]


def test_what_a_folder_that_was_lost_had_taken_in_is_on_its_way_again() -> None:
    before = {
        NAMES[0]: Standing(life="a", quiet=True, sent={NAMES[1]: 5}),
        NAMES[1]: Standing(life="b", quiet=True, taken={"n0/a": 5}),
    }
    quiet = Quiet()
    assert [quiet.look(before), quiet.look(before)] == [False, True]
    anew = {**before, NAMES[1]: Standing(life="c", quiet=True)}
    assert [quiet.look(anew), quiet.look(anew)] == [False, False]


@st.composite
def holdings(draw: Any) -> dict[Node, Holding]:
    def holding() -> Holding:
        used = draw(st.integers(0, 1000))
        return Holding(
            granted=used + draw(st.integers(0, 500)),
            used=used,
            busy=draw(st.booleans()),
            rate=draw(st.sampled_from([0.0, 0.5, 10.0, 1000.0])),
            merit=draw(st.sampled_from([0.0, 0.3, 1.0])) if ranked else None,
        )

    ranked = draw(st.booleans())

    return {Node(f"n{number}"): holding() for number in range(draw(st.integers(1, 6)))}


@given(st.integers(1, 10_000), holdings())
def test_within_the_budget(budget: int, held: dict[Node, Holding]) -> None:
    shares = shared_out(budget, held)
    assert sum(shares.values()) <= max(budget, sum(each.used for each in held.values()))


@given(st.integers(1, 10_000), holdings())
def test_nothing_taken_back(budget: int, held: dict[Node, Holding]) -> None:
    assert all(share >= held[node].used for node, share in shared_out(budget, held).items())


@given(st.integers(1, 10_000), holdings())
def test_all_given_out(budget: int, held: dict[Node, Holding]) -> None:
    used = sum(each.used for each in held.values())
    ranked = any(each.merit is not None for each in held.values())
    least = min(budget, used + portion_of(budget, held)) if ranked else budget
    assert sum(shared_out(budget, held).values()) >= least


@given(st.integers(1, 10_000), holdings())
def test_who_was_given_its_share_is_not_short_of_it(budget: int, held: dict[Node, Holding]) -> None:
    shares = shared_out(budget, held)
    given_out = {node: msgspec.structs.replace(each, granted=shares[node]) for node, each in held.items()}
    assert not is_short(budget, given_out)


def test_shares_go_by_speed_and_those_at_rest_are_given_little() -> None:
    fast, slow = Holding(granted=0, used=10, rate=30.0), Holding(granted=0, used=0, rate=10.0)
    resting = Holding(granted=0, used=5, rate=0.0, busy=False)
    # by 30 : 10, and with the one at rest 30 : 10 : 7.5 / 4, of what is left: 325, or 320
    assert shared_out(335, {NAMES[0]: fast, NAMES[1]: slow}) == {NAMES[0]: 10 + 244, NAMES[1]: 81}
    three = shared_out(335, {NAMES[0]: fast, NAMES[1]: slow, NAMES[2]: resting})
    assert three == {NAMES[0]: 10 + 230, NAMES[1]: 76, NAMES[2]: 5 + 14}


def test_merits_are_shares_of_the_best_links_of_all() -> None:
    fronts = {NAMES[0]: [(0, 0.9), (0, 0.1)], NAMES[1]: [(-1, 0.0), (0, 0.5)], NAMES[2]: []}
    assert merits(fronts) == {NAMES[0]: 0.5, NAMES[1]: 0.5, NAMES[2]: 0.0}
    many = {NAMES[0]: [(0, 0.9)] * 75, NAMES[1]: [(0, 0.5)] * 75}
    assert merits(many) == {NAMES[0]: 0.75, NAMES[1]: 0.25}
    assert merits({NAMES[0]: [], NAMES[1]: []}) == {}


def test_by_merit_a_portion_is_given_out_at_a_time() -> None:
    good = Holding(granted=0, used=10, rate=1.0, merit=0.75)
    poor = Holding(granted=0, used=0, rate=1.0, merit=0.25)
    # a twenty-fifth of 1,000, by 3 : 1
    assert shared_out(1_000, {NAMES[0]: good, NAMES[1]: poor}) == {NAMES[0]: 10 + 30, NAMES[1]: 10}
