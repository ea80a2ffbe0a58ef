"""What sharing a crawl costs a node, in CPU: links that come in, and a page of a crawl by two nodes against one alone.

    python benchmarks/generating.py --record FOLDER --pages 6000 --words 1500 --links 25
    python benchmarks/sharing/speed.py handoffs FOLDER [--strategy hunter] [--links 60000]
    python benchmarks/sharing/speed.py overhead FOLDER [--rounds 5] [--pages 2000]

`handoffs`: batches as they come from another node are taken in by a node on disk: unpacked, journaled, put into its
frontier, flushed. `overhead`: one crawl of FOLDER under virtual time by one node, and by two nodes of this process with
partition `host`, each with half the budget, that send each other what they find as the post does; in turn, each in a
process of its own. CPU time of the process, opening apart.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from lycosa import __version__
from lycosa.crawls.mail import Batch, Sealed, seal
from lycosa.crawls.session import Session, begin
from lycosa.model.commands import Enqueue
from lycosa.model.endings import Ending, EndKind
from lycosa.model.nodes import Members, Node, Share
from lycosa.model.records import Link
from lycosa.model.url import Url
from lycosa.spec.tree import ClusterSpec, CrawlSpec, TopicSpec

NODES = Node("n0"), Node("n1")
MEMBERS = Members(epoch=1, names=NODES)
SEEDS = tuple(f"http://h{number}.test/" for number in range(0, 340, 17))
LINKS_A_PARCEL, LINKS_A_BATCH = 8, 1_000
PUMP_SECONDS = 0.02


def spec(folder: Path, strategy: str, pages: int) -> CrawlSpec:
    return CrawlSpec(
        topic=TopicSpec(keywords=("abacus", "harbour")),
        seeds=SEEDS,
        strategy=strategy,
        web=f"recorded:{folder}",
        pages=pages,
        cluster=ClusterSpec(nodes=2, partition="host"),
    )


def handoffs(folder: Path, strategy: str, links: int) -> dict[str, float]:
    """Links a second of CPU, and of time, that a node takes in."""

    async def taken(path: Path) -> dict[str, float]:
        session = await begin(spec(folder, strategy, 10**6), path, Share(node=NODES[0], members=MEMBERS))
        assert session.mail is not None
        batches = [*sealed(session, links + 10 * LINKS_A_BATCH)]
        for batch in batches[:10]:
            await session.mail.take(batch)
        before = len(session.crawl.frontier)
        cpu, wall = time.process_time(), time.perf_counter()
        for batch in batches[10:]:
            await session.mail.take(batch)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        assert len(session.crawl.frontier) - before == links
        told = {
            "links": links,
            "links_a_cpu_s": links / cpu,
            "links_a_wall_s": links / wall,
            "bytes_a_link": sum(map(len, batches)) / len(batches) / LINKS_A_BATCH,
            "journal_bytes_a_link": (path / "journal.db").stat().st_size / (links + 10 * LINKS_A_BATCH),
            "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }
        await session.abandon(KeyboardInterrupt())
        return told

    with tempfile.TemporaryDirectory() as path:
        return asyncio.run(taken(Path(path) / "n0"))


def sealed(session: Session, links: int) -> Iterator[bytes]:
    """Batches of links to new URLs of this node's hosts, as another node sends them."""
    assert session.mail is not None
    company, chance = session.mail.company, random.Random(1)
    words = [f"word{number}" for number in range(2_000)]
    number, made = 0, 0
    while made < links:
        parcels = list[Sealed]()
        while sum(len(parcel.links) for parcel in parcels) < LINKS_A_BATCH:
            source = Url(f"http://h{chance.randrange(10**6)}.elsewhere.test/p/{number}")
            some = list[Enqueue]()
            while len(some) < LINKS_A_PARCEL:
                url = Url(f"http://h{chance.randrange(20_000)}.there.test/p/{made + len(some)}")
                if company.owner(url) == company.here:
                    context = " ".join(chance.choices(words, k=20))
                    link = Link(
                        source=source,
                        target=url,
                        anchor=context[:20],
                        context=context,
                        path="html body div p a",
                    )
                    some.append(Enqueue(url=url, score=chance.random(), via=link))
            number, made = number + 1, made + len(some)
            parcels.append(Sealed(number=number, links=tuple(some), depth=3))
        yield seal(
            Batch(
                node=NODES[1],
                life="one",
                lycosa=__version__,
                digest=company.partition.digest,
                parcels=tuple(parcels),
            )
        )


def overhead(folder: Path, strategy: str, pages: int, nodes: int) -> dict[str, float]:
    """CPU a page of a crawl by one node that is alone, or by two."""

    async def alone(path: Path) -> float:
        session = await begin(spec(folder, strategy, pages), path)
        began = time.process_time()
        await session.run(lambda visit: None)
        assert session.crawl.pages == pages
        return time.process_time() - began

    async def together(path: Path) -> float:
        half = spec(folder, strategy, pages // 2)
        sessions = [await begin(half, path / name, Share(node=name, members=MEMBERS)) for name in NODES]
        began = time.process_time()
        runs = [asyncio.create_task(session.run(lambda visit: None)) for session in sessions]
        while not all(session.crawl.pages == pages // 2 for session in sessions):
            await asyncio.sleep(PUMP_SECONDS)
            for sender, receiver in (sessions, sessions[::-1]):
                await posted(sender, receiver)
        for session in sessions:
            session.dismiss(Ending(EndKind.BUDGET))
        await asyncio.gather(*runs)
        return time.process_time() - began

    with tempfile.TemporaryDirectory() as path:
        cpu = asyncio.run((alone if nodes == 1 else together)(Path(path) / "crawl"))
    return {"ms_a_page": cpu / pages * 1000}


async def posted(sender: Session, receiver: Session) -> None:
    """Send what is due: a full batch, or anything if the sender has nothing else to do."""
    assert sender.mail is not None
    assert receiver.mail is not None
    to = receiver.mail.company.here
    if sender.mail.links_waiting(to) >= LINKS_A_BATCH or sender.crawl.quiet or receiver.crawl.quiet:
        batch = sender.mail.batch(to, LINKS_A_BATCH)
        if batch is not None:
            sender.mail.connect(to, await receiver.mail.take(batch))


def paired(arguments: argparse.Namespace) -> dict[str, float]:
    """One alone and two together in turn, each in a process of its own."""
    ratios = list[float]()
    for _ in range(arguments.rounds):
        costs = list[float]()
        for nodes in (1, 2):
            command = [sys.executable, __file__, "overhead", str(arguments.folder), "--nodes", str(nodes)]
            command += ["--strategy", arguments.strategy, "--pages", str(arguments.pages)]
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            costs.append(json.loads(told)["ms_a_page"])
        ratios.append(costs[1] / costs[0])
        print(f"one {costs[0]:.2f} ms a page, two {costs[1]:.2f}: {ratios[-1]:.3f}", flush=True)
    return {"median": median(ratios), "least": min(ratios), "most": max(ratios)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("what", choices=["handoffs", "overhead"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--strategy", default="hunter")
    parser.add_argument("--links", type=int, default=60_000)
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nodes", type=int, choices=[1, 2])
    arguments = parser.parse_args()
    told: dict[str, Any]
    if arguments.what == "handoffs":
        told = handoffs(arguments.folder.resolve(), arguments.strategy, arguments.links)
    elif arguments.nodes:
        told = overhead(arguments.folder.resolve(), arguments.strategy, arguments.pages, arguments.nodes)
    else:
        told = paired(arguments)
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
