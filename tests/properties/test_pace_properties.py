"""Rests are long enough whatever visits report."""

from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.worlds import made_page, u

from lycosa.crawl.pace import UNANSWERED, Pace, PaceRules, is_trouble
from lycosa.model.records import Failure, Millis, Page, Reason, Request, Visit
from lycosa.model.url import host_of

SPANS = st.none() | st.integers(0, 10**8).map(Millis)
HOSTS = st.sampled_from(["a", "b", "c"])


@st.composite
def visits(draw: st.DrawFn) -> Visit:
    request = Request(url=u(draw(HOSTS)), order=1, attempt=draw(st.integers(1, 5)))
    final = u(draw(HOSTS) + "/there")
    elapsed, crawl_delay = Millis(draw(st.integers(0, 10**5))), draw(SPANS)
    address = draw(st.sampled_from(["", "192.0.2.1", "192.0.2.2"]))
    if draw(st.booleans()):
        page = made_page(request, final=final, hops=(request.url,))
        return msgspec.structs.replace(page, elapsed=elapsed, crawl_delay=crawl_delay, address=address)
    return Failure(
        request=request,
        reason=draw(st.sampled_from(Reason)),
        status=draw(st.sampled_from([0, 404, 429, 503])),
        final_url=draw(st.none() | st.just(final)),
        hops=(request.url,),
        retry_after=draw(SPANS),
        elapsed=elapsed,
        crawl_delay=crawl_delay,
        address=address,
    )


RULES = st.builds(
    PaceRules,
    delay=st.integers(0, 5_000).map(Millis),
    slowness=st.floats(0, 3),
    backoff=st.integers(0, 9_000).map(Millis),
    max_crawl_delay=st.integers(0, 10**6).map(Millis),
)


@given(RULES, st.lists(visits(), max_size=30), st.integers(0, 10**12).map(Millis))
def test_long_enough(rules: PaceRules, history: list[Visit], now: Millis) -> None:
    pace = Pace(rules)
    for visit in history:
        rest = pace.rest_after(visit, now)
        assert rest.host_until >= now
        if isinstance(visit, Failure) and visit.reason is Reason.HOST_DOWN:
            continue
        assert rest.host_until - now >= rules.delay
        assert rest.host_until - now >= min(visit.crawl_delay or 0, rules.max_crawl_delay)
        assert rest.address_until - now >= rules.delay
        if isinstance(visit, Failure) and is_trouble(visit):
            assert rest.host_until - now >= min(visit.retry_after or 0, rules.max_retry_after)


@given(RULES, visits(), st.integers(10**9, 10**12).map(Millis), st.integers(0, 10**5))
def test_long_enough_from_the_answer(rules: PaceRules, visit: Visit, now: Millis, late: int) -> None:
    """Never sooner than from when the answer was there, never later than from when the visit was committed."""
    ended = now - late
    if isinstance(visit, Page):
        visit = msgspec.structs.replace(visit, fetched_at=Millis(ended - visit.elapsed))
    else:
        visit = msgspec.structs.replace(visit, at=Millis(ended))
    found = Pace(msgspec.structs.replace(rules, from_answer=True)).rest_after(visit, now)
    plain = Pace(rules).rest_after(visit, now)
    assert found.host_until <= plain.host_until
    assert found.address_until <= plain.address_until
    assert now - found.host_until <= late
    assert plain.host_until - found.host_until <= late


@given(st.lists(visits(), max_size=40))
def test_forgiveness(history: list[Visit]) -> None:
    """The count of a host that a visit did not leave, by its definition."""
    pace = Pace()
    for visit in history:
        host = host_of(visit.url)
        before = pace.save()["troubles"].get(host, 0)
        pace.rest_after(visit, Millis(0))
        after = pace.save()["troubles"].get(host, 0)
        stays = visit.final_url is None or host_of(visit.final_url) == host
        if stays and is_trouble(visit):
            assert after == before + 1
        elif stays and (isinstance(visit, Page) or visit.reason not in UNANSWERED):
            assert after == before // 2
        else:
            assert after in (before, before // 2)
        assert pace.gives_up(host) == (after >= pace.rules.give_up)


@given(RULES, st.lists(visits(), max_size=30), visits())
def test_own_fault(rules: PaceRules, history: list[Visit], last: Visit) -> None:
    pace = Pace(rules)
    for visit in history:
        pace.rest_after(visit, Millis(0))
    before = pace.save()
    ours = Failure(request=last.request, reason=Reason.OURSELVES)
    rest = pace.rest_after(ours, Millis(0))
    assert pace.save() == before
    assert rest.host_until >= int(min(0.75 * rules.backoff, rules.max_backoff))


@given(st.lists(visits(), max_size=30))
def test_the_right_host(history: list[Visit]) -> None:
    pace = Pace()
    for visit in history:
        before = pace.save()["troubles"]
        rest = pace.rest_after(visit, Millis(0))
        own = visit.final_url is None or host_of(visit.final_url) == host_of(visit.url)
        if isinstance(visit, Failure) and visit.reason in (
            Reason.ALREADY_KNOWN,
            Reason.OUT_OF_SCOPE,
            Reason.ELSEWHERE,
        ):
            own = True  # it stopped at the redirect
        if not own:
            assert rest.address == ""
            assert pace.save()["troubles"].get(host_of(visit.url), 0) <= before.get(host_of(visit.url), 0)
        elif rest.address:
            assert rest.address == visit.address


@given(st.lists(visits(), max_size=30), st.integers(0, 99))
def test_the_same_seed_gives_the_same_rests(history: list[Visit], seed: int) -> None:
    one, other = Pace(seed=seed), Pace(seed=seed)
    assert [one.rest_after(v, Millis(5)) for v in history] == [
        other.rest_after(v, Millis(5)) for v in history
    ]
