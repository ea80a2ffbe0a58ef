"""A crawl of a site that scripts make, over loopback: what it finds, what it asks, and what is left of it."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from selectolax.lexbor import LexborHTMLParser
from tests.browser.sites import CHROMIUM
from tests.console.browsing import served as console
from tests.live.conftest import Run
from tests.scripted import ATOLL, CDN, PAGES, REEF, SHELL, ByHand, ScriptedSite
from warcio.archiveiterator import ArchiveIterator

from lycosa.archive.reader import Reader
from lycosa.archive.repair import warc_files
from lycosa.cli.group import lycosa
from lycosa.console.pages import archive_path
from lycosa.crawl.ports import Renderer
from lycosa.crawl.rendering import Renderings, RenderRules
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import begin, resume
from lycosa.drive.loop import unwatched
from lycosa.drive.reread import Rereader
from lycosa.model.records import Arrival, Page
from lycosa.model.url import Url, host_of
from lycosa.report.rendering import how
from lycosa.spec.tree import CrawlSpec, FetchSpec, PolitenessSpec, RenderSpec, RevisitSpec, TopicSpec
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths
from lycosa.web.serve import Served

DELAY = 0.05
ROOT = Path(__file__).parents[2]


def by_hand() -> Renderer:
    return ByHand()


def by_chromium() -> Renderer:
    from lycosa.web.browser.browsers import Browsers
    from lycosa.web.browser.limits import BrowserLimits

    return Browsers(BrowserLimits())


needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
browsers = pytest.mark.parametrize("browser", [by_hand, pytest.param(by_chromium, marks=needs_chromium)])


def spec(port: int, when: str = "always", pages: int = 12, **more: object) -> CrawlSpec:
    return CrawlSpec(
        topic=TopicSpec(keywords=("coral",)),
        seeds=(f"{REEF}/0",),
        pages=pages,
        strategy="breadth-first",
        politeness=PolitenessSpec(delay=DELAY, backoff=0.2, slowness=0.0),
        fetch=FetchSpec(allow_private=True, connect_to=(f"*:*:127.0.0.1:{port}",)),
        render=RenderSpec(when=when, **more),  # type: ignore[arg-type]
    )


def rows(folder: Path, of: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "journal.db")) as journal:
        return journal.execute(of).fetchall()


def journaled(folder: Path) -> dict[Url, Page]:
    """The pages of a crawl, read again from its journal and its archive."""
    paths = Paths(folder)
    journal = Journal(paths.journal, rehydrate=Rereader(Reader([paths.archive])), read_only=True)
    try:
        pages = [entry.event for entry in journal.entries(0) if isinstance(entry.event, Page)]
        return {page.url: page for page in pages}
    finally:
        journal.close()


@browsers
def test_what_scripts_make_is_crawled_archived_and_read_the_same_again(
    run: Run, tmp_path: Path, browser: Callable[[], Renderer]
) -> None:
    site, folder = ScriptedSite(), tmp_path / "crawl"
    pages: list[Arrival] = []

    async def crawl() -> None:
        async with Served(site) as served:
            session = await begin(spec(served.port), folder, renderer=browser())
            await session.run(pages.append)

    run(crawl())
    assert site.asked("app.js") == site.asked("style.css") == 1, "asked once"
    assert min(site.gaps()) >= DELAY - 0.005
    with CrawlFolder.open(folder) as opened:
        texts = {row.url: row.text for row in opened.rows(text=True)}
        assert len(texts) == 12
        assert "Corals of the reef, number 4, as reef.test" in texts[Url(f"{REEF}/4")]
        assert "Corals" not in texts[Url(f"{ATOLL}/3")], "robots.txt forbids its data"
        assert opened.page(f"{REEF}/0").title == "Coral 0"
    kept = journaled(folder)
    assert [
        replace(page, request=kept[page.url].request) for page in pages if isinstance(page, Page)
    ] == list(kept.values())
    kinds: Counter[str] = Counter()
    for file in warc_files(folder / "archive"):
        with file.open("rb") as stream:
            for record in ArchiveIterator(stream):
                kinds[record.rec_type] += 1
                if record.rec_type == "conversion":
                    assert record.rec_headers["WARC-Target-URI"].startswith("urn:dom:http://")
    assert kinds["conversion"] == 12
    assert not rows(folder, "SELECT 1 FROM steps WHERE kind = 'page' AND rendering IS NULL")


def test_without_a_browser_the_same_site_is_a_shell(run: Run, tmp_path: Path) -> None:
    site, folder = ScriptedSite(), tmp_path / "crawl"

    async def crawl() -> None:
        async with Served(site) as served:
            session = await begin(spec(served.port, "never"), folder)
            await session.run(unwatched)

    run(crawl())
    with CrawlFolder.open(folder) as opened:
        assert opened.status().pages == 1
    assert rows(folder, "SELECT rendering FROM steps WHERE kind = 'page'") == [(None,)]


def test_the_archive_of_serve_shows_what_the_browser_made(run: Run, tmp_path: Path) -> None:
    async def crawl() -> None:
        async with Served(ScriptedSite()) as served:
            session = await begin(spec(served.port, pages=2), tmp_path / "crawl", renderer=ByHand())
            await session.run(unwatched)

    run(crawl())
    with console(tmp_path) as address, httpx.Client(base_url=address.origin, timeout=30) as client:
        view = LexborHTMLParser(client.get(archive_path("crawl", Url(f"{REEF}/0"))).text)
        frame = view.css_first("iframe")
        assert frame is not None
        assert "Corals of the reef, number 0" in client.get(frame.attributes["src"] or "").text
        memento = client.get(f"/crawls/crawl/timegate/{REEF}/0", follow_redirects=True)
        assert "Corals" not in memento.text, "the memento is what the server sent"


def test_a_page_that_ends_its_browser_costs_its_page_only(run: Run, tmp_path: Path) -> None:
    site, folder = ScriptedSite(), tmp_path / "crawl"
    worst = Url(f"{REEF}/1")

    async def crawl() -> None:
        async with Served(site) as served:
            session = await begin(spec(served.port), folder, renderer=ByHand(crashes=(worst,)))
            await session.run(unwatched)

    run(crawl())
    pages = journaled(folder)
    page = pages[worst]
    assert page.rendering is not None
    assert page.rendering.failed == "the page ended the browser"
    assert page.title == "Loading"
    assert len(pages) > PAGES / 2


@pytest.mark.parametrize("changed", [False, True])
def test_a_revisit_is_of_what_scripts_make(run: Run, tmp_path: Path, changed: bool) -> None:
    site, folder = ScriptedSite(), tmp_path / "crawl"

    async def crawl() -> None:
        async with Served(site) as served:
            session = await begin(spec(served.port, pages=4), folder, renderer=ByHand())
            await session.run(unwatched)
            site.version += changed
            session = await resume(folder, revisit=RevisitSpec(once=1), renderer=ByHand())
            await session.run(unwatched)

    run(crawl())
    found = Counter(
        rows(folder, "SELECT kind, change FROM steps WHERE due IS NOT NULL AND kind != 'deferred'")
    )
    plain = site.asked("/plain") // 2
    expected = (
        {("page", "content"): 4 - plain, ("unchanged", None): plain} if changed else {("unchanged", None): 4}
    )
    assert {kind: count for kind, count in found.items() if count} == {k: v for k, v in expected.items() if v}
    assert site.asked(f"{CDN}/app.js") == 2, "once a run"


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from tests.live.test_rendered_crawl import spec
from tests.scripted import ByHand
from lycosa.crawls.session import begin

async def crawl() -> None:
    session = await begin(spec(int(sys.argv[2]), sys.argv[3]), Path(sys.argv[1]), renderer=ByHand())

    def until(visit: object) -> None:
        if session.crawl.pages == 7:
            os.kill(os.getpid(), signal.SIGKILL)

    await session.run(until)

asyncio.run(crawl())
"""


