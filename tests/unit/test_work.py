"""What a crawl tells of its work, noted at each checkpoint."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

import lycosa
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.work import Work, facts_of, read_noted
from lycosa.store.checkpoint import last_kept
from lycosa.store.paths import Paths

WEB = Path(__file__).parents[2] / "examples" / "sample-web"
START = "http://schools.wiki.example/wp/Biosphere.html"


@pytest.mark.parametrize("strategy", ["hunter", "best-first", "infospiders", "opic"])
def test_what_was_noted_is_what_the_checkpoint_tells(strategy: str, tmp_path: Path) -> None:
    out = tmp_path / "crawl"
    options = {"web": f"recorded:{WEB}", "pages": 40, "out": out, "strategy": strategy}
    lycosa.crawl("dinosaur fossil", [START], **options).close()  # type: ignore[arg-type]
    with CrawlFolder.open(out) as crawl:
        noted = crawl.status()
        assert read_noted(crawl._journal.noted("work"), last_kept(crawl.paths.frontier)) is not None
        with crawl._checkpointed() as kept:
            assert noted.facts == msgspec.json.decode(msgspec.json.encode(kept.facts()))
            assert noted.estimates == kept.estimates()
    with closing(sqlite3.connect(Paths(out).journal)) as journal, journal:
        journal.execute("DELETE FROM meta WHERE key = 'work'")
    with CrawlFolder.open(out) as crawl:
        assert msgspec.json.encode(crawl.status()) == msgspec.json.encode(noted)


def test_a_note_counts_for_its_own_checkpoint_only() -> None:
    work = Work(step=12, facts={"learned": ["wolf"]})
    note = msgspec.json.encode(work).decode()
    assert read_noted(note, 12) == work
    assert read_noted(note, 13) is None  # the checkpoint of another version, or the process was killed
    assert read_noted(note, None) is read_noted(None, 12) is read_noted("", 12) is None


def test_what_is_told_besides_what_the_strategy_tells() -> None:
    assert facts_of({"learned": ["wolf"]}, {}, ()) == {"learned": ["wolf"]}
    judged = {"second_names": 3, "topic": {"faults": 2, "last fault": "no such word"}}
    assert facts_of({}, judged, [{"site": "wolves.example"}]) == {
        "links to second names": 3,
        "names of one page": [{"site": "wolves.example"}],
        "pages that could not be judged": 2,
        "the last of them": "no such word",
    }
