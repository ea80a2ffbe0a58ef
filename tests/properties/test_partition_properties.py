"""What all partitions promise, and each of them."""

from __future__ import annotations

from collections import Counter
from math import ceil, floor, log, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sharers import NAMES, NamedClasses, memberships, nodes, page_at, paths, texts, urls
from tests.trials import trials

from lycosa.crawl.partition import Partition
from lycosa.model.nodes import Members, Node
from lycosa.model.url import Url
from lycosa.sharing.by_hash import ByContent, ByHost, ByUrl
from lycosa.sharing.by_topic import ByTopic
from lycosa.sharing.registry import BUILT_IN, needs_classes, partition
from lycosa.sharing.rendezvous import Rendezvous, hash64

CLASSES = NamedClasses(*["sport", "biz", "arts", "games", "health", "home", "kids", "news"])
VARIANTS = ("content:fetch=url", "topic:transfer=urls", "topic:order=focused")
ALL = (*BUILT_IN, *VARIANTS)
WHOLE = 2**64


def made(name: str, members: Members) -> Partition:
    return partition(name, members, CLASSES if needs_classes(name) else None)


def turned(members: Members, by: int) -> Members:
    """The same members, named in another order."""
    by %= len(members.names)
    names, weights = members.names, members.weights
    return Members(epoch=9, names=names[by:] + names[:by], weights=weights[by:] + weights[:by])


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=trials(20))
@given(members=memberships(), url=urls(), text=texts, by=st.integers(0, 8))
def test_each_page_has_one_owner(name: str, members: Members, url: Url, text: str, by: int) -> None:
    one, other = made(name, members), made(name, turned(members, by))
    other.of_page(page_at(url, "what it was asked before"), members.names[0])
    assert one.of_url(url) == other.of_url(url)
    assert one.of_url(url) == one.among(members).of_url(url)
    page = page_at(url, text)
    for here in members.names:
        owner = one.of_page(page, here)
        assert owner == other.of_page(page, here)
        assert one.of_page(page, owner) == owner  # who is given it keeps it


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=trials(40))
@given(members=memberships(), url=urls(), text=texts)
def test_answers_are_only_members(name: str, members: Members, url: Url, text: str) -> None:
    one = made(name, members)
    assert one.of_url(url) in members.names
    for here in members.names:
        assert one.of_page(page_at(url, text), here) in members.names
    for other in (nodes(3), members):
        there = one.among(other)
        assert there.of_page(page_at(url, text), other.names[0]) in other.names


@given(members=memberships(), one=paths, other=paths)
def test_a_host_has_one_owner(members: Members, one: str, other: str) -> None:
    by_host = ByHost(members)
    first, second = Url(f"http://a.test:81/{one}"), Url(f"https://a.test:81/{other}")
    assert by_host.territory(first) == by_host.territory(second) == "a.test:81"
    assert by_host.of_url(first) == by_host.of_url(second)


@settings(max_examples=trials(20))
@given(host=st.sampled_from(["a.test", "b.test", "c.test:99"]), members=memberships(most=4))
def test_urls_of_a_host_are_even(host: str, members: Members) -> None:
    by_url = ByUrl(members)
    counts = Counter(by_url.of_url(Url(f"http://{host}/{number}")) for number in range(2000))
    agree(counts, members, 2000, sigmas=4.5)


@given(members=memberships(), one=urls(), other=urls(), text=texts)
def test_a_text_has_one_owner(members: Members, one: Url, other: Url, text: str) -> None:
    by_content = ByContent(members)
    spaced = " \n ".join(["", *text.split(), ""])
    here, there = page_at(one, f"x {text}"), page_at(other, f"x {spaced}")
    owners = {by_content.of_page(page, node) for page in (here, there) for node in members.names}
    assert len(owners) == 1


@given(members=memberships(), url=urls(), text=texts)
def test_a_page_is_at_the_node_of_its_class(members: Members, url: Url, text: str) -> None:
    topic = ByTopic(members, CLASSES)
    page = page_at(url, text)
    of = CLASSES.of(page)
    for here in members.names:
        assert topic.of_page(page, here) == (here if of is None else topic.owners[of])


