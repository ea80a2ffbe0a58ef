"""A crawl over HTTP on loopback and its refresh, as the server saw them."""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
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
from lycosa.spec.tree import CrawlSpec, FetchSpec, PolitenessSpec, RevisitSpec, TopicSpec
from lycosa.web.serve import Served

DELAY = 0.15
HOSTS = ("reef.test", "atoll.test", "lagoon.test")
PAGES = [Url(f"http://{host}/{number}") for host in HOSTS for number in range(6)]
VANISHED, CHANGED, LIAR = PAGES[1], PAGES[2], PAGES[3]
SICK = "lagoon.test"


class Site:
    """Three hosts of six pages, and what they were asked, when. After the first crawl one page has vanished, one is
    another one, one server answers 304 to everybody, and the third host fails for a while."""

    def __init__(self) -> None:
        self.log: list[tuple[float, Url, Ask, int]] = []
        self.later = False
        self.sick = False

    async def fetch(self, url: Url, ask: Ask = PLAIN) -> Response | Fault:
        answer = self._answer(url, ask)
        self.log.append((time.monotonic(), url, ask, answer.status))
        return answer

    def _answer(self, url: Url, ask: Ask) -> Response:
        if url not in PAGES or (self.later and url == VANISHED):
            return response(url, b"", 404)
        if self.sick and host_of(url) == SICK:
            return response(url, b"", 503)
        changed = self.later and url == CHANGED
        tag = f'"{PAGES.index(url)}{changed:d}"'
        if ask.etag == tag or (self.later and url == LIAR):
            return response(url, b"", 304, ("ETag", tag))
        text = f"A coral reef, number {PAGES.index(url)}{', seen again' if changed else ''}."
        return response(url, html(text, PAGES), 200, ("ETag", tag))

    async def close(self) -> None:
        """Nothing is open."""

    def gaps(self, since: float, until: float) -> list[float]:
        """The seconds between two requests to one host, from one time to another."""
        found: list[float] = []
        for host in HOSTS:
            times = [at for at, url, _, _ in self.log if host_of(url) == host and since <= at < until]
            found += [later - sooner for sooner, later in pairwise(times)]
        return found

    def asked(self, since: float) -> Counter[Url]:
        return Counter(url for at, url, _, _ in self.log if at >= since and url in PAGES)


def spec(port: int) -> CrawlSpec:
    return CrawlSpec(
        topic=TopicSpec(keywords=("coral",)),
        seeds=(PAGES[0],),
        pages=len(PAGES),
        politeness=PolitenessSpec(delay=DELAY, backoff=0.2, slowness=0.0),
        fetch=FetchSpec(allow_private=True, connect_to=(f"*:*:127.0.0.1:{port}",)),
    )


async def ended(session: Session) -> Sequence[str]:
    await session.run(unwatched)
    return session.notes


def test_a_refresh_asks_whether_pages_changed_and_no_host_faster_than_a_first_crawl(
    run: Run, tmp_path: Path
) -> None:
    site, folder = Site(), tmp_path / "crawl"
    parted: list[float] = []

    async def crawl_and_refresh() -> None:
        async with Served(site) as served:
            await ended(await begin(spec(served.port), folder))
            site.later = True
            parted.append(time.monotonic())
            await ended(await resume(folder, revisit=RevisitSpec(once=1)))

    run(crawl_and_refresh())
    (since,) = parted
    assert site.asked(since) == Counter(PAGES), "each page once"
    conditional = {url for at, url, ask, _ in site.log if at >= since and ask.is_conditional}
    assert conditional == set(PAGES)
    first, again = site.gaps(0, since), site.gaps(since, 1e12)
    assert min(again) >= DELAY - 0.005
    assert min(first) >= DELAY - 0.005
    with closing(sqlite3.connect(folder / "journal.db")) as journal:
        asked = "SELECT url, kind, change FROM steps WHERE due IS NOT NULL AND kind != 'deferred'"
        found = {url: (kind, change) for url, kind, change in journal.execute(asked)}
    assert Counter(kind for kind, _ in found.values()) == {"unchanged": 16, "page": 1, "gone": 1}
    assert (found[VANISHED], found[CHANGED]) == (("gone", None), ("page", "content"))
    revisits = [capture for capture in Collection.open([folder]).captures() if capture.mime == "warc/revisit"]
    assert len(revisits) == 16


def test_a_host_that_fails_holds_up_nobody_and_is_left_alone(run: Run, tmp_path: Path) -> None:
    site, folder = Site(), tmp_path / "crawl"

    async def crawl_and_refresh() -> None:
        async with Served(site) as served:
            await ended(await begin(spec(served.port), folder))
            site.sick, since = True, time.monotonic()
            policy = RevisitSpec(policy="uniform", every=2.0)
            await ended(await resume(folder, revisit=policy, seconds=5.0))
            asked = site.asked(since)
            assert min(asked[url] for url in PAGES if host_of(url) != SICK) >= 2
            assert sum(asked[url] for url in PAGES if host_of(url) == SICK) <= 8, "its rests double"
            assert min(site.gaps(since, 1e12)) >= DELAY - 0.005

    run(crawl_and_refresh())
    with CrawlFolder.open(folder) as opened:
        assert opened.status().pages == len(PAGES)
        assert opened.status().failures == 0


@pytest.mark.parametrize("behind", [86_400_000])
def test_a_clock_that_was_set_back_holds_up_nothing(run: Run, tmp_path: Path, behind: int) -> None:
    """The folder was made by a machine whose clock was a day ahead."""
    from lycosa.drive.clock import WallClock
    from lycosa.model.records import Millis

    site, folder = Site(), tmp_path / "crawl"

    async def crawl_and_refresh() -> None:
        async with Served(site) as served:
            session = await begin(spec(served.port), folder)
            assert isinstance(session.clock, WallClock)
            session.clock.pass_to(Millis(session.clock.now() + behind))
            await ended(session)
            began = time.monotonic()
            notes = await ended(await resume(folder, revisit=RevisitSpec(once=1)))
            assert any("clock is 86,4" in note or "clock is 86,3" in note for note in notes)
            assert time.monotonic() - began < 30
            assert site.asked(began) == Counter(PAGES)

    run(crawl_and_refresh())
