"""What nodes of a shared crawl tell one another, in bytes, and what it costs to know whose a URL is.

    LYCOSA_SHARED=FOLDER python benchmarks/sharing/telling.py [--web webkb] [--topic 0] [--pages 5000]

The pages of a recorded web are shared among nodes as they come. Told are

* what it costs to say who has a link, in the order of the links on the pages;
* back-links: bytes a page, if nodes exchange them every so many of their pages, and Kendall's τ-b of each node's
  PageRank (γ = .85) against that of the whole, mean over nodes: without exchange, and after it;
* lessons: bytes of one of a topical crawl, plain and compressed, and a page, if nodes tell one every 100 of their pages
  to all others.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
import zstandard
from scipy.sparse import csr_array

from lycosa.lab.tasks.judge import brief
from lycosa.lab.tasks.task import read_tasks
from lycosa.lab.webs.lab_web import LabWeb, open_web
from lycosa.model.nodes import Members, Node
from lycosa.model.records import Page, Request
from lycosa.model.url import Url
from lycosa.scoring.graphs.analysis import kendall_tau, pagerank
from lycosa.sharing.back_links import InwardLinks, OutwardLinks
from lycosa.sharing.division import Division
from lycosa.sharing.lessons import Notes
from lycosa.sharing.registry import partition

GAMMA = 0.85
EVERY = (0, 1000, 100)
"""Pages of a node between two exchanges; 0: one, when all is fetched."""


def members(count: int) -> Members:
    return Members(epoch=1, names=tuple(Node(f"n{number}") for number in range(count)))


def asking(pages: Sequence[Page], name: str, count: int) -> float:
    """Microseconds a link."""
    asked = partition(name, members(count))
    links = [link.target for page in pages for link in page.links]
    begun = time.process_time()
    for url in links:
        asked.of_url(url)
    return (time.process_time() - begun) / len(links) * 1e6


def ranks(pages: Sequence[Page], inward: InwardLinks | None) -> np.ndarray:
    """PageRank on these pages alone. What links lead away, they take away."""
    place = {page.url: number for number, page in enumerate(pages)}
    n = len(pages)
    rows = [(here, place.get(url, n)) for here, page in enumerate(pages) for url in page.out]
    row, column = np.array(rows).T
    links = csr_array((np.ones(len(rows)), (row, column)), shape=(n + 1, n + 1))
    jump = np.full(n + 1, 1 - GAMMA)
    jump[n] = 0.0
    if inward is not None:
        jump[:n] += [GAMMA * inward.of(page.url).flow for page in pages]
    found = pagerank(links, gamma=GAMMA, tolerance=1e-6, teleport=jump, dangling=np.zeros(n + 1))
    return found[:n]


def shared(pages: Sequence[Page], division: Division) -> dict[Node, list[Page]]:
    parted: dict[Node, list[Page]] = {}
    for page in pages:
        parted.setdefault(division.of_url(page.url), []).append(page)
    return parted


def exchanged(
    parted: Mapping[Node, Sequence[Page]], division: Division, every: int
) -> tuple[dict[Node, InwardLinks], int, int]:
    """What each node heard, the bytes of all messages, and how many there were."""
    inward = {node: InwardLinks() for node in division.members.names}
    told = messages = 0
    for here, own in parted.items():
        outward = OutwardLinks()
        for number, page in enumerate(own, 1):
            outward.see(page, lambda url, here=here: division.of_url(url) != here)
            while number == len(own) or (every and number % every == 0):
                found = outward.tell(division.of_url, here)
                for to, message in found.items():
                    inward[to].hear(here, message)
                    told += len(msgspec.msgpack.encode(message))
                    messages += 1
                if not found:
                    break
    return inward, told, messages


def agreement(
    parted: Mapping[Node, Sequence[Page]],
    whole: Mapping[Url, float],
    inward: Mapping[Node, InwardLinks] | None,
) -> float:
    found = [
        kendall_tau(ranks(own, inward and inward[node]), [whole[page.url] for page in own])
        for node, own in parted.items()
        if len(own) > 20
    ]
    return float(np.mean(found))


def back_links(pages: Sequence[Page]) -> None:
    print("\n| partition | nodes | exchange | messages | bytes a page | τ-b without | τ-b with |")
    print("| --- | ---: | --- | ---: | ---: | ---: | ---: |")
    whole = dict(zip([page.url for page in pages], ranks(pages, None).tolist(), strict=True))
    for name in ("host", "url"):
        for count in (4, 16):
            division = partition(name, members(count))
            parted = shared(pages, division)
            alone = agreement(parted, whole, None)
            for every in EVERY:
                inward, told, messages = exchanged(parted, division, every)
                after = agreement(parted, whole, inward)
                when = f"every {every:,} pages" if every else "once"
                cells = name, count, when, f"{messages:,}", f"{told / len(pages):.0f}", f"{alone:.3f}"
                print(f"| {' | '.join(map(str, cells))} | {after:.3f} |")


def lessons(pages: Sequence[Page], web: LabWeb, folder: Path, topic: int, count: int = 4) -> None:
    told = brief(list(read_tasks(folder / "topics.jsonl"))[topic], 2)
    model = told.source().model()
    judged = [msgspec.structs.replace(page, relevance=model.relevance(page)) for page in pages]
    sizes: list[tuple[int, int]] = []
    for own in shared(judged, partition("host", members(count))).values():
        notes = Notes()
        for number, page in enumerate(own, 1):
            notes.see(page, page.relevance)
            if number % 100 == 0:
                packed = msgspec.msgpack.encode(notes.lesson(Node("n0"), number))
                sizes.append((len(packed), len(zstandard.compress(packed))))
    plain, small = np.array(sizes).mean(axis=0)
    print(
        f"\n{len(sizes)} lessons of {count} nodes by host: {plain:,.0f} bytes each, {small:,.0f} compressed; "
        f"told to {count - 1} others every 100 pages: {small * (count - 1) / 100:,.0f} bytes a page"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--web", default="webkb")
    parser.add_argument("--topic", type=int, default=0)
    parser.add_argument("--pages", type=int, default=5000)
    chosen = parser.parse_args()
    if "LYCOSA_SHARED" not in os.environ:
        sys.exit("set LYCOSA_SHARED to the folder with webs/")
    folder = Path(os.environ["LYCOSA_SHARED"]) / "webs" / chosen.web
    web = open_web([folder])
    pages = [
        msgspec.structs.replace(web.page(number), request=Request(url=web.urls[number], order=number))
        for number in range(min(chosen.pages, len(web)))
    ]
    print(f"{chosen.web}: {len(pages):,} pages, {sum(len(page.links) for page in pages):,} links\n")
    print("| nodes | host: µs a link | url: µs a link |\n| ---: | ---: | ---: |")
    for count in (4, 16, 64, 1000):
        print(f"| {count} | {asking(pages, 'host', count):.2f} | {asking(pages, 'url', count):.2f} |")
    back_links(pages)
    lessons(pages, web, folder, chosen.topic)


if __name__ == "__main__":
    main()
