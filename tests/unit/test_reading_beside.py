"""Pages read on another core: the same pages, in the order of their answers, and none lost with the process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.prints import printed_lines
from tests.trials import trials
from tests.worlds import html, response, u

import lycosa.drive.reading_beside as beside
from lycosa.drive.live import loop_factory
from lycosa.drive.reading import Unread, page_or_unread
from lycosa.drive.reading_beside import SPAN, Load, ReadingBeside
from lycosa.model.records import Link, Page, RecordRef, Request, Response

THERE = RecordRef(file="f", offset=1, length=2)
original = beside.spare_core
LOOPS = [None, loop_factory()]
"""The standard event loop, and the fast one where there is one."""


def request(name: str = "a") -> Request:
    return Request(url=u(name), order=3, via=Link(source=u("s"), target=u(name), anchor="reefs"), score=0.5)


async def started(max_links: int = 3_000, patience: float = 60.0) -> ReadingBeside:
    """One whose process runs."""
    reading = ReadingBeside(max_links=max_links, busy=0.0, patience=patience)
    await reading.read(request(), response(u("a"), b"<p>first"), None)
    assert reading._starting is not None
    await reading._starting
    assert reading._helper is not None
    return reading


async def all_of(reading: ReadingBeside, answers: list[Response]) -> list[Page | Unread]:
    return await asyncio.gather(*(reading.read(request(), each, THERE) for each in answers))


@pytest.fixture(autouse=True)
def a_core_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "spare_core", lambda: True)


@pytest.mark.parametrize("factory", LOOPS)
def test_the_same_page(factory: Callable[[], asyncio.AbstractEventLoop] | None) -> None:
    many = html("é 蜘蛛 &#x1F600;", [u(f"n{n}") for n in range(50)])
    answers = [
        response(u("a"), many, 200, ("X-Robots-Tag", "nofollow")),
        response(
            u("a"), "Wörter \ud83d".encode("utf-16", "surrogatepass"), 200, ("Content-Type", "text/plain")
        ),
        response(
            u("a"), b"<rss><item><link>/x</link></item></rss>", 200, ("Content-Type", "application/xml")
        ),
        response(u("a"), b"\x89PNG\r\n\x1a\n", 200, ("Content-Type", "image/png")),
        response(u("a"), printed_lines(["of coral reefs"]), 200, ("Content-Type", "application/pdf")),
        response(u("a"), b""),
        response(u("a"), b"<p>" * 9_000),
    ]

    async def both() -> list[Page | Unread]:
        reading = await started(max_links=20)
        pages = await all_of(reading, answers)
        assert reading._helper is not None
        await reading.close()
        return pages

    with asyncio.Runner(loop_factory=factory) as runner:
        pages = runner.run(both())
    assert pages == [page_or_unread(request(), each, THERE, 20) for each in answers]


@settings(max_examples=trials(5), deadline=None)
@given(bodies=st.lists(st.binary(max_size=300), min_size=1, max_size=20))
def test_the_same_page_of_any_bytes(bodies: list[bytes]) -> None:
    answers = [response(u("a"), body) for body in bodies]

    async def pages() -> list[Page | Unread]:
        reading = await started()
        found = await all_of(reading, answers)
        await reading.close()
        return found

    assert asyncio.run(pages()) == [page_or_unread(request(), each, THERE) for each in answers]


def test_in_order() -> None:
    """A long page that was asked for first comes home before a short one."""
    came: list[int] = []

    async def crawl() -> None:
        reading = await started()

        async def one(number: int, words: int) -> None:
            await reading.read(request(), response(u("a"), html("word " * words)), None)
            came.append(number)

        await asyncio.gather(*(one(number, 20_000 // (1 + number**3)) for number in range(12)))
        await reading.close()

    asyncio.run(crawl())
    assert came == list(range(12))


def test_a_process_that_dies_costs_no_page() -> None:
    answers = [response(u("a"), html(f"page {number}")) for number in range(20)]

    async def crawl() -> list[Page | Unread]:
        reading = await started()
        assert reading._helper is not None
        reading._helper._process.kill()
        first = await all_of(reading, answers)
        assert reading._helper is None
        then = await all_of(reading, answers)
        await reading.close()
        return first + then

    assert asyncio.run(crawl()) == 2 * [page_or_unread(request(), each, THERE) for each in answers]


def test_a_process_that_does_not_answer_costs_no_page() -> None:
    answers = [response(u("a"), html("word " * 20_000)) for _ in range(3)]

    async def crawl() -> list[Page | Unread]:
        reading = await started(patience=0.0)
        pages = await all_of(reading, answers)
        assert reading._helper is None
        await reading.close()
        return pages

    assert asyncio.run(crawl()) == [page_or_unread(request(), each, THERE) for each in answers]


def test_a_visit_that_is_given_up_leaves_the_others_their_pages() -> None:
    answers = [response(u("a"), html(f"page {number}")) for number in range(3)]

    async def crawl() -> list[Page | Unread]:
        reading = await started()
        given_up = asyncio.create_task(reading.read(request(), answers[0], THERE))
        rest = asyncio.create_task(all_of(reading, answers[1:]))
        await asyncio.sleep(0)
        given_up.cancel()
        pages = await rest
        assert reading._helper is not None
        await reading.close()
        return pages

    assert asyncio.run(crawl()) == [page_or_unread(request(), each, THERE) for each in answers[1:]]


def test_closing_ends_the_process() -> None:
    async def crawl() -> int | None:
        reading = await started()
        assert reading._helper is not None
        process = reading._helper._process
        await reading.close()
        return process.returncode

    assert asyncio.run(crawl()) is not None


def test_without_a_free_core_no_process_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "spare_core", lambda: False)

    async def crawl() -> bool:
        reading = ReadingBeside(busy=0.0)
        await reading.read(request(), response(u("a"), b"<p>first"), None)
        await reading.close()
        return reading._starting is None

    assert asyncio.run(crawl())


def test_load() -> None:
    """Pages of 0.1 s: two in four seconds are a twentieth of the time, five in two seconds a quarter."""
    load = Load(0.2)
    assert not load.is_high(0.0, 0.1)
    assert not load.is_high(2 * SPAN - 0.1, 2 * SPAN)
    begins = [4.0, 4.4, 4.8, 5.2, 5.9]
    assert [load.is_high(at, at + 0.1) for at in begins] == [False, False, False, False, True]


def test_a_core_is_free_if_there_are_two_and_the_load_is_less(monkeypatch: pytest.MonkeyPatch) -> None:
    def asked(cores: int, load: float) -> bool:
        monkeypatch.setattr(beside.os, "sched_getaffinity", lambda _: set(range(cores)), raising=False)
        monkeypatch.setattr(beside.os, "getloadavg", lambda: (load, 9.0, 9.0), raising=False)
        return original()

    assert [asked(1, 0.5), asked(2, 1.5), asked(2, 2.0), asked(8, 7.9)] == [False, True, False, True]
