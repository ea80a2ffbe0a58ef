"""Large bodies are read in processes of their own: the same pages, and an end to what takes too long."""

from __future__ import annotations

import asyncio
import signal

import pytest
from tests.prints import printed_lines
from tests.worlds import html, response, u

from lycosa.drive.reading import Unread, page_or_unread
from lycosa.drive.reading_apart import LARGE, MANY_TAGS, ReadingApart, may_take_long
from lycosa.model.records import Link, Page, Reason, RecordRef, Request, Response

SLOW = b"<dl><dd>" * 300_000
"""Takes seconds to read."""
WORDS = "coral reef " * 30_000


def request(name: str = "a") -> Request:
    return Request(url=u(name), order=3, via=Link(source=u("s"), target=u(name), anchor="reefs"), score=0.5)


def children(reading: ReadingApart) -> list[asyncio.subprocess.Process]:
    return [each.process for each in reading._started]


async def read(reading: ReadingApart, answer: Response) -> Page | Unread:
    return await reading.read(request(), answer, RecordRef(file="f", offset=1, length=2))


def test_the_same_page() -> None:
    tricky = WORDS + "é 蜘蛛 &#x1F600;"
    answers = [
        response(u("a"), html(tricky, [u(f"n{n}") for n in range(500)]), 200, ("X-Robots-Tag", "nofollow")),
        response(u("a"), "Wörter ".encode("latin-1") * 50_000, 200, ("Content-Type", "text/plain")),
        response(u("a"), b"%PDF-" + b"x" * LARGE, 200, ("Content-Type", "application/pdf")),
        response(u("a"), printed_lines(["of coral reefs"]), 200, ("Content-Type", "application/pdf")),
        response(u("a"), b"<p>" * (MANY_TAGS + 1)),
    ]

    async def both() -> list[tuple[Page | Unread, Page | Unread]]:
        reading = ReadingApart()
        apart = [await read(reading, answer) for answer in answers]
        assert len(children(reading)) == 1
        await reading.close()
        there = RecordRef(file="f", offset=1, length=2)
        return list(zip(apart, [page_or_unread(request(), each, there) for each in answers], strict=True))

    for apart, in_place in asyncio.run(both()):
        assert apart == in_place


def test_small_bodies_start_no_process() -> None:
    async def small() -> int:
        reading = ReadingApart()
        await read(reading, response(u("a"), html("word " * 1_000)))
        started = len(children(reading))
        await reading.close()
        return started

    assert not may_take_long(b"x" * LARGE)
    assert asyncio.run(small()) == 0


def test_what_takes_too_long_is_unread_and_the_next_is_read() -> None:
    async def crawl() -> tuple[Page | Unread, int, Page | Unread, int]:
        reading = ReadingApart(limit=0.01, processes=1)
        slow = await read(reading, response(u("a"), SLOW))
        ended = await children(reading)[0].wait()
        reading._limit = 60
        then = await read(reading, response(u("a"), html(WORDS)))
        started = len(children(reading))
        await reading.close()
        return slow, ended, then, started

    slow, ended, then, started = asyncio.run(crawl())
    assert slow == Unread(reason=Reason.UNREADABLE, detail="reading it took more than 0.01 seconds")
    assert isinstance(then, Page)
    assert (ended, started) == (-9, 2)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
def test_a_process_that_dies_is_replaced() -> None:
    async def crawl() -> tuple[Page | Unread, Page | Unread]:
        reading = ReadingApart(processes=1)
        await read(reading, response(u("a"), html(WORDS)))
        children(reading)[0].kill()
        await children(reading)[0].wait()
        died = await read(reading, response(u("a"), html(WORDS)))
        then = await read(reading, response(u("a"), html(WORDS)))
        await reading.close()
        return died, then

    died, then = asyncio.run(crawl())
    assert died == Unread(reason=Reason.UNREADABLE, detail="the process that read it died")
    assert isinstance(then, Page)


def test_a_visit_that_is_given_up_ends_its_process() -> None:
    async def crawl() -> list[int | None]:
        reading = ReadingApart()
        await read(reading, response(u("a"), html(WORDS)))
        under_way = asyncio.create_task(read(reading, response(u("a"), SLOW)))
        await asyncio.sleep(0)
        under_way.cancel()
        await asyncio.gather(under_way, return_exceptions=True)
        started = list(children(reading))
        await reading.close()
        return [each.returncode for each in started]

    assert asyncio.run(crawl()) == [-9]


def test_a_process_is_killed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second kill could wait for the process before asyncio does, which would lose how it ended."""
    kills: list[int] = []
    kill = asyncio.subprocess.Process.kill
    monkeypatch.setattr(asyncio.subprocess.Process, "kill", lambda each: (kills.append(each.pid), kill(each)))

    async def crawl() -> None:
        reading = ReadingApart()
        await read(reading, response(u("a"), html(WORDS)))
        under_way = asyncio.create_task(read(reading, response(u("a"), SLOW)))
        await asyncio.sleep(0)
        under_way.cancel()
        await asyncio.gather(under_way, return_exceptions=True)
        await reading.close()

    asyncio.run(crawl())
    assert len(kills) == 1


def test_what_takes_too_much_cpu_is_unread_however_busy_the_machine_is() -> None:
    async def crawl() -> tuple[Page | Unread, Page | Unread]:
        reading = ReadingApart(cpu_limit=0.2, processes=1)
        slow = await read(reading, response(u("a"), SLOW))
        reading._cpu_limit = 60
        then = await read(reading, response(u("a"), html(WORDS)))
        await reading.close()
        return slow, then

    slow, then = asyncio.run(crawl())
    assert slow == Unread(reason=Reason.UNREADABLE, detail="reading it took more than 0.2 seconds of CPU")
    assert isinstance(then, Page)
