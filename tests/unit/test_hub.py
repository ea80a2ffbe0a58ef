"""Watchers of crawls: each is told everything once, and a folder is looked at by one for all."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from pathlib import Path

import pytest

import lycosa
from lycosa.crawls.answers import Happening
from lycosa.crawls.folder import CrawlFolder
from lycosa.crawls.interface import Folder
from lycosa.crawls.opening import open_folder
from lycosa.model.errors import FolderError, InputError
from lycosa.watch import hub as hub_module
from lycosa.watch.hub import Hub, Update

SAMPLE = Path(__file__).parents[2] / "examples" / "sample-web"
SEED = "http://schools.wiki.example/wp/Biosphere.html"
EVERY = 0.02


def crawl(place: Path, pages: int) -> None:
    lycosa.crawl("dinosaur fossil", [SEED], web=f"recorded:{SAMPLE}", pages=pages, out=place).close()


class Opening:
    """Opens the crawl of a place, and counts how often."""

    def __init__(self, place: Path) -> None:
        self.place, self.times = place, 0

    def __call__(self, name: str) -> Folder:
        self.times += 1
        return open_folder(self.place)


async def until(updates: AsyncIterator[Update], met: Callable[[Update], bool]) -> list[Update]:
    found = []
    async with asyncio.timeout(30):
        async for update in updates:
            found.append(update)
            if met(update):
                return found
    raise AssertionError("it ended")


def steps(updates: list[Update]) -> list[Happening]:
    return [one for update in updates for one in update.happenings]


def has(pages: int) -> Callable[[Update], bool]:
    return lambda update: update.status is not None and update.status.pages == pages


def told(last: Happening) -> Callable[[Update], bool]:
    return lambda update: last.step in [one.step for one in update.happenings]


def test_nothing_twice_nothing_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "AT_ONCE", 5)
    place = tmp_path / "crawl"
    crawl(place, 12)

    async def watch() -> None:
        opening = Opening(place)
        hub = Hub(opening, every=EVERY)
        async with aclosing(hub.follow("crawl", "")) as first, aclosing(hub.follow("crawl")) as second:
            early, late = await until(first, has(12)), await until(second, has(12))
            assert steps(late) == []
            await asyncio.to_thread(lambda: lycosa.resume(place, pages=30).close())
            with open_folder(place) as folder:
                last = folder.happened().happenings[-1]
            early += await until(first, told(last))
            late += await until(second, told(last))
            assert hub.watchers("crawl") == 2
        assert hub.watchers("crawl") == 0
        with open_folder(place) as folder:
            whole = list(folder.happened().happenings)
        assert [one.step for one in steps(early)] == [one.step for one in whole]
        since = steps(late)[0].step
        assert [one.step for one in steps(late)] == [one.step for one in whole if one.step >= since]
        async with aclosing(hub.follow("crawl", steps(early)[3].token)) as again:
            assert [one.step for one in steps(await until(again, told(last)))] == [
                one.step for one in whole[4:]
            ]

    asyncio.run(watch())


def test_who_goes_while_a_folder_answers_does_not_close_it(tmp_path: Path) -> None:
    """SQLite ends the process of who closes a connection that another thread asks."""
    crawl(tmp_path / "crawl", 5)
    began, goes_on = threading.Event(), threading.Event()
    done: list[str] = []

    class Slow(CrawlFolder):
        def token(self) -> str:
            began.set()
            assert goes_on.wait(30)
            done.append("asked")
            return super().token()

        def close(self) -> None:
            done.append("closed")
            super().close()

    async def watch() -> None:
        hub = Hub(lambda name: Slow.open(tmp_path / "crawl"), every=EVERY)
        watcher = asyncio.create_task(anext(hub.follow("crawl")))
        await asyncio.to_thread(began.wait, 30)
        for _ in range(3):
            watcher.cancel()
            await asyncio.sleep(EVERY)
        goes_on.set()
        await asyncio.gather(watcher, return_exceptions=True)
        assert done == ["asked", "closed"]
        assert hub.watchers("crawl") == 0

    asyncio.run(watch())


def test_once_for_all(tmp_path: Path) -> None:
    crawl(tmp_path / "crawl", 5)

    async def watch() -> None:
        opening = Opening(tmp_path / "crawl")
        hub = Hub(opening, every=EVERY)
        async with AsyncExitStack() as stack:
            for _ in range(20):
                await anext(await stack.enter_async_context(aclosing(hub.follow("crawl"))))
            assert hub.watchers("crawl") == 20
            await asyncio.sleep(10 * EVERY)
            assert opening.times == 1
        assert hub.watchers("crawl") == 0

    asyncio.run(watch())


def test_slow_watchers_hold_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "HELD", 2)
    monkeypatch.setattr(hub_module, "AT_ONCE", 2)
    place = tmp_path / "crawl"
    crawl(place, 5)

    async def watch() -> None:
        hub = Hub(Opening(place), every=EVERY)
        async with aclosing(hub.follow("crawl")) as slow:
            await anext(slow)
            await asyncio.to_thread(lambda: lycosa.resume(place, pages=40).close())
            async with asyncio.timeout(30), aclosing(hub.follow("crawl")) as quick:
                await until(quick, has(40))
            assert hub.watchers("crawl") == 0
            rest = [update async for update in slow]  # it ends, and says nothing wrong
            assert len(rest) <= 2

    asyncio.run(watch())


def test_a_folder_that_goes_and_comes_back(tmp_path: Path) -> None:
    place = tmp_path / "crawl"
    crawl(place, 5)

    async def watch() -> None:
        hub = Hub(Opening(place), every=EVERY)
        async with aclosing(hub.follow("crawl")) as updates:
            await until(updates, has(5))
            place.rename(tmp_path / "taken-away")
            *_, gone = await until(updates, lambda update: bool(update.trouble))
            assert "\n" not in gone.trouble
            assert str(place) in gone.trouble
            await asyncio.to_thread(crawl, place, 7)
            back = await until(updates, lambda update: update.status is not None and update.status.pages == 7)
            assert any(update.anew for update in back)
            assert any(update.again for update in back)

    asyncio.run(watch())


def test_no_crawl_and_no_token_are_told_at_once(tmp_path: Path) -> None:
    crawl(tmp_path / "crawl", 3)

    async def watch() -> None:
        with pytest.raises(FolderError):
            await anext(Hub(Opening(tmp_path / "none")).follow("none"))
        with pytest.raises(InputError, match="is no place in this crawl"):
            await anext(Hub(Opening(tmp_path / "crawl")).follow("crawl", "x"))

    asyncio.run(watch())
