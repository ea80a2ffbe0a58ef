"""What robots.txt means by its answer: the status policy of RFC 9309, caching, back-off."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response
from lycosa.model.url import Url
from lycosa.web.robots import SIZE_LIMIT
from lycosa.web.robots.cache import DAY, MONTH, Access, Permission, RobotsCache

RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 2\nSitemap: http://a.test/map.xml\n"
Answer = Callable[[Url], Response | Fault]


def answer(
    status: int = 200, body: bytes = RULES, location: str = "", truncated: str = "", retry: str = ""
) -> Answer:
    headers = tuple((k, v) for k, v in (("Location", location), ("Retry-After", retry)) if v)

    def make(url: Url) -> Response:
        return Response(
            url=url, status=status, headers=headers, body=body, fetched_at=Millis(0), truncated=truncated
        )

    return make


def fault(reason: Reason, retry: int | None = None) -> Answer:
    return lambda url: Fault(
        reason=reason, detail="it failed", retry_after=None if retry is None else Millis(retry)
    )


class ScriptedWeb:
    """A web of a few URLs; what is not written down answers 404."""

    def __init__(self, script: dict[str, Answer]) -> None:
        self.script = script
        self.asked: list[str] = []

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        self.asked.append(url)
        await asyncio.sleep(0)
        return self.script.get(url, answer(404, b""))(url)


class SetClock:
    time = 1_000_000

    def now(self) -> Millis:
        return Millis(self.time)

    async def sleep_until(self, when: Millis) -> None:
        self.time = max(self.time, when)


class Scene:
    def __init__(self, script: dict[str, Answer], agent: str = "lycosa") -> None:
        self.web = ScriptedWeb(script)
        self.clock = SetClock()
        self.kept: list[Response] = []
        self.cache = RobotsCache(self.web, agent, self.clock, keep=self.kept.append)

    def check(self, url: str = "http://a.test/private/x") -> Permission:
        return asyncio.run(self.cache.check(Url(url)))


ROBOTS = "http://a.test/robots.txt"


def one(first: Answer) -> Scene:
    return Scene({ROBOTS: first})


def test_rules_hold_with_their_line_delay_and_sitemaps() -> None:
    scene = one(answer())
    verdict = scene.check()
    assert verdict.access is Access.DISALLOWED
    assert not verdict.allowed
    assert "/private" in verdict.rule
    assert verdict.crawl_delay == 2000
    assert verdict.sitemaps == ("http://a.test/map.xml",)
    assert scene.check("http://a.test/public").allowed
    assert scene.web.asked == [ROBOTS]
    assert [response.body for response in scene.kept] == [RULES]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_client_errors_allow_all(status: int) -> None:
    assert one(answer(status)).check().access is Access.ALLOWED


@pytest.mark.parametrize("status", [429, 500, 503, 599, 600, 999])
def test_server_errors_and_429_forbid_all_for_now(status: int) -> None:
    scene = one(answer(status))
    verdict = scene.check("http://a.test/public")
    assert verdict.access is Access.UNREACHABLE
    assert str(status) in verdict.rule
    assert verdict.retry_at == scene.clock.time + 60_000


@pytest.mark.parametrize("reason", [Reason.DNS, Reason.CONNECT, Reason.TLS, Reason.TIMEOUT, Reason.PROTOCOL])
def test_no_answer_forbids_all_and_says_why(reason: Reason) -> None:
    verdict = one(fault(reason)).check("http://a.test/public")
    assert verdict.access is Access.UNREACHABLE
    assert verdict.fault is not None
    assert verdict.fault.reason is reason


def test_what_the_recording_lacks_is_no_robots_txt() -> None:
    assert one(fault(Reason.NOT_RECORDED)).check().access is Access.ALLOWED


@pytest.mark.parametrize("cut", ["time", "disconnect", "unspecified"])
def test_half_a_file_is_as_good_as_none(cut: str) -> None:
    assert one(answer(truncated=cut)).check("http://a.test/public").access is Access.UNREACHABLE


def test_a_long_file_is_cut_at_a_whole_line() -> None:
    filler = b"# filler\n" * (SIZE_LIMIT // 9 - 10)
    late = b"Disallow: /" + b"l" * 200 + b"\n"
    scene = one(answer(body=RULES + filler + late * 100))
    assert scene.check().access is Access.DISALLOWED
    assert scene.check("http://a.test/public").allowed
    cut = one(answer(body=b"User-agent: *\nDisallow: /pub", truncated="length"))
    assert cut.check("http://a.test/public").allowed


def test_always_open_and_not_asked_for() -> None:
    scene = one(answer(body=b"User-agent: *\nDisallow: /\n"))
    assert scene.check(ROBOTS).allowed
    assert scene.web.asked == []
    assert not scene.check("http://a.test/").allowed
    assert scene.check(ROBOTS).allowed
    assert one(answer(500)).check(ROBOTS).allowed


def test_redirects_are_followed_and_the_rules_hold_for_the_first_authority() -> None:
    scene = Scene(
        {
            ROBOTS: answer(301, location="https://www.a.test/robots.txt"),
            "https://www.a.test/robots.txt": answer(302, location="/real.txt"),
            "https://www.a.test/real.txt": answer(),
        }
    )
    assert scene.check().access is Access.DISALLOWED
    assert scene.check("http://a.test/public").allowed
    assert len(scene.web.asked) == 3
    assert [response.status for response in scene.kept] == [301, 302, 200]


def test_no_waiting_where_it_is_not_a_hosts_turn() -> None:
    real = "https://www.a.test/robots.txt"
    scene = Scene({ROBOTS: answer(301, location=real), real: fault(Reason.TURN, retry=40)})
    later = scene.check()
    assert later.access is Access.LATER
    assert later.retry_at == scene.clock.time + 40
    scene.web.script[real] = answer()
    assert scene.check().access is Access.DISALLOWED
    assert scene.web.asked == [ROBOTS, real, real]


def hops(count: int) -> dict[str, Answer]:
    script = {f"http://a.test/{n}": answer(302, location=f"/{n + 1}") for n in range(1, count)}
    return {ROBOTS: answer(302, location="/1"), **script, f"http://a.test/{count}": answer()}


def test_five_hops_are_followed_and_a_sixth_is_not() -> None:
    assert Scene(hops(5)).check().access is Access.DISALLOWED
    six = Scene(hops(6))
    assert six.check().access is Access.ALLOWED
    assert len(six.web.asked) == 6


@pytest.mark.parametrize("location", ["/robots.txt", "", "http://[", "mailto:a@b.test"])
def test_a_loop_or_a_redirect_to_nowhere_is_no_robots_txt(location: str) -> None:
    scene = one(answer(302, location=location))
    assert scene.check().access is Access.ALLOWED
    assert len(scene.web.asked) == 1


def test_authorities_are_told_apart_by_scheme_and_port() -> None:
    scene = one(answer())
    for url in ("https://a.test/private", "http://a.test:8080/private", "http://b.test/private"):
        assert scene.check(url).allowed
    assert not scene.check("http://a.test/private").allowed
    assert len(scene.web.asked) == 4


def test_fresh_rules_are_used_for_a_day() -> None:
    scene = one(answer())
    scene.check()
    scene.clock.time += DAY - 1
    scene.check()
    assert len(scene.web.asked) == 1
    scene.clock.time += 1
    scene.check()
    assert len(scene.web.asked) == 2


def test_an_unreachable_file_is_asked_for_again_ever_more_slowly() -> None:
    scene = one(answer(503))
    waits = []
    for _ in range(9):
        retry_at = scene.check().retry_at
        assert retry_at is not None
        scene.check()
        waits.append((retry_at - scene.clock.time) // 1000)
        scene.clock.time = retry_at
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
    assert len(scene.web.asked) == 9
    scene.web.script[ROBOTS] = answer()
    assert scene.check("http://a.test/public").access is Access.ALLOWED


def test_retry_after_is_obeyed_up_to_a_day() -> None:
    scene = one(answer(503, retry="7200"))
    assert scene.check().retry_at == scene.clock.time + 7_200_000
    scene = one(answer(429, retry="99999999"))
    assert scene.check().retry_at == scene.clock.time + DAY
    scene = one(fault(Reason.CONNECT, retry=300_000))
    assert scene.check().retry_at == scene.clock.time + 300_000


def test_a_copy_at_hand_is_used_while_the_site_is_unreachable() -> None:
    scene = one(answer())
    scene.check()
    scene.web.script[ROBOTS] = answer(500)
    scene.clock.time += DAY
    assert scene.check("http://a.test/public").allowed
    verdict = scene.check()
    assert verdict.access is Access.DISALLOWED
    assert verdict.crawl_delay == 2000


def test_after_thirty_days_without_an_answer_all_is_allowed() -> None:
    scene = one(answer(500))
    scene.check()
    scene.clock.time += MONTH - 1
    assert scene.check().access is Access.UNREACHABLE
    scene.clock.time += DAY
    assert scene.check().access is Access.ALLOWED


def test_single_flight_and_who_gives_up_stops_no_one() -> None:
    scene = one(answer())

    async def ask() -> list[Permission]:
        url = Url("http://a.test/private")
        leader, *others = [asyncio.create_task(scene.cache.check(url)) for _ in range(10)]
        await asyncio.sleep(0)
        leader.cancel()
        return await asyncio.gather(*others)

    verdicts = asyncio.run(ask())
    assert {verdict.access for verdict in verdicts} == {Access.DISALLOWED}
    assert len(scene.web.asked) == 2


def test_bounded_and_the_authority_unused_for_longest_is_forgotten() -> None:
    scene = Scene({})
    scene.cache = RobotsCache(scene.web, "lycosa", scene.clock, capacity=2)
    for host in ("a", "b", "a", "c", "a", "b"):
        scene.check(f"http://{host}.test/")
    assert [url.split("/")[2] for url in scene.web.asked] == ["a.test", "b.test", "c.test", "b.test"]


def test_the_group_of_the_product_token_is_obeyed() -> None:
    body = b"User-agent: *\nDisallow: /\n\nUser-agent: LyCosa\nDisallow: /only\n"
    scene = one(answer(body=body))
    assert scene.check("http://a.test/x").allowed
    assert not scene.check("http://a.test/only").allowed
