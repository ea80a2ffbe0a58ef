"""What a visit keeps and refuses, by the purpose of the crawl: a site with each signal on a path of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec
import pytest
from tests.worlds import TableWeb

from lycosa.crawl.rights import NEEDS
from lycosa.drive.clock import VirtualClock
from lycosa.drive.visit import Visitor
from lycosa.model.records import (
    Deferred,
    Failure,
    LastCapture,
    Millis,
    Page,
    Reason,
    RecordRef,
    Request,
    Response,
    Unchanged,
)
from lycosa.model.rights import Purpose
from lycosa.model.url import Url
from lycosa.web.robots.cache import RobotsCache
from lycosa.web.robots.site_wide import SitePolicies

SITE = "http://site.test"
ROBOTS = b"""User-agent: *
Content-Usage: /robots-usage train-ai=n, search=y
Content-Signal: /robots-signal ai-train=no, ai-input=no, search=yes
"""
POLICY = b'[{"location": "/site-tdm/", "tdm-reservation": 1}]'
HEADERS: Mapping[str, tuple[str, str]] = {
    "usage": ("Content-Usage", "search=n"),
    "signal": ("Content-Signal", "ai-input=no"),
    "tdm": ("TDM-Reservation", "1"),
    "tag": ("X-Robots-Tag", "noarchive"),
    "site-tdm/open-header": ("TDM-Reservation", "0"),
}
META: Mapping[str, str] = {
    "meta-noai": '<meta name="robots" content="noai">',
    "meta-tdm": '<meta name="tdm-reservation" content="1">',
    "meta-noindex": '<meta name="robots" content="noindex">',
    "site-tdm/open-meta": '<meta name="tdm-reservation" content="0">',
    "site-tdm/noai": '<meta name="robots" content="noai">',
}
PATHS = ("plain", "robots-usage", "robots-signal", "site-tdm/silent", *HEADERS, *META)

REFUSED: Mapping[Purpose | None, set[str]] = {
    None: set(),
    "archive": {"tag"},
    "search": {"usage"},
    "research": set(),
    "ai-input": {
        "robots-signal",
        "signal",
        "tdm",
        "meta-noai",
        "meta-tdm",
        "site-tdm/silent",
        "site-tdm/noai",
    },
    "ai-train": {
        "robots-usage",
        "robots-signal",
        "tdm",
        "meta-noai",
        "meta-tdm",
        "site-tdm/silent",
        "site-tdm/noai",
    },
}


class Kept:
    """An archive that remembers what was written."""

    def __init__(self) -> None:
        self.urls = list[str]()
        self.answers = list[Response]()

    def write(self, response: Response, before: LastCapture | None = None) -> RecordRef:
        self.urls.append(response.url.removeprefix(f"{SITE}/"))
        self.answers.append(response)
        return RecordRef(file="a.warc.gz", offset=len(self.urls), length=1)

    def read(self, ref: RecordRef) -> Response:
        return self.answers[ref.offset - 1]

    def annotate(self, ref: RecordRef, url: Url, fields: Mapping[str, str]) -> None:
        raise AssertionError("a visit does not decide")

    def flush(self) -> None:
        raise AssertionError("a visit does not decide when to flush")


def at(path: str) -> Url:
    return Url(f"{SITE}/{path}")


def site() -> TableWeb:
    def page(path: str, *headers: tuple[str, str], head: str = "") -> Response:
        return Response(
            url=at(path),
            status=200,
            headers=(("Content-Type", "text/html"), *headers),
            body=f"<html><head>{head}</head><p>Words of {path}.".encode(),
            fetched_at=Millis(0),
        )

    robots = Response(
        url=at("robots.txt"),
        status=200,
        headers=(("Content-Type", "text/plain"),),
        body=ROBOTS,
        fetched_at=Millis(0),
    )
    policy = msgspec.structs.replace(robots, url=at(".well-known/tdmrep.json"), body=POLICY)
    pages = [page(path) for path in ("plain", "robots-usage", "robots-signal", "site-tdm/silent")]
    pages += [page(path, header) for path, header in HEADERS.items()]
    pages += [page(path, head=head) for path, head in META.items()]
    return TableWeb({each.url: each for each in [robots, policy, *pages]})


def visited(purpose: Purpose | None) -> tuple[dict[str, Page | Failure], Kept]:
    async def all_of() -> dict[str, Page | Failure]:
        clock, web = VirtualClock(), site()
        rules = RobotsCache(web, "lycosa", clock)
        policies = SitePolicies(rules, web, clock) if purpose else rules
        visitor = Visitor(web, policies, kept, lambda request, url: None, clock, purpose=purpose)
        found = {path: await visitor(Request(url=at(path), order=1)) for path in PATHS}
        assert all(isinstance(each, Page | Failure) for each in found.values())
        return {path: each for path, each in found.items() if isinstance(each, Page | Failure)}

    kept = Kept()
    return asyncio.run(all_of()), kept


@pytest.mark.parametrize("purpose", REFUSED)
def test_what_is_refused_is_not_kept(purpose: Purpose | None) -> None:
    found, kept = visited(purpose)
    refused = {path for path, each in found.items() if isinstance(each, Failure)}
    assert refused == REFUSED[purpose]
    assert set(kept.urls) == set(PATHS) - refused
    assert all(each.reason is Reason.RIGHTS for each in found.values() if isinstance(each, Failure))


def test_every_purpose_is_tried() -> None:
    assert {purpose for purpose in REFUSED if purpose} == set(NEEDS)


def test_a_refusal_quotes_the_rule_and_says_where_it_stood() -> None:
    found, _ = visited("ai-train")
    assert isinstance(refused := found["robots-usage"], Failure)
    assert refused.detail.startswith(
        "robots.txt: Content-Usage: /robots-usage train-ai=n, search=y (AIPREF, draft-ietf-aipref-vocab"
    )
    assert refused.status == 0, "it was not asked for"
    assert isinstance(refused := found["meta-noai"], Failure)
    assert refused.detail.startswith("meta: noai (robots, ")


def test_what_is_not_refused_is_recorded() -> None:
    found, _ = visited(None)
    said = {
        path: [each.place for each in page.rights] for path, page in found.items() if isinstance(page, Page)
    }
    assert said == {
        "plain": [],
        "robots-usage": ["robots.txt", "robots.txt"],
        "robots-signal": ["robots.txt"] * 3,
        "usage": ["header"],
        "signal": ["header"],
        "tdm": ["header"],
        "tag": ["header"],
        "meta-noai": ["meta"],
        "meta-tdm": ["meta"],
        "meta-noindex": ["meta"],
        "site-tdm/silent": [],
        "site-tdm/open-header": ["header"],
        "site-tdm/open-meta": ["meta"],
        "site-tdm/noai": ["meta"],
    }


def test_a_page_supersedes_the_reservation_of_its_site_and_both_are_recorded() -> None:
    """TDMRep, "Processing priority": what a header or a page says supersedes the file; what neither says, does not."""
    found, _ = visited("ai-train")
    assert isinstance(page := found["site-tdm/open-meta"], Page)
    assert [(each.place, each.allowed) for each in page.rights] == [("well-known", False), ("meta", True)]
    assert isinstance(refused := found["site-tdm/silent"], Failure)
    assert refused.detail.startswith("well-known: /site-tdm/ tdm-reservation: 1 (TDMRep, ")
    assert refused.status == 200, "it was asked for: it might have said otherwise"


@pytest.mark.parametrize(("path", "is_kept"), [("site-tdm/open-meta", True), ("site-tdm/silent", False)])
def test_a_page_that_is_as_it_was_says_what_it_said(path: str, is_kept: bool) -> None:
    """A 304 brings neither headers of such rules nor the page."""

    async def again() -> Page | Failure | Unchanged | Deferred:
        clock, web, kept = VirtualClock(), site(), Kept()
        record = kept.write(web.answers[at(path)])
        before = LastCapture(url=at(path), at=Millis(0), digest="sha1:x", etag='"1"', record=record)
        web.answers[at(path)] = Response(url=at(path), status=304, headers=(), body=b"", fetched_at=Millis(1))
        policies = SitePolicies(RobotsCache(web, "lycosa", clock), web, clock)
        visitor = Visitor(web, policies, kept, lambda request, url: None, clock, purpose="ai-train")
        return await visitor(Request(url=at(path), order=1, before=before))

    assert isinstance(asyncio.run(again()), Unchanged if is_kept else Failure)
