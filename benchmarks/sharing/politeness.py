"""Is a host asked politely by all nodes of a shared crawl together? And what does it cost that they agree?

    python -m benchmarks.sharing.politeness live [--nodes 4] [--pages 300] [--kills 2] [PARTITION …]
    python -m benchmarks.sharing.politeness cost
    python -m benchmarks.sharing.politeness letters

`live` shares a crawl of hosts on loopback among real processes (`lycosa cluster run`, which needs Ray), kills nodes in
its midst, and tells what the server saw: how close requests came to one another, of one host and of one address, how
many there were at once, and how often robots.txt was asked for. The log of the host and of the address that were
treated worst follows. Hosts are ports of loopback addresses, several at each address; every page links to pages of
other hosts.

`cost` counts letters, bytes and CPU time a page of what decides about turns, without any network: nodes visit pages of
many hosts as fast as they may, in a time that jumps. Then it tells what an exchange costs that needs no letter, beside
that of a crawler alone. `letters` tells what a letter costs on its way, from one actor of Ray to another.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.counted import Counted, Seen
from tests.guards import Mail, Street

from lycosa.cluster.place import Place
from lycosa.crawl.pace import PaceRules
from lycosa.drive.clock import WallClock
from lycosa.model.nodes import Members, Node
from lycosa.model.records import Millis, Response
from lycosa.model.url import Url
from lycosa.sharing.letters import Terms
from lycosa.sharing.rendezvous import Rendezvous
from lycosa.spec.files import save
from lycosa.spec.tree import ClusterSpec, CrawlSpec, FetchSpec, PolitenessSpec, TopicSpec
from lycosa.web.shared_spacing import Peer, SharedSpacing
from lycosa.web.spacing import Spacing

PARTITIONS = ("host", "url", "content", "alike", "topic")
SUBJECTS = {
    "bees": "hive honey queen swarm wax nectar pollen comb keeper drone brood sting",
    "ships": "hull mast anchor harbour sail deck rudder cargo crew captain tide keel",
    "stars": "orbit comet galaxy planet telescope nebula eclipse dwarf spectrum moon light sky",
    "bread": "flour yeast dough oven crust rye loaf baker salt knead rise crumb",
}
"""The words by which pages are told apart, where they are shared out by topic."""
ADDRESSES = tuple(f"127.0.0.{number}" for number in range(2, 6))
PORTS = 3
PAGES_OF_HOST = 200
LINKS = 8
PATIENCE = 600.0
EXCHANGES = 20_000
LETTERS = 5_000


class Linked(Counted):
    """Every page links to pages of all hosts, the same each time."""

    def body(self, host: str, path: str) -> bytes:
        hosts = self.hosts(*ADDRESSES)
        draw = random.Random(f"{hosts.index(host)}{path}")
        links = (f"http://{draw.choice(hosts)}/{draw.randrange(PAGES_OF_HOST)}" for _ in range(LINKS))
        subject = draw.choice(sorted(SUBJECTS))
        text = "".join(f'<p>{written(subject, draw)}: <a href="{url}">{subject}</a>' for url in links)
        return f"<title>{subject} {path}</title>{text}".encode()


def written(subject: str, draw: random.Random) -> str:
    """A line on a subject."""
    return " ".join(draw.choices(SUBJECTS[subject].split(), k=12))


@contextmanager
def served() -> Iterator[Linked]:
    """The server, in a thread of its own."""
    server, began, over = Linked(PORTS), threading.Event(), asyncio.Event()
    loop = asyncio.new_event_loop()

    async def serve() -> None:
        async with server:
            began.set()
            await over.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    began.wait()
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


# ---------------------------------------------------------------------------------------------------------------- live


def classes(folder: Path) -> str:
    """A model that tells the subjects apart; its file."""
    draw = random.Random(0)
    for subject in SUBJECTS:
        place = folder / "subjects" / subject
        place.mkdir(parents=True)
        for number in range(40):
            text = f"<title>{subject}</title>" + "".join(f"<p>{written(subject, draw)}" for _ in range(LINKS))
            (place / f"{number}.html").write_text(text)
    model = folder / "classes.json.zst"
    command = ("classes", "train", str(folder / "subjects"), "--aside", "0", "-o", str(model))
    subprocess.run([sys.executable, "-m", "lycosa.cli", *command], check=True, stdout=subprocess.DEVNULL)
    return str(model)


def crawled(
    folder: Path, server: Linked, partition: str, nodes: int, pages: int, delay: float, kills: int
) -> int:
    """Share a crawl, and kill nodes now and then; how often that succeeded."""
    seeds = tuple(f"http://{host}/0" for host in server.hosts(*ADDRESSES))
    spec = CrawlSpec(
        topic=TopicSpec(keywords=("honey",)),
        seeds=seeds,
        pages=pages,
        strategy="breadth-first",
        politeness=PolitenessSpec(delay=delay),
        fetch=FetchSpec(allow_private=True, contact="nobody@example.org"),
        cluster=ClusterSpec(
            nodes=nodes,
            partition=partition,
            classes=classes(folder) if partition == "topic" else "",
            batch_seconds=0.5,
        ),
    )
    written = folder / "spec.toml"
    save(spec, written)
    place = Place(folder / "crawl")
    command = [
        sys.executable,
        "-m",
        "lycosa.cli",
        "cluster",
        "run",
        str(written),
        "--out",
        str(place.folder),
        "-q",
    ]
    with subprocess.Popen(command, start_new_session=True, stdout=subprocess.DEVNULL) as driver:
        until, killed = time.monotonic() + PATIENCE, 0
        while driver.poll() is None and time.monotonic() < until:
            time.sleep(0.2)
            if killed < kills and len(server.seen) > (killed + 1) * pages // (kills + 1):
                killed += kill_one(place, random.Random(killed))
        if driver.poll() is None:
            driver.send_signal(signal.SIGINT)
            driver.wait(60)
    return killed


def kill_one(place: Place, draw: random.Random) -> bool:
    """Kill the process of one node that is at work."""
    writers = place.writers()
    if not writers:
        return False
    node = draw.choice(sorted(writers))
    os.kill(writers[node], signal.SIGKILL)
    return True


def at_once(seen: list[Seen]) -> int:
    """The most requests that were being answered at the same moment."""
    moments = sorted(
        [(each.began, 1) for each in seen] + [(each.ended, -1) for each in seen], key=lambda m: (m[0], m[1])
    )
    most = now = 0
    for _, change in moments:
        now += change
        most = max(most, now)
    return most


def of_each(seen: list[Seen], by: str) -> dict[str, list[Seen]]:
    """The requests of each host, or address, in their order."""
    each: dict[str, list[Seen]] = {}
    for request in sorted(seen, key=lambda request: request.began):
        each.setdefault(getattr(request, by), []).append(request)
    return each


def gaps(seen: list[Seen]) -> list[float]:
    """Seconds from the end of each request to the beginning of the next."""
    found, ended = [], None
    for each in seen:
        if ended is not None:
            found.append(each.began - ended)
        ended = each.ended if ended is None else max(ended, each.ended)
    return found


def row(partition: str, server: Linked, killed: int, delay: float, took: float) -> str:
    hosts, addresses = of_each(server.seen, "host"), of_each(server.seen, "address")
    robots = Counter(each.host for each in server.seen if each.path == "/robots.txt")
    shortest = [
        min(min(gaps(of_one), default=float("inf")) for of_one in each.values())
        for each in (hosts, addresses)
    ]
    early = sum(gap < delay for of_one in addresses.values() for gap in gaps(of_one))
    return (
        f"| {partition} | {killed} | {len(server.seen)} | {max(map(at_once, hosts.values()))} | "
        f"{max(map(at_once, addresses.values()))} | {1000 * shortest[0]:.0f} | {1000 * shortest[1]:.0f} | {early} | "
        f"{max(robots.values())} | {took:.0f} |"
    )


def worst(server: Linked, by: str) -> list[str]:
    """The five closest pairs of requests of whoever was treated worst."""
    each = of_each(server.seen, by)
    name = min(each, key=lambda one: min(gaps(each[one]), default=float("inf")))
    pairs = sorted(
        zip(gaps(each[name]), each[name][:-1], each[name][1:], strict=True), key=lambda pair: pair[0]
    )[:5]
    shown = re.sub(r":\d+$", lambda port: f", port {1 + server.ports.index(int(port.group()[1:]))}", name)
    began = min(request.began for request in server.seen)
    lines = [
        f"The {by} that was treated worst, {shown}: {len(each[name])} requests; the five closest pairs:",
        "",
    ]
    for gap, before, after in pairs:
        lines.append(
            f"* {before.path} ended at {before.ended - began:.3f} s, {after.path} began at "
            f"{after.began - began:.3f} s: {1000 * gap:.0f} ms"
        )
    return [*lines, ""]


def live(partitions: list[str], nodes: int, pages: int, delay: float, kills: int) -> None:
    print(
        f"{nodes} nodes, {pages} pages, {len(ADDRESSES)} addresses with {PORTS} hosts each, {1000 * delay:.0f} ms"
    )
    print(
        "between requests. Closest: milliseconds from the end of one request to the beginning of the next. Too early:"
    )
    print("how many were closer than that, at one address.")
    print()
    heads = ("killed", "requests", "at once: host", "address", "closest: host", "address", "too early")
    print("| partition |", " | ".join((*heads, "robots.txt of a host", "seconds")), "|")
    print("| --- |" + " ---: |" * (len(heads) + 2))
    logs: list[str] = []
    for partition in partitions:
        with served() as server, tempfile.TemporaryDirectory() as folder:
            began = time.monotonic()
            killed = crawled(Path(folder), server, partition, nodes, pages, delay, kills)
            print(row(partition, server, killed, delay, time.monotonic() - began), flush=True)
            logs += [f"## {partition}", "", *worst(server, "host"), *worst(server, "address")]
    print("", *logs, sep="\n")


# ---------------------------------------------------------------------------------------------------------------- cost


def counted(nodes: int, hosts: int, at_address: int, owner: Callable[[str, int], Node], seconds: int) -> str:
    """Letters, bytes and CPU time a page: each node visits the pages that are its own, 16 at a time."""
    street = Street(
        [f"n{number}" for number in range(nodes)], terms=Terms(), mail=Mail(shortest=1, longest=3)
    )
    draw = random.Random(1)

    def visit(node: Node) -> None:
        while True:
            host, page = draw.randrange(hosts), draw.randrange(10**6)
            if owner(f"h{host}.test", page) == node:
                break
        keys = (f"h{host}.test", f"address {host // at_address}")
        street.visit(node, keys, draw.randint(20, 200), lambda: visit(node))

    for node in street.members.names:
        for _ in range(16):
            visit(node)
    street.run(10_000)
    pages, letters, sent, spent = len(street.log), street.letters, street.sent, street.spent
    street.run(10_000 + 1000 * seconds)
    pages = len(street.log) - pages
    return (
        f"{pages} | {(street.letters - letters) / pages:.2f} | {(street.sent - sent) / pages:.0f} | "
        f"{1e6 * (street.spent - spent) / pages:.0f}"
    )


def cost() -> None:
    print(
        "| nodes | hosts | at an address | whose page it is | pages | letters a page | bytes a page | CPU a page, µs |"
    )
    print("| ---: | ---: | ---: | --- |" + " ---: |" * 4)
    for nodes in (4, 16):
        members = Members(epoch=1, names=tuple(Node(f"n{number}") for number in range(nodes)))
        rendezvous = Rendezvous(members)
        by_host = lambda host, page: rendezvous.owner(host)  # noqa: E731, B023
        by_url = lambda host, page: rendezvous.owner(f"{host}/{page}")  # noqa: E731, B023
        for hosts, at_address in ((2000, 1), (2000, 10), (200, 1)):
            for name, owner in (("its host's", by_host), ("its URL's", by_url)):
                print(
                    f"| {nodes} | {hosts} | {at_address} | {name} | {counted(nodes, hosts, at_address, owner, 60)} |",
                    flush=True,
                )


async def exchanged(turns: Spacing | SharedSpacing) -> float:
    """Microseconds of CPU time an exchange of hosts and addresses that nobody else wants."""
    answer = Response(url=Url("http://a/"), status=200, headers=(), body=b"", fetched_at=Millis(0))
    began = time.process_time()
    for number in range(EXCHANGES):
        keys = (f"h{number % 500}.test", f"address {number % 500}")
        await turns.waits(*keys)
        async with turns.exchange(*keys):
            turns.answered(keys, answer)
    return 1e6 * (time.process_time() - began) / EXCHANGES


async def alone() -> None:
    """What an exchange costs without any letter, the best of three rounds."""
    here = Node("n0")
    peer = Peer(
        here=here, life="", members=Members(epoch=1, names=(here,)), first=True, send=lambda to, sent: None
    )
    spacing, shared = Spacing(WallClock()), SharedSpacing(PaceRules(delay=Millis(0)), peer)
    for name, turns in (("a crawler alone", spacing), ("a node, its own hosts", shared)):
        print(f"{name}: {min([await exchanged(turns) for _ in range(3)]):.0f} µs an exchange")
    shared.close()


class Correspondent:
    """An actor that writes letters, or has them written to it."""

    async def hear(self, letter: bytes) -> None:
        self.heard = letter

    async def write(self, to: Any, letters: int) -> None:
        for number in range(letters):
            to.hear.remote(b"x" * 100)
            if number % 100 == 99:
                await asyncio.sleep(0)

    async def spent(self) -> float:
        return time.process_time()


def letters() -> None:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    make = ray.remote(Correspondent).options(num_cpus=0)
    writer, reader = make.remote(), make.remote()
    for _ in range(3):
        before = ray.get([writer.spent.remote(), reader.spent.remote()])
        ray.get(writer.write.remote(reader, LETTERS))
        ray.get(reader.spent.remote())
        after = ray.get([writer.spent.remote(), reader.spent.remote()])
        each = [1e6 * (later - sooner) / LETTERS for sooner, later in zip(before, after, strict=True)]
        print(f"a letter of 100 bytes: {each[0]:.0f} µs of CPU time to write, {each[1]:.0f} µs to read")
    ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=("live", "cost", "letters"))
    parser.add_argument("partitions", nargs="*", metavar="PARTITION", default=list(PARTITIONS))
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--delay", type=float, default=0.5, help="seconds")
    parser.add_argument("--kills", type=int, default=2)
    given = parser.parse_args()
    if given.what == "cost":
        cost()
        asyncio.run(alone())
    elif given.what == "letters":
        letters()
    else:
        live(list(given.partitions), given.nodes, given.pages, given.delay, given.kills)


if __name__ == "__main__":
    main()
