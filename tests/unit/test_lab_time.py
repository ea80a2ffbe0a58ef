"""The laboratory in time: what copies were worth, and the light simulation of visits."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan

import numpy as np
import pytest

from lycosa.drive.clock import VirtualClock
from lycosa.lab.time.made_worlds import made_world
from lycosa.lab.time.measures import coherence, copy_of, delays, gains, measured, most_at_once, requests
from lycosa.lab.time.visiting import Visiting, Visits
from lycosa.lab.time.world import PageLife, World
from lycosa.model.errors import InputError
from lycosa.model.records import Millis, Sight
from lycosa.model.url import Url
from lycosa.revisit.history import DAY, History
from lycosa.revisit.policy import NEVER, Pages, Policy
from lycosa.web.made.changing import BEGINS, ChangingShape, ChangingWeb
from lycosa.web.made.topical import TopicalShape


class EveryDays(Policy):
    """All pages at the same span; what it is told is kept."""

    def __init__(self, days: float) -> None:
        self.days = days
        self.told: dict[Url, History] = {}

    def due(self, history: History, now: Millis) -> Millis:
        self.told[history.url] = history
        return Millis(history.last.at + round(self.days * DAY))

    def solve(self, pages: Pages, budget: float) -> None:
        self.solved = (len(pages), budget)


def life(changes: Sequence[float] = (), name: str = "a", **fields: object) -> PageLife:
    return PageLife(url=Url(f"http://{name}.test/"), changes=np.array(changes, dtype=np.float64), **fields)  # type: ignore[arg-type]


def world(*pages: PageLife, days: float = 10.0) -> World:
    return World(name="w", days=days, pages=pages)


def visits(
    pages: Sequence[PageLife], looks: Sequence[Sequence[float]], found: Sequence[float] = ()
) -> Visits:
    return Visits(
        world=world(*pages), looks=tuple(map(tuple, looks)), found=tuple(found or [0.0] * len(pages))
    )


# -- copies --------------------------------------------------------------------------------------------------


def test_a_copy_over_time() -> None:
    """Changes at 2 and 5, looks at 0, 3 and 6: fresh in [0, 2), [3, 5), [6, 10); age ½ + ½ over ten days."""
    copy = copy_of(life([2, 5]), [0, 3, 6], 0, 10)
    assert (copy.fresh, copy.age) == pytest.approx((0.8, 0.1))
    assert (copy.captured, copy.versions) == (2, 2)


def test_a_copy_that_is_measured_from_later_on() -> None:
    """From 2.5 on: wrong in [2.5, 3) at ages ½ to 1, (1 - ¼) / 2 = .375, and in [5, 6): .875 over 7.5 days."""
    copy = copy_of(life([2, 5]), [0, 3, 6], 2.5, 10)
    assert (copy.fresh, copy.age) == pytest.approx((6 / 7.5, 0.875 / 7.5))
    assert (copy.captured, copy.versions) == (1, 1)


def test_a_version_between_two_looks_is_never_captured() -> None:
    copy = copy_of(life([1, 2]), [0, 3], 0, 10)
    assert (copy.captured, copy.versions) == (1, 2)
    assert copy.age == pytest.approx(0.2)  # from the first change on: ∫ over two days


def test_a_death_makes_a_copy_wrong_until_it_is_seen() -> None:
    assert copy_of(life(died=4.0), [0], 0, 10).fresh == pytest.approx(0.4)
    assert copy_of(life(died=4.0), [0, 5], 0, 10).fresh == pytest.approx(0.9)


def test_staleness_is_the_share_of_the_text_that_differs() -> None:
    """Churn .3, scroll .6 of three items; churn at 1, items at 2 and 6, a look at 4: .3 for a day, .5 for two, none
    for two, .2 for four; dead from 10 on it differs as a whole."""
    page = life([1, 2, 6], churns=np.array([True, False, False]), churn=0.3, scroll=0.6, items=3, died=10.0)
    assert copy_of(page, [0, 4], 0, 12).stale == pytest.approx((0.3 + 2 * 0.5 + 4 * 0.2 + 2) / 12)
    assert copy_of(page, [0, 4], 3, 5).stale == pytest.approx(0.5 / 2)
    assert copy_of(life(), [0], 0, 10).stale == 0


def test_a_page_that_never_changes_is_fresh() -> None:
    copy = copy_of(life(), [0], 0, 10)
    assert (copy.fresh, copy.age, copy.versions) == (1, 0, 0)


@pytest.mark.parametrize(
    ("rate", "visits_a_day", "fresh", "age"), [(1.0, 1.0, 0.632121, 0.132121), (2.0, 1.0, 0.432332, 0.216166)]
)
def test_regular_visits_to_poisson_pages(rate: float, visits_a_day: float, fresh: float, age: float) -> None:
    """F = (1 - e⁻ʳ) / r and A = (1/f)(½ - 1/r + (1 - e⁻ʳ) / r²) with r = λ / f (Cho and Garcia-Molina 2000)."""
    chance = np.random.default_rng(1)
    days = 20_000.0
    times = np.sort(chance.uniform(0, days, chance.poisson(rate * days)))
    copy = copy_of(life(times), np.arange(0, days, 1 / visits_a_day), 0, days)
    assert (copy.fresh, copy.age) == pytest.approx((fresh, age), abs=0.006)


# -- measures of a whole world -------------------------------------------------------------------------------


def test_freshness_weighted() -> None:
    """Two pages, one right all the time, one a tenth of it; the second is relevant and seldom clicked."""
    pages = [life(clicks=0.9), life([1], relevance=1.0, clicks=0.1)]
    found = measured(visits(pages, [[0], [0]]), 0)
    assert found["freshness"] == pytest.approx(0.55)
    assert found["relevant freshness"] == pytest.approx(0.1)
    assert found["embarrassment"] == pytest.approx(0.09)
    assert found["completeness"] == 0
    assert isnan(found["delay"])
    assert gains(found)["embarrassment"] == -found["embarrassment"]


def test_delays_count_from_the_first_listing_and_are_cut_at_the_end_or_at_death() -> None:
    """Pages 1 to 5 are listed at 2.5, 4, 5 and, before it is measured, 1.2; page 5 nowhere."""
    hub = life(listings=((1.2, 4), (2.5, 1), (3.0, 1), (4.0, 2), (5.0, 3)))
    pages = [
        hub,
        life(born=2.0, relevance=1.0),
        life(born=4.0),
        life(born=5.0, died=6.0),
        life(born=1.0),
        life(born=3.0),
    ]
    told = delays(visits(pages, [[0], [3], [], [], [], []], [0, 3, inf, inf, 1.5, inf]), since=1.5)
    assert told["delay"] == pytest.approx((0.5 + 6 + 1) / 3)
    assert told["relevant delay"] == 0.5
    assert (told["found"], told["relevant found"]) == (pytest.approx(1 / 3), 1)


def test_requests_and_what_they_caught() -> None:
    told = requests(visits([life([2, 5]), life(died=3.0)], [[0, 1, 3, 6, 7], [0, 4]]), since=0)
    assert told["requests a day"] == pytest.approx(5 / 10)
    assert told["requests per change"] == pytest.approx(5 / 3)


def test_coherence() -> None:
    """Copies right in [1, 4), [3, 6) and [5, ∞): two at most at one moment. Looks after the moment asked for count
    nothing."""
    pages = [life([1, 4]), life([3, 6]), life([5])]
    assert coherence(visits(pages, [[0, 2], [0, 5], [0, 5.5]]), 10) == pytest.approx(2 / 3)
    assert coherence(visits(pages, [[0, 2], [0, 5], [0, 5.5]]), 1) == 1
    assert most_at_once([(0, 1), (1, 2)]) == 1
    assert most_at_once([]) == 0


# -- pages ---------------------------------------------------------------------------------------------------


def test_divergence_between_looks() -> None:
    page = life([1, 2, 3], churns=np.array([True, False, False]), churn=0.3, scroll=0.6, items=3)
    assert page.divergence(0, 1) == pytest.approx(0.3)
    assert page.divergence(1, 2) == pytest.approx(0.2)
    assert page.divergence(0, 9) == pytest.approx(0.7)
    assert page.divergence(3, 9) == 0
    assert life([1]).divergence(0, 1) == 1


def test_listings_scroll_away() -> None:
    page = life(listings=((1.0, 7), (2.0, 8), (3.0, 9)), shown=2)
    assert page.new_listings(0, 2.5) == [8, 7]
    assert page.new_listings(0, 3) == [9, 8]  # 7 has gone
    assert page.new_listings(2, 3) == [9]
    assert page.new_listings(3, 9) == []


# -- the light simulation ------------------------------------------------------------------------------------


def test_looks_by_hand() -> None:
    """One request a day, each page due two days after its last look: by turns. Nothing is due on day 1 but the pages of
    the beginning come next all the same."""
    policy = EveryDays(2)
    found = Visiting(world(life([1], "a"), life([], "b"), days=5.0), policy, 1).run()
    assert found.looks == ((0, 1, 3, 5), (0, 2, 4))
    assert policy.solved == (2, 1)
    sights = [look.sight for look in policy.told[Url("http://a.test/")].looks]
    assert sights == [Sight.FIRST, Sight.CHANGED, Sight.SAME, Sight.SAME]
    assert policy.told[Url("http://a.test/")].looks[1].modified == DAY


def test_the_most_urgent_of_the_due_goes_first() -> None:
    class Letters(EveryDays):
        def urgency(self, history: History, now: Millis) -> float:
            return float(ord(history.url[7]))

    found = Visiting(world(life([], "a"), life([], "b"), days=4.0), Letters(0.1), 1).run()
    assert found.looks == ((0,), (0, 1, 2, 3, 4))


def test_a_new_page_is_found_fetched_first_and_credited() -> None:
    hub = life([1], "hub", listings=((1.0, 1),))
    new = life([], "new", born=0.5, relevance=1.0, seen_relevance=0.7)
    policy = EveryDays(3)
    found = Visiting(world(hub, new), policy, 1).run()
    assert found.found == (0, 1)
    assert found.looks[1][0] == 2
    history = policy.told[hub.url]
    assert [look.new_links for look in history.looks[:2]] == [0, 1]
    assert history.finds[:2] == (0, 0.7)


def test_the_dead_are_seen_gone_once() -> None:
    policy = EveryDays(2)
    Visiting(world(life([1], died=3.0)), policy, 0.5).run()
    sights = [look.sight for look in policy.told[Url("http://a.test/")].looks]
    assert sights == [Sight.FIRST, Sight.CHANGED, Sight.GONE, Sight.SAME, Sight.SAME, Sight.SAME]


def test_signals_are_heard_when_they_come() -> None:
    class Waiting(EveryDays):
        def due(self, history: History, now: Millis) -> Millis:
            self.told[history.url] = history
            later = [at for at in history.signals if at > history.last.at]
            return later[0] if later else NEVER

    policy = Waiting(0)
    pages = world(life([1.2, 6.5], is_told=True), life([2.0], "b"))
    found = Visiting(pages, policy, 1, early=False).run()
    assert found.looks == ((0, 2, 7), (0,))


def test_no_budget_is_refused() -> None:
    with pytest.raises(InputError):
        Visiting(world(life()), EveryDays(1), 0)


# -- worlds --------------------------------------------------------------------------------------------------


def test_a_world_of_a_made_up_web_tells_its_truth() -> None:
    shape = ChangingShape(pages=TopicalShape(pages=600, hosts=60, parents=2, leaves=3))
    web = ChangingWeb(shape, seed=5, clock=VirtualClock(BEGINS))
    made = made_world(web, 1, 120.0)
    assert {page.url for page in made.pages} <= set(map(web.url, range(len(web))))
    for place, page in enumerate(made.pages):
        times = [web.instant(at) for at in page.changes]
        assert times == web.changes(page.url, web.instant(0), web.instant(120))
        assert page.relevance == web.relevant(page.url, 1)
        assert abs(page.seen_relevance - page.relevance) <= 0.3
        assert place not in [item for _, item in page.listings]
        assert all(max(made.pages[item].born, page.born) <= at for at, item in page.listings)
    assert len(made.new) / len(made.pages) == pytest.approx(
        0.3 * 120 / 365, abs=0.04
    )  # all that are born by then
    assert sum(page.clicks > 0 for page in made.pages) == sum(page.relevance for page in made.pages)
