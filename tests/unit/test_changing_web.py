"""The made-up web in time: how often its pages change, what servers say, what hubs list."""

from __future__ import annotations

import asyncio
import itertools
from math import exp
from statistics import mean

import pytest

from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import InputError
from lycosa.model.records import PLAIN, Ask, Millis, Response
from lycosa.model.url import Url
from lycosa.revisit.history import DAY
from lycosa.web.made.changing import BEGINS, ChangingShape, ChangingWeb
from lycosa.web.made.habits import BURST, Habit, changes, rate_of
from lycosa.web.made.lives import MIXTURES, Mixture
from lycosa.web.made.manners import HOUR, LIES, answers_304, validators, variant
from lycosa.web.made.topical import TopicalShape

SMALL = ChangingShape(
    pages=TopicalShape(pages=2_000, hosts=120, parents=3, leaves=3, failures=0, redirects=0)
)
CLOCK = VirtualClock(BEGINS)
WEB = ChangingWeb(SMALL, seed=3, clock=CLOCK)
PAGES = range(len(WEB))


def at(day: float, number: int, ask: Ask = PLAIN) -> Response:
    """What the web answers on a day."""
    web = ChangingWeb(SMALL, seed=3, clock=VirtualClock(WEB.instant(day)))
    answer = asyncio.run(web.fetch(web.url(number), ask))
    assert isinstance(answer, Response)
    return answer


# -- habits --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rhythm", ["poisson", "bursty", "daily", "weekly", "regular"])
def test_every_rhythm_keeps_its_rate(rhythm: str) -> None:
    """2,000 days at one change in two days, 40 pages: 40,000 changes, whose spread is 1 % even in bursts of five."""
    habits = [Habit(rhythm=rhythm, rate=0.5, key=key) for key in range(40)]  # type: ignore[arg-type]
    assert mean(len(changes(habit, 0, 2_000)) for habit in habits) == pytest.approx(1_000, rel=0.05)


def test_poisson_spans_are_exponential() -> None:
    """Of spans of mean 1, e⁻¹ are longer than 1 and e⁻² longer than 2."""
    times = changes(Habit(rhythm="poisson", rate=1.0, key=5), 0, 20_000)
    spans = [later - one for one, later in itertools.pairwise(times)]
    assert mean(span > 1 for span in spans) == pytest.approx(exp(-1), abs=0.015)
    assert mean(span > 2 for span in spans) == pytest.approx(exp(-2), abs=0.015)


def test_rhythms_are_what_they_say() -> None:
    def times(rhythm: str) -> list[float]:
        return changes(Habit(rhythm=rhythm, rate=1.0, key=9), 0, 3_500)  # type: ignore[arg-type]

    assert mean(8 / 24 <= t % 1 < 20 / 24 for t in times("daily")) == pytest.approx(0.9, abs=0.03)
    assert mean(t % 7 < 5 for t in times("weekly")) == pytest.approx(0.95, abs=0.02)
    regular = times("regular")
    assert {round(b - a, 6) for a, b in itertools.pairwise(regular)} == {1.0}
    bursty = times("bursty")
    close = mean(b - a <= BURST for a, b in itertools.pairwise(bursty))
    assert close > 0.75  # four of five follow another one of their burst


def test_half_of_the_pages_change_within_the_days_of_their_kind() -> None:
    """With normal quantiles as draws: the share whose first change comes within the days is 1/2."""
    from statistics import NormalDist

    z = [NormalDist().inv_cdf((place + 0.5) / 2_000) for place in range(2_000)]
    for days in (11, 50, 120):
        assert mean(1 - exp(-rate_of(each, days) * days) for each in z) == pytest.approx(0.5, abs=0.005)


# -- lives ---------------------------------------------------------------------------------------------------


