"""What a visit is worth, and ours: relevant pages right, and new ones found soon."""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.visits import history

from lycosa.model.records import Millis
from lycosa.revisit.history import DAY, History
from lycosa.revisit.policy import NEVER, Pages
from lycosa.revisit.topical import Topical
from lycosa.revisit.utility import rates_at, utility


def one(value: float) -> Any:
    return np.array([value])


@pytest.mark.parametrize(
    ("changes", "days", "answer"), [(1, 1, 0.264241), (1, 2, 0.593994), (0.5, 2, 0.528482)]
)
def test_what_a_visit_to_a_changing_page_is_worth(changes: float, days: float, answer: float) -> None:
    """1 / Δ - (t + 1 / Δ)·exp(-Δt) (Olston & Pandey 2008)."""
    assert utility(one(1), one(changes), one(0), days) == pytest.approx([answer], abs=1e-6)


def test_what_waits_to_be_found_grows_with_the_square_of_the_wait() -> None:
    """3 a day for 4 days: each has waited 2 days on average, 24 in all."""
    assert utility(one(0), one(1), one(3), 4.0) == pytest.approx([24])
    assert rates_at(one(0), one(1), one(3), 24.0) == pytest.approx([1 / 4])


def test_a_page_that_changes_too_often_is_given_up() -> None:
    """A visit is worth w / Δ at the most."""
    assert rates_at(one(1), one(2), one(0), 0.5) == [0]
    assert rates_at(one(1), one(2), one(0), 0.49) > 0


def test_a_page_is_not_given_up_before_its_rate_is_known() -> None:
    """Shape 2: 2·(1 - (1 + r)·(1 + r/2)⁻²) is 2·(1 - 5 / 9) = 8/9 at r = 4, and 2 at the most."""
    assert utility(one(1), one(2), one(0), 2.0, one(2.0)) == pytest.approx([8 / 9 / 2])
    assert rates_at(one(1), one(2), one(0), 4 / 9, one(2.0)) == pytest.approx([1 / 2])
    assert rates_at(one(1), one(2), one(0), 0.99, one(2.0)) > 0
    assert rates_at(one(1), one(2), one(0), 1.0, one(2.0)) == [0]


def test_a_rate_that_is_well_known_is_as_one_that_is_certain() -> None:
    assert utility(one(1), one(0.5), one(0), 2.0, one(1e7)) == pytest.approx([0.528482], abs=1e-5)


def test_what_looks_tell_of_a_rate() -> None:
    """Short intervals tell as much as the changes that they count; long ones, each with a change, tell nothing."""
    often = history("c" + "u" * 59, 0.01)
    assert Topical().estimate(often).curve[0] == pytest.approx(
        Topical().estimate(often).changes * 0.6, rel=0.05
    )
    assert Topical().estimate(history("c" * 9, 50.0)).curve[0] < 4
    assert Topical().estimate(history()).curve[0] == 0


@given(
    rows=st.lists(
        st.tuples(st.floats(0, 1), st.floats(5e-4, 7), st.one_of(st.just(0.0), st.floats(1e-6, 10))),
        min_size=1,
        max_size=20,
    ),
    price=st.floats(1e-6, 1e6),
    known=st.one_of(st.none(), st.floats(1e-3, 100)),
)
def test_visits_are_worth_their_price(
    rows: list[tuple[float, float, float]], price: float, known: float | None
) -> None:
    worth, changes, finds = (np.array(column) for column in zip(*rows, strict=True))
    shape = None if known is None else np.full(len(rows), 1 + known)
    rates = rates_at(worth, changes, finds, price, shape)
    visited = rates > 1e-12  # beyond that a wait has no end
    seen = None if shape is None else shape[visited]
    gained = utility(worth[visited], changes[visited], finds[visited], 1 / rates[visited], seen)
    assert gained == pytest.approx(price, rel=1e-6)
    most = worth / changes * (1.0 if known is None else (1 + known) / known)
    assert (most[rates == 0] <= price * (1 + 1e-6)).all()


def cost(worth: float, changes: float, finds: float, days: float) -> float:
    """A day, of visits every so many days, by the formula at the head of the policy."""
    return worth * (1 + math.expm1(-changes * days) / (changes * days)) + finds * days / 2


def test_no_other_division_of_the_visits_costs_less() -> None:
    """Two pages and three visits a day: the best of 2,999 divisions is where visits are worth the same."""
    rows = [(1.0, 0.5, 0.2), (0.7, 2.0, 1.0)]
    worth, changes, finds = (np.array(column) for column in zip(*rows, strict=True))
    shares = np.arange(1, 3000) / 1000
    costs = [sum(cost(*row, 1 / rate) for row, rate in zip(rows, (x, 3 - x), strict=True)) for x in shares]
    best = float(shares[int(np.argmin(costs))])
    gained = utility(worth, changes, finds, 1 / np.array([best, 3 - best]))
    assert gained[0] == pytest.approx(gained[1], rel=5e-3)


