"""Whatever became of the files of a folder: each verb succeeds, or says in one line what is wrong and what helps."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.unit.test_damaged_records import RECORDED, START, crawled, run

import lycosa
from lycosa.store.database import word_left

PAGES = 12
VERBS = (
    ("status",),
    ("export", "--to", "jsonl"),
    ("search", "dinosaur"),
    ("why", START),
    ("report",),
    ("show", START),
    ("changes",),
    ("stream", "--to", "jsonl"),
    ("dns",),
    ("resume", "--pages", "15", "-q"),
    ("status",),
)
FILES = [
    "crawl.toml", "topic.json", "journal.db", "inbox.jsonl", "dns.jsonl", "index/text.db", "archive/index.cdxj",
    "archive/*.warc.gz", "frontier/CURRENT", "frontier/MANIFEST*", "frontier/*.sst", "frontier/*.log",
    "frontier/places",
]  # fmt: skip
ROW = b'{"value":"a.example","kind":"canonical","entered":1,"superseded":null,"machine":1}\n'


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl with one file of each kind."""
    folder = crawled(tmp_path_factory.mktemp("whole") / "crawl", pages=PAGES)
    assert run("mark", folder, START, "--good").exit_code == 0
    (folder / "dns.jsonl").write_bytes(3 * ROW)
    return folder


def spoil(path: Path, rng: random.Random) -> None:
    content = bytearray(path.read_bytes())
    match rng.choice(["flip", "flip", "cut", "empty", "junk"]):
        case "flip" if content:
            for _ in range(rng.choice([1, 5, 30])):
                content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        case "cut" if content:
            del content[rng.randrange(len(content)) :]
        case "empty":
            content.clear()
        case _:
            content[:] = rng.randbytes(max(100, len(content)))
    path.write_bytes(content)


@pytest.mark.parametrize("pattern", FILES)
def test_one_line_or_success(whole: Path, pattern: str, tmp_path: Path) -> None:
    for trial in range(2):
        folder = shutil.copytree(whole, tmp_path / str(trial))
        for path in folder.glob(pattern):
            spoil(path, random.Random(f"{pattern} {trial}"))
        for verb, *rest in VERBS:
            told = run(verb, folder, *rest)
            said = told.stderr.splitlines()
            about = (pattern, trial, verb, told.output, told.exception)
            assert isinstance(told.exception, SystemExit | None), about
            assert "a defect of lycosa" not in told.stderr, about
            ended = (
                (0, 130) if pattern == "crawl.toml" else (0,)
            )  # a time limit may have come of a flipped bit
            assert told.exit_code in ended or (told.exit_code in (1, 2) and len(said) == 1), about
            if verb == "export" and told.exit_code == 0:
                assert len(told.stdout.splitlines()) == PAGES, about


def test_a_damaged_frontier_is_kept_aside_and_made_anew(whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "crawl")
    with lycosa.open(folder) as crawl:
        before = crawl.status()
    for path in (folder / "frontier").glob("*.sst"):
        path.write_bytes(bytes(len(path.read_bytes())))
    with lycosa.open(folder) as crawl:
        (note,) = crawl.status().notes
    assert "lycosa resume" in note
    told = run("resume", folder, "--pages", str(PAGES))
    assert told.exit_code == 0, told.output
    assert "made anew from the journal" in told.output
    assert (folder / "frontier.damaged-1").is_dir()
    with lycosa.open(folder) as crawl:
        after = crawl.status()
    assert (after.pending, after.pages, after.notes) == (before.pending, before.pages, ())


def test_lines_of_the_dns_history_that_cannot_be_read_are_told(whole: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(whole, tmp_path / "crawl")
    (folder / "dns.jsonl").write_bytes(ROW + b"{broken\n" + ROW)
    told = run("resume", folder, "--pages", "14")
    assert told.exit_code == 0, told.output
    assert told.output.count("dns.jsonl, line 2") == 1


def test_nothing_of_sqlite_is_left_after_a_clean_end(tmp_path: Path) -> None:
    """Also when somebody looks at the folder while the crawl ends, and after."""
    folder = crawled(tmp_path / "crawl", pages=3)
    with lycosa.open(folder) as looking:
        assert looking.status().pages == 3
        assert run("resume", folder, "--pages", "5", "-q").exit_code == 0
        assert looking.status().pages == 5
    assert run("search", folder, "dinosaur").exit_code == 0
    assert not [file for file in folder.rglob("*") if file.name.endswith(("-wal", "-shm"))]


@contextmanager
def small_disk(at: Path, size: str) -> Iterator[Path]:
    at.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", at], capture_output=True
    ).returncode:
        pytest.skip("a file system can be mounted here by root only")
    try:
        yield at
    finally:
        subprocess.run(["umount", "-l", at], check=True)


def test_a_finished_folder_can_be_read_where_nothing_can_be_written(whole: Path, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "60m") as disk:
        folder = shutil.copytree(whole, disk / "crawl")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        for verb, *rest in VERBS[:4]:
            told = run(verb, folder, *rest)
            assert (told.exit_code, told.stderr) == (0, ""), (verb, told.output)
        with lycosa.open(folder) as crawl, lycosa.open(whole) as same:
            assert crawl.status() == replace(same.status(), folder=str(folder))
            linked = [target for _, targets in same.links() for target in targets]
            states = [same.why(url).state for url in linked[:40]]
            assert [crawl.why(url).state for url in linked[:40]] == states
        assert "pending" in states


@pytest.mark.parametrize("size", ["600k", "1500k", "2500k"])
def test_a_disk_that_is_full_is_told_by_the_crawl_and_by_status(size: str, tmp_path: Path) -> None:
    """The disk fills up at whatever write it is; the reason is known afterwards, and with more room it goes on."""
    with small_disk(tmp_path / "disk", size) as disk:
        folder = disk / "crawl"
        arguments = ("crawl", "dinosaurs", START, "--web", RECORDED, "--pages", "300", "-q", "-o", folder)
        told = subprocess.run(
            [sys.executable, "-m", "lycosa.cli", *map(str, arguments)],
            capture_output=True, text=True, timeout=60, env=os.environ,
        )  # fmt: skip
        assert told.returncode in (1, 2), told.stderr
        assert len(told.stderr.splitlines()) == 1, told.stderr
        assert "disk is full" in told.stderr or "No space left" in told.stderr
        if not (folder / "journal.db").exists():
            return
        status = run("status", folder)
        assert status.exit_code == 0 or "hardly begun" in status.output, status.output
        if status.exit_code == 0:
            assert "failed" in status.output
            assert "full" in status.output or "No space" in status.output, word_left(folder / "journal.db")
            subprocess.run(["mount", "-o", "remount,size=60m", disk], check=True)
            assert run("resume", folder, "-q").exit_code == 0
            with lycosa.open(folder) as crawl:
                assert crawl.status().pages > 100
