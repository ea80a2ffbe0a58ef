"""The live view: what happens to a crawl is seen as it happens, and what is said on the page counts at once."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.console.browsing import (
    DESK,
    PHONE,
    SAMPLE,
    SEED,
    crawled,
    needs_chromium,
    overflow,
    seen,
    serious_findings,
    served,
    tab,
)
from tests.sharedcrawls import sample, shared_crawl

import lycosa
from lycosa.console.running import Address, Server
from lycosa.console.views.live import TRIES, steady
from lycosa.library.library import Library
from lycosa.sharing.registry import partition

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 60.0


def until(met: object, patience: float = PATIENCE) -> None:
    end = time.monotonic() + patience
    while not met():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def slow_web() -> Iterator[int]:
    """The sample web on a port of this machine; crawls are slow there as they are polite."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "lycosa.cli", "web", "serve", str(SAMPLE), "--port", str(port)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers() -> bool:
        with socket.socket() as there:
            return there.connect_ex(("127.0.0.1", port)) == 0

    try:
        until(answers)
        yield port
    finally:
        process.terminate()
        process.wait()


@contextmanager
def crawling(
    place: Path, pages: int = 300, delay: float = 0.15, **more: object
) -> Iterator[tuple[Address, str]]:
    """A crawl that runs, and the server of its page; the crawl's name."""
    with slow_web() as port:
        given = {"connect_to": (f"*:*:127.0.0.1:{port}",), "delay": delay}
        library = Library((place,), given=given)
        with Server(library, port=0).beside() as address:
            new = {"topic": "dinosaur fossil", "urls": [SEED], "pages": pages, "name": "c", **more}
            told = httpx.post(f"{address.origin}/api/v1/crawls", json=new, timeout=30)
            assert told.status_code == 201, told.text
            try:
                yield address, "c"
            finally:
                for path in library.crawls():
                    with lycosa.open(path.path) as folder:
                        if (process := folder.process) is not None:
                            os.kill(process, signal.SIGKILL)


def first_waiting(page: Page) -> list[str]:
    return [str(row.get_attribute("data-key")) for row in page.locator("#waiting > li").all()]


@needs_chromium
def test_a_mark_changes_the_order_at_once_and_visibly(tmp_path: Path, chromium: Browser) -> None:
    with crawling(tmp_path, strategy="hunter") as (address, name), tab(chromium) as page:
        page.goto(f"{address.origin}/crawls/{name}")
        page.locator("#state.running").wait_for()
        page.locator("#came > li").nth(9).wait_for()
        page.locator("#waiting > li").nth(9).wait_for()
        url = page.locator("#came > li").nth(3).get_attribute("data-key")
        page.locator(f'#came > li[data-key="{url}"]').get_by_role("button", name="Bad").click()
        page.locator("#said", has_text="Marked bad.").wait_for()
        page.locator("#moved", has_text="The order has changed").wait_for()
        assert page.locator(".moved.up, .moved.down").count() > 0
        seen(page, "live-marked")
        page.locator("#pause").click()
        page.locator("#state.paused").wait_for()
        seen(page, "live-paused")
    with lycosa.open(tmp_path / name) as folder:
        [mark] = folder.marks()
        assert (mark.url, mark.good) == (url, False)
        assert mark.moved > 0