@given(members=memberships(most=12), count=st.integers(0, 40))
def test_classes_are_fair_shares(members: Members, count: int) -> None:
    classes = NamedClasses(*(f"class {number}" for number in range(count)))
    counts = Counter(ByTopic(members, classes).owners)
    total = sum(map(members.weight, members.names))
    assert sum(counts.values()) == count
    for name in members.names:
        fair = count * members.weight(name) / total
        assert floor(fair - 1e-9) <= counts[name] <= ceil(fair + 1e-9)


# -- rendezvous ----------------------------------------------------------------------------------------------


def drawn(name: Node, weight: float, key: str) -> float:
    """The twin of what a node draws: by whole numbers, and the library's logarithm."""
    number = hash64(key) ^ hash64(name)
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 % WHOLE
    number = (number ^ number >> 27) * 0x94D049BB133111EB % WHOLE
    number ^= number >> 31
    return -weight / log(((number >> 12) + 0.5) / 2**52)


@given(members=memberships(), key=st.text(max_size=20), by=st.integers(0, 8))
def test_owners_are_the_same_everywhere(members: Members, key: str, by: int) -> None:
    one, other = Rendezvous(members), Rendezvous(turned(members, by))
    wanted = sorted(members.names, key=lambda name: -drawn(name, members.weight(name), key))
    assert one.ranked(key) == other.ranked(key) == wanted
    assert one.owner(key) == one.owner(key) == other.owner(key) == wanted[0]


@given(
    members=memberships(),
    joined=st.sampled_from(NAMES[100:110]),
    grown=st.integers(0, 7),
    left=st.integers(0, 7),
    keys=st.lists(st.text(max_size=9), max_size=30),
)
def test_little_moves(members: Members, joined: Node, grown: int, left: int, keys: list[str]) -> None:
    weights = {name: members.weight(name) for name in members.names}
    grows = members.names[grown % len(members.names)]
    leaves = members.names[left % len(members.names)]
    later = {**weights, joined: 2.0, grows: 3 * weights[grows]}
    if leaves != grows:
        del later[leaves]
    before = Rendezvous(members)
    after = Rendezvous(Members(epoch=2, names=tuple(later), weights=tuple(later.values())))
    for key in keys:
        if before.owner(key) in later:
            assert after.owner(key) in {before.owner(key), joined, grows}


@settings(max_examples=trials(20))
@given(members=memberships())
def test_weights_hold(members: Members) -> None:
    rendezvous = Rendezvous(members)
    agree(owned(rendezvous, [f"host{number}.test" for number in range(4000)]), members, 4000, sigmas=4.5)


@pytest.mark.parametrize("weights", [(), (1.0, 2.0, 3.0, 4.0), (0.2, 0.2, 0.2, 5.0)])
def test_weights_hold_within_three_sigma(weights: tuple[float, ...]) -> None:
    members = nodes(4, weights)
    rendezvous = Rendezvous(members)
    agree(owned(rendezvous, [f"www{number}.example" for number in range(50_000)]), members, 50_000, sigmas=3)


def owned(rendezvous: Rendezvous, keys: list[str]) -> Counter[Node]:
    """How many keys each node has, all drawn at once; the first are asked for one by one, too."""
    places = rendezvous.places(np.array([hash64(key) for key in keys], np.uint64)).tolist()
    owners = [rendezvous.names[place] for place in places]
    assert [rendezvous.owner(key) for key in keys[:500]] == owners[:500]
    return Counter(owners)


def agree(counts: Counter[Node], members: Members, of: int, sigmas: float) -> None:
    """Each node has the share of its weight, within so many standard deviations of a binomial count."""
    total = sum(map(members.weight, members.names))
    for name in members.names:
        share = members.weight(name) / total
        assert abs(counts[name] - of * share) <= sigmas * sqrt(of * share * (1 - share)) + 1e-9
