"""Rests, retries and giving up: known answers."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.worlds import made_page, u

from lycosa.crawl.pace import Pace, PaceRules
from lycosa.model.records import Failure, Millis, Page, Reason, Rendering, Request, Unchanged, Visit
from lycosa.model.url import Url, host_of

A = u("a")
NOW = Millis(1_000_000)


def page(url: Url = A, **fields: Any) -> Page:
    return msgspec.structs.replace(made_page(Request(url=url, order=1)), **fields)


def failure(
    reason: Reason = Reason.CONNECT, status: int = 0, *, url: Url = A, attempt: int = 1, **fields: Any
) -> Failure:
    return Failure(request=Request(url=url, order=1, attempt=attempt), reason=reason, status=status, **fields)


def busy(status: int = 503, **fields: Any) -> Failure:
    return failure(Reason.STATUS, status, **fields)


def rest(pace: Pace, visit: Visit) -> int:
    return pace.rest_after(visit, NOW).host_until - NOW


def test_a_host_rests_at_least_the_delay() -> None:
    assert rest(Pace(), page()) == 1_000
    assert rest(Pace(PaceRules(delay=Millis(250))), page()) == 250
    assert rest(Pace(), failure(Reason.STATUS, 404)) == 1_000


def test_a_host_rests_from_its_answer_where_visits_go_by_our_clock() -> None:
    """Asked 420 ms ago, answered 20 ms later: of the second 1,000 - 400 are left, and 2 for what was rounded."""
    ours = Pace(PaceRules(from_answer=True))
    asked = Millis(NOW - 420)
    assert rest(ours, page(fetched_at=asked, elapsed=Millis(20))) == 602
    again = Unchanged(request=Request(url=A, order=1), at=asked, final_url=A, elapsed=Millis(20))
    assert rest(ours, again) == 602
    assert rest(ours, failure(Reason.STATUS, 404, at=Millis(NOW - 400))) == 600
    assert rest(Pace(), page(fetched_at=asked, elapsed=Millis(20))) == 1_000


@pytest.mark.parametrize("began", [NOW - 60_000, NOW - 10, NOW + 5_000])
def test_an_answer_of_another_clock_is_not_believed(began: int) -> None:
    """A minute ago, or after now: the host rests from now."""
    ours = Pace(PaceRules(from_answer=True))
    assert rest(ours, page(fetched_at=Millis(began), elapsed=Millis(20))) == 1_000


def test_a_page_that_a_browser_made_rests_from_now() -> None:
    """The browser may have asked its host since."""
    made = page(fetched_at=Millis(NOW - 400), rendering=Rendering())
    assert rest(Pace(PaceRules(from_answer=True)), made) == 1_000


def test_a_slow_host_rests_as_long_as_its_answer_took_up_to_a_bound() -> None:
    pace = Pace(PaceRules(slowness=2.0))
    assert rest(pace, page(elapsed=Millis(400))) == 1_000
    assert rest(pace, page(elapsed=Millis(3_000))) == 6_000
    assert rest(pace, page(elapsed=Millis(60_000))) == 30_000


def test_crawl_delay_is_honoured_up_to_a_bound() -> None:
    assert rest(Pace(), page(crawl_delay=Millis(7_000))) == 7_000
    assert rest(Pace(), page(crawl_delay=Millis(10))) == 1_000
    assert rest(Pace(), page(crawl_delay=Millis(10**9))) == 300_000
    assert rest(Pace(), failure(Reason.STATUS, 404, crawl_delay=Millis(7_000))) == 7_000


def test_back_off_doubles_with_a_quarter_of_jitter() -> None:
    """5 s · 2^k · (0.75 … 1.25), up to 15 minutes."""
    pace = Pace()
    for k in range(8):
        assert 5_000 * 2**k * 0.75 <= rest(pace, failure()) <= 5_000 * 2**k * 1.25
    for _ in range(40):
        assert rest(pace, failure()) == 900_000


def test_jitter_is_spread_over_its_range_and_comes_from_seed_url_and_attempt() -> None:
    urls = [u(f"h{i}") for i in range(400)]
    rests = [rest(Pace(seed=3), failure(url=url)) for url in urls]
    assert rests == [rest(Pace(seed=3), failure(url=url)) for url in urls]
    assert rests != [rest(Pace(seed=4), failure(url=url)) for url in urls]
    assert rests != [rest(Pace(seed=3), failure(url=url, attempt=2)) for url in urls]
    assert min(rests) < 3_850
    assert max(rests) > 6_150
    assert 4_800 < sum(rests) / 400 < 5_200


def test_retry_after_is_honoured_up_to_a_day() -> None:
    assert rest(Pace(), busy(retry_after=Millis(120_000))) == 120_000
    assert rest(Pace(), busy(429, retry_after=Millis(10**9))) == 86_400_000
    assert 3_750 <= rest(Pace(), busy(retry_after=Millis(1))) <= 6_250, "never less than the back-off"
    assert 3_750 <= rest(Pace(), busy(retry_after=Millis(-500))) <= 6_250


def test_every_answer_halves_the_troubles() -> None:
    pace = Pace()
    for _ in range(8):
        rest(pace, failure())
    rest(pace, page())  # 8 → 4
    assert 5_000 * 2**4 * 0.75 <= rest(pace, failure()) <= 5_000 * 2**4 * 1.25  # the fifth
    for answer in (page(), failure(Reason.STATUS, 404), page()):  # 5 → 2 → 1 → 0
        assert rest(pace, answer) == 1_000
    assert pace.save() == {"troubles": {}}
    assert rest(pace, failure()) <= 6_250


@pytest.mark.parametrize("reason", [Reason.HOST_DOWN, Reason.ROBOTS, Reason.TLS, Reason.PRIVATE_ADDRESS])
def test_what_is_no_answer_forgives_nothing(reason: Reason) -> None:
    pace = Pace()
    for _ in range(4):
        rest(pace, failure())
    rest(pace, failure(reason))
    assert pace.save() == {"troubles": {"a.test": 4}}


def test_gives_up_after_ten_troubles_in_a_row_and_stays_by_it() -> None:
    pace = Pace()
    for _ in range(6):
        rest(pace, failure())
    assert not pace.gives_up(host_of(A))
    rest(pace, failure())
    assert pace.gives_up(host_of(A))
    for _ in range(5):
        assert rest(pace, failure(Reason.HOST_DOWN)) == 0, "nobody was asked, so nobody needs rest"
        assert pace.gives_up(host_of(A))
    assert not pace.gives_up(host_of(u("b")))


def test_tries_a_url_three_times() -> None:
    pace = Pace()
    assert [pace.retries(failure(Reason.TIMEOUT, attempt=n)) for n in (1, 2, 3, 4)] == [
        True,
        True,
        False,
        False,
    ]
    assert not Pace(PaceRules(attempts=1)).retries(failure())


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_statuses_that_may_pass(status: int) -> None:
    assert Pace().retries(busy(status))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 501, 505])
def test_statuses_that_will_not(status: int) -> None:
    assert not Pace().retries(busy(status))


def test_the_address_rests_for_delay_and_slowness_but_not_for_one_hosts_crawl_delay() -> None:
    pace = Pace()
    visit = page(address="192.0.2.1", elapsed=Millis(2_000), crawl_delay=Millis(9_000))
    found = pace.rest_after(visit, NOW)
    assert found.address == "192.0.2.1"
    assert found.host_until == NOW + 9_000
    assert found.address_until == NOW + 2_000


def test_the_address_rests_with_the_host_when_the_server_says_it_is_too_much() -> None:
    for status in (429, 503):
        found = Pace().rest_after(busy(status, address="192.0.2.1", retry_after=Millis(60_000)), NOW)
        assert found.address_until == found.host_until == NOW + 60_000
    found = Pace().rest_after(busy(500, address="192.0.2.1"), NOW)
    assert found.address_until == NOW + 1_000


def test_after_a_redirect_to_another_host_its_address_is_not_taken_for_ours() -> None:
    away = page(final_url=u("b"), hops=(A,), address="192.0.2.9")
    assert Pace().rest_after(away, NOW).address == ""
    within = page(final_url=u("a/x"), hops=(A,), address="192.0.2.9")
    assert Pace().rest_after(within, NOW).address == "192.0.2.9"
    known = failure(Reason.ALREADY_KNOWN, final_url=u("b"), hops=(A,), address="192.0.2.9")
    assert Pace().rest_after(known, NOW).address == "192.0.2.9", "b was never asked"


def test_the_trouble_of_a_redirects_target_counts_there() -> None:
    pace = Pace()
    for i in range(12):
        rest(pace, failure(final_url=u(f"dead{i}"), hops=(A,)))
    assert not pace.gives_up(host_of(A)), "a host of short links may lead to many dead hosts"
    for _ in range(12):
        rest(pace, failure(final_url=u("dead0"), hops=(A,)))
    assert pace.gives_up(host_of(u("dead0")))


def test_saved_and_loaded_it_goes_on() -> None:
    pace, other = Pace(seed=1), Pace(seed=1)
    for _ in range(5):
        rest(pace, failure())
    other.load(msgspec.json.decode(msgspec.json.encode(pace.save())))
    assert rest(other, failure()) == rest(pace, failure())


@pytest.mark.parametrize("reason", [Reason.DNS, Reason.CONNECT])
def test_a_start_page_that_cannot_be_reached_is_told_of_at_once(reason: Reason) -> None:
    pace, url = Pace(), Url("http://a.test/")
    assert not pace.retries(Failure(request=Request(url=url, order=1), reason=reason))
    assert pace.retries(Failure(request=Request(url=url, order=1, depth=1), reason=reason))


@pytest.mark.parametrize("reason", list(Reason))
def test_every_url_is_given_up_some_day(reason: Reason) -> None:
    pace = Pace()
    attempts = [attempt for attempt in range(1, 99) if pace.retries(failure(reason, 503, attempt=attempt))]
    assert attempts == list(range(1, len(attempts) + 1))
    assert len(attempts) <= 9


def test_what_is_no_http_is_not_asked_for_again_and_speaks_against_its_host() -> None:
    pace = Pace()
    assert not pace.retries(failure(Reason.PROTOCOL))
    for _ in range(7):
        rest(pace, failure(Reason.PROTOCOL))
    assert pace.gives_up(host_of(A))


def test_a_start_page_whose_answer_broke_off_is_asked_for_again() -> None:
    assert not Pace().retries(failure(Reason.CONNECT))
    assert Pace().retries(failure(Reason.CONNECT, address="192.0.2.1"))


def test_our_own_shortage_is_waited_out_longer_than_a_host_and_not_for_ever() -> None:
    pace = Pace()
    tries = range(1, 12)
    assert [pace.retries(failure(Reason.OURSELVES, attempt=n)) for n in tries] == [n < 10 for n in tries]
    rests = sum(rest(pace, failure(Reason.OURSELVES, attempt=n)) for n in range(1, 10))
    assert 25 * 60_000 < rests < 55 * 60_000
    assert not pace.gives_up(host_of(A))