@needs_chromium
def test_everything_that_steers_a_crawl(tmp_path: Path, chromium: Browser) -> None:
    with crawling(tmp_path, strategy="best-first") as (address, name):
        folder = tmp_path / name
        with tab(chromium) as page, tab(chromium) as other:
            for each in (page, other):
                each.goto(f"{address.origin}/crawls/{name}")
            page.locator("#came > li").nth(4).wait_for()
            page.locator("#pause").click()
            other.locator("#state.paused").wait_for()
            other.locator("#go-on").click()
            page.locator("#state.running").wait_for()
            page.locator("#add-urls").fill(
                "http://schools.wiki.example/wp/Sanskrit.html\nhttp://nowhere.example/"
            )
            page.locator("#add").get_by_role("button").click()
            page.locator("#said", has_text="nowhere.example/: added").wait_for()
            other.locator("#told", has_text="links by the page: 2 added").wait_for()
            page.locator("#block-host").fill("no host")
            page.locator("#block-host").press("Enter")
            page.locator("#said.wrong", has_text="is no host").wait_for()
            page.locator("#block-host").fill("schools.wiki.example")
            page.locator("#block-host").press("Enter")
            other.locator("#blocks", has_text="schools.wiki.example blocked by the page").wait_for()
            page.locator(
                "#ended", has_text="no links are left to follow but those of blocked hosts"
            ).wait_for()
            page.locator("#blocks").get_by_role("button").click()
            page.locator("#blocks > li").wait_for(state="detached")
            more = int(page.locator("#pages").inner_text().split(" ")[0]) + 30
            page.locator("#budget-pages").fill("1")
            page.locator("#budget-pages").press("Enter")
            page.locator("#said.wrong", has_text="pages already, and the budget counts them").wait_for()
            page.locator("#budget-pages").fill(str(more))
            page.locator("#budget").get_by_role("button").click()
            page.locator("#said", has_text="counts when the crawl goes on").wait_for()
            page.locator("#resume").click()
            page.locator("#state.running").wait_for()
            for each in (page, other):
                each.locator("#ended", has_text="the budget of pages is used up").wait_for(timeout=40_000)
                assert each.locator("#pages").inner_text() == f"{more} of {more}"
        with lycosa.open(folder) as crawl:
            urls = {str(row.url) for row in crawl.rows(text=False)}
            assert "http://schools.wiki.example/wp/Sanskrit.html" in urls
            assert len(urls) == more


@needs_chromium
def test_a_crawl_that_is_killed_gone_and_there_again(tmp_path: Path, chromium: Browser) -> None:
    with crawling(tmp_path, strategy="best-first") as (address, name), tab(chromium) as page:
        folder = tmp_path / name
        page.goto(f"{address.origin}/crawls/{name}")
        page.locator("#came > li").nth(4).wait_for()
        with lycosa.open(folder) as crawl:
            assert crawl.process is not None
            os.kill(crawl.process, signal.SIGKILL)
        page.locator("#ended", has_text="the process ended without a word (killed?)").wait_for()
        page.locator("#state.interrupted").wait_for()
        shown = page.locator("#pages").inner_text()
        page.locator("#resume").click()
        page.locator("#state.running").wait_for()
        page.locator("#told", has_text="recovered").wait_for()
        page.wait_for_function("shown => document.getElementById('pages').textContent !== shown", arg=shown)
        page.locator("#stop").click()
        page.locator("#state.interrupted").wait_for()
        shutil.move(folder, tmp_path / "aside")
        page.locator("#trouble", has_text="gone").wait_for()
        seen(page, "live-gone")
        shutil.move(tmp_path / "aside", folder)
        page.locator("#told", has_text="it is there again").wait_for()
        assert page.locator("#trouble").inner_text() == ""
        shutil.rmtree(folder)
        crawled(folder, 7)
        page.locator("#pages", has_text="7 of 7").wait_for()


@needs_chromium
def test_questions_are_answered_with_two_keys(tmp_path: Path, chromium: Browser) -> None:
    place = crawled(tmp_path / "c", 60)
    with lycosa.open(place) as folder:
        asked = [question.url for question in folder.questions(10)]
    assert len(asked) > 2
    with served(tmp_path) as address, tab(chromium) as page:
        page.goto(f"{address.origin}/crawls/c")
        page.locator("#question", has_text=f"1 of {len(asked)}").wait_for()
        page.locator("#question").focus()
        page.keyboard.press("y")
        page.locator("#question", has_text=f"1 of {len(asked) - 1}").wait_for()
        page.keyboard.press("s")
        page.locator("#question", has_text=f"1 of {len(asked) - 2}").wait_for()
        page.keyboard.press("n")
        page.locator("#said", has_text="Marked bad.").wait_for()
        page.locator("#add-urls").focus()
        page.keyboard.type("y")
    with lycosa.open(place) as folder:
        assert [(mark.url, mark.good) for mark in folder.marks()] == [(asked[0], True), (asked[2], False)]