def test_about_half_of_this_web_changes_within_fifty_days() -> None:
    """As of the web that was looked at daily in 1999 (Cho and Garcia-Molina, VLDB 2000)."""
    old = [page for page in PAGES if WEB.lives.born(page) < 0]
    changed = mean(any(True for _ in WEB.lives.turns(page, 0, 50)) for page in old)
    assert changed == pytest.approx(0.5, abs=0.1)


def test_divergence_of_a_mixture() -> None:
    """Churn .2, scroll .4 of ten items: any churn is .2, five items .2, twenty .4, both .6."""
    mixture = Mixture(churn=0.2, scroll=0.4, items=10)
    assert mixture.divergence(True, 0) == pytest.approx(0.2)
    assert mixture.divergence(False, 5) == pytest.approx(0.2)
    assert mixture.divergence(False, 20) == pytest.approx(0.4)
    assert mixture.divergence(True, 20) == pytest.approx(0.6)
    assert Mixture(churn=0.4, scroll=0.0).divergence(False, 3) == 0
    assert len(MIXTURES) == 3


def test_shares_of_new_pages_and_of_hubs_that_list_them() -> None:
    plain = [page for page in PAGES if not WEB.lives.is_lasting(page)]
    assert mean(WEB.lives.born(page) > 0 for page in plain) == pytest.approx(0.3, abs=0.04)
    listed = {item for hub in PAGES for _, item in WEB.lives.listed(hub)}
    assert all(WEB.lives.is_listed(page) and WEB.lives.born(page) > 0 for page in listed)
    assert len(listed) > 200


def test_a_hub_shows_the_latest_first() -> None:
    hub = max(PAGES, key=lambda page: len(WEB.lives.listed(page)))
    pairs = WEB.lives.listed(hub)
    day = pairs[-1][0]
    assert WEB.lives.shown(hub, day) == [item for _, item in pairs[::-1]][: SMALL.shown]
    assert WEB.lives.shown(hub, pairs[0][0] - 1e-6) == []
    honest = ChangingShape(pages=SMALL.pages, liars=0)
    web = ChangingWeb(honest, seed=3, clock=VirtualClock(WEB.instant(day + 0.01)))
    answer = asyncio.run(web.fetch(WEB.url(hub)))
    assert isinstance(answer, Response)
    listed = answer.body.decode().partition("<ol>")[2].partition("</ol>")[0].splitlines()[1:]
    newest = [WEB.url(item) for item in WEB.lives.shown(hub, day)]
    assert [line.split('"')[1] for line in listed] == newest


# -- answers -------------------------------------------------------------------------------------------------


def test_pages_answer_from_their_birth_to_their_death() -> None:
    dying = next(page for page in PAGES if 0 < WEB.lives.born(page) < 100 and WEB.lives.died(page) < 300)
    honest = ChangingShape(pages=SMALL.pages, liars=0)
    born, died = WEB.lives.born(dying), WEB.lives.died(dying)

    def status(day: float) -> int:
        web = ChangingWeb(honest, seed=3, clock=VirtualClock(WEB.instant(day)))
        answer = asyncio.run(web.fetch(web.url(dying)))
        assert isinstance(answer, Response)
        assert answer.fetched_at == WEB.instant(day)
        return answer.status

    assert status(born - 0.01) == 404
    assert status(born + 0.01) == 200
    assert status(died + 0.01) in (404, 410)
    assert (WEB.born(WEB.url(dying)), WEB.died(WEB.url(dying))) == (WEB.instant(born), WEB.instant(died))


def test_an_honest_server_answers_304_until_the_page_changes() -> None:
    page = next(
        page
        for page in PAGES
        if WEB.manner(page) == "honest"
        and WEB.noise(page) == "none"
        and WEB.lives.born(page) < 0
        and WEB.lives.died(page) > 90
        and WEB.changes(WEB.url(page), WEB.instant(10), WEB.instant(60))
    )
    turn = next(WEB.lives.turns(page, 10, 60)).at
    first = at(10, page)
    ask = Ask(etag=first.header("etag") or "", modified_since=first.header("last-modified") or "")
    assert at(turn - 0.001, page, ask).status == 304
    assert at(turn - 0.001, page, ask).body == b""
    assert at(turn + 0.001, page, ask).status == 200
    assert at(turn - 0.001, page).body == first.body
    assert at(turn + 0.001, page).body != first.body
    assert WEB.version(WEB.url(page), WEB.instant(turn + 0.001)) == WEB.instant(turn)


