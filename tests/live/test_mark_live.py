"""Marks of a crawl that runs in another process, over loopback; killed afterwards, it goes on in the same order."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.live.killing import replayed
from tests.live.test_cli_crawl import asked, crawl_options, dawdling_crawl, serving

import lycosa
from lycosa.crawls.session import resume
from lycosa.drive.loop import unwatched
from lycosa.model.errors import FolderError
from lycosa.model.records import Millis

PATIENCE = 60.0


@contextmanager
def hunting(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A crawl by the hunter that has twenty pages and is asking for more, each of which takes a while."""
    with serving(lambda url: Millis(0 if url.endswith("/robots.txt") else 30)) as port:
        options = crawl_options(port, folder, "--strategy", "hunter", "--pages", "390", "-q", "--width", "2")
        process = subprocess.Popen([sys.executable, "-m", "lycosa.cli", *options])
        try:
            until = time.monotonic() + PATIENCE
            while len(pages_of(folder)) < 20:
                assert process.poll() is None
                assert time.monotonic() < until
            yield process
        finally:
            process.kill()
            process.wait()


def pages_of(folder: Path) -> list[str]:
    """That other processes can see by now."""
    try:
        with lycosa.open(folder) as crawl:
            return [row.url for row in crawl.rows(text=False)]
    except FolderError:  # it has hardly begun
        return []


async def orders(folder: Path) -> tuple[dict[str, object], dict[str, object]]:
    """What waits, as the resumed crawl has it and as the journal alone gives it."""
    session = await resume(folder)
    try:
        return dict(session.crawl.frontier.keys()), dict(replayed(session).frontier.keys())
    finally:
        session.halt.ask("only looked at")
        await session.run(unwatched)


def test_a_mark_in_a_running_crawl_counts_at_once_and_survives_kill_9(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with hunting(folder) as process:
        good, bad = pages_of(folder)[2:4]
        told = asked("mark", folder, bad, "--bad", "--json")
        assert told.exit_code == 0, told.stderr
        mark = json.loads(told.stdout)
        assert (mark["url"], mark["good"], mark["number"]) == (bad, False, 1)
        assert mark["moved"] > 0
        said = asked("mark", folder, good, "--good").stdout
        assert said.startswith(f"{good}: marked good, ")
        assert said.endswith(" waiting links moved\n")
        process.kill()
        process.wait()
    assert json.loads(asked("status", folder, "--json").stdout)["marks"] == {
        "good": 1,
        "bad": 1,
        "waiting": 0,
    }
    resumed, from_journal = asyncio.run(orders(folder))
    assert resumed == from_journal
    assert len(resumed) > 50
    with lycosa.open(folder) as crawl:
        first, second = crawl.marks()
        assert (first.url, first.number, first.step) == (bad, 1, mark["step"])
        assert (second.url, second.number) == (good, 2)
    again, _ = asyncio.run(orders(folder))
    assert again == resumed


def test_a_mark_that_a_killed_crawl_never_heard_is_taken_in_once_when_it_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    with hunting(folder) as process:
        bad = pages_of(folder)[3]
        os.kill(process.pid, signal.SIGSTOP)  # it lives, and hears nothing
        told = asked("mark", folder, bad, "--bad", "--time", "0s")
        busy = "the crawl is busy; it takes this in before it asks for its next page"
        assert told.stdout == f"{bad}: marked bad\n{busy}\n"
        process.kill()
        process.wait()
    for _ in range(2):
        resumed, from_journal = asyncio.run(orders(folder))
        assert resumed == from_journal
        with lycosa.open(folder) as crawl:
            [mark] = crawl.marks()
            assert (mark.url, mark.good) == (bad, False)
            assert mark.step is not None
            assert mark.moved > 0


def test_an_answer_reaches_a_crawl_that_waits(tmp_path: Path) -> None:
    """No visit comes home for a minute, and yet the mark is taken in."""
    folder = tmp_path / "c"
    with dawdling_crawl(folder, 60_000, "--strategy", "hunter", "-q"):
        until = time.monotonic() + PATIENCE
        while not (first := pages_of(folder)):
            assert time.monotonic() < until
        told = asked("mark", folder, first[0], "--good", "--time", "15s")
        assert told.stdout.startswith(f"{first[0]}: marked good, "), told.stderr
        assert pages_of(folder) == first
