"""How many bytes a shared crawl keeps and sends, by page, link and URL: what plans of large crawls reckon with.

    LYCOSA_SHARED=… python benchmarks/sharing/sizes.py FOLDER [--web NAME …] [--pages 1500] [--urls 1000000]
    python benchmarks/sharing/sizes.py FOLDER --web --urls 0 --memory RECORDING [--strategy hunter]

FOLDER is for crawls, and is left behind. Two nodes of this process crawl a recorded web, all URLs dealt out by hash so
that half of all links are sent, and with partition `content`, for pages that are sent. zstd is that of level 1, all
together. Then URLs that others see to are put into a frontier on disk, and notices of hosts that moved into memory.
With `--memory`, how the memory of one crawl alone grows with its pages; RECORDING is made as for `speed.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import gzip
import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import zstandard
from speed import MEMBERS, NODES, spec

from lycosa.crawls.mail import unseal
from lycosa.crawls.session import begin
from lycosa.model.endings import Ending, EndKind
from lycosa.model.events import Snapshot
from lycosa.model.nodes import Housed, Node, Share
from lycosa.model.records import Arrival, UrlState
from lycosa.model.url import Url
from lycosa.spec.tree import ClusterSpec, CrawlSpec, TopicSpec
from lycosa.store.disk_frontier import DiskFrontier

WEBS = ("wikispeedia", "webkb", "uci-ics-10k", "boost-www")
SEEDS = 20
_encode = msgspec.msgpack.Encoder().encode


def some_pages(web: Path) -> tuple[str, ...]:
    """Pages of a recording, from all parts of its index."""
    lines = (web / "web.cdxj").read_text(encoding="utf-8").splitlines()
    told = [json.loads(line.split(" ", 2)[2]) for line in lines]
    pages = [
        str(each["url"]) for each in told if each.get("status") == "200" and "html" in each.get("mime", "")
    ]
    return tuple(pages[:: max(1, len(pages) // SEEDS)])


def crawled(web: Path, partition: str, pages: int, folder: Path) -> dict[str, Any]:
    """A crawl by two nodes until both have nothing to do."""
    shared = CrawlSpec(
        topic=TopicSpec(keywords=("research", "science")),
        seeds=some_pages(web),
        strategy="breadth-first",
        web=f"recorded:{web}",
        pages=pages // 2,
        cluster=ClusterSpec(nodes=2, partition=partition),
    )
    batches = list[bytes]()

    async def run() -> tuple[int, int]:
        sessions = [await begin(shared, folder / name, Share(node=name, members=MEMBERS)) for name in NODES]
        runs = [asyncio.create_task(session.run(lambda visit: None)) for session in sessions]
        still = 0
        while still < 5:
            await asyncio.sleep(0.02)
            still += 1
            for sender, receiver in (sessions, sessions[::-1]):
                assert sender.mail is not None
                assert receiver.mail is not None
                to = receiver.mail.company.here
                if (batch := sender.mail.batch(to, 1_000)) is not None:
                    batches.append(batch)
                    sender.mail.connect(to, await receiver.mail.take(batch))
                    still = 0
            still = still if all(session.crawl.quiet for session in sessions) else 0
        for session in sessions:
            session.dismiss(Ending(EndKind.BUDGET))
        await asyncio.gather(*runs)
        return sum(session.crawl.pages for session in sessions), sum(
            session.crawl.company.exported if session.crawl.company else 0 for session in sessions
        )

    fetched, exported = asyncio.run(run())
    return {"web": web.name, "partition": partition, "pages": fetched, "exported": exported} | weighed(
        batches, folder, fetched
    )


def weighed(batches: list[bytes], folder: Path, pages: int) -> dict[str, Any]:
    opened = [unseal(batch) for batch in batches]
    parcels = [parcel for batch in opened for parcel in batch.parcels]
    links = sum(len(parcel.links) for parcel in parcels)
    bodies = [parcel.page.response.body for parcel in parcels if parcel.page is not None]
    only_links = [_encode(msgspec.structs.replace(p, page=None)) for p in parcels]
    only_pages = [_encode(parcel.page) for parcel in parcels if parcel.page is not None]
    squeeze = zstandard.ZstdCompressor(level=1).compress
    together = b"".join(only_links)
    return {
        "links": links,
        "parcels": len(parcels),
        "bytes_a_link": len(together) / max(1, links),
        "zstd_bytes_a_link": len(squeeze(together)) / max(1, links),
        "bytes_a_page_sent": sum(map(len, only_pages)) / max(1, len(only_pages)),
        "zstd_bytes_a_page_sent": sum(len(squeeze(each)) for each in only_pages) / max(1, len(only_pages)),
        "gzip_body": sum(len(gzip.compress(body, 6)) for body in bodies) / max(1, len(bodies)),
        "disk_a_page": {
            what: sum(size(folder / name, what) for name in NODES) / pages
            for what in ("journal", "frontier", "warc")
        },
        "disk_in_all_a_page": sum(size(folder / name, "") for name in NODES) / pages,
    }


def size(folder: Path, what: str) -> int:
    """Bytes of the files whose path in the folder contains a word."""
    return sum(
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and what in str(path.relative_to(folder))
    )


def elsewhere(folder: Path, urls: int) -> dict[str, float]:
    """On disk, and in memory: URLs of which it is known only that another node sees to them."""
    frontier = DiskFrontier(folder / "elsewhere")
    tracemalloc.start()
    for number in range(urls):
        url = Url(
            f"https://www.host{number % (urls // 16)}.example/section{number % 7}/some-article-about-{number}.html"
        )
        frontier.hand_over(url, UrlState.ELSEWHERE, 3)
        if frontier.overfull:
            frontier.checkpoint(Snapshot(step=number, crawl={}, strategy={}))
    frontier.checkpoint(Snapshot(step=urls, crawl={}, strategy={}))
    memory = tracemalloc.get_traced_memory()[0]
    frontier.close()
    return {
        "urls": urls,
        "disk_a_url": size(folder / "elsewhere", "") / urls,
        "python_memory_a_url": memory / urls,
    }


def moved(hosts: int) -> float:
    """Bytes of memory for each host that moved."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    housed = {
        each.territory: each
        for each in (
            Housed(territory=f"www.host{n}.example", node=Node("n0"), version=1) for n in range(hosts)
        )
    }
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return held / len(housed)


