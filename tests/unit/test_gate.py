"""Which URLs may enter: scope, nofollow, traps, in this order; and scores on hosts that repeat themselves."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import failed, made_page, make_crawl, u

from lycosa.crawl.gate import Gate
from lycosa.crawl.link_rot import LinkRot
from lycosa.crawl.pace import PaceRules
from lycosa.crawl.scope import Scope
from lycosa.crawl.strategy import View
from lycosa.crawl.traps import TrapLimits, Traps
from lycosa.model.commands import WISHED, Command, Enqueue, Forget, Reprioritize
from lycosa.model.records import Failure, Link, Millis, Reason, Request
from lycosa.model.url import Url
from lycosa.strategies.order import BreadthFirst


def asks(url: Url, *, nofollow: bool = False) -> Enqueue:
    return Enqueue(url=url, score=0.5, via=Link(source=u("s"), target=url, nofollow=nofollow))


def test_reasons_in_their_order() -> None:
    gate = Gate(Scope(hosts=("a.test",)), Traps(TrapLimits(length=20)))
    long = u("a/" + 20 * "x")
    assert gate.refuses(asks(u("a")), 1) is None
    assert "outside the hosts" in (gate.refuses(asks(u("b/" + 20 * "x"), nofollow=True), 1) or "")
    assert "nofollow" in (gate.refuses(asks(long, nofollow=True), 1) or "")
    assert "20 characters" in (gate.refuses(asks(long), 1) or "")


def test_nofollow_can_be_ignored_and_binds_no_start_page() -> None:
    assert Gate(Scope(), Traps(), follow_nofollow=True).refuses(asks(u("a"), nofollow=True), 1) is None
    assert Gate(Scope(), Traps()).refuses(Enqueue(url=u("a")), 0) is None


def test_redirects_are_asked_of_the_scope_alone() -> None:
    gate = Gate(Scope(hosts=("a.test",), max_depth=3), Traps(TrapLimits(length=20)))
    assert gate.refuses_redirect(u("a/" + 20 * "x"), 0) is None
    assert gate.refuses_redirect(u("b"), 0)
    assert gate.refuses_redirect(u("a"), 4)


def repeating() -> Gate:
    """a.test has shown the same page fifty times."""
    gate = Gate(Scope(), Traps())
    for i in range(50):
        page = made_page(Request(url=u(f"a/{i}"), order=i))
        gate.seen(msgspec.structs.replace(page, fingerprint=12345))
    return gate


@pytest.mark.parametrize(("score", "damped"), [(1.0, 0.1), (0.5, 0.05), (0.0, 0.0), (-1.0, -1.9)])
def test_a_host_of_near_duplicates_counts_less_whatever_the_score(score: float, damped: float) -> None:
    gate = repeating()
    assert gate.damp(Enqueue(url=u("a/new"), score=score)).score == pytest.approx(damped)
    assert gate.admit(Enqueue(url=u("a/new"), score=score)).score == pytest.approx(damped)
    assert gate.damp(Enqueue(url=u("b/new"), score=score)).score == score


def test_no_score_counts_less_before_a_link_was_dead() -> None:
    gate = Gate(Scope(), Traps(), link_rot=LinkRot())
    assert not gate.damps
    for number in range(20):
        gate.seen(failed(Request(url=u(f"a/{number}"), order=1, depth=1), Reason.STATUS, 404))
    assert gate.damps
    assert gate.damp(asks(u("a/20"))).score < 0.5
    again = Gate(Scope(), Traps(), link_rot=LinkRot())
    again.load(gate.save())
    assert again.damps
    assert repeating().damps


def test_saved_and_loaded_it_knows_the_same() -> None:
    gate, other = repeating(), Gate(Scope(), Traps())
    other.load(msgspec.msgpack.decode(msgspec.msgpack.encode(gate.save())))
    assert other.damp(Enqueue(url=u("a/new"), score=1.0)).score == pytest.approx(0.1)


def test_a_host_that_was_given_up_is_not_asked_again_by_refetching() -> None:
    """A strategy that insists would have the crawl turn in a circle without a single visit."""

    class Insists(BreadthFirst):
        def on_failure(self, failure: Failure, crawl: View) -> list[Command]:
            return [Enqueue(url=failure.url, refetch=True)]

    rules = PaceRules(delay=Millis(0), slowness=0.0, backoff=Millis(0), attempts=1, give_up=4)
    crawl = make_crawl(Insists(), rules=rules)
    crawl.start([u("a")], Millis(0))
    visits = 0
    while request := crawl.lease(Millis(0)):
        visits += 1
        crawl.commit(failed(request), Millis(0))
    assert visits == 4
    assert crawl.finished
    assert crawl.failures == 4


SCORES = st.floats(-10, 10, allow_subnormal=False)


@given(SCORES, st.lists(SCORES | st.none(), max_size=6))
def test_damped_once(score: float, moves: list[float | None]) -> None:
    """Placed anew by a score of the strategy's, or with that which it has in another tier."""
    gate = REPEATING
    stands = gate.admit(Enqueue(url=u("a/new"), score=score)).score
    for given_score in moves:
        waits = Request(url=u("a/new"), order=0, score=stands)
        asked = Reprioritize(url=u("a/new"), score=stands if given_score is None else given_score)
        score = score if given_score is None else given_score
        moved = gate.move(asked, lambda url, waits=waits: waits)  # type: ignore[misc]
        assert moved is not None
        stands = moved.score
        if given_score is None or given_score != waits.score:
            assert stands == (score * 0.1 if score >= 0 else score * 1.9)


REPEATING = repeating()


@given(st.lists(st.tuples(SCORES, st.integers(-2, 2)), max_size=5), st.booleans())
def test_wishes_stay_in_front(moves: list[tuple[float, int]], taken_back: bool) -> None:
    gate, again = Gate(Scope(), Traps()), Gate(Scope(), Traps())
    wish = Enqueue(url=u("a"), tier=WISHED)
    gate.wish([Enqueue(url=u("b"), tier=0), wish])
    if taken_back:
        gate.wish([Forget(url=u("a"))])
    again.load(gate.save())
    tier = {u("a"): WISHED, u("b"): 0}
    for score, to in moves:
        for each in (gate, again):
            for url in tier:
                asked = Reprioritize(url=url, score=score, tier=to)
                moved = each.move(asked, lambda url: Request(url=url, order=0, tier=tier[url]))
                assert moved == (asked if url == u("b") or taken_back else None)
