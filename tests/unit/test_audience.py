"""A refresh asks the queries of a log while it runs, and visits again what people would notice."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.unit.test_recorded import record
from tests.unit.test_told_of_changes import BEGIN, SITE, captured, days_of

import lycosa
from lycosa.crawls.audience import unasked
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.session import resume
from lycosa.model.errors import FolderError, InputError
from lycosa.model.events import Searched
from lycosa.model.records import Millis
from lycosa.model.url import Url
from lycosa.spec.tree import PolitenessSpec, RevisitSpec
from lycosa.store.paths import Paths

POLICY = "user-centric:explore=0"
ATOLL, BANK, CAY, LAGOON = (Url(f"{SITE}/{name}") for name in ("atoll", "bank", "cay", "lagoon"))
ANSWERS = (ATOLL, BANK, CAY, LAGOON)
OTHERS = [f"other{n}" for n in range(12)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four pages answer `reef`, the shorter the better. After 1½ days the first of them is the longest, and so is each
    other page, of which nobody asks."""
    names = ["atoll", "bank", "cay", "lagoon", *OTHERS]
    links = "".join(f"<li><a href=/{name}>go</a>" for name in names)
    texts = dict.fromkeys(OTHERS, "something else")
    texts |= {
        "atoll": "reef",
        "bank": "reef with one",
        "cay": "reef with one two three",
        "lagoon": "reef with one two three four five six",
    }
    long = "with many more words than on any other page about it here"
    return record(
        tmp_path_factory.mktemp("site"),
        captured("/", -9, f"<ul>{links}</ul>"),
        *(captured(f"/{name}", -9, f"<p>{text}</p>") for name, text in texts.items()),
        *(captured(f"/{name}", 1.5, f"<p>{texts[name]} {long}</p>") for name in ("atoll", *OTHERS)),
    )


@pytest.fixture
def queries(tmp_path: Path) -> Path:
    path = tmp_path / "queries.tsv"
    path.write_text("3\tReef\n1\tno such words\n")
    return path


def crawled(site: Path, out: Path, revisit: RevisitSpec, days: float = 4) -> CrawlFolder:
    return lycosa.crawl(
        "reef",
        [SITE],
        out=out,
        strategy="breadth-first",
        web=f"recorded:{site}",
        begins=BEGIN.isoformat(),
        seconds=days * 86_400,
        politeness=PolitenessSpec(delay=0),
        revisit=revisit,
    )


def searched(folder: CrawlFolder) -> list[Searched]:
    return [e.event for e in folder._journal.entries() if isinstance(e.event, Searched)]


def by_page(found: Sequence[Searched]) -> dict[Url, list[float]]:
    """The gains of each page in their order."""
    gains: dict[Url, list[float]] = {}
    for each in found:
        for url, _, gain in each.gains:
            gains.setdefault(url, []).append(gain)
    return gains


def test_what_people_notice_is_visited_and_the_rest_left_alone(
    site: Path, queries: Path, tmp_path: Path
) -> None:
    """From the first place to the fourth: |ΔQ| = ¾ · (1 - 1/8), as `reef` is three quarters of all asking."""
    revisit = RevisitSpec(policy=POLICY, every=4 * 86_400.0, queries=str(queries))
    with crawled(site, tmp_path / "out", revisit) as folder:
        first, *later = searched(folder)
        assert {url for url, _ in first.standings} == set(ANSWERS)
        assert dict(first.standings)[ATOLL] == 0.75
        assert {url: gain for url, _, gain in first.gains if gain} == dict(first.standings)
        assert "changed" in [sight for _, sight in days_of(folder, "/atoll")]
        (changed,) = by_page(later)[ATOLL]
        assert changed == pytest.approx(0.75 * 0.875)
        assert {len(days_of(folder, f"/{name}")) for name in OTHERS} == {1}


def test_replay_equals_run_and_asks_nobody(site: Path, queries: Path, tmp_path: Path) -> None:
    """Without checkpoint, index and file of queries: the journal tells what people noticed."""
    out = tmp_path / "out"
    revisit = RevisitSpec(policy=POLICY, every=4 * 86_400.0, queries=str(queries))
    crawled(site, out, revisit).close()
    queries.unlink()

    async def opened() -> tuple[Mapping[str, Any], Sequence[Millis | None]]:
        session = await resume(out, seconds=1.0)
        crawl = session.crawl
        assert crawl.schedule is not None
        found = dict(crawl.schedule.save()), [crawl.frontier.due(url) for url in ANSWERS]
        await session.abandon(KeyboardInterrupt())
        return found

    (run, due), (replayed, due_again) = asyncio.run(opened()), _without(opened, Paths(out))
    assert replayed["gains"] == run["gains"]
    assert set(run["gains"]) > set(ANSWERS)
    assert (replayed["standings"], due_again) == (run["standings"], due)


def _without(
    opened: Callable[[], Coroutine[Any, Any, tuple[Mapping[str, Any], Sequence[Millis | None]]]], paths: Paths
) -> tuple[Mapping[str, Any], Sequence[Millis | None]]:
    shutil.rmtree(paths.frontier)
    shutil.rmtree(paths.index.parent)
    return asyncio.run(opened())


def test_a_log_that_is_lost_is_asked_for(site: Path, queries: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    crawled(site, out, RevisitSpec(policy=POLICY, every=4e5, queries=str(queries)), days=0.1).close()
    queries.unlink()
    lycosa.resume(out, seconds=60.0).close()  # it was kept
    (Paths(out).inputs / "queries.msgpack").unlink()
    with pytest.raises(FolderError, match="--queries"):
        lycosa.resume(out, seconds=60.0)


def test_a_refresh_begins_to_ask(site: Path, queries: Path, tmp_path: Path) -> None:
    """A crawl that never visited a page again, and that was searched: what its pages are to people is told at once."""
    out = tmp_path / "out"
    crawled(site, out, RevisitSpec()).close()
    with lycosa.refresh(
        out, policy=POLICY, every=2 * 86_400.0, seconds=3 * 86_400, queries=queries
    ) as folder:
        first, *later = searched(folder)
        assert not first.gains, "of what was indexed before nobody knows what it changed"
        assert {url for url, _ in first.standings} == set(ANSWERS)
        assert by_page(later)[ATOLL] == [pytest.approx(0.75 * 0.875)]


def test_without_queries_relevance_stands_for_them_and_it_is_said(queries: Path) -> None:
    assert [*unasked(RevisitSpec(policy=POLICY, queries=str(queries)))] == []
    (said,) = unasked(RevisitSpec(policy=POLICY))
    assert "--queries" in said
    (said,) = unasked(RevisitSpec(policy="uniform", queries=str(queries)))
    assert "does not go by queries" in said
    assert [*unasked(RevisitSpec())] == []


def test_a_log_that_cannot_be_read_is_refused_before_anything_is_made(site: Path, tmp_path: Path) -> None:
    revisit = RevisitSpec(policy=POLICY, queries=str(tmp_path / "none"))
    with pytest.raises(InputError, match="cannot be read"):
        crawled(site, tmp_path / "out", revisit)
    assert not (tmp_path / "out").exists()
