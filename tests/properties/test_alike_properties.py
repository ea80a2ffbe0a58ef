"""Promises of the rule by which hosts that are alike live together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.settlers import Around, page

from lycosa.crawl.housing import Housing
from lycosa.model.nodes import Node, Origin
from lycosa.sharing.alike import Alike

WORDS = st.lists(st.sampled_from(["ball", "goal", "oven", "dough", "star", "moon"]), max_size=8).map(" ".join)
HOSTS = st.sampled_from([f"h{number}" for number in range(20)])
ARRIVALS = st.lists(st.tuples(st.sampled_from("abc"), HOSTS, WORDS), max_size=60)


class Town:
    """Three nodes that all know at once what each has to tell. Hosts live at their homes, drawn by their numbers."""

    def __init__(self) -> None:
        self.names = [Node(name) for name in "abc"]
        self.rules: dict[Node, Housing] = {name: Alike() for name in self.names}
        homes = {f"h{number}": self.names[number % 3] for number in range(20)}
        self.around = {name: Around(name, homes=dict(homes)) for name in self.names}

    def fetch(self, host: str, words: str) -> Node:
        """Fetch a page of a host where it lives. Returns where it lives from then on."""
        here = self.around[Node("a")].lives(host)
        to = self.rules[here].belongs(host, page(host, words), self.around[here])
        self.tell(here, host, words, to, None)
        if to != here:
            for around in self.around.values():
                around.move(host, to)
            self.tell(to, host, words, to, Origin(node=here, life="1", number=1))
        return to

    def tell(self, here: Node, host: str, words: str, to: Node, origin: Origin | None) -> None:
        told = self.rules[here].seen(host, page(host, words, origin=origin), to, self.around[here])
        for name, news in told.items():
            self.rules[name].heard(here, news)


@given(ARRIVALS)
def test_only_members(arrivals: list[tuple[str, str, str]]) -> None:
    town = Town()
    assert all(town.fetch(host, words) in town.names for _, host, words in arrivals)


@given(ARRIVALS, ARRIVALS)
def test_as_it_was(before: list[tuple[str, str, str]], after: list[tuple[str, str, str]]) -> None:
    town, again = Town(), Town()
    for _, host, words in before:
        town.fetch(host, words)
    again.around = town.around
    for name in town.names:
        again.rules[name].load(town.rules[name].save())
        assert again.rules[name].save() == town.rules[name].save()
    for at, host, words in after:
        here = Node(at)
        one, other, around = town.rules[here], again.rules[here], town.around[here]
        to = one.belongs(host, page(host, words), around)
        assert other.belongs(host, page(host, words), around) == to
        assert one.seen(host, page(host, words), to, around) == other.seen(
            host, page(host, words), to, around
        )


@given(ARRIVALS)
def test_comes_to_rest(arrivals: list[tuple[str, str, str]]) -> None:
    """A host moves once at most."""
    town = Town()
    homes = {host: town.around[Node("a")].lives(host) for _, host, _ in arrivals}
    moved: dict[str, Node] = {}
    for _, host, words in arrivals:
        to = town.fetch(host, words)
        if to != homes[host]:
            assert moved.setdefault(host, to) == to
        else:
            assert host not in moved
