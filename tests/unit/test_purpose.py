"""What a visit keeps and refuses, by the purpose of the crawl: a site with each signal on a path of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from tests.worlds import TableWeb

from lycosa.crawl.rights import NEEDS
from lycosa.drive.clock import VirtualClock
from lycosa.drive.visit import Visitor
from lycosa.model.records import (
    Failure,
    LastCapture,
    Millis,
    Page,
    Reason,
    RecordRef,
    Request,
    Response,
)
from lycosa.model.rights import Purpose
from lycosa.model.url import Url
from lycosa.web.robots.cache import RobotsCache

SITE = "http://site.test"
ROBOTS = b"""User-agent: *
Content-Usage: /robots-usage train-ai=n, search=y
Content-Signal: /robots-signal ai-train=no, ai-input=no, search=yes
"""
HEADERS: Mapping[str, tuple[str, str]] = {
    "usage": ("Content-Usage", "search=n"),
    "signal": ("Content-Signal", "ai-input=no"),
    "tdm": ("TDM-Reservation", "1"),
    "tag": ("X-Robots-Tag", "noarchive"),
}
META: Mapping[str, str] = {
    "meta-noai": '<meta name="robots" content="noai">',
    "meta-tdm": '<meta name="tdm-reservation" content="1">',
    "meta-noindex": '<meta name="robots" content="noindex">',
}
PATHS = ("plain", "robots-usage", "robots-signal", *HEADERS, *META)

REFUSED: Mapping[Purpose | None, set[str]] = {
    None: set(),
    "archive": {"tag"},
    "search": {"usage"},
    "research": set(),
    "ai-input": {"robots-signal", "signal", "tdm", "meta-noai", "meta-tdm"},
    "ai-train": {"robots-usage", "robots-signal", "tdm", "meta-noai", "meta-tdm"},
}


class Kept:
    """An archive that remembers what was written."""

    def __init__(self) -> None:
        self.urls = list[str]()

    def write(self, response: Response, before: LastCapture | None = None) -> RecordRef:
        self.urls.append(response.url.rpartition("/")[2])
        return RecordRef(file="a.warc.gz", offset=len(self.urls), length=1)

    def read(self, ref: RecordRef) -> Response:
        raise AssertionError("nothing is read again")

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
    pages = [page(path) for path in ("plain", "robots-usage", "robots-signal")]
    pages += [page(path, header) for path, header in HEADERS.items()]
    pages += [page(path, head=head) for path, head in META.items()]
    return TableWeb({each.url: each for each in [robots, *pages]})


def visited(purpose: Purpose | None) -> tuple[dict[str, Page | Failure], Kept]:
    async def all_of() -> dict[str, Page | Failure]:
        clock, web = VirtualClock(), site()
        visitor = Visitor(
            web, RobotsCache(web, "lycosa", clock), kept, lambda request, url: None, clock, purpose=purpose
        )
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
    }
