"""What all policies of visiting again promise."""

from __future__ import annotations

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.visits import histories, moved

from lycosa.model.records import Millis
from lycosa.revisit.history import DAY, History
from lycosa.revisit.policy import NEVER, Pages, Policy
from lycosa.revisit.registry import BUILT_IN, policy

VARIANTS = (
    "uniform:times=poisson",
    "topical:sharpness=1,signals=false",
    "azar:estimator=last-modified,explore=0",
    "lambda:signals=false",
    "heritrix:as_published=true",
    "nutch:towards_least=true",
)
ALL = (*BUILT_IN, *VARIANTS)
SPENDING = tuple(each for each in ALL if not re.search("as_published=true|poisson|patterns", each))
"""Those of which each page's rate can be seen from two visits."""
GIVING_UP = re.compile("longevity|topical")

collections = st.lists(
    histories(least_relevance=0.01, least_looks=2), min_size=1, max_size=8, unique_by=lambda page: page.url
)
"""Pages that are in the round: the first wait of one that was seen once is but a part of one."""
budgets = st.floats(0.01, 100)


def solved(name: str, pages: list[History], budget: float) -> Policy:
    made = policy(name)
    made.solve(Pages.of([made.estimate(page) for page in pages]), budget)
    return made


def rate(made: Policy, page: History) -> float:
    """Visits a day, if the page stays as it is: from a visit in time to the one after it."""
    first = made.due(page, page.last.at)
    if first == NEVER:
        return 0.0
    then = made.due(moved(page, first - page.last.at), first)
    return DAY / (then - first) if then < NEVER else 0.0


# One history is shown to all policies: to think it up costs ten times what a policy makes of it.


@settings(max_examples=trials(30))
@given(pages=st.lists(histories(signals=True), min_size=1, max_size=5), budget=budgets)
def test_a_visit_is_not_in_the_past(pages: list[History], budget: float) -> None:
    for name in ALL:
        made = solved(name, pages, budget)
        for page in pages:
            assert page.last.at < made.due(page, page.last.at) <= NEVER, name


@settings(max_examples=trials(30))
@given(pages=collections, budget=budgets)
def test_rates_are_within_its_means(pages: list[History], budget: float) -> None:
    for name in SPENDING:
        made = solved(name, pages, budget)
        # A page of w / Δ next to the price is given up at once: exp(-r) is nothing beside 1 where it is 37 times as
        # often wrong as visited.
        given_up = max(made.estimate(page).changes for page in pages) / 30 if GIVING_UP.match(name) else 0.0
        spent = sum(rate(made, page) for page in pages)
        assert spent == pytest.approx(budget, rel=1e-3, abs=given_up), name


@settings(max_examples=trials(30))
@given(
    pages=st.lists(histories(signals=True), min_size=1, max_size=5),
    budget=budgets,
    later=st.integers(0, 9 * DAY),
)
def test_an_answer_is_the_same_again(pages: list[History], budget: float, later: int) -> None:
    for name in ALL:
        made, other = solved(name, pages, budget), policy(name)
        other.load(msgspec.msgpack.decode(msgspec.msgpack.encode(made.save())))
        for page in pages:
            now = Millis(page.last.at + later)
            asked = [(each.due(page, now), each.urgency(page, now)) for each in (made, made, other)]
            assert asked[0] == asked[1] == asked[2], name


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_shared_among_no_pages(name: str) -> None:
    assert solved(name, [], 10.0) is not None