def test_noise_is_other_bytes_around_the_same_text() -> None:
    page = next(
        page
        for page in PAGES
        if WEB.noise(page) == "date"
        and WEB.manner(page) == "honest"
        and WEB.lives.born(page) < 0
        and WEB.lives.died(page) > 12
        and not list(WEB.lives.turns(page, 9, 12))
    )
    one, other = at(10, page).body.decode(), at(11, page).body.decode()
    assert one != other
    assert one.split("</header>")[1] == other.split("</header>")[1]


NOW = Millis(BEGINS + 5 * DAY)


@pytest.mark.parametrize("manner", LIES)
def test_liars(manner: str) -> None:
    etag, modified = validators(manner, "90ab", BEGINS, NOW)  # type: ignore[arg-type]
    ask = Ask(etag=etag, modified_since=modified)
    later = Millis(NOW + DAY)
    again = validators(manner, "90ab", BEGINS, later)  # type: ignore[arg-type]
    answers = answers_304(manner, ask, *again, later)  # type: ignore[arg-type]
    match manner:
        case "deaf":
            assert not answers
        case "silent":
            assert (etag, modified, answers) == ("", "", False)
        case "now":
            assert (modified, answers) == ("Tue, 06 Jan 2026 00:00:00 GMT", False)
        case "wrong":
            assert (modified, answers) == ("Thu, 01 Jan 1970 00:00:00 GMT", True)
        case "weak":
            assert etag.startswith('W/"')
            assert not answers
        case "unasked":
            hours = [Millis(NOW + hour * HOUR) for hour in range(400)]
            said = mean(answers_304("unasked", PLAIN, etag, modified, hour) for hour in hours)
            assert said == pytest.approx(0.25, abs=0.07)
        case "flapping":
            hours = [Millis(NOW + hour * HOUR) for hour in range(400)]
            assert mean(variant("flapping", hour) for hour in hours) == pytest.approx(0.5, abs=0.08)


def test_an_if_none_match_goes_before_a_date() -> None:
    date = "Tue, 06 Jan 2026 00:00:00 GMT"
    assert not answers_304("honest", Ask(etag='"other"', modified_since=date), '"90ab"', date, NOW)
    assert answers_304("honest", Ask(etag='W/"90ab"'), '"90ab"', "", NOW)
    assert answers_304("honest", Ask(modified_since="Wed, 07 Jan 2026 00:00:00 GMT"), '"90ab"', date, NOW)
    assert not answers_304("honest", Ask(modified_since="yesterday"), '"90ab"', date, NOW)
    assert not answers_304("honest", PLAIN, '"90ab"', date, NOW)


def test_what_is_no_page_answers_as_ever() -> None:
    assert WEB.version("http://x.test/", BEGINS) is None
    assert WEB.changes("http://x.test/", BEGINS, NOW) == []
    assert (WEB.born("http://x.test/"), WEB.died(WEB.url(0))) == (None, None)
    assert not WEB.relevant("http://x.test/", 0)
    robots = asyncio.run(WEB.fetch(Url("http://h0.test/robots.txt")))
    assert isinstance(robots, Response)
    assert robots.fetched_at == CLOCK.now()


def test_a_shape_that_is_none_is_refused() -> None:
    for wrong in (
        ChangingShape(kinds=((0.5, 11.0),)),
        ChangingShape(new=1.5),
        ChangingShape(life=0.0),
        ChangingShape(rhythms={"poisson": 0.3}),
    ):
        with pytest.raises(InputError):
            ChangingWeb(wrong, clock=CLOCK)
