"""A refresh listens: sitemaps are read again daily, feeds show new pages, pings are heard."""

from __future__ import annotations

import asyncio
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.test_recorded import record

import lycosa
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import resume
from lycosa.model.errors import InputError
from lycosa.model.events import Operated, Told
from lycosa.model.records import Millis, Response
from lycosa.model.url import Url
from lycosa.revisit.history import DAY
from lycosa.spec.tree import PolitenessSpec, RevisitSpec

BEGIN = datetime(2026, 5, 1, 12, tzinfo=UTC)
SITE = "http://reef.example"
XML = "application/xml"
RSS = "application/rss+xml"


def at(days: float) -> Millis:
    return Millis(round((BEGIN + timedelta(days=days)).timestamp() * 1000))


def captured(path: str, days: float, body: str, kind: str = "text/html") -> Response:
    headers = (("Content-Type", kind),)
    return Response(
        url=Url(SITE + path), status=200, headers=headers, body=body.encode(), fetched_at=at(days)
    )


def sitemap(**pages: float) -> str:
    entries = "".join(
        f"<url><loc>/{name}</loc><lastmod>{BEGIN + timedelta(days=days):%Y-%m-%dT%H:%M:%SZ}</lastmod></url>"
        for name, days in pages.items()
    )
    return f"<urlset>{entries}</urlset>"


def feed(**items: float) -> str:
    entries = "".join(
        f"<item><title>Reef {name}</title><link>/{name}</link>"
        f"<pubDate>{BEGIN + timedelta(days=days):%a, %d %b %Y %H:%M:%S GMT}</pubDate></item>"
        for name, days in items.items()
    )
    return f"<rss><channel><title>Reef</title>{entries}</channel></rss>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Page a changes after 2½ days, b appears after 3; c changes after 4½, d appears after 5."""
    head = f'<link rel="alternate" type="{RSS}" href="/feed">'
    return record(
        tmp_path_factory.mktemp("site"),
        captured("/", -9, f"<head>{head}</head><p>The coral reef</p><a href=/a>a</a> <a href=/c>c</a>"),
        captured("/a", -9, "<p>coral reef one</p>"),
        captured("/a", 2.5, "<p>coral reef two, with other fish</p>"),
        captured("/b", 3, "<p>coral reef of b</p>"),
        captured("/c", -9, "<p>coral reef three</p>"),
        captured("/c", 4.5, "<p>coral reef four, with other fish</p>"),
        captured("/d", 5, "<p>coral reef of d</p>"),
        captured("/sitemap.xml", -9, sitemap(a=-9, c=-9), XML),
        captured("/sitemap.xml", 3, sitemap(a=2.5, b=3, c=-9), XML),
        captured("/feed", -9, feed(c=-9), RSS),
        captured("/feed", 5, feed(d=5, c=4.5), RSS),
    )


def crawled(
    site: Path, out: Path, *, sitemaps: tuple[str, ...] = (), days: float = 8, every: float = 400
) -> CrawlFolder:
    """A crawl that visits its pages again, each in so many days if nobody says anything."""
    return lycosa.crawl(
        "coral reef",
        [SITE],
        out=out,
        strategy="breadth-first",
        web=f"recorded:{site}",
        begins=BEGIN.isoformat(),
        sitemaps=sitemaps,
        seconds=days * 86_400,
        politeness=PolitenessSpec(delay=0),
        revisit=RevisitSpec(policy="uniform", every=every * 86_400.0, grows=True),
    )


def days_of(folder: CrawlFolder, path: str) -> list[tuple[float, str]]:
    """When a page was looked at, in days, and what was found."""
    found = folder.versions(SITE + path)
    return [(round((look.at - at(0)) / DAY, 1), look.sight) for look in found]


def test_sitemaps_are_read_again_daily(site: Path, tmp_path: Path) -> None:
    with crawled(site, tmp_path / "out", sitemaps=(f"{SITE}/sitemap.xml",)) as folder:
        assert days_of(folder, "/a") == [(0.0, "first"), (3.0, "changed")]
        assert days_of(folder, "/b") == [(3.0, "first")]
        assert days_of(folder, "/c") == [(0.0, "first")]  # of which it says nothing new
        events = [entry.event for entry in folder._journal.entries()]
        told = [each for each in events if isinstance(each, Told)]
        assert told == [Told(changed=((Url(f"{SITE}/a"), at(2.5)),), by="sitemap")]
        named = [[c.url for c in each.commands] for each in events if isinstance(each, Operated)]  # type: ignore[union-attr]
        assert named == [[f"{SITE}/a", f"{SITE}/c"], [f"{SITE}/b"]]
        archived = [capture.at for capture in folder.timemap(f"{SITE}/sitemap.xml").captures]
        assert len(archived) == 8  # at the start, and each day: in the archive, as all that was fetched


