"""Promises of the rule by which hosts that are alike live together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.settlers import Around, page

from lycosa.model.nodes import Node, Origin
from lycosa.sharing.alike import Alike

WORDS = st.lists(st.sampled_from(["ball", "goal", "oven", "dough", "star", "moon"]), max_size=8).map(" ".join)
HOSTS = st.sampled_from([f"h{number}" for number in range(8)])
ARRIVALS = st.lists(st.tuples(HOSTS, WORDS, st.sampled_from("abc")), max_size=30)


class Lived:
    """One node that fetches pages of hosts at home here, gets some of others, and hears of the others' profiles."""

    def __init__(self) -> None:
        self.rule, self.around = Alike(), Around()
        self.others = {Node(name): Alike() for name in "bc"}

    def arrive(self, host: str, words: str, sender: str) -> Node:
        """A page of a host comes: fetched here, or sent. Returns where the host should live."""
        if self.around.lives(host) != self.around.here:
            other = self.around.lives(host)
            at = Around(other)
            at.move(host, other)
            origin = Origin(node=self.around.here, life="1", number=1)
            if told := self.others[other].seen(host, page(host, words, origin=origin), other, at):
                self.rule.heard(other, told)
            return other
        origin = None if sender == "a" else Origin(node=Node(sender), life="1", number=1)
        if origin is not None:
            self.around.move(host, self.around.here)
        arrived = page(host, words, origin=origin)
        to = self.rule.belongs(host, arrived, self.around) if origin is None else self.around.here
        self.rule.seen(host, arrived, to, self.around)
        if to != self.around.here:
            self.around.move(host, to)
        return to


@given(ARRIVALS)
def test_only_members(arrivals: list[tuple[str, str, str]]) -> None:
    lived = Lived()
    assert all(lived.arrive(*arrival) in lived.around.members.names for arrival in arrivals)


@given(ARRIVALS, ARRIVALS)
def test_as_it_was(before: list[tuple[str, str, str]], after: list[tuple[str, str, str]]) -> None:
    lived = Lived()
    for arrival in before:
        lived.arrive(*arrival)
    again = Alike()
    again.load(lived.rule.save())
    assert again.save() == lived.rule.save()
    for host, words, _ in after:
        arrived = page(host, words)
        assert again.belongs(host, arrived, lived.around) == lived.rule.belongs(host, arrived, lived.around)
        to = lived.rule.belongs(host, arrived, lived.around)
        assert again.seen(host, arrived, to, lived.around) == lived.rule.seen(host, arrived, to, lived.around)


@given(ARRIVALS)
def test_comes_to_rest(arrivals: list[tuple[str, str, str]]) -> None:
    """Once a page of it came, a host stays."""
    lived = Lived()
    settled: dict[str, Node] = {}
    for host, words, sender in arrivals:
        to = lived.arrive(host, words, sender)
        assert settled.setdefault(host, to) == to
