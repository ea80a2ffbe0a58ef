"""Policies of visiting again, against what is worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.visits import BEGIN, history, moved

from lycosa.model.errors import InputError
from lycosa.model.records import Millis
from lycosa.revisit import registry
from lycosa.revisit.adaptive import Adaptive, Heritrix, Nutch
from lycosa.revisit.chance import chance
from lycosa.revisit.history import DAY, History
from lycosa.revisit.optimal import Azar, Lambda
from lycosa.revisit.paced import Paced, trust
from lycosa.revisit.policy import NEVER, Floats, Pages
from lycosa.revisit.registry import describe, policy, policy_names
from lycosa.revisit.shares import Proportional, Uniform


def pages(worth: Sequence[float], changes: Sequence[float], told: Sequence[bool] | None = None) -> Pages:
    return Pages(
        np.array(changes, float),
        np.array(worth, float),
        np.zeros(len(worth)),
        is_told=None if told is None else np.array(told),
    )


def rates(made: Paced, given: Pages, budget: float) -> Floats:
    return made.rates(given, made.price(given, budget))


KNOWN = (((1, 1), (1, 4), 2), ((0.5, 0.5), (0.1, 10), 1), ((4, 1, 1), (1, 1, 9), 3))
"""Worth, changes a day, budget."""


@pytest.mark.parametrize(
    ("known", "answer"),
    list(zip(KNOWN, [(4 / 3, 2 / 3), (10 / 11, 1 / 11), (7 / 3, 2 / 3, 0)], strict=True)),
)
def test_azar_shares_as_its_closed_form(known: Any, answer: Sequence[float]) -> None:
    """Of the third: the page that changes 9 times a day is given up, as 1/9 ≤ ((2 + 1 + 3) / (3 + 11))²; of the other
    two Σ√(μΔ) = 3 and B + ΣΔ = 5, so 2 · 5/3 - 1 and 1 · 5/3 - 1."""
    worth, changes, budget = known
    assert rates(Azar(), pages(worth, changes), budget) == pytest.approx(answer, abs=1e-9)


def test_azar_keeps_as_much_fresh_as_can_be() -> None:
    """4/3 / (4/3 + 1) = 4/7 and 2/3 / (2/3 + 4) = 1/7 are 5/7; no other division of the budget does better."""
    changes = np.array([1.0, 4.0])
    best = rates(Azar(), pages((1, 1), changes), 2)
    assert float((best / (best + changes)).sum()) == pytest.approx(5 / 7)
    first = np.linspace(0, 2, 2001)
    assert float((first / (first + 1) + (2 - first) / (2 - first + 4)).max()) <= 5 / 7 + 1e-9


@pytest.mark.parametrize(
    ("known", "answer"),
    list(zip(KNOWN[:2], [(0.828427, 1.171573), (0.240253, 0.759747)], strict=True)),
)
def test_lambda_shares_by_one_price(known: Any, answer: Sequence[float]) -> None:
    """The first: 2√2 - 2 and 4 - 2√2."""
    worth, changes, budget = known
    assert rates(Lambda(), pages(worth, changes), budget) == pytest.approx(answer, abs=1e-6)
    if changes == (1, 4):
        assert Lambda().price(pages(worth, changes), budget) == pytest.approx(0.660189, abs=1e-6)


def test_lambda_visits_told_pages_at_a_share_of_their_signals() -> None:
    """p = min(1, B·μ / (Δ·Σμ)), again among the rest where that is 1: worth 1, 1, 2 and changes .1, 2, 5 with a budget
    of 3 saturate the first; the others share 2.9 as 1 : 2."""
    told = pages((1, 1, 2), (0.1, 2, 5), [True] * 3)
    assert rates(Lambda(), told, 3) == pytest.approx([0.1, 2.9 / 3, 5.8 / 3])


positive = st.floats(1e-3, 1e3)


@pytest.mark.parametrize(
    "made", [Azar(), Lambda(), Uniform(), Proportional()], ids=lambda made: type(made).__name__
)
@given(rows=st.lists(st.tuples(positive, positive), min_size=1, max_size=30), budget=positive)
def test_shares_add_up_to_the_budget(made: Paced, rows: list[tuple[float, float]], budget: float) -> None:
    shared = rates(made, pages(*zip(*rows, strict=True)), budget)
    assert (shared >= 0).all()
    assert shared.sum() == pytest.approx(budget, rel=1e-6)


@given(rows=st.lists(st.tuples(positive, positive), min_size=1, max_size=30), budget=positive)
def test_one_more_visit_gains_as_much_wherever_azar_visits(
    rows: list[tuple[float, float]], budget: float
) -> None:
    """The conditions of Karush, Kuhn and Tucker: μΔ / (ρ + Δ)² = λ, or μ / Δ ≤ λ where ρ = 0."""
    given = pages(*zip(*rows, strict=True))
    price = Azar().price(given, budget)
    shared = Azar().rates(given, price)
    gain = given.worth * given.changes / (shared + given.changes) ** 2
    assert gain[shared > 0] == pytest.approx(price, rel=1e-6)
    assert (gain[shared == 0] <= price * (1 + 1e-6)).all()


def test_a_price_holds_for_more_pages_than_are_sampled() -> None:
    many = np.random.default_rng(7).lognormal(-3, 2, (2, 50_001))
    assert rates(Lambda(), pages(*many), 777.0).sum() == pytest.approx(777, rel=1e-8)


def days_until(made: Paced | Adaptive, page: History) -> float:
    return (made.due(page, page.last.at) - page.last.at) / DAY


def solved(specification: str, given: Sequence[History], budget: float) -> Any:
    made = policy(specification)
    made.solve(Pages.of([made.estimate(page) for page in given]), budget)
    return made


def test_nothing_is_due_before_it_was_solved() -> None:
    assert policy("uniform").due(history(), Millis(0)) == NEVER


def test_uniform_comes_round() -> None:
    """Ten pages, two visits a day."""
    collection = [history("u", url=f"http://reef.test/{n}") for n in range(10)]
    assert days_until(solved("uniform", collection, 2.0), collection[0]) == pytest.approx(5)


@pytest.mark.parametrize("name", ["uniform", "heritrix"])
def test_pages_seen_once_are_visited_at_different_times(name: str) -> None:
    """Evenly over the wait of 5 days that all have."""
    collection = [history(url=f"http://reef.test/{n}") for n in range(1000)]
    made = solved(name, collection, 200.0)
    waits = np.array([days_until(made, page) for page in collection])
    assert np.histogram(waits, 5, (0, 5))[0] == pytest.approx(200, abs=4 * math.sqrt(160))


def test_random_times_have_the_mean_of_fixed_ones() -> None:
    """The mean of a thousand exponential waits is within 4 standard errors of theirs."""
    collection = [history(url=f"http://reef.test/{n}") for n in range(1000)]
    made = solved("uniform:times=poisson", collection, 200.0)
    waits = [days_until(made, page) for page in collection]
    assert sum(waits) / 1000 == pytest.approx(5, abs=4 * 5 / math.sqrt(1000))
    assert len(set(waits)) == 1000


def test_a_page_that_came_later_gets_the_budget_at_the_most() -> None:
    made = solved("lambda", [history(relevance=0)], 2.0)
    assert days_until(made, history("c", url="http://reef.test/new")) == pytest.approx(0.5)


def test_explore_gives_each_page_a_share() -> None:
    """A tenth of 4 visits a day for two pages: each has .2 at least, so waits no longer than 5 days."""
    starved, other = history("c" * 60, 0.2, relevance=1e-6), history("u", 50.0)
    made = solved("azar:explore=0.1", [starved, other], 4.0)
    assert days_until(made, starved) == pytest.approx(5, rel=1e-6)
    assert days_until(solved("azar:explore=0", [starved, other], 4.0), starved) > 1e9


def test_a_told_page_waits_for_its_signal() -> None:
    collection = [history("u", 10.0, is_told=True), history("u", 10.0)]
    made = solved("lambda", collection, 10.0)
    signal = collection[0].last.at + DAY
    assert made.due(collection[0], signal) == NEVER
    told = history("u", 10.0, is_told=True, signals=[signal])
    assert made.due(told, signal) == signal


def test_a_signal_brings_a_visit_forward_as_far_as_it_is_trusted() -> None:
    """One signal before, and it was right: (1 + 1) / (1 + 2) of the wait that was left is cut off."""
    early = BEGIN + DAY
    page = history("c", 10.0, signals=[early])
    assert trust(page) == pytest.approx(2 / 3)
    made = solved("uniform", [page], 1 / 30)
    late = page.last.at + 6 * DAY
    again = history("c", 10.0, signals=[early, late])
    assert days_until(made, page) == pytest.approx(30)
    assert days_until(made, again) == pytest.approx(6 + (30 - 6) / 3)
    assert days_until(solved("uniform:signals=false", [page], 1 / 30), again) == pytest.approx(30)


def test_a_page_is_worth_half_with_each_look_that_finds_it_gone() -> None:
    assert [policy("azar").estimate(history(found)).worth for found in ("u", "g", "gg", "ggb")] == [
        1,
        0.5,
        0.25,
        1,
    ]


HOUR = 1 / 24


def test_heritrix_waits_by_factors() -> None:
    """A day at first; without change × 1.5, with a change / 1.5, in seconds."""
    steps = ["u", "uu", "uuc", "uucc", "uuccc", "uucccu"]
    waits = [Heritrix().wait(history(found)) * 86_400 for found in steps]
    assert waits == pytest.approx([129_600, 194_400, 129_600, 86_400, 57_600, 86_400])


def test_heritrix_waits_from_an_hour_to_four_weeks() -> None:
    assert Heritrix().wait(history("c" * 63)) == pytest.approx(HOUR)
    assert Heritrix().wait(history("u" * 63)) == pytest.approx(28)


def test_a_new_dress_is_a_change_where_bytes_count() -> None:
    assert Heritrix().wait(history("d")) == pytest.approx(1.5)
    assert Heritrix(by_bytes=True).wait(history("d")) == pytest.approx(1 / 1.5)


@given(found=st.text("ucgb", max_size=62))
def test_a_change_makes_the_next_wait_shorter(found: str) -> None:
    for made in (Heritrix(), Nutch(shift=0), Nutch(shift=0, towards_least=True)):
        assert made.wait(history(found + "c")) <= made.wait(history(found + "u"))


def test_nutch_waits_by_shares() -> None:
    """30 days at first: × .8 with a change, × 1.4 without, × 1.5 when gone."""
    waits = [Nutch(shift=0).wait(history(found)) for found in ("c", "u", "g", "cu")]
    assert waits == pytest.approx([24, 42, 45, 33.6])


def test_nutch_moves_towards_the_time_of_the_change() -> None:
    """Changed at the first look, the same 10 and 20 days later: 30 · .8 · 1.4² = 47.04, less .3 · 20 days."""
    assert Nutch().wait(history("cuu", [10.0, 10.0, 10.0])) == pytest.approx(47.04 - 6)
    assert Nutch().wait(history("cu", [10.0, 500.0])) == pytest.approx(33.6 * 0.7)


def test_stormcrawler_moves_towards_its_least() -> None:
    """From 30 days half way to an hour."""
    made = Nutch(towards_least=True, decrease=0.5, least=HOUR, shift=0)
    assert made.wait(history("c")) == pytest.approx(30 - (30 - HOUR) / 2)


def test_waits_are_stretched_to_fit_the_budget() -> None:
    """Waits of 1.5 and 1 / 1.5 days ask for 2/3 + 3/2 = 13/6 visits a day; for one a day they are 13/6 as long."""
    collection = [history("u"), history("c", url="http://reef.test/2")]
    made = solved("heritrix", collection, 1.0)
    assert [days_until(made, page) for page in collection] == pytest.approx([1.5 * 13 / 6, 13 / 9])
    plain = solved("heritrix:as_published=true", collection, 1.0)
    assert [days_until(plain, page) for page in collection] == pytest.approx([1.5, 1 / 1.5])


def test_a_batch_is_visited_in_the_first_part_of_its_round() -> None:
    """A hundred pages, ten visits a day: rounds of ten days, of which a fifth is for visits."""
    collection = [history("u", url=f"http://reef.test/{n}") for n in range(100)]
    made = solved("batch:share=0.2", collection, 10.0)
    places = [made.due(page, page.last.at) / DAY % 10 for page in collection]
    assert 0 <= min(places) < 0.2
    assert 1.8 < max(places) < 2
    steady = solved("steady", collection, 10.0)
    assert max(steady.due(page, page.last.at) / DAY % 10 for page in collection) > 9.8


def test_a_page_that_was_late_keeps_its_place_in_the_round() -> None:
    collection = [history("u", url=f"http://reef.test/{n}") for n in range(10)]
    made, page = solved("steady", collection, 2.0), collection[0]
    first = made.due(page, page.last.at)
    late = made.due(moved(page, first + DAY - page.last.at), Millis(0))
    assert late - first == pytest.approx(5 * DAY, abs=1)


def test_a_round_keeps_its_length_while_the_budget_nearly_fits() -> None:
    made = policy("steady")
    for count, days in ((100, 10), (95, 10), (80, 8), (81, 8.1)):
        made.solve(pages([1] * count, [1] * count), 10.0)
        assert made.save()["days"] == pytest.approx(days)


def test_burner_takes_each_site_whole() -> None:
    collection = [history("u", url=f"http://{site}.test/{n}") for n in range(20) for site in "abcd"]
    made = solved("burner", collection, 8.0)
    first = sorted((-made.urgency(page, page.last.at), page.url[7]) for page in collection)
    order = [site for _, site in first]
    assert [site for site, before in zip(order, [" ", *order], strict=False) if site != before] == list(
        dict.fromkeys(order)
    )
    assert len({made.due(page, page.last.at) for page in collection}) == 4


def test_chance_is_spread_evenly() -> None:
    drawn = np.array([chance("page", n) for n in range(10_000)])
    assert ((drawn > 0) & (drawn < 1)).all()
    assert np.histogram(drawn, 10, (0, 1))[0] == pytest.approx(1000, abs=4 * math.sqrt(900))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("azr", "there is no policy 'azr'; did you mean 'azar'?"),
        ("azar:explor=1", "policy 'azar' has no parameter 'explor'; did you mean 'explore'?"),
        ("azar:explore=1", "policy 'azar': explore=1 is out of range: expected `float` < 1.0"),
        ("uniform:times=never", "policy 'uniform': times=never is not of type Literal['fixed', 'poisson']"),
        ("uniform:times", "policy 'uniform': 'times' is not parameter=value"),
    ],
)
def test_errors_are_one_clear_line(given: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        policy(given)
    assert str(caught.value) == told


def test_each_built_in_policy_stands_in_one_family_and_has_a_manual() -> None:
    members = [name for names in registry.FAMILIES.values() for name in names]
    assert sorted(members) == sorted(registry.BUILT_IN)
    assert policy_names() == sorted(policy_names())
    for name in registry.BUILT_IN:
        told = describe(name)
        assert told.summary.endswith(".")
        assert told.reference
        assert "\n\nUse it " in told.manual
