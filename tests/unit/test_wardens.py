"""Wardens with known answers: what is written, who has a turn when, and what a dead node costs."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from tests.guards import Mail, Street

from lycosa.model.nodes import Members, Node
from lycosa.sharing.letters import (
    Asked,
    Gate,
    Granted,
    Kept,
    Later,
    Letter,
    Returned,
    Rules,
    Terms,
    decode,
    encode,
)
from lycosa.sharing.tenure import ALWAYS, NEVER, Tenure
from lycosa.sharing.wardens import Guard

N0, N1, N2 = Node("n0"), Node("n1"), Node("n2")
TERMS = Terms()
EMPTY = Gate()


def key_of(node: Node, *names: str) -> str:
    """A host whose warden is this node."""
    rendezvous = Tenure(node, Members(epoch=1, names=tuple(map(Node, names))), ALWAYS)
    return next(
        key for key in (f"h{number}.test" for number in itertools.count()) if rendezvous.owner(key) == node
    )


def street(*names: str) -> Street:
    """Letters take a millisecond each way."""
    return Street(names, terms=TERMS, mail=Mail())


def test_who_sees_to_its_own_hosts_writes_nothing() -> None:
    scene = street("n0", "n1")
    scene.keep_visiting(N0, (key_of(N0, "n0", "n1"),), 100)
    scene.run(60_000)
    assert [each.began for each in scene.log[:3]] == [0, 1_100, 2_200]
    assert scene.letters == 0


def test_a_host_of_another_warden_costs_two_letters_and_then_two_in_three_seconds() -> None:
    """Asked, granted; then kept up by the tick that finds less than two thirds of ten seconds left: at 3 s, 6 s …"""
    scene = street("n0", "n1")
    scene.keep_visiting(N0, (key_of(N1, "n0", "n1"),), 100)
    scene.run(2_999)
    assert scene.letters == 2
    scene.run(60_500)
    assert scene.letters == 2 + 2 * 20


def test_two_nodes_take_turns_and_neither_comes_too_soon() -> None:
    scene = street("n0", "n1")
    key = key_of(N0, "n0", "n1")
    scene.keep_visiting(N0, (key,), 100)
    scene.keep_visiting(N1, (key,), 100)
    scene.run(20_000)
    assert Counter(each.node for each in scene.log[:12]) == {N0: 6, N1: 6}
    assert min(scene.gaps(key)) >= 1_000


@pytest.mark.parametrize("warden", [N1, N2])
def test_a_killed_holder_costs_the_rest_of_its_delegation_and_the_delay(warden: Node) -> None:
    """n0 asks at 0, the warden grants at 1, n0 is killed at 500 in the midst of an exchange. n1 asks on. The delegation
    runs out at 10,001; then the host rests for a second."""
    scene = street("n0", "n1", "n2")
    key = key_of(warden, "n0", "n1", "n2")
    scene.visit(N0, (key,), 60_000)
    scene.run(500)
    scene.kill(N0)
    scene.visit(N1, (key,), 100)
    scene.run(30_000)
    first, second = scene.log
    assert first.ended == 500
    assert 11_001 <= second.began <= 11_001 + TERMS.busy + 1_000, (
        "it is given by the tick after, or when asked for again"
    )


def test_a_warden_that_returns_gives_nothing_before_all_it_may_have_given_has_run_out() -> None:
    scene = street("n0", "n1")
    key = key_of(N0, "n0", "n1")
    scene.visit(N0, (key,), 60_000)
    scene.run(500)
    scene.kill(N0)
    scene.run(3_000)
    scene.start(N0)
    scene.visit(N1, (key,), 100)
    scene.run(30_000)
    assert 3_000 + 11_000 <= scene.log[1].began <= 3_000 + 11_000 + TERMS.busy + 1_000


def test_a_holder_goes_on_while_its_warden_is_restarted() -> None:
    scene = street("n0", "n1")
    key = key_of(N0, "n0", "n1")
    scene.keep_visiting(N1, (key,), 100)
    scene.run(5_000)
    scene.kill(N0)
    scene.run(6_000)
    scene.start(N0)
    scene.run(30_000)
    begun = [each.began for each in scene.log]
    assert max(later - before for before, later in itertools.pairwise(begun)) <= 1_200


def test_who_does_not_hear_its_warden_any_more_breaks_off() -> None:
    """n1 keeps its delegation up until the warden is dead; nothing of it runs 9.5 s after it last did."""
    scene = street("n0", "n1")
    key = key_of(N0, "n0", "n1")
    scene.visit(N1, (key,), 60_000)
    scene.run(5_000)
    scene.kill(N0)
    scene.run(60_000)
    [exchange] = scene.log
    assert exchange.ended == 3_000 + 9_500, "it kept it up at 3 s"


def test_new_members_take_over_once_the_old_warden_knows() -> None:
    scene = street("n0", "n1")
    key = key_of(N2, "n0", "n1", "n2")
    before = scene.ranked(key)[0]
    other = N1 if before == N0 else N0
    scene.keep_visiting(before, (key,), 100)
    scene.run(5_000)
    scene.change([N0, N1, N2])
    scene.start(N2)
    assert not scene.settled
    scene.run(5_010)
    assert scene.settled
    scene.visit(other, (key,), 100)
    scene.run(15_000)
    assert {each.node for each in scene.log} == {before}, "who held it goes on"
    scene.run(40_000)
    assert {each.node for each in scene.log} == {N0, N1}
    assert min(scene.gaps(key)) >= 1_000


def test_a_rest_that_a_host_asked_for_goes_with_its_gate() -> None:
    scene = street("n0", "n1")
    key = key_of(N0, "n0", "n1")

    def trouble() -> None:
        scene.nodes[N1].guard.rest(
            key, scene.nodes[N1].clock(scene.now) + 20_000, 3, scene.nodes[N1].clock(scene.now)
        )
        scene.flush(N1)

    scene.visit(N1, (key,), 100, trouble)
    scene.run(2_000)
    scene.visit(N0, (key,), 100)
    scene.run(40_000)
    assert scene.nodes[N0].guard.troubles(key) == 3
    assert 100 + 20_000 <= scene.log[1].began <= 100 + 20_000 + 2_000


def test_what_is_not_used_is_given_back() -> None:
    scene = street("n0", "n1")
    key = key_of(N1, "n0", "n1")
    scene.visit(N0, (key,), 100)
    scene.run(60_000)
    assert scene.nodes[N0].guard.holds(key, scene.nodes[N0].clock(scene.now))
    scene.run(63_000)
    assert not scene.nodes[N0].guard.holds(key, scene.nodes[N0].clock(scene.now))


def test_who_leaves_gives_everything_back() -> None:
    scene = street("n0", "n1")
    key = key_of(N1, "n0", "n1")
    scene.visit(N0, (key,), 100)
    scene.run(400)
    scene.nodes[N0].guard.leave(scene.nodes[N0].clock(scene.now))
    scene.flush(N0)
    scene.run(402)
    scene.visit(N1, (key,), 100)
    scene.run(2_000)
    assert [(each.began, each.ended) for each in scene.log] == [(250, 350), (1_351, 1_451)]


def test_an_exchange_needs_its_turn() -> None:
    guard = Guard(N0, "a", Members(epoch=1, names=(N0,)), TERMS, 0, first=True)
    with pytest.raises(RuntimeError, match="somebody else's turn"):
        guard.begin(["a.test"], 0)


# ------------------------------------------------------------------------------------------ letters, late or stale


def asked(guard: Guard, sender: Node, key: str, since: int, at: int, now: int) -> list[object]:
    guard.hear(
        Letter(sender=sender, life=f"life of {sender}", epoch=1, at=at, items=(Asked(key, since),)), now
    )
    return [item for _, letter in guard.letters(now) for item in letter.items]


def test_a_letter_that_was_returned_late_ends_no_later_delegation() -> None:
    key = key_of(N0, "n0", "n1", "n2")
    warden = Guard(N0, "a", Members(epoch=1, names=(N0, N1, N2)), TERMS, 0, first=True)
    [granted] = asked(warden, N1, key, 7, 50, 100)
    assert isinstance(granted, Granted)
    assert (granted.since, granted.at, granted.life) == (7, 50, "life of n1")
    late = Letter(sender=N1, life="life of n1", epoch=1, at=60, items=(Returned(key, 6),))
    warden.hear(late, 200)
    other_life = Letter(sender=N1, life="another", epoch=1, at=70, items=(Returned(key, 7),))
    warden.hear(other_life, 400)
    [told] = [item for item in asked(warden, N2, key, 1, 0, 500) if isinstance(item, Later)]
    assert told.key == key


def test_a_grant_that_comes_too_late_is_not_used() -> None:
    key = key_of(N1, "n0", "n1")
    holder = Guard(N0, "a", Members(epoch=1, names=(N0, N1)), TERMS, 0, first=True)
    assert not holder.want(key, 0)
    [(to, letter)] = holder.letters(0)
    assert to == N1
    [question] = letter.items
    assert isinstance(question, Asked)
    answer = Granted(key, "a", question.since, 0, gate=EMPTY)
    holder.hear(Letter(sender=N1, life="b", epoch=1, at=0, items=(answer,)), 9_500)
    assert not holder.holds(key, 9_500)
    [(_, back)] = holder.letters(9_500)
    assert back.items == (Returned(key, question.since),)


def test_a_grant_counts_from_when_it_was_asked_for() -> None:
    key = key_of(N1, "n0", "n1")
    holder = Guard(N0, "a", Members(epoch=1, names=(N0, N1)), TERMS, 0, first=True)
    holder.want(key, 0)
    [(_, letter)] = holder.letters(0)
    [question] = letter.items
    assert isinstance(question, Asked)
    holder.hear(
        Letter(sender=N1, life="b", epoch=1, at=0, items=(Granted(key, "a", question.since, 0, EMPTY),)),
        2_000,
    )
    assert holder.wait(key, 2_000) == 0
    assert holder.begin([key], 2_000) == 9_500
    holder.end([key], 3_000)
    assert holder.wait(key, 4_000) == 0
    assert holder.wait(key, 6_500) == TERMS.busy, "less than a third is left: nothing begins"


def test_letters_are_bytes_on_the_way() -> None:
    letter = Letter(sender=N0, life="a", epoch=3, at=5, items=(Kept("h", 1), Asked("g", 2)), asks=True)
    assert decode(encode(letter)) == letter
    assert len(encode(Letter(sender=N0, life="a", epoch=3, at=5, items=(Asked("www.example.org", 2),)))) < 80


# ------------------------------------------------------------------------------------------------------------- tenure


def test_a_key_is_anothers_until_that_one_knows() -> None:
    two, three = Members(epoch=1, names=(N0, N1)), Members(epoch=2, names=(N0, N1, N2))
    key = key_of(N2, "n0", "n1", "n2")
    before = Tenure(N0, two, ALWAYS).owner(key)
    joined = Tenure(N2, three, 100)
    assert joined.since(key) == NEVER
    joined.heard(before, 1, 150)
    assert joined.since(key) == NEVER, "it speaks of the members before"
    joined.heard(before, 2, 200)
    assert joined.since(key) == 200


def test_the_keys_of_who_is_lost_are_free_at_once_those_of_who_left_when_it_knows() -> None:
    three, two = Members(epoch=1, names=(N0, N1, N2)), Members(epoch=2, names=(N0, N1))
    key = key_of(N2, "n0", "n1", "n2")
    heir = Tenure(N0, two, ALWAYS).owner(key)
    other = key_of(heir, "n0", "n1", "n2")
    for lost, since in (((N2,), 500), ((), NEVER)):
        tenure = Tenure(heir, three, ALWAYS)
        assert tenure.deputy(key) in (N0, N1)
        assert tenure.change(two, lost, 500)
        assert tenure.since(key) == since
        assert tenure.since(other) == ALWAYS
        assert tenure.settled == bool(lost)


def test_who_returns_is_brought_what_it_kept_for_all() -> None:
    """robots.txt outlives the death of its warden and, later, of the deputy."""
    scene = street("n0", "n1", "n2")
    key = key_of(N0, "n0", "n1", "n2")
    warden, deputy, other = scene.ranked(key)
    url = f"http://{key}/robots.txt"
    scene.nodes[other].guard.shelve(key, url, Rules(b"Disallow: /", 60_000), scene.nodes[other].clock(0))
    scene.flush(other)
    scene.run(100)
    for name in (warden, deputy):
        scene.kill(name)
        scene.start(name)
        scene.run(scene.now + 1_000)
    for name in (warden, deputy):
        found = scene.nodes[name].guard.kept(url, scene.nodes[name].clock(scene.now))
        assert found is not None
        assert (found.body, found.good_for > 57_000) == (b"Disallow: /", True)
    assert scene.nodes[other].guard.kept(url, scene.nodes[other].clock(scene.now)) is None
