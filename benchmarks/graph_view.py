"""The map and the link graph of a crawl of 5,000 pages in a headless Chromium: how long until there is a picture, and
how long one interaction takes.

    python benchmarks/graph_view.py [--pages N] [--links N] [--seed N] [--crawl FOLDER]

Makes a crawl from a seed, or takes one that is there: its journal is written as a crawl writes it, without an archive.
Links are made by the copying model (Kumar et al., FOCS 2000): half of a page's links are those of an earlier page, so
that some pages have very many in-links; a part of them leads to URLs that were not fetched. Needs Chromium and
playwright. The server runs in a thread of this process. Times are wall times in ms, medians of some rounds, from the
start of a navigation or the press of a key to the second frame after the change.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from lycosa import __version__
from lycosa.console.running import Server
from lycosa.crawls.folder import CrawlFolder
from lycosa.library.library import Library
from lycosa.model.events import Entry
from lycosa.model.records import Link, Millis, Page, Request
from lycosa.model.url import Url
from lycosa.spec.files import save
from lycosa.spec.tree import CrawlSpec, TopicSpec
from lycosa.store.journal import Journal
from lycosa.store.paths import Paths

if TYPE_CHECKING:
    from playwright.sync_api import Page as Tab

HOSTS = 40
OUTSIDE = 0.15
"""The share of links that lead to URLs that were not fetched."""
ROUNDS = 5
SIZES = (150, 500, 1_500, 5_000)
HEADS = (
    *("URLs", "links", "answer at first", "answer", "places", "drawn"),
    *("first picture", "choose", "zoom", "sort the list"),
)
FRAMES = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Resolved when what was changed has been painted."""


# -- a crawl -----------------------------------------------------------------------------------------------------


def url_of(number: int) -> Url:
    return Url(f"http://host{number % HOSTS}.test/part{number % 97}/page{number}.html")


