"""How often an archive is asked for each page of a crawl, and what is asked again by the next one.

    python benchmarks/archived_webs.py [RECORDED_WEB…] [--pages 150]

A recorded web is served over loopback as a small Common Crawl: a CDX index and WARC files by ranges. Crawls go from the
start page of the first of its tasks (`topics.jsonl`), or that of the sample web, with its words. Given
are requests to the index and to the store, a page; archived robots.txt files are asked for, too. The index is asked for
each URL by itself, or at once for a host, up to so many lines, and where it has more, for a folder, from the nth
question about it on.
Then three strategies crawl one after the other, with what was kept of the crawls before; and the first once more.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.cdxserver import CdxServer

import lycosa
from lycosa.compose import archived
from lycosa.spec.tree import ArchivesSpec, FetchSpec, PolitenessSpec
from lycosa.web.archived.web import ArchivedWeb

SAMPLE = Path(__file__).parents[1] / "examples" / "sample-web"
HEADS = "index a page | KB of it | store a page | pages | CPU ms a page |\n" + "| --- |" + " ---: |" * 5
STRATEGIES = ("hunter", "best-first", "breadth-first")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("webs", nargs="*", type=Path, default=[SAMPLE])
    parser.add_argument("--pages", type=int, default=150)
    asked = parser.parse_args()
    for web in asked.webs:
        with TemporaryDirectory() as place, CdxServer(web) as server:
            words, seeds = task_of(web)
            print(f"\n## {web.name}: {len(server.captures()):,} captures\n")
            by_questions(server, Path(place), words, seeds, asked.pages)
            by_strategies(server, Path(place), words, seeds, asked.pages)


def task_of(web: Path) -> tuple[str, list[str]]:
    """The words of a topic, and where to begin."""
    tasks = web / "topics.jsonl"
    if web == SAMPLE or not tasks.exists():
        return "dinosaur fossil", ["http://schools.wiki.example/wp/Biosphere.html"]
    first = json.loads(tasks.read_text("utf-8").splitlines()[0])
    return ", ".join(first["keywords"]), list(first["seeds"].values())[-1]


def by_questions(server: CdxServer, place: Path, words: str, seeds: list[str], pages: int) -> None:
    print(f"| asked for | {HEADS}")
    for area_from, lines in ((0, 1), (2, 100), (1, 300), (2, 300), (3, 300), (2, 3_000), (2, 10_000)):
        made = partial(ArchivedWeb, area_from=area_from, area_lines=lines)
        archived.ArchivedWeb = made  # type: ignore[misc,assignment]
        row = crawled(server, place / f"n{area_from}-{lines}", words, seeds, pages, "hunter", "")
        what = f"hosts, {lines:,} lines; folders from {area_from} on" if area_from else "each URL by itself"
        print(f"| {what} | {row}")
    archived.ArchivedWeb = ArchivedWeb  # type: ignore[misc]


def by_strategies(server: CdxServer, place: Path, words: str, seeds: list[str], pages: int) -> None:
    print(f"\n| with what was kept before | {HEADS}")
    kept = str(place / "kept")
    for number, strategy in enumerate((*STRATEGIES, STRATEGIES[0])):
        row = crawled(server, place / f"s{number}", words, seeds, pages, strategy, kept)
        print(f"| {strategy}{', again' if number == len(STRATEGIES) else ''} | {row}")


def crawled(
    server: CdxServer, out: Path, words: str, seeds: list[str], pages: int, strategy: str, kept: str
) -> str:
    """One crawl as cells of a table."""
    server.asked.clear()
    server.told = 0
    began = time.thread_time()
    with lycosa.crawl(
        words,
        seeds,
        out=out,
        pages=pages,
        web=server.cdx,
        strategy=strategy,
        politeness=PolitenessSpec(delay=0.0, slowness=0.0),
        archives=ArchivesSpec(cache=kept),
        fetch=FetchSpec(width=1),  # so that crawls differ by their strategy alone
    ) as folder:
        found = folder.status().pages
    took = 1000 * (time.thread_time() - began) / max(1, found)
    index, store = server.count("/CC-index"), server.count("/data/")
    told = server.told / found / 1024
    return f"{index / found:.3f} | {told:.1f} | {store / found:.3f} | {found} | {took:.1f} |"


if __name__ == "__main__":
    main()
