"""What is on the disk, not only with the operating system, and when: what a power cut can take."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest
from tests.unit.test_warc import page
from tests.worlds import made_page, u

import lycosa
from lycosa.archive.warc import WarcArchive
from lycosa.model.events import Entry
from lycosa.model.records import Millis, Request
from lycosa.spec.tree import ArchiveSpec
from lycosa.store.journal import Journal

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"


class Disk:
    """How much of each file the disk has, by what was waited for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.has: dict[int, int] = defaultdict(int)
        self.waits = 0
        really = os.fsync

        def fsync(descriptor: int) -> None:
            really(descriptor)
            found = os.fstat(descriptor)
            self.has[found.st_ino] = found.st_size
            self.waits += 1

        monkeypatch.setattr(os, "fsync", fsync)

    def has_all_of(self, path: Path) -> bool:
        return self.has[path.stat().st_ino] == path.stat().st_size > 0


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def test_an_archive_that_is_hardened_is_on_the_disk_with_its_name(tmp_path: Path, disk: Disk) -> None:
    archive = WarcArchive.open(tmp_path)
    archive.write(page())
    [file] = tmp_path.glob("*.warc.gz")
    assert not disk.has_all_of(file)
    archive.harden()
    assert disk.has_all_of(file)
    assert tmp_path.stat().st_ino in disk.has
    before = disk.waits
    archive.harden()
    assert disk.waits == before + 1, "the name is there"
    archive.close()


def test_a_file_that_is_left_is_on_the_disk(tmp_path: Path, disk: Disk) -> None:
    archive = WarcArchive.open(tmp_path, rotate_at=1)
    archive.write(page())
    archive.write(page("2"))
    first, second = sorted(tmp_path.glob("*.warc.gz"))
    assert disk.has_all_of(first)
    assert not disk.has_all_of(second)
    archive.close()


def test_what_steps_refer_to_is_hardened_before_them(tmp_path: Path) -> None:
    told: list[str] = []
    journal = Journal(
        tmp_path / "journal.db",
        before_commit=lambda: told.append("written"),
        before_harden=lambda: told.append(f"hardened, noted {journal.noted('hardened')}"),
    )
    event = made_page(Request(url=u("a"), order=1))
    journal.append(Entry(step=1, at=Millis(0), leased=(), event=event, commands=()))
    journal.harden()
    journal.close()
    assert told == ["written", "hardened, noted None"]


@pytest.mark.parametrize(("fsync", "level"), [(False, 1), (True, 2)])
def test_commits_wait_where_they_should(tmp_path: Path, fsync: bool, level: int) -> None:
    """2 is SQLite's FULL, 1 its NORMAL; a checkpoint in between changes nothing."""
    journal = Journal(tmp_path / "journal.db", waits=fsync)
    for _ in range(2):
        assert journal._connection.execute("PRAGMA synchronous").fetchone()[0] == level
        journal.harden()
    journal.close()


def test_a_crawl_that_waits_for_the_disk_has_all_records_there_before_their_steps(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk has the whole archive whenever a group of steps is committed."""
    torn: list[bool] = []
    insert = Journal._insert

    def inserted(journal: Journal, row: tuple[object, ...]) -> None:
        torn.extend(not disk.has_all_of(file) for file in (tmp_path / "crawl" / "archive").glob("*.warc.gz"))
        insert(journal, row)

    monkeypatch.setattr(Journal, "_insert", inserted)
    lycosa.crawl(
        "dinosaur",
        ["http://schools.wiki.example/wp/Biosphere.html"],
        web=f"recorded:{SAMPLE}",
        pages=20,
        out=tmp_path / "crawl",
        archive=ArchiveSpec(fsync=True),
    ).close()
    assert len(torn) >= 19
    assert not any(torn)
