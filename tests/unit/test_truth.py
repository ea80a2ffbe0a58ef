"""How fresh a collection is: the estimate, the counts it is made of, and what a person is told of them."""

from __future__ import annotations

import asyncio
import math
import re
from io import StringIO
from pathlib import Path

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from tests.unit.test_told_of_changes import SITE, crawled, site
from tests.worlds import made_page

import lycosa
from lycosa.cli.group import lycosa as cli
from lycosa.cli.live_view import LiveView
from lycosa.cli.views import JsonView, LineView
from lycosa.crawls.answers import Refreshing
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import resume
from lycosa.model.events import Entry
from lycosa.model.records import (
    SAME,
    Arrival,
    Change,
    Gone,
    Millis,
    Page,
    Request,
    Sight,
    Unchanged,
    Worth,
)
from lycosa.model.url import Url
from lycosa.report.facts import facts_of
from lycosa.report.page import report_of
from lycosa.report.refreshing import estimate, found, how
from lycosa.report.wording import long_span
from lycosa.revisit.history import DAY, History
from lycosa.revisit.truth import Freshness, estimated
from lycosa.spec.tree import RevisitSpec
from lycosa.store.journal import Journal
from lycosa.watch.tally import Tally

__all__ = ["site"]


def column(*numbers: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(numbers, np.float64)


# -- the estimate --------------------------------------------------------------------------------------------------


def test_a_known_answer() -> None:
    """Two changes in four daily looks: λ = -ln(2.5 / 4.5) = .5878 a day. After a day the copy is true with .5556, and
    wrong for 1 - (1 - .5556) / .5878 = .2439 days on average."""
    told = estimated(column(4), column(2), column(4), column(1))
    assert told.pages == 1
    assert math.isclose(told.changes, 0.587787, abs_tol=1e-6)
    assert math.isclose(told.fresh, 0.555556, abs_tol=1e-6)
    assert math.isclose(told.age, 0.243868, abs_tol=1e-6)


def test_of_pages_that_were_seen_once_nothing_is_known() -> None:
    nothing = Freshness(pages=0, fresh=0.0, age=0.0, changes=0.0)
    assert estimated(column(0), column(0), column(0), column(9)) == nothing
    both = estimated(column(0, 4), column(0, 2), column(0, 4), column(9, 1))
    assert both == estimated(column(4), column(2), column(4), column(1))


_LOOKED = st.tuples(st.integers(1, 63), st.floats(0, 1), st.floats(0.01, 1e4), st.floats(0, 1e4))


@given(st.lists(_LOOKED, min_size=1, max_size=20), st.floats(0.1, 100))
def test_within_bounds_and_worse_with_time(
    looked: list[tuple[int, float, float, float]], later: float
) -> None:
    n, share, days, since = (column(*each) for each in zip(*looked, strict=True))
    now = estimated(n, np.floor(share * n), days, since)
    then = estimated(n, np.floor(share * n), days, since + later)
    assert 0 <= then.fresh <= now.fresh <= 1
    assert 0 <= now.age <= then.age <= float(np.mean(since)) + later
    assert now.changes == then.changes


# -- what is counted -----------------------------------------------------------------------------------------------

VISITS = "fsdcug"
"""First or again with other text, the same bytes, another dressing, other text, 304, gone."""


def arrival(kind: str, url: Url, at: int) -> Arrival:
    request = Request(url=url, order=0)
    if kind == "u":
        return Unchanged(request=request, at=Millis(at), final_url=url)
    if kind == "g":
        return Gone(request=request, at=Millis(at), status=404)
    page = made_page(request, text=f"{kind} {at}", fetched_at=Millis(at))
    change = {"s": SAME, "d": Change(worth=Worth.DRESSING), "c": Change(worth=Worth.CONTENT)}.get(kind)
    return msgspec.structs.replace(page, change=change)


@given(st.lists(st.tuples(st.text("sdcug", max_size=8), st.floats(0.01, 30)), min_size=1, max_size=5))
def test_sightings_count_as_looks_do(pages: list[tuple[str, float]]) -> None:
    """One question in SQL against the looks of each page, one by one."""
    import tempfile

    visits = [
        (round(n * days * DAY), Url(f"http://a.test/{place}"), kind)
        for place, (kinds, days) in enumerate(pages)
        for n, kind in enumerate("f" + kinds)
    ]
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.db")
        for step, (at, url, kind) in enumerate(sorted(visits), 1):
            journal.append(Entry(step=step, at=Millis(at), leased=(), event=arrival(kind, url, at)))
        journal.flush()
        looks = [[look for _, look in of_page] for of_page in journal.history.looked()]
        now = Millis(max(at for at, _, _ in visits) + DAY)
        first, spans = journal.history.standing(0.5).first_revisit, journal.history.sightings.spans(now)
        daily = journal.history.sightings.changes_by_day()
        journal.close()
    sights = [look.sight for of_page in looks for look in of_page[1:]]
    assert spans.found == {sight: sights.count(sight) for sight in Sight if sight in sights}
    assert first == min((look.at for of_page in looks for look in of_page[1:]), default=None)
    intervals = [History(url=Url("http://a.test/"), looks=tuple(each)).intervals() for each in looks]
    assert sorted(spans.intervals) == sorted(map(len, intervals))
    assert sorted(spans.changes) == sorted(sum(is_changed for _, is_changed in each) for each in intervals)
    assert sum(changes for _, changes in daily) == spans.changes.sum()
    lengths = sorted(sum(days for days, _ in each) for each in intervals)
    assert np.allclose(sorted(spans.days), lengths)
    assert spans.since.min() == 1.0


# -- what a person is told -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("refreshed") / "crawl"
    sitemaps = (f"{SITE}/sitemap.xml",)
    crawled(site, out, sitemaps=sitemaps, days=12, every=2.0).close()
    return out


def test_status_tells_how_fresh_a_crawl_is(folder: Path) -> None:
    with lycosa.open(folder) as crawl:
        status = crawl.status()
        sights = [look.sight for row in crawl.rows() for look in crawl.versions(row.url)[1:]]
    told = status.refreshing
    assert told is not None
    assert status.budget is None  # it goes on finding new pages
    assert told.revisits == len(sights)
    assert told.found == {"same": sights.count("same"), "changed": sights.count("changed")}
    assert told.found["changed"] >= 3
    assert told.due == 0
    assert told.next_due is not None
    assert told.next_due > status.last_at
    assert told.estimated_from == 6
    assert told.fresh is not None
    assert 0.5 < told.fresh <= 1
    assert told.requests_a_day is not None
    assert 2 < told.requests_a_day < 8  # six pages, each every two days, and what sitemaps say


def test_a_crawl_that_visits_nothing_again_tells_nothing(site: Path, tmp_path: Path) -> None:
    with lycosa.crawl("coral", [SITE], out=tmp_path / "out", web=f"recorded:{site}") as folder:
        assert folder.status().refreshing is None
        assert facts_of(folder).looked == ()
        assert "Freshness" not in report_of(folder)


def test_why_tells_when_a_page_is_visited_again(folder: Path) -> None:
    with lycosa.open(folder) as crawl:
        told = crawl.why(f"{SITE}/a")
        assert told.due is not None
        assert told.due > crawl.status().last_at
        assert told.looks == len(crawl.versions(f"{SITE}/a"))
    assert told.due_parts["worth"] == told.relevance
    assert 0 < told.due_parts["changes a day"] < 1
    result = CliRunner().invoke(cli, ["why", str(folder), f"{SITE}/a"])
    assert re.search(r"again +due 2026-05-1\d .*looks so far \(changes a day", result.output)


def test_the_words_of_status(folder: Path) -> None:
    result = CliRunner().invoke(cli, ["status", str(folder)])
    assert re.search(r"pages +6\n", result.output)  # without the number of an endless budget
    assert re.search(r"refresh +by uniform: as many revisits in 2 days as there are pages", result.output)
    assert re.search(r"revisits +\d+: \d+ unchanged, \d changed; \d requests a day", result.output)
    assert re.search(r"due +0 pages now, the next after 1\d", result.output)
    assert "estimated from the changes that were seen at 6 pages" in " ".join(result.output.split())


def test_the_report_shows_it(folder: Path) -> None:
    with lycosa.open(folder) as crawl:
        facts, page = facts_of(crawl), report_of(crawl)
    assert facts.looked[0] == (0.0, 0.0)
    assert facts.looked[-1][1] == 1.0
    assert sum(changes for _, changes in facts.changed) == 3
    assert "<h2>Freshness</h2>" in page
    assert "changes found" in page
    assert "1,099,511" not in page


def test_words() -> None:
    told = Refreshing(policy="", every=86_400.0, rate=None, share=0.3, revisits=0)
    assert (how(told), found(told), estimate(told)) == ("off", "0", "")
    once = msgspec.structs.replace(told, policy="once", revisits=3, found={"gone": 1, "dressing": 2})
    assert (how(once), found(once)) == ("each page once again", "3: 2 with other trimmings, 1 gone")
    rated = msgspec.structs.replace(told, policy="azar\x1b[31m", rate=500.0)
    assert how(rated).startswith("by azar [31m: 500 requests a day, 30.0 % of")
    spans = [long_span(seconds) for seconds in (0, 1, 90, 3_600, 200_000)]
    assert spans == ["0 seconds", "1 second", "1.5 minutes", "1 hour", "2.3 days"]


def test_a_tally_counts_what_revisits_found() -> None:
    tally, url = Tally(0.5), Url("http://a.test/")
    for place, kind in enumerate("fuscdg"):
        visit = arrival(kind, url, place)
        tally.visit(visit, failures=0, again=isinstance(visit, Page) and place > 0)
    assert tally.pages == 1
    assert tally.revisits == {"unchanged": 2, "changed": 1, "dressing": 1, "gone": 1}
    assert tally.seconds_left(None) is None


def test_views_show_revisits_and_no_endless_budget(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    out = tmp_path / "crawl"
    shutil.copytree(folder, out)
    console = Console(width=70, height=24, file=StringIO())
    live, line, json, tally = LiveView(console), LineView(), JsonView(), Tally(0.1)
    shots: list[str] = []

    async def run() -> None:
        revisit = RevisitSpec(policy="uniform", every=86_400.0, grows=True)
        session = await resume(out, seconds=3 * 86_400.0, revisit=revisit)
        for view in (line, json):
            view.open(session, tally)
        live.session, live.tally = session, tally

        def watch(visit: Arrival) -> None:
            again = isinstance(visit, Page) and session.crawl.pages == tally.pages
            tally.visit(visit, session.crawl.failures, again=again)
            json.visit(visit)

        with CrawlFolder.open(out) as before:
            tally.take_over(before.status(), before.best(5))
        await session.run(watch)
        line.tick(1.0)
        json.tick(1.0)
        shots.extend("".join(text for text, _ in each) for each in live.lines(70, 24))

    asyncio.run(run())
    told = capsys.readouterr().out.splitlines()
    assert told[0].startswith("crawling for 'coral reef', breadth-first, pages again by uniform, into")
    started, *visits, plain, status = told[1:]
    assert msgspec.json.decode(started)["budget"] is None
    assert {msgspec.json.decode(each)["event"] for each in visits} == {"unchanged"}
    assert re.match(r"6 pages by \d+ requests, .*, \d+ revisits, harvest", plain)
    decoded = msgspec.json.decode(status)
    assert decoded["budget"] is None
    assert decoded["revisits"] == {"unchanged": len(visits)}
    assert decoded["revisits_waiting"] == 6
    shown = " ".join(" ".join(shots).split())
    assert "6 pages" in shown
    assert f"again {len(visits)} revisits 6 to come" in shown
    assert "1,099" not in " ".join([*told, shown])
