"""What relevant pages show, fetched over loopback beside their crawl: once, politely, and after the pages."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
from tests.live.conftest import Run
from tests.worlds import html, response

from lycosa.archive.collection import Collection
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import Session, begin, resume
from lycosa.drive.loop import unwatched
from lycosa.model.records import PLAIN, Ask, Fault, Response
from lycosa.model.url import Url, host_of
from lycosa.spec.tree import (
    CrawlSpec,
    FetchSpec,
    PolitenessSpec,
    RequisiteSpec,
    ScopeSpec,
    TopicSpec,
)
from lycosa.web.serve import Served

DELAY = 0.05
REEF, CDN = "http://reef.test", "http://cdn.test"
PAGES = [Url(f"{REEF}/{number}") for number in range(4)]
HEAD = f'<link rel=stylesheet href="{CDN}/a.css"><link rel=alternate href="/feed"><script src="{CDN}/old.js"></script>'
SHOWN = {
    f"{CDN}/a.css": ('@import "b.css"; p {background: url("/wave.png")} /* url(no.png) */', "text/css"),
    f"{CDN}/b.css": ("@font-face {src: url(sea.woff2)}", "text/css"),
    f"{CDN}/wave.png": ("\x89PNG wave", "image/png"),
    f"{CDN}/sea.woff2": ("wOF2", "font/woff2"),
    f"{CDN}/new.js": ("let reef;", "text/javascript"),
    **{f"{REEF}/{number}.png": (f"\x89PNG {number}", "image/png") for number in range(4)},
}


class Pictured:
    """Pages with a picture each, a style sheet that needs three things more, and a script that has moved. The last page
    is of something else."""

    def __init__(self) -> None:
        self.log: list[tuple[float, Url]] = []

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        self.log.append((time.monotonic(), url))
        if url in PAGES:
            number = PAGES.index(url)
            text = "A coral reef." if number < 3 else "Nothing of the kind."
            links = html(f'{text}<img src="/{number}.png"><img src="/secret.png">', PAGES, HEAD)
            return response(url, links)
        if url == f"{CDN}/old.js":
            return response(url, b"", 301, ("Location", "/new.js"))
        if url in SHOWN:
            body, kind = SHOWN[url]
            return response(url, body.encode("latin-1"), 200, ("Content-Type", kind))
        return response(url, b"", 404)

    async def close(self) -> None:
        """Nothing is open."""

    def asked(self) -> list[Url]:
        return [url for _, url in self.log if not url.endswith("robots.txt")]


def spec(port: int) -> CrawlSpec:
    return CrawlSpec(
        topic=TopicSpec(keywords=("coral",)),
        seeds=(PAGES[0],),
        pages=4,
        politeness=PolitenessSpec(delay=DELAY, backoff=0.2, slowness=0.0),
        fetch=FetchSpec(allow_private=True, connect_to=(f"*:*:127.0.0.1:{port}",)),
        scope=ScopeSpec(exclude=("secret",)),
        requisites=RequisiteSpec(fetched=True),
    )


def kept(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "requisites.jsonl").read_text().splitlines()]


@pytest.fixture
def crawled(run: Run, tmp_path: Path) -> tuple[Pictured, Path]:
    site, folder = Pictured(), tmp_path / "crawl"

    async def crawl() -> None:
        async with Served(site) as served:
            await (await begin(spec(served.port), folder)).run(unwatched)

    run(crawl())
    return site, folder


def test_what_relevant_pages_show_is_in_the_archive_each_once_and_nothing_else(
    crawled: tuple[Pictured, Path],
) -> None:
    site, folder = crawled
    wanted = {*SHOWN, f"{CDN}/old.js"} - {f"{REEF}/3.png"}
    assert set(site.asked()) == wanted | set(PAGES), (
        "neither what is excluded nor what an irrelevant page shows"
    )
    assert len(site.asked()) == len(set(site.asked())), "each once"
    archived = Collection.open([folder])
    for url in wanted - {f"{CDN}/old.js"}:
        found = archived.find(url)
        assert found is not None
        assert found.body == SHOWN[url][0].encode("latin-1")
    lines = kept(folder)
    assert {line["url"] for line in lines if line.get("page")} == set(PAGES[:3])
    refused = [line for line in lines if line["url"] == f"{REEF}/secret.png"]
    assert refused == [
        {"url": f"{REEF}/secret.png", "why": "it matches the excluded pattern 'secret'"},
    ]


def test_why_tells_what_became_of_them(crawled: tuple[Pictured, Path]) -> None:
    with CrawlFolder.open(crawled[1]) as folder:
        told = folder.why(f"{CDN}/b.css")
        assert (told.state, told.reason) == (
            "requisite",
            "fetched for the archive with status 200, 32 bytes, as relevant pages show it (--requisites)",
        )
        assert folder.why(f"{REEF}/secret.png").reason == (
            "relevant pages show it, but it was not fetched for the archive: it matches the excluded pattern 'secret'"
        )
        size = sum(len(body.encode("latin-1")) for url, (body, _) in SHOWN.items() if "3.png" not in url)
        assert folder.status().requisites == {"fetched": 8, "missing": 1, "bytes": size, "pages": 3}


def test_pages_first(crawled: tuple[Pictured, Path]) -> None:
    asked = crawled[0].asked()
    of_reef = [url for url in asked if host_of(url) == "reef.test"]
    assert set(of_reef[:4]) == set(PAGES)


def test_no_host_is_asked_faster_than_it_is_asked_for_pages(crawled: tuple[Pictured, Path]) -> None:
    for host in ("reef.test", "cdn.test"):
        times = [at for at, url in crawled[0].log if host_of(url) == host]
        assert min(later - sooner for sooner, later in pairwise(times)) >= DELAY - 0.005


def test_a_crawl_that_stops_before_they_came_fetches_them_when_it_goes_on(run: Run, tmp_path: Path) -> None:
    site, folder = Pictured(), tmp_path / "crawl"

    async def crawl() -> None:
        async with Served(site) as served:
            session: Session = await begin(spec(served.port), folder)

            def stop_at_the_last_page(visit: object) -> None:
                if session.crawl.pages == 4:
                    session.halt.ask("the test")

            await session.run(stop_at_the_last_page)
            assert not {f"{REEF}/0.png"} & set(site.asked())
            await (await resume(folder)).run(unwatched)

    run(crawl())
    assert {f"{REEF}/{number}.png" for number in range(3)} <= set(site.asked())
    assert {line["url"] for line in kept(folder) if line.get("page")} == set(PAGES[:3])
    assert len(site.asked()) == len(set(site.asked())), "each once"
