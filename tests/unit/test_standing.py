"""How a crawl stands is counted again only if something happened, and not all the time."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import lycosa
from lycosa.crawls.answers import Status
from lycosa.crawls.folder import CrawlFolder
from lycosa.model.errors import FolderError
from lycosa.watch.standing import SHARE, Standing, journals

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
SEED = "http://schools.wiki.example/wp/Biosphere.html"


class Counted:
    """Opens a crawl of which each count of how it stands takes a second, and counts them."""

    def __init__(self, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = CrawlFolder.open(place)
        self.now, self.times, self.process = 0.0, 0, None
        count = CrawlFolder.status

        def counting(folder: CrawlFolder) -> Status:
            self.now, self.times = self.now + 1.0, self.times + 1
            return count(folder)

        monkeypatch.setattr(CrawlFolder, "status", counting)
        monkeypatch.setattr(CrawlFolder, "process", property(lambda folder: self.process))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    lycosa.crawl("dinosaur fossil", [SEED], web=f"recorded:{SAMPLE}", pages=3, out=tmp_path / "c").close()
    return tmp_path / "c"


def test_nothing_twice(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(place, monkeypatch)
    standing = Standing(lambda: counted.now)
    assert [standing.of(counted.folder).pages for _ in range(5)] == [3] * 5
    assert counted.times == 1
    lycosa.resume(place, pages=5).close()
    before = counted.times
    assert [standing.of(counted.folder).pages for _ in range(5)] == [5] * 5
    assert counted.times == before + 1
    assert standing.counted(counted.folder, counted.folder.token()) is None
    assert standing.counted(counted.folder, counted.folder.token(), now=True) is not None


def test_a_share_of_the_time(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(place, monkeypatch)
    standing = Standing(lambda: counted.now)
    counted.process = os.getpid()
    for step in range(1_000):
        standing.counted(counted.folder, str(step))  # something happened each time
        counted.now += 0.5
    assert counted.times / counted.now <= 1 / SHARE
    assert counted.times > 20


def test_which_files_the_journals_are(place: Path) -> None:
    before = journals(place)
    assert list(before) == ["c"]
    (place / "journal.db").rename(place / "another.db")
    with pytest.raises(FolderError, match="gone"):
        journals(place)
    (place / "journal.db").write_bytes(b"")
    assert journals(place) != before
