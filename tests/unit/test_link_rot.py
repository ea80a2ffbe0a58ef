"""What is likely dead: chances worked by hand, and what a crawl makes of them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import Scripted, drive, failed, journal, lease, looks, made_page, make_crawl, u

from lycosa.crawl.crawl import Crawl
from lycosa.crawl.gate import Gate
from lycosa.crawl.link_rot import DOUBT, PRIOR, STRENGTH, LinkRot, fate
from lycosa.crawl.scope import Scope
from lycosa.crawl.strategy import View
from lycosa.crawl.traps import Traps
from lycosa.model.commands import WISHED, Command, Enqueue, Grant, Reprioritize
from lycosa.model.events import Operated
from lycosa.model.records import Deferred, Failure, Link, Millis, Page, Reason, Request, Visit
from lycosa.model.url import Url
from lycosa.strategies.best_first import BestFirst

T0 = Millis(0)


def dead(name: str, depth: int = 1) -> Failure:
    return failed(Request(url=u(name), order=0, depth=depth), Reason.STATUS, 404)


def alive(name: str, depth: int = 1) -> Page:
    return made_page(Request(url=u(name), order=0, depth=depth))


def sent(name: str, to: str) -> Failure:
    """A link that was redirected to a page that the crawl has."""
    request = Request(url=u(name), order=0, depth=1)
    return Failure(request=request, reason=Reason.ALREADY_KNOWN, final_url=u(to), hops=(u(name),))


def rot_of(*visits: Visit, via: Url | None = None) -> LinkRot:
    rot = LinkRot()
    for visit in visits:
        rot.seen(visit, via)
    return rot


def shrunk(gone: int, tried: int, prior: float) -> float:
    return (gone + STRENGTH * prior) / (tried + STRENGTH)


def test_a_chance_by_hand() -> None:
    """One dead link of one tried: 0.25, then 0.2083 of the host that it is in, and so on down."""
    rot = rot_of(dead("a/x/1.html"))
    world = shrunk(1, 1, PRIOR)
    assert world == pytest.approx(1.25 / 6)
    host = shrunk(1, 1, world)
    directory = shrunk(1, 1, host)
    assert rot.chance(u("b/x/1.html")) == pytest.approx(world)
    assert rot.chance(u("a/y/1.html")) == pytest.approx(host)
    assert rot.chance(u("a/x/name.html")) == pytest.approx(directory), "one directory: counted once"
    assert rot.chance(u("a/x/22.html")) == pytest.approx(shrunk(1, 1, directory)), "of one kind with 1.html"
    rot.seen(alive("a/y/2.html"), None)
    assert rot.chance(u("a/z/1.html")) == pytest.approx(shrunk(1, 2, shrunk(1, 2, PRIOR)))


def test_links_of_one_page_are_siblings() -> None:
    rot = rot_of(dead("b/1"), dead("c/1"), via=u("list"))
    alone = rot.chance(u("d/1"))
    assert alone == DOUBT, "the share of dead links in all counts up to there"
    assert rot.chance(u("d/1"), u("list")) == pytest.approx(shrunk(2, 2, alone))
    assert rot.factor(u("d/1"), u("list")) == pytest.approx((1 - shrunk(2, 2, alone)) / (1 - DOUBT))
    assert rot.factor(u("d/1"), u("other")) == 1.0


@pytest.mark.parametrize(
    ("visit", "told"),
    [
        (alive("a/1"), False),
        (dead("a/1"), True),
        (failed(Request(url=u("a/1"), order=0), Reason.STATUS, 410), True),
        (failed(Request(url=u("a/1"), order=0), Reason.DNS), True),
        (failed(Request(url=u("a/1"), order=0), Reason.SOFT_404, 200), True),
        (failed(Request(url=u("a/1"), order=0), Reason.NOT_TEXT, 200), True),
        (failed(Request(url=u("a/1"), order=0), Reason.STATUS, 503), None),
        (failed(Request(url=u("a/1"), order=0), Reason.STATUS, 429), None),
        (failed(Request(url=u("a/1"), order=0), Reason.TIMEOUT), None),
        (failed(Request(url=u("a/1"), order=0), Reason.NOT_RECORDED), None),
        (failed(Request(url=u("a/1"), order=0), Reason.ROBOTS), None),
        (failed(Request(url=u("a/1"), order=0), Reason.ALIAS, 200), None),
        (sent("a/x/1", "a"), True),
        (sent("a/x/", "a"), None),
        (sent("a/index.html", "a"), None),
        (sent("a/x/1", "a/x/2"), None),
        (sent("a/x/1", "b"), None),
    ],
)
def test_what_says_that_there_is_no_page(visit: Visit, told: bool | None) -> None:
    assert fate(visit) is told


NAMES = st.sampled_from(["a/x/1.html", "a/x/2.html", "a/x/y/n.html", "a/z", "b/x/1.html", "b/", "c/q?id=3"])
VISITS = st.lists(
    st.tuples(NAMES, st.booleans(), st.sampled_from([None, u("list"), u("other")])), max_size=30
)
Told = list[tuple[str, bool, Url | None]]


def after(told: Told) -> LinkRot:
    rot = LinkRot()
    for name, gone, via in told:
        rot.seen(dead(name) if gone else alive(name), via)
    return rot


@given(VISITS, NAMES)
def test_a_chance(told: Told, asked: str) -> None:
    rot = after(told)
    assert 0.0 <= rot.chance(u(asked)) <= 1.0
    assert 0.0 < rot.factor(u(asked)) <= 1.0
    if not any(gone and name[0] == asked[0] for name, gone, _ in told):
        assert rot.chance(u(asked)) <= DOUBT


@given(VISITS, NAMES, NAMES)
def test_more_dead_means_less(told: Told, sibling: str, asked: str) -> None:
    before = after(told).chance(u(asked))
    worse, better = after([*told, (sibling, True, None)]), after([*told, (sibling, False, None)])
    assert better.chance(u(asked)) <= before + 1e-12
    assert worse.chance(u(asked)) >= before - 1e-12


@given(VISITS, NAMES)
def test_nothing_dead_costs_nothing(told: Told, asked: str) -> None:
    assert after([(name, False, via) for name, _, via in told]).factor(u(asked), u("list")) == 1.0


@given(VISITS, NAMES)
def test_load_restores(told: Told, asked: str) -> None:
    rot, again = after(told), LinkRot()
    rot.place(u(asked), 0.5)
    again.load(rot.save())
    assert again.save() == rot.save()
    assert again.chance(u(asked), u("list")) == rot.chance(u(asked), u("list"))
    assert again.placed(u(asked)) == 0.5


# -- at the gate ---------------------------------------------------------------------------------------------


def gate_of(rot: LinkRot) -> Gate:
    return Gate(Scope(), Traps(), link_rot=rot)


@given(VISITS, st.floats(-9, 9), st.integers(0, 3))
def test_a_likely_dead_link_waits_behind_others(told: Told, score: float, tier: int) -> None:
    rot = after(told)
    gate, url = gate_of(rot), u("a/x/3.html")
    damped = gate.admit(Enqueue(url=url, score=score, tier=tier))
    assert damped.tier == tier
    assert damped.score <= score
    factor = rot.factor(url)
    assert damped.score == pytest.approx(score * (factor if score >= 0 else 2 - factor))
    waits = Request(url=url, order=0, depth=1, score=damped.score, tier=tier)
    assert gate.doubts(waits) is None, "it was damped once"
    assert gate.damp(Enqueue(url=url, score=score, tier=WISHED)).score == score


def test_a_link_placed_before_its_siblings_died_is_doubted_when_it_is_next() -> None:
    rot = LinkRot()
    gate = gate_of(rot)
    for name in ("a/x/1", "a/x/2"):
        gate.admit(Enqueue(url=u(name), score=0.8))
    gate.seen(dead("a/x/1"))
    gate.seen(dead("a/x/5"))
    waits = Request(url=u("a/x/2"), order=1, depth=1, score=0.8)
    score = gate.doubts(waits)
    assert score == pytest.approx(0.8 * rot.factor(u("a/x/2")))
    gate.put_behind(waits)
    assert gate.doubts(Request(url=u("a/x/2"), order=1, depth=1, score=score)) is None
    for name in ("a/x/6", "a/x/7", "a/x/8"):
        gate.seen(dead(name))
    again = gate.doubts(Request(url=u("a/x/2"), order=1, depth=1, score=score))
    assert again == pytest.approx(0.8 * rot.factor(u("a/x/2"))), "of what the strategy gave, once"
    assert gate.doubts(Request(url=u("a/x/2"), order=1, depth=0, score=0.8)) is None, "a start page"


# -- in a crawl ----------------------------------------------------------------------------------------------


def listing(request: Request) -> Visit:
    """Page `s` links to six dead pages of one directory, and last to one elsewhere that is there."""
    if request.url == u("s"):
        return made_page(request, *(u(f"a/old/{n}") for n in range(6)), u("b/new"), text="bees")
    if request.url == u("b/new"):
        return made_page(request, text="bees")
    return failed(request, Reason.STATUS, 404)


class Falling(Scripted):
    """Gives the links of a page scores that fall but little."""

    def on_page(self, page: Page, crawl: View) -> Iterable[Command]:
        for place, link in enumerate(page.links):
            yield Enqueue(url=link.target, via=link, score=1 - place / 100)


def crawl_of(*, doubting: bool = True, strategy: Scripted | None = None) -> Crawl:
    crawl = make_crawl(strategy or Falling())
    crawl.gate.link_rot = LinkRot() if doubting else None
    return crawl


def asked(crawl: Crawl) -> list[Url]:
    return [e.event.url for e in journal(crawl) if isinstance(e.event, Page | Failure)]


def test_after_one_dead_link_its_siblings_wait_and_are_fetched_at_last() -> None:
    old = [u(f"a/old/{n}") for n in range(6)]
    for doubting, order in (
        (False, [u("s"), *old, u("b/new")]),
        (True, [u("s"), old[0], u("b/new"), *old[1:]]),
    ):
        crawl = crawl_of(doubting=doubting)
        crawl.start([u("s")], T0)
        drive(crawl, listing)
        assert asked(crawl) == order
        assert crawl.finished
        assert crawl.requests.made == 8, "none was refused"


def test_a_crawl_that_doubts_is_replayed_exactly() -> None:
    crawl, again = crawl_of(), crawl_of()
    crawl.start([u("s")], T0)
    drive(crawl, listing)
    waited = [e.event for e in journal(crawl) if isinstance(e.event, Deferred)]
    assert [event.score is not None for event in waited] == [True] * len(waited) != []
    again.replay(journal(crawl))
    assert looks(again) == looks(crawl)
    middle = crawl_of()
    middle.replay(journal(crawl)[:5])
    later = crawl_of()
    later.frontier = middle.frontier
    later.restore(middle.snapshot())
    assert later.gate.save() == middle.gate.save()


def test_no_doubt_within_a_batch() -> None:
    crawl = crawl_of(strategy=Falling(idle=lambda view: [Grant(n=3)]))
    crawl.start([u("s")], T0)
    crawl.hear(Operated(commands=(Grant(n=100),), by="test"), T0)
    drive(crawl, listing)
    assert asked(crawl) == [u("s"), *(u(f"a/old/{n}") for n in range(6)), u("b/new")]


def test_a_strategy_that_places_a_doubted_link_anew_pays_once() -> None:
    rot = rot_of(dead("a/x/1"), dead("a/x/2"), dead("a/x/3"))
    crawl = make_crawl(BestFirst())
    crawl.gate.link_rot = rot
    crawl.start([u("s")], T0)
    link = Link(source=u("s"), target=u("a/x/9"))
    factor = rot.factor(u("a/x/9"))
    crawl.commit(made_page(lease(crawl)), T0)
    for command in (
        Enqueue(url=u("a/x/9"), via=link, score=0.5),
        Enqueue(url=u("a/x/9"), via=link, score=0.6),
        Reprioritize(url=u("a/x/9"), score=0.4),
    ):
        crawl.hear(Operated(commands=(command,), by="test"), T0)
        waiting = crawl.frontier.waiting(u("a/x/9"))
        assert waiting is not None
        assert waiting.score == pytest.approx(command.score * factor)
        assert crawl.gate.doubts(waiting) is None
