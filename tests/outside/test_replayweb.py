"""Our WACZ files in ReplayWeb.page, in a browser: the list of pages with their titles, and the pages themselves.

It needs Chromium, and the package from npm: ``npm pack replaywebpage && tar xzf replaywebpage-*.tgz``.
LYCOSA_REPLAYWEB names the folder ``package``; without it these tests are skipped. LYCOSA_PICTURES names a folder for
pictures to look at.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from pathlib import Path
from time import gmtime, strftime

import pytest
from msgspec.structs import replace
from tests.outside.browser import CHROMIUM, serving, tab
from tests.unit.test_revisit_records import AT, DAY, HERE, last, page, unmodified

import lycosa
from lycosa.archive.collection import Collection
from lycosa.archive.others import Others
from lycosa.archive.wacz import About, WaczPage, write_wacz
from lycosa.archive.warc import Provenance, WarcArchive
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.packed import write_packed
from lycosa.model.moments import iso
from lycosa.model.records import Millis
from lycosa.model.url import Url

REPLAYWEB = Path(os.environ.get("LYCOSA_REPLAYWEB", "."))
PICTURES = os.environ.get("LYCOSA_PICTURES")
SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
THERE, ELSEWHERE = Url("http://b.example/y"), Url("http://c.example/z")

pytestmark = pytest.mark.skipif(
    CHROMIUM is None or not (REPLAYWEB / "sw.js").exists(),
    reason="there is no Chromium, or LYCOSA_REPLAYWEB names no ReplayWeb.page",
)


def digits(at: Millis) -> str:
    return strftime("%Y%m%d%H%M%S", gmtime(at // 1000))


def shown(folder: Path, views: Iterable[tuple[str, tuple[str, ...]]]) -> list[str]:
    """What the browser shows of ``x.wacz`` in each view, once it has these words."""

    async def look() -> list[str]:
        told = []
        async with serving(folder, REPLAYWEB) as server:
            for number, (view, words) in enumerate(views):
                async with tab() as one:
                    await one.go(f"{server}/?source={server}/x.wacz#{view}")
                    told.append(await one.shows(*words))
                    if PICTURES:
                        picture = Path(PICTURES) / f"{folder.name}-{number}.png"
                        picture.write_bytes(await one.picture())
        return told

    return asyncio.run(look())


def test_a_crawl_opens_on_its_pages_and_shows_them(tmp_path: Path) -> None:
    seed = "http://schools.wiki.example/wp/Biosphere.html"
    lycosa.crawl(
        "dinosaur fossil", [seed], web=f"recorded:{SAMPLE}", pages=20, out=tmp_path / "crawl"
    ).close()
    with CrawlFolder.open(tmp_path / "crawl") as crawl, (tmp_path / "x.wacz").open("wb") as file:
        write_packed(crawl, file, Millis(AT))
        [best] = crawl.best(1)
    titles, texts = ("Dinosaur", "Fossil"), ("Fossil range: Triassic", "Superorder")
    view = f"view=pages&url={best.final_url}&ts={digits(best.fetched_at)}"
    search = "view=pages&query=photoautotroph"  # in the text of one page that is not relevant
    words = "view=pages&query=Superorder"  # in the texts of relevant ones, in no title
    views = [("view=pages", titles), (view, texts), (search, ("Biosphere",)), (words, ("Protoceratops",))]
    listed, replayed, other, found = shown(tmp_path, views)
    assert "Biosphere" in other, other[:2000]
    assert "Protoceratops" in found, found[:2000]
    assert all(title in listed for title in titles), listed[:2000]
    assert "Collection Name dinosaur fossil" in listed
    assert all(text in replayed for text in texts), replayed[:2000]


def test_revisits_are_shown_as_the_pages_that_they_refer_to(tmp_path: Path) -> None:
    """A 304, a copy elsewhere, a 304 of that copy, and a copy in a later crawl: the same page in each view."""
    body = b"<title>T</title><h1>the page as it was</h1>"
    archive = WarcArchive.open(tmp_path / "archive")
    first = page(0, body)
    archive.write(unmodified(1), last(archive.write(first), first))
    copy = replace(page(3, body), url=THERE)
    archive.write(unmodified(4, THERE), last(archive.write(copy), copy))
    archive.close()
    later = WarcArchive.open(
        tmp_path / "later", Provenance(name="later"), others=Others.open([tmp_path / "archive"])
    )
    later.write(replace(page(6, body), url=ELSEWHERE))
    later.close()
    visits = [(HERE, 0), (HERE, 1), (THERE, 3), (THERE, 4), (ELSEWHERE, 6)]
    pages = [
        WaczPage(
            id=f"p{day}",
            url=url,
            ts=iso(AT + day * DAY),
            title=f"Day {day}",
            relevance=1.0,
            depth=0,
            status=200,
            seed=True,
        )
        for url, day in visits
    ]
    collection = Collection.open([tmp_path / "archive", tmp_path / "later"])
    about = About(title="T", description="", created=Millis(AT), has_text=False)
    with (tmp_path / "x.wacz").open("wb") as file:
        write_wacz(file, collection.whole(), collection.lines(), pages, [], about)
    views = [f"view=pages&url={url}&ts={digits(Millis(AT + day * DAY))}" for url, day in visits]
    found = shown(tmp_path, [(view, ("the page as it was",)) for view in views])
    assert ["the page as it was" in each for each in found] == [True] * 5, found
