"""What pages ask for: of whom, how often and in which order; and what of a page and of a style sheet is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.test_visit import Rules
from tests.worlds import response, u

from lycosa.archive.warc import WarcArchive
from lycosa.drive.clock import VirtualClock
from lycosa.drive.requisites import DAY, Requisites, good_for
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response
from lycosa.model.rendering import Asked, Kind
from lycosa.model.url import Host, Url, host_of
from lycosa.read.requisites import of_page, of_style
from lycosa.store.requisite_log import Fetched, RequisiteLog
from lycosa.web.robots.cache import Access, Permission

NOW = Millis(1_000_000)


class Slow:
    """A web whose answers take a turn of the loop, and which tells who asked at the same time."""

    def __init__(self, **headers: str) -> None:
        self.headers = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        self.asked: list[Url] = []
        self.out: dict[Host, int] = {}
        self.most = 0
        self.refusals = 0

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        if self.refusals:
            self.refusals -= 1
            return Fault(reason=Reason.TURN, retry_after=Millis(10))
        host = host_of(url)
        self.asked.append(url)
        self.out[host] = self.out.get(host, 0) + 1
        self.most = max(self.most, self.out[host])
        await asyncio.sleep(0)
        self.out[host] -= 1
        return response(
            url, b"p {}", 503 if "busy" in url else 200, ("Content-Type", "text/css"), *self.headers
        )

    async def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[WarcArchive]:
    opened = WarcArchive.open(tmp_path / "archive")
    yield opened
    opened.close()


def admit(url: Url) -> str | None:
    return None


def css(name: str) -> Asked:
    return Asked(url=u(name), kind="style")


def ask(requisites: Requisites, *asked: Asked) -> list[Response | Fault]:
    async def all_at_once() -> list[Response | Fault]:
        return await asyncio.gather(*(requisites.answer(each, u("a")) for each in asked))

    return asyncio.run(all_at_once())


def test_one_at_a_time_of_each_host(archive: WarcArchive) -> None:
    web = Slow(Cache_Control="no-store")
    requisites = Requisites(web, None, archive, VirtualClock(NOW), admit)
    ask(requisites, *(css(f"{host}/{number}") for number in range(5) for host in "ab"))
    assert web.most == 1
    assert [url for url in web.asked if host_of(url) == "a.test"] == [u(f"a/{number}") for number in range(5)]


def test_who_comes_while_another_one_waits_stands_behind(archive: WarcArchive) -> None:
    web = Slow()
    requisites = Requisites(web, None, archive, VirtualClock(NOW), admit)

    async def one_by_one() -> None:
        asked = []
        for number in range(6):
            asked.append(asyncio.create_task(requisites.answer(css(f"a/{number // 3}"), u("a"))))
            await asyncio.sleep(0)
        await asyncio.gather(*asked)

    asyncio.run(one_by_one())
    assert web.most == 1
    assert web.asked == [u("a/0"), u("a/1")]


def test_asked_once_while_it_is_good(archive: WarcArchive) -> None:
    web, clock = Slow(Cache_Control="max-age=60"), VirtualClock(NOW)
    requisites = Requisites(web, None, archive, clock, admit)
    first, second = ask(requisites, css("a/x"), css("a/x"))
    assert isinstance(first, Response)
    assert isinstance(second, Response)
    assert first.body == second.body == b"p {}"
    assert len(web.asked) == 1
    clock.pass_to(Millis(NOW + 60_001))
    ask(requisites, css("a/x"))
    assert len(web.asked) == 2


def test_who_must_wait_waits_and_who_asks_us_to_wait_is_heard(archive: WarcArchive) -> None:
    web, clock, rests = Slow(Retry_After="7"), VirtualClock(NOW), list[tuple[Host, Millis]]()
    web.refusals = 3
    requisites = Requisites(web, None, archive, clock, admit, lambda host, span: rests.append((host, span)))
    ask(requisites, css("a/busy"))
    assert clock.now() == NOW + 30
    assert rests == [(Host("a.test"), Millis(7_000))]


def test_nobody_is_asked_whom_the_crawl_may_not_ask(archive: WarcArchive) -> None:
    rules = Rules({u("b/x"): Permission(access=Access.DISALLOWED, rule="Disallow: /x")})
    web = Slow()
    requisites = Requisites(
        web, rules, archive, VirtualClock(NOW), lambda url: "outside" if "//a." in url else None
    )
    post = Asked(url=u("c/x"), kind="data", method="POST")
    found = ask(requisites, css("a/x"), css("b/x"), post)
    assert [each.detail for each in found if isinstance(each, Fault)] == [
        "outside",
        "robots.txt forbids it: Disallow: /x",
        "only GET over http and https is asked",
    ]
    assert web.asked == []
    requisites.retreat()
    (late,) = ask(requisites, css("c/x"))
    assert isinstance(late, Fault)
    assert late.reason is Reason.TURN


def test_where_the_crawl_logs_in_pages_ask_their_own_site_only(archive: WarcArchive) -> None:
    web = Slow()
    requisites = Requisites(web, None, archive, VirtualClock(NOW), admit, own_site=True)
    own, other = ask(requisites, css("a/x"), css("b/secret"))
    assert isinstance(own, Response)
    assert isinstance(other, Fault)
    assert web.asked == [u("a/x")]


@pytest.mark.parametrize(
    ("status", "headers", "kind", "span"),
    [
        (200, (), "script", DAY),
        (200, (), "data", 0),
        (200, (("Cache-Control", "public, max-age=5"),), "data", 5_000),
        (200, (("Cache-Control", "no-store"),), "script", 0),
        (200, (("Cache-Control", "max-age=0"),), "script", 0),
        (200, (("Vary", "*"),), "script", 0),
        (404, (), "script", 0),
    ],
)
def test_how_long_an_answer_is_good(
    status: int, headers: tuple[tuple[str, str], ...], kind: Kind, span: int
) -> None:
    assert good_for(response(u("a"), b"", status, *headers), kind) == span


PAGE = b"""<base href="/d/"><link rel="stylesheet preload" href=a.css><link rel=canonical href=/no>
<link rel=icon href=i.ico>
<style>@import url('b.css'); p {background: URL( "p.png?b=1&a=2" )}</style><script src=//cdn.test/s.js></script>
<img src=1.png srcset="2.png 1x, 3.png 640w"><p style="background:url(q.png)"><svg><image href=v.svg#icon /></svg>
<a href=page.html></a><img src="data:image/png;base64,AA=="><video poster=still.jpg src=film.mp4></video>"""


def test_what_a_page_needs() -> None:
    found = [(url.removeprefix("http://a.test/d/"), kind) for url, kind in of_page(PAGE, u("a/x"))]
    assert sorted(found) == sorted(
        [
            ("a.css", "style"),
            ("i.ico", "image"),
            ("b.css", "style"),
            ("p.png?b=1&a=2", "image"),
            ("http://cdn.test/s.js", "script"),
            ("1.png", "image"),
            ("2.png", "image"),
            ("3.png", "image"),
            ("q.png", "image"),
            ("v.svg", "image"),
            ("still.jpg", "image"),
        ]
    )


def test_what_a_style_sheet_needs() -> None:
    sheet = """@import "x.css"; @import url(y.css) screen; /* url(never.png) */
      @font-face {src: url('f.woff2?v=1') format("woff2"), local("x")}
      p {background: url(data:image/png,A), url(/r.gif)}"""
    assert list(of_style(sheet, u("a/s/main.css"))) == [
        (u("a/s/x.css"), "style"),
        (u("a/s/y.css"), "style"),
        (u("a/s/f.woff2?v=1"), "font"),
        (u("a/r.gif"), "image"),
    ]


def test_a_style_sheet_made_to_keep_readers_busy_does_not() -> None:
    for nasty in ("url(" * 500_000, "@import " * 250_000, "/*" * 1_000_000, "url('" + " " * 2_000_000):
        assert list(of_style(nasty, u("a"))) == []


def test_torn_lines_are_dropped_and_what_moved_is_not_missing(tmp_path: Path) -> None:
    file = tmp_path / "requisites.jsonl"
    log = RequisiteLog(file)
    log.note(Fetched(url=u("a/x"), status=200, bytes=7))
    log.note(Fetched(url=u("a/old"), status=301))
    log.note(Fetched(url=u("a/gone"), status=404, bytes=9))
    log.note(Fetched(url=u("a/no"), why="robots.txt forbids it"))
    log.note(Fetched(url=u("a"), page=True))
    expected = {"fetched": 1, "missing": 2, "bytes": 7, "pages": 1}
    assert log.counts() == expected
    with file.open("ab") as torn:
        torn.write(b'{"url": "http://a.test/half')
    again = RequisiteLog(file)
    assert again.counts() == expected
    assert u("a/x") in again
    again.note(Fetched(url=u("b"), page=True))
    assert RequisiteLog(file).pages == {u("a"), u("b")}