def grown(recording: Path, strategy: str, pages: int, folder: Path) -> list[tuple[int, float, int]]:
    """Pages fetched, megabytes of the process, and URLs that wait, ten times in a crawl by one node alone."""
    told = dict[int, tuple[float, int]]()

    async def run() -> None:
        session = await begin(spec(recording, strategy, pages), folder)

        def watch(visit: Arrival) -> None:
            crawl = session.crawl
            if crawl.pages % (pages // 10) == 0:
                gc.collect()
                resident = int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf(
                    "SC_PAGE_SIZE"
                )
                told.setdefault(crawl.pages, (resident / 2**20, len(crawl.frontier)))

        await session.run(watch)

    asyncio.run(run())
    return [(fetched, *each) for fetched, each in told.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--web", nargs="*", default=WEBS, choices=WEBS)
    parser.add_argument("--pages", type=int, default=1_500)
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--memory", type=Path, metavar="RECORDING")
    parser.add_argument("--strategy", default="hunter")
    arguments = parser.parse_args()
    if arguments.memory is not None:
        told = grown(arguments.memory.resolve(), arguments.strategy, 5_400, arguments.folder / "memory")
        print(json.dumps(told))
    if not arguments.web and not arguments.urls:
        return
    webs = Path(os.environ["LYCOSA_SHARED"]) / "webs"
    for name in arguments.web:
        for partition in ("url", "content:fetch=url"):
            folder = arguments.folder / f"{name}-{partition.partition(':')[0]}"
            print(json.dumps(crawled(webs / name, partition, arguments.pages, folder)), flush=True)
    if arguments.urls:
        print(json.dumps({"elsewhere": elsewhere(arguments.folder, arguments.urls)}), flush=True)
        print(json.dumps({"bytes_a_moved_host": moved(100_000)}), flush=True)


if __name__ == "__main__":
    main()