@needs_chromium
@pytest.mark.parametrize(("size", "dark"), [(DESK, False), (PHONE, True)])
def test_agents_and_all_else_fit_any_window(
    tmp_path: Path, chromium: Browser, size: tuple[int, int], dark: bool
) -> None:
    strategy = "infospiders-energy:theta=0.5,cost=0.007,cost_of_time=0"
    place = crawled(tmp_path / "spiders", 120, strategy=strategy)
    with lycosa.open(place) as folder:
        population = folder.population()
    with served(tmp_path) as address, tab(chromium, size, dark=dark) as page:
        page.goto(f"{address.origin}/crawls/spiders?order=best")
        page.locator("#tree button").first.wait_for()
        assert page.locator("#tree button").count() == len(population)
        child = next(member for member in population if member.parent is not None and member.found)
        page.locator(f'[data-agent="/{child.number}"]').click()
        page.locator("#agent", has_text=f"Born of {child.parent} at step").wait_for()
        assert child.found[0].title in page.locator("#agent").inner_text()
        relevances = [float(text) for text in page.locator("#came .number").all_inner_texts()]
        assert relevances == sorted(relevances, reverse=True)
        page.locator("canvas").nth(1).wait_for()
        assert overflow(page) <= 0
        assert serious_findings(page) == []
        seen(page, f"live-{size[0]}-{'dark' if dark else 'light'}")


def test_a_shared_crawl_and_hostile_words(tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as beside:  # as in `crawled`
        by_url = partial(partition, "url")
        shared = beside.submit(shared_crawl, tmp_path / "shared", sample(), by_url, pages=30).result()
    with lycosa.open(shared) as folder:
        folder.block("schools.wiki.example", by="</script><script>alert(1)</script>")
        best = folder.best(1)[0]
    with served(tmp_path) as address, httpx.Client(base_url=address.origin) as client:
        page = client.get("/crawls/shared")
        assert page.status_code == 200
        assert best.url in page.text
        assert "<script>alert" not in page.text
        base = "/api/v1/crawls/shared"
        assert [one["host"] for one in client.get(f"{base}/blocks").json()] == ["schools.wiki.example"]
        assert client.get(f"{base}/waiting?most=2").json()[0]["node"] in ("n0", "n1", "n2")
        assert client.get(f"{base}/population").json() == []
        let_in = client.post(f"{base}/blocks", json={"hosts": ["schools.wiki.example"], "off": True})
        assert let_in.json() == []
        new = {"urls": ["http://schools.wiki.example/wp/nowhere.html"]}
        assert client.post(f"{base}/start-pages", json=new).json()[0]["state"] == "new"
        for path, body, said in (
            ("budget", {"pages": 99}, "who leads a shared crawl gives it its budget"),
            ("budget", {}, "pages, requests: give one of them"),
            ("blocks", {"hosts": []}, "hosts: "),
            ("blocks", {"hosts": ["a b"]}, "is no host"),
            ("start-pages", {"urls": ["ftp://x.example/"]}, "only those are fetched"),
        ):
            refused = client.post(f"{base}/{path}", json=body)
            assert refused.status_code == 400
            assert said in refused.json()["detail"]


def test_the_page_as_sent_is_small(tmp_path: Path) -> None:
    crawled(tmp_path / "c", 390, strategy="best-first")
    with served(tmp_path) as address, httpx.Client(base_url=address.origin) as client:
        page = client.get("/crawls/c")
        assert page.status_code == 200
        sent = int(page.headers["content-length"])
        for path in set(re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)):
            sent += int(client.get(path).headers["content-length"])
        assert sent < 300_000
        assert client.get("/crawls/none").status_code == 404


def test_what_the_page_begins_with_is_of_one_moment() -> None:
    tokens = iter(["1", "2", "2", "2", "3"])
    counts = iter([10, 20, 30])
    assert steady(lambda: next(tokens), lambda: next(counts)) == ("2", 20)


def test_a_crawl_that_never_stays_is_taken_as_it_was_last() -> None:
    tokens, counts = iter(range(100)), iter(range(100))
    at, told = steady(lambda: str(next(tokens)), lambda: next(counts))
    assert (at, told) == (str(2 * (TRIES - 1)), TRIES - 1)
