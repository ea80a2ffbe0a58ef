"""What is said of the use of a page stands beside it wherever it is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.diaries import Diary
from tests.unit.test_damaged_records import run
from tests.worlds import u

import lycosa
from lycosa.compose.topic import TopicSource, save_topic
from lycosa.crawls.answers import Search
from lycosa.crawls.folder import CrawlFolder
from lycosa.store.paths import Paths

SILENT, SPOKEN = u("a"), u("b")
RULE = "meta: noai (robots, directives as Google and Bing document them)"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrawlFolder]:
    path = tmp_path_factory.mktemp("told") / "crawl"
    with Diary(path) as diary:
        diary.page(SILENT, 1_000_000, "Wolf spiders hunt by night.")
        diary.page(SPOKEN, 2_000_000, "Orb weavers wait.", head='<meta name="robots" content="noai">')
        diary.page(SPOKEN, 3_000_000, "Orb weavers wait. Ask them.")
    with lycosa.open(path) as opened:
        yield opened


@pytest.mark.parametrize(
    ("url", "at", "rules"), [(SILENT, 3_000, []), (SPOKEN, 2_000, [RULE]), (SPOKEN, 3_000, [])]
)
def test_show_tells_what_was_said_then(folder: CrawlFolder, url: str, at: int, rules: list[str]) -> None:
    when = f"1970-01-01T00:{at // 60:02}:{at % 60:02}Z"
    lines = run("show", folder.path, url, "--at", when).stderr.splitlines()
    assert lines[1:] == [f"said of its use, {rule}" for rule in rules]
    assert json.loads(run("show", folder.path, url, "--at", when, "--json").stdout)["rights"] == rules


def test_answers_tell_it(tmp_path: Path) -> None:
    with Diary(tmp_path / "crawl") as diary:
        diary.page(SILENT, 1_000_000, "Wolf spiders hunt by night.")
        diary.page(SPOKEN, 2_000_000, "Orb weavers wait.", head='<meta name="robots" content="noai">')
    with CrawlFolder.open(tmp_path / "crawl") as folder:
        expected = {SILENT: (), SPOKEN: (RULE,)}
        assert {hit.url: hit.rights for hit in folder.find(Search()).hits} == expected
        assert [hit.rights for hit in folder.search("weavers")] == [(RULE,)]


def test_agents_are_told_between_marks(folder: CrawlFolder, tmp_path: Path) -> None:
    pytest.importorskip("mcp")
    from lycosa.mcp.telling import explained, text

    with Diary(tmp_path / "crawl") as diary:
        diary.page(SPOKEN, 2_000_000, "Orb weavers wait.", head='<meta name="robots" content="noai">')
    save_topic(TopicSource(keywords="spider"), Paths(tmp_path / "crawl"))
    with CrawlFolder.open(tmp_path / "crawl") as spoken:
        page, why = text(spoken, SPOKEN, 0, 1_000), explained(spoken, SPOKEN)
    for answer in (page, why):
        mark = answer.note[1 : answer.note.index(">")]
        assert answer.rights == [f"<{mark}>{RULE}</{mark}>"]
    assert text(folder, SILENT, 0, 1_000).rights == []
