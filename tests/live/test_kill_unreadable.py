"""Kill -9 after a page that could not be read in time: it stays a failure, and nobody tries to read it again."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import time
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import msgspec
import pytest
from tests.live.killing import (
    LONG_TO_READ,
    Steps,
    committed,
    crawl,
    crawling,
    pages,
    replayed,
    specification,
    watched_server,
)

import lycosa.compose.outside
from lycosa.crawls.session import resume
from lycosa.drive.loop import unwatched
from lycosa.drive.reading import Unread
from lycosa.drive.reading_apart import ReadingApart
from lycosa.drive.reading_beside import ReadingBeside
from lycosa.model.records import Page, RecordRef, Request, Response, UrlState
from lycosa.spec.tree import CrawlSpec, PolitenessSpec

PAGES = 60
DELAY = 0.02
"""Seconds between two pages: so that the crawl is under way for some time after the page that is not read."""
CPU = 0.2
PATIENCE = 60.0


def long_to_read(port: int) -> CrawlSpec:
    spec = specification(port)
    seeds = (LONG_TO_READ, *spec.seeds)
    return msgspec.structs.replace(spec, seeds=seeds, pages=PAGES, politeness=PolitenessSpec(delay=DELAY))


def impatient(folder: Path, spec: CrawlSpec, telling: Connection) -> None:
    lycosa.compose.outside.ReadingApart = partial(ReadingApart, cpu_limit=CPU)  # type: ignore[assignment, misc]
    crawl(folder, spec, telling)


def unreadable(steps: Steps) -> list[sqlite3.Row]:
    return [row for row in steps.values() if row["reason"] == "unreadable"]


def killed_after_the_failure(folder: Path, spec: CrawlSpec) -> Steps:
    """The steps of a crawl that was killed once it had committed that a page could not be read."""
    with crawling(folder, spec, impatient) as (process, _):
        until = time.monotonic() + PATIENCE
        while not unreadable(committed(folder)):
            assert process.is_alive()
            assert time.monotonic() < until
        process.kill()
        process.join()
        assert process.exitcode == -9
    return committed(folder)


@pytest.mark.skipif(os.name == "nt", reason="there is no such signal")
def test_after_a_kill_a_page_that_was_not_read_in_time_stays_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    class Noted(ReadingBeside):
        async def read(self, request: Request, response: Response, record: RecordRef | None) -> Page | Unread:
            read.append(response.url)
            return await super().read(request, response, record)

    async def to_the_end() -> None:
        session = await resume(tmp_path / "crawl")
        assert session.crawl.frontier.state(LONG_TO_READ) is UrlState.FAILED
        assert replayed(session).frontier.state(LONG_TO_READ) is UrlState.FAILED
        await session.run(unwatched)

    with watched_server(tmp_path / "requests.log") as server:
        before = killed_after_the_failure(tmp_path / "crawl", long_to_read(server.port))
        (failure,) = unreadable(before)
        assert failure["url"] == LONG_TO_READ
        assert failure["detail"] == f"reading it took more than {CPU:g} seconds of CPU"
        assert len(pages(before)) < PAGES
        monkeypatch.setattr(lycosa.compose.outside, "ReadingBeside", Noted)
        monkeypatch.setattr(lycosa.compose.outside, "WHY_NOT", "as if Python read")
        asyncio.run(to_the_end())
        after = committed(tmp_path / "crawl")
        assert {step: after[step] for step in before} == before
        assert unreadable(after) == [failure]
        assert len(pages(after)) == PAGES
        assert read
        assert LONG_TO_READ not in read
        assert server.requests().count(LONG_TO_READ) == 1