@pytest.mark.parametrize("when", ["auto", "always"])
def test_killed_in_the_middle_it_goes_on_as_if_nothing_had_been(run: Run, tmp_path: Path, when: str) -> None:
    site, folder = ScriptedSite(), tmp_path / "crawl"
    learnt: list[Mapping[str, object]] = []

    async def crawl() -> None:
        async with Served(site) as served:
            killed = await asyncio.create_subprocess_exec(
                sys.executable, "-c", KILLED, str(folder), str(served.port), when, cwd=ROOT
            )
            assert await killed.wait() == -signal.SIGKILL
            session = await resume(folder, renderer=ByHand())
            await session.run(unwatched)
            assert session.crawl.renderings is not None
            learnt.append(session.crawl.renderings.save())

    run(crawl())
    pages = journaled(folder)
    assert len(pages) == 12
    assert not rows(folder, "SELECT url FROM steps WHERE kind = 'page' GROUP BY url HAVING count(*) > 1")
    replayed = Renderings(RenderRules(when=when))  # type: ignore[arg-type]
    for page in pages.values():
        assert page.rendering is not None
        assert ("Corals" in page.text) == (page.url not in (f"{REEF}/plain", f"{ATOLL}/3"))
        replayed.seen(page)
    assert learnt == [replayed.save()]


