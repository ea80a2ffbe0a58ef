"""Longevity, patterns and what people would notice, against what is worked out by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.visits import history, moved

from lycosa.model.records import Look, Millis, Sight
from lycosa.model.url import Url
from lycosa.revisit.history import DAY, History
from lycosa.revisit.longevity import (
    BoundedLongevity,
    Curve,
    Longevity,
    bounds,
    erlang,
    fitted,
    profiles,
    waits,
)
from lycosa.revisit.patterns import (
    HOUR,
    Pattern,
    Patterns,
    importance,
    merged,
    pattern,
    quietest,
    seen,
    spread,
)
from lycosa.revisit.policy import NEVER, Pages
from lycosa.revisit.user_centric import UserCentric, attention, expected


def seen_as(found: str, days: Sequence[float] | float = 1.0, **more: object) -> History:
    """As `history`, with divergence and importance of ½ for each change."""
    page = history(found, days, **more)  # type: ignore[arg-type]
    looks = tuple(
        replace(look, divergence=0.5, importance=0.5) if look.sight is Sight.CHANGED else look
        for look in page.looks
    )
    return replace(page, looks=looks)


curves = st.builds(
    Curve, share=st.floats(0, 1), life=st.floats(0.01, 1e3), items=st.sampled_from((1, 2, 3, 5, 8, 13))
)


class TestCurves:
    def test_utility_of_text_that_is_exchanged(self) -> None:
        """1/λ - (t + 1/λ)·exp(-λt)."""
        assert Curve().utility(1) == pytest.approx(0.264241, abs=1e-6)
        assert Curve().utility(2) == pytest.approx(0.593994, abs=1e-6)
        assert Curve(life=2).utility(2) == pytest.approx(0.528482, abs=1e-6)

    def test_divergence_of_churn_and_scroll(self) -> None:
        """λt = 1: 1 - 1/e of the lives of one item are over, 1 - 2/e of those of two."""
        assert Curve().divergence(1) == pytest.approx(1 - 1 / math.e)
        assert Curve(life=2, items=2).divergence(1) == pytest.approx(1 - 2 / math.e)
        assert Curve(share=0.5).divergence(1) == pytest.approx((1 - 1 / math.e) / 2)

    @given(curves, st.floats(0.01, 5))
    def test_utility_is_t_times_divergence_less_what_lies_below_it(self, curve: Curve, lives: float) -> None:
        days = lives * curve.life
        x = np.linspace(0, days, 2_001)
        y = [curve.divergence(each) for each in x.tolist()]
        below = float(np.trapezoid(y, x))
        assert curve.utility(days) == pytest.approx(days * y[-1] - below, rel=0.01, abs=0.01 * curve.life)

    @given(curves, st.lists(st.floats(0, 1e4), min_size=2, max_size=8))
    def test_utility_never_falls_and_stays_below_share_life(self, curve: Curve, days: list[float]) -> None:
        told = [curve.utility(each) for each in sorted(days)]
        assert all(later >= sooner - 1e-9 * curve.life for sooner, later in itertools.pairwise(told))
        assert told[-1] <= curve.share * curve.life * (1 + 1e-12)

    @given(st.floats(0, 1e4))
    def test_a_static_page_share_0_has_no_utility(self, days: float) -> None:
        assert Curve(share=0).utility(days) == 0

    @given(curves, st.floats(1e-6, 0.99999))
    def test_a_wait_ends_when_the_utility_is_the_price(self, curve: Curve, part: float) -> None:
        if curve.share < 1e-6:
            return
        price = part * curve.share * curve.life
        days = float(waits(np.array([1.0]), row(curve), price)[0])
        assert curve.utility(days) == pytest.approx(price, rel=1e-3)

    def test_no_wait_is_long_enough_for_more_than_there_is(self) -> None:
        assert waits(np.array([1.0]), row(Curve(share=0.5, life=2)), 1.0)[0] == math.inf

    def test_the_tail_of_small_times_is_exact(self) -> None:
        assert erlang(2, 1e-9) == pytest.approx(5e-19, rel=1e-6)
        assert erlang(3, 0) == 0


def row(*curves: Curve) -> Pages:
    ones = np.ones(len(curves))
    return Pages(
        np.array([1 / each.life for each in curves]),
        ones,
        0 * ones,
        curve=np.array([(each.share, each.items) for each in curves], float),
    )


class TestProfiles:
    def test_a_profile_begins_at_each_change_and_ends_with_the_next(self) -> None:
        page = seen_as("udcuc", [1, 2, 3, 4, 5])
        assert profiles(page.looks) == [[(1, 0), (3, 0), (6, 0.5)], [(4, 0), (9, 0.5)]]
        assert profiles(seen_as("").looks) == []

    def test_a_page_that_goes_is_another_one(self) -> None:
        assert profiles(history("gu").looks) == [[(1, 1)], [(1, 0)]]

    def test_a_change_that_nobody_measured_is_one_of_all(self) -> None:
        page = history("c")
        assert page.last.importance == 0
        assert profiles(page.looks) == [[(1, 1)]]
        assert importance(*page.looks) == 1

    def test_a_fit_finds_the_curve_that_made_the_points(self) -> None:
        for curve in (Curve(share=0.6, life=8), Curve(share=0.8, life=20, items=5)):
            days = [1.0, 2, 4, 8, 16, 32, 64] * 8
            found = fitted([[(each, curve.divergence(each))] for each in days])
            for each in (3, 10, 30):
                assert found.divergence(each) == pytest.approx(curve.divergence(each), abs=0.05)

    def test_bounds_of_the_utility_of_a_profile(self) -> None:
        """3 days: no change on the first, ½ on the third. At most ½ is lost for two days, at least nothing."""
        assert bounds([(1, 0.0), (3, 0.5)]) == (pytest.approx(0.5), pytest.approx(1.5))
        assert bounds([(2, 1.0)]) == (0, 2)

    def test_bounds_hold_the_utility_of_any_curve(self) -> None:
        curve, days = Curve(share=0.7, life=3), [0.5, 1, 2, 5]
        least, most = bounds([(each, curve.divergence(each)) for each in days])
        assert least <= curve.utility(5) <= most


class TestLongevity:
    def test_churn_is_visited_less_than_scroll_of_as_many_changes(self) -> None:
        """Items that come once a day: one is on the page for a day, five stay for five days."""
        churn, scroll = Longevity().rates(row(Curve(life=1), Curve(life=5, items=5)), 2.0)
        assert churn == pytest.approx(1 / 20), "by the risk alone: 10 · 2 days"
        assert scroll > 2 * churn

    def test_a_static_page_is_visited_for_the_risk_alone(self) -> None:
        static, other = Longevity(risk=5.0).rates(row(Curve(share=0), Curve(life=30)), 1.0)
        assert static == pytest.approx(1 / 5)
        assert other == pytest.approx(1 / waits(np.ones(1), row(Curve(life=30)), 1.0)[0]) or other == static

    def test_bounds_leave_the_wait_as_it_is_while_they_hold_the_price(self) -> None:
        """2 days with utilities from 1 to 3: for T = 2 it stays, for 12 it doubles, for ¼ it halves."""
        page = Pages(np.array([0.5]), np.ones(1), np.zeros(1), curve=np.array([[1.0, 3.0]]))
        made = BoundedLongevity(risk=1_000.0)
        assert [1 / float(made.rates(page, price)[0]) for price in (2.0, 12.0, 0.25)] == pytest.approx(
            [2, 4, 1]
        )

    def test_bounds_of_a_page_that_never_changed_leave_the_risk(self) -> None:
        made = BoundedLongevity(risk=10.0, explore=0.0)
        page = history("uuu")
        made.solve(Pages.of([made.estimate(page)]), 0.25)
        assert made.due(page, page.last.at) - page.last.at == pytest.approx(4 * DAY, rel=1e-6)


class TestUserCentric:
    def test_attention_falls_from_the_first_to_the_fourth_answer(self) -> None:
        """V(1) - V(4) = 1 - 4^(-3/2) = 7/8."""
        assert attention(1) - attention(4) == pytest.approx(0.875)
        assert attention(0) == 0

    def test_the_gain_of_a_change_is_the_mean_of_those_before(self) -> None:
        page = replace(history("ucuc"), gains=(0.0, 0.0, 0.3, 0.0, 0.0), standing=0.9)
        assert expected(page) == pytest.approx(0.4)
        assert expected(replace(history("uu"), gains=(0.9, 0.0, 0.0), standing=0.9)) == 0.9
        assert expected(history("ucuc", relevance=0.7)) == 0.7, "without a log"

    def test_a_page_that_no_query_finds_has_priority_0(self) -> None:
        made = UserCentric(explore=0.0)
        unseen, asked = (replace(history("cc"), gains=(g, g, g), standing=g) for g in (0.0, 0.2))
        made.solve(Pages.of([made.estimate(page) for page in (unseen, asked)]), 1.0)
        assert made.due(unseen, unseen.last.at) == NEVER
        assert made.due(asked, asked.last.at) - asked.last.at == pytest.approx(DAY, rel=1e-5)

    def test_rates_spend_the_budget(self) -> None:
        made = UserCentric(explore=0.0)
        pages = Pages(
            np.array([0.1, 1, 3]), np.array([1.0, 0.1, 2]), np.zeros(3), curve=np.array([(1.0, 1.0)] * 3)
        )
        assert made.rates(pages, made.price(pages, 2.0)).sum() == pytest.approx(2.0)


MIDNIGHT = 20_000 * DAY


class TestPatterns:
    def test_the_mean_of_each_slot_over_the_periods(self) -> None:
        """Two days of four slots, looked at when each slot ended: changes (0, 8, 0, 0) and (0, 6, 0, 2)."""
        quarter = DAY // 4
        spans = [
            (MIDNIGHT + n * quarter, MIDNIGHT + (n + 1) * quarter, float(weight))
            for n, weight in enumerate((0, 8, 0, 0, 0, 6, 0, 2))
        ]
        changed, watched = spread(spans, DAY, 4)
        assert (changed / watched).tolist() == pytest.approx([0, 7, 0, 1])

    def test_urgency_in_the_second_slot_after_three_hours(self) -> None:
        busy = Pattern(slots=(0, 7, 0, 1))
        assert busy.urgency(1.0, MIDNIGHT + 4 * HOUR, MIDNIGHT + 7 * HOUR) == pytest.approx(21)
        assert busy.urgency(1.0, MIDNIGHT, MIDNIGHT + 3 * HOUR) == 0

    def test_a_span_over_slots_is_spread_by_time(self) -> None:
        """From 23:30 to 01:00 there are half an hour of the last slot and an hour of the first."""
        begin = MIDNIGHT + DAY - HOUR // 2
        changed, watched = spread([(begin, begin + HOUR * 3 // 2, 0.6)], DAY, 24)
        assert (watched[23], watched[0]) == (0.5, 1.0)
        assert (changed[23], changed[0]) == (pytest.approx(0.2), pytest.approx(0.4))
        assert watched.sum() == 1.5

    @given(
        st.lists(st.tuples(st.integers(1, 30 * HOUR), st.floats(0, 1)), max_size=20),
        st.integers(0, 3 * DAY),
        st.sampled_from([(DAY, 24), (7 * DAY, 7), (DAY, 4)]),
    )
    def test_nothing_is_lost(
        self, steps: list[tuple[int, float]], begin: int, period: tuple[int, int]
    ) -> None:
        at, spans = begin, []
        for step, weight in steps:
            spans.append((at, at + step, weight))
            at += step
        changed, watched = spread(spans, *period)
        assert float(changed.sum()) == pytest.approx(sum(weight for _, weight in steps))
        assert float(watched.sum()) * period[0] / period[1] == pytest.approx(at - begin)

    @given(
        st.lists(st.just(0.0) | st.floats(0.01, 5), min_size=4, max_size=4).filter(any),
        st.integers(0, DAY),
        st.lists(st.floats(0.01, 30), min_size=1, max_size=5),
    )
    def test_waits_add_up(self, slots: list[float], last: int, wanted: list[float]) -> None:
        """Visits one after the other come as late as one for all: their rate is that of their importance."""
        busy = Pattern(slots=tuple(slots))
        at = last
        for each in wanted:
            before, at = at, busy.reached(at, each)
            assert before < at
        assert busy.between(last, at) == pytest.approx(sum(wanted), abs=1e-5), "up to a millisecond each"

    def test_time_in_quiet_slots_does_not_count(self) -> None:
        """All changes come in the second quarter: what is wanted is there in its middle, the next day at the latest."""
        busy = Pattern(slots=(0.0, 1.0, 0.0, 0.0))
        noon_before = MIDNIGHT + 12 * HOUR
        assert busy.reached(noon_before, 0.5) == MIDNIGHT + DAY + 9 * HOUR
        assert busy.reached(noon_before, 2.5) == MIDNIGHT + 3 * DAY + 9 * HOUR
        assert Pattern(slots=(0.0, 0.0)).reached(noon_before, 1.0) == NEVER

    @given(
        st.floats(0.01, 10),
        st.lists(st.tuples(st.floats(0.1, 1), st.integers(1, DAY)), min_size=2, max_size=6),
    )
    def test_a_uniform_pattern_asks_for_visits_as_age_times_importance_does(
        self, height: float, pages: list[tuple[float, int]]
    ) -> None:
        flat = Pattern(slots=(height,) * 24)
        now = MIDNIGHT + 2 * DAY
        asked = [flat.urgency(worth, MIDNIGHT + age, now) for worth, age in pages]
        plain = [height * worth * (now - MIDNIGHT - age) / HOUR for worth, age in pages]
        assert asked == pytest.approx(plain)
        assert flat.reached(MIDNIGHT, 6 * height) == pytest.approx(MIDNIGHT + 6 * HOUR, abs=1)

    def test_pages_that_change_alike_have_one_pattern(self) -> None:
        a, b, c = (Url(f"http://reef.test/{name}") for name in "abc")
        found = merged(
            {a: Pattern(slots=(0, 7, 0, 1)), b: Pattern(slots=(4, 0, 0, 0)), c: Pattern(slots=(0, 5, 0, 1))}
        )
        assert [urls for _, urls in found] == [(a, c), (b,)]
        assert found[0][0].slots == (0, 6, 0, 1)
        assert merged({}) == []

    def test_the_quietest_time_goes_over_the_end_of_the_period(self) -> None:
        busy = [Pattern(slots=(0, 7, 2, 1)), Pattern(slots=(1, 0, 5, 0))]
        assert quietest(busy, 1) == 0, "slots of 1, 7, 7, 1"
        assert quietest(busy, 2) == 3
        assert quietest(busy, 9) == 0, "two periods and the quietest slot"

    def test_a_page_is_visited_when_it_changes(self) -> None:
        """Found changed each morning at 9 and never otherwise, looked at each hour: due at 9."""
        looks = [Look(at=Millis(MIDNIGHT), sight=Sight.FIRST, relevance=1.0)]
        for hour in range(1, 60):
            changed = hour % 24 == 9
            looks.append(
                Look(
                    at=Millis(MIDNIGHT + hour * HOUR),
                    sight=Sight.CHANGED if changed else Sight.SAME,
                    importance=float(changed),
                    relevance=1.0,
                )
            )
        page = replace(history(""), looks=tuple(looks))
        made = Patterns(imagined=0.01, explore=0.0)
        made.solve(Pages.of([made.estimate(page)]), 1.0)
        due = made.due(page, page.last.at)
        assert due == MIDNIGHT + 3 * DAY + 9 * HOUR
        assert made.urgency(page, Millis(due - 1)) > made.urgency(page, Millis(due + 2 * HOUR))

    def test_a_week_has_slots_of_days(self) -> None:
        page = moved(seen_as("c" * 14, 1.0), -(history("").last.at % (7 * DAY)))
        found = pattern(page.looks, "week")
        assert found.span == DAY
        assert len(found.slots) == 7
        _, watched = seen(page.looks, "week")
        assert watched.tolist() == pytest.approx([2] * 7)
        assert importance(page.looks[0], page.looks[1]) == 0.5