def made(place: Path, pages: int, links: int, seed: int) -> Path:
    """The folder of a crawl."""
    chance, paths = random.Random(seed), Paths(place)
    for each in (paths.folder, paths.archive):
        each.mkdir(parents=True)
    save(CrawlSpec(topic=TopicSpec(keywords=("spider",)), seeds=(url_of(0),)), paths.specification)
    out: list[list[int]] = []
    journal = Journal(paths.journal)
    for number in range(pages):
        out.append(_targets(chance, out, pages, links))
        parent = chance.choice([p for p in (number // 12, number // 7, number - 1) if p < number] or [0])
        page = _page(number, out[-1], parent, chance)
        journal.append(Entry(step=number + 1, at=page.fetched_at, leased=(page.url,), event=page))
    journal.close()
    return place


def _targets(chance: random.Random, out: list[list[int]], pages: int, links: int) -> list[int]:
    copied = chance.choice(out) if out else []
    found = [target for target in copied if chance.random() < 0.5]
    while len(found) < links:
        outside = chance.random() < OUTSIDE
        found.append(chance.randrange(pages, 3 * pages) if outside else chance.randrange(pages))
    return found[:links]


def _page(number: int, targets: list[int], parent: int, chance: random.Random) -> Page:
    url = url_of(number)
    via = Link(source=url_of(parent), target=url, anchor=f"to {number}") if number else None
    return Page(
        request=Request(url=url, order=0, via=via),
        final_url=url,
        status=200,
        fetched_at=Millis(1_000 * number),
        media_type="text/html",
        digest=f"sha1:{number}",
        title=f"Page {number} of {'spiders' if number % 9 == 0 else 'other things'}",
        text="",
        links=tuple(Link(source=url, target=url_of(target)) for target in targets),
        relevance=chance.random() ** 3,
    )


# -- in the browser ----------------------------------------------------------------------------------------------


@contextmanager
def tab_on(origin: str) -> Iterator[Tab]:
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900}, base_url=origin)
        tab.set_default_timeout(120_000)
        yield tab
        browser.close()


def took(tab: Tab, act: str) -> float:
    """How long until what an action in the page changes is painted."""
    told: Any = tab.evaluate(
        f"async () => {{ const began = performance.now(); {act}; await {FRAMES}; return performance.now() - began; }}"
    )
    return float(told)


def median(measure: Callable[[], float], rounds: int = ROUNDS) -> float:
    return statistics.median(measure() for _ in range(rounds))


def arrived(tab: Tab, path: str, there: str) -> float:
    """From the start of a navigation until something is there and painted."""
    tab.goto(path, wait_until="commit")
    tab.wait_for_selector(there)
    tab.evaluate(f"() => {FRAMES}")
    return float(tab.evaluate("performance.now()"))


def until(tab: Tab, act: str, condition: str) -> float:
    """How long until an action in the page, which may ask the server, has made a condition true and is painted."""
    return took(tab, f"{act}; while (!({condition})) await new Promise(done => requestAnimationFrame(done))")


# -- what is measured --------------------------------------------------------------------------------------------


def told(what: str, *values: object) -> None:
    shown = (f"{value:,.0f}" if isinstance(value, float) else str(value) for value in values)
    print(f"| {' | '.join([what, *shown])} |", flush=True)


def of_map(tab: Tab, path: str) -> None:
    print("\n| map | ms |\n| --- | ---: |")
    told("first picture, nothing read yet", arrived(tab, path, "[role=treeitem]"))
    told("first picture, again", median(lambda: arrived(tab, path, "[role=treeitem]")))
    told("by sites and folders, nothing read yet", arrived(tab, f"{path}?by=paths", "[role=treeitem]"))
    arrived(tab, path, "[role=treeitem]")
    rows = "document.querySelectorAll('[role=treeitem]').length"
    first = "document.querySelector('[aria-expanded=false]')"
    press = "dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))"
    told("unfold a branch", median(lambda: until(tab, f"const n = {rows}; {first}.{press}", f"{rows} > n")))
    count = 0
    while (now := tab.evaluate(rows)) > count and now < 4_000:
        count = now
        tab.click("#unfold")
        tab.wait_for_timeout(1_500)
    now = tab.evaluate(rows)
    down = press.replace("Right", "Down")
    chosen = "document.querySelector('[role=treeitem][tabindex=\"0\"]')"
    told(f"one row down, {now:,} rows unfolded", median(lambda: took(tab, f"{chosen}.{down}")))
    words = "document.querySelector('[name=words]')"
    typing = f"{words}.value = '%s'; {words}.dispatchEvent(new Event('input', {{bubbles: true}}))"
    count_of = "document.getElementById('count').textContent"
    asked = iter(("spiders", "part1", "host3", "page2", "things"))
    told(
        "look for a word (250 ms of it wait for the next key)",
        median(lambda: until(tab, f"const was = {count_of}; {typing % next(asked)}", f"{count_of} !== was")),
    )


def of_graph(tab: Tab, path: str, url: Url) -> None:
    print(f"\n| {' | '.join(HEADS)} |\n|{' ---: |' * len(HEADS)}")
    button = "document.getElementById('larger').click()"
    headed = "document.querySelector('#list thead [data-sort=hub]').click()"
    for most in SIZES:
        query = f"{path}/graph?url={quote(url, safe='')}&depth=3&most={most}"
        operation = f"/api/v1{query}"
        answers = []
        for _ in range(2):
            began = time.perf_counter()
            answer = tab.request.get(operation, timeout=120_000)
            answers.append(1e3 * (time.perf_counter() - began))
        graph = answer.json()
        whole = arrived(tab, query, "#chosen h2")
        marks: Any = tab.evaluate(
            "Object.fromEntries(performance.getEntriesByType('mark').map(m => [m.name, m.startTime]))"
        )
        told(
            f"{len(graph['nodes']):,}",
            f"{len(graph['links']):,}",
            *answers,
            marks["placed"] - marks["answered"],
            marks["drawn"] - marks["placed"],
            whole,
            median(lambda: _tap(tab)),
            median(lambda: took(tab, button)),
            median(lambda: took(tab, headed)),
        )


def _tap(tab: Tab) -> float:
    """Choose the node in the middle, as a finger does: not twice at once, which goes on from there."""
    tab.wait_for_timeout(500)
    return took(
        tab,
        "const box = document.getElementById('graph').getBoundingClientRect(); "
        "const at = {clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, button: 0}; "
        "const on = document.querySelector('#graph canvas:last-of-type'); "
        "for (const kind of ['mousedown', 'mouseup']) on.dispatchEvent(new MouseEvent(kind, at))",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--links", type=int, default=30, help="of a page")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--crawl", type=Path, help="the folder of a crawl, instead of one that is made")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as room:
        place = asked.crawl or made(Path(room) / "made", asked.pages, asked.links, asked.seed)
        with CrawlFolder.open(place) as folder:
            status, best = folder.status(), folder.best(1)[0]
        print(f"lycosa {__version__}, {status.pages:,} pages, seed {asked.seed}")
        with (
            Server(Library([place]), port=0).beside() as address,
            tab_on(address.origin) as tab,
        ):
            of_map(tab, f"/crawls/{place.name}/map")
            of_graph(tab, f"/crawls/{place.name}", best.final_url)


if __name__ == "__main__":
    main()
