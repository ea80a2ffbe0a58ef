"""What is promised of the light simulation of visits."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trials import trials
from tests.unit.test_lab_time import EveryDays, life, world

from lycosa.lab.time.measures import copy_of, most_at_once
from lycosa.lab.time.visiting import Visiting
from lycosa.lab.time.world import PageLife

times = st.lists(st.floats(0.01, 20), max_size=12).map(sorted)
lives = st.lists(st.tuples(times, st.floats(1, 30)), min_size=1, max_size=6).map(
    lambda drawn: [life(changes, f"p{place}", died=died) for place, (changes, died) in enumerate(drawn)]
)


@given(lives, st.floats(0.2, 5), st.floats(0.1, 6))
@settings(max_examples=trials(100))
def test_no_more_than_allowed(pages: list[PageLife], budget: float, every: float) -> None:
    found = Visiting(world(*pages, days=20.0), EveryDays(every), budget).run()
    looks = sorted(at for page in found.looks for at in page if at > 0)
    assert all((place + 1) / budget <= at + 1e-9 for place, at in enumerate(looks))
    assert all(looks[0] == 0 for looks in found.looks)


@given(lives, st.floats(0.2, 5), st.floats(0.1, 6), st.floats(1, 20))
@settings(max_examples=trials(100))
def test_no_look_into_the_future(pages: list[PageLife], budget: float, every: float, until: float) -> None:
    def known(page: PageLife) -> PageLife:
        return life(
            page.changes[page.changes <= until], page.url[7:-6], died=page.died if page.died <= until else 99
        )

    def looks(pages: list[PageLife]) -> list[list[float]]:
        found = Visiting(world(*pages, days=20.0), EveryDays(every), budget).run()
        return [[at for at in each if at <= until] for each in found.looks]

    assert looks(pages) == looks([known(page) for page in pages])


@given(times, times, st.floats(0, 19))
def test_a_copy_is_worth_what_its_moments_are(changes: list[float], looks: list[float], since: float) -> None:
    """The integral against its definition at many moments."""
    page, looks = life(changes), [0.0, *looks]
    copy = copy_of(page, looks, since, 20)
    moments = np.linspace(since, 20, 4_001)[:-1] + (20 - since) / 8_000
    ages = []
    for now in moments:
        last = max(look for look in looks if look <= now)
        missed = [at for at in changes if last < at <= now]
        ages.append(now - missed[0] if missed else 0.0)
    assert abs(copy.age - np.mean(ages)) < 0.05
    assert abs(copy.fresh - np.mean(np.array(ages) == 0)) < 0.05
    assert 0 <= copy.captured <= copy.versions
    assert abs(copy.stale - (1 - copy.fresh)) < 1e-9  # all of its text churns


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(1, 9)).map(lambda ab: (ab[0], ab[0] + ab[1])), max_size=8
    )
)
def test_most_at_once_by_counting(spans: list[tuple[float, float]]) -> None:
    assert most_at_once(spans) == max((sum(a <= now < b for a, b in spans) for now in range(20)), default=0)