def finding(found: str, finds: list[float], days: float = 1.0, **more: Any) -> History:
    """A page with what the links of each look led to, of one new link each."""
    page = history(found, days, **more)
    pairs = zip(page.looks[1:], finds, strict=True)
    looks = [msgspec.structs.replace(look, new_links=int(each > 0)) for look, each in pairs]
    return msgspec.structs.replace(page, looks=(page.looks[0], *looks), finds=(99.0, *finds))


def solved(pages: list[History], budget: float, **parameters: Any) -> Topical:
    made = Topical(**parameters)
    made.solve(Pages.of([made.estimate(page) for page in pages]), budget)
    return made


def wait(made: Topical, page: History) -> float:
    return (made.due(page, page.last.at) - page.last.at) / DAY


def test_finds_are_counted_a_day_and_the_first_look_does_not_count() -> None:
    row = Topical(sharpness=3.0, memory=1e6).estimate(finding("ccuu", [1.0, 0.5, 0.0, 0.0], 2.0))
    assert (row.days, row.finds) == pytest.approx((8, (1 + 0.5**3) / 8), rel=1e-4)


def test_new_links_count_before_they_are_visited() -> None:
    """Four on a page of relevance 1/2, sharpened 1/4, count 1; after one link that led to nothing, 1/8 each."""
    made = Topical(sharpness=2.0, memory=1e6)

    def brought(*new_links: int) -> float:
        page = history("c" * len(new_links), 1.0, relevance=0.5)
        looks = [
            msgspec.structs.replace(look, new_links=links)
            for look, links in zip(page.looks[1:], new_links, strict=True)
        ]
        row = made.estimate(msgspec.structs.replace(page, looks=(page.looks[0], *looks)))
        return row.finds * row.days

    assert brought(4) == pytest.approx(1)
    assert brought(1, 4) == pytest.approx(1 / 2)


def test_looks_are_forgotten_by_half_lives() -> None:
    """One find four days ago and one now, memory two days: (1/4 + 1) over 4·1/4 + 4 days."""
    row = Topical(memory=2.0).estimate(finding("cc", [1.0, 1.0], 4.0))
    assert (row.days, row.finds) == pytest.approx((4 / 4 + 4, (1 / 4 + 1) / 5))


def test_worth_is_sharpened_relevance_and_importance_is_left_alone() -> None:
    made = Topical(sharpness=2.0)
    assert made.estimate(history(relevance=0.5)).worth == pytest.approx(0.25)
    assert made.estimate(history(relevance=0.5, importance=0.5)).worth == pytest.approx(0.5)


def test_a_page_that_brings_new_ones_is_visited_sooner() -> None:
    hub = finding("c" * 9, [1.0] * 9, url="http://reef.test/news", relevance=0.1)
    other = finding("c" * 9, [0.0] * 9, url="http://reef.test/other", relevance=0.1)
    made = solved([hub, other], 1.0)
    assert wait(made, hub) < wait(made, other) / 2
    plain = solved([hub, other], 1.0, finds=0.0)
    assert wait(plain, hub) == pytest.approx(wait(plain, other))


def test_one_that_has_just_brought_something_is_visited_sooner_than_one_that_did_long_ago() -> None:
    late = finding("c" * 9, [0.0] * 8 + [1.0], 10.0, url="http://reef.test/late")
    early = finding("c" * 9, [1.0] + [0.0] * 8, 10.0, url="http://reef.test/early")
    made = solved([late, early], 1.0)
    assert wait(made, late) < wait(made, early)


def test_hubs_are_known_by_their_links_before_they_have_brought_anything() -> None:
    """Pages with many links have brought new ones, those with few have not: so will others of their kind."""
    hubs = [finding("c" * 5, [1.0] * 5, url=f"http://reef.test/hub{n}", links=200) for n in range(9)]
    leaves = [finding("c" * 5, [0.0] * 5, url=f"http://reef.test/leaf{n}", links=3) for n in range(9)]
    made = solved([*hubs, *leaves], 2.0)
    hub, leaf = (finding("c", [0.0], url="http://reef.test/new", links=links) for links in (150, 2))
    assert wait(made, hub) < wait(made, leaf) / 2


def test_one_that_never_brings_anything_is_visited_less_and_less_often() -> None:
    """But is not given up: what is not looked at is not learnt."""
    pages = [
        finding("u" * n, [0.0] * n, 10.0, url=f"http://reef.test/{n}", relevance=0.0) for n in (3, 10, 60)
    ]
    made = solved(pages, 1.0)
    few, more, many = (wait(made, page) for page in pages)
    assert few < more < many < NEVER / DAY


def test_a_visit_is_as_urgent_as_it_is_worth() -> None:
    page = finding("cuc", [0.0, 0.0, 1.0], 5.0)
    made = solved([page], 0.1)
    due = made.due(page, page.last.at)
    assert made.urgency(page, due) == pytest.approx(1, rel=1e-4)
    assert made.urgency(page, Millis(due + DAY)) > 1 > made.urgency(page, Millis(due - DAY)) > 0