@browsers
def test_on_a_recorded_web_pages_are_rendered_from_the_recording(
    run: Run, tmp_path: Path, browser: Callable[[], Renderer]
) -> None:
    site, live, recorded = ScriptedSite(), tmp_path / "live", tmp_path / "recorded"

    async def crawl() -> None:
        async with Served(site) as served:
            session = await begin(spec(served.port), live, renderer=ByHand())
            await session.run(unwatched)
            again = replace(spec(served.port), web=str(live / "archive"))
        session = await begin(again, recorded, renderer=browser())
        await session.run(unwatched)

    run(crawl())
    first, second = journaled(live), journaled(recorded)
    assert {url: page.text for url, page in first.items()} == {url: page.text for url, page in second.items()}
    assert {url: page.out for url, page in first.items()} == {url: page.out for url, page in second.items()}


def test_auto_leaves_alone_what_has_no_scripts(run: Run, tmp_path: Path) -> None:
    site, folder, hand = ScriptedSite(), tmp_path / "crawl", ByHand()

    async def crawl() -> None:
        async with Served(site) as served:
            session = await begin(spec(served.port, "auto"), folder, renderer=hand)
            await session.run(unwatched)

    run(crawl())
    assert Url(f"{REEF}/plain") not in hand.rendered
    with CrawlFolder.open(folder) as opened:
        plain, made = opened.why(f"{REEF}/plain"), opened.why(f"{REEF}/0")
        assert plain.rendering is not None
        assert how(plain.rendering) == "no: it has no scripts"
        assert made.rendering is not None
        assert made.rendering.pays
        assert how(made.rendering).startswith(
            "yes: it has hardly any text without its scripts; it brought 3 links"
        )
        assert opened.status().rendered["rendered"] == 11
    assert hand.closed


def test_a_limit_of_rendered_pages_is_kept(run: Run, tmp_path: Path) -> None:
    site, folder, hand = ScriptedSite(), tmp_path / "crawl", ByHand()

    async def crawl() -> None:
        async with Served(site) as served:
            session = await begin(spec(served.port, per_host=2), folder, renderer=hand)
            await session.run(unwatched)

    run(crawl())
    by_host = Counter(host_of(url) for url in hand.rendered)
    assert set(by_host.values()) == {2}


def test_show_gives_what_a_browser_made_and_what_the_server_sent(run: Run, tmp_path: Path) -> None:
    site, folder = ScriptedSite(), tmp_path / "crawl"

    async def crawl() -> None:
        async with Served(site) as served:
            session = await begin(spec(served.port, pages=1), folder, renderer=ByHand())
            await session.run(unwatched)

    run(crawl())
    said = {
        kind: CliRunner().invoke(lycosa, ["show", str(folder), f"{REEF}/0", "--as", kind]).stdout
        for kind in ("text", "html", "dom")
    }
    assert "number 0, as reef.test tells it" in said["text"]
    assert said["html"] == SHELL
    assert said["dom"].startswith("<html><head><title>Coral 0</title>")
