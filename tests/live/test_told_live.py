"""A refresh in real time: it listens to a sitemap and to pings, and asks its server no faster for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import lycosa
from lycosa.model.records import Arrival
from lycosa.spec.tree import FetchSpec, PolitenessSpec

DELAY = 0.15
HEAD = '<link rel="alternate" type="application/rss+xml" href="/feed">'
FEED = "<rss><channel><title>Reef</title><item><title>coral c</title><link>/c</link></item></channel></rss>"
PAGES = {
    "/": f'{HEAD}<a href="/a">a</a> <a href="/b">b</a>',
    "/a": "coral a",
    "/b": "coral b",
    "/c": "coral c",
}


class Site(ThreadingHTTPServer):
    """Four pages, of which nothing leads to the last, and a sitemap that says what its `changed` does."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answering)
        self.changed = dict.fromkeys(("/a", "/b"), datetime(2020, 1, 1, tzinfo=UTC))
        self.log: list[tuple[float, str]] = []

    @property
    def home(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, path: str) -> tuple[str, str] | None:
        if path == "/sitemap.xml":
            entries = "".join(
                f"<url><loc>{page}</loc><lastmod>{at.isoformat()}</lastmod></url>"
                for page, at in self.changed.items()
            )
            return "application/xml", f"<urlset>{entries}</urlset>"
        if path == "/feed":
            return "application/rss+xml", FEED
        return ("text/html", f"<p>coral reef {PAGES[path]}</p>") if path in PAGES else None


class Answering(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        site = self.server
        assert isinstance(site, Site)
        site.log.append((time.monotonic(), self.path))
        found = site.answer(self.path)
        kind, body = found or ("text/plain", "no")
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is written."""


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as server:
        serving = threading.Thread(target=server.serve_forever, daemon=True)
        serving.start()
        yield server
        server.shutdown()
        serving.join()


def test_sitemaps_and_pings_are_heard_and_the_server_is_asked_no_faster(site: Site, tmp_path: Path) -> None:
    out = tmp_path / "crawl"
    lycosa.crawl(
        "coral reef",
        [site.home],
        out=out,
        strategy="breadth-first",
        sitemaps=(f"{site.home}/sitemap.xml",),
        politeness=PolitenessSpec(delay=DELAY),
        fetch=FetchSpec(allow_private=True),
    ).close()
    begun = len(site.log)
    site.changed |= {"/a": datetime.now(UTC) + timedelta(seconds=1), "/c": datetime(2020, 1, 1, tzinfo=UTC)}

    def ping(visit: Arrival) -> None:
        if visit.url.endswith("/c"):
            with lycosa.open(out) as folder:
                folder.ping(f"{site.home}/b")

    lycosa.refresh(out, policy="uniform", every=4e7, seconds=3, watch=ping).close()
    asked = [path for _, path in site.log[begun:] if path != "/robots.txt"]
    assert asked[0] == "/sitemap.xml"
    assert set(asked[1:]) >= {"/a", "/b", "/c"}  # it changed, somebody said so, and it is new
    assert asked.count("/sitemap.xml") == 1
    assert min(after - before for (before, _), (after, _) in pairwise(site.log)) >= DELAY * 0.9


@pytest.mark.parametrize("feeds", [False, True])
def test_feeds_lead_to_posts_that_no_page_links_to(site: Site, tmp_path: Path, feeds: bool) -> None:
    """Only the item of a feed that the first page names leads to /c."""
    lycosa.crawl(
        "coral reef",
        [site.home],
        out=tmp_path / "posts",
        use_feeds=feeds,
        politeness=PolitenessSpec(delay=0.0),
        fetch=FetchSpec(allow_private=True),
    ).close()
    asked = [path for _, path in site.log]
    assert (asked.count("/feed"), asked.count("/c")) == (feeds, feeds)
