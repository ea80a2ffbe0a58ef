"""A page that its scripts make, rendered and archived with what it shows: pywb and ReplayWeb.page show it as it was.

For what these need see `test_pywb.py` and `test_replayweb.py`.
"""

from __future__ import annotations

import asyncio
import struct
import subprocess
import zlib
from pathlib import Path
from time import gmtime, strftime

import pytest
from tests.outside import test_pywb, test_replayweb
from tests.worlds import response

from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.packed import write_packed
from lycosa.crawls.session import begin
from lycosa.drive.loop import unwatched
from lycosa.model.records import PLAIN, Ask, Fault, Millis, Response
from lycosa.model.url import Url
from lycosa.spec.tree import CrawlSpec, FetchSpec, PolitenessSpec, RenderSpec, RequisiteSpec, TopicSpec
from lycosa.web.serve import Served

HOME, CDN = Url("http://reef.test/0"), "http://cdn.test"
WIDE, HIGH = 7, 5


def picture() -> bytes:
    """A PNG of one colour."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    head = struct.pack(">IIBBBBB", WIDE, HIGH, 8, 2, 0, 0, 0)
    lines = (b"\0" + b"\x00\x40\x80" * WIDE) * HIGH
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(lines))
        + chunk(b"IEND", b"")
    )


PAGE = f"""<!DOCTYPE html><title>Reef</title><link rel=stylesheet href="{CDN}/a.css"><body><div id=root></div>
<script src="{CDN}/app.js"></script>"""
SCRIPT = """fetch("/coral.json").then(r => r.json()).then(it => {
  root.innerHTML = `<h1>${it.name}</h1><img src="/reef.png"><p id=told></p>`;
  document.images[0].onload = event => {
    told.textContent = `coral picture ${event.target.naturalWidth} wide, ${getComputedStyle(root).color}`; };
});"""
SITE: dict[str, tuple[bytes, str]] = {
    HOME: (PAGE.encode(), "text/html"),
    f"{CDN}/a.css": (b'@import "b.css";', "text/css"),
    f"{CDN}/b.css": (b"#root {color: rgb(1, 2, 3)}", "text/css"),
    f"{CDN}/app.js": (SCRIPT.encode(), "text/javascript"),
    "http://reef.test/coral.json": (b'{"name": "Coral"}', "application/json"),
    "http://reef.test/reef.png": (picture(), "image/png"),
}
TOLD = f"coral picture {WIDE} wide, rgb(1, 2, 3)"


class Reef:
    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        body, kind = SITE.get(url, (b"", "text/plain"))
        return response(url, body, 200 if url in SITE else 404, ("Content-Type", kind))

    async def close(self) -> None:
        """Nothing is open."""


def crawled(folder: Path) -> None:
    async def crawl() -> None:
        async with Served(Reef()) as served:
            spec = CrawlSpec(
                topic=TopicSpec(keywords=("coral",)),
                seeds=(HOME,),
                pages=1,
                politeness=PolitenessSpec(delay=0.0),
                fetch=FetchSpec(allow_private=True, connect_to=(f"*:*:127.0.0.1:{served.port}",)),
                render=RenderSpec(when="always"),
                requisites=RequisiteSpec(fetched=True),
            )
            await (await begin(spec, folder)).run(unwatched)

    asyncio.run(crawl())


@pytest.mark.skipif(test_replayweb.CHROMIUM is None, reason="there is no Chromium")
@test_pywb.pytestmark
def test_pywb_has_the_page_and_all_that_it_shows(tmp_path: Path) -> None:
    crawled(tmp_path / "crawl")
    with CrawlFolder.open(tmp_path / "crawl") as crawl:
        [row] = crawl.rows(text=True)
        assert TOLD in row.text
    warcs = map(str, (tmp_path / "crawl" / "archive").glob("*.warc.gz"))
    for step in (("init", "c"), ("add", "c", *warcs)):
        subprocess.run([test_pywb.PYWB / "wb-manager", *step], cwd=tmp_path, check=True, capture_output=True)
    with test_pywb.serving(tmp_path) as wayback:
        at = strftime("%Y%m%d%H%M%S", gmtime(row.fetched_at // 1000))
        for url, (body, _) in SITE.items():
            assert test_pywb.shown(f"{wayback}/{at}id_/{url}") == (200, body), url
        status, page = test_pywb.shown(f"{wayback}/{at}mp_/{HOME}")
        assert status == 200
        assert b"app.js" in page, "what the server sent, and not what a browser made of it"


@test_replayweb.pytestmark
def test_replayweb_page_shows_it_as_it_was(tmp_path: Path) -> None:
    crawled(tmp_path / "crawl")
    with CrawlFolder.open(tmp_path / "crawl") as crawl, (tmp_path / "x.wacz").open("wb") as file:
        write_packed(crawl, file, Millis(1_700_000_000_000))
        [row] = crawl.rows()
    view = f"view=pages&url={HOME}&ts={test_replayweb.digits(row.fetched_at)}"
    [found] = test_replayweb.shown(tmp_path, [(view, (TOLD,))])
    assert TOLD in found, found[:2000]
