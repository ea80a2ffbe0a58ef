"""tdmrep.json and the licences of RSL: what they say of a page, and how they are fetched."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.crawl.rights import refused
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Reason, Response
from lycosa.model.rights import Purpose
from lycosa.model.url import Url
from lycosa.web.robots.cache import DAY, Access, Permission, RobotsCache
from lycosa.web.robots.policies import SIZE_LIMIT, licensed, reservations, said_of
from lycosa.web.robots.site_wide import RETRY, SitePolicies

SITE = "https://a.test"
ROBOTS, WELL_KNOWN, LICENCE = f"{SITE}/robots.txt", f"{SITE}/.well-known/tdmrep.json", f"{SITE}/license.xml"


def tdm(*entries: dict[str, object]) -> bytes:
    return json.dumps(entries).encode()


def rsl(inside: str, url: str = "/") -> bytes:
    return f'<rsl xmlns="https://rslstandard.org/rsl"><content url="{url}">{inside}</content></rsl>'.encode()


PERMITS = '<license><permits type="usage">{}</permits></license>'
PROHIBITS = '<license><prohibits type="usage">{}</prohibits></license>'


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("/", True), ("/directory/a", False), ("/directory/free/b", False), ("/x.jpg", False)],
)
def test_the_first_entry_that_covers_a_page_counts(path: str, allowed: bool) -> None:
    body = tdm(
        {"location": "/directory/", "tdm-reservation": 1, "tdm-policy": "https://a.test/policy.json"},
        {"location": "/directory/free/", "tdm-reservation": 0},
        {"location": "/*.jpg$", "tdm-reservation": 1},
        {"location": "/", "tdm-reservation": 0},
    )
    (found,) = said_of(Url(SITE + path), reservations(body))
    assert (found.uses, found.allowed, found.vocabulary, found.place) == (
        ("mining",),
        allowed,
        "TDMRep",
        "well-known",
    )


EXAMPLE = tdm(
    {"location": "/directory-a/", "tdm-reservation": 1},
    {
        "location": "/directory-b/html/",
        "tdm-reservation": 1,
        "tdm-policy": "https://provider.com/policies/policy.json",
    },
    {"location": "/directory-b/images/*.jpg", "tdm-reservation": 0},
)
"""The second example of TDMRep, "TDM File on the Origin Server"; what its table of patterns shows is below."""


@pytest.mark.parametrize(
    ("body", "path", "reserved"),
    [
        (tdm({"location": "/", "tdm-reservation": 1}), "/any/file", True),
        (EXAMPLE, "/directory-a/a.pdf", True),
        (EXAMPLE, "/directory-b/html/b.html", True),
        (EXAMPLE, "/directory-b/images/c.jpg", False),
        (EXAMPLE, "/directory-b/images/c.png", None),
        (EXAMPLE, "/Directory-A/a.pdf", None),
        (tdm({"location": "/this/path/exactly$", "tdm-reservation": 1}), "/this/path/exactly", True),
        (tdm({"location": "/this/path/exactly$", "tdm-reservation": 1}), "/this/path/exactly/not", None),
        (tdm({"location": "/this/*/then", "tdm-reservation": 1}), "/this/and/then", True),
        (tdm({"location": "/path/foo-%24", "tdm-reservation": 1}), "/path/foo-$", True),
    ],
)
def test_examples_of_the_specification(body: bytes, path: str, reserved: bool | None) -> None:
    found = said_of(Url(SITE + path), reservations(body))
    assert [each.allowed for each in found] == ([] if reserved is None else [not reserved])


def test_an_entry_is_quoted_with_its_policy() -> None:
    body = tdm({"location": "/", "tdm-reservation": 1, "tdm-policy": "https://a.test/policy.json"})
    (found,) = said_of(Url(SITE + "/"), reservations(body))
    assert found.written == "/ tdm-reservation: 1; tdm-policy: https://a.test/policy.json"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<!doctype html><p>Not found",
        b'{"tdm-reservation": 1}',
        b"[" * 100_000,
        tdm({"tdm-reservation": 1}),
        tdm({"location": "/", "tdm-reservation": 2}),
        tdm({"location": "/", "tdm-reservation": True}),
        tdm({"location": "/" * 3_000, "tdm-reservation": 1}),
        tdm({"location": "/", "tdm-reservation": 1}) + b" " * SIZE_LIMIT,
    ],
)
def test_what_is_no_reservation_says_nothing(body: bytes) -> None:
    assert reservations(body) == ()


@pytest.mark.parametrize(
    ("licences", "against"),
    [
        (PROHIBITS.format("ai-train"), {"ai-train"}),
        (PROHIBITS.format("ai-all"), {"ai-train", "ai-input"}),
        (PROHIBITS.format("all"), {"archive", "search", "ai-train", "ai-input"}),
        (PROHIBITS.format("ai-index"), set()),
        (PERMITS.format("search ai-input"), {"ai-train"}),
        (PERMITS.format("search,ai-input"), {"ai-train"}),
        (PERMITS.format("all"), set()),
        (PERMITS.format("search") + PERMITS.format("ai-all"), set()),
        ('<license><payment type="crawl"/></license>', {"search", "ai-train", "ai-input"}),
        ('<license><payment type="attribution"/></license>', set()),
        ("<license><payment/></license>" + PERMITS.format("search"), {"ai-train", "ai-input"}),
        ('<license><permits type="user">education</permits></license>', set()),
        ("<license/>", set()),
        ("", set()),
    ],
)
def test_what_licences_leave_out_is_refused(licences: str, against: set[Purpose]) -> None:
    rights = said_of(Url(SITE + "/page"), licensed(rsl(licences), Url(LICENCE)))
    purposes: tuple[Purpose, ...] = ("archive", "search", "research", "ai-input", "ai-train")
    assert {each for each in purposes if refused(rights, each)} == against


@pytest.mark.parametrize(
    ("pattern", "covered"),
    [
        ("/", True),
        ("/news/", True),
        ("/news/*.html$", True),
        ("https://a.test/news/*", True),
        ("https://a.test", True),
        ("/shop/", False),
        ("https://b.test/", False),
        ("//a.test/", False),
        ("", False),
    ],
)
def test_a_licence_is_about_the_pages_that_its_pattern_covers(pattern: str, covered: bool) -> None:
    found = said_of(Url(SITE + "/news/a.html"), licensed(rsl(PROHIBITS.format("all"), pattern), Url(LICENCE)))
    assert bool(found) is covered


def test_the_longest_pattern_counts() -> None:
    body = (
        f'<rsl xmlns="https://rslstandard.org/rsl"><content url="/">{PROHIBITS.format("all")}</content>'
        f'<content url="/open/">{PERMITS.format("all")}</content></rsl>'
    ).encode()
    statements = licensed(body, Url(LICENCE))
    assert refused(said_of(Url(SITE + "/a"), statements), "search")
    assert not refused(said_of(Url(SITE + "/open/a"), statements), "search")


def test_entities_are_not_expanded() -> None:
    bomb = b'<!DOCTYPE rsl [<!ENTITY a "all">]>' + rsl(PROHIBITS.format("&a;"))
    assert licensed(bomb, Url(LICENCE)) == ()
    assert licensed(bomb.decode().encode("utf-16"), Url(LICENCE)) == ()
    assert licensed(b"<a>" * 100_000, Url(LICENCE)) == ()


@given(st.binary(max_size=200), st.sampled_from([b"", b"[", b'[{"location":', rsl("")[:40], rsl("")]))
def test_never_raises(body: bytes, before: bytes) -> None:
    for statements in (reservations(before + body), licensed(before + body, Url(LICENCE))):
        assert isinstance(said_of(Url(SITE + "/a"), statements), tuple)


# ------------------------------------------------------------------------------------------------ fetching


class Site:
    """Files by their URLs; what is not there answers 404. /tdm.json has to be waited for `closed` times."""

    def __init__(self, files: dict[str, bytes | int | str]) -> None:
        self.files, self.asked = files, list[str]()
        self.closed = 0
        self.time = 1_000_000
        self.kept: list[str] = []
        robots = RobotsCache(self, "lycosa", self)
        self.policies = SitePolicies(
            robots, self, self, keep=lambda response: self.kept.append(response.url), capacity=2
        )

    def now(self) -> Millis:
        return Millis(self.time)

    async def sleep_until(self, when: Millis) -> None:
        self.time = max(self.time, when)

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        if self.closed and url.endswith("/tdm.json"):
            self.closed -= 1
            return Fault(reason=Reason.TURN, retry_after=Millis(7))
        self.asked.append(url)
        await asyncio.sleep(0)
        found = self.files.get(url, 404)
        headers = (("Location", found),) if isinstance(found, str) else ()
        status = found if isinstance(found, int) else 302 if isinstance(found, str) else 200
        body = found if isinstance(found, bytes) else b""
        return Response(url=url, status=status, headers=headers, body=body, fetched_at=self.now())

    async def close(self) -> None:
        return None

    def check(self, path: str = "/page") -> Permission:
        return asyncio.run(self.policies.check(Url(SITE + path)))


RESERVED = tdm({"location": "/", "tdm-reservation": 1})


def test_files_of_a_site_are_asked_once_and_kept() -> None:
    site = Site(
        {ROBOTS: b"License: /license.xml\n", WELL_KNOWN: RESERVED, LICENCE: rsl(PROHIBITS.format("all"))}
    )
    for _ in range(2):
        assert [each.vocabulary for each in site.check().rights] == ["RSL", "TDMRep", "RSL"]
    assert site.asked == [ROBOTS, WELL_KNOWN, LICENCE]
    assert site.kept == [WELL_KNOWN, LICENCE]


def test_licences_of_other_hosts_and_what_robots_txt_forbids_are_not_asked() -> None:
    site = Site({ROBOTS: b"License: https://b.test/l.xml\nUser-agent: *\nDisallow: /.well-known/\n"})
    assert [each.vocabulary for each in site.check().rights] == ["RSL"]
    assert site.asked == [ROBOTS]


def test_redirects_are_followed_on_the_same_host() -> None:
    moved = f"{SITE}/tdm.json"
    assert Site({WELL_KNOWN: moved, moved: RESERVED}).check().rights
    site = Site({WELL_KNOWN: "https://b.test/tdm.json", "https://b.test/tdm.json": RESERVED})
    assert not site.check().rights
    assert "https://b.test/tdm.json" not in site.asked
    assert not Site({WELL_KNOWN: WELL_KNOWN}).check().rights


def test_no_waiting() -> None:
    moved = f"{SITE}/tdm.json"
    site = Site({WELL_KNOWN: moved, moved: RESERVED})
    site.closed = 1
    verdict = site.check()
    assert (verdict.access, verdict.retry_at) == (Access.LATER, site.time + 7)
    assert site.check().rights
    assert site.asked == [ROBOTS, WELL_KNOWN, moved]


def test_single_flight() -> None:
    site = Site({WELL_KNOWN: RESERVED})

    async def both() -> list[Permission]:
        return await asyncio.gather(*(site.policies.check(Url(f"{SITE}/{n}")) for n in range(5)))

    assert all(each.rights for each in asyncio.run(both()))
    assert site.asked == [ROBOTS, WELL_KNOWN]


@pytest.mark.parametrize(("answer", "after"), [(404, DAY), (200, DAY), (503, RETRY), (429, RETRY)])
def test_fresh(answer: int, after: int) -> None:
    site = Site({WELL_KNOWN: answer})
    assert site.check().allowed
    site.time += after - 1
    site.check()
    assert site.asked.count(WELL_KNOWN) == 1
    site.time += 1
    site.files[WELL_KNOWN] = RESERVED
    assert site.check().rights
    assert site.asked.count(WELL_KNOWN) == 2


def test_bounded() -> None:
    names = ("a", "b", "c", "a")
    site = Site({f"https://{name}.test/.well-known/tdmrep.json": RESERVED for name in names})
    for name in names:
        assert asyncio.run(site.policies.check(Url(f"https://{name}.test/x"))).rights
    assert site.asked.count(WELL_KNOWN) == 2


def test_the_files_themselves_are_open() -> None:
    site = Site({WELL_KNOWN: RESERVED})
    assert site.check("/.well-known/tdmrep.json").rights == ()
    assert site.check("/robots.txt").rights == ()
    assert WELL_KNOWN not in site.asked
