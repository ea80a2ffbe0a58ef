"""Pages kept from search to search: the file, who belongs to a topic, what a later search is given, the command."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.worlds import u

import lycosa
from lycosa.cli.group import lycosa as cli
from lycosa.crawl.inputs import KnownPage, PageDatabase
from lycosa.drive.clock import VirtualClock
from lycosa.model.errors import FolderError, InputError
from lycosa.scoring.topics import community
from lycosa.scoring.topics.community import members
from lycosa.sources.page_database import read_page_database
from lycosa.sources.reading import Reading
from lycosa.spec.tree import TopicSpec
from lycosa.store.page_database import KnownPages
from lycosa.web.made.graph_web import GraphWeb

SAMPLE = f"recorded:{Path(__file__).parents[2] / 'examples' / 'sample-web'}"
START = "http://schools.wiki.example/wp/Biosphere.html"


def known(name: str, score: float, *, label: bool = True, topic: str = "rock climbing") -> KnownPage:
    return KnownPage(url=u(name), score=score, label=label, community=topic)


def given_for(path: Path, *keywords: str) -> list[str]:
    topic = TopicSpec(keywords=keywords, database=str(path))
    reading = Reading(topic, GraphWeb(), None, VirtualClock())
    found = asyncio.run(read_page_database(reading))
    assert isinstance(found, PageDatabase)
    return [page.url for page in found.pages]


def test_what_is_put_in_comes_out_best_first(tmp_path: Path) -> None:
    with KnownPages.open(tmp_path / "p.db") as database:
        database.put([known("b", 0.5), known("a", 0.5), known("c", 0.9), known("d", 1.0, label=False)])
    with KnownPages.open(tmp_path / "p.db", read_only=True) as database:
        assert [page.url for page in database.best("rock climbing", 9)] == [u("c"), u("a"), u("b")]
        assert [page.url for page in database.best("rock climbing", 1)] == [u("c")]
        (only,) = database.communities()
    assert (only.name, only.pages, only.members, only.best) == ("rock climbing", 4, 3, 1.0)


def test_last_judgement_counts(tmp_path: Path) -> None:
    with KnownPages.open(tmp_path / "p.db") as database:
        database.put([known("a", 0.5), known("a", 0.7, topic="opera")])
        database.put([known("a", 0.6)])
        assert [page.score for page in database.best("rock climbing", 9)] == [0.6]
        assert [page.score for page in database.best("opera", 9)] == [0.7]


def test_all_or_nothing(tmp_path: Path) -> None:
    with KnownPages.open(tmp_path / "p.db") as database:
        with pytest.raises(FolderError):
            database.put([known("a", 0.5), known("b", None)])  # type: ignore[arg-type]
        assert database.communities() == []


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    text, other = tmp_path / "text", tmp_path / "other.db"
    text.write_text("no database at all, but long enough to be looked at\n" * 50)
    sqlite3.connect(other).executescript("CREATE TABLE t (x)")
    for path in (text, other):
        with pytest.raises(FolderError, match="no page database"):
            KnownPages.open(path)
    with pytest.raises(FolderError, match="lycosa database update"):
        KnownPages.open(tmp_path / "missing", read_only=True)
    assert not (tmp_path / "missing").exists()


SEEDS = [{"rock": 3, "climb": 2, "rope": 1}, {"rock": 2, "climb": 4}, {"climb": 3, "wall": 1, "rope": 2}]
OPERA = [{"opera": 3 + n, "sing": 2, f"w{n}": 1} for n in range(20)]
ROCKS = [{"rock": 1 + n, "climb": 2, f"v{n}": 1} for n in range(8)]


@pytest.mark.parametrize("by_machine", [True, False])
def test_members_are_told_from_others(by_machine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if by_machine:
        pytest.importorskip("sklearn")
    monkeypatch.setattr(community, "can_classify", lambda: by_machine)
    judged = members(SEEDS, [*ROCKS, *OPERA])
    assert [one.label for one in judged] == [True] * 8 + [False] * 20
    assert all(0.0 <= one.score <= 1.0 for one in judged)
    assert min(one.score for one in judged[:8]) > max(one.score for one in judged[8:])


def test_nobody_belongs_to_nothing() -> None:
    assert [one.label for one in members([], ROCKS)] == [False] * 8
    assert members(SEEDS, []) == []


def test_a_search_is_given_pages_of_topics_that_share_its_words(tmp_path: Path) -> None:
    with KnownPages.open(tmp_path / "p.db") as database:
        database.put([known("a", 0.5), known("b", 0.9), known("no", 0.9, label=False)])
        database.put([known("b", 0.2, topic="rock"), known("c", 0.8, topic="rock")])
        database.put([known("d", 1.0, topic="opera")])
    # climbing rock: cosine 1 with the first, 1/√2 with the second: .9, .5, .57 and (b again) .14
    assert given_for(tmp_path / "p.db", "climbing", "rocks") == [u("b"), u("c"), u("a")]
    assert given_for(tmp_path / "p.db", "opera") == [u("d")]
    assert given_for(tmp_path / "p.db", "cooking") == []
    assert given_for(tmp_path / "p.db") == [u("d"), u("b"), u("c"), u("a")]


def test_a_database_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no page database"):
        given_for(tmp_path / "missing.db", "rock")


def test_without_a_database_nothing_is_given() -> None:
    reading = Reading(TopicSpec(keywords=("rock",)), GraphWeb(), None, VirtualClock())
    assert asyncio.run(read_page_database(reading)) is None


def test_from_a_crawl_to_the_next_one(tmp_path: Path) -> None:
    lycosa.crawl(
        "dinosaur fossil", [START], web=SAMPLE, pages=60, out=tmp_path / "one", strategy="best-first"
    ).close()
    file = tmp_path / "pages.db"
    run = CliRunner().invoke
    told = run(cli, ["database", "update", str(file), str(tmp_path / "one")])
    assert told.exit_code == 0, told.output
    assert "60 pages" in told.output
    listed = json.loads(run(cli, ["database", "show", str(file), "--json"]).output)
    assert [(each["name"], each["pages"]) for each in listed] == [("dinosaur fossil", 60)]
    assert 5 <= listed[0]["members"] < 60
    best = run(cli, ["database", "show", str(file), "--topic", "dinosaur fossil", "--limit", "8"]).output
    assert "Dinosaur" in best
    arguments = ["dinosaur", START, "--web", SAMPLE, "--strategy", "infospiders-energy:db_seeds=5"]
    arguments += ["--database", str(file), "--pages", "30", "--out", str(tmp_path / "two"), "-q"]
    assert run(cli, ["crawl", *arguments]).exit_code == 0
    with lycosa.open(tmp_path / "two") as folder:
        starts = [row.url for row in folder.rows(text=False) if row.via is None]
        facts = folder.status().facts
    best_five = {line.split()[1] for line in best.splitlines()[:5]}
    assert set(starts) == {START, *best_five}
    assert len(facts["agents"]) >= 1
    said = run(cli, ["status", str(tmp_path / "two")]).output
    assert "agents alive" in said
    assert "looks for dinosaur" in said