def test_the_pages_of_a_feed_s_new_items_are_found_by_its_revisit(site: Path, tmp_path: Path) -> None:
    with crawled(site, tmp_path / "out", every=2.0, days=10) as folder:
        feeds = [day for day, sight in days_of(folder, "/feed") if sight == "changed"]
        assert len(feeds) == 1
        (found, _), *_ = days_of(folder, "/d")
        assert found == feeds[0]
        assert "changed" in [sight for _, sight in days_of(folder, "/c")]


def test_a_crawl_that_visits_nothing_again_asks_for_no_feed(site: Path, tmp_path: Path) -> None:
    with lycosa.crawl("coral", [SITE], out=tmp_path / "out", web=f"recorded:{site}") as folder:
        assert folder.versions(f"{SITE}/feed") == []


def test_a_ping_is_heard_by_the_next_refresh(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with crawled(site, out, days=3) as folder:
        assert days_of(folder, "/a") == [(0.0, "first")]
        assert folder.ping(f"{SITE}/a", f"{SITE}/b") == [f"{SITE}/a", f"{SITE}/b"]
        with pytest.raises(InputError):
            folder.ping(f"{SITE}/c", "ftp://reef.example/a")
    with lycosa.refresh(out, policy="uniform", every=4e7, seconds=86_400) as folder:
        assert days_of(folder, "/a") == [(0.0, "first"), (0.0, "same")]  # where virtual time stood
        assert days_of(folder, "/c") == [(0.0, "first")]
        assert folder.why(f"{SITE}/b").state == "failed"  # it was asked for, and is not there yet


def test_once_and_then_by_a_policy(site: Path, tmp_path: Path) -> None:
    """What one kind of schedule kept is nothing to the other, and no obstacle."""
    out = tmp_path / "out"
    lycosa.crawl("coral reef", [SITE], out=out, web=f"recorded:{site}", begins=BEGIN.isoformat()).close()
    lycosa.refresh(out, once=True, seconds=3_600).close()
    with lycosa.refresh(out, policy="uniform", every=86_400, seconds=2 * 86_400) as folder:
        looked = len(days_of(folder, "/c"))
    assert looked >= 3
    with lycosa.refresh(out, once=True, seconds=3_600) as folder:
        assert len(days_of(folder, "/c")) == looked + 1


def test_what_was_said_is_known_again_from_the_journal_alone(site: Path, tmp_path: Path) -> None:
    """Feeds are read again from the archive; sitemaps stand in the journal."""
    out = tmp_path / "out"
    crawled(site, out, sitemaps=(f"{SITE}/sitemap.xml",), days=9, every=2.0).close()

    async def known() -> tuple[dict[Url, Millis | None], object]:
        session = await resume(out, seconds=1.0)
        crawl = session.crawl
        assert crawl.schedule is not None
        dues = {url: crawl.frontier.due(url) for url in crawl.store.memory.graph()}
        signals = crawl.schedule.save()["signals"]
        await session.abandon(asyncio.CancelledError())
        return dues, signals

    kept = asyncio.run(known())
    assert {Url(f"{SITE}/a"), Url(f"{SITE}/c")} <= set(kept[1])  # type: ignore[call-overload]
    shutil.rmtree(out / "frontier")
    assert asyncio.run(known()) == kept


def test_nothing_is_visited_again_at_a_blocked_host_before_it_is_let_in(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with crawled(site, out, sitemaps=(f"{SITE}/sitemap.xml",), days=2.2, every=2.0) as folder:
        seen = len(folder.versions(f"{SITE}/a"))
        read = len(folder.timemap(f"{SITE}/sitemap.xml").captures)
        folder.block(SITE)
    with lycosa.refresh(out, policy="uniform", every=2 * 86_400.0, seconds=3 * 86_400) as folder:
        assert len(folder.versions(f"{SITE}/a")) == seen
        assert len(folder.timemap(f"{SITE}/sitemap.xml").captures) == read
        [block] = folder.blocks()
        assert block.links >= 3
        folder.unblock(SITE)
    with lycosa.refresh(out, policy="uniform", every=2 * 86_400.0, seconds=3 * 86_400) as folder:
        assert len(folder.versions(f"{SITE}/a")) > seen
        assert len(folder.timemap(f"{SITE}/sitemap.xml").captures) > read
